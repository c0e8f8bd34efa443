"""Nodes of specs, and how messages speak of them."""

from __future__ import annotations

from promptwire_text.nodes import Node, Scalar, Sequence, Table, plain, span_at

from ..problems import Span

__all__ = [
    "Node",
    "Scalar",
    "Sequence",
    "Table",
    "kind_of",
    "part_of",
    "place_of",
    "plain",
    "span_at",
]


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
