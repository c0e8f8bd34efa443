"""The value nearest to a rejected one: a limit, a level of effort, a mode, a shorter list or text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from promptwire_text.conditions import is_number

from ..predicates.conditions import Compared, LengthCompared, OtherThan
from .paths import values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.request import Request
    from ..predicates.conditions import FieldCondition

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The levels of effort, from the least to the most."""

# a mode of tool choice -> the modes that are nearest to it
_MODES = {
    "several": ("required", "auto"),
    "named": ("required",),
    "custom": ("required",),
    "hosted": ("auto",),
}


def nearest_step(
    value: Any, field: str, condition: FieldCondition | None, request: Request, wire: str
) -> Any:
    """Return the value nearest to one that a condition rejects, which other conditions may reject; None for none."""
    if isinstance(condition, Compared):
        return _within_bound(value, field, condition, request, wire)
    if isinstance(condition, LengthCompared):
        too_long = condition.operator.endswith(">") and isinstance(value, str)
        return str(value)[: condition.bound] if too_long else None
    return _only_word(value, condition) if isinstance(condition, OtherThan) else None


def nearest_word(value: Any, field: str, is_taken: Callable[[str], bool]) -> str | None:
    """Return the word that says most of another: the next level of effort down, else up; a mode of tool choice."""
    if field == "reasoning.effort" and value in EFFORTS[1:]:
        place = EFFORTS.index(value)
        # no level is near to none, which turns reasoning off
        levels = (*reversed(EFFORTS[1:place]), *EFFORTS[place + 1 :])
        return next((level for level in levels if is_taken(level)), None)
    if field == "tool_choice.mode" and value in _MODES:
        return next((mode for mode in _MODES[value] if is_taken(mode)), None)
    return None


def _within_bound(value: Any, field: str, condition: Compared, request: Request, wire: str) -> Any:
    """Return the number nearest to a value that is beyond a bound, or the list without what is too much."""
    bounds = [condition.bound] if condition.other is None else values_of(condition.other, request, wire)
    numbers = [bound for bound in bounds if is_number(bound)]
    if not numbers:
        return None
    if condition.path.tail == "count":
        return _shortened(value, int(numbers[0]), last=field == "messages")
    return _clamped(value, condition.operator, numbers[0]) if is_number(value) else None


def _shortened(value: Any, count: int, *, last: bool) -> Any:
    """Return a list or mapping with its first elements, or its last ones."""
    if isinstance(value, (list, tuple)):
        items: tuple[Any, ...] = tuple(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return (items[-count:] if last else items[:count]) if count else None
    if isinstance(value, dict):
        return dict(list(cast("dict[str, Any]", value).items())[:count])
    return None


def _clamped(value: float, operator: str, bound: float) -> float | None:
    """Return the number nearest to a value that is not `operator` the bound."""
    # a field with a bound such as 0.99 takes fractions
    whole = isinstance(value, int) and float(bound).is_integer()
    if not operator.endswith("="):
        return int(bound) if whole else bound
    if not whole:  # no number is the nearest one beside a bound
        return None
    return int(bound) + (-1 if operator == ">=" else 1)


def _only_word(value: Any, condition: OtherThan) -> Any:
    """Return the only word that a condition accepts, or the nearest of its numbers."""
    words = tuple(condition.words)
    if isinstance(value, str):
        return words[0] if len(words) == 1 and not condition.means(words[0]) else None
    if not is_number(value):
        return None
    numbers = [float(word) for word in words if _is_numeral(word)]
    best = min(numbers, key=lambda number: abs(number - float(value)), default=None)
    return int(best) if best is not None and isinstance(value, int) else best


def _is_numeral(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
