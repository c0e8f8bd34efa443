"""Definitions of a module of types; each names the macro of `templates/macros/types.j2` that renders it."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, TypeAlias

from .annotations import Annotation, Named, named


class TypedKey(NamedTuple):
    """One key of a TypedDict."""

    name: str
    type: Annotation
    required: bool


@dataclass(frozen=True, slots=True)
class TypedDictClass:
    """One TypedDict: its keys, or only the others that it joins (`bases`).

    Two are equal when they take the same objects: neither order nor docstring counts.
    """

    macro: ClassVar[str] = "record"
    name: str
    doc: str = field(compare=False)
    keys: tuple[TypedKey, ...] = field(compare=False)
    bases: tuple[str, ...] = ()
    types: frozenset[TypedKey] = field(init=False)

    def __post_init__(self) -> None:
        """Keep the keys without their order, for comparisons."""
        object.__setattr__(self, "types", frozenset(self.keys))

    @property
    def uses(self) -> frozenset[str]:
        """The other types of the module that it names."""
        return frozenset(self.bases).union(*[key.type.uses for key in self.keys])

    @property
    def is_class(self) -> bool:
        """Return whether class syntax can spell all keys."""
        return all(key.name.isidentifier() and not keyword.iskeyword(key.name) for key in self.keys)

    @property
    def type(self) -> Named:
        """The annotation that names it."""
        return named(self.name)


@dataclass(frozen=True, slots=True)
class Alias:
    """A name for any of several types."""

    macro: ClassVar[str] = "alias"
    name: str
    type: Annotation

    @property
    def uses(self) -> frozenset[str]:
        """The other types of the module that it names."""
        return self.type.uses


TypeDefinition: TypeAlias = TypedDictClass | Alias
