"""Samples of each shape of a part: with all its fields, without some, and with what has no place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..model.neutral import BY_MODEL
from ..model.wire import Variant
from ..spec.shapes import OBJECT, Alternatives, Object, Shape
from .filling import NotPredictable, is_object, matches

SOME_TEXT = "A word"
_SAMPLES: Mapping[str, Any] = {
    "str": "word", "int": 7, "number": 0.25, "bool": True, "strings": ["one", "two"], "json": {"note": 1},
    "object": {"note": 1}, "arguments": {"query": 1}, "parts": SOME_TEXT, "cache": {"ttl": "1h"},
}  # fmt: skip
_NAMED: Mapping[str, Any] = {
    "data": "aGk=", "url": "https://files.example/one", "uri": "s3://files/one",
    "id": "call12345", "call_id": "call12345",
}  # fmt: skip
# parts that an API accepts only with its own provenance
_PROOFS = frozenset({"signature", "encrypted", "redacted"})
_MEDIA_TYPES = {
    "image": "image/png", "document": "application/pdf", "audio": "audio/wav", "video": "video/mp4",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FilledPart:
    """A part as plain data: its shape, its own fields, and options of one API."""

    variant: Variant
    fields: Mapping[str, Any]
    vendor: Mapping[str, Any]

    def without(self, names: Collection[str]) -> FilledPart:
        """Return the same part without these fields."""
        return replace(self, fields=_left(self.fields, names), vendor=_left(self.vendor, names))

    def neutral(self, wire: str) -> dict[str, Any]:
        """Return the part as a file of requests has it."""
        shared: dict[str, Any] = {"vendor": {wire: dict(self.vendor)}} if self.vendor else {}
        if not _PROOFS.isdisjoint(self.fields):
            shared["provenance"] = {"wire": wire}
        return {self.variant.mode: {**self.fields, **shared}}


@dataclass(frozen=True, slots=True)
class PartSample:
    """A sample of a shape: a name, the part, and the fields that have no place."""

    name: str
    part: FilledPart
    lost: tuple[str, ...] = ()


def part_samples(variant: Variant, *, by_call: bool = False) -> Iterable[PartSample]:
    """Yield the samples of a part; the least that it may be stands second, or alone.

    `by_call` says that results need no id of their call.

    Of several with one name the first that no rule refuses is meant.
    """
    part = _whole(variant)
    key = variant.key.partition("@")[0].partition(">")[0].rstrip("!~")
    needed = {hole.path[-1] for hole in variant.shape.required_holes} | {
        "type",
        variant.source_key,
        *_always(variant),
    }
    needed |= {hole.path[-1] for choice in _choices(variant.shape) for hole in choice.forms[0].holes}
    optional = [name for name in (*part.fields, *part.vendor) if name not in needed]
    least = part.without(optional)
    yield PartSample(f"{key} with all that it has", part)
    if optional:
        yield PartSample(f"{key} with what it needs", least)
    if len(optional) > 1 and "cache" in optional:
        # most rules are about cache marks
        yield PartSample(f"{key} with all but a cache mark", part.without(["cache"]))
    if len(optional) > 1:
        # leave out each one while another is present
        yield PartSample(f"{key} with some of it", part.without(optional[::2]))
        yield PartSample(f"{key} with the rest of it", part.without(optional[1::2]))
    lost = tuple([name for name in _without_place(variant) if not (by_call and name == "call_id")])
    if lost:
        fields = {name: _value(variant, name, None) for name in lost}
        if "name" in lost and "call_id" in part.fields:
            # the call has the same name, so nothing would be lost
            fields["name"] = "other"
        # the second value is used if a rule requires more than the minimum
        for plain in (least, part.without(["cache"])):
            filled = replace(plain, fields={**plain.fields, **fields})
            yield PartSample(f"{key} and what it has no place for", filled, lost)


def _without_place(variant: Variant) -> tuple[str, ...]:
    """Return the fields that are lost: with an error, or with a note beside one."""
    if variant.kind.name in BY_MODEL:
        return ()  # what a model thought is left out as a whole where nothing of it has a place
    # the source selects the shape; a cache mark may be a separate element or refused by a rule
    others = {"cache", "content", "media_type", *variant.kind.sources, *_always(variant), *variant.carried}
    others |= variant.beside
    lost = tuple([name for name in variant.kind.fields if name not in others])
    return lost if any(not variant.kind.fields[name].advisory for name in lost) else ()


def _always(variant: Variant) -> set[str]:
    return {name for name, field in variant.kind.fields.items() if field.always}


def _whole(variant: Variant) -> FilledPart:
    fields: dict[str, Any] = {} if variant.named is None else {"type": variant.named}
    vendor: dict[str, Any] = {}
    # fill the first of several forms
    later = {hole for choice in _choices(variant.shape) for form in choice.forms[1:] for hole in form.holes}
    rests = [piece.extra_keys for piece in variant.shape.pieces if isinstance(piece, Object)]
    for hole in variant.shape.holes:
        if hole.read_only or hole in later:
            continue
        if hole.path[0] == "vendor":
            vendor[hole.path[1]] = _SAMPLES["object"] if hole in rests else _fitting("word", hole.guard)
        else:
            fields[hole.path[0]] = _value(variant, hole.path[0], hole.guard)
    missing = [name for name in _always(variant) if name not in fields]
    if missing:
        raise NotPredictable(f"{variant.key} does not hold {missing[0]}")
    if variant.kind.sources and ("content" if variant.source == "parts" else variant.source) not in fields:
        raise NotPredictable(f"{variant.key} does not hold its source")
    return FilledPart(variant, fields, vendor)


def _choices(shape: Shape) -> list[Alternatives]:
    return [piece for piece in shape.pieces if isinstance(piece, Alternatives)]


def _value(variant: Variant, name: str, guard: str | None) -> Any:
    kind = variant.kind.fields[name].type
    if kind not in _SAMPLES:
        raise NotPredictable(f"no sample of {kind}")
    usual = _MEDIA_TYPES.get(variant.mode) if name == "media_type" else _NAMED.get(name)
    return _fitting(_SAMPLES[kind] if usual is None else usual, guard)


def _fitting(value: Any, guard: str | None) -> Any:
    """Return a value that a guard takes."""
    if guard is None or (guard == OBJECT and is_object(value)) or matches(str(value), guard.split("|")):
        return value
    return guard.partition("|")[0].replace("*", "one")


def _left(fields: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in names}
