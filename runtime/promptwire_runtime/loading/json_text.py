"""Read JSON text with the standard decoder. Positions are computed only when there is a problem."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from promptwire_text.nodes import Node, Scalar, Sequence, Span, Table, path_inside

from .problems import MAX_DEPTH, Lines, Position, Problems, StoppedError, Unreadable, quoted, start_of

# strings, brackets and punctuation, and other text without space: numbers and literals
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
# numbers that Python reads as a float: with a fraction or exponent, or by name
_FLOAT = re.compile(r"\d[.eE]|NaN|Infinity")
# a list, or an object that is empty or has a quoted key; `{model: m}` is YAML
_BEGINNING = re.compile(r'\s*(\[|\{\s*("|\}|\Z))')


def is_json_text(text: str) -> bool:
    """Return whether a text is meant as JSON, by its beginning. An object whose first key is not quoted is YAML."""
    return _BEGINNING.match(text) is not None


class _Decoder:
    """Decodes one text, and stores whether a key was repeated."""

    def __init__(self) -> None:
        self.repeated = False

    def mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Build an object, and store whether a key was repeated."""
        value = dict(pairs)
        self.repeated = self.repeated or len(value) < len(pairs)
        return value

    def decode(self, text: str) -> Any:
        """Decode a text. NaN and Infinity become floats, which are rejected later."""
        return json.loads(text, object_pairs_hook=self.mapping, parse_int=whole_number)


def whole_number(text: str) -> int | Unreadable:
    """Convert digits to an int, or to Unreadable if there are more than Python converts."""
    try:
        return int(text)
    except ValueError:
        return Unreadable(f"a number of {len(text)} digits")


def read_json(text: str, problems: Problems) -> Any:
    """Decode JSON text. Syntax errors, repeated keys and deep nesting are added to the problems."""
    decoder = _Decoder()
    try:
        value = decoder.decode(text)
    except (json.JSONDecodeError, RecursionError) as error:
        deep = _too_deep(text)
        if deep or isinstance(error, RecursionError):
            problems.add((), f"nested deeper than {MAX_DEPTH} levels", position=deep or (1, 1))
        else:
            problems.add((), f"invalid JSON: {error.msg}", position=(error.lineno, error.colno))
        raise StoppedError from None
    if decoder.repeated:
        json_tree(text, problems)
    return value


def _too_deep(text: str) -> Position | None:
    """Return the position of the first bracket that is nested too deeply, or None."""
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token.group() in ("[", "{")) - (token.group() in ("]", "}"))
        if depth > MAX_DEPTH:
            return Lines(text).position(token.start())
    return None


@dataclass(slots=True)
class _OpenContainer:
    """One open container: its items so far, keys included, and the span of each key."""

    span: Span
    table: bool
    items: list[Any] = field(default_factory=list[Any])
    keys: dict[str, Span] = field(default_factory=dict[str, Span])


class _TreeBuilder:
    """Builds a tree of nodes from the tokens of valid JSON text."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.open: list[_OpenContainer] = []
        self.root: list[Node] = []

    def close_container(self) -> None:
        """Close the innermost container."""
        part = self.open.pop()
        items = part.items
        if part.table:
            self.add_node(Table(tuple(zip(items[::2], items[1::2], strict=True)), part.span))
        else:
            self.add_node(Sequence(tuple(items), part.span))

    def add_node(self, node: Node) -> None:
        """Add a key or value to the innermost container."""
        if not self.open:
            self.root.append(node)
            return
        part = self.open[-1]
        if part.table and not len(part.items) % 2:
            self._key(part, str(node[0]), node.span)
        part.items.append(node)

    def _key(self, part: _OpenContainer, name: str, span: Span) -> None:
        if name in part.keys:
            path = path_inside((level.table, level.items) for level in self.open)
            message = f"the key {quoted(name)} is repeated (first on line {part.keys[name].line})"
            self.problems.add(path, message, position=start_of(span))
        part.keys.setdefault(name, span)


def check_json(text: str, problems: Problems) -> None:
    """Add repeated keys, and numbers that JSON does not have, of a text that Python could decode, to the problems."""
    json_tree(text, problems)
    lines = Lines(text)
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word[0] != '"' and _FLOAT.search(word) and not isfinite(float(word)):
            problems.add((), f"{word:.20} is not a JSON number", position=lines.position(token.start()))


def json_tree(text: str, problems: Problems) -> Node:
    """Parse valid JSON text into nodes with positions. Repeated keys are added to the problems."""
    lines, scan = Lines(text), _TreeBuilder(problems)
    for match in _TOKEN.finditer(text):
        sign = match.group()
        span = Span(problems.name, *lines.position(match.start()), len(sign))
        if sign in ("[", "{"):
            scan.open.append(_OpenContainer(span, table=sign == "{"))
        elif sign in ("]", "}"):
            scan.close_container()
        elif sign not in (",", ":"):
            scan.add_node(Scalar(json.loads(sign, parse_int=whole_number), span, sign.startswith('"')))
    return scan.root[0]
