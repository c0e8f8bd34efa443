"""The edits of a JSON Schema: place, reason, and what each loses; and words moved into a description."""

from __future__ import annotations

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .of_types import JsonSchema

# how much of a schema an edit loses, least first: nothing; a limit that only the description states, or freedom
# that answers do not have; levels of a schema that refers to itself; values that no answer can have any more
LOSSES = ("none", "limit", "depth", "meaning")


class SchemaEdits:
    """What was changed in a schema.

    Attributes:
        rows: For each edit the keyword in the caller's schema (`properties.city.format`; empty for the whole), what was
            done and why, and how much it loses, in the words of `LOSSES`.
    """

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    def add(self, path: str, why: str, loss: str) -> None:
        """Add an edit."""
        self.rows.append((path, why, loss))

    @property
    def loss(self) -> str:
        """The greatest loss of all edits."""
        return max([loss for _, _, loss in self.rows], key=LOSSES.index, default="none")


def described(schema: JsonSchema, words: Mapping[str, Any]) -> JsonSchema:
    r"""Return a schema whose description lists some words: `A number\n\n{minimum: 1, maximum: 10}`."""
    if not words:
        return schema
    text = "{" + ", ".join([f"{word}: {value}" for word, value in words.items()]) + "}"
    known = schema.get("description")
    return {**schema, "description": f"{known}\n\n{text}" if known else text}
