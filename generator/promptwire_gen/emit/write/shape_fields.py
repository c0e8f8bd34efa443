"""Facts about a shape's fields that are needed before its function is laid out."""

from __future__ import annotations

from dataclasses import replace

from ...model.neutral import TOOLS, Kind
from ...model.wire import Variant
from ...spec.shapes import Hole, KeyShape, Object

# the settings of a request that are nodes; one whose JSON never changes needs no function of its own
SETTINGS = ("tool_choice", "response_format", "reasoning")
# metadata of a layer for its author; no wire writes it
_UNWRITTEN = {"layer": {"role", "source", "stability", "trust"}}

_SUBJECTS = {
    "layer": "layer",
    "tool_choice": "choice",
    "response_format": "form",
    "reasoning": "thinking",
    "cache": "cache",
    **dict.fromkeys(TOOLS, "tool"),
}


def subject_of(kind: Kind) -> str:
    """Return the variable that holds a node in its functions."""
    return _SUBJECTS.get(kind.name, "part")


def asked_options(variant: Variant) -> list[Hole]:
    """Return the options of this API alone that a shape requires."""
    return [hole for hole in variant.shape.required_holes if hole.path[0] == "vendor" and not hole.fixed]


def is_named_by_call(variant: Variant) -> bool:
    """Return whether a result requires its tool's name, which comes from the call that it answers."""
    return variant.kind.name == "tool_result" and any(
        hole.path == ("name",) for hole in variant.required_fields
    )


def split_at_plain(shape: Object, kind: Kind) -> tuple[Object, Object]:
    """Split into keys that even a plain node may have, and those that it never needs."""
    if not kind.plain:
        return Object((), None, shape.span), shape
    free: list[KeyShape] = []
    gated: list[KeyShape] = []
    for entry in shape.fields:
        heads = {hole.path[0] for hole in entry.shape.holes}
        if not entry.optional and isinstance(entry.shape, Object):
            inner_free, inner_gated = split_at_plain(entry.shape, kind)
            free.append(replace(entry, shape=inner_free))
            gated.append(replace(entry, shape=inner_gated))
        elif heads <= kind.looked_at:
            free.append(entry)
        else:
            gated.append(entry)
    rest_is_free = shape.extra_keys is not None and shape.extra_keys.path[0] in kind.looked_at
    return (
        Object(tuple(free), shape.extra_keys if rest_is_free else None, shape.span),
        Object(tuple(gated), None if rest_is_free else shape.extra_keys, shape.span),
    )


def fields_without_key(
    variant: Variant, elsewhere: frozenset[str], *, told_by_results: bool = False
) -> list[tuple[str, bool]]:
    """Return the fields that no key of a shape writes; `True` marks those whose loss changes nothing for the model.

    `told_by_results` says that results repeat what was called, so that no id is needed to tell which call they answer.
    """
    carried = variant.carried | elsewhere | _UNWRITTEN.get(variant.kind.name, set())
    if variant.union in ("tool_choice", "reasoning"):
        carried |= {"mode"}
    if variant.kind.name == "response_format":
        carried |= {"kind"}
    # a medium has exactly one source, so the others are empty
    carried |= {"content" if source == "parts" else source for source in variant.kind.sources}
    # what an API gave under an id is known to it
    carried |= variant.beside
    # if data is accepted without a type, the type is detected from its bytes
    implied = {"media_type"} if variant.source_key == "data" else set[str]()
    implied |= (
        {{"tool_call": "id", "tool_result": "call_id"}.get(variant.mode, "")} if told_by_results else set()
    )
    return [
        (field_name, field.advisory or field_name in implied)
        for field_name, field in variant.kind.fields.items()
        if field_name not in carried and (not field.always or field.type in ("parts", "tools"))
    ]
