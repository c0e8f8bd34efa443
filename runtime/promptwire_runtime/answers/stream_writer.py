"""Writing a stream: neutral events in, the bytes of one API's own events out, in the order of that API."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from json import dumps
from time import gmtime, strftime
from typing import Any

from ..build.wire import Wire
from ..errors import AnswerError, InvalidRequest, NoPlace
from ..nodes.records import shown
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from ..reporting.policies import Policies, policies_of
from ..wire_json.kinds import is_object
from .answer import Answer, Usage
from .answer_events import events_of
from .counting import write_counts
from .events import Event
from .frame_bytes import FRAMED
from .stream_blocks import Block, Blocks, json_object
from .table import AnswerTable
from .written import WrittenEvents, WrittenStream, filled

_YEAR_10000 = 253_402_300_800


class StreamWriter:
    """One answer that is written in pieces.

    feed     takes a neutral event, and gives the bytes that it completes
    close    gives the bytes that end the stream
    answer   takes a whole answer instead, and gives all bytes
    notes    what this API cannot say
    framing  what stands between the events
    """

    def __init__(  # noqa: PLR0913  # what a wire knows, and what its caller says
        self,
        wire: Wire,
        written: WrittenStream,
        answers: AnswerTable,
        *,
        framing: str,
        by: str,
        known: Mapping[str, Any],
        policies: Policies | str,
        notes: list[Note] | None,
    ) -> None:
        """Start with nothing."""
        _check_known(known)
        if notes is not None:
            check_class(notes, list, "notes")
        if type(framing) is not str or framing not in FRAMED:
            raise AnswerError(
                f"{wire.title}: no framing is called {shown(framing)}: there are {', '.join(FRAMED)}"
            )
        self.notes: list[Note] = [] if notes is None else notes
        self._wire = wire
        self._written = written
        self._answers = answers
        self.framing = framing
        self._framed = FRAMED[framing]()
        # among server-sent events, what the data calls an event stands beside it as well
        self._by = by if framing == "sse" else ""
        self._policies = policies_of(policies)
        made = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(known["created"]))
        self._values: dict[str, Any] = {**known, "created_at": made, "sequence": 0}
        self._usage: Usage | None = None
        self._candidates: dict[int, Blocks] = {}
        self._noted: set[Note] = set()
        self._out: list[bytes] = []
        self._failed = False
        self._closed = False

    def feed(self, event: Event) -> bytes:
        """Give the bytes that an event completes; what belongs to the end of a stream waits for `close`.

        Raises NoPlace for what this API cannot say, unless the policies say to note it, and InvalidRequest for
        arguments of a call that are no JSON object, where this API takes no other.
        """
        if self._closed:
            raise AnswerError(f"{self._wire.title}: the stream is closed: nothing follows")
        check_class(event, Event, "event")
        if self._failed or event.kind == "start":
            return b""
        if event.kind == "usage":
            self._usage = event.data
        elif event.kind == "error":
            self._write(self._written.error, {**self._values, "message": _error_text(event.data)})
            self._failed = True
        elif event.kind == "unknown":
            self._note(_path(event), event.name or "event", f"{self._wire.title} has no such event")
        elif self._has_place(event):
            self._take(event)
        return self._taken()

    def close(self) -> bytes:
        """Give the bytes that end the stream."""
        if not self._closed and not self._failed:
            self._candidates = self._candidates or {0: Blocks()}
            for number, blocks in self._candidates.items():
                self._advance(number, blocks, ended=True)
            self._end()
        if not self._closed:
            self._out.append(self._framed.end())
        self._closed = True
        return self._taken()

    def answer(self, answer: Answer) -> bytes:
        """Give the bytes of a whole answer, and of the end; what events do not carry is noted."""
        check_class(answer, Answer, "answer")
        written = [self.feed(event) for event in events_of(answer, self._lose)]
        return b"".join([*written, self.close()])

    def _has_place(self, event: Event) -> bool:
        """Tell whether this API can say what an event says; report it where not."""
        kind = "call" if event.kind == "arguments" else event.kind
        if event.candidate and self._answers.candidate is None:
            self._lose(_path(event), "candidate", f"{self._wire.title} gives one answer only")
        elif kind == "finish" or kind in self._written.kinds:
            return True
        else:
            self._lose(_path(event), kind)
        return False

    def _take(self, event: Event) -> None:
        blocks = self._candidates.setdefault(event.candidate, Blocks())
        if event.kind == "finish":
            blocks.finish = event.name, event.text
        elif blocks.add(event):
            self._advance(event.candidate, blocks)
        else:
            self._note(_path(event), "arguments", "they are of no call that the caller answers")

    def _advance(self, number: int, blocks: Blocks, *, ended: bool = False) -> None:
        """Write all that can be written now: pieces of the open part, and those that follow when it is whole."""
        if not blocks.begun:
            blocks.begun = True
            self._write(self._written.start, self._about(number))
        if blocks.open is not None:
            self._pieces(blocks.open)
        while blocks.waiting and (ended or blocks.open is None or blocks.open.is_whole):
            self._shut(blocks)
            blocks.open = block = blocks.waiting.popleft()
            block.values = self._of(number, blocks, block)
            kind = self._written.kinds[block.kind]
            if kind.ids and not block.id:
                self._note(
                    f"messages[{number}]", "id", f"{self._wire.title} asks for one of each call", "added"
                )
            self._write(kind.open, block.values)
            self._pieces(block)
        if ended:
            self._shut(blocks)

    def _pieces(self, block: Block) -> None:
        events = self._written.kinds[block.kind].piece
        for piece in block.pieces[block.written :]:
            self._write(events, {**block.values, "text": piece})
        block.written = len(block.pieces)

    def _shut(self, blocks: Blocks) -> None:
        """Write the end of the open part."""
        block, blocks.open = blocks.open, None
        if block is None:
            return
        kind = self._written.kinds[block.kind]
        if kind.empty and not block.text.strip():
            block.pieces.append(kind.empty)
            self._pieces(block)
        values = {**block.values, "whole": block.text}
        if kind.json:
            values["arguments"] = self._object(block)
        values["item"] = filled(kind.item, values)
        self._write(kind.close, values)
        blocks.shut(block, values["item"])

    def _object(self, block: Block) -> dict[str, Any]:
        """Decode the arguments of a call."""
        arguments = json_object(block.text.strip() or "{}")
        if arguments is None:
            why = f"{self._wire.title} takes arguments that are a JSON object, and these are none: "
            raise InvalidRequest(why + repr(block.text[:80]), wire=self._wire.name, field="arguments")
        return arguments

    def _end(self) -> None:
        """Write why the model stopped, the counts, and the end."""
        if self._usage is None and self._answers.always_counts:
            self._note("", "usage", f"{self._wire.title} always gives it, and nothing is known", "omitted")
        for number, blocks in self._candidates.items():
            self._write(self._written.finish, self._ending(number, blocks))
        if self._usage is not None:
            self._write(self._written.usage, self._about(0))
        self._write(self._written.end, self._ending(0, next(iter(self._candidates.values()))))

    def _ending(self, number: int, blocks: Blocks) -> dict[str, Any]:
        word, _, detail = (self._word(blocks) or "").partition(".")
        ending = {"finish": word or None, "finish.detail": detail or None, "items": blocks.items}
        return {**self._about(number), **ending}

    def _word(self, blocks: Blocks) -> str | None:
        """Give this API's word for the end of a candidate: the one that came, where it means the same here."""
        finish, raw = blocks.finish
        if finish is None:
            self._note("", "finish", "nothing says why the answer ended", "omitted")
        # calls that end with `stop` are calls all the same
        finish = "tool_calls" if blocks.calls and finish in ("stop", None) else finish
        return self._answers.word_for(finish or "stop", raw, self._written.ends)

    def _about(self, number: int) -> dict[str, Any]:
        usage = None if self._usage is None else write_counts(self._usage, self._answers, own=False)
        return {**self._values, "candidate": number, "usage": usage}

    def _of(self, number: int, blocks: Blocks, block: Block) -> dict[str, Any]:
        """Give the values for the events of one part."""
        place = blocks.calls + blocks.parts
        seed = f"{self._values['id']}:{number}:{place}:{block.name}"
        made = sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return {
            **self._values,
            "candidate": number,
            "block": place,
            "call": blocks.calls,
            "content": blocks.parts,
            "made": made,
            "id_given": block.id or None,
            "call_id": block.id or f"call_{made}",
            "name": block.name,
        }

    def _write(self, events: WrittenEvents, values: dict[str, Any]) -> None:
        for event in events:
            values["sequence"] = self._values["sequence"]
            self._values["sequence"] += 1
            data = filled(event.data, values)
            named = data.get(self._by) if self._by and is_object(data) else None
            self._out.append(self._framed.frame(event.name or named, data))

    def _lose(self, path: str, field: str, why: str = "") -> None:
        """Report what this API cannot say: an error, or a note."""
        why = why or f"{self._wire.title} has no place for it"
        if self._policies.loss == "raise":
            raise NoPlace(f"{field}: {why}", wire=self._wire.name, path=path, field=field)
        self._note(path, field, why)

    def _note(self, path: str, field: str, why: str, action: str = "dropped") -> None:
        """Note something once, however many events it has."""
        note = Note(action, path, field, why)
        if note not in self._noted:
            self._noted.add(note)
            self.notes.append(note)

    def _taken(self) -> bytes:
        out, self._out = b"".join(self._out), []
        return out


def _path(event: Event) -> str:
    return f"messages[{event.candidate}]"


def _error_text(data: Any) -> str:
    """Give what an error says, in whatever API's words."""
    error = data.get("error", data) if is_object(data) else data
    message = error.get("message") if is_object(error) else error
    if type(message) is str:
        return message
    try:
        return dumps(data, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return shown(data)


def _check_known(known: Mapping[str, Any]) -> None:
    """Refuse an id, a model or a time that is none."""
    check_class(known["id"], str, "id")
    check_class(known["model"], str, "model")
    check_class(known["created"], int, "created")
    if not 0 <= known["created"] < _YEAR_10000:
        raise InvalidRequest(f"created is seconds since 1970, not {shown(known['created'])}", field="created")
