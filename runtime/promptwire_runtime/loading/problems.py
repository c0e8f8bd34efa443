"""Collect the problems of one source with their positions, and format them as one error."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from promptwire_text.nodes import Node, Scalar, Sequence, Span, Table
from promptwire_text.words import nearest

from ..errors import LoadError
from ..model import kind_words
from ..model.kind_words import CALLED, PART_KINDS
from ..model.parts import Part
from ..model.request import ROLES
from ..model.tools import Tool

# the fields that `kept=False` omits from a dump
MEMORY = frozenset({"kept", "provenance"})
TEXT_CHOICES = ("auto", "none", "required")
TEXT_FORMATS = ("json", "text")


@dataclass(frozen=True, slots=True)
class FileField:
    """One field of a neutral class.

    Attributes:
        name: Its name in the class.
        key: Its key in a file.
        hint: Its type without None.
        nullable: Whether it may be None.
        required: Whether the class has no default for it.
        must_stand: Whether a file must have the key: it is required and not nullable.
    """

    name: str
    key: str
    hint: Any
    nullable: bool
    required: bool
    must_stand: bool


def without_none(hint: Any) -> tuple[Any, bool]:
    """Split `X | None` into X and whether it had None."""
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    first, *others = [member for member in get_args(hint) if member is not NoneType]
    rest: Any = first
    for member in others:
        rest = rest | member
    return rest, NoneType in get_args(hint)


def neutral_fields(cls: type) -> tuple[FileField, ...]:
    """Return the fields of a neutral class that a caller may set: its own first, then those of every part."""
    return _neutral_fields(cls)


@cache
def _neutral_fields(cls: type) -> tuple[FileField, ...]:
    hints = get_type_hints(cls)
    rows: list[FileField] = []
    for each in fields(cls):
        if not each.init:
            continue
        hint, nullable = without_none(hints[each.name])
        required = each.default is MISSING and each.default_factory is MISSING
        key = CALLED.get(each.name, each.name)
        rows.append(FileField(each.name, key, hint, nullable, required, required and not nullable))
    shared = {each.name for each in fields(Part)} if cls is not Part and issubclass(cls, Part) else set[str]()
    return tuple(sorted(rows, key=lambda each: each.name in shared))


def first_key(cls: type) -> str:
    """Return the key of the field that a plain value stands for, which is the first field of the class itself."""
    return neutral_fields(cls)[0].key


KIND_OF_PART = {cls: kind for kind, cls in PART_KINDS.items()}
# Tool itself has no kind in files, only its fields
TOOL_KINDS = {"" if cls is Tool else kind: cls for kind, cls in kind_words.TOOL_KINDS.items()}
KIND_OF_TOOL = {cls: kind for kind, cls in TOOL_KINDS.items()}


def implied_mode(present: Iterable[str]) -> str | None:
    """Return the `mode` that the other keys of a tool choice imply, or None."""
    keys = frozenset(present)
    return "named" if "name" in keys else "several" if "names" in keys else None


def implied_format(present: Iterable[str]) -> str | None:
    """Return the `kind` that the other keys of a response format imply, or None."""
    return "json_schema" if "schema" in frozenset(present) else None


def show_path(path: tuple[str | int, ...]) -> str:
    """Return a path in a file as a path in the Request: `messages[2].parts[0].image.url`."""
    shown, inside = "", "request"
    for key in path:
        if inside == "content":
            inside = "part"
            if not isinstance(key, int):
                shown += "[0]"  # a single part without a list
        if isinstance(key, int):
            shown, inside = f"{shown}[{key}]", "message" if inside == "messages" else inside
        elif (inside == "message" and key in ROLES) or (inside in ("message", "part") and key == "content"):
            shown, inside = f"{shown}.parts", "content"
        else:
            shown, inside = shown + _step(key, first=not shown), _below(inside, key)
    return shown


def _below(inside: str, key: str) -> str:
    """Return what a key contains; `value` if the keys inside have the same names in the Request."""
    if inside == "request" and key == "messages":
        return "messages"
    return "part" if inside == "part" and key in PART_KINDS else "value"


def _step(key: str, *, first: bool) -> str:
    if not re.fullmatch(r"[\w-]+", key):
        return f"[{key!a}]"
    return key if first else f".{key}"


KeyPath: TypeAlias = tuple[str | int, ...]
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
    path: KeyPath
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
        self, path: KeyPath, message: str, *, key: str | None = None, position: Position | None = None
    ) -> None:
        """Add a problem of the value at `path`, or of one key in it. Pass `position` if the path cannot tell it."""
        self._found.append(_Problem(path, message, key, position))

    def enter(self, path: KeyPath) -> None:
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


def position_at(tree: Node, path: KeyPath, key: str | None = None) -> Position:
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
