"""The accepted value nearest to a rejected one: a limit, a level of effort, entries of a list, a reasoning setting."""

from __future__ import annotations

from promptwire_text.conditions import is_number

from ..model.options import ReasoningOptions
from ..nodes.records import replace
from ..rules.nearest_values import nearest_step
from ..typed import TYPE_CHECKING
from .changes import Changes, because
from .registry import repair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..errors import RequestError
    from ..model.options import ReasoningOptions
    from ..model.request import Request
    from ..rules.profile import Profile
    from .changes import EditLog
    from .edits import RepairContext

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
    if name == "budget" and is_number(value) and (value < 0 or is_off(node)):
        # no number says that the model decides how much it thinks, or that it does not think
        return None
    field = "" if condition is None else condition.path.text
    if field == f"reasoning.{name}":
        # what one rule accepts, another may not
        return context.profile.nearest(field, value, request)
    return nearest_step(value, name, condition, request, context.wire.name)


# effort -> budget in tokens, as Google's OpenAI-compatible API converts them (ai.google.dev/gemini-api/docs/openai,
# 2026-09); the levels that it does not have are below and above
BUDGETS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 32768, "max": 32768}
_STEPS = sorted({*BUDGETS.values()}, reverse=True)
_USUAL = "medium"
_SAYING = ("mode", "effort", "budget")


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
    profile = context.profile
    known = _refused(request, profile)
    for settings in _settings(given, request) if log.choice == "nearest" else ():
        made = replace(given, **settings)
        if profile.lost_setting(made):
            continue
        changed = replace(request, reasoning=made)
        if all(path in known and not _is_about(path) for path in _refused(changed, profile)):
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
    for _, error in changes.log.asked:
        name = error.field.rpartition(".")[2]
        if name == "kind":
            name = "budget" if getattr(given, "mode", None) is None else "mode"
        if getattr(given, name, None) is not None:
            changes.set(given, name, None, error.reason.removeprefix(f"{error.field}: "))


def _settings(given: ReasoningOptions, request: Request) -> Iterator[dict[str, Any]]:
    """Yield other settings that say as much as the given ones, the nearest first."""
    nothing: dict[str, Any] = dict.fromkeys(_SAYING)
    if is_off(given):
        yield nothing | {"mode": "disabled"}
        yield nothing | {"effort": "none"}
        yield nothing | {"budget": 0}
        return
    if given.effort == "none":
        # the mode, which turns thinking on, decides
        given = replace(given, effort=None)
        yield {"mode": given.mode, "effort": None}
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


def _refused(request: Request, profile: Profile) -> set[str]:
    """Return the paths whose values rules reject because of the settings of reasoning."""
    return {check.condition.path.text for check in profile.problems(request, "reasoning")}


def _is_about(path: str) -> bool:
    """Return whether a path is that of one of the settings that are changed."""
    return path.startswith("reasoning") and path.rpartition(".")[2] in (*_SAYING, "kind")


def _shown(given: ReasoningOptions) -> str:
    said = [(name, getattr(given, name)) for name in _SAYING]
    return ", ".join(f"{name} {value}" for name, value in said if value is not None)


def _changed(given: ReasoningOptions, made: ReasoningOptions) -> list[str]:
    """Return the settings that are sent otherwise; what is only added is no change of them."""
    changed = [name for name in _SAYING if getattr(given, name) != getattr(made, name)]
    return [name for name in changed if getattr(given, name) is not None] or changed[:1]
