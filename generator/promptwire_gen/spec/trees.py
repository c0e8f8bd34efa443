"""What is asked of the nodes of a spec, and nodes that are made of others."""

from __future__ import annotations

from collections.abc import Iterator

from ..problems import Span
from .nodes import Node, Scalar, Sequence, Table


def text(letters: str, span: Span) -> Scalar:
    """Make a text that stands at a place."""
    return Scalar(letters, span, quoted=True)


def with_value(table: Table, key: str, value: Node) -> Table:
    """Put another value under a key, or one more at the end."""
    entries = [(old, value if old.value == key else node) for old, node in table.entries]
    if table.get(key) is None:
        entries.append((text(key, value.span), value))
    return Table(tuple(entries), table.span)


def groups_of(tree: Table) -> dict[str, Node]:
    """Give the groups of models of a spec or of a family, by their names."""
    groups = tree.get("groups")
    return {str(key.value): node for key, node in groups.entries} if isinstance(groups, Table) else {}


def facts_of(node: Node | None) -> Iterator[tuple[Scalar, Table]]:
    """Give each path of a section with what is said of it; one key may name several."""
    for key, value in tables_of(node):
        for path in str(key.value).split(", "):
            yield key._replace(value=path), value


def tables_of(node: Node | None) -> Iterator[tuple[Scalar, Table]]:
    """Give the entries of a mapping whose values are mappings."""
    for key, value in node.entries if isinstance(node, Table) else ():
        if isinstance(value, Table):
            yield key, value


def listed(node: Node | None) -> tuple[Node, ...]:
    """Let one value stand for a list of one."""
    if node is None:
        return ()
    return node.items if isinstance(node, Sequence) else (node,)


def items_of(node: Node | None) -> tuple[Node, ...]:
    """Give the items of a list; of anything else there are none."""
    return node.items if isinstance(node, Sequence) else ()


def inside_and_outside(group: Node) -> tuple[Node | None, Node | None]:
    """Give the globs of a group of models, and those of what is none of it."""
    return (group.get("names"), group.get("without")) if isinstance(group, Table) else (group, None)
