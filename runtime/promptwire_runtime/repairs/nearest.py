"""The accepted value nearest to a rejected one: a limit, a level of effort, entries of a list, a reasoning setting."""

from __future__ import annotations

from math import ceil, floor

from promptwire_text.conditions import is_number

from ..model.options import ReasoningOptions
from ..model.parts import Text
from ..model.request import Message
from ..nodes.records import replace
from ..predicates.conditions import Compared, LengthCompared, OneOf, OtherThan
from ..rules.paths import values_of
from ..typed import TYPE_CHECKING
from .changes import Changes, because
from .registry import repair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..errors import RequestError
    from ..model.options import ReasoningOptions
    from ..model.request import Request
    from .changes import EditLog
    from .edits import RepairContext

# levels of effort, from the least to the most
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
# a mode -> the modes that are nearest to it
_MODES = {
    "several": ("required", "auto"),
    "named": ("required",),
    "custom": ("required",),
    "hosted": ("auto",),
}
# modes in which a model does not think
_OFF = ("disabled", "none", "off")
# the value nearest to a negative limit of tokens, which local servers take as none
LEFT_OUT = object()


def nearest_value(request: Request, node: Any, name: str, error: RequestError, context: RepairContext) -> Any:
    """Return the value nearest to the rejected one; None if there is none.

    No value turns thinking on that is off, or off that is on.
    """
    found = _nearest(request, node, name, error, context)
    if found is not None and isinstance(node, ReasoningOptions):
        return found if is_off(replace(node, **{name: found})) == is_off(node) else None
    return found


def is_off(given: ReasoningOptions) -> bool:
    """Return whether settings turn thinking off. A mode decides before an effort or a budget."""
    if given.mode is not None:
        return given.mode in _OFF
    return given.effort == "none" or given.budget == 0


def _nearest(request: Request, node: Any, name: str, error: RequestError, context: RepairContext) -> Any:
    condition, value = error.problem.condition, getattr(node, name)
    if name == "max_tokens" and is_number(value) and value < 0:
        return LEFT_OUT
    if name == "budget" and is_number(value) and value < 0:
        # the model decides how much it thinks, which no number says
        return None
    if isinstance(condition, Compared):
        bounds: list[Any] = (
            [condition.bound]
            if condition.other is None
            else values_of(condition.other, request, context.wire.name)
        )
        numbers = [bound for bound in bounds if is_number(bound)]
        if not numbers:
            return None
        if condition.path.tail == "count":
            return _shortened(value, numbers[0], last=name == "messages")
        return _clamped(value, condition.operator, numbers[0]) if is_number(value) else None
    if isinstance(condition, LengthCompared):
        too_long = condition.operator.endswith(">") and isinstance(value, str)
        return str(value)[: condition.bound] if too_long else None
    if isinstance(condition, OneOf):
        return _nearest_word(value, name, condition)
    return None


def _shortened(value: Any, bound: float, *, last: bool) -> Any:
    """Return a list or mapping with its first elements, or its last ones."""
    count = int(bound)
    if isinstance(value, (list, tuple)):
        return tuple(value[-count:] if last else value[:count]) if count else None  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, dict):
        return dict(list(value.items())[:count])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return None


def _clamped(value: float, operator: str, bound: float) -> float | None:
    """Return the number nearest to a value that is not `operator` the bound."""
    whole = isinstance(value, int)
    if not operator.endswith("="):
        if not whole:
            return bound
        return floor(bound) if operator == ">" else ceil(bound)
    if not whole:  # no number is the nearest one beside a bound
        return None
    return ceil(bound) - 1 if operator == ">=" else floor(bound) + 1


def _nearest_word(value: Any, name: str, condition: OneOf) -> Any:
    """Return the nearest word: the next level of effort down, else up; the mode that says most of another."""

    def is_taken(word: object) -> bool:
        return not condition.means(word)

    if name == "effort" and value in _EFFORTS:
        place = _EFFORTS.index(value)
        levels = (*reversed(_EFFORTS[1:place]), *_EFFORTS[place + 1 :])
        return next((level for level in levels if is_taken(level)), None)
    if name == "mode" and value in _MODES:
        return next((mode for mode in _MODES[value] if is_taken(mode)), None)
    words = tuple(condition.words) if isinstance(condition, OtherThan) else ()
    if isinstance(value, str) and len(words) == 1 and is_taken(words[0]):
        # the only one
        return words[0]
    if is_number(value) and isinstance(condition, OtherThan):
        numbers = [float(word) for word in condition.words if _is_numeral(word)]
        wanted = float(value)
        best = min(numbers, key=lambda number: abs(number - wanted), default=None)
        return int(best) if best is not None and isinstance(value, int) else best
    return None


def _is_numeral(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


# effort -> budget in tokens, as Google's OpenAI-compatible API converts them (ai.google.dev/gemini-api/docs/openai,
# 2026-09); the levels that it does not have are below and above
BUDGETS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 32768, "max": 32768}
_STEPS = sorted({*BUDGETS.values()}, reverse=True)
_USUAL = "medium"
_SAYING = ("mode", "effort", "budget")
_SHORT = (Message("user", (Text("?"),)),)


