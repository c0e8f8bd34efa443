"""Keys of the items of a conversation, in a body whose messages are spread over several keys."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..model.body_model import LastPlace
from ..model.message_places import RESULTS, is_place
from ..model.prompts import TEXT_HOLE, turns_of
from ..model.wire import WireModel
from ..spec.shapes import Object
from .filling import ABSENT, NotPredictable, ValueOf, fill

# (role, JSON) of a message; a result outside the messages has the role `results`
Turn = tuple[str, Any]


def conversation_keys(model: WireModel, turns: Sequence[Turn], named: str | None) -> dict[str, Any]:
    """Work out the keys of a body that hold a conversation with the model `named`.

    Raises NotPredictable where the shapes do not decide them.
    """
    entries = [entry for entry in model.body.shape.fields if entry is model.body.messages or is_place(entry)]
    filled: dict[str, Any] = fill(
        Object(tuple(entries), None, model.body.shape.span), placed(model, turns, named)
    )
    return filled


def placed(model: WireModel, turns: Sequence[Turn], named: str | None) -> ValueOf:
    """Return the values for the holes of a conversation. Raises NotPredictable where the shapes do not decide it."""
    body = model.body
    rest = [turn for turn in turns if turn[0] != "results"]
    values: dict[tuple[str, ...], Any] = {RESULTS: [json for role, json in turns if role == "results"]}
    for place in reversed(body.last):
        values[place.hole.path] = _taken(model, place, rest)
    for entry in body.beside:
        path = entry.shape.holes[0].path
        slots = {role: dict(message.slots).get(path[1]) for role, message in model.messages.items()}
        keys = {role: key.key for role, key in slots.items() if key is not None}
        values[path] = [part for role, json in rest if role in keys for part in json.get(keys[role], ())]
    values["messages",] = _prompt(model, rest, named) if model.prompt else [json for _, json in rest]
    optional = [entry for entry in body.shape.fields if entry.optional and body.messages_apart]
    left_out = {hole.path for entry in optional for hole in entry.shape.holes if values.get(hole.path) == []}
    return lambda hole: ABSENT if hole.path in left_out else values.get(hole.path, ABSENT)


def _prompt(model: WireModel, turns: Sequence[Turn], named: str | None) -> str:
    """Write a conversation as one text."""
    settings = model.transport.settings.values()
    # a setting that stands for the model comes first
    served = next((setting.default for setting in settings if setting.stands_for == "model"), None)
    named = str(served) if served else named
    roles = [role for role, _ in turns if role != "system"]
    texts = [str(json[model.content_key(role)]) for role, json in turns]
    template = next(
        (
            each
            for each in model.prompt
            if not each.models or named is None or any(fnmatchcase(named, glob) for glob in each.models)
        ),
        None,
    )
    if template is None and roles == ["user"] and len(turns) == 1:
        return texts[0]
    shapes = {} if template is None else turns_of(template)
    in_turn = (
        all(role == ("user", "assistant")[place % 2] for place, role in enumerate(roles))
        and len(roles) % 2
        and all(role != "system" for role, _ in turns[1:])
    )
    if template is None or not in_turn or any(role not in shapes for role, _ in turns):
        raise NotPredictable("a prompt of other messages")
    written = [shapes[role].replace(TEXT_HOLE, text) for (role, _), text in zip(turns, texts, strict=True)]
    return "".join([template.begin, *written, template.end])


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
