"""Write a tree as YAML: the only printer of specs, for `gen fmt` and `gen show`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import NamedTuple

from promptwire_gen.problems import Span
from promptwire_gen.spec.nodes import BadWordError, Node, Scalar, Sequence, Table, parse_word

_STEP = 2
_OF_FLOW = frozenset(",[]{}")
_FIRST_OF_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]")
_NOT_PLAIN = re.compile(r": |:$| #|[\x00-\x1f\x7f\x85\u2028\u2029]|^\s|\s$")
# text that survives folding: single blanks between words
_FOLDABLE = re.compile(r"[!-~\xa1-\u2027\u202a-\U0010ffff]+(?: [!-~\xa1-\u2027\u202a-\U0010ffff]+)+")

_UNPRINTABLE = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


class Line(NamedTuple):
    """One line of YAML, and the place of its first key or element."""

    text: str
    span: Span


class Remarks(NamedTuple):
    """The comments of an entry: lines above it (empty for a blank line), the one behind it, lines below all of it."""

    above: tuple[str, ...] = ()
    behind: str = ""
    below: tuple[str, ...] = ()


Place = tuple[int, int]
NO_REMARKS = Remarks()


@dataclass(slots=True)
class Printer:
    """Prints trees as lines of YAML.

    Attributes:
        width: Flow collections end before this column; longer ones are written in block style.
        may_flow: Whether a collection behind a key or dash at this place may be in flow style, if it fits.
        folds: Whether text that is too wide is folded over several lines.
        remarks: The comments of entries by their place.
        anchors: The names of anchored nodes by their id; a node that is printed again becomes an alias.
    """

    width: int
    may_flow: Callable[[Node, Span], bool]
    folds: bool = False
    remarks: Mapping[Place, Remarks] = field(default_factory=dict[Place, Remarks])
    anchors: Mapping[int, str] = field(default_factory=dict[int, str])
    _remarks: dict[Place, Remarks] = field(init=False)
    _named: set[int] = field(init=False, default_factory=set[int])

    def __post_init__(self) -> None:
        """Copy the remarks, which are printed once."""
        self._remarks = dict(self.remarks)

    def lines(self, table: Table, indent: int = 0) -> Iterator[Line]:
        """Yield the lines of a mapping, key by key."""
        for key, value in table.entries:
            head = f"{' ' * indent}{scalar_text(key, in_flow=False)}:"
            yield from self._with_remarks(key, indent, self._value(head, value, key.span))

    def _items(self, sequence: Sequence, indent: int) -> Iterator[Line]:
        for item in sequence.items:
            yield from self._with_remarks(item, indent, self._item(item, indent))

    def _with_remarks(self, entry: Node, indent: int, lines: Iterator[Line]) -> Iterator[Line]:
        """Yield the lines of an entry with its comments; an item and its first key share a place, and one comment."""
        found = [self._remarks.pop(place, NO_REMARKS) for place in _places(entry)]
        behind = [remarks.behind for remarks in found if remarks.behind]
        first = next(lines)
        for comment in (*(text for remarks in found for text in remarks.above), *behind[1:]):
            yield Line(f"{' ' * indent}{comment}" if comment else "", entry.span)
        yield Line(f"{first.text}  {behind[0]}" if behind else first.text, first.span)
        yield from lines
        for comment in (text for remarks in found for text in remarks.below):
            yield Line(f"{' ' * indent}{comment}", entry.span)

    def _value(self, head: str, value: Node, span: Span) -> Iterator[Line]:
        indent = len(head) - len(head.lstrip(" ")) + _STEP
        head, is_alias = self._add_anchor(head, value)
        if is_alias:
            yield Line(head, span)
            return
        inline = self._inline(value, span, self.width - len(head) - 1)
        if inline is not None:
            yield Line(f"{head} {inline}", span)
            return
        yield Line(f"{head} >-" if isinstance(value, Scalar) else head, span)
        yield from self._block(value, indent)

    def _item(self, item: Node, indent: int) -> Iterator[Line]:
        dash, is_alias = self._add_anchor(f"{' ' * indent}-", item)
        inline = "" if is_alias else self._inline(item, item.span, self.width - len(dash) - 1)
        if inline is not None:
            yield Line(f"{dash} {inline}".rstrip(), item.span)
        elif isinstance(item, Scalar) or dash[-1] != "-":
            yield Line(f"{dash} >-" if isinstance(item, Scalar) else dash, item.span)
            yield from self._block(item, indent + _STEP)
        else:
            first, *others = self._block(item, indent + _STEP)
            yield Line(f"{dash} {first.text[indent + _STEP :]}", first.span)
            yield from others

    def _block(self, node: Node, indent: int) -> Iterator[Line]:
        if isinstance(node, Table):
            return self.lines(node, indent)
        if isinstance(node, Sequence):
            return self._items(node, indent)
        texts = wrap(
            str(node.value), max(self.width - indent, 40), break_long_words=False, break_on_hyphens=False
        )
        return iter([Line(f"{' ' * indent}{text}", node.span) for text in texts])

    def _add_anchor(self, head: str, node: Node) -> tuple[str, bool]:
        """Return the text with the anchor or alias of a node behind it, and whether it is an alias."""
        name = self.anchors.get(id(node))
        if name is None:
            return head, False
        is_alias = id(node) in self._named
        self._named.add(id(node))
        return f"{head} {'*' if is_alias else '&'}{name}", is_alias

    def _inline(self, node: Node, span: Span, columns: int) -> str | None:
        """Return a node on one line; None if it is written below its key."""
        if isinstance(node, Scalar):
            text = scalar_text(node, in_flow=False)
            is_text = isinstance(node.value, str) and bool(_FOLDABLE.fullmatch(node.value))
            return None if self.folds and is_text and len(text) > columns else text
        if not members(node):
            return "{}" if isinstance(node, Table) else "[]"
        is_named = any(id(inner) in self.anchors for inner in nodes_in(node) if inner is not node)
        if is_named or not self.may_flow(node, span):
            # flow style has no anchors
            return None
        flow = flow_text(node)
        return flow if len(flow) <= columns else None


def _places(entry: Node) -> Iterator[Place]:
    """Yield the place of a key or item, and those of the items that begin on its line."""
    while True:
        yield entry.span.line, entry.span.column
        if not (isinstance(entry, Sequence) and entry.items):
            return
        entry = entry.items[0]


def flow_text(node: Node) -> str:
    """Return a node in flow style."""
    if isinstance(node, Scalar):
        return scalar_text(node, in_flow=True)
    if isinstance(node, Sequence):
        return f"[{', '.join(map(flow_text, node.items))}]"
    return f"{{{', '.join(f'{scalar_text(key, in_flow=True)}: {flow_text(value)}' for key, value in node.entries)}}}"


def scalar_text(node: Scalar, *, in_flow: bool) -> str:
    """Return a scalar in YAML: bare if it was bare or is prose, and can be bare where it stands."""
    value = node.value
    if not isinstance(value, str):
        # JSON is YAML: null, true, numbers
        return json.dumps(value)
    if (not node.quoted or " " in value) and is_plain(value, in_flow=in_flow):
        return value
    escaped = _UNPRINTABLE.sub(_escaped, json.dumps(value, ensure_ascii=False))
    is_single = "\\" in escaped and value.isprintable() and "'" not in value
    return f"'{value}'" if is_single else escaped


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def is_plain(text: str, *, in_flow: bool) -> bool:
    """Return whether text can be written without quotes, and is read as the same text."""
    if not _FIRST_OF_PLAIN.match(text) or _NOT_PLAIN.search(text) or not text.isprintable():
        return False
    if in_flow and (not _OF_FLOW.isdisjoint(text) or ":" in text):
        return False
    try:
        return parse_word(text) is text
    except BadWordError:
        return False


def members(node: Table | Sequence) -> tuple[Node, ...]:
    """Return the elements of a list, or the values of a mapping."""
    return node.items if isinstance(node, Sequence) else tuple([value for _, value in node.entries])


def nodes_in(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes inside, keys included."""
    yield node
    if isinstance(node, Table):
        for key, value in node.entries:
            yield key
            yield from nodes_in(value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from nodes_in(item)
