"""Collect the problems of one source with their positions, and format them as one error."""

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
Position: TypeAlias = tuple[int, int]

# limits for hostile files, far above any real request
MAX_DEPTH = 100
MAX_VALUES = 1_000_000
_SHOWN_TEXT = 40
_LARGE = 10**20


class StoppedError(Exception):
    """Reading stops; the reason is among the problems."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A value of the file that Python cannot represent; `what` describes it."""

    what: str


@dataclass(frozen=True, slots=True)
class _Problem:
    path: Path
    message: str
    key: str | None
    position: Position | None


@dataclass(slots=True)
class Problems:
    """The problems of one source. `name` is the name of the file, empty for a mapping."""

    name: str
    values: int = 0
    _found: list[_Problem] = field(default_factory=list[_Problem])

    def __len__(self) -> int:
        """Count the problems."""
        return len(self._found)

    def add(
        self, path: Path, message: str, *, key: str | None = None, position: Position | None = None
    ) -> None:
        """Add a problem of the value at `path`, or of one key in it. Pass `position` if the path cannot tell it."""
        self._found.append(_Problem(path, message, key, position))

    def enter(self, path: Path) -> None:
        """Count one value. Raise StoppedError if the source is nested too deeply or has too many values."""
        self.values += 1
        if len(path) > MAX_DEPTH:
            self.add(path[:3], f"nested deeper than {MAX_DEPTH} levels")
            raise StoppedError
        if self.values > MAX_VALUES:
            self.add((), f"has more than {MAX_VALUES:,} values (each use of an alias counts)")
            raise StoppedError

    def error(self, tree: Node | None) -> LoadError:
        """Return the error with all problems, one per line, in the order of the file, or of the paths for a mapping."""
        lines = {self._line(problem, tree) for problem in self._found}
        return LoadError("\n".join(text for _, text in sorted(lines)))

    def _line(self, problem: _Problem, tree: Node | None) -> tuple[tuple[Any, ...], str]:
        shown = show_path(problem.path)
        position = problem.position or (position_at(tree, problem.path, problem.key) if tree else None)
        at = f"{self.name}:{position[0]}:{position[1]}" if position else self.name
        text = ": ".join(piece for piece in (at, shown, problem.message) if piece)
        order = tuple((step, "") if isinstance(step, int) else (0, step) for step in problem.path)
        return (position or (0, 0), order), printable(text)


def printable(text: str) -> str:
    """Escape characters that cannot be printed."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def quoted(text: str) -> str:
    """Return a text in quotes, shortened."""
    cut = text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 3] + "..."
    return json.dumps(cut, ensure_ascii=False)


def describe(value: object) -> str:
    """Return a short description of a value."""
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
    """Return the message for an unknown key, kind or role."""
    choices = list(known)
    meant = nearest(word, choices)
    hint = f'did you mean "{meant}"?' if meant else f"expected {listed(choices)}"
    return f"unknown {what} {quoted(word)}; {hint}"


def listed(words: Iterable[str]) -> str:
    """Return words as `a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def start_of(span: Span) -> Position:
    """Return the position where a span starts."""
    return span.line, span.column


def position_at(tree: Node, path: Path, key: str | None = None) -> Position:
    """Return the position of the value at `path` (or of one key in it), or of the nearest value that contains it."""
    node = tree
    for step in path:
        inside = _member(node, step)
        if inside is None:
            return start_of(node.span)
        node = inside
    entry = node.entry(key) if isinstance(node, Table) and key is not None else None
    return start_of(entry[0].span if entry else node.span)


def _member(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Scalar):
        return None
    if isinstance(node, Sequence):
        return node.items[step] if isinstance(step, int) and step < len(node.items) else None
    return node.get(step) if isinstance(step, str) else None


class Lines:
    """Converts offsets in a text to positions."""

    def __init__(self, text: str) -> None:
        """Store where each line starts."""
        self._starts = [0]
        self._starts += [index + 1 for index, character in enumerate(text) if character == "\n"]

    def position(self, offset: int) -> Position:
        """Return line and column of a character offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
