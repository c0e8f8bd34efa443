"""Join half characters in the events of a stream: some hosts cut texts between the two UTF-16 units of an emoji."""

from __future__ import annotations

from typing import Any

from ..nodes.records import construct
from ..wire_json.characters import REPLACEMENT, begins_character, has_halves, whole_json, whole_text
from ..wire_json.kinds import is_list, is_object
from .events import Event

_PIECES = frozenset({"text", "reasoning", "refusal", "arguments"})
# events beside the texts, which end none
_BESIDE = frozenset({"start", "usage", "vendor", "unknown"})
_Key = tuple[str, str | None, tuple[int, ...]]


class SplitCharacters:
    """Holds the half character at the end of a piece back until the piece comes that has its other half.

    If another event of the candidate comes first, or the stream ends, the half becomes U+FFFD.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[_Key, Event] = {}

    def join(self, events: list[Event]) -> list[Event]:
        """Return the events with whole characters: a half waits for the other one."""
        if not self._held and all(map(_is_whole, events)):
            return events
        return [fresh for event in events for fresh in self._take(event)]

    def rest(self) -> list[Event]:
        """Return an event for each half that is still held."""
        return self._ended([*self._held])

    def _take(self, event: Event) -> list[Event]:
        if event.kind in _BESIDE:
            return [_with_whole(event)]
        key = event.kind, event.name, event.place
        others = [
            known
            for known, held in self._held.items()
            if known != key and (held.candidate == event.candidate or event.kind == "error")
        ]
        return [
            *self._ended(others),
            *(self._piece(event, key) if event.kind in _PIECES else [_with_whole(event)]),
        ]

    def _piece(self, event: Event, key: _Key) -> list[Event]:
        """Return a piece of text without the half character at its end, which is held; none if nothing is left."""
        before = self._held.pop(key, None)
        # the one before holds what its part began with
        piece = event if before is None else before.again(before.text + event.text)
        if not begins_character(piece.text):
            return [piece.again(whole_text(piece.text))]
        said, half = piece.text[:-1], piece.text[-1:]
        if not said:
            self._held[key] = piece
            return []
        self._held[key] = construct(Event, **{**vars(piece), "text": half, "data": None})
        return [piece.again(whole_text(said))]

    def _ended(self, keys: list[_Key]) -> list[Event]:
        return [self._held.pop(key).again(REPLACEMENT) for key in keys]


def _is_whole(event: Event) -> bool:
    text, data = event.text, event.data
    return (text.isascii() or text == whole_text(text)) and (
        data is None or not ((is_object(data) or is_list(data)) and has_halves(data))
    )


def _with_whole(event: Event) -> Event:
    """Return an event that is no piece of a text with whole characters."""
    words: dict[str, Any] = {key: value for key in ("text", "id", "name") if (value := getattr(event, key))}
    data = whole_json(event.data)[0]
    return construct(
        Event, **{**vars(event), **{key: whole_text(word) for key, word in words.items()}, "data": data}
    )
