"""The tools of one model call, in an order that only an expansion changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..errors import InvalidRequest
from ..model.tools import AnyTool, CustomTool, HostedTool, Tool, ToolGroup
from ..nodes.records import replace
from ..reporting.facts import WireFacts
from ..reporting.notes import Note
from ..wire_json.values import fits
from .catalogue import Toolkits
from .config import AUTO, CONTAINERS, NATIVE, NONE, SEARCH_RESULT, CollapsingConfig
from .kits import SKILL, Member, Toolkit, ToolkitState


class Target(Protocol):
    """The module of a wire, as far as toolkits ask it."""

    @property
    def WIRE(self) -> WireFacts:  # noqa: N802  # its name in the module
        """The facts of the wire."""
        ...


class DeferralMode(NamedTuple):
    """The chosen way to defer functions.

    word    `native`, `containers` or `none`
    why     the reason, in words
    search  the tool of the API that finds what is deferred
    groups  whether the API takes functions in groups
    """

    word: str
    why: str
    search: HostedTool | None = None
    groups: bool = False

    def note(self, catalogue: Toolkits) -> Note:
        """Return a note with the chosen mode and its reason."""
        functions, toolkits = _count(catalogue.members, "function"), _count(catalogue.kits, "toolkit")
        action, what = {
            NATIVE: ("replaced", f"native: the API finds {functions} of {toolkits} itself"),
            CONTAINERS: ("replaced", f"containers: {toolkits} for {functions}"),
            NONE: ("added", f"none: {functions} shown"),
        }[self.word]
        return Note(action, "", "tools", f"{what}; {self.why}")


def _count(things: Sized, what: str) -> str:
    return f"{len(things)} {what}{'' if len(things) == 1 else 's'}"


def mode_of(catalogue: Toolkits, wire: Target | None, model: str | None) -> DeferralMode:
    """Choose the deferral mode for one API and model; without an API, containers."""
    config = catalogue.config
    if not config.enabled:
        return DeferralMode(NONE, "toolkits are not enabled")
    if config.deferral in (NONE, CONTAINERS):
        return DeferralMode(config.deferral, f'deferral is "{config.deferral}"')
    count, least = len(catalogue.members), config.deferral_threshold
    if config.deferral == AUTO and count < least:
        return DeferralMode(NONE, f"the threshold is {least} functions")
    if wire is None:
        return DeferralMode(CONTAINERS, "no API is named")
    known, name = _deferral(wire), wire.WIRE.name
    if known is None:
        return DeferralMode(CONTAINERS, f"{name} does not defer tools itself")
    if config.deferral == AUTO and not _fits(model, known):
        return DeferralMode(CONTAINERS, f"it is not known that {name} defers tools for the model {model}")
    groups = "group" in wire.WIRE.capabilities["tools"]["kinds"]
    return DeferralMode(NATIVE, f"{name} defers tools", HostedTool(**known["search"]), groups)


def _deferral(wire: Target) -> Mapping[str, Any] | None:
    """Return the deferral facts of the spec, or None."""
    try:
        known: Mapping[str, Any] | None = wire.WIRE.capabilities["tools"].get("deferral")
    except (AttributeError, TypeError, KeyError):
        kind = getattr(wire, "__name__", type(wire).__name__)
        raise InvalidRequest(
            f"{kind} is not the module of an API: pass promptwire.openai_responses or another"
        ) from None
    return known


def _fits(model: str | None, known: Mapping[str, Any]) -> bool:
    return any(fits(model, glob) for glob in known.get("model", ())) and not any(
        fits(model, glob) for glob in known.get("not_model", ())
    )


def container_tool(toolkit: Toolkit, description: str, config: CollapsingConfig) -> Tool:
    """Build the tool without arguments whose call expands a toolkit."""
    text = container_description(toolkit.name, description, toolkit.names, config)
    return Tool(toolkit.name, text, {"type": "object", "properties": {}})


def container_description(name: str, description: str, names: Sequence[str], config: CollapsingConfig) -> str:
    """Return the purpose of a toolkit and, if the configuration asks for it, its contents."""
    head = name if config.description_prefix == "name" or not description else description
    most = config.max_function_names_in_description
    if not most or not names:
        return head
    listed, hidden = list(names[:most]), len(names) - most
    if config.description_style == "contains_n":
        return _with_count(head, listed, len(names))
    # the seed's own dots say "there may be more" wherever the list is not exactly full
    if hidden > 0 or (config.description_style == "seed" and hidden < 0):
        listed.append("...")
    return f"{head} ({', '.join(listed)})"


def _with_count(head: str, listed: list[str], count: int) -> str:
    more = count - len(listed)
    tail = f"{more} more" if more else listed.pop()
    names = f"{', '.join(listed)} and {tail}" if listed else tail
    return f"{head.rstrip('.')}. Contains {count} function{'s' if count > 1 else ''}: {names}"


# the groups of the order `grouped_sorted`
_CONTAINER, _SKILL, _ALWAYS, _EXPANDED = range(4)
_MOST_BLOCKS = 64
Row: TypeAlias = "tuple[int, Tool | CustomTool]"


class ToolBlock(NamedTuple):
    """The visible tools of toolkits, and their names."""

    tools: tuple[AnyTool, ...]
    names: frozenset[str]


def block_of(catalogue: Toolkits, state: ToolkitState, mode: DeferralMode) -> ToolBlock:
    """Return the tools that toolkits add to a model call; the result is cached."""
    shown = frozenset(state.expanded) if mode.word == CONTAINERS else None
    key = (mode.word, mode.groups, shown, tuple(state.descriptions.items()), tuple(state.rules.items()))
    block = catalogue.blocks.get(key)
    if block is None:
        tools = tuple(
            _native(catalogue, state, mode) if mode.word == NATIVE else _list_tools(catalogue, state, shown)
        )
        block = ToolBlock(tools, frozenset(names_of(tools)))
        if len(catalogue.blocks) >= _MOST_BLOCKS:
            catalogue.blocks.clear()
        catalogue.blocks[key] = block
    return block


def names_of(tools: Iterable[AnyTool]) -> Iterator[str]:
    """Return the names that calls of these tools may have."""
    for tool in tools:
        if isinstance(tool, ToolGroup):
            yield from names_of(tool.tools)
        elif isinstance(tool, (Tool, CustomTool, HostedTool)) and tool.name is not None:
            yield tool.name


def description_of(toolkit: Toolkit, state: ToolkitState) -> str:
    """Return a toolkit's description, which a function may have given when the session began."""
    said = toolkit.description
    return said if isinstance(said, str) else state.descriptions.get(toolkit.name, "")


