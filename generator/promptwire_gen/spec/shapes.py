"""The syntax tree of shapes, before the meaning of their holes is decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..problems import Span

# the guard of a hole for any JSON that accepts only objects
OBJECT = "object"
# the key under which specs write the hole for all keys of an object that have no name
REST_KEY = "..."


@dataclass(frozen=True)
class HoleFilter:
    """A filter on a hole: `name(argument)`."""

    name: str
    arguments: tuple[str, ...] = ()


class _Shape:
    """Properties that all shapes have; cached, because shapes are immutable."""

    @cached_property
    def pieces(self) -> tuple[_Shape, ...]:
        """The shape itself and all shapes inside it, in the order in which they are written."""
        return (self, *(piece for inner in _list_inner(self) for piece in inner.pieces))

    @cached_property
    def holes(self) -> tuple[Hole, ...]:
        """All holes, in the order in which they are written."""
        return tuple([piece for piece in self.pieces if isinstance(piece, Hole)])

    @cached_property
    def written_holes(self) -> tuple[Hole, ...]:
        """The holes that a build writes."""
        return tuple([hole for hole in self.holes if not hole.read_only])

    @cached_property
    def heads(self) -> frozenset[str]:
        """The first name of each hole: a field of the node, `vendor` or `settings`."""
        return frozenset([hole.path[0] for hole in self.holes])

    @cached_property
    def written_heads(self) -> frozenset[str]:
        """The first name of each hole that a build writes."""
        return frozenset([hole.path[0] for hole in self.written_holes])

    @property
    def asks_options(self) -> bool:
        """Return whether it writes an option that only this API has."""
        return "vendor" in self.written_heads

    @cached_property
    def required_holes(self) -> tuple[Hole, ...]:
        """The holes that must have a value for the shape to be written."""
        return tuple(_find_required_holes(self))

    @cached_property
    def required_constants(self) -> dict[tuple[str, ...], ConstantShape]:
        """Key path -> constant, for all constants that must be present."""
        return {}

    @cached_property
    def required_keys(self) -> frozenset[tuple[str, ...]]:
        """The paths of all required keys."""
        return frozenset()

    @property
    def read_only_fields(self) -> dict[str, tuple[str, ...]]:
        """Field -> the keys that lead to its hole, for all holes that only reading knows."""
        return {hole.name: () for hole in self.holes if hole.read_only}


@dataclass(frozen=True)
class Hole(_Shape):
    """A place for a neutral value: `$path[]|filter(guard)`; `read_only` if it is `=$path`.

    A `fixed` hole has no key: the field has the value `guard` wherever the shape around it is used.
    """

    path: tuple[str, ...]
    span: Span
    listed: bool = False
    filters: tuple[HoleFilter, ...] = ()
    guard: str | None = None
    read_only: bool = False
    fixed: bool = False

    @property
    def name(self) -> str:
        """The path as it is written in the spec."""
        return ".".join(self.path)

    @property
    def own(self) -> bool:
        """Return whether it is an option that only this API has: `$vendor.name`."""
        return self.path[0] == "vendor"

    @property
    def is_place(self) -> bool:
        """Return whether it takes messages out of their list: `$messages.last.user`, `$messages.results`."""
        return self.path[0] == "messages" and len(self.path) > 1

    @property
    def keyed(self) -> bool:
        """Return whether it writes the content of a tool result as an object."""
        return any(used.name == "keyed" for used in self.filters)

    @property
    def takes_words(self) -> bool:
        """Return whether it accepts only certain words and never None; options of this API may be missing."""
        return self.guard is not None and "*" not in self.guard and not self.own

    @property
    def wants_object(self) -> bool:
        """Return whether a hole for any JSON accepts only objects."""
        return self.guard == OBJECT and not self.fixed


@dataclass(frozen=True)
class ConstantShape(_Shape):
    """A constant value, required as it is."""

    value: str | int | float | bool | None
    span: Span


@dataclass(frozen=True)
class Tolerated(_Shape):
    """Constants that are accepted and remembered, but never written by a fresh build."""

    values: tuple[str | int | float | bool | None, ...]
    span: Span


@dataclass(frozen=True)
class Interpolation(_Shape):
    """Text with holes: texts and holes alternate, beginning and ending with text."""

    texts: tuple[str, ...]
    between: tuple[Hole, ...]
    span: Span


@dataclass(frozen=True)
class KeyShape:
    """One key of an object: its name, its aliases, and whether it may be missing."""

    key: str
    aliases: tuple[str, ...]
    optional: bool
    shape: Shape
    span: Span

    @property
    def spellings(self) -> tuple[str, ...]:
        """The key and its aliases."""
        return (self.key, *self.aliases)

    @property
    def copied(self) -> bool:
        """Return whether it holds the option of this API that has its name, as it is given."""
        hole = self.shape
        if not isinstance(hole, Hole) or hole.path != ("vendor", self.key):
            return False
        return not (hole.read_only or hole.filters or hole.listed) and hole.guard is None

    @property
    def is_rest(self) -> bool:
        """Return whether it stands for all keys that have no name."""
        return self.key == REST_KEY

    @property
    def holds_messages(self) -> bool:
        """Return whether this key holds messages or some of their content."""
        return "messages" in self.shape.heads

    @property
    def is_place(self) -> bool:
        """Return whether it takes messages of a body out of their list."""
        return any(hole.is_place for hole in self.shape.holes)

    @property
    def instructions_inside(self) -> KeyShape | None:
        """The inner key that holds the instructions, of a key such as `system: {parts: $instructions[]}`."""
        fields = self.shape.fields if isinstance(self.shape, Object) else ()
        return next((field for field in fields if field.holds("instructions")), None)

    def holds(self, *path: str) -> bool:
        """Return whether its whole value is the hole of this path."""
        return isinstance(self.shape, Hole) and self.shape.path == path

    @property
    def by_default(self) -> bool:
        """Return whether a constant is written if no value is given. The API accepts a body without the key."""
        forms = self.shape.forms if isinstance(self.shape, Alternatives) else ()
        has_constant = any(isinstance(form, ConstantShape) for form in forms)
        return has_constant and not self.optional and not self.holds_messages


@dataclass(frozen=True)
class Object(_Shape):
    """A JSON object; `extra_keys` takes all unnamed keys, `fixed` are fields with a fixed value.

    `more_keys` are further holes whose keys stand among those of the object, which only answers have.
    """

    fields: tuple[KeyShape, ...]
    extra_keys: Hole | None
    span: Span
    fixed: tuple[Hole, ...] = ()
    more_keys: tuple[Hole, ...] = ()

    @property
    def spreads(self) -> tuple[Hole, ...]:
        """All holes whose keys are spread into the object."""
        return self.more_keys if self.extra_keys is None else (self.extra_keys, *self.more_keys)

    @cached_property
    def required(self) -> tuple[KeyShape, ...]:
        """The keys that must be there."""
        return tuple([entry for entry in self.fields if not entry.optional])

    @property
    def has_optional(self) -> bool:
        """Return whether it may have more than its required keys."""
        rest = self.extra_keys is not None and not self.extra_keys.read_only
        return rest or any(entry.optional and entry.shape.written_holes for entry in self.fields)

    @property
    def constants(self) -> dict[str, str | int | float | bool | None]:
        """Key -> its constant, for all required keys that have one."""
        return {
            entry.key: entry.shape.value for entry in self.required if isinstance(entry.shape, ConstantShape)
        }

    @cached_property
    def required_constants(self) -> dict[tuple[str, ...], ConstantShape]:
        """Key path -> constant, for all constants that must be present."""
        constants: dict[tuple[str, ...], ConstantShape] = {}
        for entry in self.required:
            if isinstance(entry.shape, ConstantShape):
                constants[(entry.key,)] = entry.shape
            else:
                below = entry.shape.required_constants
                constants |= {(entry.key, *path): constant for path, constant in below.items()}
        return constants

    @cached_property
    def required_keys(self) -> frozenset[tuple[str, ...]]:
        """The paths of all required keys."""
        below = [((entry.key, *path) for path in entry.shape.required_keys) for entry in self.required]
        return frozenset([(entry.key,) for entry in self.required]).union(*below)

    @property
    def read_only_fields(self) -> dict[str, tuple[str, ...]]:
        """Field -> the keys that lead to its hole, for all holes that only reading knows."""
        found = {
            name: (entry.key, *keys)
            for entry in self.fields
            for name, keys in entry.shape.read_only_fields.items()
        }
        rest = self.extra_keys
        return found | ({rest.name: ()} if rest is not None and rest.read_only else {})


@dataclass(frozen=True)
class Listing(_Shape):
    """A JSON list of these elements; a single element with a listed hole is repeated."""

    items: tuple[Shape, ...]
    span: Span


@dataclass(frozen=True)
class Alternatives(_Shape):
    """Alternative forms of one value; the first one that fits is written, all are read."""

    forms: tuple[Shape, ...]
    span: Span

    @cached_property
    def differs(self) -> bool:
        """Whether its forms write different holes, so that a form may omit a value of another."""
        return len({frozenset([hole.path for hole in form.written_holes]) for form in self.forms}) > 1


Shape: TypeAlias = "Hole | ConstantShape | Tolerated | Interpolation | Object | Listing | Alternatives"


def _list_inner(shape: _Shape) -> tuple[_Shape, ...]:
    match shape:
        case Interpolation():
            return shape.between
        case Object():
            return (*shape.fixed, *(entry.shape for entry in shape.fields), *shape.spreads)
        case Listing(items=shapes) | Alternatives(forms=shapes):
            return shapes
        case _:
            return ()


def _find_required_holes(shape: _Shape) -> Iterator[Hole]:
    match shape:
        case Object():
            yield from shape.fixed
            for entry in shape.required:
                yield from entry.shape.required_holes
        case Alternatives():
            return
        case _:
            yield from shape.holes
