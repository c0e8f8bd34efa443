"""The lines of a JSON text where its values stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class JsonLines:
    """Finds lines in one JSON text, which is taken apart when the first is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tree: Any = None

    def line_of(self, steps: Sequence[str | int]) -> int:
        """Give the line of the value at some keys and indexes, or of the nearest one around it; the first is 1.

        A key that is there tells its own line. Text that is no YAML as well has one line only.
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
    """Give what says where a member begins, and the member; None where there is none."""
    rows: Any = node.value
    if node.id == "sequence" and isinstance(step, int) and step < len(rows):
        return rows[step], rows[step]
    if node.id == "mapping":
        return next((row for row in rows if row[0].value == step), (None, None))
    return None, None
