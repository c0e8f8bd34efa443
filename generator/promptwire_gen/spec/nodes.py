"""The tree of a spec: plain YAML values that remember where they stand.

Nodes are named tuples: a large spec has ten thousand, and frozen dataclasses take four times as long to make.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from typing import Any, NamedTuple, TypeAlias

from ..problems import Span


class Scalar(NamedTuple):
    """One value: text, a number, true, false or null. `quoted`: it was not written as a bare word."""

    value: str | int | float | bool | None
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
        found = self.entry(key)
        return found[1] if found else None


Node: TypeAlias = Scalar | Sequence | Table


def plain(node: Node) -> Any:
    """Turn a node into what it means: a dict, a list or a bare value."""
    if type(node) is Scalar:
        return node.value
    if type(node) is Table:
        return {key.value: plain(value) for key, value in node.entries}
    assert type(node) is Sequence
    return [plain(item) for item in node.items]


def kind_of(node: Node) -> str:
    """Name what a node is, for messages."""
    if isinstance(node, Table):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    return "text" if isinstance(node.value, str) else "a number"


def span_at(tree: Node, path: SequenceOf[str | int], *, key: bool = False) -> Span:
    """Return the span of the node at `path` or of its key; of the last, where the path leaves the tree."""
    node, span = tree, tree.span
    for step in path:
        if isinstance(node, Table) and isinstance(step, str) and (found := node.entry(step)):
            node, span = found[1], (found[0] if key else found[1]).span
        elif isinstance(node, Sequence) and isinstance(step, int) and -1 < step < len(node.items):
            node = node.items[step]
            span = node.span
        else:
            break
    return span


def place_of(other: Span, beside: Span) -> str:
    """Say where another thing stands: line and column in the same file; with `extends` it may be in another."""
    if other.file == beside.file:
        return f"line {other.line}, column {other.column}"
    return f"{other.file}:{other.line}"


def part_of(node: Scalar, piece: tuple[int, int]) -> Span:
    """Where a piece of a scalar's text stands; the whole scalar, where escapes or line breaks shift the columns."""
    span, text = node.span, str(node.value)
    quotes = 2 if node.quoted else 0
    if span.length != len(text) + quotes:
        return span
    return Span(span.file, span.line, span.column + quotes // 2 + piece[0], piece[1] - piece[0])
