"""Server-side conversations: the parts that the server of a wire keeps, checked against the shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..problems import did_you_mean, quote
from ..spec.checks import THINGS
from ..spec.notation import Notation
from .neutral import REQUEST
from .wire import WireModel


@dataclass(frozen=True, slots=True)
class ServerModel:
    """Conversation state that a server keeps.

    Attributes:
        by: The field of a continuation that takes the id of an answer.
        omits: Request fields that a continuing request always omits; a vendor option is `vendor.name`.
        spares: Request fields that are omitted while they are unchanged.
        binds: `model` and transport settings that must not change for an id to be known.
        begins: Vendor options that make the server keep the conversation.
        fields: The keys of a body that name what is continued.
    """

    by: str
    omits: tuple[str, ...]
    spares: tuple[str, ...]
    binds: tuple[str, ...]
    begins: Mapping[str, Any]
    fields: tuple[str, ...]


def describe_server_state(model: WireModel) -> ServerModel | None:
    """Return the parts of a conversation that the server of a wire keeps; None if it keeps nothing."""
    said = model.continuation
    if said.mode != "server":
        return None
    words = {name: getattr(said, name) for name in THINGS if name != "items"}
    others = [name for name in said.keeps if name not in THINGS]
    return ServerModel(
        by="id" if "id" in model.body.dotted["continuation"] else "conversation",
        omits=(*(name for name, word in words.items() if word == "omit"), *others),
        spares=tuple([name for name, word in words.items() if word == "if_changed"]),
        binds=said.binds,
        begins=said.begins,
        fields=tuple(said.fields),
    )


def check_server(model: WireModel, notation: Notation) -> None:
    """Check that a key or the URL names the conversation, that the keys exist, and that kept fields can be omitted."""
    said = model.continuation
    entries = [entry for entry in model.body.shape.fields if "continuation" in entry.shape.heads]
    keys = [entry.key for entry in entries]
    place = ("continuation", "mode")
    if said.mode == "resend":
        if keys:
            message = f"mode is resend, but the body holds $continuation in {quote(keys[0])}"
            notation.report(place, "capability", message, f"write mode: server, fields: [{keys[0]}]")
        return
    if not model.body.dotted["continuation"]:
        hint = "write $continuation.id in body, or mode: resend"
        message = "mode is server, but no key of the body holds $continuation.id"
        notation.report(place, "capability", message, hint)
        return
    for index, name in enumerate(said.fields):
        if name not in keys:
            hint = did_you_mean(name, keys) or f"$continuation stands in {', '.join(keys) or 'the URL'}"
            message = f"{quote(name)} holds no $continuation in the body"
            notation.report(("continuation", "fields", index), "capability", message, hint)
    for key in keys:
        if key not in said.fields:
            message = f"{quote(key)} holds $continuation, but fields does not name it"
            notation.report(place, "capability", message, f"write fields: [{', '.join(keys)}]")
    _check_kept(model, notation)


def _check_kept(model: WireModel, notation: Notation) -> None:
    """Check that every kept field has a place that may stay empty."""
    required = {".".join(hole.path) for hole in model.body.shape.required_holes}
    placed = {".".join(hole.path) for hole in model.body.shape.holes}
    fields = {name for name in placed if name in REQUEST or name.startswith("vendor.")} - {"messages"}
    for index, name in enumerate(model.continuation.keeps):
        place = ("continuation", "keeps", index)
        if name in THINGS:
            continue
        if name not in fields:
            hint = (
                did_you_mean(name, {*THINGS, *fields})
                or "name items, instructions, tools or a hole of the body"
            )
            notation.report(place, "unknown-field", f"the body has no place for {quote(name)}", hint)
        elif name in required:
            message = f"the body requires {quote(name)}: it cannot be left out"
            notation.report(place, "capability", message, "mark its key with ?, or do not name it")
    for option in model.continuation.begins:
        if option not in model.body.vendor:
            message = f"no key of the body holds $vendor.{option}"
            near = did_you_mean(option, model.body.vendor)
            notation.report(("continuation", "begins", option), "unknown-field", message, near, at_key=True)
