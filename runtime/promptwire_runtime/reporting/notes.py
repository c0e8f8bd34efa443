"""Notes: one row for everything that a build or a reading moved, renamed, merged or dropped."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import LightRecord


@dataclass(frozen=True, eq=False, repr=False)
class Note(LightRecord):
    """What a build, a repair or a reading did at one place.

    Attributes:
        action: `dropped`, `missing` (the API asks for it, and it is sent without), `moved`, `merged`, `replaced`,
            `added`, `refused` (sent although a rule rejects it, or may for a model that is not known), `passed through`
            (its meaning is unknown), `ignored` (sent, without effect there), or `ambiguous` (the API may misread it).
        path: The path in the Request (`messages[2].parts[0]`); empty for the Request itself.
        field: The field of that node.
        why: The reason, in words.
        policy: For a repair, the policy that decides about it: `ids`, `tool_names`.
        given: For a reversible change, the caller's value.
        sent: For a reversible change, the value that is sent, so that an answer can be mapped back.
    """

    action: str
    path: str
    field: str
    why: str
    policy: str = ""
    given: str | None = None
    sent: str | None = None

    def __str__(self) -> str:
        """Return the note as one line."""
        # the reason of a refusal names the field in words
        field = "" if self.action == "refused" else self.field
        where = ".".join(piece for piece in (self.path, field) if piece)
        return f"{self.action} {where}: {self.why}" if where else f"{self.action}: {self.why}"
