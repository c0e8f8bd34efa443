"""Places in JSON values: of an element, of a value that JSON cannot hold, and where two values differ."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from .kinds import is_list, is_mapping, is_object

# as deep as a place is worth naming; the writer gives up not far below
_DEEP = 200
_SHOWN = 60
_BARE = re.compile(r"[A-Za-z_][\w-]*")


def unwritable(body: Any) -> tuple[str, str] | None:
    """Find the first value that JSON cannot hold: its place in the body (`tools[2].parameters.default`), and why."""
    return next(_inside(body, "", ()), None)


def _inside(value: Any, place: str, around: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    here = (*around, id(value))
    if id(value) in around:
        yield place, "it holds itself"
    elif len(around) > _DEEP:
        yield f"{place[:_SHOWN]}...", "it is nested too deep"
    elif is_mapping(value):
        for key, item in value.items():
            below = _below(place, key)
            why = _key_trouble(key)
            yield from [(below, why)] if why else _inside(item, below, here)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(cast("Iterable[Any]", value)):
            yield from _inside(item, f"{place}[{index}]", here)
    elif (why := _trouble(value)) is not None:
        yield place, why


def _below(place: str, key: object) -> str:
    if isinstance(key, str) and _BARE.fullmatch(key):
        return f"{place}.{key}" if place else key
    return f"{place}[{key!a:.40}]" if isinstance(key, (str, int, float)) else f"{place}[...]"


def _trouble(value: object) -> str | None:
    if isinstance(value, str):
        return _text_trouble(value)
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{value!r} is not a JSON number"
    if isinstance(value, int):
        return _digits_trouble(value)
    return None if value is None else f"{type(value).__name__} is not JSON"


def _digits_trouble(number: int) -> str | None:
    try:
        int.__repr__(number)
    except ValueError:
        return "the number has more digits than Python agrees to write"
    return None


def _text_trouble(text: str) -> str | None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"the text has half a character ({text[error.start]!a} at {error.start})"
    return None


def _key_trouble(key: object) -> str | None:
    if isinstance(key, str):
        return _text_trouble(key)
    known = key is None or isinstance(key, (int, float))
    return _trouble(key) if known else f"a key of the type {type(key).__name__} is not JSON"


Path: TypeAlias = tuple[str | int, ...]
_NOTHING = "nothing"
_MOST_LETTERS = 60


class DifferingValues(NamedTuple):
    """A place where two JSON values differ, with both as short JSON, or `nothing`."""

    path: Path
    expected: str
    got: str


def differences(expected: Any, got: Any, path: Path = ()) -> Iterator[DifferingValues]:
    """Yield the places where two JSON values differ; types of numbers count, the order of keys does not."""
    if is_object(expected) and is_object(got):
        for key in {**expected, **got}:
            if key not in got:
                yield DifferingValues((*path, key), short(expected[key]), _NOTHING)
            elif key not in expected:
                yield DifferingValues((*path, key), _NOTHING, short(got[key]))
            else:
                yield from differences(expected[key], got[key], (*path, key))
    elif is_list(expected) and is_list(got):
        for index, (wanted, value) in enumerate(zip(expected, got, strict=False)):
            yield from differences(wanted, value, (*path, index))
        shared = min(len(expected), len(got))
        if len(expected) != len(got):
            wanted, value = [
                short(side[shared]) if len(side) > shared else _NOTHING for side in (expected, got)
            ]
            yield DifferingValues((*path, shared), wanted, value)
    elif type(expected) is not type(got) or expected != got:
        yield DifferingValues(path, short(expected), short(got))


def short(value: Any) -> str:
    """Return a value as JSON text, cut to 60 characters."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _SHOWN - 3]}..."


Steps: TypeAlias = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def path_text(steps: Sequence[str | int]) -> str:
    """Write keys and indexes as one path; a key that is not a word is written in brackets."""
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
    """Find elements of a body: the identity of each -> its first place.

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
