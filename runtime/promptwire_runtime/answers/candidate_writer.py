"""Write the parts of one candidate of a stream, one at a time: the first part of a queue is open, and others wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from ..errors import AnswerError, NoPlace
from ..model.parts import CALLS, CustomToolCall, HostedCall, Part, Reasoning, Refusal, Text, ToolCall
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.notes import Note
from ..reporting.spec_words import spec_word
from ..wire_json.kinds import class_of
from .event_writer import EventWriter
from .events import Event, events_of_part
from .streamed_part import StreamedPart, text_of

# fields that only the API that made them can read
_SEALED = ("signature", "encrypted", "redacted")
# fields without a meaning for a model
_BESIDE = ("id", "item_id", "status", "cache")
_PER_WIRE = ("vendor", "extra")
_KINDS: Mapping[type, str] = {
    Text: "text",
    Reasoning: "reasoning",
    Refusal: "refusal",
    ToolCall: "call",
    CustomToolCall: "call",
}
_EMPTY: Mapping[str, tuple[Part, ...]] = {
    "text": (Text(""),),
    "refusal": (Refusal(""),),
    "reasoning": (Reasoning(text=""),),
}


class CandidateWriter:
    """Writer of the parts of one candidate.

    queue   the parts that are not written whole yet; the first one is open
    items   the parts that are written, as this API's JSON
    calls   how many calls are written; `contents`: how many other parts
    finish  why the model stopped, and the API's word for it, as far as events said
    without_hosted  whether the answer had a call that another API runs itself
    """

    __slots__ = (
        "_calls", "_is_begun", "_losses", "_number", "_out", "_parts", "_path", "_target", "calls", "contents",
        "finish", "items", "queue", "without_hosted",
    )  # fmt: skip

    def __init__(self, number: int, out: EventWriter) -> None:
        self.queue: deque[StreamedPart] = deque()
        self.items: list[Any] = []
        self.calls = self.contents = 0
        self.finish: tuple[str | None, str] = (None, "")
        self.without_hosted = False
        self._number = number
        self._path = f"messages[{number}]"
        self._out = out
        self._target = out.target
        self._losses = out.losses
        self._is_begun = False
        # the number of a part in its list -> what events reported of it
        self._parts: dict[int | None, list[StreamedPart]] = {}
        # the place of a call -> the call
        self._calls: dict[tuple[int, ...], StreamedPart] = {}

    def take(self, event: Event) -> None:
        """Take an event of this candidate, and write what it completes."""
        kind = "call" if event.kind == "arguments" else event.kind
        if kind == "refusal" and not self._target.refuses:
            why = f"no answer of {self._target.wire.title} has a refusal: it becomes text"
            self._losses.note(self._path, "refusal", why, "replaced")
            event, kind = replace(event, kind="text", data=None), "text"
        if kind == "finish":
            self.finish = event.name, event.text
        elif kind == "part":
            self._take_unreported(event)
            self._take_message(event)
            self.advance()
        elif kind not in self._target.written.kinds:
            self._losses.report(self._path, kind)
        elif self._is_second(event):
            why = f"{self._target.wire.title} has one place for thinking, which holds the thinking itself"
            self._losses.note(self._path, "reasoning.summary", why)
        elif self._add(event):
            self.advance()
        else:
            self._losses.note(self._path, "arguments", "they are of no call that the caller answers")

    def advance(self, *, ended: bool = False) -> None:
        """Write the new pieces of the open part, and the parts after it once it is complete."""
        self._begin()
        while self.queue:
            part = self.queue[0]
            if not part.values:
                part.open(self._number, self.calls, self.contents)
            part.write()
            if not (ended or part.json is not None or (len(self.queue) > 1 and part.is_whole)):
                return
            self.queue.popleft()
            item = part.end()
            if part.kind == "call":
                self.calls += 1
            else:
                self.contents += 1
            if item is not None:
                self.items.append(item)

    def _begin(self) -> None:
        """Write the events before the first part, once."""
        if not self._is_begun:
            self._is_begun = True
            self._out.write(self._target.written.start, self._out.about(self._number))

    # events of texts and calls

    def _add(self, event: Event) -> bool:
        """Add an event to its part. Return False for arguments of an unknown call.

        Raises AnswerError for arguments of a call that has ended.
        """
        if event.kind == "arguments":
            call = self._calls.get(event.place)
            if call is None:
                return False
            if call.is_ended:
                raise AnswerError(
                    f"arguments of the call {call.event.name} came after it had ended: {event.text[:80]!r}"
                )
            call.add(event)
            return True
        if self.queue and self.queue[-1].takes(event):
            return True
        part = StreamedPart(event, self._out)
        known = self._parts.setdefault(event.part, [])
        if part.began is None and event.part is not None:
            # another kind of text in a part that has begun
            began = next((other.began for other in known if not other.is_compared), None)
            part.began = began and replace(began, id=None, parts=_EMPTY.get(part.kind, ()))
        self.queue.append(part)
        known.append(part)
        if part.kind == "call":
            self._calls[event.place] = part
        return True

    def _is_second(self, event: Event) -> bool:
        """Return whether an event is the summary of thinking that is written, on an API that has one place for both."""
        return (
            event.kind == "reasoning"
            and event.name == "summary"
            and "texts" not in self._target.written.kinds
            and any(text.event.name == "texts" for part in self._reported(event) for text in part.texts)
        )

    # whole parts

    def _reported(self, event: Event) -> list[StreamedPart]:
        """Return what events reported of a part, without what whole parts were compared with."""
        return [part for part in self._parts.get(event.part, ()) if not part.is_compared]

    def _report_of(self, part: Part, event: Event) -> StreamedPart | None:
        """Return what events reported of a neutral part, to be compared with it."""
        kind = _KINDS.get(type(part), "")
        found = next(
            (each for each in self._reported(event) if each.kind == kind and _is_of(each, part)), None
        )
        if found is not None:
            found.is_compared = True
            return found
        return self._last_of(kind, event)

    def _last_of(self, kind: str, event: Event) -> StreamedPart | None:
        parts = reversed(self._parts.get(event.part, ()))
        return next((part for part in parts if part.kind == kind), None)

    def _take_unreported(self, event: Event) -> None:
        """Take the texts and calls of a message that no event reported, as their own events would report them."""
        for place, part in enumerate(event.data.parts):
            kind = _KINDS.get(class_of(part))
            if kind == "refusal" and not self._target.refuses:
                kind = "text"
            if kind is None or self._last_of(kind, event) is not None:
                continue
            alone = replace(event.data, parts=(part,), kept=None)
            for said in events_of_part(part, alone, self._number, (*event.place, place)):
                if said.kind != "part":
                    self.take(replace(said, part=event.part))

    def _take_message(self, event: Event) -> None:
        """Take a message with one complete part, or with all parts on APIs without a list of parts."""
        message, target = self._without_refusals(event.data), self._target
        own, reported = target.is_own(message), self._reported(event)
        if own and not target.is_listed:
            # one part alone does not say which call of the message it is
            part = self._report_of(message.parts[0], event) if event.part is not None else None
            self._take_part(event, message, part)
        elif own and event.part is not None and len(reported) < 2:
            self._take_part(event, message, reported[0] if reported else None)
        else:
            # of another API, what no events of its own reported is no part of the same item
            apart = message if own else replace(message, id=None, phase=None)
            for each in message.parts:
                part = self._report_of(each, event)
                around = apart if part is None else message
                if part is not None and reported[:1] != [part]:
                    # the first piece of an item has its id
                    around = replace(message, id=None)
                mine = each if part is None else part.own_piece(each)
                self._take_part(event, replace(around, parts=(mine,), kept=None), part)

    def _without_refusals(self, message: Message) -> Message:
        """Return a message with texts in place of refusals, on an API that has none."""
        if self._target.refuses or not any(isinstance(part, Refusal) for part in message.parts):
            return message
        parts = [Text(part.text) if isinstance(part, Refusal) else part for part in message.parts]
        return replace(message, parts=tuple(parts), kept=None)

    def _take_part(self, event: Event, message: Message, part: StreamedPart | None) -> None:
        """Take a message with one complete part, and what events reported of it, if anything."""
        node, word = message.parts[0], spec_word(message.parts[0])
        try:
            before = self._text_before(part)
            elements, notes = self._target.elements(message, self._losses.policies, text_before=before)
        except NoPlace as error:
            if part is None or error.field not in ("", word):
                raise
            elements, notes = [], [Note("dropped", "", "", str(error))]
        # a message of nothing but this part is left out with it
        lost = [note for note in notes if note.action != "missing" and note.field != "message"]
        self._report_losses(node, lost, told=part is not None)
        if part is None and not elements and not any(".parts[" in note.path for note in notes):
            # it stands as no element of its own
            self._losses.report(self._path, word)
        own = self._target.is_own(message)
        self.without_hosted |= not own and isinstance(node, HostedCall)
        for element in elements:
            if part is not None and part.json is None and not part.is_ended:
                # of a text that was cut, the JSON is made
                is_whole = any(node is each for each in event.data.parts)
                part.json, part.is_own, part.node = element, own and is_whole, node
            elif own or self._target.rest(element):
                self._take_element(event, element, part, word)

    def _text_before(self, part: StreamedPart | None) -> int:
        """Return the length of the text before a part."""
        every = [each for parts in self._parts.values() for each in parts]
        before = every[: every.index(part)] if part in every else every
        return sum(len(each.text) for each in before if each.kind == "text")

    def _report_losses(self, part: Part, notes: list[Note], *, told: bool) -> None:
        """Report the notes of a part; after its events were written, only for fields that they did not hold."""
        word = spec_word(part)
        named = {note.field or word for note in notes}
        for note in notes:
            if not told or note.field not in ("", word):
                self._losses.note(self._path, note.field or word, note.why, note.action)
                continue
            for field in _SEALED:
                if field not in named and getattr(part, field, None) is not None:
                    self._losses.report(self._path, field, note.why)
            beside = [field for field in _BESIDE if getattr(part, field, None) is not None]
            vendor = [f"{name}.{wire}" for name in _PER_WIRE for wire in getattr(part, name) or ()]
            for field in (*beside, *vendor):
                self._losses.note(self._path, field, note.why)

    def _take_element(
        self, event: Event, element: dict[str, Any], reported: StreamedPart | None, word: str
    ) -> None:
        """Take a complete part whose events have ended, or that had none."""
        message: Message = event.data
        node = message.parts[0] if len(message.parts) == 1 else None
        if self._target.is_listed and reported is not None:
            reported.json, reported.node = element, node
            reported.report_rest()
            return
        part = StreamedPart(event, self._out)
        part.json, part.node, part.is_own = element, node, self._target.is_own(message)
        if not self._target.is_listed:
            self._begin()
            if reported is not None:
                part.kind, part.values = reported.kind, dict(reported.values)
            if not part.values:
                part.number(self._number, self.calls, self.contents)
            part.complete()
            part.report_rest()
        elif "part" in self._target.written.kinds:
            self.queue.append(part)
        else:
            self._losses.report(self._path, word)


def _is_of(reported: StreamedPart, part: Part) -> bool:
    """Return whether events reported a neutral part."""
    if isinstance(part, CALLS):
        return (reported.event.id or None, reported.event.name) == (part.id or None, part.name)
    return reported.text == text_of(part)
