"""Write the events of one stream, and remember the answer that they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ..build.wire import Wire
from ..errors import NoPlace
from ..reporting.notes import Note
from ..reporting.policies import Policies
from ..wire_json.codec import encode, encode_string
from ..wire_json.kinds import is_list, is_object
from .accumulator import AnswerAccumulator, ignore_event
from .answer import Usage
from .buffers import EACH, IndexedList, at, settled
from .frame_bytes import Framed
from .made_values import complete_counts
from .stream_target import StreamTarget
from .table import write_counts
from .vendor_options import VendorWriter
from .written import WrittenEvents, filled

# in place of a text and a number, where the bytes of an event are cut
_TEXT, _SEQUENCE = "\0text\0", "\0sequence\0"
CutEvent: TypeAlias = tuple[str | None, bytes]
_CUTS = {
    encode(_SEQUENCE): b"%(sequence)d",
    encode(_TEXT)[1:-1]: b"%(text)b",
}


class LossReporter:
    """Reports the losses of one stream, each only once.

    notes     the notes so far
    policies  the policies that decide whether a loss is an error
    """

    __slots__ = ("_noted", "_wire", "notes", "policies")

    def __init__(self, wire: Wire, policies: Policies, notes: list[Note]) -> None:
        """Start with nothing."""
        self.notes = notes
        self.policies = policies
        self._wire = wire
        self._noted: set[Note] = set()

    def report(self, path: str, field: str, why: str = "") -> None:
        """Report a value that the API does not support: raise NoPlace or add a note, depending on the policies."""
        why = why or f"{self._wire.title} does not support it"
        if self.policies.loss == "raise":
            raise NoPlace(f"{field}: {why}", wire=self._wire.name, path=path, field=field)
        self.note(path, field, why)

    def note(self, path: str, field: str, why: str, action: str = "dropped") -> None:
        """Add a note unless the same note exists."""
        note = Note(action, path, field, why)
        if note not in self._noted:
            self._noted.add(note)
            self.notes.append(note)


class EventWriter:
    """Writer of the events of one stream.

    target   the API
    losses   where losses are reported
    values   the template values of all events
    usage    the token usage so far
    options  the known keys of this API that are written at the end
    """

    def __init__(
        self, target: StreamTarget, framed: Framed, by: str, losses: LossReporter, values: dict[str, Any]
    ) -> None:
        """Start with nothing.

        Args:
            target: The API.
            framed: The framing.
            by: The key of an event's data that its frame repeats as its name, if any.
            losses: Where losses are reported.
            values: The template values of all events.
        """
        self.target = target
        self.losses = losses
        self.values = values
        self.usage: Usage | None = None
        self.options = VendorWriter(target.wire.name, target.stream, target.answers)
        self._framed = framed
        self._by = by
        self._out: list[bytes] = []
        # the answer body as a reader of the written events sees it
        self._body = AnswerAccumulator()
        self._filters = target.stream.filters(target.answers)

    def write(
        self, events: WrittenEvents, values: dict[str, Any], *, last: bool = False, error: bool = False
    ) -> None:
        """Fill the templates of events and write them; the `last` events of a stream also hold vendor options."""
        for event in events:
            values["sequence"] = self.values["sequence"]
            self.values["sequence"] += 1
            name, template = self._template(event, error=error)
            data = filled(template, values)
            if last:
                self.options.put(name, data, template, values["candidate"])
            self._out.append(self._framed.frame(*self._named(name, data)))
            # after its bytes, which only JSON has
            self._remember(name, data)

    def remember(self, events: WrittenEvents, values: dict[str, Any]) -> None:
        """Add events to the body whose bytes were written as pieces."""
        for event in events:
            name, template = self._template(event)
            self._remember(name, filled(template, values))

    def cut(self, events: WrittenEvents, values: Mapping[str, Any]) -> list[CutEvent]:
        """Return the names of events, and their JSON with holes for a text and a number; none if it cannot be cut."""
        rows: list[CutEvent] = []
        for event in events:
            name, template = self._template(event)
            name, data = self._named(name, filled(template, {**values, "text": _TEXT, "sequence": _SEQUENCE}))
            json = encode(data).replace(b"%", b"%%")
            for mark, hole in _CUTS.items():
                json = json.replace(mark, hole)
            if b"\\u0000" in json:
                # a mark inside of another text
                return []
            rows.append((name, json))
        return rows

    def write_text(self, rows: list[CutEvent], text: str) -> bool:
        """Write the events of a piece of text that were cut. Return False for a text that JSON cannot hold."""
        try:
            letters = encode_string(text)[1:-1].encode()
        except UnicodeEncodeError:
            return False
        number = self.values["sequence"]
        for name, json in rows:
            self._out.append(self._framed.wrap(name, json % {b"text": letters, b"sequence": number}))
            number += 1
        self.values["sequence"] = number
        return True

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        out = b"".join(self._out)
        self._out.clear()
        return out

    def about(self, number: int) -> dict[str, Any]:
        """Return the template values for events of a candidate."""
        answers = self.target.answers
        counts = None if self.usage is None else write_counts(self.usage, answers, own=False)
        usage = counts if counts is None else complete_counts(counts, answers)
        return {**self.values, "candidate": number, "usage": usage}

    def body(self) -> Any:
        """Return the body accumulated from the events so far."""
        return self.target.settled(self._body.body)

    def part(self, candidate: int, block: int) -> Any:
        """Return the part with a number so far. Without numbers in events, return the last part, or the message."""
        target = self.target
        path, numbers = target.stream.part, (candidate,) if target.answers.candidate is not None else ()
        if path[-1:] != (EACH,):
            found = at(self._body.body, path, numbers)
        else:
            parts = at(self._body.body, path[:-1], numbers)
            found = parts.get((block, "")) if isinstance(parts, IndexedList) else parts[-1] if parts else None
        return target.settled(found, path)

    def _template(self, event: Any, *, error: bool = False) -> tuple[str | None, Any]:
        """Return the name of an event and the template of its data."""
        name, template = event if is_list(event) else (None, event)
        every = self.target.written.every
        return name, {**every, **template} if every and is_object(template) and not error else template

    def _named(self, name: str | None, data: Any) -> tuple[str | None, Any]:
        """Return the name of an event's frame, and the data in its envelope if the API has one."""
        if self.target.stream.envelope and name is not None and name != "error":
            return None, {name: data}
        named = data.get(self._by) if self._by and is_object(data) else None
        return name or named, data

    def _remember(self, name: str | None, data: Any) -> None:
        """Apply an event to the body."""
        if not is_object(data):
            return
        data, stream = settled(data, (), frozenset()), self.target.stream
        steps = stream.steps(data, stream.name_of(data, name), self._filters)
        if steps is not None:
            self._body.take(data, steps, ignore_event)
