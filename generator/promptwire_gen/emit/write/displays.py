"""Plain nodes whose JSON is one expression, which message loops and `write_tools` place without a call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from ...model.neutral import ROLES
from ...model.wire import Variant, WireModel
from ...spec.patterns import IDENTIFIER, find_letter_run
from ...spec.rule_conditions import Condition
from ...spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape
from ..text_shapes import find_bare_text
from .looks import Look, find_tool_looks
from .node import ShapedNode, make_node
from .rule_facts import find_exempting_fields, list_inspected, list_rejected, make_part_check, split_field

_MOST_USUAL = 64
_LETTERS_OF_IDS = IDENTIFIER | {"-"}


@dataclass(frozen=True, kw_only=True, eq=False)
class PlainNode(ShapedNode):
    """A node with only usual fields; where it holds parts, it holds one plain text, of which `inner` is the shape."""

    inner: Variant | None = None

    def list_usual_keys(self, shape: Object) -> list[KeyShape]:
        """Return the keys of a plain node: the required ones, then those whose value every plain node has."""
        optional = [entry for entry in shape.fields if entry.optional and self._is_there(entry)]
        return [*shape.required, *optional]

    def _is_there(self, entry: KeyShape) -> bool:
        # beside an object of texts and values, `content` holds only other parts
        keyed = self.has_keyed_content and any(
            hole.path == ("content",) and hole.listed for hole in entry.shape.holes
        )
        return not keyed and not entry.shape.written_heads.isdisjoint(self.kind.usual)

    def shows(self, shape: Shape) -> bool:
        """Return whether the JSON of the node is known, whatever a plain node holds."""
        match shape:
            case ConstantShape():
                return True
            case Object():
                keys = self.list_usual_keys(shape)
                return shape.extra_keys is None and all(self.shows(entry.shape) for entry in keys)
            case Alternatives():
                # a fresh build uses the first form unless something else decides
                return self.shows(shape.forms[0])
            case Hole() if shape.path == ("name",) and self.named_by_call and not shape.filters:
                return True
            case Hole() if shape.path[0] in self.kind.usual and shape.guard is None:
                return shape.path != ("content",) or self._shows_text(shape)
            case _:
                return False

    def _shows_text(self, hole: Hole) -> bool:
        """Return whether content that is one plain text is written bare, in a list, or under the key of success."""
        if hole.keyed:
            return True
        return not hole.filters and self.inner is not None and (hole.listed or self.collapses)

    @property
    def inside(self) -> ShapedNode:
        """The text inside the node."""
        assert self.inner is not None
        return replace(make_node(self.inner, self.wire, self.filters), variable=f"{self.variable}.parts[0]")


@dataclass(frozen=True)
class Display:
    """The JSON of a plain part of one shape.

    Attributes:
        usual: Whether it has the usual keys; else only the required ones, behind the tests of its function.
        excuses: Fields of the request of which one must be given, or a rule looks at the part.
        named: The JSON of a result that is plain but for its name, which repeats that of its call: "same", or that of
            `named_node`; empty where there is none.
    """

    node: PlainNode
    usual: bool = True
    excuses: tuple[str, ...] = ()
    named: Literal["", "same", "own"] = ""
    named_node: PlainNode | None = None

    @property
    def guarded(self) -> bool:
        """Return whether something must hold for the part."""
        node = self.node
        return not self.usual and bool(node.needed or node.checks_name or node.early)


def find_displays(nodes: Iterable[ShapedNode]) -> dict[str, Display]:
    """Return label -> the JSON of a plain part; shapes whose functions look at something first have none."""
    found = {node.variant.label: _find_display(node) for node in nodes if node.variant.union == "part"}
    return {label: shown for label, shown in found.items() if shown is not None}


def _find_display(node: ShapedNode) -> Display | None:
    """Return the JSON of a part with usual ids and names, or of a shape that needs little but required keys."""
    return _find_usual_display(node) or (
        Display(_make_plain(node), usual=False) if _needs_little(node) else None
    )


def _needs_little(node: ShapedNode) -> bool:
    """Return whether tests ensure that a plain part is just its required keys."""
    if not isinstance(node.shape, Object) or not node.kind.plain or node.early == "always":
        return False
    unknown = (node.named_by_call, node.asked, node.hollow, node.lost_from_any, node.checks_added)
    return not (any(unknown) or any(node.list_tests(choice) for choice in node.choices) or node.writes_early)


def _make_plain(node: ShapedNode) -> PlainNode:
    """Return the same node as a plain one; the text inside has a shape where such parts are written as they are."""
    bare = find_bare_text(node.wire, node.content_role)
    straight = bare is not None and not any(hole.filters for hole in bare.shape.holes)
    checked = make_part_check(node.content_role, "text", node.wire, nested=True) is not None
    stated: dict[str, Any] = {each.name: getattr(node, each.name) for each in fields(ShapedNode) if each.init}
    return PlainNode(**stated, inner=bare if straight and not checked else None)


def _find_usual_display(node: ShapedNode) -> Display | None:
    """Return the JSON of a plain part with usual values; None if a rule may apply or the choice needs more."""
    if not node.kind.usual or not isinstance(node.shape, Object) or not _carries_all(node):
        return None
    excuses, plain = _find_excuses(node.variant, node.wire), _make_plain(node)
    if excuses is None or not plain.shows(plain.shape):
        return None
    return _add_named(Display(plain, excuses=excuses))


def _add_named(shown: Display) -> Display:
    """Add the JSON of a result with the name of its call: the same where the shape does not write names."""
    node = shown.node
    kind, variant = node.kind, node.variant
    if kind.name != "tool_result" or node.named_by_call:
        return shown
    if not any(hole.path == ("name",) for hole in node.shape.written_holes):
        return replace(shown, named="same")
    named = replace(kind, fields={**kind.fields, "name": replace(kind.fields["name"], usual="name")})
    own = replace(node, kind=named)
    if _find_excuses(replace(variant, kind=named), node.wire) is None or not own.shows(own.shape):
        return shown
    return replace(shown, named="own", named_node=own)


@dataclass(frozen=True)
class PlainTool:
    """A plain function whose JSON is one expression.

    Attributes:
        given: Fields that must have a value.
        looks: For each field, why the rules look at the tools because of it.
    """

    node: PlainNode
    given: list[str]
    looks: list[list[Look]]


def find_plain_tool(node: ShapedNode) -> PlainTool | None:
    """Return the tests of a plain function and its JSON, or None where it is not that simple."""
    kind = node.kind
    looks = find_tool_looks(node.variant, node.wire, complete=True)
    seen = [list(dict.fromkeys(rows or ())) for field, rows in looks.items() if field in kind.looked_at]
    given = [field for field in kind.usual if not kind.fields[field].always]
    plain = replace(_make_plain(node), inner=None)
    if not isinstance(node.shape, Object) or not _carries_all(node) or not plain.shows(node.shape):
        return None
    return PlainTool(plain, given, seen) if given or seen else None


def _carries_all(node: ShapedNode) -> bool:
    """Return whether a shape has a key for every usual field of its kind; if not, its function reports losses."""
    return node.kind.usual.keys() <= node.variant.carried


def _find_excuses(variant: Variant, wire: WireModel) -> tuple[str, ...] | None:
    """Return the request fields of which one must be given before rules apply to a part of this kind, or None."""
    usual = variant.kind.usual
    if wire.tool_names and usual.get("name") == "name" and not takes_usual(wire.tool_names, "name"):
        return None
    excuses: tuple[str, ...] = ()
    for condition in list_inspected(wire):
        kind, field = split_field(condition)
        if condition.path == "part":
            if condition.means(variant.mode):
                exempting = find_exempting_fields(condition, wire)
                if not exempting or excuses not in ((), exempting):
                    return None
                excuses = exempting
            continue
        about = condition.head in ROLES and kind in ("", variant.mode) and field in usual
        if about and not _takes_usual(condition, usual[field]):
            return None
    return excuses


def _takes_usual(condition: Condition, field: str) -> bool:
    """Return whether a condition can never match a usual `id` or `name`."""
    if condition.pattern is not None:
        return takes_usual(condition.pattern, field)
    bound = condition.operand if condition.measures else None
    return isinstance(bound, int) and (bound >= _MOST_USUAL if condition.operator == "len>" else bound <= 1)


def takes_usual(pattern: str, field: str) -> bool:
    """Return whether a pattern matches every usual `id` or `name`."""
    run = find_letter_run(pattern)
    if run is None or not run.letters >= _LETTERS_OF_IDS:
        return False
    if run.first is None:
        return run.least <= 1 and run.most >= _MOST_USUAL
    begins = field == "name" and run.first >= {letter for letter in IDENTIFIER if not letter.isdigit()}
    return begins and run.least == 0 and run.most >= _MOST_USUAL - 1


@dataclass(frozen=True)
class ToolsWriter:
    """The function that writes all tools.

    Attributes:
        kinds: Whether the rules look at the kinds of the tools: always, or of those that are not all functions.
        counts: The operators and numbers that rules compare their number with.
        function: The only shape of a function.
        plain: The tests that a tool is a plain function, and the JSON of one, where it is one expression.
    """

    wire: WireModel
    kinds: Literal["", "always", "other"]
    counts: list[tuple[str, float]]
    function: ShapedNode | None
    plain: PlainTool | None


def make_tools_writer(wire: WireModel, nodes: list[ShapedNode]) -> ToolsWriter:
    """Return the function of one wire; `nodes` are its tools."""
    functions = [node for node in nodes if node.variant.mode == "function" and node.variant.written]
    function = functions[0] if len(functions) == 1 else None
    kinds = [condition for condition in list_rejected(wire) if condition.path == "tool"]
    counts = [each for each in list_rejected(wire) if each.path == "tools.count" and each.where is None]
    always = any(each.means("function") for each in kinds) or any(each.limit is None for each in counts)
    limits = dict.fromkeys([(each.operator, each.limit) for each in counts if each.limit is not None])
    return ToolsWriter(
        wire,
        "always" if always else "other" if kinds else "",
        list(limits),
        function,
        None if function is None else find_plain_tool(function),
    )
