"""Nodes of specs, functions that describe them in messages, and the meaning of bare words: null, true, a number."""

from __future__ import annotations

import math
import re

from promptwire_text.nodes import Node, Scalar, Sequence, Table, plain, span_at

from ..problems import Span

__all__ = [
    "BadWordError",
    "Node",
    "Path",
    "Scalar",
    "Sequence",
    "Table",
    "describe_kind",
    "describe_place",
    "find_node",
    "format_path",
    "locate",
    "locate_piece",
    "parse_word",
    "plain",
    "shorten_path",
    "span_at",
    "write_bare_word",
]

Path = tuple[str | int, ...]


def describe_kind(node: Node) -> str:
    """Return the kind of value that a node is, for messages."""
    if isinstance(node, Table):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    return "text" if isinstance(node.value, str) else "a number"


def find_node(tree: Node, path: tuple[str | int, ...]) -> Node | None:
    """Return the node at a path of the model, or None."""
    node: Node | None = tree
    for step in path:
        if isinstance(node, Table) and isinstance(step, str):
            node = node.get(step)
        elif node is not None and not isinstance(node, Table) and isinstance(step, int):
            inside = getattr(node, "items", ())
            # a single value may be short for a list of one
            node = inside[step] if step < len(inside) else node if step == 0 else None
        else:
            return None
    return node


def shorten_path(tree: Node, path: Path) -> Path:
    """Shorten a path to the nodes of the file, in which a text may stand for a mapping or for a list of one."""
    node: Node | None = tree
    steps: list[str | int] = []
    for step in path:
        if isinstance(node, Scalar):
            break
        if isinstance(node, Table) and isinstance(step, int):
            # one mapping stands for a list of one
            continue
        steps.append(step)
        node = find_node(node, (step,)) if node is not None else None
    return tuple(steps)


def locate(tree: Node, path: Path, *, at_key: bool = False, piece: tuple[int, int] | None = None) -> Span:
    """Return the place of the value at a path of the model, of its key, or of a piece (from, to) of its text.

    If the file does not have the value, return the place of the last key on the way.
    """
    node: Node = tree
    # the place of the last key or element on the way
    span = tree.span
    for step in path:
        if isinstance(node, Scalar):
            # it stands for a mapping, or for a list of one
            break
        if isinstance(node, Table) and isinstance(step, int):
            continue
        if isinstance(node, Table) and isinstance(step, str) and (entry := node.entry(step)):
            span, node = entry[0].span, entry[1]
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            span = node.span
        else:
            return span
    if piece is not None and isinstance(node, Scalar):
        return locate_piece(node, piece)
    return span if at_key else node.span


def format_path(path: Path) -> str:
    """Format a path as `rules[0].when.model`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def describe_place(other: Span, beside: Span) -> str:
    """Return another place for a message: line and column in the same file, otherwise file and line."""
    if other.file == beside.file:
        return f"line {other.line}, column {other.column}"
    return f"{other.file}:{other.line}"


def locate_piece(node: Scalar, piece: tuple[int, int]) -> Span:
    """Return the place of a piece of a scalar's text; the whole scalar if escapes or line breaks shift the columns."""
    span, text = node.span, str(node.value)
    quotes = 2 if node.quoted else 0
    if span.length != len(text) + quotes:
        return span
    return Span(span.file, span.line, span.column + quotes // 2 + piece[0], piece[1] - piece[0])


Value = str | int | float | bool | None

_MEANINGS: dict[str, Value] = {"": None, "~": None, "null": None, "true": True, "false": False}
# what other YAML readers take for null, true, false or a number, and this one would silently take for text
_LOOKALIKES = frozenset({"Null", "NULL", "True", "TRUE", "False", "FALSE"})
_LOOKALIKE = re.compile(r"[-+]?(?:0[0-9_]+|0[xo][0-9a-fA-F_]+|[0-9][0-9_]*_[0-9_]*)")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)")
_NUMBER_START = frozenset("+-.0123456789")
_LONGEST_NUMBER = 64


class BadWordError(ValueError):
    """A bare word that is refused; `rule` is the id of the problem, `hint` says what to write."""

    def __init__(self, rule: str, message: str, hint: str) -> None:
        """Keep the parts of the problem."""
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        """Return the parts of a copy or pickle."""
        return type(self), (self.rule, self.message, self.hint), vars(self)


def parse_word(word: str) -> Value:
    """Return the value of an unquoted scalar, or raise BadWordError."""
    if word in _MEANINGS:
        return _MEANINGS[word]
    if word[0] in _NUMBER_START:
        return _parse_number(word)
    if word in _LOOKALIKES:
        raise BadWordError(
            "ambiguous-word", f'"{word}" may mean {word.lower()} or the word', _write(word.lower())
        )
    return word


def write_bare_word(value: object) -> str:
    """Return the bare word for a boolean, number or text: `true` for True."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_number(word: str) -> Value:
    short = len(word) <= _LONGEST_NUMBER
    if _INTEGER.fullmatch(word):
        if short:
            return int(word)
    elif _FLOAT.fullmatch(word):
        value = float(word) if short else math.inf
        if math.isfinite(value):
            return value
    elif _NOT_FINITE.fullmatch(word):
        raise BadWordError("bad-number", f'"{word}" is no JSON number', "put it in quotes if it is text")
    elif _LOOKALIKE.fullmatch(word):
        raise BadWordError(
            "ambiguous-word", f'"{word}" may mean a number or text', _write("a plain decimal number")
        )
    else:
        return word
    raise BadWordError("bad-number", "this number is too long or too large", "put it in quotes if it is text")


def _write(choice: str) -> str:
    return f"write {choice}, or put it in quotes if it is text"
