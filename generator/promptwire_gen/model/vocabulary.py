"""The vocabulary of a wire: its keys, constants and aliases, by which unknown ones are recognised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..spec.notation import snake_case
from ..spec.schema import SettingSpec
from ..spec.shapes import Shape
from ..spec.walks import echoes, words
from .body_model import Body
from .wire import MessageShape


class Vocabulary(NamedTuple):
    """Keys, constants, (alias, key) pairs, and read-only (key, field) pairs, sorted."""

    keys: tuple[str, ...]
    constants: tuple[str | bool, ...]
    aliases: tuple[tuple[str, str], ...]
    echoes: tuple[tuple[str, str], ...]


def vocabulary(
    body: Body, messages: Iterable[MessageShape], shapes: Sequence[Shape], settings: Mapping[str, SettingSpec]
) -> Vocabulary:
    """Collect the vocabulary of all shapes; a setting in the body contributes its choices."""
    keys: set[str] = set()
    constants: set[Any] = set()
    aliases: set[tuple[str, str]] = set()
    for shape in shapes:
        more_keys, more_constants, pairs = words(shape)
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
    read_only = sorted(set[tuple[str, str]]().union(*map(echoes, shapes)))
    return Vocabulary(tuple(sorted(keys)), ordered, tuple(sorted(aliases)), tuple(read_only))
