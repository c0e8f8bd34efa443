"""Problems in the input: their place, a message and a hint, and three output formats."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from promptwire_text.nodes import Span
from promptwire_text.words import did_you_mean

__all__ = [
    "Span",
    "SpecError",
    "SpecProblem",
    "as_json",
    "as_text",
    "did_you_mean",
    "format_github",
    "make_hint",
    "quote",
]

_BREAK = re.compile("\r\n|\r|\n")
_TAB = "    "
# a longer source line is shown as a window around the marked text, in terminal columns
_WIDEST = 160
_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class SpecProblem:
    """One problem. `rule` is a kebab-case id such as `unknown-key`; `hint` says what to do."""

    span: Span
    rule: str
    message: str
    hint: str | None = None


class SpecError(Exception):
    """All problems of the input, without duplicates, sorted by file, line, column and rule."""

    def __init__(self, problems: Iterable[SpecProblem]) -> None:
        """Sort the problems and drop duplicates at the same place."""
        self.problems: tuple[SpecProblem, ...] = tuple(sorted(set(problems), key=_place))
        super().__init__("\n".join(_format_headline(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[object, ...]:
        """Return the parts of a copy or pickle."""
        return type(self), (self.problems,), vars(self)


def _place(problem: SpecProblem) -> tuple[str, int, int, str, str, str]:
    span = problem.span
    return span.file, span.line, span.column, problem.rule, problem.message, problem.hint or ""


def make_hint(word: str, known: Collection[str], noun: str) -> str:
    """Return the hint for a word that does not exist: the known one that is spelled most like it, or all of them."""
    return did_you_mean(word, known) or f"the {noun} are {', '.join(known)}"


def quote(text: str) -> str:
    """Quote input text for a message; long text is shortened."""
    return f'"{text}"' if len(text) <= _LONGEST_QUOTE else f'"{text[: _LONGEST_QUOTE - 3]}..."'


def as_text(problems: Iterable[SpecProblem], sources: Mapping[str, str]) -> str:
    """Print problems for a terminal: the place, the source line, a caret line with the hint.

    `sources` maps file names to their text; a problem in another file is printed without its line.
    """
    lines = {file: _BREAK.split(text) for file, text in sources.items()}
    return "\n".join(_format_block(problem, lines.get(problem.span.file, [])) for problem in problems)


def as_json(problems: Iterable[SpecProblem]) -> str:
    """Print problems as a JSON list of objects: file, line, column, length, rule, message, hint."""
    dicts = [
        {
            "file": problem.span.file,
            "line": problem.span.line,
            "column": problem.span.column,
            "length": problem.span.length,
            "rule": problem.rule,
            "message": problem.message,
            "hint": problem.hint,
        }
        for problem in problems
    ]
    return json.dumps(dicts, indent=2)


def format_github(problems: Iterable[SpecProblem]) -> str:
    """Print problems as GitHub workflow commands, one a line."""
    return "\n".join(_format_annotation(problem) for problem in problems)


def _format_annotation(problem: SpecProblem) -> str:
    span = problem.span
    message = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    file, title = _escape_github(span.file, ":,"), _escape_github(problem.rule, ":,")
    return f"::error file={file},line={span.line},col={span.column},title={title}::{_escape_github(message)}"


def _escape_github(text: str, marks: str = "") -> str:
    """Escape the characters that end a workflow command; `marks` also escapes those that end a property."""
    for mark in "%" + marks:
        text = text.replace(mark, f"%{ord(mark):02X}")
    return _escape(text.replace("\r", "%0D").replace("\n", "%0A"))


def _format_headline(problem: SpecProblem) -> str:
    span = problem.span
    return _escape(f"{span.file}:{span.line}:{span.column}: {problem.rule}: {problem.message}")


def _format_block(problem: SpecProblem, lines: list[str]) -> str:
    span, hint = problem.span, _escape(problem.hint or "")
    rows = [_format_headline(problem)]
    margin = " " * max(5, len(str(span.line)))
    if not 1 <= span.line <= len(lines):
        return "\n".join([*rows, f"{margin} | {hint}"] if hint else rows)
    excerpt, before, marked = _cut_window(lines[span.line - 1], span)
    rows.append(f"{span.line:>5} | {excerpt}".rstrip())
    rows.append(f"{margin} | {' ' * before}{'^' * marked} {hint}".rstrip())
    return "\n".join(rows)


def _cut_window(line: str, span: Span) -> tuple[str, int, int]:
    """Return the line as shown, the columns before the marked text, and the columns of the marked text."""
    start, stop = span.column - 1, span.column - 1 + span.length
    if len(line) > _WIDEST:
        first = max(0, start - _WIDEST // 4)
        head, tail = "..." if first else "", "..." if first + _WIDEST < len(line) else ""
        line = line[first : first + _WIDEST]
        start, stop = start - first, min(stop - first, len(line))
    else:
        head, tail = "", ""
    marked = _count_columns(line[start:stop])
    return f"{head}{_escape(line)}{tail}", len(head) + _count_columns(line[:start]), max(1, marked)


def _count_columns(text: str) -> int:
    """Count the terminal columns of the escaped text."""
    return sum(_measure_width(char) for char in _escape(text))


def _measure_width(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _escape(text: str) -> str:
    """Make text safe to print: control, bidirectional and surrogate characters escaped, a tab as spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_show_character, text))


def _show_character(char: str) -> str:
    if char == "\t":
        return _TAB
    if char == " " or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
