"""Reading JSON text. The standard decoder does it; places are worked out only once there is a problem."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from promptwire_text.nodes import Node, Scalar, Sequence, Span, Table, path_inside

from .problems import MAX_DEPTH, Lines, Problems, Spot, StoppedError, Unreadable, quoted, spot

# strings, brackets and signs, and everything else that is not space: numbers and literals
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
# what Python reads as a float: with a fraction or an exponent, or by name
_FLOAT = re.compile(r"\d[.eE]|NaN|Infinity")
# a list, or an object without or with a quoted key; `{model: m}` is YAML
_BEGINNING = re.compile(r'\s*(\[|\{\s*("|\}|\Z))')


def is_json_text(text: str) -> bool:
    """Tell by its beginning whether a text is meant as JSON; an object whose first key is bare is YAML."""
    return _BEGINNING.match(text) is not None


class _Decoder:
    """The hooks of one decoding, and whether a key stood twice."""

    def __init__(self) -> None:
        self.repeated = False

    def mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Build an object and note whether a key stood twice."""
        value = dict(pairs)
        self.repeated = self.repeated or len(value) < len(pairs)
        return value

    def decode(self, text: str) -> Any:
        """Decode; NaN and Infinity become floats that the shapes refuse."""
        return json.loads(text, object_pairs_hook=self.mapping, parse_int=whole_number)


def whole_number(text: str) -> int | Unreadable:
    """Turn digits into an int, unless there are more of them than Python agrees to convert."""
    try:
        return int(text)
    except ValueError:
        return Unreadable(f"a number of {len(text)} digits")


def read_json(text: str, problems: Problems) -> Any:
    """Decode JSON text. Broken syntax, repeated keys and bottomless nesting are noted as problems."""
    decoder = _Decoder()
    try:
        value = decoder.decode(text)
    except (json.JSONDecodeError, RecursionError) as error:
        deep = _too_deep(text)
        if deep or isinstance(error, RecursionError):
            problems.add((), f"nested deeper than {MAX_DEPTH} levels", spot=deep or (1, 1))
        else:
            problems.add((), f"broken JSON: {error.msg}", spot=(error.lineno, error.colno))
        raise StoppedError from None
    if decoder.repeated:
        json_tree(text, problems)
    return value


def _too_deep(text: str) -> Spot | None:
    """Find the bracket that goes too deep; what the decoder says of it depends on the Python version."""
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token.group() in ("[", "{")) - (token.group() in ("]", "}"))
        if depth > MAX_DEPTH:
            return Lines(text).spot(token.start())
    return None


@dataclass(slots=True)
class _Open:
    """One open container: what it holds so far, keys included, and the span of each key."""

    span: Span
    table: bool
    items: list[Any] = field(default_factory=list[Any])
    keys: dict[str, Span] = field(default_factory=dict[str, Span])


class _Scan:
    """The open containers while the tokens of a valid JSON text pass by."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.open: list[_Open] = []
        self.root: list[Node] = []

    def end(self) -> None:
        """Close the innermost container."""
        part = self.open.pop()
        items = part.items
        if part.table:
            self.put(Table(tuple(zip(items[::2], items[1::2], strict=True)), part.span))
        else:
            self.put(Sequence(tuple(items), part.span))

    def put(self, node: Node) -> None:
        """Put a value, or a key, where it belongs."""
        if not self.open:
            self.root.append(node)
            return
        part = self.open[-1]
        if part.table and not len(part.items) % 2:
            self._key(part, str(node[0]), node.span)
        part.items.append(node)

    def _key(self, part: _Open, name: str, span: Span) -> None:
        if name in part.keys:
            path = path_inside((level.table, level.items) for level in self.open)
            message = f"the key {quoted(name)} stands twice (first on line {part.keys[name].line})"
            self.problems.add(path, message, spot=spot(span))
        part.keys.setdefault(name, span)


def check_json(text: str, problems: Problems) -> None:
    """Note the repeated keys of a JSON text that Python could decode, and the numbers that only Python knows."""
    json_tree(text, problems)
    lines = Lines(text)
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word[0] != '"' and _FLOAT.search(word) and not isfinite(float(word)):
            problems.add((), f"{word:.20} is no number that JSON can hold", spot=lines.spot(token.start()))


def json_tree(text: str, problems: Problems) -> Node:
    """Read a valid JSON text into nodes that know their places; repeated keys are noted."""
    lines, scan = Lines(text), _Scan(problems)
    for match in _TOKEN.finditer(text):
        sign = match.group()
        span = Span(problems.name, *lines.spot(match.start()), len(sign))
        if sign in ("[", "{"):
            scan.open.append(_Open(span, table=sign == "{"))
        elif sign in ("]", "}"):
            scan.end()
        elif sign not in (",", ":"):
            scan.put(Scalar(json.loads(sign, parse_int=whole_number), span, sign.startswith('"')))
    return scan.root[0]
