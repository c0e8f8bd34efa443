"""Reading a conversation that stands under several keys of a body, as its wire's places of messages say."""

from __future__ import annotations

from typing import Any

from ..model.parts import CALLS, Part
from ..model.request import Message
from ..wire_json.kinds import is_list
from .reader import Reader


def conversation(body: dict[str, Any], reader: Reader) -> tuple[Message, ...]:
    """Read the messages under all keys as one list, and put results that stand beside it behind their calls."""
    places = reader.readers.writing.places
    assert places is not None  # noqa: S101  # only such a wire reads so
    messages = reader.messages(places.items(body))
    reader.raw = places.is_raw(body, reader.origin.model)
    if reader.origin.model is None:
        reader.template = places.template_in(body)
    results = body.get(places.results) if places.results else None
    return _answered(messages, results, reader) if is_list(results) else messages


def _answered(messages: tuple[Message, ...], results: list[Any], reader: Reader) -> tuple[Message, ...]:
    """Put each result behind the first message with a call of its id that is still open; others stand last."""
    places: dict[str | None, list[int]] = {}
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, CALLS):
                places.setdefault(part.id, []).append(index)
    behind: dict[int, list[Part]] = {}
    last: list[Message] = []
    read = reader.readers.elements["results"]
    for element in results:
        part = read(element, reader)
        if part is None:
            opaque = reader.opaque(element, "messages")
            last.append(Message("user", (opaque,), provenance=reader.origin))
            continue
        open_calls = places.get(part.call_id)
        behind.setdefault(open_calls.pop(0) if open_calls else len(messages), []).append(part)
    found: list[Message] = []
    for index in range(len(messages) + 1):
        found += messages[index : index + 1]
        if index in behind:
            found.append(Message("tool", tuple(behind[index]), provenance=reader.origin))
    return (*found, *last)
