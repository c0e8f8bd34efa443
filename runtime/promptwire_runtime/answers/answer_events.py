"""A whole answer as the events of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps
from typing import Any

from ..errors import InvalidRequest
from ..model.parts import CustomToolCall, Part, Reasoning, Refusal, Text, ToolCall
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.spec_words import spec_word
from .answer import Answer, Candidate
from .events import Event


def events_of(answer: Answer) -> Iterator[Event]:
    """Give the events of an answer; every part comes whole behind its texts."""
    yield Event(kind="start")
    for number, candidate in enumerate(answer.candidates):
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
        for place, part in enumerate(message.parts):
            texts = isinstance(part, (Text, Refusal))
            source = message if texts and not said else rest
            said = said or texts
            alone = replace(source, parts=(part,), kept=None)
            yield from _part(part, alone, number, (number, place))
    if candidate.vendor is not None:
        yield Event(kind="vendor", data=candidate.vendor, candidate=number, place=(number,))
    if candidate.finish is not None:
        raw = candidate.finish_raw or ""
        yield Event(kind="finish", name=candidate.finish, text=raw, candidate=number, place=(number,))


def _json(arguments: Any) -> str:
    try:
        return dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"arguments are no JSON: {error}", field="arguments") from None


def _part(part: Part, message: Message, number: int, place: tuple[int, ...]) -> Iterator[Event]:
    """Give the events of one part."""
    same: dict[str, Any] = {"candidate": number, "part": place[-1]}
    began: Message | None = message
    if isinstance(part, (Text, Refusal, Reasoning)):
        texts = (
            (part.text,) if part.text or not isinstance(part, Reasoning) else part.texts or part.summary or ()
        )
        for inner, text in enumerate(filter(None, texts)):
            yield Event(kind=spec_word(part), text=text, place=(*place, inner), data=began, **same)
            began = None
    elif isinstance(part, (ToolCall, CustomToolCall)):
        yield Event(kind="call", id=part.id, name=part.name, place=place, data=began, **same)
        given = part.input if isinstance(part, CustomToolCall) else part.arguments
        text = given if isinstance(given, str) else _json(given)
        if text:
            yield Event(kind="arguments", text=text, place=place, **same)
    yield Event(kind="part", data=message, place=place, **same)
