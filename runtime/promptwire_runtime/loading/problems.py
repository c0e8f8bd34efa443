"""Problems of one source, collected, and how they are worded."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from promptwire_text.near_words import nearest
from promptwire_text.nodes import Node, Scalar, Sequence, Span, Table

from ..errors import LoadError
from .file_format import show_path

Path: TypeAlias = tuple[str | int, ...]
# line and column, both from 1
Spot: TypeAlias = tuple[int, int]

# no request comes near these; they bound what a hostile file can cost
MAX_DEPTH = 100
MAX_VALUES = 1_000_000
_SHOWN_TEXT = 40
_LARGE = 10**20


class StoppedError(Exception):
    """The source cannot be read any further; the reason is among the problems."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a value of the file that Python cannot hold; `what` describes it."""

    what: str


@dataclass(frozen=True, slots=True)
class _Problem:
    path: Path
    message: str
    key: str | None
    spot: Spot | None


@dataclass(slots=True)
class Problems:
    """All problems found in one source so far. `name` is the file's name, empty for a mapping."""

    name: str
    values: int = 0
    _found: list[_Problem] = field(default_factory=list[_Problem])

    def __len__(self) -> int:
        """Count the problems."""
        return len(self._found)

    def add(self, path: Path, message: str, *, key: str | None = None, spot: Spot | None = None) -> None:
        """Note a problem of the value at `path`, or of one key in it; `spot` where no place will be known."""
        self._found.append(_Problem(path, message, key, spot))

    def enter(self, path: Path) -> None:
        """Count one value; stop at a source that is too deep or unfolds to too many values."""
        self.values += 1
        if len(path) > MAX_DEPTH:
            self.add(path[:3], f"nested deeper than {MAX_DEPTH} levels")
            raise StoppedError
        if self.values > MAX_VALUES:
            self.add((), f"unfolds to more than {MAX_VALUES:,} values (each use of an alias counts)")
            raise StoppedError

    def error(self, tree: Node | None) -> LoadError:
        """Word all problems, one a line, in the order of the file (of the paths for a mapping)."""
        lines = {self._line(problem, tree) for problem in self._found}
        return LoadError("\n".join(text for _, text in sorted(lines)))

    def _line(self, problem: _Problem, tree: Node | None) -> tuple[tuple[Any, ...], str]:
        shown = show_path(problem.path)
        spot = problem.spot or (spot_at(tree, problem.path, problem.key) if tree else None)
        at = f"{self.name}:{spot[0]}:{spot[1]}" if spot else self.name
        text = ": ".join(piece for piece in (at, shown, problem.message) if piece)
        order = tuple((step, "") if isinstance(step, int) else (0, step) for step in problem.path)
        return (spot or (0, 0), order), printable(text)


def printable(text: str) -> str:
    """Escape what no terminal or UTF-8 stream can take."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def quoted(text: str) -> str:
    """Quote a text, shortened."""
    cut = text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 3] + "..."
    return json.dumps(cut, ensure_ascii=False)


def describe(value: object) -> str:
    """Say what was found, in a few words."""
    if isinstance(value, Unreadable):
        return value.what
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"text {quoted(value)}" if value else "empty text"
    if isinstance(value, (int, float)):
        return _describe_number(value)
    if isinstance(value, (Mapping, list, tuple)):
        word = "mapping" if isinstance(value, Mapping) else "list"
        return f"a {word}" if value else f"an empty {word}"
    return f"a Python {type(value).__qualname__}"


def _describe_number(value: float) -> str:
    if not isinstance(value, int) and not math.isfinite(value):
        return "NaN or an infinite number"
    return f"number {value}" if abs(value) < _LARGE else "a large number"


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """Word an unknown key, kind or role."""
    choices = list(known)
    meant = nearest(word, choices)
    hint = f'did you mean "{meant}"?' if meant else f"expected {listed(choices)}"
    return f"unknown {what} {quoted(word)}: {hint}"


def listed(words: Iterable[str]) -> str:
    """Write `a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def spot(span: Span) -> Spot:
    """Tell where a span begins."""
    return span.line, span.column


def spot_at(tree: Node, path: Path, key: str | None = None) -> Spot:
    """Give the spot of the value at `path` (or of one key in it), or of the nearest value around it."""
    node = tree
    for step in path:
        inside = _member(node, step)
        if inside is None:
            return spot(node.span)
        node = inside
    entry = node.entry(key) if isinstance(node, Table) and key is not None else None
    return spot(entry[0].span if entry else node.span)


def _member(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Scalar):
        return None
    if isinstance(node, Sequence):
        return node.items[step] if isinstance(step, int) and step < len(node.items) else None
    return node.get(step) if isinstance(step, str) else None


class Lines:
    """The line starts of a text."""

    def __init__(self, text: str) -> None:
        """Note where each line starts."""
        self._starts = [0]
        self._starts += [index + 1 for index, character in enumerate(text) if character == "\n"]

    def spot(self, offset: int) -> Spot:
        """Turn a character offset into line and column."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
