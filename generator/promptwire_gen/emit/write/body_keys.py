"""Keys of the body that only bodies have: instructions, and objects that stand in every body."""

from __future__ import annotations

from dataclasses import replace

from ...spec.shapes import Alternatives, Hole, KeyShape, Object, Shape

_UNIONS = (("tool_choice",), ("reasoning",), ("response_format",))


def around_tools(shape: Object) -> list[Object]:
    """Split an object behind its tools, if a choice among them follows: a choice goes with the last tool."""
    heads = [{hole.path[0] for hole in field.shape.holes} for field in shape.fields]
    place = next((index + 1 for index, found in enumerate(heads) if "tools" in found), len(heads))
    if not any("tool_choice" in found for found in heads[place:]):
        return [shape]
    return [
        replace(shape, fields=shape.fields[:place], extra_keys=None),
        replace(shape, fields=shape.fields[place:]),
    ]


def beside_layers(shape: Object) -> Object:
    """Return the optional keys of an object of which another key holds the instructions."""
    fields = [
        field
        for field in shape.fields
        if field.optional and all(hole.path != ("instructions",) for hole in field.shape.holes)
    ]
    return replace(shape, fields=tuple(fields))


def beside_union(choice: Alternatives) -> list[Hole]:
    """Return the values that only the forms beside a union carry."""
    union, *others = choice.forms
    assert isinstance(union, Hole)
    return [hole for form in others for hole in form.written_holes if hole.path[0] != union.path[0]]


def layers_inside(entry: KeyShape) -> KeyShape | None:
    """Return the key of an object that holds the instructions: `{parts: $instructions[]}`."""
    return inside(entry, "instructions")


def inside(entry: KeyShape, head: str) -> KeyShape | None:
    """Return the key of an object that holds a field of the request as a whole, such as `{parts: $instructions[]}`."""
    if not isinstance(entry.shape, Object):
        return None
    fields = [
        field for field in entry.shape.fields if isinstance(field.shape, Hole) and field.shape.path == (head,)
    ]
    return fields[0] if fields else None


def is_union(form: Shape) -> bool:
    """Return whether a shape is the hole of a union, whose node has shapes of its own."""
    return isinstance(form, Hole) and form.path in _UNIONS


def has_union(shape: Shape) -> bool:
    """Return whether one form of a value is a union."""
    return isinstance(shape, Alternatives) and any(map(is_union, shape.forms))
