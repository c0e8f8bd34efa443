"""Functions that find the variant of one element: by the word that tells most apart, then one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, TypeAlias

from ...model.discriminator import fixed_words, switched, telling_key
from ...model.dispatch import reading_order
from ...model.wire import Variant
from ...spec.shapes import Constant, Object
from ..field_access import FieldAccess
from ..imports import Imports
from ..python import Expression, call, literal, name
from ..python.conditions import all_of, any_of, conditional, either, is_one_of
from .definition import Definition
from .shape_readers import ShapeReader, shape_reader

# how the readers of some shapes, tried in turn, become one expression
Attempt: TypeAlias = Callable[[Sequence[Variant]], Expression]
# the place of a variant, with imports of its own
Places: TypeAlias = Callable[[Variant], FieldAccess]


@dataclass(frozen=True, slots=True)
class Case:
    """What is tried where one of these words stands."""

    words: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Branches:
    """The cases of a key (`told` looks it up), then `otherwise`."""

    otherwise: Expression
    told: Expression | None = None
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function gives, what it gives where no variant fits, and what it takes."""

    returns: str
    nothing: Expression
    parameters: str = "item: Any, reader: Reader"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantReader(Definition):
    """The function that finds the variant of an element and reads it.

    words     what bare words are read as
    branches  what is tried in turn
    direct    whether the only one gives the answer
    """

    answer: Answer
    words: tuple[Case, ...]
    branches: tuple[Branches, ...]
    direct: bool
    macro: ClassVar[str] = "variant"


class VariantChoice:
    """The readers of one wire's shapes, and the functions that choose among them."""

    def __init__(self, variants: Iterable[Variant], places: Places) -> None:
        """`variants` are all that are read."""
        groups: dict[tuple[str, str], list[Variant]] = {}
        readable = [variant for variant in variants if not variant.write_only]
        for variant in readable:
            groups.setdefault(_group(variant), []).append(variant)
        self._order = {variant.label: index for index, variant in enumerate(readable)}
        self._keys = {group: telling_key(members) for group, members in groups.items()}
        self.readers: dict[str, ShapeReader] = {}
        for variant in readable:
            key = self._keys[_group(variant)]
            discriminator = key if key is not None and fixed_words(variant, key) else None
            self.readers[variant.label] = shape_reader(variant, places(variant), discriminator)

    def first_of(self, variants: Sequence[Variant]) -> Expression:
        """`read_a(item, reader) or read_b(item, reader)`: what the first of these readers gives."""
        calls: list[Expression] = []
        for variant in variants:
            reader = self.readers[variant.label]
            calls.append(call(reader.name, name("item"), name("reader")))
            if reader.sure:
                break
        first = any_of(calls)
        assert first is not None  # nobody asks for the first of none
        return first

    def element(
        self, function: str, variants: Sequence[Variant], returns: str, unknown: Expression | None, doc: str
    ) -> VariantReader:
        """The function that reads one element as the variant that it is; `unknown` makes a node of any other."""
        return self._reader(function, doc, variants, self.first_of, Answer(returns, unknown or literal(None)))

    def standing_alone(self, variants: Sequence[Variant]) -> VariantReader:
        """The function that reads an item of the conversation which is a part of its own into its turn."""
        doc = "Read an item that is a part of its own into its turn; False where it is none."
        answer = Answer("bool", literal(False), "item: Any, turns: Turns, reader: Reader")
        return self._reader("read_item", doc, variants, self._alone, answer)

    def _alone(self, variants: Sequence[Variant]) -> Expression:
        """`turns.alone("tool", read_part_tool_result(item, reader))`, for each role in turn."""
        runs = [(role, list(run)) for role, run in groupby(variants, lambda variant: variant.roles[0])]
        tried = any_of([call("turns.alone", literal(role), self.first_of(run)) for role, run in runs])
        assert tried is not None  # nobody tries none
        return tried

    def _reader(
        self, function: str, doc: str, variants: Sequence[Variant], attempt: Attempt, answer: Answer
    ) -> VariantReader:
        imports = Imports()
        imports.use("promptwire_runtime.read.reader", "Reader")
        imports.use("promptwire_runtime", *_class_names(answer.returns))
        if answer.returns == "bool":
            imports.use("promptwire_runtime.read.turns", "Turns")
        runs = [(sort, list(run)) for sort, run in groupby(reading_order(variants), _sort)]
        words = tuple([case for sort, run in runs if sort is str for case in _words(run, attempt)])
        if words:
            imports.use("promptwire_runtime.wire_json.values", "as_str")
        others = [(sort, run) for sort, run in runs if sort is not str]
        # what ends in None or False needs no variable to be completed
        nothing = answer.nothing
        empty = nothing if answer.returns == "bool" else literal(None)
        branches = [
            self._objects(run, attempt, empty, imports) if sort is Object else Branches(attempt(run))
            for sort, run in others
        ]
        direct = len(branches) == 1 and empty == nothing
        if len(branches) == 1 and not direct and branches[0].told is None:
            value = branches[0].otherwise
            sure = others[0][0] is not Object and any(
                self.readers[variant.label].sure for variant in others[0][1]
            )
            branches, direct = [Branches(value if sure else either(value, nothing))], True
        return VariantReader(
            name=function,
            doc=doc,
            uses=frozenset(
                self.readers[variant.label].name for variant in variants if variant.label in self.readers
            ),
            imports=imports.rows(),
            answer=answer,
            words=words,
            branches=tuple(branches),
            direct=direct,
        )

    def _objects(
        self, variants: Sequence[Variant], attempt: Attempt, nothing: Expression, imports: Imports
    ) -> Branches:
        """What tells objects apart by one key."""
        switch = switched(
            sorted(variants, key=lambda variant: self._order[variant.label]), self._keys[_group(variants[0])]
        )
        last = nothing
        if switch.others:
            imports.use("promptwire_runtime.wire_json.kinds", "is_object")
            last = _where(call("is_object", name("item")), attempt(switch.others), nothing)
        if not switch.cases:
            return Branches(last)
        imports.use("promptwire_runtime.wire_json.values", "text_at")
        subject = call("text_at", name("item"), literal(switch.key))
        cases = [Case(tuple(map(literal, case.words)), attempt(case.rows)) for case in switch.cases]
        if len(cases) == 1 and not switch.others:
            (case,) = cases
            return Branches(_where(is_one_of(subject, case.words), case.value, nothing))
        return Branches(last, subject, tuple(cases))


def _words(variants: Sequence[Variant], attempt: Attempt) -> list[Case]:
    """A case for each shape that is a bare word."""
    return [
        Case((literal(variant.shape.value),), attempt([variant]))
        for variant in variants
        if isinstance(variant.shape, Constant)
    ]


def _where(test: Expression, value: Expression, nothing: Expression) -> Expression:
    """`value if test else None`, or `test and value` where nothing is False."""
    result = all_of([test, value])
    return result if result and nothing == literal(False) else conditional(test, value, nothing)


def _class_names(returns: str) -> list[str]:
    """The classes in `Cache | None`."""
    return [word for word in returns.split(" | ") if word not in ("None", "bool")]


def _group(variant: Variant) -> tuple[str, str]:
    """The shapes that stand in lists of one kind."""
    return variant.union, variant.slot


def _sort(variant: Variant) -> type[object]:
    """Whether a shape is a word, an object, or any other value."""
    shape = variant.shape
    if isinstance(shape, Constant) and isinstance(shape.value, str):
        return str
    return Object if isinstance(shape, Object) else object
