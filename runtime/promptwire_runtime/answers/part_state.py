"""The state of one part of an answer under way, and of its texts."""

from __future__ import annotations

from json import dumps
from typing import Any

from ..model.parts import Part
from ..wire_json.kinds import is_object
from .buffers import TextBuffer, at, json_object, settled
from .event_paths import EventPaths
from .events import Event

Numbers = tuple[Any, ...]
NO_PATHS = EventPaths()


class TextState:
    """A text, thought or refusal, or the arguments of a call, as far as events reported it.

    event     the event that reports its pieces, with any text
    reported  the pieces that events reported
    paths     when it is read, its place in the body, and `numbers`: the list indexes on the way
    is_behind  whether the body may hold other text than was reported
    is_silent  whether nothing of it is reported, because another text says the same
    """

    __slots__ = ("event", "is_behind", "is_silent", "numbers", "paths", "reported")

    def __init__(self, event: Event, paths: EventPaths = NO_PATHS, numbers: Numbers = ()) -> None:
        self.event = event
        self.reported: list[str] = []
        self.paths = paths
        self.numbers = numbers
        self.is_behind = self.is_silent = False

    @property
    def text(self) -> str:
        """All that events reported."""
        return "".join(self.reported)

    def continues(self, event: Event) -> bool:
        """Return whether an event reports a piece of this text."""
        mine = self.event
        return (
            event.kind == mine.kind
            and event.place == mine.place
            and event.name == mine.name
            and event.candidate == mine.candidate
        )

    def is_in(self, body: dict[str, Any]) -> str | None:
        """Return the text that the body holds; None if it holds none at this place."""
        value = at(body, self.paths.path, self.numbers)
        if isinstance(value, TextBuffer):
            return value.text()
        if is_object(value) and self.event.kind == "arguments":
            said = self.text
            whole = settled(value, (), frozenset())
            return said if json_object(said or "{}") == whole else dumps(whole, ensure_ascii=False)
        return value if type(value) is str else None

    @property
    def is_no_object(self) -> bool:
        """Whether these are arguments of a call that are not a JSON object; without a text, they are one."""
        said = self.text if self.paths.of_call else ""
        return bool(said.strip()) and json_object(said) is None


class PartState:
    """One part of an answer under way.

    numbers  its identity: the list indexes that lead to it
    texts    its texts, in the order in which they began
    calls    the list indexes of a call in it -> the id and the name that were reported
    is_reported  whether an event reported anything of it
    is_ended  whether it is complete
    whole    the calls that its `part` event holds, which no other event reported
    type     the type of its element when it ended
    is_settled  whether nothing of it came since its events were compared with the body
    is_odd   whether its element may hold texts that its kind of part does not have
    """

    __slots__ = (
        "calls", "is_ended", "is_odd", "is_reported", "is_settled", "numbers", "texts", "type", "whole",
    )  # fmt: skip

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.texts: dict[tuple[EventPaths, Numbers], TextState] = {}
        self.calls: dict[Numbers, tuple[str | None, str]] = {}
        self.type: Any = None
        self.whole: list[Part] = []
        self.is_settled = False
        self.is_reported = self.is_ended = self.is_odd = False

    def get_reported(self, kind: str, name: str | None = None) -> str:
        """Return what was reported of the texts of a kind, or of those of the kind that have a name."""
        texts = [text for text in self.texts.values() if text.event.kind == kind]
        return "".join(
            [piece for text in texts if name in (None, text.event.name) for piece in text.reported]
        )


NO_TEXT = TextState(Event(kind="start"))
