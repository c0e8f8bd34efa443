"""The neutral events of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from json import dumps
from typing import Any

from ..errors import InvalidRequest
from ..model.parts import CALLS, CustomToolCall, Part, Reasoning, Refusal, Text
from ..model.request import Message
from ..nodes.checks import CheckedRecord, check_field, unknown_word
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..reporting.spec_words import spec_word
from ..wire_json.kinds import class_of, plain_mapping
from ..wire_json.places import unwritable
from .answer import Answer, Candidate, Usage, in_one, is_options, thoughts_in

KINDS = (
    "start", "text", "reasoning", "refusal", "call", "arguments", "part", "vendor", "usage", "finish", "error",
    "unknown", "replaced", "problem",
)  # fmt: skip

THINKING = {"summary": "summary", "reasoning": "texts"}
"""On APIs that summarise thinking: the kind of a text -> the field of `Reasoning` that it belongs to."""

OF_PARTS = frozenset({"text", "reasoning", "refusal", "call", "arguments"})
"""The kinds of events that tell a part, or a piece of one."""

_MOST_CANDIDATES = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Event(CheckedRecord):
    """One neutral event of a stream.

    kind   one of `KINDS`
    text   the piece of text, thinking, refusal or arguments; for a finish, the API's own finish reason
    id     the id of a call, if the API gives one
    name   for a call, the name of the function; for a finish, one of `FINISHES`; for an unknown event, its name
           reasoning, on APIs that summarise it: the field of `Reasoning` that the text belongs to, `summary` or `texts`
    place  the API's numbers of the candidate, the part and the call that the event belongs to
    data   usage: the token usage so far, a `Usage`
           error and unknown: the API's own JSON; an error to be written may be an `ApiError`
           part: a `Message` that holds this part only, as the answer will
           the first event of a part: such a message, if the part began with more than the event says (an id, a caller)
           vendor: wire name -> the known keys of that API so far, of the candidate or, without a `place`, of the answer
    candidate  the number of the candidate; 0 on APIs that give one
    part   the number of the part in its list, the same for all its events; None on APIs whose parts are not in a list

    A `part` event follows the last event of a part and precedes the next part. It comes only if the events before it
    did not report everything: a signature, encrypted thinking, citations, an image, or a call that the API ran itself.
    On APIs whose parts are not in a list, it comes at the end of the candidate, and its message holds all parts.
    `write_stream` takes it alone as well: texts and calls that no event told before are told by it.
    """

    kind: str
    text: str = ""
    id: str | None = None
    name: str | None = None
    place: tuple[int, ...] = ()
    data: Any = None
    candidate: int = 0
    part: int | None = None

    def again(self, text: str) -> Event:
        """Return an event of the same kind and place with another text."""
        event = object.__new__(Event)
        event.__dict__.update(self.__dict__, text=text)
        return event

    def __post_init__(self) -> None:
        """Refuse values that do not fit."""
        super().__post_init__()
        if self.kind not in KINDS:
            raise unknown_word("kind", self.kind, "kind of event", KINDS)
        if class_of(self.place) is not tuple or not all(class_of(number) is int for number in self.place):
            check_field(Event, "place", self.place)
        if not 0 <= self.candidate < _MOST_CANDIDATES:
            raise InvalidRequest(
                f"candidate is the number of one, not {shown(self.candidate)}", field="candidate"
            )
        if self.kind == "vendor":
            if not is_options(self.data):
                why = "data of an event of the kind vendor is options by their wire, not "
                raise InvalidRequest(why + shown(self.data), field="data")
        elif self.kind == "usage":
            check_class(self.data, Usage, "data of an event of usage")
        elif self.kind == "part" or (self.kind in OF_PARTS and self.data is not None):
            check_class(self.data, Message, f"data of an event of the kind {self.kind}")


def events_of(answer: Answer) -> Iterator[Event]:
    """Yield the events of an answer. Each part event follows the text events of its part."""
    yield Event(kind="start")
    for number, candidate in enumerate(in_one(answer.candidates)):
        yield from _candidate(candidate, number)
    if answer.vendor is not None:
        yield Event(kind="vendor", data=answer.vendor)
    if answer.usage is not None:
        yield Event(kind="usage", data=answer.usage)


def _candidate(candidate: Candidate, number: int) -> Iterator[Event]:
    message = candidate.message
    if message is not None:
        # on flat wires, the id is that of its first text
        rest = replace(message, id=None)
        said = False
        thoughts = thoughts_in(message.parts)
        for place, part in enumerate(message.parts):
            if isinstance(part, Reasoning) and not any(part is thought for thought in thoughts):
                continue
            texts = isinstance(part, (Text, Refusal))
            source = message if texts and not said else rest
            said = said or texts
            alone = replace(source, parts=(part,), kept=None)
            yield from events_of_part(part, alone, number, (number, place))
    if candidate.vendor is not None:
        yield Event(kind="vendor", data=candidate.vendor, candidate=number, place=(number,))
    if candidate.finish is not None:
        raw = candidate.finish_raw or ""
        yield Event(kind="finish", name=candidate.finish, text=raw, candidate=number, place=(number,))


def _json(arguments: Any) -> str:
    try:
        return dumps(arguments, ensure_ascii=False, allow_nan=False, default=plain_mapping)
    except (TypeError, ValueError, RecursionError) as error:
        place, why = unwritable(arguments) or ("", str(error))
        problem = f"{place}: {why}" if place else why
        raise InvalidRequest(f"arguments are no JSON: {problem}", field="arguments") from None


def _texts(part: Text | Refusal | Reasoning) -> Iterator[tuple[str | None, tuple[str | None, ...]]]:
    """Yield the texts of a part; those of thinking that may have a summary with their field."""
    if part.text or not isinstance(part, Reasoning):
        yield None, (part.text,)
        return
    yield (None if part.summary is None else "texts"), part.texts or ()
    yield "summary", part.summary or ()


def events_of_part(part: Part, message: Message, number: int, place: tuple[int, ...]) -> Iterator[Event]:
    """Yield the events of one part of a candidate; `message` holds it alone."""
    same: dict[str, Any] = {"candidate": number, "part": place[-1]}
    began: Message | None = message
    if isinstance(part, (Text, Refusal, Reasoning)):
        for name, texts in _texts(part):
            for inner, text in enumerate(filter(None, texts)):
                yield Event(
                    kind=spec_word(part), name=name, text=text, place=(*place, inner), data=began, **same
                )
                began = None
    elif isinstance(part, CALLS):
        yield Event(kind="call", id=part.id, name=part.name, place=place, data=began, **same)
        given = part.input if isinstance(part, CustomToolCall) else part.arguments
        text = given if isinstance(given, str) else _json(given)
        if text:
            yield Event(kind="arguments", text=text, place=place, **same)
    yield Event(kind="part", data=message, place=place, **same)
