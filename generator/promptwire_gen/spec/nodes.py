"""Nodes of specs, and functions that describe them in messages."""

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
    """Return what kind of value a node is, for messages."""
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
    """Return another place for a message: line and column in the same file, otherwise file and line."""
    if other.file == beside.file:
        return f"line {other.line}, column {other.column}"
    return f"{other.file}:{other.line}"


def part_of(node: Scalar, piece: tuple[int, int]) -> Span:
    """Return the place of a piece of a scalar's text; the whole scalar if escapes or line breaks shift the columns."""
    span, text = node.span, str(node.value)
    quotes = 2 if node.quoted else 0
    if span.length != len(text) + quotes:
        return span
    return Span(span.file, span.line, span.column + quotes // 2 + piece[0], piece[1] - piece[0])
