"""Find the paths of nodes in a Request, for errors, notes and rules."""

from __future__ import annotations

from ..model.request import Request
from ..nodes.records import fields, is_node
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeGuard

# class of a node -> its fields that may hold nodes
_LISTS: dict[type, tuple[str, ...]] = {}
_NOWHERE = [""]


def holds_nodes(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Return whether a field's value is a list of nodes, which is always a tuple."""
    return isinstance(value, tuple)


class Origins:
    """The caller's request, what passes and repairs made of it, and the paths of all their nodes in it.

    Attributes:
        request: The request that passes made of the caller's, or that.
        hoisted_count: How many leading messages of the caller's request are instructions in this one.
    """

    __slots__ = ("_alone", "_copies", "_earlier", "_given", "_places", "hoisted_count", "request")

    def __init__(self, request: Request) -> None:
        self._given = self.request = request
        self.hoisted_count = 0
        # identity of a copy -> the copy, which must outlive its identity, and the node that it was made from
        self._copies: dict[int, tuple[object, object]] = {}
        # what repairs made of the caller's request before this one
        self._earlier: Origins | None = None
        # created when first needed: finding all nodes of a long conversation takes longer than a build
        self._places: dict[int, list[str]] | None = None
        self._alone: dict[int, list[str]] | None = None

    @property
    def caller_request(self) -> Request:
        """The request that the caller passed."""
        return self._given if self._earlier is None else self._earlier.caller_request

    def path(self, node: object) -> str:
        """Return the first path of a node, or of the node that it was made from; empty for a request."""
        return self.paths(node)[0]

    def paths(self, node: object) -> list[str]:
        """Return all paths of a node, or of the node that it was made from."""
        node = self.original(node)
        if node is self.request or node is self._given:
            return _NOWHERE
        if self._places is None and self._earlier is None:
            if self._alone is None:
                self._alone = {id(single): [path] for path, single in _single_nodes(self._given)}
            if id(node) in self._alone:
                return self._alone[id(node)]
        return self._found().get(id(node), _NOWHERE)

    def original(self, node: object) -> object:
        """Return the node that a node was made from, or the node itself."""
        known = self._copies.get(id(node))
        return node if known is None else known[1]

    def copied(self, original: object, copies: Iterable[object]) -> None:
        """Remember that some nodes were made from a node, and have its path."""
        original = self.original(original)
        for copy in copies:
            self._copies[id(copy)] = copy, original

    def replaced(self, request: Request) -> None:
        """Continue with a request that was made of the present one."""
        self.request, self._places = request, None

    def follow(self, earlier: Origins) -> None:
        """Continue the origins of the repairs that made this request of the caller's."""
        self._earlier, self._places = earlier, None

    def _found(self) -> dict[int, list[str]]:
        """Return identity of a node -> its paths; those in the caller's request come first."""
        if self._places is None:
            places = places_of(self.request)
            if self._given is not self.request:
                places |= places_of(self._given)
            if self._earlier is not None:
                places |= self._earlier.all_places()
            self._places = places
        return self._places

    def all_places(self) -> dict[int, list[str]]:
        """Return the paths of all nodes and of all copies."""
        found = self._found()
        return found | {key: found.get(id(origin), _NOWHERE) for key, (_, origin) in self._copies.items()}

    def __getstate__(self) -> tuple[object, ...]:
        """Return the state without identities, which differ in another process."""
        return self._given, self.request, self.hoisted_count, self._earlier, tuple(self._copies.values())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Take the state of another object over."""
        self._given, self.request, self.hoisted_count, self._earlier, copies = state
        self._copies = {id(copy): (copy, origin) for copy, origin in copies}
        self._places = self._alone = None


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
        yield from _walk_list("instructions", request.instructions)
    for name in ("tools", "messages"):
        nodes = getattr(request, name, None)
        if holds_nodes(nodes):
            yield from _walk_list(name, nodes)
    yield from _single_nodes(request)


def _single_nodes(request: Request) -> Iterator[tuple[str, object]]:
    for name in ("tool_choice", "response_format", "reasoning", "continuation", "options", "cache"):
        if (node := getattr(request, name)) is not None:
            yield name, node


def _walk_list(path: str, nodes: tuple[Any, ...]) -> Iterator[tuple[str, object]]:
    for index, node in enumerate(nodes):
        own = f"{path}[{index}]"
        yield own, node
        kind = node.__class__
        for below in _LISTS[kind] if kind in _LISTS else lists_of(kind):
            children: Any = getattr(node, below)
            if children and holds_nodes(children):
                yield from _walk_list(f"{own}.{below}", children)


def lists_of(kind: type) -> tuple[str, ...]:
    """Return the fields of a class of nodes that may hold nodes. Asking a node for a field that it lacks is slow."""
    lists = _LISTS.get(kind)
    if lists is None:
        lists = _LISTS[kind] = tuple([name for name in ("parts", "tools") if hasattr(kind, name)])
    return lists
