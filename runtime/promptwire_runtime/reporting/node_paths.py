"""Find the paths of nodes in a Request, for errors, notes and rules."""

from __future__ import annotations

from ..model.request import Request
from ..nodes.records import fields, is_node
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeGuard

# class of a node -> its fields that may hold nodes
_LISTS: dict[type, tuple[str, ...]] = {}


def holds_nodes(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Return whether a field's value is a list of nodes, which is always a tuple."""
    return isinstance(value, tuple)


class CallerPaths:
    """The paths of nodes in the caller's request, also of the copies that repairs make of them."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._paths = {id(node): path for path, node in _alone(request)}
        self._paths[id(request)] = ""
        # most repairs need no path, and finding all nodes of a long conversation takes longer than a build
        self._knows_all = False
        # nodes are known by identity, so they must outlive their table
        self._held: list[object] = []

    @property
    def paths(self) -> Mapping[int, str]:
        """The identity of each known node -> its path."""
        if not self._knows_all:
            self._knows_all = True
            self._paths = {node: paths[0] for node, paths in places_of(self._request).items()} | self._paths
        return self._paths

    def path(self, node: object) -> str:
        """Return the path of a node, or of the node that it was made from; empty for the request itself."""
        path = self._paths.get(id(node))
        return self.paths.get(id(node), "") if path is None else path

    def copied(self, original: object, *copies: object) -> None:
        """Remember that some nodes were made from a node, and have its path."""
        path = self.path(original)
        for copy in copies:
            self._paths[id(copy)] = path
            self._held.append(copy)


def places_of(request: Request) -> dict[int, list[str]]:
    """Return identity of a node -> its paths, such as `messages[2].parts[0]`; several if the node occurs repeatedly."""
    places: dict[int, list[str]] = {}
    for path, node in _walk(request):
        places.setdefault(id(node), []).append(path)
    return places


def nodes_of(request: Request) -> dict[str, object]:
    """Return path -> node; the path of the request itself is empty."""
    return {"": request, **dict(_walk(request))}


def node_at(request: Request, path: str) -> Any:
    """Return the node at a path; None if there is none."""
    node: Any = request
    for piece in path.split(".") if path else ():
        name, _, index = piece.removesuffix("]").partition("[")
        node = getattr(node, name, None)
        if index:
            nodes = node if holds_nodes(node) else ()
            node = nodes[int(index)] if index.isdecimal() and int(index) < len(nodes) else None
        if not is_node(node):
            return None
    return node


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
    yield from _alone(request)


def _alone(request: Request) -> Iterator[tuple[str, object]]:
    for name in ("tool_choice", "response_format", "reasoning", "continuation", "options", "cache"):
        if (node := getattr(request, name)) is not None:
            yield name, node


def _indexed(path: str, nodes: tuple[Any, ...]) -> Iterator[tuple[str, object]]:
    for index, node in enumerate(nodes):
        own = f"{path}[{index}]"
        yield own, node
        kind = node.__class__
        for below in _LISTS[kind] if kind in _LISTS else lists_of(kind):
            children: Any = getattr(node, below)
            if children and holds_nodes(children):
                yield from _indexed(f"{own}.{below}", children)


def lists_of(kind: type) -> tuple[str, ...]:
    """Return the fields of a class of nodes that may hold nodes. Asking a node for a field that it lacks is slow."""
    lists = _LISTS.get(kind)
    if lists is None:
        lists = _LISTS[kind] = tuple([name for name in ("parts", "tools") if hasattr(kind, name)])
    return lists
