"""YAML text into a tree of nodes that keep their place; what is not plain, JSON-like YAML is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

import yaml

from ..problems import Problem, Span, SpecError, did_you_mean, quote
from .nodes import Node, Scalar, Sequence, Table, place_of, plain
from .words import BadWordError, meaning

__all__ = ["Node", "Scalar", "Sequence", "Table", "plain", "read"]

MOST_NODES = 100_000
DEEPEST = 64
LONGEST_TEXT = 1 << 20  # bytes of UTF-8

_BREAK = re.compile("\r\n|\r|\n")
# libyaml also breaks lines at these three, editors do not: line numbers would disagree
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
# libyaml's wording -> ours
_SYNTAX = {
    "did not find expected ',' or '}'": 'a "}" or a comma is missing in a mapping in braces',
    "did not find expected ',' or ']'": 'a "]" or a comma is missing in a list in brackets',
    "did not find expected key": "a key is expected here: check the indentation up to this line",
    "did not find expected '-' indicator": 'a list item "- ..." is expected here: check the indentation',
    "mapping values are not allowed in this context": 'a ":" is not expected here: put the text in quotes',
    "block sequence entries are not allowed in this context": 'a list item "- ..." cannot stand here',
    "could not find expected ':'": 'a ":" is missing after the key',
    "found character that cannot start any token": "no text may start with this character: put it in quotes",
    "found unexpected end of stream": "the file ends inside a quoted text: a closing quote is missing",
    "found unknown escape character": 'no such escape: write "\\\\" for a backslash, or use single quotes',
    "did not find expected hexdecimal number": 'digits are missing in an escape: write "\\\\" for a backslash, or use '
    "single quotes",
    "found duplicate anchor": "this anchor is defined twice",
    "did not find expected node content": "a value is expected here",
    "did not find expected <document start>": "nothing may follow the end of the document",
    "did not find expected alphabetic or numeric character": "a name must follow & or *",
}

_NO_START = "found character that cannot start any token"


def read(text: str, file: str) -> Table:
    """Read one file's text into its root mapping.

    Raises SpecError with every problem of the file; a syntax error hides what stands after it.
    """
    problems = _unreadable(text, file)
    if problems:
        raise SpecError(problems)
    reader = _Reader(text, file)
    root = reader.read()
    if root is None and not reader.problems:
        reader.problem(Span(file, 1, 1, 1), "empty-file", "the file is empty")
    elif root is not None and not isinstance(root, Table):
        reader.problem(root.span, "wrong-type", "a spec is a mapping: key: value")
    if reader.problems or not isinstance(root, Table):
        raise SpecError(reader.problems)
    return root


def _unreadable(text: str, file: str) -> list[Problem]:
    """Find what libyaml must not see: a text too large, and characters that no spec needs raw."""
    if len(text) > LONGEST_TEXT or len(text.encode("utf-8", "surrogatepass")) > LONGEST_TEXT:
        return [Problem(Span(file, 1, 1, 1), "too-large", "the file is larger than 1 MiB")]
    problems: list[Problem] = []
    for found in _UNPRINTABLE.finditer(text):
        lines = _BREAK.split(text[: found.start()])
        span = Span(file, len(lines), len(lines[-1]) + 1, 1)
        code = ord(found.group())
        hint = (
            "save the file without a byte order mark"
            if code == 0xFEFF
            else "write it as an escape in double quotes"
        )
        problems.append(Problem(span, "control-character", f"U+{code:04X} may not stand in a spec", hint))
        if len(problems) == 10:
            break
    return problems


class _StopError(Exception):
    """Reading cannot go on; the problem is already noted."""


class _Open(NamedTuple):
    """A list or mapping that is being read, and what was gathered so far for the one around it."""

    span: Span
    anchor: str | None
    items: list[Node]
    size: int
    height: int


_FIRST = itemgetter(0)
_TEXT = frozenset({str})


class _Reader:
    """Turns libyaml's events into nodes, with a stack of its own, so that no input can exhaust Python's."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.problems: list[Problem] = []
        self._lines: list[str] | None = None
        self._documents = 0
        # begin and end of the last scalar over several lines, and whether it is quoted
        self._several_lines: tuple[Any, Any, bool] | None = None
        self._stack: list[_Open] = []
        # of the list or mapping that is open now: what it holds, nodes inside its finished parts, its levels
        self._items: list[Node] = []
        self._size = 0
        self._height = 1
        # name -> node, nodes inside when expanded, levels
        self._anchors: dict[str, tuple[Node, int, int]] = {}

    def read(self) -> Node | None:
        """Return the root, or None when the text holds no document or reading stopped."""
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close_table,
            yaml.SequenceEndEvent: self._close_list,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        parser = yaml.CSafeLoader(self.text)
        try:
            while (event := parser.get_event()) is not None:
                if handler := handlers.get(type(event)):
                    handler(event)
        except yaml.MarkedYAMLError as error:
            self._syntax(error)
            return None
        except _StopError:
            return None
        return self._items[0] if self._items else None

    def problem(self, span: Span, rule: str, message: str, hint: str | None = None) -> None:
        """Note a problem and go on."""
        self.problems.append(Problem(span, rule, message, hint))

    def _stop(self, span: Span, rule: str, message: str, hint: str | None = None) -> None:
        self.problem(span, rule, message, hint)
        raise _StopError

    def _line(self, number: int) -> str:
        if self._lines is None:
            self._lines = _BREAK.split(self.text)
        return self._lines[number] if number < len(self._lines) else ""

    def _span(self, mark: Any, length: int = 1) -> Span:
        return Span(self.file, mark.line + 1, mark.column + 1, length)

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self._stop(
                self._span(event.start_mark, 3), "several-documents", "a spec is one document", "remove ---"
            )

    def _scalar(self, event: Any) -> None:
        start, end, value, quoted = event.start_mark, event.end_mark, event.value, not event.implicit[0]
        line, column = start.line, start.column
        length = (end.column if end.line == line else len(self._line(line).rstrip())) - column
        span = Span(self.file, line + 1, column + 1, length if length > 0 else 1)
        if event.tag is not None:
            self._tag(event.tag, span)
        elif not quoted:
            try:
                value = meaning(value)
            except BadWordError as bad:
                self.problem(span, bad.rule, bad.message, bad.hint)
        if end.line != line:
            self._several_lines = (start, end, quoted)
        node = Scalar(value, span, quoted)
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, 1, 0)
        self._items.append(node)

    def _open(self, event: Any) -> None:
        span = self._span(event.start_mark)
        if event.tag is not None:
            self._tag(event.tag, span)
        if len(self._stack) >= DEEPEST:
            self._stop(span, "too-deep", f"more than {DEEPEST} levels")
        self._stack.append(_Open(span, event.anchor, self._items, self._size, self._height))
        self._items, self._size, self._height = [], 0, 1

    def _close_list(self, _: Any) -> None:
        self._close(Sequence(tuple(self._items), self._stack[-1].span))

    def _close_table(self, _: Any) -> None:
        keys: list[Any] = self._items[::2]
        # the first field of a node is its value or its inside: fit keys are as many different texts
        names = set(map(_FIRST, keys))
        if len(names) < len(keys) or "<<" in names or not _TEXT.issuperset(map(type, names)):
            self._check_keys(keys)
        self._close(Table(tuple(zip(keys, self._items[1::2], strict=True)), self._stack[-1].span))

    def _close(self, node: Node) -> None:
        size, height = self._size + len(self._items), self._height
        span, anchor, self._items, self._size, self._height = self._stack.pop()
        if anchor is not None:
            self._anchors[anchor] = (node, size, height)
        self._add(node, size, height, span)

    def _alias(self, event: Any) -> None:
        span = self._span(event.start_mark, len(event.anchor) + 1)
        found = self._anchors.get(event.anchor)
        if found is None:
            inside = any(part.anchor == event.anchor for part in self._stack)
            message = f"*{event.anchor} " + ("contains itself" if inside else "names no anchor above")
            self._stop(span, "unknown-anchor", message, did_you_mean(event.anchor, self._anchors))
            return
        node, size, height = found
        if len(self._stack) + height > DEEPEST:
            self._stop(span, "too-deep", f"more than {DEEPEST} levels")
        self._add(node, size, height, span)

    def _add(self, node: Node, size: int, height: int, span: Span) -> None:
        """Put a finished part, with `size` nodes inside and `height` levels, into the one that is open."""
        self._items.append(node)
        self._size += size
        if height >= self._height:
            self._height = height + 1
        if self._size > MOST_NODES:
            self._stop(span, "too-large", f"more than {MOST_NODES:,} values, aliases expanded")

    def _check_keys(self, keys: list[Any]) -> None:
        names: dict[str, Scalar] = {}
        for key in keys:
            if type(key) is not Scalar or type(key.value) is not str:
                self.problem(key.span, "non-string-key", "a key must be text", "put it in quotes")
            elif key.value in names:
                self._second_key(key, names[key.value])
            elif key.value == "<<" and not key.quoted:
                self.problem(key.span, "merge-key", "merge keys are not part of the language", "use extends")
            else:
                names[key.value] = key

    def _second_key(self, key: Scalar, first: Scalar) -> None:
        message = f"{quote(str(key.value))} is already given"
        self.problem(key.span, "duplicate-key", message, f"first at {place_of(first.span, key.span)}")

    def _tag(self, tag: str, span: Span) -> None:
        shown = quote(tag.replace("tag:yaml.org,2002:", "!!"))
        self.problem(span, "tag", f"tags are not part of the language: {shown}", "put text in quotes instead")

    def _syntax(self, error: yaml.MarkedYAMLError) -> None:
        mark, began = error.problem_mark or error.context_mark, error.context_mark
        said = error.problem or "this is not YAML"
        hint = None
        long = self._several_lines
        if mark is not None and long is not None and long[2] and long[1].line == mark.line:
            # what follows a quoted text over several lines often belongs to it: its quote was never closed
            said = "a closing quote may be missing"
            span = self._span(long[0])
            hint = f"the quoted text ends at line {long[1].line + 1}, column {long[1].column}"
        elif mark is None or self._is_end(mark):
            # what is never closed is seen at the end of the file, and mended where it began
            span = self._end() if began is None or self._is_end(began) else self._span(began)
        else:
            span = self._span(mark)
            if said == _NO_START and self.text[mark.index : mark.index + 1] == "\t":
                said = "a tab cannot indent a line: use spaces"
            if began and began.line != mark.line:
                hint = f"it began at line {began.line + 1}, column {began.column + 1}"
        self.problem(span, "syntax", _SYNTAX.get(said, said), hint)

    def _is_end(self, mark: Any) -> bool:
        return not self.text[mark.index :].strip()

    def _end(self) -> Span:
        """Return where the last visible character stands."""
        lines = _BREAK.split(self.text.rstrip())
        return Span(self.file, len(lines), max(1, len(lines[-1])), 1)
