"""Compose YAML events into nodes with positions, and report every YAML feature that JSON does not have.

This module requires PyYAML.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, NoReturn

import yaml

from .nodes import Node, Scalar, Sequence, Span, Table, path_inside

BREAK = re.compile("\r\n|\r|\n")
# how to get libyaml; PyYAML's parser in Python refuses a "?" at the end of a key or text inside braces or brackets
LIBYAML = "libyaml"
WITHOUT_LIBYAML = (
    "this PyYAML was built without libyaml, and its parser in Python refuses valid YAML such as {user: Why?}; "
    "install one with libyaml: pip install --force-reinstall --only-binary PyYAML PyYAML"
)
_FIRST = itemgetter(0)
_TEXT = frozenset({str})


def has_libyaml() -> bool:
    """Return whether PyYAML has libyaml, whose parser accepts all YAML that we read."""
    return hasattr(yaml, "CSafeLoader")


def yaml_loader() -> Any:
    """Return PyYAML's loader: the one of libyaml, or without libyaml the one in Python."""
    return yaml.CSafeLoader if has_libyaml() else yaml.SafeLoader


class _OpenNode(NamedTuple):
    """An open list or mapping, and the state of the one that contains it."""

    span: Span
    anchor: str | None
    table: bool
    items: list[Node]
    size: int
    height: int


