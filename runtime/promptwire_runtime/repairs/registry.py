"""The registry of repairs, and the choice among them.

A repair is a function under `@repair(...)`, which lists the problems that it solves: globs of names, for each class of
errors. The names are those of rules (`tools.name`, `tool.image.url`), see `names_of`. For a problem, a build takes

1. the repair that the caller has for its rule or its field (`Policies.fixes`);
2. else the repair that its rule names (`fix`), or none if the rule says that none is right (`no_repair`);
3. else every repair that lists the problem, by rank, without those that the policies switch off;
4. last of all, it drops the field or the node, where the policies or the kind of loss allow that.

They are tried in this order until the problem is gone. `NO_REPAIR` says why some fields have no repair.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache, wraps
from importlib import import_module

from promptwire_text.words import matches_any

from ..errors import InvalidRequest, NoPlace, PolicyError, Problem, Refused, RequestError
from ..model.parts import Audio, Document, HostedCall, HostedResult, Opaque, Reasoning
from ..model.request import Message
from ..predicates.conditions import Compared, LengthCompared, OneOf
from ..reporting.policies import LENIENT, PORTABLE
from ..reporting.spec_words import kind_of, spec_word
from ..typed import TYPE_CHECKING, cast
from ..wire_json.kinds import class_of
from .changes import EditLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from ..model.request import Request
    from ..predicates.conditions import FieldCondition
    from ..reporting.notes import Note
    from ..reporting.policies import Policies
    from ..rules.rule import Rule
    from .edits import RepairContext

    RepairFunction: TypeAlias = Callable[[Request, RepairContext], tuple[Request, tuple[Note, ...]]]
    # the request, the edits so far -> the changed request
    RequestChange: TypeAlias = Callable[[Request, EditLog], Request]

# the modules with repairs, by subject
_SUBJECTS = (
    "calls",
    "fields",
    "media",
    "names",
    "nearest",
    "pairs",
    "schemas",
    "texts",
    "tool_choices",
    "tools",
    "turns",
)
# Globs of rejected fields -> why no repair, or no other one, keeps their meaning. `!` excludes a glob.
NO_REPAIR = {
    "vendor* *.vendor.* extra* !vendor.prompt_cache_* !vendor.include_obfuscation !vendor.continuous_usage_stats "
    "!vendor.debug": "an option of this API alone was chosen for it on purpose",
    "max_tokens": "an answer without its limit may cost more than the caller allows",
    "modalities": "an answer in another form is not what was asked for",
    "input_tokens request_bytes": "which of the messages can be left out is for the caller to say",
    "tools.format*": "a free-text tool has the format that its caller wrote",
    "tools.count": "which tools the model can do without is for the caller to say",
    "tools.config*": "the caller has set up this tool of the API",
    "tool tools.type": "the model or the host does not run this tool",
    "tools": "without its tools the model would answer another question",
    "calls.ungrouped": "an option of the call names the group",
    "turn.tool_call.signature": "only the API that made the call signs it",
    "*.*.count !assistant.reasoning.count": "which of them can be left out is for the caller to say",
    "*.text !last_message.text !assistant.reasoning.*": "nobody but the caller can write this text",
    "*.actual_type": "the data are not a file of a type that the API reads",
    "*.media_type !tool.* !*.document.*": "the API reads no files of this type, and promptwire converts none",
    "*.url *.uri !tool.*": "the API reads no such address; request.with_media fetches it",
    "part *.part !tool.part": "the model does not take this kind of content",
    "continuation*": "only the caller knows which conversation goes on",
    "model": "the caller chooses the model",
}
# kinds of nodes that are something else without these fields
_WHOLE: dict[type, tuple[str, ...]] = {
    Opaque: ("value",),
    Reasoning: ("summary", "texts"),
    **dict.fromkeys(
        (HostedCall, HostedResult),
        ("payload", "name", "id", "call_id", "arguments", "result", "server", "status"),
    ),
}
# numbers of nodes, of which some are left out only where meaning may be dropped
_COUNTS = frozenset({"messages.count", "tools.count"})


@dataclass(slots=True)
class Repair:
    """A repair, and the problems that it solves.

    Attributes:
        name: Its name, as specs (`fix`) and callers (`Policies.fixes`) write it.
        run: The function that changes a request.
        policy: The policy that decides about it; empty if none does.
        off: The choices of that policy that switch it off.
        solves: Kinds of problems (`refused`, `missing`, `no_place`, `invalid`), globs of names, the rank for them.
    """

    name: str
    run: RepairFunction
    policy: str
    off: tuple[str, ...]
    solves: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])

    def rank(self, kind: str, names: tuple[str, ...]) -> int | None:
        """Return its lowest rank for a problem of these names; None if it does not solve it."""
        ranks = [
            rank
            for each_kind, globs, rank in self.solves
            if each_kind == kind and any(matches_any(name, globs) for name in names)
        ]
        return min(ranks, default=None)

    def is_off(self, policies: Policies) -> bool:
        """Return whether the policies switch it off."""
        return bool(self.policy) and policies.choice(self.policy) in self.off


_REPAIRS: dict[str, Repair] = {}


def repair(  # noqa: PLR0913  # one argument for each class of errors
    policy: str = "",
    *,
    name: str = "",
    refused: str = "",
    missing: str = "",
    no_place: str = "",
    invalid: str = "",
    rank: int = 50,
    off: str = "off",
) -> Callable[[RequestChange], RequestChange]:
    """Register a function that changes a request as a repair.

    A second decorator on the same function adds problems, for which it has another rank.

    Args:
        policy: The policy that decides about the repair.
        name: The name of the repair, if it is not that of the function.
        refused: Globs of the values that it replaces where a rule rejects them. The others are for fields that are
            missing, that have no place in the API, or that make no sense. `!` before a glob excludes it.
        missing: Globs of missing fields.
        no_place: Globs of fields and nodes without a place.
        invalid: Globs of fields that are invalid for every API.
        rank: Repairs of a lower rank are tried first.
        off: The choices of the policy that switch the repair off.
    """
    rows = (("refused", refused), ("missing", missing), ("no_place", no_place), ("invalid", invalid))

    def register(change: RequestChange) -> RequestChange:
        @wraps(change)
        def run(request: Request, context: RepairContext) -> tuple[Request, tuple[Note, ...]]:
            log = EditLog(context, policy, request)
            return (request, ()) if log.choice in own.off else log.result(change(request, log))

        called = name or change.__name__
        own = _REPAIRS.setdefault(called, Repair(called, run, policy, tuple(off.split())))
        own.solves += [(kind, globs, rank) for kind, globs in rows if globs]
        return change

    return register


@cache
def repairs() -> Mapping[str, Repair]:
    """Return all repairs by name. The first call imports the modules that register them."""
    for subject in _SUBJECTS:
        import_module(f".{subject}", __package__)
    return _REPAIRS


def repair_named(name: str, policies: Policies) -> RepairFunction:
    """Return the repair of a name, or the function that the policies or the rule of a plugin have.

    Raises:
        PolicyError: there is no repair of this name.
    """
    own: Any = policies.fixes.get(name)
    if callable(own):
        return cast("RepairFunction", own)
    known = repairs().get(name)
    if known is not None:
        return known.run
    module, _, function = name.partition(":")
    if not function:
        raise PolicyError(f'"{name}" is not a repair; use one of {", ".join(repairs())}, or a function')
    return cast("RepairFunction", getattr(import_module(module), function))


def candidates(error: RequestError, policies: Policies, *, drops: bool) -> Iterator[str]:
    """Yield the names of the repairs for a problem in the order in which they are tried.

    Args:
        error: The problem.
        policies: The policies of the build.
        drops: Whether meaning may be dropped.
    """
    own = next((name for name in (error.problem.rule, error.field) if name and name in policies.fixes), "")
    if own:
        yield own if callable(policies.fixes[own]) else policies.fixes[own]
        return
    for name in _suiting(error):
        known = repairs().get(name)
        if known is None or not known.is_off(policies):
            yield name
    yield from _last_resorts(error, drops=drops)


def _suiting(error: RequestError) -> tuple[str, ...]:
    """Return the repair that the rule of a problem names, else those that solve it."""
    if error.problem.fix or error.problem.no_repair:
        return (error.problem.fix.partition(": ")[0],) if error.problem.fix else ()
    found = _solving(error.what.replace(" ", "_"), names_of(error))
    return (
        found
        if _has_accepted_value(error.problem.condition)
        else tuple([name for name in found if name != "nearest"])
    )


@lru_cache(maxsize=4096)
def _solving(kind: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the repairs of a problem of these names, by rank."""
    ranked = [
        (rank, name) for name, each in repairs().items() if (rank := each.rank(kind, names)) is not None
    ]
    return tuple([name for _, name in sorted(ranked) if name != "drop"])


