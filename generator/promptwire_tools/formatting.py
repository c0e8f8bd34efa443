"""Format specs: `gen fmt`. Values, comments and blank lines stay; only their layout changes.

Shapes and examples keep the author's choice between block and flow style as far as a flow fits on its line. Claims
(facts, rules, sources) are in block style with one claim a line, and what the claim is about before its proof.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import yaml

from promptwire_gen.layout import OUTPUT
from promptwire_gen.problems import Span, SpecError, SpecProblem
from promptwire_gen.spec.nodes import Node, Scalar, Sequence, Table
from promptwire_gen.spec.read import read_anchored

from .renewal import CITING, CLAIMS, SPEC, Renewal
from .yaml_text import Place, Printer, Remarks, members

WIDTH = 120
_MOST_IN_FLOW = 3
SCHEMA_MARK = "# yaml-language-server:"
_SCHEMA_FILE = f"{OUTPUT}/provider_spec.schema.json"


def format_spec(text: str, file: str) -> str:
    """Return the formatted text of one file. Raises SpecError if it cannot be read."""
    read, anchors = read_anchored(text, file)
    renewal = Renewal(anchors)
    tree = renewal.renew_mapping(read, SPEC)
    first, _, rest = text.partition("\n")
    mark = first if first.startswith(SCHEMA_MARK) else schema_line(file)
    # an empty line keeps the numbers of the lines
    remarks = find_remarks(f"\n{rest}" if mark is first else text, tree)
    style = _Style(text, tree, frozenset(remarks.entries))
    printer = Printer(WIDTH, style.may_flow, folds=True, remarks=remarks.entries, anchors=renewal.anchors)
    lines = [mark, *(line.text for line in printer.lines(tree)), *remarks.below]
    return "\n".join(lines) + "\n"


def format_changed(sources: Mapping[str, str]) -> dict[str, str]:
    """Return the formatted texts of the files that are not formatted.

    Raises SpecError with the problems of all files that cannot be read.
    """
    problems: list[SpecProblem] = []
    changed: dict[str, str] = {}
    for file, text in sources.items():
        try:
            new = format_spec(text, file)
        except SpecError as error:
            problems += error.problems
        else:
            if new != text:
                changed[file] = new
    if problems:
        raise SpecError(problems)
    return changed


def schema_line(file: str) -> str:
    """Return the comment that tells editors the schema of a file, such as `provider_specs/acme_chat.yaml`."""
    up = "../" * (len(PurePosixPath(file).parts) - 1)
    return f"{SCHEMA_MARK} $schema={up}{_SCHEMA_FILE}"


class _Style:
    """Decides which collections of a text are written in flow style, if they fit on one line."""

    def __init__(self, text: str, tree: Table, remarked: frozenset[Place]) -> None:
        self._lines = text.split("\n")
        self._remarked = remarked
        # the nodes of claims by their id, each with whether it may be in flow style
        self._claims: dict[int, bool] = {}
        for key, node in tree.entries:
            if (levels := CLAIMS.get(str(key.value))) is not None:
                self._claim(node, levels)
            elif key.value == "groups" and isinstance(node, Table):
                self._claims |= {id(group): _is_leaf(group) for group in members(node)}
            elif key.value in CITING:
                for source in _sources(node):
                    self._inside(source)

    def may_flow(self, node: Node, _: Span) -> bool:
        """Return whether a collection is short in itself, or was written in flow style, and has no comments inside."""
        if any(place in self._remarked for place in _entry_places(node)):
            return False
        may = self._claims.get(id(node))
        return self._was_flow(node) if may is None else may

    def _was_flow(self, node: Node) -> bool:
        start = self._lines[node.span.line - 1][node.span.column - 1 :]
        if start.startswith("&"):
            start = start.partition(" ")[2].lstrip()
        return start.startswith(("{", "["))

    def _claim(self, node: Node, levels: int) -> None:
        """Put a claim, and the keys above it, in block style."""
        if isinstance(node, Scalar):
            return
        self._claims[id(node)] = False
        for inner in members(node):
            if levels:
                self._claim(inner, levels - 1)
            else:
                self._inside(inner)

    def _inside(self, node: Node) -> None:
        if isinstance(node, Scalar):
            return
        self._claims[id(node)] = _is_leaf(node)
        for inner in members(node):
            self._inside(inner)
            if isinstance(node, Sequence) and isinstance(inner, Table) and len(inner.entries) == 1:
                # "- key: value" needs no braces
                self._claims[id(inner)] = False


def _is_leaf(node: Node) -> bool:
    """Return whether a collection is short: values, or a few keys with values or lists of values."""
    if isinstance(node, Scalar):
        return True
    if isinstance(node, Sequence):
        return all(isinstance(item, Scalar) for item in node.items)
    return len(node.entries) <= _MOST_IN_FLOW and all(
        (isinstance(value, (Scalar, Sequence)) and _is_leaf(value)) or _is_pair(value)
        for _, value in node.entries
    )


def _is_pair(node: Node) -> bool:
    """Return whether a node is one key with a value, such as `{stream: true}`."""
    return isinstance(node, Table) and len(node.entries) == 1 and isinstance(node.entries[0][1], Scalar)


def _entry_places(node: Node) -> Iterator[Place]:
    """Yield the places of all keys and items inside a node."""
    if isinstance(node, Scalar):
        return
    inner = members(node)
    for each in chain([key for key, _ in node.entries] if isinstance(node, Table) else inner):
        yield each.span.line, each.span.column
    for each in inner:
        yield from _entry_places(each)


def _sources(node: Node) -> Iterator[Node]:
    """Yield the values of all keys `source` inside a node."""
    if isinstance(node, Scalar):
        return
    if isinstance(node, Table):
        yield from (value for key, value in node.entries if key.value == "source")
    for inner in members(node):
        yield from _sources(inner)


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
