"""A whole answer as the events of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from json import dumps
from typing import Any

from ..errors import InvalidRequest
from ..model.parts import CustomToolCall, Part, Reasoning, Refusal, Text, ToolCall
from ..reporting.spec_words import spec_word
from .answer import Answer, Candidate
from .events import Event

# what only the API that made it can read, and no event carries
_SEALED = ("signature", "encrypted", "redacted")
_CARRIED = (Text, Refusal, Reasoning, ToolCall, CustomToolCall)


def events_of(answer: Answer, lose: Callable[[str, str, str], None]) -> Iterator[Event]:
    """Give the events of an answer; `lose` is told path, field and reason of what they do not carry."""
    yield Event(kind="start")
    for number, candidate in enumerate(answer.candidates):
        yield from _candidate(candidate, number, lose)
    if answer.usage is not None:
        yield Event(kind="usage", data=answer.usage)


def _candidate(candidate: Candidate, number: int, lose: Callable[[str, str, str], None]) -> Iterator[Event]:
    parts = () if candidate.message is None else candidate.message.parts
    for place, part in enumerate(parts):
        path = f"messages[{number}].parts[{place}]"
        if not isinstance(part, _CARRIED):
            lose(path, spec_word(part), "events of a stream do not carry it")
        for field in _SEALED:
            if getattr(part, field, None) is not None:
                lose(path, field, "events of a stream do not carry it")
        yield from _part(part, number, (number, place))
    if candidate.finish is not None:
        raw = candidate.finish_raw or ""
        yield Event(kind="finish", name=candidate.finish, text=raw, candidate=number, place=(number,))


def _json(arguments: Any) -> str:
    try:
        return dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"arguments are no JSON: {error}", field="arguments") from None


def _part(part: Part, number: int, place: tuple[int, ...]) -> Iterator[Event]:
    """Give the events of one part."""
    if isinstance(part, (Text, Refusal, Reasoning)):
        pieces = (
            (part.text,) if part.text or not isinstance(part, Reasoning) else part.texts or part.summary or ()
        )
        for text in filter(None, pieces):
            yield Event(kind=spec_word(part), text=text, candidate=number, place=place)
    elif isinstance(part, (ToolCall, CustomToolCall)):
        yield Event(kind="call", id=part.id, name=part.name, candidate=number, place=place)
        given = part.input if isinstance(part, CustomToolCall) else part.arguments
        text = given if isinstance(given, str) else _json(given)
        if text:
            yield Event(kind="arguments", text=text, candidate=number, place=place)
