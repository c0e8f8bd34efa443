"""Kinds: a common form for the types of an SDK and the shapes of a spec, so that they can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias


class SdkError(Exception):
    """Raised if an SDK is not installed, or lacks a type, or a type cannot be read; the message says what to do."""


@dataclass(frozen=True, slots=True)
class RecordKey:
    """One key of an object.

    Attributes:
        words: The only texts allowed as its value, where `*` matches any letters; empty if anything is allowed.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, eq=False)
class RecordKind:
    """An object with named keys. They are looked up when needed, because types may be recursive.

    Attributes:
        name: The name of the type; the same type is the same record.
        is_open: Whether it allows any other key as well.
    """

    name: str
    load: Callable[[], Mapping[str, RecordKey]] = field(repr=False)
    is_open: bool = False

    @cached_property
    def keys(self) -> Mapping[str, RecordKey]:
        """Key -> its description."""
        return self.load()

    @cached_property
    def required(self) -> frozenset[str]:
        """The keys that are always present."""
        return frozenset([name for name, key in self.keys.items() if key.required])

    @cached_property
    def words(self) -> Mapping[str, tuple[str, ...]]:
        """The keys with constant words, by which the object is recognised."""
        return {name: key.words for name, key in self.keys.items() if key.words}


@dataclass(frozen=True, slots=True)
class ListKind:
    """A list."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class MappingKind:
    """An object with arbitrary keys."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class AnyJson:
    """Any JSON value."""


Alternative: TypeAlias = RecordKind | ListKind | MappingKind | AnyJson
# every alternative at a place; texts, numbers and null hold no fields and are left out
Kind: TypeAlias = tuple[Alternative, ...]
ANY: Kind = (AnyJson(),)
SCALAR: Kind = ()
