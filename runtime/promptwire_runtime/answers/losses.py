"""What a stream that is written cannot say: errors, or notes."""

from __future__ import annotations

from ..build.wire import Wire
from ..errors import NoPlace
from ..reporting.notes import Note
from ..reporting.policies import Policies


class Losses:
    """Reports of one stream, each once, however many events it has.

    notes     what was noted
    policies  whether a loss is an error
    """

    __slots__ = ("_noted", "_wire", "notes", "policies")

    def __init__(self, wire: Wire, policies: Policies, notes: list[Note]) -> None:
        """Start with nothing."""
        self.notes = notes
        self.policies = policies
        self._wire = wire
        self._noted: set[Note] = set()

    def lose(self, path: str, field: str, why: str = "") -> None:
        """Report what the API cannot say: NoPlace, or a note."""
        why = why or f"{self._wire.title} has no place for it"
        if self.policies.loss == "raise":
            raise NoPlace(f"{field}: {why}", wire=self._wire.name, path=path, field=field)
        self.note(path, field, why)

    def note(self, path: str, field: str, why: str, action: str = "dropped") -> None:
        """Note something."""
        note = Note(action, path, field, why)
        if note not in self._noted:
            self._noted.add(note)
            self.notes.append(note)
