"""Keys of the body that only bodies have: instructions, a union beside other forms, objects that always stand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from ...model.wire import WireModel
from ...spec.shapes import Alternatives, Hole, KeyShape, Object, Shape
from ..conditions import both, inverted, is_missing
from ..field_access import FieldAccess
from ..imports import function_name
from ..python import Expression, attribute, call, display, item, listing, literal, method, name, word_of
from .keys import GatheredKey, Key, ObjectKey, ValueKey, complete, optional_key
from .limits import is_plain_option, limited, plain_option
from .reports import ReportCall, lost_to_another
from .values import filled, object_of, value_of

BODY = name("body")
_UNIONS = (("tool_choice",), ("reasoning",), ("response_format",))


@dataclass(frozen=True, slots=True)
class UnionKey:
    """A union's JSON; where there is none, the first other form whose test holds.

    `lost` reports what only the other forms carry, where the union is written.
    """

    variable: str
    given: Expression
    value: Expression
    others: tuple[ValueKey, ...]
    lost: tuple[ReportCall, ...]
    target: Expression
    form: ClassVar[str] = "union"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsKey:
    """The layers of the instructions: as one text, as blocks, joined, or as the text of the only one.

    plain    what instructions that are one text are written as
    joined   what the texts of several are written as, where they are joined
    single   whether a single plain layer stands bare
    marks    whether a cache mark is an element of its own
    whole    the object of which the layers are one key, where there is one
    """

    target: Expression
    plain: Expression
    joined: Expression | None
    single: bool
    marks: bool
    whole: ValueKey | None
    form: ClassVar[str] = "instructions"


@dataclass(frozen=True, slots=True)
class Missing:
    """The reports for a required key without a value."""

    reports: tuple[ReportCall, ...]
    form: ClassVar[str] = "missing"


BodyKey: TypeAlias = "Key | UnionKey | InstructionsKey | Missing"


def body_key(entry: KeyShape, access: FieldAccess, model: WireModel) -> tuple[BodyKey, ...]:
    """Return one key of the body; `access` is the place of the request's holes."""
    shape = entry.shape
    if isinstance(shape, Hole) and not shape.read_only and shape.path == ("instructions",):
        return (_instructions(entry, shape, None, access, model),)
    inner = inside(entry, "instructions")
    if inner is not None and isinstance(inner.shape, Hole):
        layers = _instructions(entry, inner.shape, inner, access, model)
        return (layers, *_beside_instructions(entry, access, model))
    if isinstance(shape, Alternatives) and any(is_union(form) for form in shape.forms):
        return (_union(entry, shape, access),)
    if isinstance(shape, Object) and not entry.optional:
        return (_required_object(entry, shape, access, model),)
    if entry.by_default:
        return (ValueKey(None, item(BODY, entry.key), value_of(shape, access)),)
    keys = optional_key(entry, BODY, access)
    key = keys[0] if len(keys) == 1 else None
    if isinstance(shape, Hole) and isinstance(key, ValueKey):
        if is_plain_option(shape):
            key = plain_option(shape, key, value_of(shape, _OptionByName.like(access)), model)
        if entry.optional:
            return (key,) if is_plain_option(shape) else limited(shape, keys, model)
        if not key.otherwise:
            report = ReportCall(None, call("build.missing", name("request"), access.field(shape)))
            return (ValueKey(key.given, key.target, key.value, (report,), key.limits),)
    limited_keys = limited(shape, keys, model)
    return limited_keys if entry.optional else (*limited_keys, Missing(_missing(shape, access)))


class _OptionByName(FieldAccess):
    """The place of an option that a test has just named."""

    def value(self, hole: Hole) -> Expression:
        """Return the name."""
        return name(hole.path[0])


def _required_object(entry: KeyShape, shape: Object, access: FieldAccess, model: WireModel) -> ObjectKey:
    """Return an object that stands in every body: what is required in it, then what is given."""
    target = item(BODY, entry.key)
    needs = filled(shape, access)
    before, after = _around_tools(shape)
    keys = limited(before, complete(before, target, access), model)
    if after is not None:
        # a choice goes with the last tool
        reset = ValueKey(attribute(name("build"), "no_tools"), name("tool_choice"), name("NO_TOOL_CHOICE"))
        keys = (*keys, reset, *limited(after, complete(after, target, access), model))
    missing = () if needs is None else _missing(shape, access)
    return ObjectKey(needs, target, object_of(shape, access), keys, missing)


