"""Sample nodes with every field that a kind has, and the fields that a shape carries or loses.

What a shape carries is found from its holes alone, as a reference for the generated writers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from promptwire_text.words import pattern_of

from ..model.dispatch import order_for_writing
from ..model.neutral import BY_MODEL, Kind, NeutralField
from ..model.vocabulary import find_required_choices
from ..model.wire import Variant
from ..spec.fields import is_list, is_object
from ..spec.shapes import OBJECT, Alternatives, Hole, Interpolation, Listing, Object, Shape


@dataclass(frozen=True, slots=True)
class Sample:
    """A node as plain data.

    Attributes:
        fields: The values of its fields. A request has those of its settings under two names: `reasoning.effort`.
        vendor: Its options of the wire that is built.
    """

    fields: Mapping[str, Any]
    vendor: Mapping[str, Any]

    def get(self, path: tuple[str, ...]) -> Any:
        """Return the value for a hole, or None."""
        return self.vendor.get(path[1]) if path[0] == "vendor" else self.fields.get(".".join(path))

    def replace_fields(self, fields: Mapping[str, Any]) -> Sample:
        """Return the same node with other values of some fields."""
        return replace(self, fields={**self.fields, **fields})

    def keep_only(self, fields: Collection[str], vendor: Collection[str] = ()) -> Sample:
        """Return the same node with no other fields and options than these."""
        kept = {name: value for name, value in self.fields.items() if name in fields}
        return Sample(kept, {name: value for name, value in self.vendor.items() if name in vendor})


def find_carried(shape: Shape | None, sample: Sample) -> Iterator[str]:
    """Yield the names of the holes that a shape fills; of several forms, the first that can be filled is written."""
    inside: Iterable[Shape] = ()
    match shape:
        case Hole():
            if takes(shape, sample):
                yield shape.name
        case Object():
            inside = (*shape.fixed, *(entry.shape for entry in shape.fields), *shape.spreads)
        case Interpolation(between=shapes) | Listing(items=shapes):
            inside = shapes
        case Alternatives():
            inside = [form for form in shape.forms if is_filled(form, sample)][:1]
        case _:
            return
    for inner in inside:
        yield from find_carried(inner, sample)


def takes(hole: Hole, sample: Sample) -> bool:
    """Return whether a hole is written, and has a value that its guard accepts."""
    value = sample.get(hole.path)
    if hole.read_only or value is None:
        return False
    if hole.wants_object:
        return is_object(value)
    return hole.guard is None or matches(str(value), hole.guard.split("|"))


def is_filled(shape: Shape, sample: Sample) -> bool:
    """Return whether a sample has everything that a shape requires."""
    if isinstance(shape, Alternatives):
        return any(is_filled(form, sample) for form in shape.forms)
    filled = all(takes(hole, sample) for hole in shape.required_holes)
    return filled and all(is_filled(choice, sample) for choice in find_required_choices(shape))


def fits(variant: Variant, sample: Sample) -> bool:
    """Return whether a variant can write a node."""
    return variant.named in (None, sample.fields.get("type")) and is_filled(variant.shape, sample)


def choose_variant(variants: Iterable[Variant], sample: Sample) -> Variant | None:
    """Return the variant that a fresh build writes: the first that is filled, those that require most before others."""
    return next((variant for variant in order_for_writing(variants) if fits(variant, sample)), None)


def find_losses(variant: Variant, sample: Sample) -> dict[str, bool]:
    """Return the fields and options of a node that a variant does not carry -> whether that changes the meaning."""
    # the key of a result says whether it failed, and the arguments in it which call it answers
    told = variant.carried - variant.shape.written_heads
    told |= {name for name in variant.kind.fields if _is_stated(variant, name)}
    return find_losses_of_shape(variant.kind, variant.shape, sample, told | variant.beside)


def _is_stated(variant: Variant, name: str) -> bool:
    """Return whether the choice of a variant already expresses a field, such as the mode of a tool choice."""
    field = variant.kind.fields[name]
    is_mode = name == "mode" and variant.union in ("tool_choice", "reasoning")
    return is_mode or (field.always and field.type not in ("parts", "tools"))


def find_losses_of_shape(
    kind: Kind, shape: Shape | None, sample: Sample, told: Collection[str] = ()
) -> dict[str, bool]:
    """Return the fields and options of a node that a shape does not carry, if any -> whether that changes the meaning.

    `told` are fields that other keys express.
    """
    names = {*find_carried(shape, sample), *told}
    only_read = set[str]() if shape is None else {hole.name for hole in shape.holes if hole.read_only}
    refused = (
        set[str]() if shape is None else {hole.name for hole in shape.written_holes if hole.guard is not None}
    )
    fields = {
        name: name in refused or not kind.fields[name].advisory for name in sample.fields if name not in names
    }
    options = [option for option in sample.vendor if f"vendor.{option}" not in names]
    return fields | {name_option(option): f"vendor.{option}" not in only_read for option in options}


def matches(text: str, globs: Iterable[str]) -> bool:
    """Return whether a text fits a pattern, in which `*` stands for any text."""
    return _compile_globs(tuple(globs)).fullmatch(text) is not None


@lru_cache(maxsize=4096)
def _compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(pattern_of, globs)) if globs else "(?!)", re.DOTALL)


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


def make_samples(variant: Variant, rivals: Sequence[Variant]) -> Iterator[tuple[str, Sample]]:
    """Yield named nodes that a variant writes and its rivals do not: with every field, and with refused values."""

    def is_written(sample: Sample) -> bool:
        return choose_variant(rivals, sample) is variant if variant.written else fits(variant, sample)

    whole = _make_whole_node(variant)
    for sample in (whole, _replace_json_by_lists(whole)):
        least = _cut_to_least(variant, sample)
        if is_written(least):
            names = [*sample.fields]
            full, other = [_grow(least, sample, order, is_written) for order in (names, names[::-1])]
            yield "with every field", full
            if other.fields.keys() != full.fields.keys():
                yield "with other fields", other
            odd = _refuse_values(variant, rivals, full, is_written)
            if odd != full and is_written(odd):
                yield "with values that it does not take", odd
            return


def _refuse_values(
    variant: Variant, rivals: Sequence[Variant], full: Sample, is_written: Callable[[Sample], bool]
) -> Sample:
    """Return a node with values that its shape refuses, and those that let a rival refuse the node."""
    guarded = _find_guards(variant.shape).keys() - {hole.name for hole in variant.shape.required_holes}
    odd = full.replace_fields({name: UNKNOWN for name in guarded if name in full.fields})
    names = sorted(
        {name for rival in rivals for name in _find_guards(rival.shape)} & variant.kind.fields.keys()
    )
    return _grow(odd, Sample(dict.fromkeys(names, UNKNOWN), full.vendor), names, is_written)


def make_samples_of_shape(kind: Kind, shape: Shape | None) -> Iterator[tuple[str, Sample]]:
    """Yield names and nodes of a kind that has only one shape, or none."""
    guards = {} if shape is None else _find_guards(shape)
    fields = {name: fit_value(value, guards.get(name)) for name, value in make_values(kind).items()}
    sample = Sample(fields, make_options(shape))
    yield "with every field", sample
    odd = sample.replace_fields({name: UNKNOWN for name in guards if name in fields})
    if odd != sample:
        yield "with values that it does not take", odd


def make_unwritable_samples(variants: Sequence[Variant]) -> Iterator[Sample]:
    """Yield nodes of one kind and source that no shape can write, so that the whole node is lost."""
    written = [variant for variant in variants if variant.written]
    for variant in written:
        least = make_least_node(variant)
        holes = [hole for hole in variant.shape.required_holes if hole.guard is not None]
        names = [hole.name for hole in holes if hole.path[0] != "vendor"] + ["type"]
        odd = least.replace_fields({name: UNKNOWN for name in names if name in least.fields})
        # a medium without a field that some shape asks for is reported as incomplete
        asked = {hole.path[0] for each in written for hole in each.required_fields}
        is_whole = not variant.source_key or asked <= least.fields.keys()
        if (
            odd != least
            and is_whole
            and all(map(_is_guarded, written))
            and choose_variant(written, odd) is None
        ):
            yield odd
        if variant.kind.name in BY_MODEL and variant.union == "part":
            yield from _make_hollow_samples(variant, written)


def _make_hollow_samples(variant: Variant, variants: Sequence[Variant]) -> Iterator[Sample]:
    """Yield thinking parts that lack a value that a shape requires, or have only values that a shape does not carry."""
    least, whole = make_least_node(variant), _make_whole_node(variant)
    for name in least.fields:
        rest = least.keep_only([other for other in least.fields if other != name], least.vendor)
        if rest.fields and choose_variant(variants, rest) is None:
            yield rest
    if not variant.required_fields:
        lost = {*find_losses(variant, whole)} - {"cache"}
        fields = variant.kind.fields
        nothing = whole.keep_only([name for name in lost if name in fields and not fields[name].advisory])
        if nothing.fields and choose_variant(variants, nothing) is variant:
            yield nothing


def make_least_node(variant: Variant) -> Sample:
    """Return a node with only the values that a variant requires."""
    return _cut_to_least(variant, _make_whole_node(variant))


def make_bare_node(kind: Kind, source: str | None = None) -> dict[str, Any]:
    """Return a node with only the fields that its kind always has, given by a source."""
    names = [
        name for name, field in kind.fields.items() if field.always or name == _name_source_field(source)
    ]
    return {name: _make_value(kind.name, name, kind.fields[name]) for name in names}


def make_values(kind: Kind) -> dict[str, Any]:
    """Return a value of each field that a node of a kind may have, its sources aside."""
    sources = {*map(_name_source_field, kind.sources)}
    return make_values_of_fields(
        {name: field for name, field in kind.fields.items() if name not in sources}, kind.name
    )


def make_values_of_fields(fields: Mapping[str, NeutralField], kind: str = "") -> dict[str, Any]:
    """Return a value of each field that some API may get."""
    return {name: _make_value(kind, name, field) for name, field in fields.items() if field.sent}


def make_options(shape: Shape | None) -> dict[str, Any]:
    """Return a value of each option that a shape knows, and of one that it does not know."""
    pieces = () if shape is None else shape.pieces
    rests = [hole for piece in pieces if isinstance(piece, Object) for hole in piece.spreads]
    holes = [piece for piece in pieces if isinstance(piece, Hole) and piece.path[0] == "vendor"]
    values = {
        hole.path[1]: {"other": 1} if hole in rests else fit_value("word", hole.guard) for hole in holes
    }
    return {**values, UNKNOWN: "word"}


def fit_value(value: Any, guard: str | None) -> Any:
    """Return a value that a guard accepts."""
    if guard == OBJECT:
        return value if is_object(value) else _VALUES["object"]
    if guard is None or matches(str(value), guard.split("|")):
        return value
    return guard.partition("|")[0].replace("*", "one")


def make_json(sample: Sample, variant: Variant | None = None) -> dict[str, Any]:
    """Return a node as a file of requests has it: with its options, and the shape that it was read as."""
    node: dict[str, Any] = dict(sample.fields)
    if sample.vendor:
        node["vendor"] = {THIS_WIRE: dict(sample.vendor)}
    if variant is not None and not variant.written:
        node["kept"] = {"wire": THIS_WIRE, "shape": variant.remembered}
    return node


def _make_value(kind: str, name: str, field: NeutralField) -> Any:
    return _MEDIA_TYPES[kind] if name == "media_type" else _NAMED.get(name, _VALUES.get(field.type))


def _name_source_field(source: str | None) -> str | None:
    return "content" if source == "parts" else source


def _make_whole_node(variant: Variant) -> Sample:
    """Return a node with every field, the fields of other sources aside."""
    guards = _find_guards(variant.shape)
    fields = make_values(variant.kind) | make_bare_node(variant.kind, variant.source_key)
    fields = {name: fit_value(value, guards.get(name)) for name, value in fields.items()}
    if variant.named is not None:
        fields["type"] = variant.named
    if variant.union in WORDS:
        fields[WORDS[variant.union]] = variant.mode
    if (variant.union, variant.mode) == ("reasoning", "budget"):
        del fields["mode"]
    return Sample(fields, make_options(variant.shape) if variant.kind.vendor else {})


def _replace_json_by_lists(sample: Sample) -> Sample:
    """Return a node with lists in place of JSON objects, for shapes of values that are no objects."""
    return sample.replace_fields(
        {name: ["one"] for name, value in sample.fields.items() if value == _VALUES["json"]}
    )


def _cut_to_least(variant: Variant, whole: Sample) -> Sample:
    holes = [*variant.shape.required_holes]
    holes += [
        hole for choice in find_required_choices(variant.shape) for hole in choice.forms[0].required_holes
    ]
    fields = {
        *make_bare_node(variant.kind, variant.source_key),
        WORDS.get(variant.union),
        *(hole.path[0] for hole in holes),
    }
    return whole.keep_only(
        [name for name in whole.fields if name in fields],
        [hole.path[1] for hole in holes if hole.path[0] == "vendor"],
    )


def _grow(least: Sample, whole: Sample, names: Iterable[str], is_written: Callable[[Sample], bool]) -> Sample:
    """Return a node with those fields of another, tried in an order, with which the same shape is written."""
    with_options = Sample(least.fields, whole.vendor)
    sample = with_options if is_written(with_options) else least
    for name in names:
        more = sample.replace_fields({name: whole.fields[name]})
        if name not in sample.fields and is_written(more):
            sample = more
    return sample


def _find_guards(shape: Shape) -> dict[str, str]:
    """Return the guards of fields, those of the first hole of each."""
    holes = [hole for hole in reversed(shape.written_holes) if hole.guard is not None]
    return {hole.name: str(hole.guard) for hole in holes if hole.path[0] != "vendor"}


def _is_guarded(variant: Variant) -> bool:
    """Return whether a variant takes only some values of what it requires."""
    return variant.named is not None or any(hole.guard is not None for hole in variant.shape.required_holes)


# stands for the name of the wire, so that its dialects have the same expectations
THIS_WIRE = "$wire"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A request, and the values in it that the API has no place for.

    Attributes:
        lost: The paths of values that a build may not drop by default, sorted, as notes name them.
        unused: The paths of values whose loss changes nothing for the model.
        shape: The shape that is written. A dialect that has it from its parent needs no test of its own.
    """

    name: str
    request: Mapping[str, Any]
    lost: tuple[str, ...]
    unused: tuple[str, ...] = ()
    shape: Shape | None = None

    def name_wire(self, wire: str) -> Expectation:
        """Return the expectation with the name of a wire in place of THIS_WIRE."""
        lost, unused = [
            tuple([path.replace(THIS_WIRE, wire) for path in paths]) for paths in (self.lost, self.unused)
        ]
        return replace(self, request=_insert_wire(self.request, wire), lost=lost, unused=unused)