class Composer(ABC):
    """Composes events into nodes with its own stack, so that no input can exhaust Python's.

    A subclass defines one file language: limits, the values of unquoted words, and the message of each problem. It
    raises its own error to stop. An invalid key is omitted, with its value.
    """

    deepest: ClassVar[int]
    most_nodes: ClassVar[int]
    # whether unquoted keys are text as written, or are resolved like unquoted values
    keys_are_text: ClassVar[bool] = False

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        # start and end of the last scalar over several lines, and whether it is quoted
        self.several_lines: tuple[Any, Any, bool] | None = None
        self._lines: list[str] | None = None
        self._documents = 0
        self._stack: list[_OpenNode] = []
        # the open list or mapping: whether it is a mapping, its items, the nodes inside finished items, its levels
        self._table = False
        self._items: list[Node] = []
        self._size = 0
        self._height = 1
        # name -> node, number of nodes inside with aliases expanded, levels
        self._anchors: dict[str, tuple[Node, int, int]] = {}

    def compose(self) -> Node | None:
        """Return the root, or None when the text holds no document."""
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open_table,
            yaml.SequenceStartEvent: self._open_list,
            yaml.MappingEndEvent: self._close_table,
            yaml.SequenceEndEvent: self._close_list,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        parser = yaml_loader()(self.text)
        try:
            while (event := parser.get_event()) is not None:
                if handler := handlers.get(event.__class__):
                    handler(event)
        except yaml.MarkedYAMLError as error:
            self.syntax(error)
        return self._items[0] if self._items else None

    def path(self) -> tuple[str | int, ...]:
        """Return the path of the next value, or of the mapping whose key is next."""
        around = [(part.table, part.items) for part in self._stack[1:]]
        return path_inside([*around, (self._table, self._items)] if self._stack else [])

    def span(self, mark: Any, length: int = 1) -> Span:
        """Return the span of a mark of the parser."""
        return Span(self.file, mark.line + 1, mark.column + 1, length)

    @abstractmethod
    def word(self, text: str, span: Span) -> Any:
        """Return the value of an unquoted word."""

    @abstractmethod
    def tag(self, tag: str, span: Span, *, scalar: bool) -> None:
        """Handle the tag of a scalar, or of a list or mapping."""

    @abstractmethod
    def second_document(self, span: Span) -> NoReturn:
        """Report a second document, and stop."""
        raise NotImplementedError

    @abstractmethod
    def too_deep(self, span: Span) -> NoReturn:
        """Report more than `deepest` levels, and stop."""
        raise NotImplementedError

    @abstractmethod
    def too_large(self, span: Span) -> NoReturn:
        """Report more than `most_nodes` values with aliases expanded, and stop."""
        raise NotImplementedError

    @abstractmethod
    def bad_alias(self, name: str, span: Span, anchors: list[str], *, inside: bool) -> NoReturn:
        """Report an alias without an anchor before it, or inside the value of its anchor, and stop."""
        raise NotImplementedError

    @abstractmethod
    def bad_key(self, key: Node) -> None:
        """Report a key that is not text."""

    @abstractmethod
    def merge_key(self, key: Scalar) -> None:
        """Report a merge key."""

    @abstractmethod
    def second_key(self, key: Scalar, first: Scalar) -> None:
        """Report a repeated key of a mapping; the first one is used."""

    @abstractmethod
    def syntax(self, error: yaml.MarkedYAMLError) -> NoReturn:
        """Report a syntax error, and stop."""
        raise NotImplementedError

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self.second_document(self.span(event.start_mark, 3))

    def _scalar(self, event: Any) -> None:
        start, end, value, quoted = event.start_mark, event.end_mark, event.value, not event.implicit[0]
        line, column = start.line, start.column
        length = (end.column if end.line == line else len(self._line(line).rstrip())) - column
        span = Span(self.file, line + 1, column + 1, length if length > 0 else 1)
        if event.tag is not None:
            self.tag(event.tag, span, scalar=True)
        elif not (quoted or (self.keys_are_text and self._table and not len(self._items) % 2)):
            value = self.word(value, span)
        if end.line != line:
            self.several_lines = (start, end, quoted)
        node = Scalar(value, span, quoted)
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, 1, 0)
        self._items.append(node)

    def _open_table(self, event: Any) -> None:
        self._open(event, table=True)

    def _open_list(self, event: Any) -> None:
        self._open(event, table=False)

    def _open(self, event: Any, *, table: bool) -> None:
        span = self.span(event.start_mark)
        if event.tag is not None:
            self.tag(event.tag, span, scalar=False)
        if len(self._stack) >= self.deepest:
            self.too_deep(span)
        self._stack.append(_OpenNode(span, event.anchor, self._table, self._items, self._size, self._height))
        self._table, self._items, self._size, self._height = table, [], 0, 1

    def _close_list(self, _: Any) -> None:
        self._close(Sequence(tuple(self._items), self._stack[-1].span))

    def _close_table(self, _: Any) -> None:
        keys: list[Any] = self._items[::2]
        entries = tuple(zip(keys, self._items[1::2], strict=True))
        # the first field of a Scalar is its value: valid keys are distinct texts
        names = set(map(_FIRST, keys))
        if len(names) < len(keys) or "<<" in names or not _TEXT.issuperset(map(type, names)):
            entries = self._valid_entries(entries)
        self._close(Table(entries, self._stack[-1].span))

    def _close(self, node: Node) -> None:
        size, height = self._size + len(self._items), self._height
        span, anchor, self._table, self._items, self._size, self._height = self._stack.pop()
        if anchor is not None:
            self._anchors[anchor] = (node, size, height)
        self._add(node, size, height, span)

    def _alias(self, event: Any) -> None:
        span = self.span(event.start_mark, len(event.anchor) + 1)
        inside = any(part.anchor == event.anchor for part in self._stack)
        if inside or event.anchor not in self._anchors:
            self.bad_alias(event.anchor, span, list(self._anchors), inside=inside)
        node, size, height = self._anchors[event.anchor]
        if len(self._stack) + height > self.deepest:
            self.too_deep(span)
        self._add(node, size, height, span)

    def _add(self, node: Node, size: int, height: int, span: Span) -> None:
        """Add a finished node, with `size` nodes inside and `height` levels, to the open one."""
        self._items.append(node)
        self._size += size
        if height >= self._height:
            self._height = height + 1
        if self._size > self.most_nodes:
            self.too_large(span)

    def _valid_entries(self, entries: tuple[tuple[Any, Node], ...]) -> tuple[tuple[Scalar, Node], ...]:
        """Return the entries of a mapping with valid keys; of a repeated key the first."""
        fit: dict[str, tuple[Scalar, Node]] = {}
        for key, value in entries:
            if type(key) is not Scalar or type(key.value) is not str:
                self.bad_key(key)
            elif key.value in fit:
                self.second_key(key, fit[key.value][0])
            elif key.value == "<<" and not key.quoted:
                self.merge_key(key)
            else:
                fit[key.value] = (key, value)
        return tuple(fit.values())

    def _line(self, number: int) -> str:
        if self._lines is None:
            self._lines = BREAK.split(self.text)
        return self._lines[number] if number < len(self._lines) else ""
