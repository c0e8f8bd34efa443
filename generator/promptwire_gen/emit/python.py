"""Python as text: literals, and expressions that know how tightly they bind, so that brackets stand where needed.

Templates lay out all that is longer than an expression.
"""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast

from ..spec.fields import EventIndex

# a set display that fits on a line is easier to read than a text
_SHORT_DISPLAY = 90
_TEXT_WIDTH = 98


class Binding(IntEnum):
    """Precedence of the outermost operator of an expression, loosest first."""

    CONDITIONAL = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    UNARY = 5
    ATOM = 6


@dataclass(frozen=True, slots=True)
class Expression:
    """The text of one expression; it prints as that text, so that templates can place it."""

    text: str
    binding: Binding = Binding.ATOM

    def __str__(self) -> str:
        """The text."""
        return self.text

    def within(self, binding: Binding) -> str:
        """Return the text as an operand of something that binds so tightly, in brackets where it binds less."""
        return self.text if self.binding >= binding else f"({self.text})"


def literal_text(value: Any) -> str:
    """Write any JSON value as a literal; text of a spec reaches code only so, and nothing in it can become code."""
    match value:
        case str():
            return quoted(value)
        case None | True | False:
            return str(value)
        case int() | float():
            return repr(value)
        case dict():
            entries = cast("dict[str, Any]", value).items()
            return (
                f"{{{', '.join([f'{quoted(str(key))}: {literal_text(below)}' for key, below in entries])}}}"
            )
        case list() | tuple():
            return f"[{', '.join([literal_text(below) for below in cast('Sequence[Any]', value)])}]"
        case _:
            raise TypeError(f"{type(value).__name__} is no JSON value")


def table_literal(value: Any) -> str:
    """Write a value of a table: JSON, an expression, or a tuple of them, in which `At` is the index of an event."""
    match value:
        case Expression():
            return value.text
        case EventIndex(key=key):
            return f"At({quoted(key)})"
        case tuple():
            pieces = [table_literal(each) for each in cast("tuple[Any, ...]", value)]
            return f"({', '.join(pieces)}{',' if len(pieces) == 1 else ''})"
        case _:
            return literal_text(value)


def quoted(text: str) -> str:
    """Write text as a Python string literal in double quotes where that needs no escaping."""
    written = repr(text)
    if written[0] == "'" and '"' not in text and "\\'" not in written:
        return f'"{written[1:-1]}"'
    return written


def name(identifier: str) -> Expression:
    """Refer to a variable or function of generated code."""
    if not identifier.isidentifier() or keyword.iskeyword(identifier):
        raise ValueError(f"{identifier!r} cannot name anything in Python")
    return Expression(identifier)


def word_of(key: str) -> str:
    """Return a key of JSON as a piece of a name: `top-k` as `top_k`."""
    return "".join(letter if letter.isalnum() else "_" for letter in key).strip("_").lower() or "value"


def literal(value: Any) -> Expression:
    """Write any JSON value as a literal; nothing in it can become code."""
    text = literal_text(value)
    return Expression(text, Binding.UNARY if text.startswith("-") else Binding.ATOM)


def bracketed(value: Expression) -> Expression:
    """`(value)`."""
    return Expression(f"({value.text})")


def attribute(subject: Expression, identifier: str) -> Expression:
    """`subject.identifier`."""
    return Expression(f"{subject.within(Binding.ATOM)}.{name(identifier)}")


def display(entries: Iterable[tuple[str, Expression]], *spread: Expression) -> Expression:
    """`{"key": value, ..., **spread}`."""
    pieces = [f"{quoted(key)}: {value}" for key, value in entries]
    pieces += [f"**{each.within(Binding.ATOM)}" for each in spread]
    return Expression(f"{{{', '.join(pieces)}}}")


def listing(items: Iterable[Expression]) -> Expression:
    """`[item, ...]`."""
    return Expression(f"[{_joined(items)}]")


def unpacked(sources: Iterable[Expression]) -> Expression:
    """`(*source, *source)`."""
    pieces = [f"*{source.within(Binding.ATOM)}" for source in sources]
    return Expression(f"({', '.join(pieces)}{',' if len(pieces) == 1 else ''})")


def tuple_of(items: Sequence[Expression]) -> Expression:
    """`(item, ...)`."""
    return Expression(f"({_joined(items)}{',' if len(items) == 1 else ''})")


def literal_tuple(values: Iterable[Any]) -> Expression:
    """`(value, ...)` of JSON values."""
    return tuple_of([literal(value) for value in values])


