"""Which shape an element has, as rows of data: shapes by their labels, found by the word that tells most apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..wire_json.kinds import class_of
from .nearest import Nearest

ReadElement: TypeAlias = Callable[[Any, Any], Any]
NO_NEEDS: Mapping[str, str] = {}
_NO_KEYS: frozenset[str] = frozenset()
# among fewer shapes, trying them costs less than looking at keys
_WORTH_LOOKING = 4
# sets of keys that are remembered for one place
_MOST_KNOWN = 256


class Shape:
    """A function that reads one shape with a `Reader`; it returns None for another shape.

    needs  a key without which an object is surely of another shape: all its spellings, `inlineData|inline_data`;
           empty where none is known
    near   what the shape requires, a word a value (`type=function id:id function.arguments:json`), by which an
           object that lacks some of it is read as the nearest shape; empty: it never is
    alone  of an item of its own among the messages: the role of the turn that it belongs to
    """

    __slots__ = ("alone", "near", "needs", "read")

    def __init__(self, read: ReadElement, needs: str = "", near: str = "", *, alone: str = "") -> None:
        self.read = read
        self.alone = alone
        self.needs = needs
        self.near = near

    def read_as_item(self, item: Any, reader: Any) -> tuple[str, Any] | None:
        """Read an item of its own, as the role of its turn and the part; None of another shape."""
        part = self.read(item, reader)
        return None if part is None else (self.alone, part)


def _by_keys(
    shapes: list[tuple[ReadElement, str]], known: dict[tuple[str, ...], tuple[ReadElement, ...]]
) -> Callable[[dict[str, Any]], tuple[ReadElement, ...]] | None:
    """Return a chooser of shapes by the keys of an object, which are `known` then; None if keys separate too few."""
    rows = [(attempt, frozenset(needed.split("|")) if needed else _NO_KEYS) for attempt, needed in shapes]
    if sum([bool(keys) for _, keys in rows]) < _WORTH_LOOKING:
        return None

    def among(item: dict[str, Any]) -> tuple[ReadElement, ...]:
        tried = tuple([attempt for attempt, keys in rows if not keys or not keys.isdisjoint(item)])
        if len(known) < _MOST_KNOWN:
            known[tuple(item)] = tried
        return tried

    return among


def _split(rows: Mapping[str, str] | None) -> dict[str, tuple[str, ...]]:
    return {word: tuple(labels.split()) for word, labels in (rows or {}).items()}


class Choice:
    """The shapes that one element may have, by their labels: they are tried in turn. One text names several.

    key     where an object says what it is
    cases   the text at that key -> the shapes that such an object may have
    others  the shapes of any other object
    words   text of one word -> its shapes
    values  the shapes of anything else: other text, numbers, lists
    place   where an element of no known shape is kept as it stands; empty where it is none at all
    """

    __slots__ = ("cases", "key", "others", "place", "values", "words")

    def __init__(
        self,
        key: str | None = None,
        cases: Mapping[str, str] | None = None,
        *,
        others: str = "",
        words: Mapping[str, str] | None = None,
        values: str = "",
        place: str = "",
    ) -> None:
        self.key = key
        self.cases = _split(cases)
        self.others = tuple(others.split())
        self.words = _split(words)
        self.values = tuple(values.split())
        self.place = place

    def nearest(self, shapes: Mapping[str, Shape]) -> Nearest | None:
        """Return what reads an object that has none of these shapes as the nearest; None where none can be near."""
        labels = {label for tried in (*self.cases.values(), self.others) for label in tried}
        if not any(label in shapes and shapes[label].near for label in labels):
            return None
        return Nearest(self.key, self.cases, self.others, shapes)

    def reading(
        self,
        readers: Mapping[str, ReadElement],
        needs: Mapping[str, str] = NO_NEEDS,
        nearest: Nearest | None = None,
        by_word: tuple[Nearest, ReadElement] | None = None,
    ) -> ReadElement:
        """Return what reads an element as the first of its shapes that it has; one without a reader is never tried.

        needs    label -> a key without which an object is surely of another shape, in all its spellings
        nearest  what reads an object that has none of the shapes
        by_word  what knows the nearest shapes, and reads an object as the one that names its word, before shapes that
                 take many words are tried; the same as `nearest` without it
        """

        def row(labels: tuple[str, ...]) -> tuple[ReadElement, ...]:
            return tuple([readers[label] for label in labels if label in readers])

        key, others, values = self.key, row(self.others), row(self.values)
        # a word without shapes is like any other word
        near, otherwise = self._otherwise(nearest)
        by_word = by_word or (None if nearest is None else (nearest, near))

        cases = {
            word: tried
            for word, labels in self.cases.items()
            if (tried := self._of_word(word, row(labels), by_word))
        }
        words = {word: tried for word, labels in self.words.items() if (tried := row(labels))}

        # most objects have the same few keys
        known: dict[tuple[str, ...], tuple[ReadElement, ...]] = {}
        among = _by_keys(
            [(readers[label], needs.get(label, "")) for label in self.others if label in readers], known
        )

        def read(item: Any, reader: Any) -> Any:
            kind = class_of(item)
            if kind is dict:
                tried = others if among is None else known.get(tuple(item)) or among(item)
                if cases and class_of(word := item.get(key)) is str:
                    tried = cases.get(word, tried)
                    # no shape documents an empty word, though a hole would take it
                    if word == "" and (node := near(item, reader)) is not None:
                        return node
            else:
                tried = words.get(item, values) if kind is str else values
            for attempt in tried:
                node = attempt(item, reader)
                if node is not None:
                    return node
            return otherwise(item, reader)

        return read

    def _of_word(
        self, word: str, tried: tuple[ReadElement, ...], by_word: tuple[Nearest, ReadElement] | None
    ) -> tuple[ReadElement, ...]:
        """Return what reads an element of a word: the shape that names it first, exactly and then as the nearest."""
        if len(tried) < 2 or by_word is None or not by_word[0].names(self.cases[word][0], word):
            return tried
        return (tried[0], by_word[1], *tried[1:])

    def _otherwise(self, nearest: Nearest | None) -> tuple[ReadElement, ReadElement]:
        """Return what reads an object as the nearest shape, and what reads an element that no shape fits exactly."""
        place = self.place

        def near(item: Any, reader: Any) -> Any:
            found = nearest.read(item, reader) if nearest is not None and class_of(item) is dict else None
            return None if found is None else found[1]

        def otherwise(item: Any, reader: Any) -> Any:
            node = near(item, reader)
            return reader.opaque(item, place) if node is None and place else node

        return near, otherwise
