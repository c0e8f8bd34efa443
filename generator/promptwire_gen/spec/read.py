"""Parse YAML text into nodes that keep their places; YAML beyond JSON-like data is rejected."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NoReturn

import yaml

from promptwire_text.composing import BREAK, LIBYAML, WITHOUT_LIBYAML, Composer, has_libyaml
from promptwire_text.nodes import Node, Scalar, Sequence, Span, Table, plain

from ..problems import SpecError, SpecProblem, did_you_mean, quote
from .nodes import BadWordError, describe_place, parse_word

__all__ = ["Node", "Scalar", "Sequence", "Table", "plain", "read"]

MOST_NODES = 100_000
DEEPEST = 64
# pages that one process remembers, enough for all that are shipped
_PAGES = 512
LONGEST_TEXT = 1 << 20  # bytes of UTF-8

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

# libyaml reads ahead, and may be deeper than its events show
_TOO_DEEP = "exceeded maximum nesting depth"
_NO_START = "found character that cannot start any token"


@lru_cache(_PAGES)
def read(text: str, file: str) -> Table:
    """Parse one file's text into its root mapping, whose nodes never change; the same text is parsed once.

    Raises SpecError with every problem of the file; after a syntax error the rest of the file is not checked.
    Raises ModuleNotFoundError if PyYAML lacks libyaml.
    """
    return read_anchored(text, file)[0]


def read_anchored(text: str, file: str) -> tuple[Table, dict[int, str]]:
    """Parse one file's text as `read` does; also return the names of anchors by the ids of their nodes."""
    if not has_libyaml():
        raise ModuleNotFoundError(f"cannot read {file}: {WITHOUT_LIBYAML}", name=LIBYAML)
    problems = _find_unreadable(text, file)
    if problems:
        raise SpecError(problems)
    reader = _Reader(text, file)
    root = reader.read()
    if root is None and not reader.problems:
        reader.report(Span(file, 1, 1, 1), "empty-file", "the file is empty")
    elif root is not None and not isinstance(root, Table):
        reader.report(root.span, "wrong-type", "a spec is a mapping: key: value")
    if reader.problems or not isinstance(root, Table):
        raise SpecError(reader.problems)
    return root, reader.list_anchors()


def read_or_report(text: str, file: str, problems: list[SpecProblem]) -> Table | None:
    """Read one file; None if it has problems, which are added to the list."""
    try:
        return read(text, file)
    except SpecError as error:
        problems += error.problems
        return None


def _find_unreadable(text: str, file: str) -> list[SpecProblem]:
    """Reject text that libyaml must not get: too large, or with characters that specs never need raw."""
    if len(text) > LONGEST_TEXT or len(text.encode("utf-8", "surrogatepass")) > LONGEST_TEXT:
        return [SpecProblem(Span(file, 1, 1, 1), "too-large", "the file is larger than 1 MiB")]
    problems: list[SpecProblem] = []
    for match in _UNPRINTABLE.finditer(text):
        lines = BREAK.split(text[: match.start()])
        span = Span(file, len(lines), len(lines[-1]) + 1, 1)
        code = ord(match.group())
        hint = (
            "save the file without a byte order mark"
            if code == 0xFEFF
            else "write it as an escape in double quotes"
        )
        problems.append(SpecProblem(span, "control-character", f"U+{code:04X} may not stand in a spec", hint))
        if len(problems) == 10:
            break
    return problems


class _StopError(Exception):
    """Raised to stop reading after a problem was added."""


