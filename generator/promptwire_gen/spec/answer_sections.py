"""The sections of a spec about what an API answers: `answer` and `stream`, without the inside of their shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr

from .fields import (
    AnswerBody,
    AnswerShape,
    BodyShape,
    JsonPath,
    Line,
    Many,
    Name,
    OneOrMany,
    PlainValue,
    SentEvent,
    Strict,
    Word,
    as_list,
    flag,
    is_list,
    is_object,
    listed,
    maybe,
    named,
)

Finish: TypeAlias = Literal[
    "stop", "length", "tool_calls", "refused", "filtered", "paused", "context", "error", "other"
]
FINISHES: tuple[Finish, ...] = get_args(Finish)
Paths: TypeAlias = Annotated[tuple[JsonPath, ...], Many, OneOrMany]
# one event, or several
Templates: TypeAlias = Annotated[
    tuple[SentEvent, ...], Many, BeforeValidator(as_list, json_schema_input_type=Any)
]
Lines: TypeAlias = Annotated[tuple[Line, ...], Many, OneOrMany]
ErrorKind: TypeAlias = Literal[
    "invalid_request", "auth", "not_found", "too_large", "rate_limit", "overloaded", "server"
]
_KINDS = ("text", "reasoning", "texts", "refusal", "call", "custom", "part")
STEP_VERBS = ("put", "merge", "grow", "base64", "extend", "repeat", "set", "move", "end")
ANSWER_SHAPES = ("body", "candidate", "usage", "error", "other_errors")


class AnswerSays(Strict):
    """The content of an answer, as callers see it."""

    id: str | None = maybe("Its id.")
    model: str | None = maybe("The model that answered.")
    text: str = Field(default="", description="Its text.")
    reasoning: str = Field(default="", description="Its thinking.")
    refusal: str | None = maybe("What it says instead of an answer.")
    calls: Annotated[tuple[dict[str, Any], ...], Many] = listed(
        "Its tool calls: {id: ..., name: ..., arguments: {...}}."
    )
    finish: Finish | None = maybe("Why it ended.")
    usage: dict[Word, int] | None = maybe("Its counts of tokens that are known.")


class AnswerExample(Strict):
    """An answer of the API, and what it says. Each becomes a test."""

    name: Line = Field(description="One line, different from all others of this spec.")
    body: AnswerBody = Field(description="The body, as the API gives it.")
    says: AnswerSays = Field(description="What callers see of it.")


class ErrorSays(Strict):
    """The content of an error response, as callers see it."""

    kind: ErrorKind = Field(description="Its kind.")
    message: str = Field(description="Its message.")
    type: str | None = maybe("The API's type of it.")
    code: str | None = maybe("The API's code of it, as text.")
    field: str | None = maybe("The field of the request that it names.")
    retryable: bool | None = maybe(
        "Whether the same request may succeed later; not compared where it is left out."
    )


class ErrorExample(Strict):
    """An error response of the API, and what it says. Each becomes a test."""

    name: Line = Field(description="One line, different from all other error examples of this spec.")
    status: int | None = maybe("Its HTTP status; none for an error inside of a stream.")
    body: dict[str, Any] = Field(description="The body, as the API gives it.")
    says: ErrorSays = Field(description="What callers see of it.")


class AnswerSection(Strict):
    """Answers of the API: shapes of the body, of each candidate and of the counts, and its words."""

    body: AnswerShape = Field(description="The shape of the whole body: $id, $model, $candidates, $usage.")
    in_list: bool = flag("Whether the answer is a list that holds one object, which `body` describes.")
    candidate: BodyShape | None = maybe(
        "The shape of each candidate; without it the body is the only one: $message, $finish, $index."
    )
    content: Literal["list", "text"] | None = maybe(
        "The content of an answer is always a list, or always bare text, where that of a request may be both."
    )
    always: dict[Name, PlainValue] = named("What every message of an answer says besides: {type: message}.")
    key_aliases: dict[Name, Name] = named(
        "Keys of the assistant's message that an answer spells otherwise: {message: text}; the speaker's goes without."
    )
    excluded_kinds: Annotated[tuple[Word, ...], Many, OneOrMany] = listed(
        "Kinds of parts that no answer has, though a message of a request may."
    )
    usage: BodyShape | None = maybe("The shape of the counts of tokens: $input, $output, $cache_read ...")
    beside: dict[Literal["cache_read", "cache_write", "reasoning"], Literal["input", "output"]] = named(
        "Counts that the API's input or output does not include."
    )
    count_aliases: dict[Word, Paths] = named(
        "Where else a count may stand, in the object of the counts: {cache_read: prompt_cache_hit_tokens}."
    )
    added_counts: dict[Literal["input", "output"], Paths] = named(
        "Counts that the API's input or output leaves out, and that have no name of their own here."
    )
    finish: dict[Line, Finish] = named("The API's words for why the model stopped; word.detail for two.")
    blocked: JsonPath | None = maybe(
        "Where the body says why the prompt was blocked: an answer without candidates, which a filter ended."
    )
    created: dict[Word, Literal["seconds", "text"]] = named(
        "The $vendor name under which the body has its time: as seconds since 1970, or as text (ISO 8601)."
    )
    thinking: dict[Literal["text", "summary", "texts", "signature", "id"], str] = named(
        "How thinking of another API stands in an answer, by fields of reasoning: $text, and $made for an id."
    )
    defaults: dict[str, Any] = named(
        "Values of the body that an answer of another API lacks, with $made for an id; key?: where the key is there."
    )
    unfinished: Lines = listed("The API's words for an answer that goes on: it has not ended.")
    error: BodyShape | None = maybe("The shape of a body that is an error: $message, $type, $code, $field.")
    other_errors: Annotated[tuple[BodyShape, ...], Many] = listed(
        "Shapes of other bodies that are errors, which are never written. A $code of 0 says that there is none."
    )
    error_kinds: dict[Line, ErrorKind] = named("The API's words for errors, where the status says less.")
    examples: Annotated[tuple[AnswerExample, ...], Many] = listed("Answers and what they say.")
    error_examples: Annotated[tuple[ErrorExample, ...], Many] = listed("Error responses and what they say.")


class StreamStep(Strict):
    """The effect of an event on the answer, one of `STEP_VERBS`, and its target."""

    put: JsonPath | None = maybe("The value at this path replaces what is there; null and empty text do not.")
    merge: JsonPath | None = maybe(
        "The values of the object at this path replace those that are there, each alone."
    )
    grow: JsonPath | None = maybe("Text at this path is appended; objects and numbered lists are merged.")
    base64: JsonPath | None = maybe("Base64 at this path is a piece: the bytes of all pieces are joined.")
    extend: JsonPath | None = maybe(
        "The elements at this path follow those that are there; text joins the text before it."
    )
    repeat: JsonPath | None = maybe(
        "Text at this path is all that came so far, and replaces it; objects and lists are merged by position."
    )
    set: dict[Name, PlainValue] | None = maybe(
        "Constants of the object there, once the step before this one has found its value."
    )
    move: Name | None = maybe(
        "The value under this key of the element of the last list, once the step before this one has found its value."
    )
    end: JsonPath | None = maybe("With the value at this path, what it leads to is whole.")
    when: Name | None = maybe("A key that the element of the last list must have.")
    unless: Name | None = maybe("A key that the element of the last list must not have.")
    to: JsonPath = Field(description='Where to, in the body of an answer: "content[$index].text", or "".')
    # the path at which the step before a `set` or `move` finds its value
    _found: JsonPath = PrivateAttr(default=JsonPath())

    @property
    def verbs(self) -> list[str]:
        """The effects that are stated; a valid step states one."""
        return [verb for verb in STEP_VERBS if getattr(self, verb) is not None]

    @property
    def how(self) -> str:
        """The effect. Constants are merged."""
        return "merge" if self.set is not None else next(iter(self.verbs), "")

    @property
    def follows(self) -> bool:
        """Whether the step takes place when the step before it finds its value."""
        return self.set is not None or self.move is not None

    @property
    def source(self) -> JsonPath:
        """The path of the value in the event."""
        paths = (self.put, self.merge, self.grow, self.base64, self.extend, self.repeat, self.end)
        return self._found if self.follows else next((path for path in paths if path is not None), JsonPath())

    def follow(self, before: StreamStep) -> None:
        """Take the source of the step before this one, if this one has none of its own."""
        self._found = before.source


def _follow_each_other(steps: tuple[StreamStep, ...]) -> tuple[StreamStep, ...]:
    for before, step in pairwise(steps):
        step.follow(before)
    return steps


class CallPieces(Strict):
    """Keys of arguments that come in pieces, each a JSON path with a value."""

    list: Name = Field(description="In a call: its pieces.")
    path: Name = Field(description="In a piece: the JSON path of its value.")
    values: Annotated[tuple[Name, ...], Many, OneOrMany] = Field(
        description="In a piece: its value. Text at one path may come in several pieces."
    )
    empty: Name = Field(description="In a piece: the key that stands for null.")
    more: Name = Field(description="In a call: true if more of it follows.")


class StreamCall(Strict):
    """Paths of the tool calls in a stream."""

    at: JsonPath = Field(description='One call, in the body of an answer: "content[]".')
    id: JsonPath | None = maybe("Its id, inside it.")
    name: JsonPath = Field(description="Its function's name, inside it.")
    custom: JsonPath | None = maybe("The name of a tool that takes free text, where it stands elsewhere.")
    pieces: CallPieces | None = maybe("How its arguments may come in pieces.")
    types: Lines = listed("Its `type`, where calls that the API answers itself stand there as well.")


def list_event_holes(template: Any) -> Iterator[str]:
    """Yield the names of the holes of an event that is written."""
    if isinstance(template, str):
        _, hole, name = template.partition("$")
        if hole:
            yield name
    elif is_object(template) or is_list(template):
        for inner in template.values() if is_object(template) else template:
            yield from list_event_holes(inner)


class WrittenPart(Strict):
    """The events of one kind of part, in the API's own JSON with holes."""

    open: Templates = listed(
        "When it begins: $block, $candidate; of a call $call_id, $id_given, $name; $began."
    )
    begin: Templates = listed("When one of its texts begins: $inner.")
    before: dict[JsonPath, Templates] = named("As more, for what a part began with: before its first text.")
    piece: Templates = listed("For each piece of its text: $text.")
    end: Templates = listed("When one of its texts has ended: $inner, $whole.")
    more: dict[JsonPath, Templates] = named(
        "Where a value stands in the whole part to the events that say it where no other does: $more."
    )
    close: Templates = listed(
        "When it has ended: $whole, all its text; of a call $arguments, the JSON of it."
    )
    item: dict[str, Any] | None = maybe("The whole part, which $item and $items repeat.")
    empty: str = Field(default="", description="The text of one that came without any.")

    @property
    def holes(self) -> frozenset[str]:
        """The holes of `item` and of all events but those of `before` and `more`."""
        events = (*self.open, *self.begin, *self.piece, *self.end, *self.close)
        return frozenset(list_event_holes([self.item, *events]))


