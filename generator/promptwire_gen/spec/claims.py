"""Claims of a spec (facts and rules) in their present form: the order of their keys, and words that were renamed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .nodes import Node, Scalar, Sequence, Table
from .old_sources import source_as_data
from .old_words import renewed_conditions, renewed_facts
from .renamed_words import with_new_words

# sections that hold claims, and the levels of keys above each claim
CLAIMS = {"values": 1, "needs": 1, "asks": 2, "models": 2, "rules": 1}
# other sections that cite sources
CITING = ("prompt", "signatures", "tools", "transport")
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

        def renewed(name: str, node: Node) -> Node:
            if name in CITING:
                return self._sources_in(node)
            return self._below(_present(name, node), CLAIMS[name]) if name in CLAIMS else node

        return _mapped(with_new_words(tree), renewed)

    def _below(self, node: Node, levels: int) -> Node:
        """Renew the claims at some levels below a node."""
        if isinstance(node, Scalar):
            return node
        if isinstance(node, Sequence):
            # one claim, or several
            return node._replace(items=tuple([self._below(item, max(levels - 1, 0)) for item in node.items]))
        if not levels:
            return self._once(node, self._claim)
        return self._once(node, lambda table: _mapped(table, lambda _, inner: self._below(inner, levels - 1)))

    def _once(self, node: Node, renew: Callable[[Any], Node]) -> Node:
        """Renew a node; an alias becomes the same new node as its anchor."""
        if id(node) not in self._renewed:
            # the old node is kept, so that its id stays its own
            new = renew(node)
            self._renewed[id(node)] = node, new
            if id(node) in self.anchors:
                self.anchors[id(new)] = self.anchors[id(node)]
        return self._renewed[id(node)][1]

    def _claim(self, claim: Table) -> Table:
        """Put what is claimed before its proof, and the proof in data."""
        if not isinstance(claim, Table):  # pyright: ignore[reportUnnecessaryIsInstance]  # a claim may be broken
            return claim
        last = {name: place for place, name in enumerate(_LAST, 1)}
        entries = [(key, self._source(key, value)) for key, value in claim.entries]
        return claim._replace(entries=tuple(sorted(entries, key=lambda entry: last.get(entry[0].value, 0))))

    def _source(self, key: Scalar, node: Node) -> Node:
        return self._once(node, source_as_data) if key.value == "source" else node

    def _sources_in(self, node: Node) -> Node:
        """Return a node with all sources inside as data."""
        if isinstance(node, Scalar):
            return node
        if isinstance(node, Sequence):
            return node._replace(items=tuple(map(self._sources_in, node.items)))
        return node._replace(
            entries=tuple([(key, self._source(key, self._sources_in(value))) for key, value in node.entries])
        )


def _present(section: str, node: Node) -> Node:
    """Return a section in present words."""
    if section in ("values", "models") and isinstance(node, Table):
        return renewed_facts(node, of_groups=section == "models")
    if section == "needs" and isinstance(node, Table):
        return _mapped(node, lambda _, need: renewed_conditions(need) if isinstance(need, Table) else need)
    if section == "rules" and isinstance(node, Sequence):
        items = [renewed_conditions(rule) if isinstance(rule, Table) else rule for rule in node.items]
        return node._replace(items=tuple(items))
    return node


def _mapped(table: Table, renew: Callable[[str, Node], Node]) -> Table:
    """Return a mapping with renewed values."""
    return table._replace(entries=tuple([(key, renew(str(key.value), node)) for key, node in table.entries]))