class _Reader(Composer):
    """Composes nodes with the limits of specs: depth, number of values, and no ambiguous bare words."""

    deepest = DEEPEST
    most_nodes = MOST_NODES

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self.problems: list[SpecProblem] = []

    def read(self) -> Node | None:
        """Return the root, or None if the text has no document or reading stopped."""
        try:
            return self.compose()
        except _StopError:
            return None

    def list_anchors(self) -> dict[int, str]:
        """Return the name of each anchored node by the node's id."""
        return {id(node): name for name, (node, _, _) in self._anchors.items()}

    def report(self, span: Span, rule: str, message: str, hint: str | None = None) -> None:
        """Add a problem and continue."""
        self.problems.append(SpecProblem(span, rule, message, hint))

    def word(self, text: str, span: Span) -> Any:
        """Return the value of a bare word, or the word itself if it is ambiguous."""
        try:
            return parse_word(text)
        except BadWordError as bad:
            self.report(span, bad.rule, bad.message, bad.hint)
            return text

    def tag(self, tag: str, span: Span, *, scalar: bool) -> None:
        """Reject every tag."""
        del scalar
        tag_name = quote(tag.replace("tag:yaml.org,2002:", "!!"))
        self.report(
            span, "tag", f"tags are not part of the language: {tag_name}", "put text in quotes instead"
        )

    def second_document(self, span: Span) -> NoReturn:
        """Reject a second document."""
        self._stop(span, "several-documents", "a spec is one document", "remove ---")

    def too_deep(self, span: Span) -> NoReturn:
        """Reject more levels than a spec may have."""
        self._stop(span, "too-deep", f"more than {DEEPEST} levels")

    def too_large(self, span: Span) -> NoReturn:
        """Reject more values than a spec may have."""
        self._stop(span, "too-large", f"more than {MOST_NODES:,} values, aliases expanded")

    def bad_alias(self, name: str, span: Span, anchors: list[str], *, inside: bool) -> NoReturn:
        """Report an unknown anchor with the nearest known name."""
        message = f"*{name} " + ("contains itself" if inside else "names no anchor above")
        self._stop(span, "unknown-anchor", message, did_you_mean(name, anchors))

    def bad_key(self, key: Node) -> None:
        """Reject a key that is not text."""
        self.report(key.span, "non-string-key", "a key must be text", "put it in quotes")

    def merge_key(self, key: Scalar) -> None:
        """Reject a merge key and suggest `extends`."""
        self.report(key.span, "merge-key", "merge keys are not part of the language", "use extends")

    def second_key(self, key: Scalar, first: Scalar) -> None:
        """Report a duplicate key with the place of the first one."""
        message = f"{quote(key.value)} is already given"
        hint = f"first at {describe_place(first.span, key.span)}"
        hint += "; in an answer, write ...: [$message, $usage]" if key.value == "..." else ""
        self.report(key.span, "duplicate-key", message, hint)

    def _stop(self, span: Span, rule: str, message: str, hint: str | None = None) -> NoReturn:
        self.report(span, rule, message, hint)
        raise _StopError

    def syntax(self, error: yaml.MarkedYAMLError) -> NoReturn:
        """Report a syntax error in our wording, at the place where it can be corrected."""
        mark, began = error.problem_mark or error.context_mark, error.context_mark
        message = error.problem or "this is not YAML"
        if message == _TOO_DEEP and mark is not None:
            self.too_deep(self.span(mark))
        hint = None
        long = self.several_lines
        if mark is not None and long is not None and long[2] and long[1].line == mark.line:
            # text after a multi-line quoted text often belongs to it: its quote was closed too early
            message = "a closing quote may be missing"
            span = self.span(long[0])
            hint = f"the quoted text ends at line {long[1].line + 1}, column {long[1].column}"
        elif mark is None or self._is_end(mark):
            # an unclosed bracket or quote is detected at the end of the file, and reported where it begins
            span = self._end() if began is None or self._is_end(began) else self.span(began)
        else:
            span = self.span(mark)
            if message == _NO_START and self.text[mark.index : mark.index + 1] == "\t":
                message = "a tab cannot indent a line: use spaces"
            if began and began.line != mark.line:
                hint = f"it began at line {began.line + 1}, column {began.column + 1}"
        self._stop(span, "syntax", _SYNTAX.get(message, message), hint)

    def _is_end(self, mark: Any) -> bool:
        return not self.text[mark.index :].strip()

    def _end(self) -> Span:
        """Return the place of the last visible character."""
        lines = BREAK.split(self.text.rstrip())
        return Span(self.file, len(lines), max(1, len(lines[-1])), 1)
