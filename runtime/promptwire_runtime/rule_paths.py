"""The values behind a rule's paths, such as `temperature`, `reasoning.effort`, `user.text.citations`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .places import path_of

if TYPE_CHECKING:
    from .request import Request


def kind_of(node: object) -> str:
    """Name the kind of a node in the spec's words: its class in snake case."""
    name = type(node).__name__
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name))


_TOOL_KINDS = {"tool": "function", "custom_tool": "custom", "tool_group": "group", "hosted_tool": "hosted"}


def spec_word(node: object) -> str:
    """Name a node as specs do: a tool by its kind in `unions.tool`, anything else by its class."""
    kind = kind_of(node)
    return _TOOL_KINDS.get(kind, kind)


def request_values(request: Request, entry: str) -> list[Any]:
    """Find the values of a path that does not go into the messages."""
    path = entry.partition("=")[0]
    head, _, tail = path.partition(".")
    if head in request.options.__slots__:
        return _given([getattr(request.options, head)])
    if head == "tool":
        return [_TOOL_KINDS.get(kind_of(tool), kind_of(tool)) for tool in request.tools or ()]
    if head == "tools" and tail:
        if tail == "kind":
            return [kind_of(tool) for tool in request.tools or ()]
        return _given([getattr(tool, tail, None) for tool in request.tools or ()])
    if head == "last_message":
        last = request.messages[-1:]
        if tail == "part":
            return [kind_of(part) for message in last for part in message.parts]
        return _given([getattr(message, tail, None) for message in last])
    if head == "vendor":
        return _given([options.get(tail) for options in (request.vendor or {}).values()])
    value = getattr(request, head, None)
    if value is None or value == ():
        return []
    return _given([getattr(value, tail, None)]) if tail else [value]


def watched_values(request: Request, path: str, watched: list[Any]) -> list[Any]:
    """Find the values of a path into the messages among the nodes that builders pointed out."""
    head, *rest = path.split(".")
    if head == "message":
        return _given([getattr(node, rest[0], None) for node in watched if hasattr(node, "role")])
    if head == "cache":
        marks = [getattr(node, "cache", None) for node in (*watched, request)]
        return _given([getattr(mark, rest[0], None) for mark in marks])
    parts = [node for node in watched if not hasattr(node, "role")]
    if head == "part":
        return [kind_of(part) for part in parts]
    parts = [part for part in parts if _role_of(request, part) == head]
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
