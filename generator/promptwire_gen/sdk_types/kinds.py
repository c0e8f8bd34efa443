"""What may stand at a place of a body, in the form in which an SDK's types and a spec's shapes are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias


class SdkError(Exception):
    """An SDK that is not installed, or types of it that are not there or cannot be read; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of an object.

    words  the only texts that stand there, `*` for any letters; none where it may be anything
    """

    kind: Kind
    words: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, eq=False)
class Record:
    """An object with named keys, which are looked up when they are needed: types may hold themselves.

    name     of the type; the same type is the same record
    is_open  whether it takes any other key as well
    """

    name: str
    load: Callable[[], Mapping[str, Key]] = field(repr=False)
    is_open: bool = False

    @cached_property
    def keys(self) -> Mapping[str, Key]:
        """Key to what stands there."""
        return self.load()

    @cached_property
    def required(self) -> frozenset[str]:
        """The keys that are always there."""
        return frozenset([name for name, key in self.keys.items() if key.required])

    @cached_property
    def words(self) -> Mapping[str, tuple[str, ...]]:
        """The keys that say what the object is, with their words."""
        return {name: key.words for name, key in self.keys.items() if key.words}


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Values:
    """An object whose keys are anybody's."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class AnyJson:
    """Any JSON at all."""


Alternative: TypeAlias = Record | Items | Values | AnyJson
# every alternative at a place; texts, numbers and null hold no fields and are none
Kind: TypeAlias = tuple[Alternative, ...]
ANY: Kind = (AnyJson(),)
SCALAR: Kind = ()
