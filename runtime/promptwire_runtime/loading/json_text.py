"""Reading JSON text. The standard decoder does it; places are worked out only once there is a problem."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

from .places import Lines, Path, Place, Spot
from .problems import MAX_DEPTH, Problems, StoppedError, Unreadable, quoted

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
        json_places(text, problems)
    return value


def _too_deep(text: str) -> Spot | None:
    """Find the bracket that goes too deep; what the decoder says of it depends on the Python version."""
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token.group() in ("[", "{")) - (token.group() in ("]", "}"))
        if depth > MAX_DEPTH:
            return Lines(text).spot(token.start())
    return None


class _Scan:
    """The open containers while the tokens of a valid JSON text pass by."""

    def __init__(self, spot: Spot, problems: Problems | None) -> None:
        self.root = Place(spot)
        self.problems = problems
        self.open: list[Place] = []
        self.path: list[str | int] = []

    def start(self, spot: Spot) -> Place:
        """Place a value where it belongs: at the root, or under the current key or index."""
        if not self.open:
            return self.root
        place = Place(spot)
        self.open[-1].inside[self.path[-1]] = place
        return place

    def key(self, name: str, spot: Spot) -> None:
        """Enter a key of the innermost object."""
        keys = self.open[-1].keys
        if name in keys and self.problems is not None:
            path: Path = tuple(self.path[:-1])
            first = keys[name][0]
            self.problems.add(path, f"the key {quoted(name)} stands twice (first on line {first})", spot=spot)
        keys.setdefault(name, spot)
        self.path[-1] = name


def check_json(text: str, problems: Problems) -> None:
    """Note the repeated keys of a JSON text that Python could decode, and the numbers that only Python knows."""
    json_places(text, problems)
    lines = Lines(text)
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word[0] != '"' and _FLOAT.search(word) and not isfinite(float(word)):
            problems.add((), f"{word:.20} is no number that JSON can hold", spot=lines.spot(token.start()))


def json_places(text: str, problems: Problems | None = None) -> Place:
    """Find the places of all values and keys of a valid JSON text; note the repeated keys where asked to."""
    lines = Lines(text)
    tokens = list(_TOKEN.finditer(text))
    scan = _Scan(lines.spot(tokens[0].start()), problems)
    for index, match in enumerate(tokens):
        sign, spot = match.group(), lines.spot(match.start())
        following = tokens[index + 1].group() if index + 1 < len(tokens) else ""
        if sign in ("[", "{"):
            scan.open.append(scan.start(spot))
            scan.path.append(0 if sign == "[" else "")
        elif sign in ("]", "}"):
            scan.open.pop()
            scan.path.pop()
        elif sign == ",":
            last = scan.path[-1]
            scan.path[-1] = last + 1 if isinstance(last, int) else ""
        elif following == ":":
            scan.key(json.loads(sign), spot)
        elif sign != ":":
            scan.start(spot)
    return scan.root
