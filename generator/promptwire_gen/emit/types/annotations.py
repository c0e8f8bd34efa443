"""Annotations as trees: the macro `annotation` of `templates/macros/types.j2` writes them as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias


@dataclass(frozen=True, slots=True)
class Named:
    """A type by its name: `str`, `int`, `float`, `bool`, `Any`, or one that the same module defines (`local`)."""

    form: ClassVar[str] = "name"
    name: str
    local: bool = False

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return frozenset([self.name] if self.local else [])


@dataclass(frozen=True, slots=True)
class ListOf:
    """`list[element]`."""

    form: ClassVar[str] = "list"
    element: Annotation

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return self.element.uses


@dataclass(frozen=True, slots=True)
class MapOf:
    """`Mapping[str, value]`."""

    form: ClassVar[str] = "map"
    value: Annotation

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return self.value.uses


@dataclass(frozen=True, slots=True)
class UnionOf:
    """`first | second`."""

    form: ClassVar[str] = "union"
    members: tuple[Annotation, ...]

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return frozenset[str]().union(*[member.uses for member in self.members])


@dataclass(frozen=True, slots=True)
class LiteralOf:
    """`Literal["a", "b"]`."""

    form: ClassVar[str] = "literal"
    values: tuple[object, ...]
    uses: frozenset[str] = frozenset()


Annotation: TypeAlias = Named | ListOf | MapOf | UnionOf | LiteralOf

ANY = Named("Any")
TEXT = Named("str")
OBJECT = MapOf(ANY)


def named(record: str) -> Named:
    """Return a type of the same module."""
    return Named(record, local=True)


def list_of(element: Annotation) -> ListOf:
    """Return `list[element]`."""
    return ListOf(element)


def union_of(members: Iterable[Annotation]) -> Annotation:
    """Return `first | second`, each once; `Any` where there is none."""
    distinct = tuple(dict.fromkeys(members))
    if len(distinct) < 2:
        return distinct[0] if distinct else ANY
    return UnionOf(distinct)


def literals(values: Iterable[object]) -> Annotation:
    """Return `Literal["a", "b"]`, or `float` where a value is a number with a fraction."""
    words = tuple(values)
    if any(isinstance(value, float) for value in words):
        return Named("float")
    return LiteralOf(words)
