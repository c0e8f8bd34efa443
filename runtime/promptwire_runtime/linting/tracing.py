"""Record which JSON became which node while a body is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..read.readers import NEAREST_ITEM, Readers


class Trace:
    """The elements of a body, each with the node that it became."""

    def __init__(self) -> None:
        # by the identity of nodes, which the trace keeps alive
        self._rows: dict[int, tuple[object, Any]] = {}

    def item_of(self, node: object) -> Any:
        """Return the JSON of a node; None if it was not an element of its own."""
        row = self._rows.get(id(node))
        return None if row is None else row[1]

    def add(self, node: object, item: Any) -> None:
        """Record an element; the last node that it becomes counts."""
        self._rows[id(node)] = (node, item)

    def readers(self, readers: Readers) -> Readers:
        """Return a table of readers that records each element and message."""
        traced = readers.changed()
        # every message is read by its function
        traced.texts = {}
        traced.elements = {
            place: self._noting(read, stands=place in ("messages", NEAREST_ITEM))
            for place, read in traced.elements.items()
        }
        traced.messages = {word: self._noting(read) for word, read in traced.messages.items()}
        return traced

    def _noting(self, read: Callable[[Any, Any], Any], *, stands: bool = False) -> Callable[[Any, Any], Any]:
        def reading(item: Any, reader: Any) -> Any:
            node = read(item, reader)
            if node is not None:
                # an item that is a part of its own comes with the role of its turn
                self.add(node[1] if stands else node, item)
            return node

        return reading
