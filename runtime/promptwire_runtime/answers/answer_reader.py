"""Read an answer: the envelope with its shape tables, the messages with the wire's request readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, cast

from ..build.wire import Wire
from ..model.options import Continuation
from ..model.parts import (
    CALLS,
    Compaction,
    HostedCall,
    HostedResult,
    ItemReference,
    Opaque,
    Reasoning,
    ToolCall,
)
from ..model.request import Message
from ..model.wire_memory import Kept
from ..nodes.node import may_remember
from ..nodes.records import construct, replace, set_fields
from ..passes.pairing import waiting_calls
from ..read.form_memory import Comparison
from ..read.messages import TurnCollector
from ..read.reader import Reader
from ..read.readers import Readers
from ..read.result import LACKING
from ..reporting.notes import Note
from ..wire_json.characters import whole_json
from ..wire_json.codec import decode_body
from ..wire_json.kinds import class_of, is_empty, is_object, same
from .answer import Answer, Candidate, Usage, in_one
from .answer_bodies import (
    answer_says_nothing,
    body_of_answer,
    calls_in_pieces,
    no_answer,
)
from .answer_shapes import AnswerShape, as_word
from .answer_writer import BARE, AnswerWriter
from .buffers import json_object, value_at
from .error_forms import error_alone
from .stream_table import StreamTable
from .table import AnswerTable, read_counts
from .unread_content import (
    NO_TEXT,
    Unread,
    is_lacking,
    lacks_arguments,
    message_has_unknown_keys,
    messages_elsewhere,
    part_has_unknown_keys,
    texts_of,
    unfit_content,
    unknown_keys,
    unread_values,
)

NodeT = TypeVar("NodeT")
_OF_CANDIDATE = ("message", "finish", "finish_raw", "index")
_NOTHING = Candidate()
# parts that items without a role become
_SILENT = (*CALLS, HostedCall, HostedResult, Reasoning, Compaction, ItemReference, Opaque)


# how an answer may end in whose place an error came
_FAILING = (None, "error", "other")


class _Echo(AnswerWriter):
    """Writer that returns the original JSON for the messages and candidates that were just read."""

    __slots__ = ("known",)

    known: dict[int, Any]

    def echo(self, message: Message, items: list[Any]) -> None:
        """Let a message be written as the items that it was read from, unless it would be written otherwise."""
        if not any(is_object(item) and self.completion(message.role, item) for item in items):
            self.known[id(message)] = items

    def candidate(self, candidate: Candidate) -> dict[str, Any]:
        """Return the JSON that the candidate was read from."""
        known: dict[str, Any] | None = self.known.get(id(candidate))
        return super().candidate(candidate) if known is None else known

    def items(self, message: Message | None) -> list[Any]:
        """Return the items that the message was read from."""
        known: list[Any] | None = self.known.get(id(message))
        return super().items(message) if known is None else known

    def usage(self, usage: Usage) -> dict[str, Any]:
        """Return the usage object that was read."""
        return cast("dict[str, Any]", usage.raw)


class AnswerReader(Reader):
    """Reader of one answer body."""

    __slots__ = ("heard", "partial", "sources", "table", "turns", "writer")

    takes_cut_calls = takes_objects = True

    def __init__(
        self, wire: Wire, readers: Readers, table: AnswerTable, model: Any, *, partial: bool = False
    ) -> None:
        """Prepare to read one body that `model` returned, or as much of it as has been streamed."""
        super().__init__(wire, readers, model)
        self.table = table
        self.partial = partial
        self.owned = False
        # the id of a message that is one object -> whether unknown keys stand in it
        self.heard: dict[int, bool] = {}
        # the id of a node -> the node, which keeps its id taken, and the JSON that it was read from
        self.sources: dict[int, tuple[Any, dict[str, Any]]] = {}
        # the joined message by its id -> the messages that it was joined from
        self.turns: dict[int, tuple[Message, ...]] = {}
        self.writer = _Echo(wire, readers.writing, table, self.build)
        self.writer.known = {}

    def answer(self, body: dict[str, Any]) -> Answer:
        """Read a whole body."""
        fields = self._fields(body)
        if self.table.candidate is None:
            for candidate in fields["candidates"]:
                self._check_candidate(candidate, body, self.table.body)
        elif self.table.blocked and not fields.get("candidates"):
            fields["candidates"] = self._blocked(body)
        self._with_vendor(fields)
        if self._why_blocked(body) is None:
            self._check_content(fields.get("candidates"), body)
        deviations, unread = self.located_notes(body)
        if deviations or unread:
            fields["deviations"] = tuple([note for _, note in deviations])
            fields["unread"] = tuple([note for _, note in unread])
        answer = construct(Answer, wire=self.wire.name, raw=body, **fields)
        if self.wire.state is not None and answer.id is not None:
            set_fields(answer, continuation=_continuation(self.wire.name, self.wire.state.by, answer))
        return self._remembering(answer, self.writer.body(answer), body)

    def _fields(self, body: dict[str, Any]) -> dict[str, Any]:
        """Read the fields of an answer; the candidates are among them."""
        fields: dict[str, Any] = {}
        self.table.body.read(body, fields, self)
        if self.table.candidate is None:
            fields["candidates"] = _alone(self.finished(fields))
        return fields

    def first_message(self, body: dict[str, Any]) -> Message | None:
        """Read the message of the first candidate of a body, without looking at what stands beside it."""
        candidates: tuple[Candidate, ...] = self._fields(body).get("candidates") or ()
        return in_one(candidates)[0].message if candidates else None

    def _check_content(self, candidates: tuple[Candidate, ...] | None, body: dict[str, Any]) -> None:
        """Record a problem for each required content key that a finished answer lacks, or has with another type."""
        if candidates and (candidates[0].message is not None or candidates[0].finish is None):
            return
        self.unread += unfit_content(self.table.body, body)

    def _blocked(self, body: dict[str, Any]) -> tuple[Candidate, ...]:
        """Return the candidate for a blocked prompt, which has neither a message nor an index."""
        word = as_word(self._why_blocked(body))
        return (Candidate(finish="filtered", finish_raw=word),) if word else ()

    def _why_blocked(self, body: dict[str, Any]) -> Any:
        """Return the reason for a blocked prompt; None if it was not blocked."""
        reasons = (value_at(body, path) for path in self.table.blocked)
        return next((reason for reason in reasons if reason is not None), None)

    def candidate(self, item: Any) -> Candidate:
        """Read one candidate."""
        fields: dict[str, Any] = {}
        if self.table.candidate is not None:
            self.table.candidate.read(item, fields, self)
        candidate = self.finished(fields)
        if not is_object(item):
            if item and class_of(item) in (str, list):
                self.unread.append((item, "candidates"))
            return candidate
        candidate = self._remembering(candidate, self.writer.candidate(candidate), item)
        self._check_candidate(candidate, item, self.table.candidate or self.table.body)
        self.writer.known[id(candidate)] = item
        return candidate

    def finished(self, fields: dict[str, Any]) -> Candidate:
        """Build a candidate from its fields, which are removed from `fields`, and set its finish reason."""
        detail = fields.pop("finish_detail", None)
        raw = fields.get("finish_raw")
        if raw is not None and detail is not None:
            fields["finish_raw"] = f"{raw}.{detail}"
        own = {name: fields.pop(name) for name in _OF_CANDIDATE if name in fields}
        if self.table.candidate is not None:
            self._with_vendor(fields)
            own |= fields
        turns = self.turns.get(id(own.get("message")), ())
        if len(turns) > 1:
            own["turns"] = turns
        message = own.get("message")
        waiting = waiting_calls(message.parts, self.wire) if self.wire.waiting and message is not None else ()
        if waiting:
            own["waiting"] = waiting
        return construct(Candidate, finish=self._finish(own.get("finish_raw"), message, waiting), **own)

    def _check_candidate(self, candidate: Candidate, json: dict[str, Any], shape: AnswerShape) -> None:
        """Record content that is missing as unread, and unknown keys beside content as deviations."""
        if candidate.finish is None and self.partial:
            return
        self._check_calls(candidate, json)
        message, lacks = candidate.message, is_lacking(candidate, json, shape)
        if message is None:
            # it stands under another key, or the answer has none
            self._report(unknown_keys(candidate, json), are_missed=lacks)
            if lacks:
                self._report(messages_elsewhere(json, self.table.message_keys), are_missed=True)
            return
        is_odd, known = self.heard.get(id(message)), self.readers.words.keys
        for part in filter(may_remember, message.parts):
            _, item = self.sources.get(id(part), (part, json))
            is_empty, is_hosted = lacks_arguments(part), isinstance(part, (HostedCall, HostedResult))
            # in those of the API, a known key may stand where it is not read
            is_vague = is_empty or is_hosted or is_odd is None or item is json
            if is_vague or part_has_unknown_keys(item, known, part):
                self._report(unread_values(part, item), are_missed=is_empty)
        if is_odd is None:
            return
        if lacks:
            self.unread += [(LACKING, key) for key in shape.absent_content(json)]
        if lacks or is_odd:
            self._report(unknown_keys(message, json), are_missed=lacks)
        if beside := shape.unknown_beside_message(json, lacks=lacks):
            self._report(texts_of(beside, json), are_missed=lacks)

    def _check_calls(self, candidate: Candidate, json: dict[str, Any]) -> None:
        """Report calls that nobody can run or answer, and a finish for calls where there is none."""
        parts = () if candidate.message is None else candidate.message.parts
        calls = [part for part in parts if isinstance(part, CALLS)]
        is_calling = bool(calls or candidate.waiting) or any(isinstance(part, Opaque) for part in parts)
        if candidate.finish == "tool_calls" and not is_calling:
            why = "the answer ended for calls of tools, and has none"
            self.deviations.append((json, (), "passed through", why))
        ids: list[str | None] = [call.id for call in calls if call.id]
        for call in calls:
            item = self.sources.get(id(call), (call, json))[1]
            wrong = ["an empty id"] if call.id == "" else []
            wrong += ["the id of another call"] if ids.count(call.id) > 1 else []
            wrong += [] if call.name else ["no name"]
            if isinstance(call, ToolCall) and isinstance(call.arguments, str) and call.arguments.strip():
                wrong += (
                    []
                    if json_object(call.arguments) is not None
                    else ["arguments that are not a JSON object"]
                )
            if wrong:
                why = f"the call {call.name!r} has {' and '.join(wrong)}"
                self.deviations.append((item, (), "passed through", why))

    def _report(self, unread: Iterable[Unread], *, are_missed: bool) -> None:
        """Record keys, each with the object that holds it; `are_missed`: they may hold what the answer lacks."""
        for holder, key, why in unread:
            if are_missed:
                value = holder[key]
                if all(element is not value for element, _ in self.unread):
                    self.unread.append((value, key))
            elif not any(
                keys[-1:] == (key,) and value_at(element, keys[:-1]) is holder
                for element, keys, *_ in self.deviations
            ):
                self.deviations.append((holder, (key,), "passed through", why))

    def _finish(
        self, raw: str | None, message: Message | None, waiting: tuple[HostedCall, ...]
    ) -> str | None:
        if raw is None or raw in self.table.unfinished:
            return None
        finish = self.table.meaning_of(raw)
        called = message is not None and any(isinstance(part, CALLS) for part in message.parts)
        return "tool_calls" if finish == "stop" and (called or waiting) else finish

    def _with_vendor(self, fields: dict[str, Any]) -> None:
        if "vendor" in fields:
            fields["vendor"] = {self.wire.name: fields["vendor"]}

    def answered(self, item: dict[str, Any]) -> Message:
        """Read the message of an answer."""
        is_odd = message_has_unknown_keys(item, self.table.message_keys, self.readers.words.keys)
        readers, item = self.readers.messages, self.table.as_message(item)
        role = item.get("role")
        read = (readers.get(role) if type(role) is str else None) or readers[self.table.role]
        turns = TurnCollector(self.origin, group=False)
        turns.add_message(read(item, self))
        (message,) = turns.finish()
        self.heard[id(message)] = is_odd
        if message.parts:
            self.writer.echo(message, [item])
        return message

    def answered_items(self, items: list[Any]) -> Message | None:
        """Read the items of an answer as one message."""
        messages = self.messages(items)
        silent = not self.partial and self._has_silent(items, messages)
        if len(messages) < 2:
            for message in () if silent else messages:
                self.writer.echo(message, items)
            return messages[0] if messages else None
        joined = _joined(messages)
        self.turns[id(joined)] = _turns(messages)
        return joined

    def _has_silent(self, items: list[Any], messages: Sequence[Message]) -> bool:
        """Return whether an item with a role has no content, and record a problem for each of its unknown keys."""
        spoken = [item for item in items if is_object(item) and item.get(self.readers.speaker)]
        parts = [part for message in messages for part in message.parts]
        if len(spoken) <= len([part for part in parts if not isinstance(part, _SILENT)]):
            return False
        before = len(self.deviations), len(self.unread)
        alone = [(item, message) for item in spoken for message in self.messages([item])]
        del self.deviations[before[0] :], self.unread[before[1] :]
        silent = [(item, message) for item, message in alone if not message.parts]
        for item, message in silent:
            self._report(unknown_keys(message, item), are_missed=True)
        return bool(silent)

    def _unnamed(self, item: Any) -> Message | None:
        """Read a message without a role as the model's, if its content can be read."""
        read = self.readers.messages.get(self.table.role)
        speaker = self.readers.speaker
        if read is None or not is_object(item) or not is_empty(item.get(speaker)):
            return None
        before = len(self.deviations), len(self.unread)
        message = read(item, self)
        if any(type(part) is not Opaque for part in message.parts):
            why = f'nothing says whose message this is: "{self.table.role}" was assumed'
            self.deviations.append((item, (speaker,), "added", why))
            return message
        del self.deviations[before[0] :], self.unread[before[1] :]
        return None

    def usage(self, counts: dict[str, Any]) -> Usage:
        """Read token usage."""
        return read_counts(counts, self.table)

    def remember(self, node: NodeT, label: str, item: dict[str, Any], shape: str | None = None) -> NodeT:
        """Let a node remember how it was written, and keep the JSON that it was read from."""
        remembering = super().remember(node, label, item, shape)
        self.sources[id(remembering)] = remembering, item
        return remembering

    def _remembering(self, node: NodeT, fresh: Any, item: dict[str, Any]) -> NodeT:
        if same(fresh, item):
            return node
        form = Comparison(self.table.words, node, self.wire.name).compare(fresh, item)
        set_fields(node, kept=Kept(self.wire.name, form))
        return node


