"""Digests of the beginnings of a prompt that its cache marks end: equal digests mean that a cache can be read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record
from ..wire_json.kinds import is_list, is_object
from ..wire_json.places import path_text
from .encoding import encoded


@dataclass(frozen=True, repr=True)
class CachePrefix(Record):
    """The beginning of a prompt up to one cache mark.

    Attributes:
        path: The place of the mark in the body; empty for a mark on the whole body.
        digest: SHA-256 of the model, and of tools, instructions and messages up to the mark, without any marks.
        bytes: How many bytes the keys and values up to the mark have.
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
        found = marks & value.keys() if isinstance(place[-1], int) else frozenset[str]()
        for key, inner in value.items():
            if key not in found:
                yield encoded(key)
                yield from _marked(inner, (*place, key), marks)
        if found:
            yield place
    else:
        yield encoded(value)
