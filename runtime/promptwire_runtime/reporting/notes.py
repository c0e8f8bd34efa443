"""Notes: one row for everything a build or a reading moved, renamed, merged or dropped."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record


@dataclass(frozen=True, eq=False, repr=False)
class Note(Record):
    """One row.

    action  `dropped`, `omitted`, `moved`, `merged`, `replaced`, `added`, `refused`, `kept`: sent as it was read, though
            nobody here knows it, or `ambiguous`: it may be misread
    path    where in the Request (`messages[2].parts[0]`); empty for the Request itself
    field   which field of that node
    why     the reason, in words
    """

    action: str
    path: str
    field: str
    why: str

    def __str__(self) -> str:
        """Show the row as one line."""
        # why something is refused names it in words
        field = "" if self.action == "refused" else self.field
        where = ".".join(piece for piece in (self.path, field) if piece)
        return f"{self.action} {where}: {self.why}" if where else f"{self.action}: {self.why}"