def _joined(messages: Sequence[Message]) -> Message:
    """Join messages of one answer into one."""
    parts = [part for message in messages for part in message.parts]
    return replace(messages[0], role="assistant", parts=tuple(parts))


def _turns(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages of an answer as they go back: items of other roles belong to the message before.

    What follows a tool call joins its message, since APIs want the result after the message that calls.
    """
    groups: list[list[Message]] = []
    for message in messages:
        if groups and (message.role != "assistant" or _calls(groups[-1])):
            groups[-1].append(message)
        else:
            groups.append([message])
    return tuple(
        [group[0] if len(group) == 1 and group[0].role == "assistant" else _joined(group) for group in groups]
    )


def _calls(messages: Sequence[Message]) -> bool:
    return any(isinstance(part, CALLS) for message in messages for part in message.parts)


def _continuation(wire: str, by: str, answer: Answer) -> Continuation:
    """Build the continuation of an answer stored by the server: its id and the unanswered tool calls."""
    calls = [part.id for part in answer.parts if isinstance(part, CALLS)]
    hosted = [(call.payload or {}).get("call_id", call.id) for call in answer.waiting]
    unanswered = [identity for identity in (*calls, *hosted) if isinstance(identity, str)]
    known: dict[str, Any] = {by: answer.id}
    return Continuation(**known, wire=wire, unanswered=unanswered)


def _alone(candidate: Candidate) -> tuple[Candidate, ...]:
    """Return the candidate as a tuple, or an empty tuple if the candidate is empty."""
    return (candidate,) if candidate != _NOTHING else ()


def _half_replaced(path: str) -> Note:
    above, _, field = path.rpartition(".")
    return Note("replaced", above, field, "it has half a character: U+FFFD stands for it")


def read_message(body: dict[str, Any], wire: Wire, readers: Readers, table: AnswerTable) -> Message | None:
    """Read the message of an answer that is still being streamed; None if it has none.

    Raises BodyError if the body is not an answer.
    """
    item, _ = whole_json(body_of_answer(body, wire, table))
    return AnswerReader(wire, readers, table, table.model_of(item), partial=True).first_message(item)


def read_answer(  # wire tables, and the body
    body: Any,
    wire: Wire,
    readers: Readers,
    table: AnswerTable,
    stream: StreamTable | None = None,
    *,
    partial: bool = False,
) -> Answer:
    """Read a complete answer: JSON, decoded or not, or the response object of a vendor's client.

    stream  the streamed answers of the wire, if it has any
    partial  whether the answer is still being streamed, so that all of its keys are optional

    Raises BodyError if the body is not an answer. Its `error` holds the API's error if the body is one.
    """
    if not is_object(body) or not wire.added.isdisjoint(body):
        from .client_objects import as_json

        is_text = isinstance(body, (bytes, bytearray, str))
        body = decode_body(body, wire.name, "answer") if is_text else as_json(body, wire)
    came = body_of_answer(body, wire, table)
    item, halved = whole_json(came)
    answer = AnswerReader(wire, readers, table, table.model_of(item), partial=partial).answer(item)
    if not partial and answer.finish in _FAILING and all(part == NO_TEXT for part in answer.parts):
        if not answer.parts and answer_says_nothing(answer, table, item):
            raise no_answer(item, wire, table)
        if (error := error_alone(item, table.error_forms)) is not None:
            raise no_answer(error, wire, table)
    if table.in_list and came is body and not partial:
        form = None if answer.kept is None else answer.kept.form
        set_fields(answer, kept=Kept(wire.name, form, shape=BARE))
    if stream is not None and stream.pieces and (pieces := calls_in_pieces(item, stream)):
        set_fields(answer, unread=(*answer.unread, *pieces))
    if halved:
        set_fields(answer, deviations=(*answer.deviations, *map(_half_replaced, halved)))
    return answer
