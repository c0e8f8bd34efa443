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


class SchemaEdit:
    """One change of a schema.

    Attributes:
        path: The keyword in the caller's schema: `properties.city.format`; empty for the whole.
        why: What was done and why, in words.
        loss: How much it loses, in the words of `LOSSES`.
    """

    __slots__ = ("loss", "path", "why")

    def __init__(self, path: str, why: str, loss: str) -> None:
        self.path = path
        self.why = why
        self.loss = loss

    def __repr__(self) -> str:
        """Show it in one line."""
        return f"{self.path}: {self.why} ({self.loss})"


def loss_of(edits: tuple[SchemaEdit, ...]) -> str:
    """Return the greatest loss of some edits."""
    return max([edit.loss for edit in edits], key=LOSSES.index, default="none")


def described(schema: JsonSchema, words: Mapping[str, Any]) -> JsonSchema:
    r"""Return a schema whose description lists some words: `A number\n\n{minimum: 1, maximum: 10}`."""
    if not words:
        return schema
    text = "{" + ", ".join([f"{word}: {value}" for word, value in words.items()]) + "}"
    known = schema.get("description")
    return {**schema, "description": f"{known}\n\n{text}" if known else text}
