"""The place of a value that JSON cannot hold: searched only after writing has failed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from .kinds import is_mapping

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
