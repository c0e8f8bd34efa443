"""The accepted value nearest to a rejected one: a limit, the next level of effort, the first entries of a list."""

from __future__ import annotations

from math import ceil, floor

from ..model.options import ReasoningOptions
from ..nodes.records import replace
from ..predicates.conditions import Compared, LengthCompared, OneOf, OtherThan, is_number
from ..rules.paths import values_of
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..errors import RequestError
    from ..model.request import Request
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
    condition, value = error.condition, getattr(node, name)
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
        return value[: condition.bound] if too_long else None
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
