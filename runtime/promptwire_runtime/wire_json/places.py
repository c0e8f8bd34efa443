"""Places in a JSON value: found by the identity of an element, and written as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from .kinds import is_list, is_object

Steps: TypeAlias = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def path_text(steps: Sequence[str | int]) -> str:
    """Write keys and indexes as one path; a key that is no word stands in brackets."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


def places_of_elements(body: Any, elements: Iterable[Any]) -> dict[int, Steps]:
    """Find elements of a body: the identity of each -> the first place where it stands.

    Equal texts and numbers may be one value: such an element has a place only if it stands nowhere else.
    """
    elements = list(elements)
    wanted = {id(element) for element in elements}
    are_alone = all(is_object(element) or is_list(element) for element in elements)
    places: dict[int, Steps] = {}
    several: set[int] = set()
    stack: list[tuple[Steps, Any]] = [((), body)]
    while stack and not (are_alone and len(places) == len(wanted)):
        steps, value = stack.pop()
        holds = is_object(value) or is_list(value)
        if id(value) in wanted:
            if id(value) in places and not holds:
                several.add(id(value))
            places.setdefault(id(value), steps)
        if is_object(value):
            stack += [((*steps, key), inner) for key, inner in reversed(value.items())]
        elif is_list(value):
            stack += [((*steps, index), value[index]) for index in range(len(value) - 1, -1, -1)]
    return {element: steps for element, steps in places.items() if element not in several}
