"""Specs in their present form: words that were renamed, and the order of the keys of claims (facts and rules)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from .nodes import Node, Scalar, Sequence, Table
from .old_words import present_condition, present_words, source_as_data

# the id of a node, how it is renewed, and what is told of its place
_Task: TypeAlias = tuple[int, Callable[..., Node], tuple[str | int, ...]]

# sections that hold claims, and the levels of keys above each claim
CLAIMS = {"values": 1, "needs": 1, "asks": 2, "models": 2, "rules": 1}
# other sections that cite sources
CITING = ("prompt", "signatures", "tools", "transport")
# section -> the levels of keys above its words
_WORDS = {**CLAIMS, "tools": 0, "clients": 1, "sdks": 1}
# keys of claims that hold conditions
_CONDITIONS = ("given", "unless", "either", "without", "reject", "allow")
# what says why stands behind what is claimed
_LAST = {"fix": 1, "because": 2, "source": 3}


@dataclass(slots=True)
class Claims:
    """Renews the claims of one file.

    Attributes:
        anchors: The names of anchored nodes by their ids, completed with the ids of renewed nodes.
    """

    anchors: dict[int, str]
    _renewed: dict[_Task, tuple[Node, Node]] = field(default_factory=dict[_Task, tuple[Node, Node]])

    def renewed(self, tree: Table) -> Table:
        """Return the tree with its words and claims renewed."""
        return _mapped(_present(tree, ""), self._section)

    def _section(self, key: Scalar, node: Node) -> Node:
        name = str(key.value)
        cited = self._once(self._cited, node) if name in CITING else node
        return self._once(self._below, cited, name, _WORDS[name]) if name in _WORDS else cited

    def _once(self, renew: Callable[..., Node], node: Node, *told: str | int) -> Node:
        """Renew a node; an alias becomes the same new node as its anchor."""
        task = id(node), renew, told
        if task not in self._renewed:
            # the old node is kept, so that its id stays its own
            new = renew(node, *told)
            self._renewed[task] = node, new
            if id(node) in self.anchors:
                self.anchors[id(new)] = self.anchors[id(node)]
        return self._renewed[task][1]

    def _each(self, node: Table | Sequence, renew: Callable[..., Node], *told: str | int) -> Node:
        """Renew each member of a node."""
        if isinstance(node, Table):
            return _mapped(node, lambda _, member: self._once(renew, member, *told))
        return node._replace(items=tuple([self._once(renew, member, *told) for member in node.items]))

    def _below(self, node: Node, section: str, levels: int) -> Node:
        """Renew the words at some levels below a node."""
        if isinstance(node, Scalar):
            return node
        if levels or isinstance(node, Sequence):
            # one claim, or several
            return self._each(node, self._below, section, max(levels - 1, 0))
        return self._claim(_present(node, section)) if section in CLAIMS else _present(node, section)

    def _claim(self, claim: Table) -> Table:
        """Put what is claimed before its proof, and all of it in its present form."""
        entries = sorted(claim.entries, key=lambda entry: _LAST.get(str(entry[0].value), 0))
        return _mapped(claim._replace(entries=tuple(entries)), self._part)

    def _part(self, key: Scalar, node: Node) -> Node:
        """Renew what stands behind a key of a claim."""
        if key.value == "when":
            return self._once(self._when, node)
        if key.value in _CONDITIONS:
            return self._once(self._conditions, node)
        return self._once(self._source, node) if key.value == "source" else node

    def _when(self, node: Node) -> Node:
        return _mapped(node, self._part) if isinstance(node, Table) else node

    def _conditions(self, node: Node) -> Node:
        """Return conditions, in which texts with a test are mappings."""
        if isinstance(node, Sequence):
            return self._each(node, self._conditions)
        return present_condition(node) if isinstance(node, Scalar) else node

    def _source(self, node: Node) -> Node:
        return self._each(node, self._source) if isinstance(node, Sequence) else source_as_data(node)

    def _cited(self, node: Node) -> Node:
        """Return a node with all sources inside as data."""
        if isinstance(node, Table):
            return _mapped(
                node,
                lambda key, value: self._once(self._source if key.value == "source" else self._cited, value),
            )
        return self._each(node, self._cited) if isinstance(node, Sequence) else node


def _present(table: Table, section: str) -> Table:
    """Return a mapping with present words in place of old ones."""
    entries = [new for key, node in table.entries for new in present_words(key, node, section)]
    return table._replace(entries=tuple(entries))


def _mapped(table: Table, renew: Callable[[Scalar, Node], Node]) -> Table:
    """Return a mapping with renewed values."""
    return table._replace(entries=tuple([(key, renew(key, node)) for key, node in table.entries]))
