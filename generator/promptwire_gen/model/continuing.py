"""Server-side conversations: the parts that the server of a wire keeps, checked against the shapes."""

from __future__ import annotations

from ..problems import did_you_mean, quote
from ..spec.notation import Notation
from ..spec.schema import THINGS
from .neutral import REQUEST
from .wire import WireModel


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
