"""The tree of a text: plain values with positions.

Nodes are named tuples, because a large file has ten thousand and frozen dataclasses take four times as long to create.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence as SequenceOf
from typing import Any, NamedTuple, TypeAlias


class Span(NamedTuple):
    """A part of one line: `line` and `column` count from 1, `length` is in characters (at least 1).

    `file` is the name that the caller passed.
    """

    file: str
    line: int
    column: int
    length: int


class Scalar(NamedTuple):
    """One value: text, a number, true, false or null. `quoted` is whether it was written in quotes."""

    value: Any
    span: Span
    quoted: bool


class Sequence(NamedTuple):
    """A list."""

    items: tuple[Node, ...]
    span: Span


class Table(NamedTuple):
    """A mapping in the order of its text. Every key is a Scalar that holds text; no two are equal."""

    entries: tuple[tuple[Scalar, Node], ...]
    span: Span

    def entry(self, key: str) -> tuple[Scalar, Node] | None:
        """Return the key's node and the value's node, or None."""
        return next((entry for entry in self.entries if entry[0].value == key), None)

    def get(self, key: str) -> Node | None:
        """Return the value's node, or None."""
        entry = self.entry(key)
        return entry[1] if entry else None


Node: TypeAlias = Scalar | Sequence | Table


def plain(node: Node) -> Any:
    """Convert a node to a dict, a list or a plain value. All aliases of a node become one object."""
    return _plain(node, {})


def _plain(node: Node, copies: dict[int, Any]) -> Any:
    if isinstance(node, Scalar):
        return node.value
    value = copies.get(id(node))
    if value is None:
        if isinstance(node, Table):
            value = {key.value: _plain(member, copies) for key, member in node.entries}
        else:
            value = [_plain(item, copies) for item in node.items]
        copies[id(node)] = value
    return value


def span_at(tree: Node, path: SequenceOf[str | int], *, key: bool = False) -> Span:
    """Return the span of the node at `path`, or of its key; of the last node on the path if the tree ends before."""
    node, span = tree, tree.span
    for step in path:
        if isinstance(node, Table) and isinstance(step, str) and (entry := node.entry(step)):
            node, span = entry[1], (entry[0] if key else entry[1]).span
        elif isinstance(node, Sequence) and isinstance(step, int) and -1 < step < len(node.items):
            node = node.items[step]
            span = node.span
        else:
            break
    return span


def path_inside(parts: Iterable[tuple[bool, SequenceOf[Node]]]) -> tuple[str | int, ...]:
    """Return the path of the next value, or of the mapping whose key is next.

    `parts` are the open containers, outermost first: whether each is a mapping, and its items so far, keys included.
    """
    steps: list[str | int] = []
    for table, items in parts:
        if not table:
            steps.append(len(items))
        elif len(items) % 2 and type(key := items[-1]) is Scalar:
            steps.append(str(key.value))
    return tuple(steps)
