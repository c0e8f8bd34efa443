"""The JSON of plain nodes as one expression, which message loops and `write_tools` place without a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...model.neutral import ROLES
from ...model.wire import Variant, WireModel
from ...spec.rule_conditions import Condition
from ...spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape
from ..conditions import all_of, inverted, is_given
from ..field_access import FieldAccess, is_keyed
from ..python import Expression, at, attribute, display, listing, literal, name
from ..text_shapes import bare_text_shape
from .message_checks import part_check
from .pre_checks import tool_tests
from .quick_tests import exempting_fields
from .rule_facts import kind_and_field, names_kind, pointed_at
from .shape_fields import is_named_by_call
from .shape_writers import ObjectWriter, Writer
from .values import value_of

# a character class and a length; names may have another class for the first character
_PATTERN = re.compile(
    r"\^?(?P<first>\[a-zA-Z_\])?(?P<letters>\.|\[a-zA-Z0-9_[.:]*-\])(?:\+|\{(?P<least>[01]),(?P<most>\d+)\})\$?"
)
_MOST_USUAL = 64


@dataclass(frozen=True, slots=True)
class PlainDisplay:
    """The JSON of a plain part of one shape.

    guard  what must hold for the part; None where nothing needs to
    given  fields of the request of which one must be given, or a rule looks at the part
    named  the JSON of a result that is plain but for its name, which repeats that of its call
    """

    value: Expression
    guard: Expression | None = None
    given: tuple[str, ...] = ()
    named: Expression | None = None


def part_displays(
    model: WireModel, accesses: Mapping[str, FieldAccess], writers: Mapping[str, Writer]
) -> dict[str, PlainDisplay]:
    """Label -> the JSON of a plain part of that shape; shapes whose functions look at something first have none."""
    displays = {
        part.label: plain_display(part, accesses[part.label], model, writers[f"write_{part.label}"])
        for part in model.parts
    }
    return {label: value for label, value in displays.items() if value is not None}


def plain_display(
    variant: Variant, access: FieldAccess, model: WireModel, writer: Writer
) -> PlainDisplay | None:
    """Return the JSON of a plain part with usual ids and names, or of a shape that needs little but required keys."""
    usual = _usual_display(variant, access, model)
    if usual is not None or not isinstance(writer, ObjectWriter):
        return usual
    guards = writer.plain_guards()
    return None if guards is None else PlainDisplay(writer.value, all_of(guards))


def _usual_display(variant: Variant, access: FieldAccess, model: WireModel) -> PlainDisplay | None:
    """Return the JSON of a plain part with usual values; None if a rule may apply or the choice needs more."""
    if not variant.kind.usual or not isinstance(variant.shape, Object) or not _carries_all(variant):
        return None
    excuses = _fields_that_excuse(variant, model)
    plain = _Plain.of(access, model)
    plain.called = is_named_by_call(variant)
    value = None if excuses is None else _usual_object(variant.shape, plain)
    if excuses is None or value is None:
        return None
    return PlainDisplay(value, given=excuses, named=_named_value(variant, plain, model, value))


def _named_value(variant: Variant, plain: _Plain, model: WireModel, value: Expression) -> Expression | None:
    """Return the JSON of a result with the name of its call: the same `value` where the shape does not write names."""
    assert isinstance(variant.shape, Object)
    if variant.kind.name != "tool_result" or plain.called:
        return None
    if not any(hole.path == ("name",) for hole in variant.shape.written_holes):
        return value
    fields = variant.kind.fields
    kind = replace(variant.kind, fields={**fields, "name": replace(fields["name"], usual="name")})
    if _fields_that_excuse(replace(variant, kind=kind), model) is None:
        return None
    named = _Plain.of(plain, model)
    named.kind = kind
    return _usual_object(variant.shape, named)


def plain_tool(
    variant: Variant, access: FieldAccess, model: WireModel
) -> tuple[Expression, Expression] | None:
    """Return the further test for a plain function and its JSON, or None where it is not that simple."""
    kind = variant.kind
    tests = {
        field: test
        for field, test in tool_tests(variant, access, model, complete=True).items()
        if field in kind.looked_at
    }
    if None in tests.values() or not isinstance(variant.shape, Object) or not _carries_all(variant):
        return None
    display = _usual_object(variant.shape, access)
    is_there = [
        is_given(attribute(name(access.subject), field))
        for field in kind.usual
        if not kind.fields[field].always
    ]
    unwatched = [inverted(test) for test in tests.values() if test is not None]
    holds = all_of([*is_there, *unwatched])
    return None if display is None or holds is None else (holds, display)


@dataclass(slots=True)
class _Plain(FieldAccess):
    """The place of a plain part: where it holds parts, it holds one plain text, of which `text` is the shape."""

    text: Variant | None = None

    @classmethod
    def of(cls, access: FieldAccess, model: WireModel) -> _Plain:
        """Return the same place; the text inside has a shape where parts of its kind are written as they are."""
        bare = bare_text_shape(model, access.content)
        straight = bare is not None and not any(hole.filters for hole in bare.shape.holes)
        checked = part_check(access.content, "text", model, nested=True) is not None
        copy = cls.like(access)
        copy.text = bare if straight and not checked else None
        return copy

    def held_text(self) -> Expression:
        """Return the text that a plain part holds."""
        return attribute(at(attribute(name(self.subject), "parts"), 0), "text")


class _Inside(FieldAccess):
    """The place of the one text inside a part."""

    def value(self, hole: Hole) -> Expression:
        """Return the text, found in its holder."""
        return attribute(at(attribute(name(self.subject), "parts"), 0), hole.path[0])


def _carries_all(variant: Variant) -> bool:
    """Return whether a shape has a key for every field of a plain node; otherwise its function reports the rest."""
    return variant.kind.usual.keys() <= variant.carried


def _fields_that_excuse(variant: Variant, model: WireModel) -> tuple[str, ...] | None:
    """Return the request fields of which one must be given before rules apply to a part of this kind, or None."""
    usual = variant.kind.usual
    if model.tool_names and usual.get("name") == "name" and not takes_usual(model.tool_names, "name"):
        return None
    excuses: tuple[str, ...] = ()
    for condition in pointed_at(model):
        kind, field = kind_and_field(condition)
        if condition.path == "part":
            if names_kind(condition, variant.mode):
                fields = exempting_fields(condition, model)
                if not fields or excuses not in ((), fields):
                    return None
                excuses = fields
            continue
        about = condition.head in ROLES and kind in ("", variant.mode) and field in usual
        if about and not _takes_usual(condition, usual[field]):
            return None
    return excuses


def _takes_usual(condition: Condition, field: str) -> bool:
    """Return whether a condition can never match a usual `id` or `name`."""
    if condition.pattern is not None:
        return takes_usual(condition.pattern, field)
    bound = condition.operand if condition.measures else None
    return isinstance(bound, int) and (bound >= _MOST_USUAL if condition.operator == "len>" else bound <= 1)


def takes_usual(pattern: str, field: str) -> bool:
    """Return whether a pattern matches every usual `id` or `name`."""
    match = _PATTERN.fullmatch(pattern)
    if match is None or (match["first"] and field != "name"):
        return False
    first = 1 if match["first"] else 0
    least, most = int(match["least"] or 1), int(match["most"] or _MOST_USUAL)
    return first + least <= 1 and first + most >= _MOST_USUAL


def _usual_object(shape: Object, access: FieldAccess) -> Expression | None:
    """Build the object of a plain node: the required keys, then those whose value every plain node has."""
    assert access.kind is not None
    if shape.extra_keys is not None:
        return None
    required = shape.required
    entries: list[tuple[str, Expression]] = []
    for entry in (
        *required,
        *(field for field in shape.fields if field.optional and _is_there(field, access)),
    ):
        value = _usual_value(entry.shape, access)
        if value is None:
            return None
        entries.append((entry.key, value))
    return display(entries)


def _is_there(entry: KeyShape, access: FieldAccess) -> bool:
    assert access.kind is not None
    # next to an object of texts and values, `content` holds only other parts
    keyed_content = access.keyed and any(
        hole.path == ("content",) and hole.listed for hole in entry.shape.holes
    )
    return not keyed_content and any(hole.path[0] in access.kind.usual for hole in entry.shape.written_holes)


def _usual_value(shape: Shape, access: FieldAccess) -> Expression | None:
    assert access.kind is not None
    match shape:
        case ConstantShape():
            return literal(shape.value)
        case Object():
            return _usual_object(shape, access)
        case Alternatives():
            # a fresh build uses the first form unless something else decides
            return _usual_value(shape.forms[0], access)
        case Hole() if shape.path == ("name",) and access.called and not shape.filters:
            return access.value(shape)
        case Hole() if shape.path[0] in access.kind.usual and shape.guard is None:
            return _usual_hole(shape, access)
        case _:
            return None


def _usual_hole(hole: Hole, access: FieldAccess) -> Expression | None:
    assert access.kind is not None
    if access.kind.usual[hole.path[0]] == "object" and not hole.filters and access.dialect is None:
        return access.value(hole)
    if hole.path != ("content",):
        return access.written(hole)
    return _usual_content(hole, access) if isinstance(access, _Plain) else None


def _usual_content(hole: Hole, access: _Plain) -> Expression | None:
    """Return the content of a result that is one plain text: bare, in a list, or under the key of success."""
    if is_keyed(hole):
        return display([(hole.filters[0].arguments[0], access.held_text())])
    if hole.filters or access.text is None:
        return None
    if not hole.listed:
        return access.held_text() if access.collapses else None
    inside = _Inside(access.subject, access.text.kind, access.filters)
    return listing([value_of(access.text.shape, inside)])
