"""The syntax tree of shapes: what a spec writes and reads, before it is decided what its holes mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..problems import Span

# the guard of a hole for any JSON that takes an object alone
OBJECT = "object"


@dataclass(frozen=True)
class Filter:
    """A filter on a hole: `name(argument)`."""

    name: str
    arguments: tuple[str, ...] = ()


class _Shape:
    """What every shape knows of itself; found once, since shapes never change."""

    @cached_property
    def pieces(self) -> tuple[_Shape, ...]:
        """Itself and all shapes inside it, in the order they are written."""
        return (self, *(piece for inner in _inside(self) for piece in inner.pieces))

    @cached_property
    def holes(self) -> tuple[Hole, ...]:
        """All holes, in the order they are written."""
        return tuple([piece for piece in self.pieces if isinstance(piece, Hole)])

    @cached_property
    def required_holes(self) -> tuple[Hole, ...]:
        """The holes that must have a value for the shape to be written."""
        return tuple(_required_holes(self))

    @cached_property
    def required_constants(self) -> dict[tuple[str, ...], Constant]:
        """Key path -> constant, for all constants that must stand where they are."""
        return {}

    @cached_property
    def required_keys(self) -> frozenset[tuple[str, ...]]:
        """The paths of all required keys."""
        return frozenset()


@dataclass(frozen=True)
class Hole(_Shape):
    """A place for a neutral value: `$path[]|filter(guard)`; `read_only` when it is `=$path`.

    `fixed` when it stands in no key: the field has the value `guard` wherever the shape around it is used.
    """

    path: tuple[str, ...]
    span: Span
    listed: bool = False
    filters: tuple[Filter, ...] = ()
    guard: str | None = None
    read_only: bool = False
    fixed: bool = False

    @property
    def name(self) -> str:
        """The path as it is written."""
        return ".".join(self.path)

    @property
    def wants_object(self) -> bool:
        """Whether a hole for any JSON takes an object alone."""
        return self.guard == OBJECT and not self.fixed


@dataclass(frozen=True)
class Constant(_Shape):
    """A value that is written and expected as it stands."""

    value: str | int | float | bool | None
    span: Span


@dataclass(frozen=True)
class Tolerated(_Shape):
    """Constants that are accepted and remembered, never written by a fresh build."""

    values: tuple[str | int | float | bool | None, ...]
    span: Span


@dataclass(frozen=True)
class Interpolation(_Shape):
    """Text with holes inside: pieces of text and holes in turn, beginning and ending with text."""

    texts: tuple[str, ...]
    between: tuple[Hole, ...]
    span: Span


@dataclass(frozen=True)
class Field:
    """One key of an object: its name, its other spellings, and whether it may be missing."""

    key: str
    aliases: tuple[str, ...]
    optional: bool
    shape: Shape
    span: Span

    @property
    def by_default(self) -> bool:
        """Whether a constant stands here where nothing is given: an API may do without the key, a build does not."""
        forms = self.shape.forms if isinstance(self.shape, Choice) else ()
        of_messages = any(hole.path[0] == "messages" for hole in self.shape.holes)
        return not self.optional and not of_messages and any(isinstance(form, Constant) for form in forms)


@dataclass(frozen=True)
class Object(_Shape):
    """A JSON object; `extra_keys` takes all keys that are not named, `fixed` says which fields have which value."""

    fields: tuple[Field, ...]
    extra_keys: Hole | None
    span: Span
    fixed: tuple[Hole, ...] = ()

    @cached_property
    def required_constants(self) -> dict[tuple[str, ...], Constant]:
        """Key path -> constant, for all constants that must stand where they are."""
        constants: dict[tuple[str, ...], Constant] = {}
        for entry in self._required:
            if isinstance(entry.shape, Constant):
                constants[(entry.key,)] = entry.shape
            else:
                below = entry.shape.required_constants
                constants |= {(entry.key, *path): constant for path, constant in below.items()}
        return constants

    @cached_property
    def required_keys(self) -> frozenset[tuple[str, ...]]:
        """The paths of all required keys."""
        below = [((entry.key, *path) for path in entry.shape.required_keys) for entry in self._required]
        return frozenset([(entry.key,) for entry in self._required]).union(*below)

    @property
    def _required(self) -> list[Field]:
        return [entry for entry in self.fields if not entry.optional]


@dataclass(frozen=True)
class Listing(_Shape):
    """A JSON list of these elements; one element with a listed hole is repeated."""

    items: tuple[Shape, ...]
    span: Span


@dataclass(frozen=True)
class Choice(_Shape):
    """Forms of one thing; the first that fits is written, each is read."""

    forms: tuple[Shape, ...]
    span: Span


Shape: TypeAlias = "Hole | Constant | Tolerated | Interpolation | Object | Listing | Choice"


def _inside(shape: _Shape) -> tuple[_Shape, ...]:
    match shape:
        case Interpolation():
            return shape.between
        case Object():
            extra = () if shape.extra_keys is None else (shape.extra_keys,)
            return (*shape.fixed, *(entry.shape for entry in shape.fields), *extra)
        case Listing(items=shapes) | Choice(forms=shapes):
            return shapes
        case _:
            return ()


def _required_holes(shape: _Shape) -> Iterator[Hole]:
    match shape:
        case Object():
            yield from shape.fixed
            for entry in shape.fields:
                if not entry.optional:
                    yield from entry.shape.required_holes
        case Choice():
            return
        case _:
            yield from shape.holes
