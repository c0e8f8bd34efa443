"""Write a stream: take neutral events, and return the bytes of one API's own events in the order of that API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..build.wire import Wire
from ..build.writers import Writers
from ..errors import AnswerError
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from ..reporting.policies import Policies, policies_of
from .answer import Answer
from .api_error import error_values
from .candidate_writer import CandidateWriter
from .event_writer import EventWriter, LossReporter
from .events import Event, events_of
from .frame_bytes import framed_of
from .made_values import time_text
from .stream_table import StreamTable
from .stream_target import StreamTarget
from .streamed_part import StreamedPart
from .table import AnswerTable, counts_without_place
from .written import WrittenStream


def path_of(event: Event) -> str:
    """Return the path of an event for notes."""
    return f"messages[{event.candidate}]"


def values_of(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values common to all events. Raises InvalidRequest for an invalid id, model or time."""
    check_class(known["id"], str, "id")
    check_class(known["model"], str, "model")
    return {**known, "created_at": time_text(known["created"]), "sequence": 0}


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
        if notes is not None:
            check_class(notes, list, "notes")
        self.notes: list[Note] = [] if notes is None else notes
        self.framing = framing or stream.framing
        self._usage = usage
        self._target = StreamTarget(wire, writers, answers, stream, written)
        self._framed = framed_of(self.framing, wire.title)
        self._losses = LossReporter(wire, policies_of(policies), self.notes)
        # among server-sent events, what the data calls an event stands beside it as well
        by = stream.by if self.framing == "sse" else ""
        self._out = EventWriter(self._target, self._framed, by, self._losses, values)
        self._candidates: dict[int, CandidateWriter] = {}
        # the open part, if nothing waits behind it
        self._open: StreamedPart | None = None
        self._failed = self._closed = False

    def feed(self, event: Event) -> bytes:
        """Return the bytes that an event completes. The finish reason and the token usage are written by `close`.

        Raises:
            NoPlace: the API does not support what the event says, and the policies do not turn the loss into a note.
            InvalidRequest: the API accepts only JSON objects as arguments, and the arguments of a call are none.
        """
        part, self._open = self._open, None
        # most pieces continue the text of the last event
        if part is not None and type(event) is Event and part.write_next(event):
            self._open = part
            return self._out.taken()
        if self._closed:
            raise AnswerError(f"{self._target.wire.title}: the stream is closed: nothing follows")
        check_class(event, Event, "event")
        if not self._failed:
            self._take(event)
        return self._out.taken()

    def close(self) -> bytes:
        """Return the bytes that end the stream."""
        if self._closed:
            return b""
        if not self._failed:
            self._candidates = self._candidates or {0: CandidateWriter(0, self._out)}
            for candidate in self._candidates.values():
                candidate.advance(ended=True)
            self._end()
        self._closed, self._open = True, None
        return self._out.taken() + self._framed.end()

    def answer(self, answer: Answer) -> bytes:
        """Return the bytes of a complete answer and of the end of the stream."""
        check_class(answer, Answer, "answer")
        written = [self.feed(event) for event in events_of(answer)]
        return b"".join([*written, self.close()])

    def _take(self, event: Event) -> None:
        """Take an event that does not continue the text of the last one."""
        title, path = self._target.wire.title, path_of(event)
        if event.kind == "start":
            return
        if event.kind == "usage":
            self._out.usage = event.data
        elif event.kind == "vendor":
            self._take_options(event)
        elif event.kind == "error":
            values = {**self._out.values, **error_values(event.data, self._target.answers)}
            self._out.write(self._target.written.error, values, error=True)
            self._failed = True
        elif event.kind == "unknown":
            self._losses.note(path, event.name or "event", f"{title} has no such event")
        elif event.kind == "problem":
            self._losses.note(path, event.name or "event", event.text, "passed through")
        elif event.kind == "replaced":
            why = f"it was replaced after it was written, and the stream cannot take it back: {event.text[:200]!r}"
            self._losses.note(path, event.name or "event", why, "passed through")
        elif event.candidate and self._target.answers.candidate is None:
            self._losses.report(path, "candidate", f"{title} gives one answer only")
        else:
            self._take_part(event)

    def _take_part(self, event: Event) -> None:
        """Take an event of a part or the finish of a candidate."""
        candidate = self._candidates.get(event.candidate)
        if candidate is None:
            candidate = self._candidates[event.candidate] = CandidateWriter(event.candidate, self._out)
        candidate.take(event)
        if len(candidate.queue) == 1:
            self._open = candidate.queue[0]

    def _take_options(self, event: Event) -> None:
        """Take the known keys of this API; those of others are noted."""
        self._out.options.take(event)
        for wire in event.data.keys() - {self._target.wire.name}:
            for name in event.data[wire]:
                field, why = f"vendor.{wire}.{name}", f"only {wire} has this key"
                self._losses.note(path_of(event) if event.place else "", field, why)

    def _end(self) -> None:
        """Write the finish reason, the token usage and the end of the stream."""
        out, target = self._out, self._target
        title, written, answers = target.wire.title, target.written, target.answers
        if out.usage is None and answers.always_counts:
            self._losses.note("", "usage", f"{title} always gives it, and nothing is known", "missing")
        for number, candidate in self._candidates.items():
            out.write(written.finish, self._ending(number, candidate), last=True)
        if out.usage is not None and (self._usage or not written.usage_on_request):
            out.write(written.usage, out.about(0), last=True)
            for name in counts_without_place(out.usage, answers):
                self._losses.note("", name, f"{title} does not count it")
        out.write(written.end, self._ending(0, next(iter(self._candidates.values()))), last=True)
        for place, name in out.options.left:
            field, why = f"vendor.{target.wire.name}.{name}", f"no event of {title} has a place for it"
            self._losses.note(place, field, why)

    def _ending(self, number: int, candidate: CandidateWriter) -> dict[str, Any]:
        word, _, detail = (self._word(candidate) or "").partition(".")
        ending = {"finish": word or None, "finish.detail": detail or None, "items": candidate.items}
        return {**self._out.about(number), **ending, "body": self._out.body()}

    def _word(self, candidate: CandidateWriter) -> str | None:
        """Return this API's finish word of a candidate: the recorded one if it has the same meaning here."""
        (finish, raw), answers, title = candidate.finish, self._target.answers, self._target.wire.title
        if finish is None:
            self._losses.note("", "finish", "nothing says why the answer ended", "missing")
        # calls that end with `stop` are calls all the same, and a hosted call without a place here is none
        if candidate.calls and finish in ("stop", None):
            finish = "tool_calls"
        elif candidate.without_hosted and not candidate.calls and finish == "tool_calls":
            finish = "stop"
        word = answers.word_for(finish or "stop", raw, self._target.written.ends)
        meaning = None if word is None else answers.meaning_of(word)
        if finish is not None and meaning != finish and (finish, meaning) != ("tool_calls", "stop"):
            becomes = "it is left out" if word is None else f"it becomes {word}"
            self._losses.note("", "finish", f"{title} has no word for {finish}: {becomes}", "replaced")
        return word
