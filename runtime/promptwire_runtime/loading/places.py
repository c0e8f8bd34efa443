"""Where values stand in the text of a file."""

from __future__ import annotations

from bisect import bisect_right
from typing import TypeAlias

from promptwire_text.nodes import Node, Scalar, Sequence, Span, Table

Path: TypeAlias = tuple[str | int, ...]
# line and column, both from 1
Spot: TypeAlias = tuple[int, int]


def spot(span: Span) -> Spot:
    """Tell where a span begins."""
    return span.line, span.column


def spot_at(tree: Node, path: Path, key: str | None = None) -> Spot:
    """Give the spot of the value at `path` (or of one key in it), or of the nearest value around it."""
    node = tree
    for step in path:
        inside = _member(node, step)
        if inside is None:
            return spot(node.span)
        node = inside
    entry = node.entry(key) if isinstance(node, Table) and key is not None else None
    return spot(entry[0].span if entry else node.span)


def _member(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Scalar):
        return None
    if isinstance(node, Sequence):
        return node.items[step] if isinstance(step, int) and step < len(node.items) else None
    return node.get(step) if isinstance(step, str) else None


class Lines:
    """The line starts of a text."""

    def __init__(self, text: str) -> None:
        """Note where each line starts."""
        self._starts = [0]
        self._starts += [index + 1 for index, character in enumerate(text) if character == "\n"]

    def spot(self, offset: int) -> Spot:
        """Turn a character offset into line and column."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
