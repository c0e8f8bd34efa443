"""Composing YAML by its events: nodes with their places, and every use of YAML that JSON does not know, told.

Only who has PyYAML can load this module.
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
_FIRST = itemgetter(0)
_TEXT = frozenset({str})


class _Open(NamedTuple):
    """A list or mapping that is being read, and what was gathered so far for the one around it."""

    span: Span
    anchor: str | None
    table: bool
    items: list[Node]
    size: int
    height: int


class Composer(ABC):
    """Turns events into nodes, with a stack of its own, so that no input can exhaust Python's.

    A language of files sets the limits, says what a bare word means, and notes each problem in its own words; where
    reading is to end, it raises an error of its own. A key that is no good is left out, with its value.
    """

    deepest: ClassVar[int]
    most_nodes: ClassVar[int]
    # whether bare keys are text as they are written, or mean what a bare value does
    keys_are_text: ClassVar[bool] = False

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        # begin and end of the last scalar over several lines, and whether it is quoted
        self.several_lines: tuple[Any, Any, bool] | None = None
        self._lines: list[str] | None = None
        self._documents = 0
        self._stack: list[_Open] = []
        # of the list or mapping that is open now: which, what it holds, nodes inside its finished parts, its levels
        self._table = False
        self._items: list[Node] = []
        self._size = 0
        self._height = 1
        # name -> node, nodes inside when expanded, levels
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
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        parser = loader(self.text)
        try:
            while (event := parser.get_event()) is not None:
                if handler := handlers.get(event.__class__):
                    handler(event)
        except yaml.MarkedYAMLError as error:
            self.syntax(error)
        return self._items[0] if self._items else None

    def path(self) -> tuple[str | int, ...]:
        """The path of the value that comes next, or of the mapping whose key comes next."""
        around = [(part.table, part.items) for part in self._stack[1:]]
        return path_inside([*around, (self._table, self._items)] if self._stack else [])

    def span(self, mark: Any, length: int = 1) -> Span:
        """Where a mark of the parser is."""
        return Span(self.file, mark.line + 1, mark.column + 1, length)

    @abstractmethod
    def word(self, text: str, span: Span) -> Any:
        """Say what a bare word means."""

    @abstractmethod
    def tag(self, tag: str, span: Span, *, scalar: bool) -> None:
        """Take a tag of a scalar, or of a list or mapping."""

    @abstractmethod
    def second_document(self, span: Span) -> NoReturn:
        """Note that another document begins, and stop."""
        raise NotImplementedError

    @abstractmethod
    def too_deep(self, span: Span) -> NoReturn:
        """Note more than `deepest` levels, and stop."""
        raise NotImplementedError

    @abstractmethod
    def too_large(self, span: Span) -> NoReturn:
        """Note more than `most_nodes` values, aliases expanded, and stop."""
        raise NotImplementedError

    @abstractmethod
    def bad_alias(self, name: str, span: Span, anchors: list[str], *, inside: bool) -> NoReturn:
        """Note an alias without an anchor above it, or inside what its anchor names, and stop."""
        raise NotImplementedError

    @abstractmethod
    def bad_key(self, key: Node) -> None:
        """Note a key that is no text."""

    @abstractmethod
    def merge_key(self, key: Scalar) -> None:
        """Note a merge key."""

    @abstractmethod
    def second_key(self, key: Scalar, first: Scalar) -> None:
        """Note a key that stands twice in its mapping; the first one counts."""

    @abstractmethod
    def syntax(self, error: yaml.MarkedYAMLError) -> NoReturn:
        """Note what the parser finds wrong, and stop."""
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
        self._stack.append(_Open(span, event.anchor, self._table, self._items, self._size, self._height))
        self._table, self._items, self._size, self._height = table, [], 0, 1

    def _close_list(self, _: Any) -> None:
        self._close(Sequence(tuple(self._items), self._stack[-1].span))

    def _close_table(self, _: Any) -> None:
        keys: list[Any] = self._items[::2]
        entries = tuple(zip(keys, self._items[1::2], strict=True))
        # the first field of a node is its value or its inside: fit keys are as many different texts
        names = set(map(_FIRST, keys))
        if len(names) < len(keys) or "<<" in names or not _TEXT.issuperset(map(type, names)):
            entries = self._fit(entries)
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
        """Put a finished part, with `size` nodes inside and `height` levels, into the one that is open."""
        self._items.append(node)
        self._size += size
        if height >= self._height:
            self._height = height + 1
        if self._size > self.most_nodes:
            self.too_large(span)

    def _fit(self, entries: tuple[tuple[Any, Node], ...]) -> tuple[tuple[Scalar, Node], ...]:
        """The entries of a mapping whose keys are good; of two with one name, the first."""
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
