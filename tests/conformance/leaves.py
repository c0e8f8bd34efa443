"""Which leaves of a request are neither in a body nor named by a note: what a build lost in silence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from promptwire import Built, Request
from tests.laws.marks import PICKING
from tests.laws.traces import Names, init_fields, named, walk

# what a read request remembers of its wire, and what another wire has no use for
_MEMORY = ("kept", "provenance")
# written as other words or as another key; that each of them leaves a trace is shown field by field
_OTHERWISE = ("must", "parallel", "is_error", "media_type", "is_plain", "fast_path")


def silent(request: Request, built: Built[Any]) -> list[str]:
    """Return the paths of all texts, numbers and bools that are neither sent nor named.

    A value counts as sent when the body holds it anywhere: as a leaf or key, inside a text, or inside JSON text.
    """
    sent = _Sent(built)
    names = Names(request, named(built))
    return [
        path
        for path, value in leaves(request)
        if not sent.holds(value) and not names.cover(path) and not names.cover(path.rpartition(".")[0])
    ]


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every text, number and bool of a node with its path; memory and words that are written otherwise aside."""
    kind: Any = type(node)
    names = _fields(kind)
    if names:
        for name in names:
            yield from leaves(getattr(node, name), f"{path}.{name}" if path else name)
    elif isinstance(node, (tuple, list)):
        for index, item in enumerate(node):
            yield from leaves(item, f"{path}[{index}]")
    elif isinstance(node, dict):
        for key, item in node.items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(node, str):
        yield from _of_text(node, path)
    elif node is not None:
        yield path, node


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """List the fields of a class that hold what is sent."""
    passed = (*_MEMORY, *_OTHERWISE)
    return tuple(
        [name for name in init_fields(kind) if name not in passed and (kind.__name__, name) not in PICKING]
    )


def _of_text(text: str, path: str) -> Iterator[tuple[str, Any]]:
    """Yield text as it is; JSON text of a call's arguments as the leaves that an object of it would have."""
    if path.endswith(".arguments"):
        try:
            yield from leaves(json.loads(text), path)
        except ValueError:
            yield path, text
    elif text:
        yield path, text


class _Sent:
    """Everything that is sent, for looking up values."""

    def __init__(self, built: Built[Any]) -> None:
        body = json.loads(built.json())
        address = [] if built.local else [unquote(built.url), *map(unquote, built.headers.values())]
        found = [*(str(value) for _, value in _json_leaves(body)), *address]
        if built.request.stream is not None and _url_streams(built):
            found.append(str(built.request.stream))
        # several JSON values of one result are joined by a blank line
        texts = [piece for text in found for piece in {text, *text.split("\n\n")}]
        inner = [each for text in texts if text[:1] in "{[" for each in _inside(text)]
        self._values = {*found, *inner}
        self._text = "\n".join([*found, *inner])
        self._text += f"\n{self._text.lower()}"

    def holds(self, value: Any) -> bool:
        if isinstance(value, str):
            return value in self._text
        return str(value) in self._values or (
            isinstance(value, float) and value.is_integer() and str(int(value)) in self._values
        )


def _url_streams(built: Built[Any]) -> bool:
    """Return whether another address asks for a stream."""
    return any(streams is not None for _, streams, _ in built.wire.urls)


def _inside(text: str) -> list[str]:
    try:
        return [str(value) for _, value in _json_leaves(json.loads(text))]
    except ValueError:
        return []


def _json_leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all scalars and keys of a JSON value."""
    for path, each in walk(value):
        if isinstance(each, dict):
            yield from ((path, key) for key in each)
        elif not isinstance(each, list):
            yield path, each
