"""Write a stream: take neutral events, and return the bytes of one API's own events in the order of that API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..build.wire import Wire
from ..build.writers import Writers
from ..errors import AnswerError, NoPlace
from ..model.parts import HostedCall, Refusal, Text
from ..model.request import Message
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from ..reporting.policies import Policies, policies_of
from ..reporting.spec_words import spec_word
from .answer import Answer
from .answer_writer import has_refusals
from .api_error import error_values
from .block_writer import BlockWriter, LossReporter, WrittenBody
from .events import Event, events_of, events_of_part
from .frame_bytes import framed_of
from .made_values import time_text
from .part_json import PartJson
from .stream_blocks import Block, Blocks
from .stream_table import StreamTable
from .table import AnswerTable, counts_without_place
from .vendor_options import VendorWriter
from .written import WrittenStream


def path_of(event: Event) -> str:
    """Return the path of an event for notes."""
    return f"messages[{event.candidate}]"


def values_of(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values common to all events. Raises InvalidRequest for an invalid id, model or time."""
    check_class(known["id"], str, "id")
    check_class(known["model"], str, "model")
    return {**known, "created_at": time_text(known["created"]), "sequence": 0}


# fields that only the API that made them can read
_SEALED = ("signature", "encrypted", "redacted")
# fields without a meaning for a model
_BESIDE = ("id", "item_id", "status", "cache")
_PER_WIRE = ("vendor", "extra")


