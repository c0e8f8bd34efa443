"""Keys of the items of a conversation, in a body whose messages are spread over several keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model.body_model import LastPlace
from ..model.message_places import RESULTS, is_place
from ..model.wire import WireModel
from ..spec.shapes import Object
from .filling import ABSENT, NotPredictable, ValueOf, fill

# (role, JSON) of a message; a result outside the messages has the role `results`
Turn = tuple[str, Any]


def conversation_keys(model: WireModel, turns: Sequence[Turn]) -> dict[str, Any]:
    """Work out the keys of a body that hold a conversation.

    Raises NotPredictable where the shapes do not decide them.
    """
    entries = [entry for entry in model.body.shape.fields if entry is model.body.messages or is_place(entry)]
    filled: dict[str, Any] = fill(Object(tuple(entries), None, model.body.shape.span), placed(model, turns))
    return filled


def placed(model: WireModel, turns: Sequence[Turn]) -> ValueOf:
    """Return the values for the holes of a conversation. Raises NotPredictable where the shapes do not decide it."""
    body = model.body
    rest = [turn for turn in turns if turn[0] != "results"]
    values: dict[tuple[str, ...], Any] = {RESULTS: [json for role, json in turns if role == "results"]}
    for place in reversed(body.last):
        values[place.hole.path] = _taken(model, place, rest)
    values["messages",] = [json for _, json in rest]
    optional = [entry for entry in body.shape.fields if entry.optional and body.messages_apart]
    left_out = {hole.path for entry in optional for hole in entry.shape.holes if values.get(hole.path) == []}
    return lambda hole: ABSENT if hole.path in left_out else values.get(hole.path, ABSENT)


def _taken(model: WireModel, place: LastPlace, rest: list[Turn]) -> Any:
    """Take what stands under one key off the end of the conversation."""
    taken: list[Any] = []
    while rest and rest[-1][0] == place.role and (place.every or not taken):
        taken.insert(0, rest.pop()[1])
    if not taken:
        return ABSENT
    if place.slot is None:
        return taken if place.every else taken[0]
    key = dict(model.messages[place.role].slots)[place.slot].key
    if any(key not in item for item in taken):
        raise NotPredictable(f"a message has no {key}")
    return [element for item in taken for element in item[key]] if place.every else taken[0][key]
