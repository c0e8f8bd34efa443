"""Claims of a spec (facts and rules) in their present form: the order of their keys, and words that were renamed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .nodes import Node, Scalar, Sequence, Table

# sections that hold claims, and the levels of keys above each claim
CLAIMS = {"values": 1, "needs": 1, "asks": 2, "models": 2, "rules": 1}
# what says why stands behind what is claimed
_LAST = ("fix", "because", "source")


@dataclass(slots=True)
class Claims:
    """Renews the claims of one file.

    Attributes:
        anchors: The names of anchored nodes by their ids, completed with the ids of renewed nodes.
    """

    anchors: dict[int, str]
    _renewed: dict[int, tuple[Node, Node]] = field(default_factory=dict[int, tuple[Node, Node]])

    def renewed(self, tree: Table) -> Table:
        """Return the tree with its claims renewed."""
        return _mapped(
            tree,
            lambda name, node: node if name not in CLAIMS else self._below(node, CLAIMS[name]),
        )

    def _below(self, node: Node, levels: int) -> Node:
        """Renew the claims at some levels below a node."""
        if isinstance(node, Scalar):
            return node
        if not levels:
            return self._once(node, _in_order)
        if isinstance(node, Sequence):
            return node._replace(items=tuple([self._below(item, levels - 1) for item in node.items]))
        return self._once(node, lambda table: _mapped(table, lambda _, inner: self._below(inner, levels - 1)))

    def _once(self, node: Node, renew: Callable[[Table], Node]) -> Node:
        """Renew a mapping; an alias becomes the same new node as its anchor."""
        if not isinstance(node, Table):
            return node
        if id(node) not in self._renewed:
            # the old node is kept, so that its id stays its own
            new = renew(node)
            self._renewed[id(node)] = node, new
            if id(node) in self.anchors:
                self.anchors[id(new)] = self.anchors[id(node)]
        return self._renewed[id(node)][1]


def _mapped(table: Table, renew: Callable[[str, Node], Node]) -> Table:
    """Return a mapping with renewed values."""
    return table._replace(entries=tuple([(key, renew(str(key.value), node)) for key, node in table.entries]))


def _in_order(claim: Table) -> Table:
    """Put what is claimed before its proof."""
    last = {name: place for place, name in enumerate(_LAST, 1)}
    return claim._replace(entries=tuple(sorted(claim.entries, key=lambda entry: last.get(entry[0].value, 0))))
