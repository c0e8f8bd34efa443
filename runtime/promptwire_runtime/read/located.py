"""Places of a body that were not read as a spec describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..reporting.notes import Note
from ..wire_json.places import path_text

if TYPE_CHECKING:
    from ..wire_json.places import Steps


@dataclass(frozen=True, slots=True)
class Located:
    """What a reading assumed, or did not understand, at one place of a body.

    steps   the keys and indexes that lead there
    action  as in a `Note`: `added` or `replaced` for an assumption, `kept` for a problem
    why     what was assumed, or why it is a problem
    """

    steps: Steps
    action: str
    why: str

    @property
    def note(self) -> Note:
        """The same as a note, whose path leads into the body."""
        *above, last = self.steps or ("",)
        if isinstance(last, str):
            return Note(self.action, path_text(above), last, self.why)
        return Note(self.action, path_text(self.steps), "", self.why)
