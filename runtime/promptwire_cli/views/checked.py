"""Check requests and bodies: one a file, one a line, or recorded requests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from promptwire_text.nodes import Node, span_at

from .generated import CommandError, matching_rules, tree_of, wire_module
from .inputs import Wires, body_in, lines_from, name_of, parse_json, request_from, text_of
from .json_values import is_object

if TYPE_CHECKING:
    from promptwire_runtime import Problem

_RECORDED = frozenset({"url", "wire", "api", "id"})
_REQUEST_FILES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Subject:
    """One request or body and its place: its file, and its line, or the text if it is the whole file."""

    file: str
    line: int | None
    body: Any
    url: str | None
    wire: str | None = None
    text: LineIndex | None = None

    def line_of(self, problem: Problem) -> int:
        """Return the line of a problem."""
        if self.text is None:
            return self.line or 1
        if not is_object(self.body):
            return self.text.line_of(_steps_of(problem))
        return self.text.line_of((*(("body",) if self.url is not None else ()), *problem.steps))


@dataclass(slots=True, kw_only=True)
class Checked:
    """Checks requests and bodies of one wire, and counts them.

    Attributes:
        url: The URL of bodies that do not state one.
        advance: Receives the number of bytes read.
        skipped: The number of rows of other wires.
        broken: Lines that are not JSON.
    """

    wire: str
    wires: Wires
    url: str | None = None
    advance: Callable[[int], None] | None = None
    requests: int = 0
    flagged: int = 0
    problems: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])
    broken: list[str] = field(default_factory=list[str])

    def each(self, files: Sequence[str]) -> Iterator[tuple[Subject, Sequence[Problem]]]:
        """Check every request and body of some files, one after the other.

        Raises CommandError for an unknown wire, and for a file that cannot be read.
        """
        module = wire_module(self.wire)
        for file in files:
            for subject in _subjects(file, self.wires, self.advance, self.broken):
                if subject.wire is not None and subject.wire != self.wire:
                    self.skipped[subject.wire] += 1
                    continue
                problems = module.check(subject.body, subject.url or self.url)
                self.requests += 1
                # a doubt is shown, and fails nothing
                sure = sum(problem.what != "doubt" for problem in problems)
                self.flagged += bool(sure)
                self.problems += sure
                yield subject, problems


def _subjects(
    file: str, wires: Wires, advance: Callable[[int], None] | None, broken: list[str]
) -> Iterator[Subject]:
    """Yield what a file holds: a request as YAML, or bodies: one JSON text over several lines, or one text a line."""
    if file.endswith(_REQUEST_FILES):
        yield Subject(file, None, request_from(file).request, None, text=LineIndex(text_of(file)))
        return
    name, held = name_of(file), list[bytes]()
    several = False
    for number, line in lines_from(file):
        if advance:
            advance(len(line))
        if held:
            held.append(line)
        elif not line.isspace():
            try:
                value = parse_json(line.rstrip(b"\n"), name, number)
            except CommandError as error:
                if several:
                    broken.append(str(error))
                else:
                    held = [b"\n" * (number - 1), line]
                continue
            several = True
            yield _subject(value, name, number, wires)
    if held:
        raw = b"".join(held)
        yield Subject(name, None, *body_in(raw, name), text=LineIndex(raw.decode("utf-8-sig")))
    elif not several and not broken:
        raise CommandError(f"{name}: the file has no JSON")


def _steps_of(problem: Problem) -> list[str | int]:
    """Return the keys and indexes that lead to the value of a problem in the file of its request."""
    words = re.findall(r"[^.\[\]]+", f"{problem.path}.{problem.field}")
    return [int(word) if word.isdecimal() else word for word in words]


def _subject(value: Any, name: str, number: int, wires: Wires) -> Subject:
    """Return the body of a line: the line itself, or the body of a recorded request."""
    if not (is_object(value) and is_object(value.get("body")) and _RECORDED & value.keys()):
        return Subject(name, number, value, None)
    api, wire, url = (
        text if isinstance(text := value.get(key), str) else None for key in ("api", "wire", "url")
    )
    return Subject(name, number, value["body"], url, wires.find_wire(api, wire))


def rules_for(wire: str, message: str) -> Sequence[Any]:
    """Return the rules of a wire that an API's error message refers to, likeliest first."""
    return matching_rules(wire_module(wire).WIRE, message)


class LineIndex:
    """Finds lines in one text of JSON or YAML, which is parsed when the first is requested."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _tree(self) -> Node | None:
        return tree_of(self._text)

    def line_of(self, steps: Sequence[str | int]) -> int:
        """Return the line of a key or element, or of the nearest one around it; 1 if there is none."""
        return span_at(self._tree, steps, key=True).line if self._tree and steps else 1
