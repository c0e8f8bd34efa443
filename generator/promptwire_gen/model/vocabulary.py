"""The vocabulary of a wire: its keys, constants and aliases, by which unknown ones are recognised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..spec.notation import snake_case
from ..spec.schema import SettingSpec
from ..spec.shapes import Alternatives, ConstantShape, Hole, Listing, Object, Shape, Tolerated
from .body_model import Body
from .wire import MessageShape


class Vocabulary(NamedTuple):
    """Keys, constants, (alias, key) pairs, and read-only (key, field) pairs, sorted."""

    keys: tuple[str, ...]
    constants: tuple[str | bool, ...]
    aliases: tuple[tuple[str, str], ...]
    echoes: tuple[tuple[str, str], ...]


def collect_vocabulary(
    body: Body, messages: Iterable[MessageShape], shapes: Sequence[Shape], settings: Mapping[str, SettingSpec]
) -> Vocabulary:
    """Collect the vocabulary of all shapes; a setting in the body contributes its choices."""
    keys: set[str] = set()
    constants: set[Any] = set()
    aliases: set[tuple[str, str]] = set()
    for shape in shapes:
        more_keys, more_constants, pairs = collect_words(shape)
        keys |= more_keys
        # a body never has a key in camelCase and in snake_case at once
        aliases |= {(alias, key) for alias, key in pairs if alias != snake_case(key)}
        constants |= more_constants
    constants |= {word for message in messages for word in message.also if word is not None}
    for hole in body.shape.holes:
        # a hole with an unknown name is already a problem
        if hole.path[0] == "settings" and hole.path[-1] in settings:
            constants |= set(settings[hole.path[-1]].choices or ())
    ordered = tuple(sorted(constants, key=lambda word: (type(word).__name__, word)))
    read_only = sorted(set[tuple[str, str]]().union(*map(find_read_only_keys, shapes)))
    return Vocabulary(tuple(sorted(keys)), ordered, tuple(sorted(aliases)), tuple(read_only))


def find_required_choices(shape: Shape) -> Iterator[Alternatives]:
    """Walk the choices of which one form must be written."""
    match shape:
        case Object():
            for entry in shape.required:
                yield from find_required_choices(entry.shape)
        case Listing(items=shapes):
            for inner in shapes:
                yield from find_required_choices(inner)
        case Alternatives():
            yield shape
        case _:
            return


def collect_words(shape: Shape) -> tuple[set[str], set[str | bool], set[tuple[str, str]]]:
    """Collect every key name, every constant (text or bool), and every pair of an alias and its key of a shape."""
    keys: set[str] = set()
    aliases: set[tuple[str, str]] = set()
    constants: set[str | bool] = set()
    for piece in shape.pieces:
        match piece:
            case Object(fields=fields):
                keys |= {name for entry in fields for name in entry.spellings}
                aliases |= {(alias, entry.key) for entry in fields for alias in entry.aliases}
            case ConstantShape(value=value) if isinstance(value, (str, bool)):
                constants.add(value)
            case Tolerated(values=values):
                constants |= {value for value in values if isinstance(value, (str, bool))}
            case Hole(filters=filters):
                constants |= {a for f in filters if f.name == "word" for a in f.arguments}
            case _:
                pass
    return keys, constants, aliases


def find_read_only_keys(shape: Shape) -> set[tuple[str, str]]:
    """Collect the keys, in all spellings, whose value is only read, each with the field that it is read into."""
    return {
        (key, entry.shape.name)
        for piece in shape.pieces
        if isinstance(piece, Object)
        for entry in piece.fields
        if isinstance(entry.shape, Hole) and entry.shape.read_only
        for key in entry.spellings
    }
