"""Find the lines of values in a JSON text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class JsonLineIndex:
    """Finds lines in one JSON text, which is parsed when the first is requested."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tree: Any = None

    def line_of(self, steps: Sequence[str | int]) -> int:
        """Return the line of the value at a path, or of the nearest value around it; the first line is 1.

        A key's own line counts. If the text cannot be parsed as YAML, the result is 1.
        """
        import yaml

        if self._tree is None:
            try:
                self._tree = yaml.compose(self._text, Loader=yaml.SafeLoader)
            except yaml.YAMLError:
                return 1
        node, line = self._tree, 1
        for step in steps:
            key, node = _member(node, step)
            if key is None:
                break
            line = key.start_mark.line + 1
        return line


def _member(node: Any, step: str | int) -> tuple[Any, Any]:
    """Return the node at which a member begins, and the member; None if there is none."""
    rows: Any = node.value
    if node.id == "sequence" and isinstance(step, int) and step < len(rows):
        return rows[step], rows[step]
    if node.id == "mapping":
        return next((row for row in rows if row[0].value == step), (None, None))
    return None, None
