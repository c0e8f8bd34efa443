"""The order in which shapes are tried for one element: first by its discriminating key, then one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from ...model.dispatch import fixed_words, reading_order, switched, telling_key
from ...model.wire import Variant
from ...spec.shapes import ConstantShape, Hole, KeyShape, Object
from ..write.node import ShapedNode
from .plain_shapes import has_plain_marks
from .shape_readers import ShapeReader

Labels: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReaderChoice:
    """The shapes of an element, by their labels, as the runtime's class of this name takes them.

    A word for which the same shapes are tried as for any other is not among the cases.
    """

    key: str | None
    cases: tuple[tuple[str, Labels], ...]
    others: Labels
    words: tuple[tuple[str, Labels], ...]
    values: Labels
    place: str

    def without(self, labels: Collection[str]) -> ReaderChoice:
        """Return a copy without shapes that are tried nowhere; a word left without shapes joins the others."""

        def rest(tried: Labels) -> Labels:
            return tuple([label for label in tried if label not in labels])

        cases = [(word, rest(tried)) for word, tried in self.cases]
        words = [(word, rest(tried)) for word, tried in self.words]
        return replace(
            self,
            cases=tuple([row for row in cases if row[1] and row[1] != rest(self.others)]),
            others=rest(self.others),
            words=tuple([row for row in words if row[1]]),
            values=rest(self.values),
        )

    def says_as(self, other: ReaderChoice) -> bool:
        """Return whether both try the same shapes for any element, regardless of the order of their words."""
        same = self.others == other.others and self.values == other.values and self.place == other.place
        key = self.key == other.key or not (self.cases or other.cases)
        return (
            same and key and dict(self.cases) == dict(other.cases) and dict(self.words) == dict(other.words)
        )


class VariantChoice:
    """The readers of one wire's shapes, and which of them are tried where."""

    def __init__(self, variants: Iterable[Variant], node_of: Callable[[Variant], ShapedNode]) -> None:
        """`variants` are all that are read."""
        groups: dict[tuple[str, str], list[Variant]] = {}
        readable = [variant for variant in variants if not variant.write_only]
        for variant in readable:
            groups.setdefault(_group(variant), []).append(variant)
        self._order = {variant.label: index for index, variant in enumerate(readable)}
        self._keys = {group: telling_key(members) for group, members in groups.items()}
        self.readers: dict[str, ShapeReader] = {}
        marks = has_plain_marks(readable)
        for variant in readable:
            key = self._keys[_group(variant)]
            discriminator = key if key is not None and fixed_words(variant, key) else None
            is_exact = _is_shared(variant, groups[_group(variant)])
            self.readers[variant.label] = ShapeReader(node_of(variant), discriminator, is_exact, marks)

    def of(self, variants: Sequence[Variant], place: str = "") -> ReaderChoice:
        """Return the shapes to try for an element of these variants; any other element is kept at `place`, if given."""
        runs = [(sort, list(run)) for sort, run in groupby(reading_order(variants), _sort)]
        words = [
            (str(_word(variant)), (variant.label,)) for sort, run in runs if sort is str for variant in run
        ]
        # write-only shapes have no key
        key = self._keys.get(_group(variants[0])) if variants else None
        order = self._order
        switches = [
            switched(sorted(run, key=lambda variant: order[variant.label]), key if sort is Object else None)
            for sort, run in runs
            if sort is not str
        ]

        def tried(word: str | None) -> Labels:
            rows = [others if word is None else cases.get(word, others) for cases, others in switches]
            return self._until_sure([variant for run in rows for variant in run])

        others = tried(None)
        cases = [
            (word, tried(word)) for word in dict.fromkeys([word for cases, _ in switches for word in cases])
        ]
        values = [variant for sort, run in runs if sort is object for variant in run]
        return ReaderChoice(
            key,
            tuple([row for row in cases if row[1] != others]),
            others,
            tuple(words),
            self._until_sure(values),
            place,
        )

    def _until_sure(self, variants: Iterable[Variant]) -> Labels:
        """Return the labels of shapes that are tried in turn, up to the first that takes anything."""
        labels: list[str] = []
        for variant in variants:
            labels.append(variant.label)
            if self.readers[variant.label].sure:
                break
        return tuple(labels)


def _word(variant: Variant) -> object:
    """Return the bare word that a shape is."""
    return variant.shape.value if isinstance(variant.shape, ConstantShape) else None


def _group(variant: Variant) -> tuple[str, str]:
    """Return the shapes that stand in lists of one kind."""
    return variant.union, variant.slot


def _is_shared(variant: Variant, others: Iterable[Variant]) -> bool:
    """Return whether a part has keys that other parts have beside their own, and no more.

    An object with any other key is of another shape, which may be a new one.
    """
    shape = variant.shape
    if variant.union != "part" or not isinstance(shape, Object) or shape.extra_keys is not None:
        return False
    shared = {entry.key for other in others for entry in _optional_keys(other)}
    return bool(shape.fields) and all(
        isinstance(entry.shape, Hole) and not entry.optional and entry.key in shared for entry in shape.fields
    )


def _optional_keys(variant: Variant) -> Iterable[KeyShape]:
    shape = variant.shape
    return [entry for entry in shape.fields if entry.optional] if isinstance(shape, Object) else ()


def _sort(variant: Variant) -> type[object]:
    """Return the type of a shape: a string constant, an object, or any other value."""
    shape = variant.shape
    if isinstance(shape, ConstantShape) and isinstance(shape.value, str):
        return str
    return Object if isinstance(shape, Object) else object