def call(function: str, *arguments: Expression, **named: Expression) -> Expression:
    """`function(argument, name=argument)`; the function may be dotted."""
    target = ".".join([name(piece).text for piece in function.split(".")])
    passed = [argument.text for argument in arguments]
    passed += [f"{name(key)}={value}" for key, value in named.items()]
    return Expression(f"{target}({', '.join(passed)})")


def method(subject: Expression, function: str, *arguments: Expression) -> Expression:
    """`subject.function(argument)`."""
    return Expression(f"{attribute(subject, function)}({_joined(arguments)})")


def item(subject: Expression, key: str) -> Expression:
    """`subject["key"]`."""
    return Expression(f"{subject.within(Binding.ATOM)}[{quoted(key)}]")


def at(subject: Expression, index: int) -> Expression:
    """`subject[0]`."""
    return Expression(f"{subject.within(Binding.ATOM)}[{index}]")


def lookup(subject: str, keys: Sequence[str]) -> Expression:
    """`subject.get("key", subject.get("alias"))`."""
    first, *others = keys
    if others:
        return call(f"{subject}.get", literal(first), lookup(subject, others))
    return call(f"{subject}.get", literal(first))


def interpolation(texts: Sequence[str], values: Sequence[Expression]) -> Expression:
    """Return an f-string of text and values in turn."""
    pieces: list[str] = []
    for index, text in enumerate(texts):
        escaped = text.encode("unicode_escape").decode().replace('"', '\\"')
        pieces.append(escaped.replace("{", "{{").replace("}", "}}"))
        if index < len(values):
            pieces.append(f"{{{_in_single_quotes(values[index].text)}}}")
    return Expression(f'f"{"".join(pieces)}"')


def _in_single_quotes(text: str) -> str:
    """Write a value as Python before 3.12 reads it inside an f-string, where it can be written so."""
    return text if "'" in text or "\\" in text else text.replace('"', "'")


def frozen_words(words: Iterable[object]) -> Expression:
    """`frozenset({...})`; a long set of plain words is one text that is split."""
    members = list(words)
    return Expression(f"frozenset({word_set(members)})") if members else frozen_display([])


def word_set(words: Sequence[Any]) -> Expression:
    """`{...}`; a long set of plain words is one text that is split."""
    short = Expression(f"{{{_joined([_member(word) for word in words])}}}")
    if len(short.text) < _SHORT_DISPLAY or not all(map(_is_plain_word, words)):
        return short
    return Expression(f"{word_text(words)}.split()")


def _member(word: str | bool | tuple[str, str]) -> Expression:
    return literal_tuple(word) if isinstance(word, tuple) else literal(word)


def frozen_display(words: Iterable[object]) -> Expression:
    """`frozenset({...})`, empty without braces; the form for functions, where a text would be split at each call."""
    return _frozen([literal(word) for word in words])


def _is_plain_word(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[\w.$-]+", value) is not None


def word_text(words: Iterable[str]) -> str:
    """Return `"word word"`, a text that is split when it is used; wrapped where it is longer than a line."""
    lines = textwrap.wrap(" ".join(words), _TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)
    wrapped = "".join([f"        {line}\n" for line in lines])
    return quoted(" ".join(lines)) if len(lines) < 2 else f'"""\n{wrapped}        """'


def word_list(value: Any) -> str:
    """Return a JSON value as a literal; a long list of plain words in it is one text that is split."""
    if isinstance(value, dict):
        rows = cast("dict[str, Any]", value).items()
        return f"{{{', '.join([f'{quoted(key)}: {word_list(below)}' for key, below in rows])}}}"
    text = literal_text(value)
    if not isinstance(value, (list, tuple)) or len(text) < _SHORT_DISPLAY:
        return text
    words = cast("Sequence[object]", value)
    plain = all(_is_plain_word(word) for word in words)
    return f"{word_text([str(word) for word in words])}.split()" if plain else text


def frozen_pairs(pairs: Iterable[tuple[str, str]]) -> Expression:
    """`frozenset({(..., ...), ...})`, empty without braces."""
    return _frozen([literal_tuple(pair) for pair in pairs])


def _frozen(items: Sequence[Expression]) -> Expression:
    return Expression(f"frozenset({{{_joined(items)}}})" if items else "frozenset()")


def _joined(items: Iterable[Expression]) -> str:
    return ", ".join([value.text for value in items])
