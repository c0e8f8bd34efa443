"""Where the nodes of a Request stand, found out when an error, a note or a rule asks."""

from __future__ import annotations

from ..model.request import Request
from ..nodes.records import fields, is_node
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeGuard


def holds_nodes(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Tell whether a field's value is a tuple, as every list of nodes is."""
    return isinstance(value, tuple)


def places_of(request: Request) -> dict[int, list[str]]:
    """Give the paths of each node by its identity, such as `messages[2].parts[0]`: one, unless it recurs."""
    places: dict[int, list[str]] = {}
    for path, node in _walk(request):
        places.setdefault(id(node), []).append(path)
    return places


def nodes_of(request: Request) -> dict[str, object]:
    """Give each node by its path; the request itself by none."""
    return {"": request, **dict(_walk(request))}


def owner_of(request: Request, value: object) -> tuple[object, str]:
    """Find the node that holds a value (by identity), and the field; None and empty when none does."""
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
        yield f"{path}[{index}]", node
        for below in ("parts", "tools"):
            children = getattr(node, below, None)
            if holds_nodes(children):
                yield from _indexed(f"{path}[{index}].{below}", children)
