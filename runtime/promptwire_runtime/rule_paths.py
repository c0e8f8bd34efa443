"""The values behind a rule's paths, such as `temperature`, `reasoning.effort`, `user.text.citations`."""

from __future__ import annotations

from .options import OPTION_NAMES
from .places import path_of
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .request import Request

_ACCESSORS: dict[str, Callable[[Request], list[Any]]] = {}


def kind_of(node: object) -> str:
    """Name the kind of a node in the spec's words: its class in snake case."""
    name = type(node).__name__
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name))


_TOOL_KINDS = {"tool": "function", "custom_tool": "custom", "tool_group": "group", "hosted_tool": "hosted"}


def spec_word(node: object) -> str:
    """Name a node as specs do: a tool by its kind in `unions.tool`, anything else by its class."""
    kind = kind_of(node)
    return _TOOL_KINDS.get(kind, kind)


def head(entry: str) -> str:
    """The first word of a path or entry: `reasoning` of `reasoning.effort=max`."""
    return entry.partition("=")[0].partition(".")[0]


def accessor(path: str) -> Callable[[Request], list[Any]]:
    """Give the function that finds the values of a path which does not go into the messages."""
    found = _ACCESSORS.get(path)
    if found is None:
        found = _ACCESSORS[path] = _accessor(path)
    return found


def _accessor(path: str) -> Callable[[Request], list[Any]]:
    first, _, tail = path.partition(".")
    if first in OPTION_NAMES:
        return lambda request: _given([getattr(request.options, first)])
    if first == "tool":
        return lambda request: [spec_word(tool) for tool in request.tools or ()]
    if first == "tools" and tail == "kind":
        return lambda request: [kind_of(tool) for tool in request.tools or ()]
    if first == "tools" and tail:
        return lambda request: _given([getattr(tool, tail, None) for tool in request.tools or ()])
    if first == "last_message" and tail == "part":
        return lambda request: [kind_of(part) for message in request.messages[-1:] for part in message.parts]
    if first == "last_message" and tail.startswith("vendor."):
        return lambda request: _given(
            [given.get(tail[7:]) for last in request.messages[-1:] for given in (last.vendor or {}).values()]
        )
    if first == "last_message":
        return lambda request: _given([getattr(message, tail, None) for message in request.messages[-1:]])
    if first == "vendor":
        return lambda request: _given([options.get(tail) for options in (request.vendor or {}).values()])
    if tail:
        return lambda request: _given([getattr(getattr(request, first, None), tail, None)])
    return lambda request: [value] if (value := getattr(request, first, None)) not in (None, ()) else []


def watched_values(request: Request, path: str, watched: list[Any]) -> list[Any]:
    """Find the values of a path into the messages among the nodes that builders pointed out."""
    first, *rest = path.split(".")
    if first == "message":
        return _given([getattr(node, rest[0], None) for node in watched if hasattr(node, "role")])
    if first == "cache":
        marks = [getattr(node, "cache", None) for node in (*watched, request)]
        return _given([getattr(mark, rest[0], None) for mark in marks])
    parts = [node for node in watched if not hasattr(node, "role")]
    if first == "part":
        return [kind_of(part) for part in parts]
    parts = [part for part in parts if _role_of(request, part) == first]
    if rest == ["part"]:
        return [kind_of(part) for part in parts]
    if len(rest) == 2:
        parts = [part for part in parts if kind_of(part) == rest[0]]
    return _given([getattr(part, rest[-1], None) for part in parts])


def _role_of(request: Request, part: object) -> str | None:
    path = path_of(request, part)
    if not path.startswith("messages["):
        return None
    return request.messages[int(path[len("messages[") : path.index("]")])].role


def _given(values: list[Any]) -> list[Any]:
    return [value for value in values if value is not None]
