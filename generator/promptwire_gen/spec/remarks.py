"""Find the comments and blank lines of a YAML text, and the entries that they belong to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from .nodes import Node, Scalar, Table
from .yaml_text import Place, Remarks

_MARK = re.compile(r"(?:^|\s)#")


class FoundRemarks(NamedTuple):
    """All comments of a text: those of entries by their place, and those below the last entry."""

    entries: dict[Place, Remarks]
    below: tuple[str, ...]


def find_remarks(text: str, tree: Table) -> FoundRemarks:
    """Return the comments and blank lines of a text, each with the entry that it belongs to.

    A comment alone on its line belongs to the next entry, or, if it is indented further, to the one before it. A
    comment behind a value belongs to the first entry of its line.
    """
    places = sorted(_places(tree, set()))
    found: dict[Place, _Found] = defaultdict(_Found)
    below: list[str] = []
    for line, column, comment, is_alone in _comments(text):
        index = bisect_left(places, (line, 0))
        after = places[index] if index < len(places) else None
        if not is_alone:
            on_line = after is not None and after[0] == line
            place = after if on_line and after is not None else places[max(index - 1, 0)]
            if on_line and not found[place].behind:
                found[place].behind = comment
            else:
                found[place].above.append(comment)
        elif comment and column > (1 if after is None else after[1]):
            # indented as what is before it: it is not about what follows
            before = next(each for each in places[index - 1 :: -1] if each[1] <= column)
            found[before].below.append(comment)
        else:
            target = below if after is None else found[after].above
            if comment or (target[-1:] != [""] and (target or index)):
                target.append(comment)
    while below[-1:] == [""]:
        below.pop()
    entries = {place: Remarks(tuple(row.above), row.behind, tuple(row.below)) for place, row in found.items()}
    return FoundRemarks(entries, tuple(below))


@dataclass(slots=True)
class _Found:
    """The comments of one entry so far."""

    above: list[str] = field(default_factory=list[str])
    behind: str = ""
    below: list[str] = field(default_factory=list[str])


def _places(node: Node, seen: set[int]) -> Iterator[Place]:
    """Yield the place of each key and item; an alias has the place of its anchor."""
    if isinstance(node, Scalar) or id(node) in seen:
        return
    seen.add(id(node))
    entries = node.entries if isinstance(node, Table) else [(item, item) for item in node.items]
    for entry, inside in entries:
        yield entry.span.line, entry.span.column
        yield from _places(inside, seen)


def _comments(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield each comment and blank line: its line and column, its text, and whether nothing else is on the line."""
    lines = text.split("\n")
    letters = list(text)
    inside: set[int] = set()
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.CSafeLoader)
    for event in events:
        if isinstance(event, yaml.ScalarEvent):
            start: Any = event.start_mark
            end: Any = event.end_mark
            # a text in block style ends before the blank lines below it
            value = text[start.index : end.index].rstrip()
            letters[start.index : start.index + len(value)] = [
                letter if letter == "\n" else "x" for letter in value
            ]
            inside.update(range(start.line + 1, start.line + value.count("\n")))
    for number, (line, masked) in enumerate(zip(lines, "".join(letters).split("\n"), strict=True)):
        mark = _MARK.search(masked)
        if mark is not None:
            yield (
                number + 1,
                mark.end(),
                line[mark.end() - 1 :].rstrip(),
                not masked[: mark.end() - 1].strip(" -"),
            )
        elif not line.strip() and number not in inside:
            yield number + 1, 1, "", True