def _last_resorts(error: RequestError, *, drops: bool) -> Iterator[str]:
    """Yield what drops the field or the node of a problem, where that is allowed."""
    if isinstance(error, NoPlace):
        if _asks_for_text(error):
            # every API answers in text
            yield "drop"
        # a build itself drops fields without a place; rules must not see a node of which nothing is sent
        is_message = isinstance(error.node, Message)
        if drops and error.field in (spec_word(error.node), *(("role",) if is_message else ())):
            yield "omit"
        return
    if isinstance(error, InvalidRequest):
        return
    if drops and error.field in _COUNTS:
        yield "nearest"
    if drops or (not error.problem.no_repair and (error.problem.loss != "meaning" or _may_drop(error.field))):
        yield "drop"
    if drops:
        yield "omit"


def _may_drop(path: str) -> bool:
    """Return whether a rejected field is dropped where meaning may not be lost."""
    return repairs()["drop"].rank("refused", (without_filters(path),)) is not None


def _asks_for_text(error: RequestError) -> bool:
    """Return whether a value without a place asks for an answer in plain text."""
    if error.field == "modalities":
        return bool(error.value == ("text",))
    form: Any = error.value if error.field == "response_format" else error.node
    return kind_of(form) == "response_format" and form.kind == "text"


def names_of(error: RequestError) -> tuple[str, ...]:
    """Return the names of a problem, which the globs of repairs match.

    A rejected value has the path of its rule, without what stands in brackets: `tools.name`. A part that is rejected
    for its kind also has the kind: `assistant.part`, `assistant.part.image`.

    Other problems have the kind of the node and the field: `tool_call.id`. A field of the request or of its options
    stands alone: `max_tokens`. A part or tool without a place has its kind, and after `tool.` or `assistant.` if it is
    inside a result or in an answer that does not take it: `image`, `tool.image`. A message has its role: `tool.role`.
    """
    node, path = error.node, error.field
    if isinstance(error, Refused):
        path = without_filters(path)
        return (path, f"{path}.{kind_of(node)}") if path.rpartition(".")[2] == "part" else (path,)
    kind = kind_of(node)
    if isinstance(error, NoPlace):
        if path.startswith(("vendor.", "extra.")):
            # only the caller knows what an option of one API stands for
            return ()
        if path in (spec_word(node), kind, *_WHOLE.get(class_of(node), ())) and kind != "tool_choice":
            return _names_of_whole(error, kind)
        if isinstance(node, Message) and path == "role":
            return (f"{node.role}.role",)
    return (path,) if kind in ("request", "options", "none_type") else (f"{kind}.{path}",)


