"""Sample nodes: every field that a node may have beside what its shape requires, and values that shapes refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..model.neutral import BY_MODEL, Kind, NeutralField
from ..model.vocabulary import required_choices
from ..model.wire import Variant
from ..spec.fields import is_object
from ..spec.shapes import OBJECT, Hole, Object, Shape
from .carrying import Sample, choose_variant, fits, lost_by, matches
from .expectation import THIS_WIRE

_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}}
TOOL: Mapping[str, Any] = {"name": "lookup", "description": "Look up.", "parameters": _SCHEMA}
# the field of a setting that says which shape it has
WORDS = {"tool_choice": "mode", "response_format": "kind", "reasoning": "mode"}
# an option that no shape knows, and a value that no guard of a field accepts
UNKNOWN = "unheard_of"
_VALUES: Mapping[str, Any] = {
    "str": "word", "int": 7, "number": 0.25, "bool": True, "strings": ["one", "two"], "json": {"note": 1},
    "object": {"note": 1}, "arguments": {"query": 1}, "parts": "A word", "cache": {"ttl": "1h"},
    "number_object": {"50256": 1}, "text_object": {"kind": "word"}, "tools": [TOOL],
}  # fmt: skip
_NAMED: Mapping[str, Any] = {
    "data": "aGk=", "url": "https://files.example/one", "uri": "s3://files/one",
    "id": "call12345", "call_id": "call12345", "change": "addition", "role": "developer",
    "parameters": _SCHEMA, "returns": _SCHEMA, "schema": _SCHEMA,
}  # fmt: skip
_MEDIA_TYPES = {
    "image": "image/png", "document": "application/pdf", "audio": "audio/wav", "video": "video/mp4",
}  # fmt: skip


def samples_of(variant: Variant, rivals: Sequence[Variant]) -> Iterator[tuple[str, Sample]]:
    """Yield named nodes that a variant writes and its rivals do not: with every field, and with refused values."""

    def is_written(sample: Sample) -> bool:
        return choose_variant(rivals, sample) is variant if variant.written else fits(variant, sample)

    whole = _whole_node(variant)
    for sample in (whole, _with_lists(whole)):
        least = _least(variant, sample)
        if is_written(least):
            names = [*sample.fields]
            full, other = [_grown(least, sample, order, is_written) for order in (names, names[::-1])]
            yield "with every field", full
            if other.fields.keys() != full.fields.keys():
                yield "with other fields", other
            guarded = _guards(variant.shape).keys() - {hole.name for hole in variant.shape.required_holes}
            odd = full.having({name: UNKNOWN for name in guarded if name in full.fields})
            if odd != full and is_written(odd):
                yield "with values that it does not take", odd
            return


def samples_of_shape(kind: Kind, shape: Shape | None) -> Iterator[tuple[str, Sample]]:
    """Yield names and nodes of a kind that has only one shape, or none."""
    guards = {} if shape is None else _guards(shape)
    fields = {name: fitting(value, guards.get(name)) for name, value in values_of(kind).items()}
    sample = Sample(fields, options_of(shape))
    yield "with every field", sample
    odd = sample.having({name: UNKNOWN for name in guards if name in fields})
    if odd != sample:
        yield "with values that it does not take", odd


def unwritable_samples(variants: Sequence[Variant]) -> Iterator[Sample]:
    """Yield nodes of one kind and source that none of its shapes writes, so that they are lost as a whole."""
    written = [variant for variant in variants if variant.written]
    for variant in written:
        least = least_of(variant)
        holes = [hole for hole in variant.shape.required_holes if hole.guard is not None]
        names = [hole.name for hole in holes if hole.path[0] != "vendor"] + ["type"]
        odd = least.having({name: UNKNOWN for name in names if name in least.fields})
        if odd != least and all(map(_is_guarded, written)) and choose_variant(written, odd) is None:
            yield odd
        if variant.kind.name in BY_MODEL and variant.union == "part":
            yield from _hollow_samples(variant, written)


def _hollow_samples(variant: Variant, variants: Sequence[Variant]) -> Iterator[Sample]:
    """Yield thinking parts that lack a value that a shape requires, or have only values that a shape does not carry."""
    least, whole = least_of(variant), _whole_node(variant)
    for name in least.fields:
        rest = least.only([other for other in least.fields if other != name], least.vendor)
        if rest.fields and choose_variant(variants, rest) is None:
            yield rest
    if not variant.required_fields:
        lost = {*lost_by(variant, whole)} - {"cache"}
        fields = variant.kind.fields
        nothing = whole.only([name for name in lost if name in fields and not fields[name].advisory])
        if nothing.fields and choose_variant(variants, nothing) is variant:
            yield nothing


def least_of(variant: Variant) -> Sample:
    """Return a node with only what a variant requires."""
    return _least(variant, _whole_node(variant))


def bare(kind: Kind, source: str | None = None) -> dict[str, Any]:
    """Return a node with only what a kind always has, given by a source."""
    names = [name for name, field in kind.fields.items() if field.always or name == _source_field(source)]
    return {name: _value_of(kind.name, name, kind.fields[name]) for name in names}


def values_of(kind: Kind) -> dict[str, Any]:
    """Return a value of each field that a node of a kind may have, its sources aside."""
    sources = {*map(_source_field, kind.sources)}
    return values_of_fields(
        {name: field for name, field in kind.fields.items() if name not in sources}, kind.name
    )


def values_of_fields(fields: Mapping[str, NeutralField], kind: str = "") -> dict[str, Any]:
    """Return a value of each field that some API may get."""
    return {name: _value_of(kind, name, field) for name, field in fields.items() if field.sent}


def options_of(shape: Shape | None) -> dict[str, Any]:
    """Return a value of each option that a shape knows, and of one that it does not know."""
    pieces = () if shape is None else shape.pieces
    rests = [hole for piece in pieces if isinstance(piece, Object) for hole in piece.spreads]
    holes = [piece for piece in pieces if isinstance(piece, Hole) and piece.path[0] == "vendor"]
    values = {hole.path[1]: {"other": 1} if hole in rests else fitting("word", hole.guard) for hole in holes}
    return {**values, UNKNOWN: "word"}


def fitting(value: Any, guard: str | None) -> Any:
    """Return a value that a guard accepts."""
    if guard == OBJECT:
        return value if is_object(value) else _VALUES["object"]
    if guard is None or matches(str(value), guard.split("|")):
        return value
    return guard.partition("|")[0].replace("*", "one")


def as_json(sample: Sample, variant: Variant | None = None) -> dict[str, Any]:
    """Return a node as a file of requests has it: with its options, and the shape that it was read as."""
    node: dict[str, Any] = dict(sample.fields)
    if sample.vendor:
        node["vendor"] = {THIS_WIRE: dict(sample.vendor)}
    if variant is not None and not variant.written:
        node["kept"] = {"wire": THIS_WIRE, "shape": variant.remembered}
    return node


def _value_of(kind: str, name: str, field: NeutralField) -> Any:
    return _MEDIA_TYPES[kind] if name == "media_type" else _NAMED.get(name, _VALUES.get(field.type))


def _source_field(source: str | None) -> str | None:
    return "content" if source == "parts" else source


def _whole_node(variant: Variant) -> Sample:
    """Return a node with every field, the fields of other sources aside."""
    guards = _guards(variant.shape)
    fields = values_of(variant.kind) | bare(variant.kind, variant.source_key)
    fields = {name: fitting(value, guards.get(name)) for name, value in fields.items()}
    if variant.named is not None:
        fields["type"] = variant.named
    if variant.union in WORDS:
        fields[WORDS[variant.union]] = variant.mode
    if (variant.union, variant.mode) == ("reasoning", "budget"):
        del fields["mode"]
    return Sample(fields, options_of(variant.shape) if variant.kind.vendor else {})


def _with_lists(sample: Sample) -> Sample:
    """Return a node with lists in place of JSON objects, for shapes of values that are no objects."""
    return sample.having({name: ["one"] for name, value in sample.fields.items() if value == _VALUES["json"]})


def _least(variant: Variant, whole: Sample) -> Sample:
    holes = [*variant.shape.required_holes]
    holes += [hole for choice in required_choices(variant.shape) for hole in choice.forms[0].required_holes]
    fields = {
        *bare(variant.kind, variant.source_key),
        WORDS.get(variant.union),
        *(hole.path[0] for hole in holes),
    }
    return whole.only(
        [name for name in whole.fields if name in fields],
        [hole.path[1] for hole in holes if hole.path[0] == "vendor"],
    )


def _grown(
    least: Sample, whole: Sample, names: Iterable[str], is_written: Callable[[Sample], bool]
) -> Sample:
    """Return a node with those fields of another, tried in an order, with which the same shape is written."""
    with_options = Sample(least.fields, whole.vendor)
    sample = with_options if is_written(with_options) else least
    for name in names:
        more = sample.having({name: whole.fields[name]})
        if name not in sample.fields and is_written(more):
            sample = more
    return sample


def _guards(shape: Shape) -> dict[str, str]:
    """Return the guards of fields, those of the first hole of each."""
    holes = [hole for hole in reversed(shape.written_holes) if hole.guard is not None]
    return {hole.name: str(hole.guard) for hole in holes if hole.path[0] != "vendor"}


def _is_guarded(variant: Variant) -> bool:
    """Return whether a variant takes only some values of what it requires."""
    return variant.named is not None or any(hole.guard is not None for hole in variant.shape.required_holes)
