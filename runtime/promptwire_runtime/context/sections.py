"""Sections: named pieces of system text between stable marks, so that adding one again replaces it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import ContextError
from ..nodes.checks import CheckedRecord
from ..nodes.type_errors import check_class

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_OPENING = re.compile(r"<[a-z][a-z0-9_]*>\n")
_WHOLE = re.compile(r"\s*(<([a-z][a-z0-9_]*)>\n(?:.*?)\n</\2>)", re.DOTALL)


@dataclass(frozen=True, eq=False, repr=False)
class Section(CheckedRecord):
    """A piece of system text; `name` (lower case, digits, underscores) makes its marks.

    Raises ContextError when the name makes no mark, or when the text holds the closing mark itself.
    """

    name: str
    text: str

    def __post_init__(self) -> None:
        """Check the name and the text."""
        super().__post_init__()
        if not _NAME.fullmatch(self.name):
            raise ContextError("a name is lower case letters, digits and underscores", where=self._where)
        if self._close in self.text:
            raise ContextError(f"its text holds its own closing mark {self._close}", where=self._where)

    @property
    def marked(self) -> str:
        """The text between its marks, as it is sent."""
        return f"<{self.name}>\n{self.text}{self._close}"

    @property
    def _close(self) -> str:
        return f"\n</{self.name}>"

    @property
    def _where(self) -> str:
        return f"section {self.name!r}"


def put_section(text: str, section: Section, separator: str = "\n\n") -> str:
    """Insert a section at the end of a text, or replace the section of that name. A blank section is removed."""
    check_class(text, str, "text")
    check_class(section, Section, "section")
    opening, closing = f"<{section.name}>\n", f"\n</{section.name}>"
    start = text.find(opening)
    end = text.find(closing, start + len(opening) - 1) if start >= 0 else -1
    blank = not section.text or section.text.isspace()
    if end < 0:
        return text if blank else separator.join(piece for piece in (text, section.marked) if piece)
    before, after = text[:start], text[end + len(closing) :]
    if not blank:
        return before + section.marked + after
    return before.removesuffix(separator) + after if before else after.removeprefix(separator)


class SectionSpan(NamedTuple):
    """The position of a marked section in a text: `text[start:end]`."""

    name: str
    start: int
    end: int


def trailing_sections(text: str) -> list[SectionSpan]:
    """Find the marked sections that a text ends with, in their order."""
    for opening in _OPENING.finditer(text):
        spans = _sections_from(text, opening.start())
        if spans is not None:
            return spans
    return []


def without_sections(text: str, names: Collection[str], separator: str) -> str:
    """Remove the sections of these names, and the separators before them, from the end of a text."""
    for name, start, end in reversed(trailing_sections(text)):
        if name in names:
            before, after = text[:start], text[end:]
            text = before.removesuffix(separator) + after if before else after.removeprefix(separator)
    return text


def holds_only_sections(text: str) -> bool:
    """Return whether a text is marked sections, one at least, and nothing else but white space."""
    return bool(_sections_from(text, 0))


def _sections_from(text: str, start: int) -> list[SectionSpan] | None:
    """Return the sections from a place to the end; None if there is anything else."""
    spans: list[SectionSpan] = []
    while section := _WHOLE.match(text, start):
        start = section.end()
        spans.append(SectionSpan(section.group(2), section.start(1), start))
    return None if text[start:].strip() else spans


def text_of_section(text: str, name: str) -> str | None:
    """Return the text between the marks of a text that is exactly one section of this name."""
    opening, closing = f"<{name}>\n", f"\n</{name}>"
    if not (text.startswith(opening) and text.endswith(closing)):
        return None
    return text[len(opening) : -len(closing)]
