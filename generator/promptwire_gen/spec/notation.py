"""Parse the notation of shapes: YAML nodes into a syntax tree. The meaning of holes is decided later."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..problems import Span, SpecProblem, quote
from .nodes import Node, Path, Scalar, Sequence, Table, describe_place, locate, locate_piece, span_at
from .shapes import (
    Alternatives,
    ConstantShape,
    Hole,
    HoleFilter,
    Interpolation,
    KeyShape,
    Listing,
    Object,
    Shape,
    Tolerated,
)

# the path of an invalid hole, so that parsing continues
UNPARSED = ("?",)
_HOLE = re.compile(
    r"(?P<path>[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*)(?P<listed>\[\])?"
    r"(?P<filters>(?:\|[a-z_]+(?:\([^()|]*\))?)*)(?:\((?P<guard>[^()]*)\))?"
)
_FILTER = re.compile(r"\|([a-z_]+)(?:\(([^()|]*)\))?")
_INSIDE = re.compile(r"\$\{([^{}]*)\}")
_PATH = re.compile(r"[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?")
_WORD = re.compile(r"[A-Za-z0-9_.:-]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")


_NO_TREE = Table((), Span("", 1, 1, 1))


@dataclass(slots=True)
class Notation:
    """Parses the shapes of one spec and collects problems.

    Attributes:
        snake_aliases: Whether keys have their snake_case spelling as an alias.
        tree: The nodes of the spec, in which problems are located.
    """

    snake_aliases: bool = False
    tree: Table = _NO_TREE
    problems: list[SpecProblem] = field(default_factory=list[SpecProblem])

    def report(
        self,
        place: Span | Path,
        rule: str,
        message: str,
        hint: str | None = None,
        *,
        at_key: bool = False,
        piece: tuple[int, int] | None = None,
    ) -> None:
        """Add a problem at a place, or at the value, key or piece of text at a path of the spec."""
        span = place if isinstance(place, Span) else locate(self.tree, place, at_key=at_key, piece=piece)
        self.problems.append(SpecProblem(span, rule, message, hint))

    def find_file(self, path: Path) -> str:
        """Return the file that has the key at a path: the spec's own, or that of a spec that it extends."""
        return span_at(self.tree, path, key=True).file

    def parse_shape(self, node: Node) -> Shape:
        """Parse any shape."""
        if isinstance(node, Table):
            return self._parse_mapping(node)
        if isinstance(node, Sequence):
            return Listing(tuple([self.parse_written(element) for element in node.items]), node.span)
        return self.parse_value(node)

    def parse_written(self, node: Node) -> Shape:
        """Parse a shape that a build must be able to write: a whole part, or an element of a list."""
        shape = self.parse_shape(node)
        if _is_only_read(shape):
            message = "what is only read is the value of an optional key"
            hint = f"write {quote(f'key?: {show_node(node)}')}, or leave out the ="
            self.report(node.span, "bad-constant", message, hint)
            return ConstantShape(None, node.span)
        return shape

    def parse_value(self, node: Scalar) -> Shape:
        """Parse a scalar: a hole, text with holes, tolerated constants, or a constant."""
        text = node.value
        if not isinstance(text, str):
            return ConstantShape(text, node.span)
        if text.startswith("$$"):
            return ConstantShape(text[1:], node.span)
        if text.startswith("=$"):
            return self._parse_hole(text[2:], node.span, read_only=True)
        if text.startswith("=") and len(text) > 1:
            words = tuple([_parse_constant(word) for word in text[1:].split("|")])
            return Tolerated(words, node.span)
        if "${" in text:
            return self._parse_text(text, node)
        if text.startswith("$"):
            return self._parse_hole(text[1:], node.span)
        return ConstantShape(text, node.span)

    def _parse_hole(self, text: str, span: Span, *, read_only: bool = False) -> Hole:
        match = _HOLE.fullmatch(text)
        if match is None:
            self.report(
                span,
                "bad-hole",
                f"{quote('$' + text)} is not a hole",
                "write $name, $name[], $name|filter or $name(guard)",
            )
            return Hole(UNPARSED, span)
        filters = tuple(
            [
                HoleFilter(name, tuple(a.strip() for a in arguments.split(",")) if arguments else ())
                for name, arguments in _FILTER.findall(match["filters"])
            ]
        )
        guard = match["guard"]
        # a parenthesis belongs to the filter before it: `$type|word(a,b)` has no guard, `$type(a*)` has one
        return Hole(
            tuple(match["path"].split(".")), span, match["listed"] is not None, filters, guard, read_only
        )

    def _parse_text(self, text: str, node: Scalar) -> Interpolation | ConstantShape:
        pieces = _INSIDE.split(text)
        texts, insides = pieces[::2], pieces[1::2]
        if any("${" in piece for piece in texts) or any(not inside for inside in insides):
            self.report(node.span, "bad-hole", f"{quote(text)} has an unfinished hole", "write ${name}")
            return ConstantShape(text, node.span)
        if not all(texts[1:-1]):
            message = f"{quote(text)} has two holes with nothing between them"
            self.report(
                node.span, "bad-hole", message, "put text between them: nothing tells where the first ends"
            )
        holes = [
            self._parse_hole(match[1], locate_piece(node, match.span())) for match in _INSIDE.finditer(text)
        ]
        return Interpolation(tuple(texts), tuple(holes), node.span)

    def _parse_mapping(self, table: Table) -> Shape:
        keys = [key.value for key, _ in table.entries]
        if keys == ["or"]:
            forms = table.entries[0][1]
            if not isinstance(forms, Sequence) or len(forms.items) < 2:
                message = '"or" takes a list of at least two forms'
                self.report(forms.span, "wrong-type", message, "write or: [first, second]")
                return ConstantShape(None, table.span)
            shapes = tuple([self.parse_shape(form) for form in forms.items])
            if all(_is_only_read(shape) for shape in shapes):
                self.report(
                    forms.span, "bad-constant", "one of the forms must be written", "leave out the = of one"
                )
                return ConstantShape(None, table.span)
            return Alternatives(shapes, table.span)
        return self.parse_object(table)

    def parse_object(self, table: Table, *, spreads: bool = False) -> Object:
        """Parse an object; with `spreads`, "..." may list several holes."""
        fields: list[KeyShape] = []
        rests: list[Hole] = []
        fixed: tuple[Hole, ...] = ()
        spelled: dict[str, Span] = {}
        for key, node in table.entries:
            if key.value == "...":
                listed = node.items if spreads and isinstance(node, Sequence) and node.items else (node,)
                rests = [rest for item in listed if (rest := self._parse_rest(item)) is not None]
                continue
            if key.value == "=":
                fixed = self._parse_fixed(node)
                continue
            parsed = self._parse_key(key, node)
            if parsed is None:
                continue
            for name in parsed.spellings:
                if name in spelled:
                    self._report_twice(name, spelled[name], key.span, table.span.file)
                spelled[name] = key.span
            fields.append(parsed)
        return Object(tuple(fields), rests[0] if rests else None, table.span, fixed, tuple(rests[1:]))

    def _report_twice(self, name: str, first: Span, second: Span, file: str) -> None:
        """Report a name that two keys of the compiled spec share; a parent's keys may be spelt twice."""
        if first.file == file != second.file:
            first, second = second, first
        word = "first" if first.file == second.file else "also"
        message = f"{quote(name)} is spelled twice in this object"
        self.report(second, "duplicate-key", message, f"{word} at {describe_place(first, second)}")

    def _parse_fixed(self, node: Node) -> tuple[Hole, ...]:
        """Parse the fields that a shape fixes: name -> text."""
        holes: list[Hole] = []
        for key, value in node.entries if isinstance(node, Table) else ():
            text = value.value if isinstance(value, Scalar) else None
            if _PATH.fullmatch(str(key.value)) and isinstance(text, str) and _WORD.fullmatch(text):
                holes.append(Hole(tuple(str(key.value).split(".")), key.span, guard=text, fixed=True))
        if not isinstance(node, Table) or len(holes) < len(node.entries) or not holes:
            self.report(
                node.span, "bad-fixed", '"=" takes fields with one word each', "write =: {change: addition}"
            )
        return tuple(holes)

    def _parse_rest(self, node: Node) -> Hole | None:
        shape = self.parse_shape(node)
        if isinstance(shape, Hole) and not shape.filters and shape.guard is None:
            return shape
        message = '"..." takes one plain hole'
        message += ", except at the top of answer.body and answer.candidate" * isinstance(node, Sequence)
        self.report(node.span, "bad-rest", message, "write ...: $vendor.name")
        return None

    def _parse_key(self, key: Scalar, node: Node) -> KeyShape | None:
        text = str(key.value)
        optional = text.endswith("?")
        names = text.removesuffix("?").split("|")
        bad = [name for name in names if not _NAME.fullmatch(name)]
        if bad:
            self.report(key.span, "bad-key", f"{quote(text)} is not a key", "write name, name? or new|old?")
            return None
        shape = self.parse_shape(node)
        if isinstance(shape, Tolerated) and not optional:
            self.report(
                node.span, "bad-constant", "tolerated constants stand on an optional key", f'write "{text}?"'
            )
        if isinstance(shape, Hole) and shape.read_only and not optional:
            self.report(
                node.span,
                "bad-hole",
                "a hole that is only read stands on an optional key",
                f'write "{text}?"',
            )
        key_name, *aliases = self.list_spellings(*names)
        return KeyShape(key_name, tuple(aliases), optional, shape, key.span)

    def list_spellings(self, *names: str) -> tuple[str, ...]:
        """Return the spellings of a key: those in the spec, and with `snake_aliases` each in snake_case."""
        snakes = map(snake_case, names) if self.snake_aliases else ()
        return tuple(dict.fromkeys((*names, *snakes)))


def _is_only_read(shape: Shape) -> bool:
    return isinstance(shape, Tolerated) or (isinstance(shape, Hole) and shape.read_only)


def show_node(node: Node) -> str:
    """Return the text of a scalar, for messages."""
    return str(node.value) if isinstance(node, Scalar) else "..."


def snake_case(name: str) -> str:
    """Convert a camelCase key to snake_case."""
    return "".join("_" + c.lower() if c.isupper() and index else c.lower() for index, c in enumerate(name))


def _parse_constant(text: str) -> str | int | float | bool | None:
    return {"true": True, "false": False, "null": None}.get(text, text)
