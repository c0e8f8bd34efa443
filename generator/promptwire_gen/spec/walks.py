"""Traversals of parsed shapes."""

from __future__ import annotations

from collections.abc import Iterator

from .shapes import Alternatives, ConstantShape, Hole, Listing, Object, Shape, Tolerated


def required_choices(shape: Shape) -> Iterator[Alternatives]:
    """Walk the choices of which one form must be written."""
    match shape:
        case Object():
            for entry in shape.required:
                yield from required_choices(entry.shape)
        case Listing(items=shapes):
            for inner in shapes:
                yield from required_choices(inner)
        case Alternatives():
            yield shape
        case _:
            return


def words(shape: Shape) -> tuple[set[str], set[str | bool], set[tuple[str, str]]]:
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


def echoes(shape: Shape) -> set[tuple[str, str]]:
    """Collect the keys, in all spellings, whose value is only read, each with the field that it is read into."""
    return {
        (key, entry.shape.name)
        for piece in shape.pieces
        if isinstance(piece, Object)
        for entry in piece.fields
        if isinstance(entry.shape, Hole) and entry.shape.read_only
        for key in entry.spellings
    }