class WrittenWhole(Strict):
    """The events of a whole part, in the API's own JSON with holes."""

    open: Templates = listed("The part: $part.")
    more: dict[JsonPath, Templates] = named(
        "Where a value stands in the message to the events that say it where no other does: $more."
    )
    close: Templates = listed("When it has ended.")


class StreamWriting(Strict):
    """The events that write a stream, in the order of the API."""

    every: dict[str, Any] = named("Keys of each event but those of an error.")
    start: Templates = listed("Before the first part of a candidate: $id, $model, $created, $usage.")
    text: WrittenPart | None = maybe("Text.")
    reasoning: WrittenPart | None = maybe("Thinking, and summaries of thinking.")
    texts: WrittenPart | None = maybe(
        "Thinking of an API that also has summaries; without them, it is as other thinking."
    )
    refusal: WrittenPart | None = maybe("What is said instead of an answer.")
    call: WrittenPart | None = maybe("Calls of tools.")
    custom: WrittenPart | None = maybe(
        "Calls of tools that take free text; without them, such calls are as others."
    )
    part: WrittenWhole | None = maybe("Parts of any other kind.")
    finish: Templates = listed("For each candidate, when all parts have ended: $finish.")
    usage: Templates = listed("The counts, where they are known: $usage.")
    usage_on_request: bool = Field(
        default=False, description="Whether the API sends these only where the request asks for them."
    )
    end: Templates = listed("The last.")
    error: Templates = listed("In place of all that would follow: $message.")
    ends: Lines = listed("The words of answer.finish that can end a stream; without any, all.")

    @property
    def kinds(self) -> Mapping[str, WrittenPart | WrittenWhole]:
        """The events of parts by kind."""
        parts: dict[str, WrittenPart | WrittenWhole | None] = {kind: getattr(self, kind) for kind in _KINDS}
        return {kind: part for kind, part in parts.items() if part is not None}