def _names_of_whole(error: RequestError, kind: str) -> tuple[str, ...]:
    """Return the names of a part or tool without a place."""
    names = [kind]
    if error.problem.guard:
        names.append(f"{kind}.{error.problem.guard}")
    is_inside = error.path.count(".parts[") > 1
    if is_inside or error.problem.role == "assistant":
        place = "tool" if is_inside else "assistant"
        names.append(f"{place}.{kind}")
        if _is_text(error.node):
            names.append(f"{place}.{kind}.text")
    return tuple(names)


def _is_text(node: object) -> bool:
    """Return whether a sound or a document has its words as text."""
    if isinstance(node, Audio):
        return node.transcript is not None
    return isinstance(node, Document) and node.text is not None


def without_filters(path: str) -> str:
    """Return the path of a rule without what stands in brackets: `tools.name` of `tools[type=mcp].name`."""
    head, _, rest = path.partition("[")
    return head + rest.rpartition("]")[2]


def _has_accepted_value(condition: FieldCondition | None) -> bool:
    """Return whether a condition says which values are accepted, of which one is the nearest."""
    return isinstance(condition, (Compared, LengthCompared, OneOf))


def why_not(error: RequestError) -> str:
    """Return why no repair keeps the meaning of a rejected value; empty where a repair is known."""
    return _reason(error.problem, error.field) if isinstance(error, Refused) else ""


def _reason(rule: Rule | Problem, path: str) -> str:
    if rule.fix or rule.no_repair:
        return rule.no_repair
    path = without_filters(path)
    return next((why for globs, why in NO_REPAIR.items() if matches_any(path, globs)), "")


def usual_repair(rule: Rule, condition: FieldCondition) -> tuple[str, str]:
    """Return the first repair for a condition of a rule, and why none is right where there is none."""
    path = condition.path.text
    if rule.fix or rule.no_repair:
        return rule.fix, rule.no_repair
    found = _solving("refused", (without_filters(path),))
    chosen = next((name for name in found if name != "nearest" or _has_accepted_value(condition)), "")
    chosen = chosen or ("drop" if _may_drop(path) else "")
    return chosen, "" if chosen else _reason(rule, path)


_DROPPED = "left out, with a note"
# a repair -> what a build does
_DOES = {
    "drop": _DROPPED,
    "omit": _DROPPED,
    "nearest": "set to the nearest value, with a note",
    "set": "set to a documented value, with a note",
    "rename": "spelled otherwise, with a note",
}
# what is wrong -> what `verbatim` does
_VERBATIM = {"refused": "sent", "no place": _DROPPED, "missing": _DROPPED, "invalid": "error"}


def with_outcomes(error: RequestError) -> Problem:
    """Return the problem of an error, with what each preset does about it.

    Where a repair has no effect, the build raises the error.
    """
    problem = error.problem
    noted = problem.what == "no place" and problem.loss != "meaning"
    outcomes = {"strict": "error"}
    for preset, policies in (("portable", PORTABLE), ("lenient", LENIENT)):
        drops = preset == "lenient"
        name = next(candidates(error, policies, drops=drops), "")
        why = why_not(error)
        left_out = noted or (drops and problem.what == "no place")
        usual = _DROPPED if left_out else f"error: {why}" if why else "error"
        outcomes[preset] = _DOES.get(name, f"repaired ({name}), with a note") if name else usual
    problem.outcomes = {**outcomes, "verbatim": _VERBATIM[problem.what]}
    return problem
