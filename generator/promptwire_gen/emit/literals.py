"""Values as Python literals. All other Python is in the templates."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..spec.fields import EventIndex

# a set display that fits on a line is easier to read than a text
_SHORT_DISPLAY = 90
_TEXT_WIDTH = 98


@dataclass(frozen=True, slots=True)
class CodeName:
    """The name of a variable of generated code, as a value of a table."""

    name: str


@dataclass(frozen=True, slots=True)
class FrozenWords:
    """A frozen set as a value of a table, in the order in which it is written."""

    words: tuple[object, ...]

    @classmethod
    def collect(cls, words: Iterable[object]) -> FrozenWords:
        """Return the set of some words."""
        return cls(tuple(words))


def write_literal(value: Any) -> str:
    """Write any JSON value as a literal; text of a spec reaches code only so, and nothing in it can become code."""
    match value:
        case str():
            return write_string(value)
        case None | True | False:
            return str(value)
        case int() | float():
            return repr(value)
        case dict():
            entries = cast("dict[str, Any]", value).items()
            return f"{{{', '.join([f'{write_string(str(key))}: {write_literal(below)}' for key, below in entries])}}}"
        case list() | tuple():
            return f"[{', '.join([write_literal(below) for below in cast('Sequence[Any]', value)])}]"
        case _:
            raise TypeError(f"{type(value).__name__} is no JSON value")


def write_table_literal(value: Any) -> str:
    """Write a value of a table: JSON, a name, a set, or a tuple of them, in which `At` is the index of an event."""
    match value:
        case CodeName(name=name):
            return name
        case FrozenWords(words=words):
            return write_frozen_set(words)
        case EventIndex(key=key):
            return f"At({write_string(key)})"
        case tuple():
            pieces = [write_table_literal(each) for each in cast("Sequence[Any]", value)]
            return f"({', '.join(pieces)}{',' if len(pieces) == 1 else ''})"
        case _:
            return write_literal(value)


def write_string(text: str) -> str:
    """Write text as a Python string literal in double quotes where that needs no escaping."""
    written = repr(text)
    if written[0] == "'" and '"' not in text and "\\'" not in written:
        return f'"{written[1:-1]}"'
    return written


def make_identifier(key: str) -> str:
    """Return a key of JSON as a piece of a name: `top-k` as `top_k`."""
    return "".join(letter if letter.isalnum() else "_" for letter in key).strip("_").lower() or "value"


def write_tuple(values: Iterable[Any]) -> str:
    """Write JSON values as a tuple: `(value, ...)`."""
    texts = [write_literal(value) for value in values]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def write_frozen_set(words: Iterable[object]) -> str:
    """Write `frozenset({...})`; a long set of plain words is one text that is split."""
    members = list(words)
    return f"frozenset({write_set(members)})" if members else "frozenset()"


def write_set(words: Sequence[Any]) -> str:
    """Write `{...}`; a long set of plain words is one text that is split."""
    short = f"{{{', '.join([_write_member(word) for word in words])}}}"
    if len(short) < _SHORT_DISPLAY or not all(map(_is_plain_word, words)):
        return short
    return f"{write_words(words)}.split()"


def _write_member(word: str | bool | tuple[str, str]) -> str:
    return write_tuple(word) if isinstance(word, tuple) else write_literal(word)


def _is_plain_word(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[\w.$-]+", value) is not None


def write_words(words: Iterable[str]) -> str:
    """Return `"word word"`, a text that is split when it is used; wrapped where it is longer than a line."""
    lines = textwrap.wrap(" ".join(words), _TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)
    wrapped = "".join([f"        {line}\n" for line in lines])
    return write_string(" ".join(lines)) if len(lines) < 2 else f'"""\n{wrapped}        """'


def write_json(value: Any) -> str:
    """Return a JSON value as a literal; a long list of plain words in it is one text that is split."""
    if isinstance(value, dict):
        rows = cast("dict[str, Any]", value).items()
        return f"{{{', '.join([f'{write_string(key)}: {write_json(below)}' for key, below in rows])}}}"
    text = write_literal(value)
    if not isinstance(value, (list, tuple)) or len(text) < _SHORT_DISPLAY:
        return text
    words = cast("Sequence[object]", value)
    plain = all(_is_plain_word(word) for word in words)
    return f"{write_words([str(word) for word in words])}.split()" if plain else text