# ---- containers, or everything


def _list_tools(catalogue: Toolkits, state: ToolkitState, expanded: frozenset[str] | None) -> list[AnyTool]:
    """Return containers and members; without `expanded` there are no containers."""
    rows: dict[str, Row] = {}
    for row in _rows(catalogue, state, catalogue.tops, expanded, _ALWAYS):
        rows.setdefault(row[1].name, row)
    if catalogue.config.expanded_tool_order == "grouped_sorted":
        return [tool for _, tool in sorted(rows.values(), key=lambda row: (row[0], row[1].name))]
    return [tool for _, tool in rows.values()]


def _rows(
    catalogue: Toolkits,
    state: ToolkitState,
    entries: Iterable[Member | Toolkit],
    expanded: frozenset[str] | None,
    group: int,
) -> Iterator[Row]:
    for entry in entries:
        if isinstance(entry, Member):
            yield (_ALWAYS if entry.always else group), entry.tool
            continue
        contained = expanded is not None and catalogue.has_container(entry)
        if contained and expanded is not None and entry.name not in expanded:
            tool = container_tool(entry, description_of(entry, state), catalogue.config)
            yield (_SKILL if entry.kind == SKILL else _CONTAINER), tool
            yield from _rows(catalogue, state, _always(entry), expanded, _ALWAYS)
            continue
        inside = _EXPANDED if contained else group
        yield from _rows(catalogue, state, entry.entries, expanded, inside)
        used = [catalogue.members[name].member for name in entry.uses]
        yield from _rows(catalogue, state, used, expanded, inside)


def _always(toolkit: Toolkit) -> Iterator[Member]:
    """Return the members, in whatever depth, that show before their toolkit is expanded."""
    for entry in toolkit.entries:
        if isinstance(entry, Toolkit):
            yield from _always(entry)
        elif entry.always:
            yield entry


# ---- native deferral


def _native(catalogue: Toolkits, state: ToolkitState, mode: DeferralMode) -> Iterator[AnyTool]:
    """Yield the tools shown from the start, the search, then the deferred tools, in groups if the API has them."""
    waiting: list[AnyTool] = []
    for toolkit in catalogue.kits.values():
        members = [entry for entry in toolkit.entries if isinstance(entry, Member)]
        defers = catalogue.defers(toolkit)
        if toolkit.kind == SKILL:
            # its instructions come with its call
            yield container_tool(toolkit, description_of(toolkit, state), catalogue.config)
        yield from [member.tool for member in members if member.always or not defers]
        rules = (
            state.rules.get(toolkit.name, "") if catalogue.config.native_instructions == SEARCH_RESULT else ""
        )
        later = [_defer(member.tool, rules) for member in members if defers and not member.always]
        if later and mode.groups:
            waiting.append(ToolGroup(toolkit.name, description_of(toolkit, state) or toolkit.name, later))
        else:
            waiting += later
    if waiting and mode.search is not None:
        yield mode.search
    yield from waiting


def _defer(tool: Tool | CustomTool, rules: str) -> Tool | CustomTool:
    """Defer a tool; its description ends with the rules of its toolkit, which so come with the search result.

    No cache mark stands on it, since it is not in the prefix that a mark would keep.
    """
    text = "\n\n".join([text for text in (tool.description, rules) if text]) or None
    changes: dict[str, Any] = {"deferred": True, "cache": None, "description": text}
    return replace(tool, **changes)
