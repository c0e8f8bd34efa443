"""Find the comments and blank lines of a YAML text, and the entries that they belong to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
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
    """Return the comments and blank lines of a text; a comment belongs to the entry behind or below which it stands.

    A comment alone on its line belongs to the next entry, a comment behind a value to the first entry of its line.
    """
    places = sorted(_places(tree, set()))
    above: dict[Place, list[str]] = {}
    behind: dict[Place, str] = {}
    below: list[str] = []
    for line, comment, is_alone in _comments(text):
        index = bisect_left(places, (line, 0))
        on_line = index < len(places) and places[index][0] == line
        if is_alone:
            target = above.setdefault(places[index], []) if index < len(places) else below
            if comment or (target[-1:] != [""] and (target or index)):
                target.append(comment)
        elif on_line and places[index] not in behind:
            behind[places[index]] = comment
        else:
            above.setdefault(places[max(index - 1, 0)], []).append(comment)
    while below[-1:] == [""]:
        below.pop()
    entries = {
        place: Remarks(tuple(above.get(place, ())), behind.get(place, "")) for place in (*above, *behind)
    }
    return FoundRemarks(entries, tuple(below))


def _places(node: Node, seen: set[int]) -> Iterator[Place]:
    """Yield the place of each key and item; an alias has the place of its anchor."""
    if isinstance(node, Scalar) or id(node) in seen:
        return
    seen.add(id(node))
    entries = node.entries if isinstance(node, Table) else [(item, item) for item in node.items]
    for entry, inside in entries:
        yield entry.span.line, entry.span.column
        yield from _places(inside, seen)


def _comments(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the line of each comment and blank line, the comment's text, and whether nothing else is on the line."""
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
            yield number + 1, line[mark.end() - 1 :].rstrip(), not masked[: mark.end() - 1].strip(" -")
        elif not line.strip() and number not in inside:
            yield number + 1, "", True
