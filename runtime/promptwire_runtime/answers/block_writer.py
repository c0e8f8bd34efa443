"""Write the parts of a stream as events of one API, one open part at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

from ..build.encoding import encoded
from ..build.wire import Wire
from ..errors import InvalidRequest, NoPlace
from ..reporting.notes import Note
from ..reporting.policies import LENIENT, Policies
from ..wire_json.kinds import is_list, is_object
from .accumulator import AnswerAccumulator, ignore_event
from .answer import Usage
from .buffers import EACH, IndexedList, at, json_object, settled
from .frame_bytes import Framed
from .framing import Frame
from .made_values import complete_counts, made_id
from .part_json import PartJson, field_of, leaves, merged, missing
from .stream_blocks import Block, Blocks
from .stream_table import StreamTable
from .table import AnswerTable, write_counts
from .vendor_options import VendorWriter
from .written import WrittenEvents, WrittenKind, WrittenStream, filled


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


class WrittenBody:
    """The answer body as a reader of the written events would see it so far."""

    __slots__ = ("_body", "_filters", "_many", "_stream", "envelope", "takes_objects")

    def __init__(self, stream: StreamTable, answers: AnswerTable) -> None:
        """Start with nothing."""
        self.envelope = stream.envelope
        self._stream = stream
        self._filters = stream.filters(answers)
        self._body = AnswerAccumulator()
        self._many = answers.candidate is not None
        # whether the pieces of arguments are those of an object
        self.takes_objects = bool(stream.decoded)

    def take(self, frame: Frame) -> None:
        """Apply an event to the body."""
        if not is_object(frame.data):
            return
        data = settled(frame.data, (), frozenset())
        steps = self._stream.steps(data, self._stream.name_of(data, frame.name), self._filters)
        if steps is not None:
            self._body.take(data, steps, ignore_event)

    def whole(self) -> Any:
        """Return the body so far."""
        return settled(self._body.body, (), self._stream.decoded)

    def part(self, candidate: int, block: int) -> Any:
        """Return the part with a number. Without numbers in events, return the last part, or the message."""
        path, numbers = self._stream.part, (candidate,) if self._many else ()
        if path[-1:] != (EACH,):
            found = at(self._body.body, path, numbers)
        else:
            parts = at(self._body.body, path[:-1], numbers)
            found = parts.get((block, "")) if isinstance(parts, IndexedList) else parts[-1] if parts else None
        return settled(found, path, self._stream.decoded)


_NOTHING = WrittenKind()


class BlockWriter:
    """Writer of events, which remembers the answer that they add up to.

    usage    the token usage so far
    options  the known keys of this API that are written at the end
    values   the template values of all events
    """

    def __init__(  # noqa: PLR0913  # what a wire knows, and where its events go
        self,
        wire: Wire,
        answers: AnswerTable,
        written: WrittenStream,
        *,
        json: PartJson,
        body: WrittenBody,
        options: VendorWriter,
        losses: LossReporter,
        framed: Framed,
        by: str,
        values: dict[str, Any],
    ) -> None:
        """Start with nothing."""
        self.usage: Usage | None = None
        self.values = values
        self._wire = wire
        self._answers = answers
        self._written = written
        self._json = json
        self._body = body
        self.options = options
        self._losses = losses
        self._framed = framed
        self._by = by
        self._envelope = body.envelope
        self._out: list[bytes] = []

    def write(
        self, events: WrittenEvents, values: dict[str, Any], *, last: bool = False, error: bool = False
    ) -> None:
        """Fill the templates of events and write them; the `last` events of a stream also hold vendor options."""
        for event in events:
            values["sequence"] = self.values["sequence"]
            self.values["sequence"] += 1
            name, template = event if is_list(event) else (None, event)
            if is_object(template) and not error:
                template = {**self._written.every, **template}
            data = filled(template, values)
            if last:
                self.options.put(name, data, template, values["candidate"])
            named = data.get(self._by) if self._by and is_object(data) else None
            if self._envelope and name is not None and name != "error":
                self._out.append(self._framed.frame(None, {name: data}))
            else:
                self._out.append(self._framed.frame(name or named, data))
            # after its bytes, which only JSON has
            self._body.take(Frame(name, data))

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        out, self._out = b"".join(self._out), []
        return out

    def about(self, number: int) -> dict[str, Any]:
        """Return the template values for events of a candidate."""
        counts = None if self.usage is None else write_counts(self.usage, self._answers, own=False)
        usage = counts if counts is None else complete_counts(counts, self._answers)
        return {**self.values, "candidate": number, "usage": usage}

    def body(self) -> Any:
        """Return the body accumulated from the events so far."""
        return self._body.whole()

    def begin(self, number: int, blocks: Blocks) -> None:
        """Write the events before the first part of a candidate, once."""
        if not blocks.begun:
            blocks.begun = True
            self.write(self._written.start, self.about(number))

    def advance(self, number: int, blocks: Blocks, *, ended: bool = False) -> None:
        """Write the new pieces of the open part, and the parts after it once it is complete."""
        self.begin(number, blocks)
        if blocks.open is not None:
            self._pieces(blocks.open)
        while blocks.open is not None or blocks.waiting:
            if blocks.open is not None:
                if not (ended or blocks.open.whole is not None or (blocks.waiting and blocks.open.is_whole)):
                    return
                self._shut(blocks, blocks.open)
            if blocks.waiting:
                self._open(number, blocks, blocks.waiting.popleft())

    def say_more(self, number: int, blocks: Blocks, block: Block) -> None:
        """Write the keys of a message beside its parts, on APIs whose parts are not in a list."""
        self.begin(number, blocks)
        block.values = block.values or self._of(number, blocks, block)
        self._complete(block)
        self.name_rest(block)

    def _open(self, number: int, blocks: Blocks, block: Block) -> None:
        blocks.open = block
        block.values = self._of(number, blocks, block)
        kind = self._kind(block)
        if block.is_custom and kind is not self._written.kinds.get("custom"):
            why = f"{self._wire.title} has no such calls: it becomes the call of a function"
            self._losses.note(f"messages[{number}]", "custom_tool_call", why, "replaced")
        if kind.ids and not block.id:
            self._losses.note(
                f"messages[{number}]", "id", f"{self._wire.title} asks for one of each call", "added"
            )
        self.write(kind.open, block.values)
        if kind.before:
            self._say(kind.before, block.values["begun"], block)
        self._pieces(block)

    def _kind(self, block: Block, inner: int = 0) -> WrittenKind:
        """Return the events of a part, or of a text inside. Calls of custom tools and thinking may have their own."""
        kinds = self._written.kinds
        if block.is_custom:
            return kinds.get("custom", kinds["call"])
        return kinds.get(block.fields[inner] or "", kinds[block.kind])

    def _pieces(self, block: Block) -> None:
        for place in range(block.written, len(block.pieces)):
            if place in block.inner:
                self._turn(block, block.inner.index(place))
            self.write(self._kind(block, block.turn).piece, {**block.values, "text": block.pieces[place]})
            block.values["first"] = None
        block.written = len(block.pieces)

    def _turn(self, block: Block, number: int) -> None:
        """Write the end of a text inside of a part, and the beginning of the next."""
        if number:
            self._end_inner(block)
        block.turn, kind = number, self._kind(block, number)
        block.values["inner"] = sum([self._kind(block, before) is kind for before in range(number)])
        self.write(kind.begin, block.values)

    def _end_inner(self, block: Block) -> None:
        values = {**block.values, "whole": block.text_in([block.turn])}
        self.write(self._kind(block, block.turn).end, values)

    def _item(self, block: Block) -> Any:
        """Return a whole part as its texts make it."""
        numbers: dict[WrittenKind, list[int]] = {}
        for number in range(len(block.inner)):
            numbers.setdefault(self._kind(block, number), []).append(number)
        items: list[Any] = []
        for kind, texts in numbers.items():
            wholes = [block.text_in([number]) for number in texts]
            items.append(filled(kind.item, {**block.values, "whole": "".join(wholes), "wholes": wholes}))
        return reduce(merged, items)

    def _shut(self, blocks: Blocks, block: Block) -> None:
        """Write the end of the open part."""
        kind, blocks.open = self._kind(block), None
        if kind.empty and not block.text.strip():
            block.pieces.append(kind.empty)
            self._pieces(block)
        if block.pieces:
            self._end_inner(block)
        values = block.values
        values["whole"] = block.text
        if kind.json:
            values["arguments"] = self._object(block)
        elif self._body.takes_objects and block.kind == "call" and not block.is_custom:
            self._check_arguments(block)
        item = self._item(block)
        if block.whole is not None:
            values["rest"] = self._json.rest(block.whole, values["call"])
            exact = block.own or block.kind == "part"
            item = block.whole if exact else merged(item, values["rest"]) if item else None
            self._complete(block)
        values["item"] = item
        self.write(kind.close, values)
        self.name_rest(block)
        blocks.shut(block, item)

    def _check_arguments(self, block: Block) -> None:
        """Note arguments that were written in pieces and are no JSON object, which the API asks for."""
        if block.text.strip() and json_object(block.text) is None:
            self._losses.note(self._path(block), "arguments", self._no_object(block), "passed through")

    def _complete(self, block: Block) -> None:
        """Write the values of a complete part that its own events did not hold."""
        kind = self._kind(block) if self._json.listed else self._written.kinds.get("part", _NOTHING)
        grown = self._grown(block)
        lacking: Any = missing(self._rest(block), grown) or {}
        self._say(kind.more, self._json.with_whole_lists(lacking, block.whole or {}, grown), block)

    def _say(self, rows: Mapping[tuple[str, ...], WrittenEvents], said: Any, block: Block) -> None:
        """Write the values for which there are events, each element of a list by itself."""
        for path, events in rows.items():
            for number, value in enumerate(_values(said, path)):
                self.write(events, {**block.values, **_inside("more", value), "inner": number})

    def name_rest(self, block: Block) -> None:
        """Report the values of a complete part that no event of this API can hold."""
        if block.whole is None:
            return
        left = missing(self._rest(block), self._grown(block), other=True)
        for path, value in leaves(left):
            why = f"no event of {self._wire.title} has a place for it"
            field = field_of(block.node, path, value)
            self._losses.report(self._path(block), field, why)

    def _rest(self, block: Block) -> dict[str, Any]:
        whole = block.whole or {}
        if block.kind == "part" and self._json.listed:
            # nothing of it was told
            return whole
        return self._json.rest(whole, block.values["call"] if block.kind == "call" else None)

    def _grown(self, block: Block) -> Any:
        values = block.values
        return self._body.part(values["candidate"], values["block"]) or {}

    def _object(self, block: Block) -> dict[str, Any]:
        """Decode the arguments of a call."""
        arguments = json_object(block.text.strip() or "{}")
        if arguments is None:
            why = self._no_object(block)
            if self._losses.policies.loss == "raise":
                raise InvalidRequest(why, wire=self._wire.name, field="arguments")
            self._losses.note(self._path(block), "arguments", why, "replaced")
        return arguments or {}

    def _no_object(self, block: Block) -> str:
        return f"{self._wire.title} takes arguments that are a JSON object, and these are none: {block.text[:80]!r}"

    def _path(self, block: Block) -> str:
        return f"messages[{block.values['candidate']}]"

    def _of(self, number: int, blocks: Blocks, block: Block) -> dict[str, Any]:
        """Return the template values for the events of one part."""
        place = blocks.calls + blocks.parts
        made = made_id(self.values["id"], number, place, block.name)
        begun = self._begun(block)
        # lists are said by events of their own
        began = {key: value for key, value in begun.items() if not is_list(value)}
        return {
            **self.values,
            "candidate": number,
            "block": place,
            "call": blocks.calls,
            "content": blocks.parts,
            "inner": 0,
            "made": made,
            "given": begun.get("id"),
            "begun": begun,
            "began": began,
            "first": began,
            **_inside("part", block.whole),
            "id_given": block.id or None,
            "call_id": block.id or f"call_{made}",
            "name": block.name,
        }

    def _begun(self, block: Block) -> dict[str, Any]:
        """Return the JSON that a part began with, in this API's format."""
        if block.began is None or not self._json.listed or block.kind == "part":
            return {}
        elements, _ = self._json.write(block.began, LENIENT)
        return self._json.rest(elements[0]) if elements else {}


def _inside(name: str, value: Any) -> dict[str, Any]:
    """Return the holes for a value, for the keys of an object, and for its JSON text."""
    if not is_object(value):
        return {name: value}
    inside = {f"{name}.{key}": inner for key, inner in value.items()}
    return {name: value, f"{name}.json": encoded(value).decode(), **inside}


def _values(lacking: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """Return the values at a path; `*` in the path means each element of a list."""
    if not path:
        if lacking:
            yield lacking
    elif path[0] == EACH:
        for element in lacking if is_list(lacking) else ():
            yield from _values(element, path[1:])
    elif isinstance(lacking, Mapping) and path[0] in lacking:
        yield from _values(lacking[path[0]], path[1:])