class StreamWriter:
    """Writer of one streamed answer.

    `feed` takes a neutral event and returns the bytes that it completes; `close` returns the bytes that end the stream.
    `answer` takes a complete answer instead and returns all bytes.

    notes    the losses and replacements so far
    framing  the name of the framing: how events are separated
    """

    def __init__(  # noqa: PLR0913  # what a wire knows, and what its caller says
        self,
        wire: Wire,
        writers: Writers,
        answers: AnswerTable,
        stream: StreamTable,
        written: WrittenStream,
        *,
        framing: str | None,
        known: Mapping[str, Any],
        policies: Policies | str | Mapping[str, Any],
        notes: list[Note] | None,
        usage: bool = False,
    ) -> None:
        """Start with nothing."""
        values = values_of(known)
        self._usage = usage
        self._refuses = "refusal" in written.kinds and has_refusals(writers, answers)
        if notes is not None:
            check_class(notes, list, "notes")
        framing = framing or stream.framing
        self.notes: list[Note] = [] if notes is None else notes
        self.framing = framing
        self._wire = wire
        self._written = written
        self._answers = answers
        self._framed = framed_of(framing, wire.title)
        self._losses = LossReporter(wire, policies_of(policies), self.notes)
        self._json = PartJson(wire, writers, answers, stream)
        self._parts = BlockWriter(
            wire,
            answers,
            written,
            json=self._json,
            body=WrittenBody(stream, answers),
            options=VendorWriter(wire.name, stream, answers),
            losses=self._losses,
            framed=self._framed,
            # among server-sent events, what the data calls an event stands beside it as well
            by=stream.by if framing == "sse" else "",
            values=values,
        )
        self._candidates: dict[int, Blocks] = {}
        self._failed = self._closed = False

    def feed(self, event: Event) -> bytes:
        """Return the bytes that an event completes. The finish reason and the token usage are written by `close`.

        Raises:
            NoPlace: the API does not support what the event says, and the policies do not turn the loss into a note.
            InvalidRequest: the API accepts only JSON objects as arguments, and the arguments of a call are none.
        """
        if self._closed:
            raise AnswerError(f"{self._wire.title}: the stream is closed: nothing follows")
        check_class(event, Event, "event")
        if self._failed or event.kind == "start":
            return b""
        if event.kind == "usage":
            self._parts.usage = event.data
        elif event.kind == "vendor":
            self._take_options(event)
        elif event.kind == "error":
            values = {**self._parts.values, **error_values(event.data, self._answers)}
            self._parts.write(self._written.error, values, error=True)
            self._failed = True
        elif event.kind == "unknown":
            self._losses.note(path_of(event), event.name or "event", f"{self._wire.title} has no such event")
        elif event.kind == "problem":
            self._losses.note(path_of(event), event.name or "event", event.text, "passed through")
        elif event.kind == "replaced":
            why = f"it was replaced after it was written, and the stream cannot take it back: {event.text[:200]!r}"
            self._losses.note(path_of(event), event.name or "event", why, "passed through")
        elif self._has_place(event):
            self._take(event)
        return self._parts.taken()

    def close(self) -> bytes:
        """Return the bytes that end the stream."""
        if self._closed:
            return b""
        if not self._failed:
            self._candidates = self._candidates or {0: Blocks()}
            for number, blocks in self._candidates.items():
                self._parts.advance(number, blocks, ended=True)
            self._end()
        self._closed = True
        return self._parts.taken() + self._framed.end()

    def answer(self, answer: Answer) -> bytes:
        """Return the bytes of a complete answer and of the end of the stream."""
        check_class(answer, Answer, "answer")
        written = [self.feed(event) for event in events_of(answer)]
        return b"".join([*written, self.close()])

    def _take_options(self, event: Event) -> None:
        """Take the known keys of this API; those of others are noted."""
        self._parts.options.take(event)
        for wire in event.data.keys() - {self._wire.name}:
            for name in event.data[wire]:
                field, why = f"vendor.{wire}.{name}", f"only {wire} has this key"
                self._losses.note(path_of(event) if event.place else "", field, why)

    def _has_place(self, event: Event) -> bool:
        """Return whether this API can say what an event says; report it where not."""
        kind = "call" if event.kind == "arguments" else event.kind
        if kind == "refusal" and not self._refuses and "text" in self._written.kinds:
            return True
        if event.candidate and self._answers.candidate is None:
            self._losses.report(path_of(event), "candidate", f"{self._wire.title} gives one answer only")
        elif kind in ("finish", "part") or kind in self._written.kinds:
            return True
        else:
            self._losses.report(path_of(event), kind)
        return False

    def _take(self, event: Event) -> None:
        blocks = self._candidates.setdefault(event.candidate, Blocks())
        if event.kind == "part":
            self._tell(event, blocks)
        if not self._refuses:
            event = self._without_refusal(event)
        if event.kind == "finish":
            blocks.finish = event.name, event.text
        elif event.kind == "part":
            self._take_whole(event, blocks)
            self._parts.advance(event.candidate, blocks)
        elif self._is_second(event, blocks):
            why = f"{self._wire.title} has one place for thinking, which holds the thinking itself"
            self._losses.note(path_of(event), "reasoning.summary", why)
        elif blocks.add(event):
            self._parts.advance(event.candidate, blocks)
        else:
            self._losses.note(path_of(event), "arguments", "they are of no call that the caller answers")

    def _is_second(self, event: Event, blocks: Blocks) -> bool:
        """Return whether an event is the summary of thinking that is written, on an API that has one place for both."""
        return (
            event.kind == "reasoning"
            and event.name == "summary"
            and "texts" not in self._written.kinds
            and any("texts" in block.fields for block in blocks.of_part(event.part))
        )

    def _without_refusal(self, event: Event) -> Event:
        """Return an event with text in place of a refusal, and note it."""
        if event.kind == "refusal":
            why = f"no answer of {self._wire.title} has a refusal: it becomes text"
            self._losses.note(path_of(event), "refusal", why, "replaced")
            return replace(event, kind="text", data=None)
        message = event.data
        if event.kind != "part" or not any(isinstance(part, Refusal) for part in message.parts):
            return event
        parts = [Text(part.text) if isinstance(part, Refusal) else part for part in message.parts]
        return replace(event, data=replace(message, parts=tuple(parts), kept=None))

    def _tell(self, event: Event, blocks: Blocks) -> None:
        """Take the texts and calls of whole parts of which no event told any, as their own events would tell them."""
        for place, part in enumerate(event.data.parts):
            becomes_text = isinstance(part, Refusal) and not self._refuses
            if blocks.is_told(Text(part.text) if becomes_text else part, event.part):
                continue
            alone = replace(event.data, parts=(part,), kept=None)
            for said in events_of_part(part, alone, event.candidate, (*event.place, place)):
                if said.kind != "part" and self._has_place(said):
                    self._take(replace(said, part=event.part))

    def _take_whole(self, event: Event, blocks: Blocks) -> None:
        """Take a complete part, or on APIs without a list of parts a message with all parts."""
        message: Message = event.data
        told = blocks.of_part(event.part)
        if self._json.is_own(message) and not self._json.listed:
            # one part alone does not say which call of the message it is
            block = blocks.told_of(message.parts[0], event.part) if event.part is not None else None
            self._take_part(event, blocks, message, block)
        elif self._json.is_own(message) and event.part is not None and len(told) < 2:
            self._take_part(event, blocks, message, told[0] if told else None)
        else:
            # of another API, what was not told by events of its own is no part of the same item
            apart = message if self._json.is_own(message) else replace(message, id=None, phase=None)
            for part in message.parts:
                block = blocks.told_of(part, event.part)
                mine = part if block is None else block.own_piece(part)
                alone = replace(apart if block is None else message, parts=(mine,), kept=None)
                self._take_part(event, blocks, alone, block)

    def _take_part(self, event: Event, blocks: Blocks, message: Message, block: Block | None) -> None:
        """Take one complete part, and the block that its events opened, if any."""
        if block is not None and block.kind not in self._written.kinds:
            # its own events were reported
            return
        word = spec_word(message.parts[0])
        try:
            elements, notes = self._json.write(message, self._losses.policies)
        except NoPlace as error:
            if block is None or error.field not in ("", word):
                raise
            elements, notes = [], [Note("dropped", "", "", str(error))]
        # a message of nothing but this part is left out with it
        lost = [note for note in notes if note.action != "missing" and note.field != "message"]
        self._report(event, message, lost, told=block is not None)
        if block is None and not elements and not any(".parts[" in note.path for note in notes):
            # it stands as no element of its own
            self._losses.report(path_of(event), word)
        own = self._json.is_own(message)
        blocks.without_hosted |= not own and isinstance(message.parts[0], HostedCall)
        for element in elements:
            if block is not None and block.whole is None and not block.closed:
                block.whole, block.own, block.node = element, own, message.parts[0]
            elif own or self._json.rest(element):
                self._take_alone(event, blocks, element, block, word)

    def _report(self, event: Event, message: Message, notes: list[Note], *, told: bool) -> None:
        """Report the notes of a part; after its events were written, only for fields that they did not hold."""
        part, path = message.parts[0], path_of(event)
        word = spec_word(part)
        named = {note.field or word for note in notes}
        for note in notes:
            if not told or note.field not in ("", word):
                self._losses.note(path, note.field or word, note.why, note.action)
                continue
            for field in _SEALED:
                if field not in named and getattr(part, field, None) is not None:
                    self._losses.report(path, field, note.why)
            for field in _BESIDE:
                if getattr(part, field, None) is not None:
                    self._losses.note(path, field, note.why)
            for field in [f"{name}.{wire}" for name in _PER_WIRE for wire in getattr(part, name) or ()]:
                self._losses.note(path, field, note.why)

    def _take_alone(
        self, event: Event, blocks: Blocks, element: dict[str, Any], told: Block | None, word: str
    ) -> None:
        """Take a complete part whose block is closed, or which has none."""
        block = Block(event)
        block.whole, block.own = element, self._json.is_own(event.data)
        block.node = event.data.parts[0] if len(event.data.parts) == 1 else None
        if not self._json.listed:
            block.values = dict(told.values) if told is not None else {}
            block.kind = told.kind if told is not None else block.kind
            self._parts.say_more(event.candidate, blocks, block)
        elif told is not None:
            told.whole, told.node = element, block.node
            self._parts.name_rest(told)
        elif "part" in self._written.kinds:
            blocks.waiting.append(block)
        else:
            self._losses.report(path_of(event), word)

    def _end(self) -> None:
        """Write the finish reason, the token usage and the end of the stream."""
        parts = self._parts
        if parts.usage is None and self._answers.always_counts:
            self._losses.note(
                "", "usage", f"{self._wire.title} always gives it, and nothing is known", "missing"
            )
        for number, blocks in self._candidates.items():
            parts.write(self._written.finish, self._ending(number, blocks), last=True)
        if parts.usage is not None and (self._usage or not self._written.usage_on_request):
            parts.write(self._written.usage, parts.about(0), last=True)
            for name in counts_without_place(parts.usage, self._answers):
                self._losses.note("", name, f"{self._wire.title} does not count it")
        parts.write(self._written.end, self._ending(0, next(iter(self._candidates.values()))), last=True)
        for place, name in parts.options.left:
            why = f"no event of {self._wire.title} has a place for it"
            self._losses.note(place, f"vendor.{self._wire.name}.{name}", why)

    def _ending(self, number: int, blocks: Blocks) -> dict[str, Any]:
        word, _, detail = (self._word(blocks) or "").partition(".")
        ending = {"finish": word or None, "finish.detail": detail or None, "items": blocks.items}
        return {**self._parts.about(number), **ending, "body": self._parts.body()}

    def _word(self, blocks: Blocks) -> str | None:
        """Return this API's finish word of a candidate: the recorded one if it has the same meaning here."""
        finish, raw = blocks.finish
        if finish is None:
            self._losses.note("", "finish", "nothing says why the answer ended", "missing")
        # calls that end with `stop` are calls all the same, and a hosted call without a place here is none
        if blocks.calls and finish in ("stop", None):
            finish = "tool_calls"
        elif blocks.without_hosted and not blocks.calls and finish == "tool_calls":
            finish = "stop"
        word = self._answers.word_for(finish or "stop", raw, self._written.ends)
        meaning = None if word is None else self._answers.meaning_of(word)
        if finish is not None and meaning != finish and (finish, meaning) != ("tool_calls", "stop"):
            becomes = "it is left out" if word is None else f"it becomes {word}"
            why = f"{self._wire.title} has no word for {finish}: {becomes}"
            self._losses.note("", "finish", why, "replaced")
        return word
