"""Parse the shape of the whole body and the places of its messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..problems import quote
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from ..spec.shapes import Hole, KeyShape, Object
from .body_model import RAW, SPREAD, Body
from .holes import check_body_holes
from .message_places import check_places_of_body, find_beside_prompt, find_last_places, find_results
from .neutral import DOTTED, OPTIONS
from .offers import ShapeFilter
from .prompts import is_unmarked
from .transport import find_url_fields


def lower_body(spec: LoadedSpec, filters: Mapping[str, ShapeFilter], notation: Notation) -> Body:
    """Parse and check the body of a spec; a body without messages is a problem, and gets a default key for them."""
    table = spec.get_section("body")
    shape = notation.parse_object(table) if table is not None else Object((), None, spec.tree.span)
    shape, outer = _unwrap_messages(shape, notation)
    settings = None if "transport" in spec.invalid else spec.model.transport.settings
    check_body_holes(shape, settings, filters, notation)
    as_text = "prompt" not in spec.invalid and bool(spec.model.prompt)
    # the content of the messages is the prompt itself
    slots = [slot for slot in spec.model.slots if as_text and slot != "content"]
    check_places_of_body(shape, slots, notation)
    if shape.extra_keys is not None and shape.extra_keys.name not in SPREAD:
        message = 'the body has "..." only for the keys of a union whose forms have keys of their own'
        hint = f"write ...: ${' or $'.join(SPREAD)}, or key?: $vendor.key for each other key"
        notation.report(shape.extra_keys.span, "bad-rest", message, hint)
    for hole in shape.fixed:
        notation.report(hole.span, "bad-fixed", 'the body has no "=": it is for parts and unions')
    paths = [hole.path for hole in shape.written_holes]
    pairs = [path for path in paths if len(path) == 2]
    pairs += [("continuation", form.continued) for form in spec.model.transport.url if form.continued]
    unmarked = as_text and all(is_unmarked(template) for template in spec.model.prompt)
    return Body(
        shape=shape,
        messages=_find_messages(shape, spec, notation),
        carried_options=frozenset({path[0] for path in paths} & OPTIONS.keys()),
        carried_request=frozenset([path[0] for path in paths if len(path) == 1]),
        dotted={head: frozenset([name for first, name in pairs if first == head]) for head in DOTTED},
        vendor=frozenset(
            [name for head, name in pairs if head == "vendor"] + [RAW] * (as_text and not unmarked)
        ),
        url_fields=find_url_fields(spec.model.transport),
        outer=outer,
        last=find_last_places(shape),
        results=find_results(shape),
        as_text=as_text,
        beside=find_beside_prompt(shape, slots),
        unmarked=unmarked,
    )


def _unwrap_messages(shape: Object, notation: Notation) -> tuple[Object, KeyShape | None]:
    """Return the shape with the key of its messages moved out of the object around them, and that object's key."""
    for outer in shape.fields:
        inner = outer.shape
        fields = inner.fields if isinstance(inner, Object) else ()
        held = [field for field in fields if field.holds_messages]
        first = [field for field in held if isinstance(field.shape, Hole) and len(field.shape.path) == 1]
        if not isinstance(inner, Object) or not first:
            continue
        keys = {name for entry in shape.fields for name in entry.spellings}
        named = [field.key for field in held if field.key in keys]
        if named or first[0].optional or outer.optional or outer.aliases:
            message = f"{quote(outer.key)} holds $messages: both keys must be required, the inner one once"
            hint = f"write {outer.key}: {{{first[0].key}: $messages}}"
            if named:
                hint = (
                    f"{quote(named[0])} is also a key of the body; an object with $messages cannot repeat it"
                )
            notation.report(outer.span, "missing-messages", message, hint)
        others = tuple([field for field in fields if field not in held])
        rest = replace(
            outer, optional=all(field.optional for field in others), shape=replace(inner, fields=others)
        )
        there = [*held, *([rest] if others else [])]
        entries = [each for entry in shape.fields for each in (there if entry is outer else [entry])]
        return replace(shape, fields=tuple(entries)), outer
    return shape, None


def _find_messages(shape: Object, spec: LoadedSpec, notation: Notation) -> KeyShape:
    places = [
        entry for entry in shape.fields if isinstance(entry.shape, Hole) and entry.shape.path == ("messages",)
    ]
    holes = [hole.span for hole in shape.holes if hole.path == ("messages",)]
    elsewhere = [span for span in holes if span not in [entry.shape.span for entry in places]]
    if len(places) > 1:
        message = "the body must hold $messages once, and this is the second"
        notation.report(places[1].span, "missing-messages", message)
    elif elsewhere:
        message, hint = "$messages is the whole value of a key of the body", "write messages: $messages there"
        notation.report(elsewhere[0], "missing-messages", message, hint)
    elif not places and spec.get_section("body") is not None:
        message, hint = "the body must hold $messages once", "write messages: $messages"
        if find_last_places(shape):
            message = "the body has a key for the last message, and none for $messages, those before it"
            hint = "write history?: $messages, with the API's key for earlier messages"
        notation.report(("body",), "missing-messages", message, hint, at_key=True)
    return (
        places[0] if places else KeyShape("messages", (), False, Hole(("messages",), shape.span), shape.span)
    )