def _around_tools(shape: Object) -> tuple[Object, Object | None]:
    """Split an object behind its tools, if a choice among them follows; else return all of it and None."""
    heads = [{hole.path[0] for hole in field.shape.holes} for field in shape.fields]
    place = next((index + 1 for index, found in enumerate(heads) if "tools" in found), len(heads))
    if not any("tool_choice" in found for found in heads[place:]):
        return shape, None
    before, after = shape.fields[:place], shape.fields[place:]
    return replace(shape, fields=before, extra_keys=None), replace(shape, fields=after)


def _missing(shape: Shape, access: FieldAccess) -> tuple[ReportCall, ...]:
    return tuple(
        [
            ReportCall(inverted(given), call("build.missing", name("request"), access.field(hole)))
            for hole in shape.required_holes
            if (given := access.given(hole)) is not None
        ]
    )


def _union(entry: KeyShape, shape: Alternatives, access: FieldAccess) -> UnionKey:
    union, *others = shape.forms
    assert isinstance(union, Hole)
    given = access.given(union)
    assert given is not None
    variable = name(f"{union.path[0]}_json")
    forms: list[ValueKey] = []
    for form in others:
        test = both(is_missing(variable), filled(form, access))
        forms.append(ValueKey(test, variable, value_of(form, access)))
    unwritten = [hole for form in others for hole in form.written_holes if hole.path[0] != union.path[0]]
    lost = lost_to_another(unwritten, access)
    return UnionKey(variable.text, given, access.written(union), tuple(forms), lost, item(BODY, entry.key))


def _instructions(
    entry: KeyShape, hole: Hole, inner: KeyShape | None, access: FieldAccess, model: WireModel
) -> InstructionsKey:
    """Instructions under a key of the body, or under the key `inner` of the object that stands there."""
    target = item(BODY, entry.key)
    layers = target if inner is None else name("layers_json")
    joined = None
    writes = access.filters[hole.filters[0].name].writes if hole.filters else None
    if writes is not None:
        joined = call(function_name(writes), name("layers"))
    text = attribute(name("request"), "instructions")
    return InstructionsKey(
        target=layers,
        plain=listing([layer_of_text(access, model)]) if hole.listed else text,
        joined=joined,
        single=not hole.filters and not hole.listed,
        marks=access.marks,
        whole=None if inner is None else ValueKey(None, target, _around(entry, inner, layers, access)),
    )


def _beside_instructions(entry: KeyShape, access: FieldAccess, model: WireModel) -> tuple[Key, ...]:
    """Return the optional keys of an object that may hold instructions already."""
    assert isinstance(entry.shape, Object)
    fields = [
        field
        for field in entry.shape.fields
        if field.optional and all(hole.path != ("instructions",) for hole in field.shape.holes)
    ]
    rest = replace(entry.shape, fields=tuple(fields))
    if not rest.written_holes:
        return ()
    variable = name(f"{word_of(entry.key)}_json")
    there = method(BODY, "get", literal(entry.key), display([]))
    value = display([], there, variable)
    gathered = GatheredKey(variable.text, complete(rest, variable, access), item(BODY, entry.key), value)
    return limited(rest, (gathered,), model)


def _around(entry: KeyShape, inner: KeyShape, layers: Expression, access: FieldAccess) -> Expression:
    assert isinstance(entry.shape, Object)
    return display(
        [
            (field.key, layers if field is inner else value_of(field.shape, access))
            for field in entry.shape.fields
            if field is inner or not field.optional
        ]
    )


def layer_of_text(access: FieldAccess, model: WireModel) -> Expression:
    """Instructions that are one text as a layer."""
    plain = [variant for variant in model.unions["instruction"] if variant.for_plain]
    holes = [hole for variant in plain[:1] for hole in variant.shape.required_holes]
    if [(hole.path, hole.filters) for hole in holes] == [(("text",), ())]:
        text = _TextOfInstructions("request", plain[0].kind, access.filters)
        return value_of(plain[0].shape, text)
    layer = call("Instruction", attribute(name("request"), "instructions"))
    return call("build.writers.layer", layer, name("build"))


class _TextOfInstructions(FieldAccess):
    """The place of a layer whose text is all that the instructions say."""

    def value(self, hole: Hole) -> Expression:
        """Return the instructions themselves, as the text of the layer."""
        if hole.path == ("text",):
            return attribute(name(self.subject), "instructions")
        return super().value(hole)


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
