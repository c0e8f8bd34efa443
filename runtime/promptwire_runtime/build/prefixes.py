"""Digests of the beginnings of a prompt that its cache marks end: equal digests mean that a cache can be read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..wire_json.kinds import is_list, is_object
from ..wire_json.places import path_text
from .encoding import encoded

# the keys of a part that is text and nothing else
_OF_BARE_TEXT = frozenset({"type", "text"})


@dataclass(frozen=True, slots=True)
class CachePrefix:
    """The beginning of a prompt up to one cache mark.

    Attributes:
        path: The place of the mark in the body; empty for a mark on the whole body.
        digest: SHA-256 of the model, and of tools, instructions and messages up to the mark, without any marks.
        bytes: How many bytes the keys and values up to the mark have; a part that is text alone counts as its text.
    """

    path: str
    digest: str
    bytes: int


def cache_prefixes(
    body: Any, model: str | None, places: Sequence[tuple[str, ...]], marks: frozenset[str]
) -> tuple[CachePrefix, ...]:
    """Return the prefixes that the marks of a body end, in the order in which the API reads them.

    Args:
        body: The body.
        model: The model: each has a cache of its own.
        places: The keys of tools, instructions and messages, in the order in which the API reads them.
        marks: The keys of cache marks.
    """
    prefixes: list[CachePrefix] = []
    digest, size = hashlib.sha256(encoded(model)), 0
    for event in _events(body, places, marks):
        if isinstance(event, bytes):
            digest.update(event)
            size += len(event)
        else:
            prefixes.append(CachePrefix(path_text(event), digest.hexdigest(), size))
    return tuple(prefixes)


def _events(
    body: Any, places: Sequence[tuple[str, ...]], marks: frozenset[str]
) -> Iterator[bytes | tuple[str | int, ...]]:
    """Yield the bytes of the prompt, and the place of each mark after the bytes that it ends."""
    for place in places:
        value = body
        for key in place:
            value = value.get(key) if is_object(value) else None
        if value is not None:
            yield encoded(place[-1])
            yield from _marked(value, place, marks)
    if marks & body.keys():
        yield ()


def _marked(
    value: Any, place: tuple[str | int, ...], marks: frozenset[str]
) -> Iterator[bytes | tuple[str | int, ...]]:
    if is_list(value):
        for index, inner in enumerate(value):
            yield from _marked(inner, (*place, index), marks)
    elif is_object(value):
        # marks stand in elements of lists; a schema may have a property of the same name
        in_list = isinstance(place[-1], int)
        found = marks & value.keys() if in_list else frozenset[str]()
        if in_list and type(value.get("text")) is str and value.keys() - found <= _OF_BARE_TEXT:
            # the same to the API as the text alone, which a message is without its mark
            yield encoded(value["text"])
        else:
            for key, inner in value.items():
                if key not in found:
                    yield encoded(key)
                    yield from _marked(inner, (*place, key), marks)
        if found:
            yield place
    else:
        yield encoded(value)