@repair(
    "reasoning",
    refused="reasoning.effort reasoning.budget reasoning.mode reasoning.kind",
    no_place="reasoning*.effort reasoning*.budget reasoning*.mode reasoning*.kind",
)
def nearest_reasoning(request: Request, log: EditLog) -> Request:
    """Return the request with the reasoning settings nearest to the rejected ones, or without these.

    Settings are nearest if they say as much: an effort and a budget stand for each other by one table, and so do
    modes. Thinking that is off stays off, and thinking that is on stays on. Settings that meet another problem are
    not taken. Under `reasoning="drop"`, none are looked for.
    """
    given, context = request.reasoning, log.context
    if given is None:
        return request
    known = _problems(request, context)
    # most settings are rejected whatever the messages are, which takes long to see where there are many
    short = replace(request, messages=_SHORT, continuation=None)
    for settings in _settings(given, request) if log.choice == "nearest" else ():
        made = replace(given, **settings)
        if any(map(_is_about, _problems(replace(short, reasoning=made), context))):
            continue
        changed = replace(request, reasoning=made)
        if all(problem in known and not _is_about(problem) for problem in _problems(changed, context)):
            shown = ", ".join(f"{name} {value}" for name, value in settings.items() if value is not None)
            why = f"{log.title} does not accept {_shown(given)}; sent as {shown}"
            for name in _changed(given, made):
                log.add("replaced", given, name, why)
            log.made(given, made)
            return changed
    changes = Changes(log)
    _drop(changes)
    return changes.applied()


def _drop(changes: Changes) -> None:
    """Drop the fields that the problems are about; all that turns thinking off goes together."""
    given = changes.request.reasoning
    if given is not None and is_off(given):
        # of two reasons, the one with a source says more
        asked = sorted([error for _, error in changes.log.asked], key=lambda error: bool(error.source))
        reasons = {error.field.rpartition(".")[2]: because(error) for error in asked}
        others = f"{changes.log.title} does not accept {_shown(given)}"
        for name in _SAYING:
            if getattr(given, name) is not None:
                changes.set(
                    given, name, None, f"{reasons.get(name, others)}; the model may think all the same"
                )
        return
    for node, error in changes.log.asked:
        name = error.field.rpartition(".")[2]
        owner = changes.request.reasoning if node is changes.request else node
        if name == "kind":
            name = "budget" if getattr(owner, "mode", None) is None else "mode"
        if getattr(owner, name, None) is not None:
            changes.set(owner, name, None, error.reason.removeprefix(f"{error.field}: "))


def _settings(given: ReasoningOptions, request: Request) -> Iterator[dict[str, Any]]:
    """Yield other settings that say as much as the given ones, the nearest first."""
    nothing: dict[str, Any] = dict.fromkeys(_SAYING)
    if is_off(given):
        yield nothing | {"mode": "disabled"}
        yield nothing | {"effort": "none"}
        yield nothing | {"budget": 0}
        return
    effort = given.effort or (_effort(given.budget) if given.budget is not None else _USUAL)
    budget = given.budget if given.budget is not None and given.budget > 0 else 0
    budget = budget or BUDGETS.get(effort, BUDGETS[_USUAL])
    most = request.options.max_tokens
    if most is not None:
        budget = min(budget, most * 4 // 5)  # the answer itself counts, too
    if given.effort is None:
        yield nothing | {"effort": effort}
    if given.mode != "adaptive":
        yield nothing | {"mode": "adaptive", "effort": effort}
    if given.mode != "enabled":
        yield nothing | {"mode": "enabled", "effort": effort}
    if budget > 0:
        yield nothing | {"budget": budget}
        yield nothing | {"mode": "enabled", "budget": budget}
        # the most that the model takes may be less
        yield from (nothing | {"budget": step} for step in _STEPS if step < budget)
    yield nothing | {"mode": "enabled"}
    yield nothing | {"mode": "adaptive"}
    if given.effort is None:
        yield from (nothing | {"effort": level} for level in ("high", "low"))


def _effort(budget: int) -> str:
    """Return the lowest level whose budget is at least a given one."""
    if budget < 0:  # the model decides
        return _USUAL
    return next((level for level in ("low", "medium", "high") if budget <= BUDGETS[level]), "high")


def _problems(request: Request, context: RepairContext) -> set[str]:
    """Return the places of a request's problems, however they divide them into a path and a field."""
    found: list[RequestError] = context.trial(request) if context.trial is not None else []
    return {f"{problem.path}.{problem.field}".removeprefix(".") for problem in found}


def _is_about(problem: str) -> bool:
    """Return whether a problem is about one of the settings that are changed."""
    return problem.startswith("reasoning") and problem.rpartition(".")[2] in (*_SAYING, "kind")


def _shown(given: ReasoningOptions) -> str:
    said = [(name, getattr(given, name)) for name in _SAYING]
    return ", ".join(f"{name} {value}" for name, value in said if value is not None)


def _changed(given: ReasoningOptions, made: ReasoningOptions) -> list[str]:
    """Return the settings that are sent otherwise; what is only added is no change of them."""
    changed = [name for name in _SAYING if getattr(given, name) != getattr(made, name)]
    return [name for name in changed if getattr(given, name) is not None] or changed[:1]
