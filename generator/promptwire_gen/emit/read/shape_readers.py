"""Functions that read one shape each: a node with what it remembers, or None of JSON that has another shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...model.neutral import Kind
from ...model.wire import Variant
from ...spec.shapes import ConstantShape, Object
from ..conditions import compared, either, fails
from ..docs import read_doc
from ..field_holder import SETTINGS, FieldHolder
from ..python import Expression, bracketed, call, literal, name, tuple_of, unpacked
from .definition import ReaderDefinition
from .field_values import ReadStep, Values
from .near_words import near_words
from .plain_shapes import PlainTest, plain_test
from .variant_matching import VariantMatch

_POSITIONAL_IDS = {"tool_call", "tool_result", "custom_tool_call", "custom_tool_result"}


@dataclass(frozen=True, slots=True)
class BareReader:
    """The reader of an object without optional keys.

    maker   the function that makes the node, or its class
    fields  the fields of the node
    """

    maker: str
    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeReader(ReaderDefinition):
    """The function that reads one shape.

    json      the type of what it is given
    tests     steps before the test
    fails     the test that this is another shape; None where it never is
    values    steps after the test
    maker     the function that makes the node, or its class
    fields    the fields of the node
    bare      how an object without anything optional is read; None: as any other
    remembers the label under which the reader finds the function that writes the shape, where it compares both
    variant   the word of a shape that a fresh build would not choose
    needs     a key, with its other spellings, without which an object is surely of another shape
    size      how many keys the shape always has
    plain     the test that a build writes the node as it was read; None: both are compared
    near      what the shape requires, by which an object that lacks some of it is read as the nearest shape
    """

    node: str
    maker: str
    json: str
    tests: tuple[ReadStep, ...]
    fails: Expression | None
    values: tuple[ReadStep, ...]
    fields: tuple[tuple[str, Expression], ...]
    remembers: str | None
    variant: str | None
    needs: str
    near: str
    size: int
    plain: PlainTest | None
    bare: BareReader | None
    macro: ClassVar[str] = "shape"

    @property
    def sure(self) -> bool:
        """Return whether it never returns None."""
        return self.fails is None


class ConstantReader(ShapeReader):
    """`read_tool_choice_auto = constant(ToolChoice, {"mode": "auto"})`: the reader of a shape without holes."""

    macro: ClassVar[str] = "constant"


def shape_reader(
    variant: Variant, access: FieldHolder, discriminator: str | None, *, marks: bool, only: bool
) -> ShapeReader:
    """Return the reader of one shape, for objects whose key `told` holds one of its words.

    `only` says that an object with further keys has another shape.
    """
    kind, shape = variant.kind, variant.shape
    match = VariantMatch(access, discriminator)
    if isinstance(shape, Object):
        match.objects.append((shape, "item"))
        match.object(shape, "item")
    elif not isinstance(shape, ConstantShape) or not isinstance(shape.value, str):
        match.whole(shape)  # text was looked at before
    if only and isinstance(shape, Object):
        match.tests.append(compared(call("len", name("item")), "==", literal(len(shape.fields))))
    fields = _fields(variant, match)
    test = fails(match.tests)
    plain = plain_test(variant, match, access, marks=marks) if remembers(variant) else None
    constant = variant.union in SETTINGS and not list(shape.holes) and test is None
    bare = None if plain is None else _bare_reader(variant, match, fields)
    return (ConstantReader if constant and not (match.before or match.after) else ShapeReader)(
        name=f"read_{variant.label}",
        doc=read_doc(variant, sure=test is None),
        node=kind.cls,
        maker=_maker(kind, fields),
        json="dict[str, Any]" if isinstance(shape, Object) else "Any",
        tests=tuple(match.before),
        fails=test,
        values=tuple(match.after),
        fields=tuple(fields.items()),
        remembers=variant.label if remembers(variant) else None,
        variant=variant.remembered,
        needs="" if test is None else match.needs,
        plain=plain,
        bare=bare,
        size=len(shape.required) if isinstance(shape, Object) else 0,
        near=near_words(variant, access) if test is not None and remembers(variant) else "",
    )


def _maker(kind: Kind, fields: Mapping[str, Expression]) -> str:
    """Return the function that makes a node of these fields without looking at them again, or its class."""
    return kind.maker if kind.made and fields.keys() <= set(kind.made) else kind.cls


def _bare_reader(
    variant: Variant,
    match: VariantMatch,
    fields: dict[str, Expression],
) -> BareReader | None:
    """Return how an object of this shape without anything optional is read; None where that saves little."""
    given: set[str] = set()
    certain: set[str] = set()
    for shape, _ in match.objects:
        given |= {shape.extra_keys.path[0]} if shape.extra_keys is not None else set()
        for entry in shape.fields:
            inside = any(entry.shape is inner for inner, _ in match.objects)
            if not inside:
                (given if entry.optional else certain).update(hole.path[0] for hole in entry.shape.holes)
    kind = variant.kind
    always = {name for name, field in kind.fields.items() if field.always}
    # a call may have no id, but not none given
    always |= {"id", "call_id"} if kind.name in _POSITIONAL_IDS else set()
    gone = {"parts" if name == "content" else name for name in given - certain - always}
    left = {name: value for name, value in fields.items() if name not in gone}
    later = [step.variable for step in match.after if step.variable]
    values = " ".join(map(str, left.values()))
    if not kind.made or len(left) == len(fields) or any(word in values for word in later):
        return None
    return BareReader(_maker(kind, left), tuple(left.items()))


def remembers(variant: Variant) -> bool:
    """Return whether a node of this shape remembers differences from a fresh build."""
    return isinstance(variant.shape, Object) and variant.union != "cache"


def _fields(variant: Variant, values: VariantMatch) -> dict[str, Expression]:
    """Return the fields of the node: what its shape holds, or its key states, and what every node of its kind has."""
    kind = variant.kind
    fields = values.arguments({"content": "parts"})
    if variant.keyed is not None:
        fields |= _read_keyed_result(values)
    for field_name, value in list(fields.items()):
        field = "content" if field_name == "parts" else field_name
        declared = kind.fields.get(field)
        if declared is not None and declared.always and (field,) not in values.certain:
            fields[field_name] = _certain(declared.type, value)
    if kind.name == "json":
        fields.setdefault("value", literal(None))
    vendor = values.vendor()
    if vendor is not None:
        fields["vendor"] = vendor
    if variant.named is not None:
        fields.setdefault("type", literal(variant.named))
    for field_name, value in _constants(variant).items():
        fields.setdefault(field_name, value)
    _fill(fields, kind)
    return fields


def _constants(variant: Variant) -> dict[str, Expression]:
    """Return the constants that a union's shape sets on its node, beside its holes."""
    mode = literal(variant.mode)
    match variant.union:
        case "tool_choice":
            return {"mode": mode}
        case "response_format":
            return {"kind": mode}
        case "reasoning":
            return {} if variant.mode == "budget" else {"mode": mode}
        case _:
            return {}


def _fill(fields: dict[str, Expression], kind: Kind) -> None:
    """Set every field that a node always has, and that its shape does not hold, a value that says nothing."""
    for field_name, declared in kind.fields.items():
        own = "parts" if field_name == "content" else field_name
        if own not in fields and declared.always and declared.type in ("str", "arguments"):
            fields[own] = literal("") if declared.type == "str" else literal({})
        elif own not in fields and own in ("id", "call_id") and kind.name in _POSITIONAL_IDS:
            fields[own] = literal(None)


def _read_keyed_result(values: Values) -> dict[str, Expression]:
    """Return the parts of a result that is an object and media beside it, and whether the tool failed."""
    pieces = values.values[("content",)]
    error, json = values.failure_key
    parts = (
        pieces[0]
        if len(pieces) == 1
        else unpacked([bracketed(either(piece, tuple_of([]))) for piece in pieces])
    )
    return {"parts": parts, "is_error": call("read_failed", json, literal(error))}


def _certain(kind: str, value: Expression) -> Expression:
    """Complete a value that the neutral field always has."""
    if kind in ("str", "arguments"):
        return either(value, literal("") if kind == "str" else literal({}))
    return either(value, tuple_of([])) if kind == "tools" else value