def expect(
    name: str, fields: Mapping[str, Any], losses: Mapping[str, bool], shape: Shape | None = None
) -> Expectation:
    """Return the expectation for a request with these fields.

    `losses` are the paths of the values that are lost -> whether that changes the meaning.
    """
    request = {"messages": [{"user": "Hi"}], **fields}
    lost, unused = [
        tuple(sorted([path for path, matters in losses.items() if matters is meaning]))
        for meaning in (True, False)
    ]
    return Expectation(name=name, request=request, lost=lost, unused=unused, shape=shape)


def place_below(path: str, losses: Mapping[str, bool], told: Collection[str] = ()) -> dict[str, bool]:
    """Return the losses of a node by their paths in the request, except those that other keys express (`told`)."""
    return {f"{path}.{name}": matters for name, matters in losses.items() if name not in told}


def name_option(option: str) -> str:
    """Return how notes name an option of the wire that is built."""
    return f"vendor.{THIS_WIRE}.{option}"


def _insert_wire(value: Any, wire: str) -> Any:
    if is_object(value):
        return {wire if key == THIS_WIRE else key: _insert_wire(inner, wire) for key, inner in value.items()}
    if is_list(value):
        return [_insert_wire(inner, wire) for inner in value]
    return wire if value == THIS_WIRE else value
