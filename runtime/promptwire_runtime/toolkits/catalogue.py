"""All toolkits of an agent, looked up by name, and the checks for names that two of them cannot share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import is_
from typing import Any, NamedTuple

from promptwire_text.words import nearest

from ..errors import InvalidRequest
from ..model.request import Request
from ..nodes.checks import CheckedRecord, as_tuple
from ..nodes.records import replace, set_fields
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .config import MESSAGE_TURN, CollapsingConfig
from .declaring import Approve, Call, InvocationFilter, ToolkitLike, toolkit_of
from .kits import FRONTEND, MCP, SKILL, Member, Toolkit
from .running import Invocation

# in characters: some 250 tokens, in every model call
LONGEST_PROMPT = 1000
MOST_KEPT = 3


def lints(toolkits: Toolkits) -> tuple[str, ...]:
    """Return advice, one text each; nothing where all is well.

    A system prompt of more than 1,000 characters; more than three that outlive their message turn; a container for one
    function; one that does not say what it is for.
    """
    kept = [name for name, toolkit in toolkits.kits.items() if toolkit.system_prompt is not None]
    rows = [row for toolkit in toolkits.kits.values() for row in _names_of(toolkit, toolkits)]
    if toolkits.config.lifetime != MESSAGE_TURN and len(kept) > MOST_KEPT:
        trouble = f"{len(kept)} toolkits have a system prompt that stays ({toolkits.config.lifetime})"
        rows.append(f"{trouble}: they gather in every model call; message_turn clears them")
    return tuple(rows)


def _names_of(toolkit: Toolkit, toolkits: Toolkits) -> Iterator[str]:
    prompt = toolkit.system_prompt
    if isinstance(prompt, str) and len(prompt) > LONGEST_PROMPT:
        yield (
            f"{toolkit.name}.system_prompt has {len(prompt):,} characters, in every model call while it counts: "
            f"say it in {LONGEST_PROMPT:,}"
        )
    if not toolkits.has_container(toolkit):
        return
    if len(toolkit.names) == 1 and toolkit.kind != SKILL:
        yield f"{toolkit.name} holds one function: a container for it costs a call and spares nothing"
    if toolkit.description is None:
        yield f"{toolkit.name} has no description: a model does not know when to call it"


Path = tuple[str, ...]


class Placed(NamedTuple):
    """A function, and the toolkits that contain it, from the outermost to its own."""

    member: Member
    path: Path


@dataclass(frozen=True, eq=False, repr=False)
class Toolkits(CheckedRecord):
    """The toolkits that an agent has; made once, used for any number of sessions and threads.

    toolkits  toolkits, classes under `@toolkit`, or objects of them, in the order in which they show
    config    how they show
    invocation_filters  what runs before and after their functions, in order

    Raises InvalidRequest where two of them have one name, in whatever depth, or one uses a function that is not there.
    """

    toolkits: Iterable[ToolkitLike] = ()
    config: CollapsingConfig = field(default_factory=CollapsingConfig)
    invocation_filters: Iterable[InvocationFilter] = ()
    tops: tuple[Toolkit, ...] = field(init=False, repr=False, compare=False)
    kits: Mapping[str, Toolkit] = field(init=False, repr=False, compare=False)
    paths: Mapping[str, Path] = field(init=False, repr=False, compare=False)
    members: Mapping[str, Placed] = field(init=False, repr=False, compare=False)
    notes: tuple[Note, ...] = field(init=False, repr=False, compare=False)
    blocks: dict[Any, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index all toolkits and functions by name, and check the names."""
        super().__post_init__()
        notes: list[Note] = []
        tops = _qualified(tuple(map(toolkit_of, as_tuple(self.toolkits, "toolkits"))), notes)
        kits: dict[str, Toolkit] = {}
        paths: dict[str, Path] = {}
        members: dict[str, Placed] = {}
        for toolkit, path in _walk(tops, ()):
            _check_free(toolkit.name, f"the toolkit at {_shown(path[:-1])}", paths, members)
            kits[toolkit.name], paths[toolkit.name] = toolkit, path
            for entry in toolkit.entries:
                if isinstance(entry, Member):
                    _check_free(entry.name, f"a function of {toolkit.name}", paths, members)
                    members[entry.name] = Placed(entry, path)
        _check_uses(kits, members)
        filters = as_tuple(self.invocation_filters, "invocation_filters")
        notes += _absent_servers(kits, self.config)
        _check_names(kits, members, filters)
        set_fields(
            self,
            invocation_filters=filters,
            tops=tops,
            kits=kits,
            paths=paths,
            members=members,
            notes=tuple(notes),
            blocks={},
        )

    def has_container(self, toolkit: Toolkit) -> bool:
        """Return whether one tool represents a toolkit until that is expanded, if containers are used at all."""
        if toolkit.kind == FRONTEND and not self.config.collapse_frontend_tools:
            return False
        return toolkit.collapsed

    def defers(self, toolkit: Toolkit) -> bool:
        """Return whether functions of a toolkit are deferred where the API defers tools itself."""
        return any(self.has_container(self.kits[name]) for name in self.paths[toolkit.name]) and any(
            isinstance(entry, Member) and not entry.always for entry in toolkit.entries
        )

    def member(self, name: str) -> Member:
        """Return the function of a name. Raises InvalidRequest where no toolkit has one that can be run."""
        placed = self.members.get(name)
        if placed is None or placed.member.function is None:
            raise InvalidRequest(self._why_not_run(name, placed), field="tools")
        return placed.member

    def invocation(self, call: Call, approve: Approve | None) -> Invocation:
        """Return the invocation of the function that a call names. Raises InvalidRequest as `member` does."""
        member, path = self.member(call.name), self.members[call.name].path
        filters = tuple([row for row in self.invocation_filters if row.matches(member.name, path)])
        return Invocation(member, call, filters, approve)

    def _why_not_run(self, name: str, placed: Placed | None) -> str:
        if placed is not None:
            return f"{name} is yours to run: {placed.path[-1]} has only its description"
        if name in self.kits:
            return f"{name} is a toolkit, not a function: `after` answers its calls, `run` does not"
        return f'no toolkit has a function named "{name}"; {suggestion(name, self.members)}'

    def check_names(self, request: Request) -> None:
        """Refuse a request with a tool of its own whose name a toolkit or one of its functions has."""
        for tool in request.tools or ():
            name: str = getattr(tool, "name", None) or ""
            if name in self.members or name in self.kits:
                where = (
                    f"a function of {self.members[name].path[-1]}" if name in self.members else "a toolkit"
                )
                trouble = f'the request has a tool "{name}", and so is {where} named: rename one'
                raise InvalidRequest(trouble, field="tools")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the known name that is spelled most like an unknown one, or all known names, as the end of an error."""
    near = nearest(name, known)
    return f'did you mean "{near}"?' if near else f"known are {', '.join(known) or 'none'}"


def _walk(toolkits: Iterable[Toolkit], above: Path) -> Iterator[tuple[Toolkit, Path]]:
    for toolkit in toolkits:
        path = (*above, toolkit.name)
        yield toolkit, path
        yield from _walk([entry for entry in toolkit.entries if isinstance(entry, Toolkit)], path)


def _check_free(name: str, what: str, paths: Mapping[str, Path], members: Mapping[str, Placed]) -> None:
    if name in paths:
        other = f"the toolkit at {_shown(paths[name][:-1])}"
    elif name in members:
        other = f"a function of {members[name].path[-1]}"
    else:
        return
    raise InvalidRequest(f'"{name}" is {other} and {what}: names are unique, so rename one', field="toolkits")


def _check_uses(kits: Mapping[str, Toolkit], members: Mapping[str, Placed]) -> None:
    for toolkit in kits.values():
        for name in toolkit.uses:
            if name not in members:
                raise InvalidRequest(f'{toolkit.name} uses "{name}", which no toolkit has', field="uses")


def _check_names(
    kits: Mapping[str, Toolkit],
    members: Mapping[str, Placed],
    filters: Iterable[InvocationFilter],
) -> None:
    """Check the names that filters use."""
    for filter_ in filters:
        check_class(filter_, InvocationFilter, "an invocation filter")
        check_known(filter_.functions, members, "function", f"filter {filter_.name}, functions")
        check_known(filter_.toolkits, kits, "toolkit", f"filter {filter_.name}, toolkits")


def _absent_servers(kits: Mapping[str, Toolkit], config: CollapsingConfig) -> Iterator[Note]:
    """Yield a note for each server that has instructions and is not connected; by policy it is an error."""
    servers = [name for name, toolkit in kits.items() if toolkit.kind == MCP]
    where = "mcp_server_instructions"
    if config.absent_servers == "error":
        check_known(config.mcp_server_instructions, servers, "MCP server", where)
    for name in config.mcp_server_instructions:
        if name not in servers:
            why = f"no MCP server has this name: {suggestion(name, servers)}"
            yield Note("ignored", where, name, why)


def _qualified(tops: tuple[Toolkit, ...], notes: list[Note]) -> tuple[Toolkit, ...]:
    """Put the name of an MCP server before those of its tools that something else is called, too."""
    names = Counter(name for toolkit, _ in _walk(tops, ()) for name in _own_names(toolkit))
    return tuple([_with_free_names(toolkit, names, notes) for toolkit in tops])


def _own_names(toolkit: Toolkit) -> list[str]:
    return [toolkit.name, *[entry.name for entry in toolkit.entries if isinstance(entry, Member)]]


def _with_free_names(toolkit: Toolkit, names: Counter[str], notes: list[Note]) -> Toolkit:
    entries = [_free_entry(entry, toolkit, names, notes) for entry in toolkit.entries]
    if all(map(is_, entries, toolkit.entries)):
        return toolkit
    return replace(toolkit, tools=tuple(entries))


def _free_entry(
    entry: Member | Toolkit, toolkit: Toolkit, names: Counter[str], notes: list[Note]
) -> Member | Toolkit:
    if isinstance(entry, Toolkit):
        return _with_free_names(entry, names, notes)
    if toolkit.kind != MCP or names[entry.name] < 2:
        return entry
    name = f"{toolkit.name}_{entry.name}"
    notes.append(Note("replaced", f"tools.{entry.name}", "name", f"{name}: another tool has its name"))
    return replace(entry, tool=replace(entry.tool, name=name))


def check_known(names: Iterable[str], known: Iterable[str], kind: str, where: str) -> None:
    """Raise InvalidRequest for the first name that is not known. `where` is the option that has the names."""
    for name in names:
        if name not in known:
            raise InvalidRequest(
                f'{where}: no {kind} is named "{name}": {suggestion(name, known)}', field=where
            )


def _shown(path: Path) -> str:
    return "/".join(path) or "the top"