class StreamExample(Strict):
    """The events of an answer, and what it says. Each becomes a test."""

    name: Line = Field(description="One line, different from all others of this spec.")
    events: Annotated[tuple[SentEvent, ...], Many] = Field(
        description="The data of each event in order; [name, data] where a name stands beside it."
    )
    says: AnswerSays = Field(description="What callers see of the answer.")


class InclusiveCounts(Strict):
    """Models whose streams count otherwise than whole answers."""

    models: Annotated[tuple[Name, ...], Many, OneOrMany] = Field(description="Globs of their names.")
    source: Line = Field(description="Who says so: a page of the vendor, or reports of their answers.")


class StreamSection(Strict):
    """Format of streamed answers."""

    framing: Literal["sse", "ndjson", "json_array", "aws_event_stream"] = Field(
        description="What cuts the bytes into events."
    )
    by: Name | None = maybe("The key of an event's data that names the event.")
    envelope: bool = flag("Whether each event is an object whose key names it: {messageStop: {...}}.")
    inside: JsonPath | None = maybe(
        "The path of a word in an event's data that says what the event brings: events are named EVENT/WORD then."
    )
    done: Lines = listed("Events, or data that is text, after which the answer is whole.")
    last: dict[Name, bool | str] = named("Keys, and their values, that mark the last event: {done: true}.")
    fails: Lines = listed("Events that tell an error, beside those named error.")
    events: dict[Line, Annotated[tuple[StreamStep, ...], Many, AfterValidator(_follow_each_other)]] = Field(
        description="The name of an event to what it does; `*` is every other event."
    )
    text_paths: dict[Literal["text", "reasoning", "summary", "refusal", "arguments"], Paths] = named(
        "Where text grows that callers want to see, in the body of an answer; `summary` is that of thinking."
    )
    thought: dict[Name, bool | str] = named(
        "Keys, and their values, that mark an object whose text is thinking."
    )
    absent: Annotated[tuple[Name, ...], Many] = listed("Keys of the body of an answer that no event brings.")
    call: StreamCall | None = maybe("Where the tool calls stand.")
    part: JsonPath | None = maybe(
        'Where parts stand, in the body of an answer: "content[]"; or the message, where they have no list.'
    )
    decoded: Paths = listed("Where the pieces together are JSON text, and the answer holds its value.")
    inclusive_counts: InclusiveCounts | None = maybe(
        "Models whose streams count in the input or output what `answer.beside` adds to it for whole answers."
    )
    write: StreamWriting | None = maybe("The events that write a stream.")
    examples: Annotated[tuple[StreamExample, ...], Many] = listed("Streams and what they say.")
