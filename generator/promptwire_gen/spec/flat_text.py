"""Write a tree as equivalent YAML lines, each with the place where it was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from ..problems import Span
from .nodes import Node, Scalar, Sequence, Table

# values that are wider than this are written below their key
WIDEST = 76
_STEP = 2
_OF_FLOW = frozenset(",[]{}")


class Line(NamedTuple):
    """One line of YAML, and the place of its first key or element."""

    text: str
    span: Span


def lines_of(tree: Table) -> Iterator[Line]:
    """Yield the lines of a mapping, key by key."""
    return _table(tree, 0)


def _table(table: Table, indent: int) -> Iterator[Line]:
    for key, value in table.entries:
        head = f"{' ' * indent}{_scalar(key, in_flow=False)}:"
        if (flow := _on_one_line(value, key.span.file, WIDEST - len(head) - 1)) is not None:
            yield Line(f"{head} {flow}", key.span)
        else:
            yield Line(head, key.span)
            yield from _block(value, indent + _STEP)


def _block(node: Node, indent: int) -> Iterator[Line]:
    if isinstance(node, Table):
        yield from _table(node, indent)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _item(item, indent)


def _item(item: Node, indent: int) -> Iterator[Line]:
    dash = f"{' ' * indent}- "
    if (flow := _on_one_line(item, item.span.file, WIDEST - len(dash))) is not None:
        yield Line(dash + flow, item.span)
        return
    first, *others = _block(item, indent + _STEP)
    yield Line(dash + first.text[len(dash) :], first.span)
    yield from others


def _on_one_line(node: Node, file: str, columns: int) -> str | None:
    """Return a node on one line; None if it is too wide, or contains values of another file."""
    if isinstance(node, Scalar):
        return _scalar(node, in_flow=False)
    flow = _flow(node)
    fits = len(flow) <= columns and all(span.file == file for span in _spans(node))
    return flow if fits or not _members(node) else None


def _flow(node: Node) -> str:
    if isinstance(node, Scalar):
        return _scalar(node, in_flow=True)
    if isinstance(node, Sequence):
        return f"[{', '.join(map(_flow, node.items))}]"
    return f"{{{', '.join(f'{_scalar(key, in_flow=True)}: {_flow(value)}' for key, value in node.entries)}}}"


def _scalar(node: Scalar, *, in_flow: bool) -> str:
    """Return a scalar in YAML: quoted if it was quoted, or if it cannot be bare in flow style."""
    value = node.value
    if isinstance(value, str) and not node.quoted and not (in_flow and not _OF_FLOW.isdisjoint(value)):
        return value
    # JSON is YAML: null, true, numbers, text in double quotes
    return json.dumps(value, ensure_ascii=False)


def _members(node: Table | Sequence) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else tuple([value for _, value in node.entries])


def _spans(node: Node) -> Iterator[Span]:
    if isinstance(node, Table):
        for key, value in node.entries:
            yield key.span
            yield from _spans(value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _spans(item)
    else:
        yield node.span
