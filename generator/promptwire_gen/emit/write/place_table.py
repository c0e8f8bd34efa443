"""`PLACES`: the keys of a body that hold one conversation together, or the one that holds it as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...model.body_model import LastPlace
from ...model.prompts import TEXT_HOLE, turns_of
from ...model.wire import MessageShape, WireModel
from ..python import Expression, call, display, literal, literal_tuple, tuple_of


@dataclass(frozen=True, slots=True)
class PlaceTable:
    """`PLACES = MessagePlaces("messages", last=(...), results=...)`, or a `PromptPlace`."""

    rest: Expression
    arguments: tuple[tuple[str, Expression], ...]
    cls: str = "MessagePlaces"
    name: str = "PLACES"
    macro: ClassVar[str] = "place_table"


def place_table(model: WireModel) -> PlaceTable | None:
    """Return the table of one wire; None where all messages stand in one list."""
    body = model.body
    if model.prompt:
        return _prompt_place(model)
    if not body.messages_apart:
        return None
    arguments: list[tuple[str, Expression]] = [("optional", literal(True))] if body.messages.optional else []
    if body.last:
        arguments.append(("last", tuple_of([_last(place, model) for place in body.last])))
    if body.results is not None:
        arguments.append(("results", literal(body.results.key)))
        arguments += [] if body.results.optional else [("needs_results", literal(True))]
        arguments.append(("speaker", literal(model.speaker)))
    return PlaceTable(literal(body.messages.key), tuple(arguments))


def _prompt_place(model: WireModel) -> PlaceTable:
    words = {role: message.wire_role for role, message in model.messages.items()}
    templates = [
        call(
            "PromptTemplate",
            literal("|".join(template.models)),
            literal(template.begin),
            literal(template.end),
            display([(role, _around(text)) for role, text in turns_of(template).items()]),
            literal(template.source),
        )
        for template in model.prompt
    ]
    arguments: list[tuple[str, Expression]] = [
        ("speaker", literal(model.speaker)),
        ("content", literal(model.content_key("user"))),
        ("words", literal(words)),
        ("templates", tuple_of(templates)),
    ]
    slots = {slot: entry.key for message in model.messages.values() for slot, entry in message.slots}
    beside = {slots[entry.shape.holes[0].path[1]]: entry.key for entry in model.body.beside}
    arguments += [("beside", literal(beside))] if beside else []
    arguments += [("unmarked", literal(True))] if model.body.unmarked else []
    return PlaceTable(literal(model.body.messages.key), tuple(arguments), "PromptPlace")


def _around(turn: str) -> Expression:
    """Return the texts before and behind the text of a message."""
    return literal_tuple(turn.split(TEXT_HOLE))


def _fields(message: MessageShape) -> dict[str, str]:
    """Return the keys of a message -> the fields of the neutral one that they hold."""
    slots = {entry.key for _, entry in message.slots}
    return {
        entry.key: "parts" if entry.key in slots else entry.shape.holes[0].name
        for entry in message.shape.fields
        if entry.shape.holes
    }


def _last(place: LastPlace, model: WireModel) -> Expression:
    message = model.messages[place.role]
    words = (message.wire_role, *message.also)
    named: dict[str, Expression] = {}
    if place.slot is not None:
        named["key"] = literal(dict(message.slots)[place.slot].key)
        named["role"] = literal(place.role)
        named["fields"] = literal(_fields(message))
    if place.every:
        named["every"] = literal(True)
    if place.entry.optional:
        named["optional"] = literal(True)
    elif place.otherwise is not None:
        named["otherwise"] = literal(place.otherwise.value)
    else:
        named["why"] = literal(f"the conversation ends with no message of the {place.role}")
    return call(
        "LastMessage",
        literal(place.entry.key),
        literal(model.speaker),
        literal_tuple(words),
        literal(message.shape.constants),
        **named,
    )
