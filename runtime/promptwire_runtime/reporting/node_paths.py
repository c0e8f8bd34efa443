"""Find the paths of nodes in a Request, for errors, notes and rules."""

from __future__ import annotations

from ..model.request import Request
from ..nodes.records import fields, is_node
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeGuard

# class of a node -> its fields that may hold nodes
_LISTS: dict[type, tuple[str, ...]] = {}


def holds_nodes(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Return whether a field's value is a list of nodes, which is always a tuple."""
    return isinstance(value, tuple)


def places_of(request: Request) -> dict[int, list[str]]:
    """Return identity of a node -> its paths, such as `messages[2].parts[0]`; several if the node occurs repeatedly."""
    places: dict[int, list[str]] = {}
    for path, node in _walk(request):
        places.setdefault(id(node), []).append(path)
    return places


def nodes_of(request: Request) -> dict[str, object]:
    """Return path -> node; the path of the request itself is empty."""
    return {"": request, **dict(_walk(request))}


def owner_of(request: Request, value: object) -> tuple[object, str]:
    """Return the node and field that hold a value, compared by identity; None and an empty string if none does."""
    for node in (*[node for _, node in _walk(request)], request):
        for field in fields(node) if is_node(node) else ():
            if getattr(node, field.name) is value:
                return node, field.name
    return None, ""


def _walk(request: Request) -> Iterator[tuple[str, object]]:
    if holds_nodes(request.instructions):
        yield from _indexed("instructions", request.instructions)
    for name in ("tools", "messages"):
        nodes = getattr(request, name, None)
        if holds_nodes(nodes):
            yield from _indexed(name, nodes)
    for name in ("tool_choice", "response_format", "reasoning", "continuation", "options", "cache"):
        yield name, getattr(request, name)


def _indexed(path: str, nodes: tuple[Any, ...]) -> Iterator[tuple[str, object]]:
    for index, node in enumerate(nodes):
        own = f"{path}[{index}]"
        yield own, node
        for below in lists_of(node.__class__):
            children = getattr(node, below, None)
            if children and holds_nodes(children):
                yield from _indexed(f"{own}.{below}", children)


def lists_of(kind: type) -> tuple[str, ...]:
    """Return the fields of a class of nodes that may hold nodes. Asking a node for a field that it lacks is slow."""
    lists = _LISTS.get(kind)
    if lists is None:
        lists = _LISTS[kind] = tuple([name for name in ("parts", "tools") if hasattr(kind, name)])
    return lists
