"""Pictures, documents, sound and video that a place rejects, on their way into the next message of the user."""

from __future__ import annotations

from ..model.parts import RESULTS, Audio, Document, Image, SearchResult, Text, Video
from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING
from .changes import EditLog

if TYPE_CHECKING:
    from ..model.parts import Part

_MEDIA = (Image, Document, Audio, Video, SearchResult)
_WORDS = {
    "image": "picture",
    "document": "document",
    "audio": "sound",
    "video": "video",
    "search_result": "source",
}


class MovedMedia:
    """The media that one repair takes out of their places.

    Attributes:
        log: The edits of the repair.
        waiting: The parts for the next message of the user, which is emptied once they are in one.
    """

    def __init__(self, log: EditLog) -> None:
        self.log = log
        self.waiting: list[Part] = []
        self._count = 0

    def takes(self, part: Part, holder: Part | None = None) -> bool:
        """Return whether a part is one of the media to move, itself or with all that its holder has."""
        if not isinstance(part, _MEDIA):
            return False
        return self.log.asks_for(part) or (holder is not None and self.log.asks_for(holder))

    def without(
        self, parts: tuple[Part, ...], *, place: str, origin: str, holder: Part | None = None
    ) -> tuple[Part, ...]:
        """Return parts with a text instead of each of the media, which refers to it or says that it was left out.

        `place` is where the API does not accept them ("a tool result"), `origin` where they come from.
        """
        return tuple(
            [self._text(part, place, origin) if self.takes(part, holder) else part for part in parts]
        )

    def _text(self, part: Part, place: str, origin: str) -> Part:
        word = _WORDS[kind_of(part)]
        why = f"{self.log.title} does not accept it in {place}"
        if self.log.choice == "drop":
            self.log.add("dropped", part, kind_of(part), why)
            return self.log.made(part, Text(f"[{word} left out]"))
        self._count += 1
        label = f"{word} {self._count}"
        self.log.add("moved", part, "", f"{why}; sent in the user message that follows")
        self.waiting += [self.log.made(part, Text(f"[{label}, from {origin}]")), part]
        return self.log.made(part, Text(f"[{label}: see the next user message]"))


def after_results(parts: tuple[Part, ...], moved: list[Part]) -> tuple[Part, ...]:
    """Return parts with others inserted after the last result among them, or before all where there is none."""
    last = max([index for index, part in enumerate(parts) if isinstance(part, RESULTS)], default=-1)
    return (*parts[: last + 1], *moved, *parts[last + 1 :])
