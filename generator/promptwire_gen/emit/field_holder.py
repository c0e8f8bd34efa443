"""Queries of the writing templates about a request or a node.

They return the field behind a hole, the tests that a shape needs, and the values that a form of a key loses. Results
are data; the Python is in `templates/writing/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from ..model.neutral import BY_MODEL, MESSAGE, TOOLS, Kind, NeutralField, find_field
from ..model.offers import ShapeFilter
from ..model.vocabulary import find_required_choices
from ..model.wire import Variant, WireModel
from ..spec.shapes import Alternatives, Hole, KeyShape, Listing, Object, Shape, Tolerated
from .imports import get_function_name

# the settings of a request that are nodes
SETTINGS = ("tool_choice", "response_format", "reasoning")
# why a value that has a place is not written
ANOTHER = "another form of the same key is written"
_JSON = NeutralField("json")
_VARIABLES = {
    "layer": "layer",
    "tool_choice": "choice",
    "response_format": "form",
    "reasoning": "thinking",
    "cache": "cache",
    **dict.fromkeys(TOOLS, "tool"),
}


@dataclass(frozen=True)
class Test:
    """One test of a node.

    Attributes:
        how: `given` tests that the hole has a value, `fits` that the value fits the hole's guard, and `some` that all
            tests of one of the groups hold. `type`, `read_as` and `source` compare the word with the type of the node,
            with the shape that it was read as, and with its source.
    """

    how: Literal["given", "fits", "some", "type", "read_as", "source"]
    hole: Hole | None = None
    word: str = ""
    groups: tuple[tuple[Test, ...], ...] = ()


# values that are not written, each with the reason; empty if the loss changes nothing for the model
Losses: TypeAlias = list[tuple[Hole, str]]


@dataclass(frozen=True, eq=False)
class FieldHolder:
    """The request, or a node whose shape is not chosen.

    Attributes:
        variable: The variable that holds it in the generated code.
        kind: The kind of the node; None for the request.
        element: The hole whose values the enclosing list is repeated for.
        named_by_call: Whether a result takes its required name from the call that it answers.
        text: The expression for the text of the node, if it is not a field.
    """

    wire: WireModel
    filters: Mapping[str, ShapeFilter]
    variable: str = "request"
    kind: Kind | None = None
    element: Hole | None = None
    named_by_call: bool = False
    text: str = ""

    @property
    def report(self) -> str:
        """The function of the build context that reports a missing value."""
        return "incomplete" if self.kind is not None and self.kind.name in BY_MODEL else "missing"

    def enter_list(self, element: Hole) -> FieldHolder:
        """Return the same subject inside a list that is repeated for the values of a hole."""
        return replace(self, element=element)

    @property
    def has_keyed_content(self) -> bool:
        """Return whether the content of the node is written as an object and its media under another key."""
        return False

    @property
    def dialect(self) -> str:
        """The dialect of JSON Schema in which the parameters of the node are written."""
        return ""

    @property
    def content_role(self) -> str:
        """Return the role or kind of part whose shapes the parts inside the node have."""
        return "tool"

    # ---- holes

    def get_field(self, hole: Hole) -> NeutralField:
        """Return the neutral field of a hole."""
        return find_field(hole.path, self.kind) or _JSON

    def get_type(self, hole: Hole) -> str:
        """Return the neutral type of a hole."""
        return self.get_field(hole).type

    def is_always_given(self, hole: Hole) -> bool:
        """Return whether every node of this kind has the field; a list may be empty, so it is tested."""
        if self.kind is None or hole.own:
            return False
        return self.get_field(hole).always and self.get_type(hole) not in ("parts", "tools")

    def is_list(self, hole: Hole) -> bool:
        """Return whether a field is a list, which may be empty and is never None."""
        if self.kind is None:
            return hole.path in (("tools",), ("messages",), ("instructions",))
        return not hole.own and self.get_field(hole).always and self.get_type(hole) in ("parts", "tools")

    def holds_parts(self, hole: Hole) -> bool:
        """Return whether a hole is the parts inside a part, as a list or a text."""
        return self.get_type(hole) == "parts" and not hole.keyed

    def is_setting(self, hole: Hole) -> bool:
        """Return whether a hole is a node with a mode."""
        return self.get_type(hole) in SETTINGS

    def may_be_nothing(self, hole: Hole) -> bool:
        """Return whether a hole is a node, or a list of nodes, whose writer may return None on this wire."""
        kind = self.get_type(hole)
        if kind in SETTINGS:
            return not hole.filters
        return kind == "tools" or (kind == "parts" and hole.listed and not hole.filters)

    def list_converters(self, hole: Hole) -> list[tuple[str, tuple[str, ...], bool]]:
        """Return the functions of the filters of a hole: name, arguments, and whether it may report."""
        rows = [(self.filters[used.name], used.arguments) for used in hole.filters]
        return [
            (get_function_name(row.writes), arguments, row.reports)
            for row, arguments in rows
            if row.writes is not None
        ]

    def list_readers(self, hole: Hole) -> list[tuple[str, tuple[str, ...], bool]]:
        """Return the functions that read the filters of a hole, the last filter's last.

        Each with its arguments, and whether its JSON is first converted to the type of the field.
        """
        kind = self.get_type(hole)
        # a list of strings is not a string
        other = {"str": "strings", "strings": "str"}.get(kind)
        rows = [(self.filters[used.name], used.arguments) for used in hole.filters]
        return [
            (get_function_name(row.reads), arguments, other in row.takes)
            for row, arguments in rows
            if row.reads is not None
        ]

    def holds_arguments(self, shape: Shape) -> bool:
        """Return whether a shape is the arguments of a call as an object, which reading takes from any object."""
        return isinstance(shape, Hole) and not shape.filters and self.get_type(shape) == "arguments"

    def find_repeating_hole(self, listing: Listing) -> Hole | None:
        """Return the hole for each of whose values a list is repeated."""
        holes = [hole for hole in listing.written_holes if hole.listed and self.get_type(hole) == "strings"]
        return holes[0] if holes else None

    # ---- tests

    def list_tests(self, shape: Shape, source: str | None = None) -> list[Test]:
        """Return the tests that a node has all values that a shape requires, except its source.

        Values that every node has are not tested.
        """
        found: list[Test] = []
        paths: set[tuple[str, ...]] = set()
        for hole in shape.required_holes:
            known = hole.path in paths or hole.path == (source,) or self.is_always_given(hole)
            if not known and not hole.takes_words:
                paths.add(hole.path)
                found.append(Test("given", hole))
            if hole.guard is not None:
                found.append(Test("fits", hole))
        for choice in find_required_choices(shape):
            groups = [
                tuple(self.list_tests(form)) for form in choice.forms if not isinstance(form, Tolerated)
            ]
            if groups and all(groups):
                unique = list({strip_positions(group): group for group in groups}.values())
                found += unique[0] if len(unique) == 1 else [Test("some", groups=tuple(unique))]
        return found

    def list_forms(self, choice: Alternatives) -> list[tuple[Shape, list[Test]]]:
        """Return the forms of a choice in order, each with its tests, up to one that needs no test."""
        rows = [(form, self.list_tests(form)) for form in choice.forms if not isinstance(form, Tolerated)]
        for index, (form, needs) in enumerate(rows):
            # some form is filled, so if the remaining ones share their tests, the first of them applies
            if not needs or len({strip_positions(tuple(later)) for _, later in rows[index:]}) == 1:
                return [*rows[:index], (form, [])]
        raise AssertionError("the last form ends the loop")

    def list_fitting_tests(self, variant: Variant) -> list[Test]:
        """Return the tests that a shape can write a node: of its type, if the shape names one, and of its holes."""
        named = [] if variant.named is None else [Test("type", word=variant.named)]
        return named + self.list_tests(variant.shape, variant.source_key)

    # ---- losses

    def list_branches(self, choice: Alternatives) -> Iterator[tuple[Shape, list[Test], Losses]]:
        """Yield the forms of an optional key in order, each with its tests and the values that only others carry."""
        shapes = [form for form in choice.forms if form.written_holes]
        for index, form in enumerate(shapes):
            own = {hole.path for hole in form.written_holes}
            # an earlier form with one unrestricted hole must be empty here
            rest = [other for other in shapes[:index] if not _takes_any(other)] + shapes[index + 1 :]
            others = {
                hole.path: hole for other in rest for hole in other.written_holes if hole.path not in own
            }
            needs = self.list_tests(form)
            yield form, needs, [(hole, self.explain_loss(hole)) for hole in others.values()]
            if not needs:
                return

    def find_losses_to_forms(self, shape: Shape) -> Iterator[list[tuple[list[Test], Losses]]]:
        """Yield, for each required choice, the forms with their tests and the values that only a later form carries."""
        always = {hole.path for hole in shape.required_holes}
        for choice in find_required_choices(shape):
            forms = [form for form in choice.forms if form.written_holes] if choice.differs else []
            rows: list[tuple[list[Test], Losses]] = []
            for index, form in enumerate(forms[:-1]):
                paths = always | {hole.path for hole in form.written_holes}
                later = [hole for other in forms[index + 1 :] for hole in other.written_holes]
                others = {hole.path: hole for hole in later if hole.path not in paths}
                losses = [
                    (hole, self.explain_loss(hole))
                    for hole in others.values()
                    if not self.is_always_given(hole)
                ]
                if (needs := self.list_tests(form)) and losses:
                    rows.append((needs, losses))
            if rows:
                yield rows

    def explain_loss(self, hole: Hole) -> str:
        """Return why a value of another form is lost; empty if the loss changes nothing for the model."""
        field = self.kind.fields.get(hole.path[0]) if self.kind is not None else None
        return "" if field is not None and field.advisory else ANOTHER

    def find_unfilled(self, shape: Shape) -> Losses:
        """Return the values that are lost if an optional key lacks a required value, each with the reason."""
        holes = {hole.path: hole for hole in shape.written_holes if not self.is_always_given(hole)}
        if len(holes) < 2:
            guarded = {each.path: each for each in shape.written_holes if each.guard and not each.fixed}
            return [
                (each, f"it must match {', '.join(str(each.guard).split('|'))} for this API")
                for each in guarded.values()
            ]
        names = " and ".join(
            dict.fromkeys([hole.name for hole in shape.required_holes if not self.is_always_given(hole)])
        )
        why = f"it is written together with {names}" if names else "no form of its key takes it as it is"
        return [(hole, why) for path, hole in holes.items() if path not in _find_sufficient(shape)]


def name_variable(kind: Kind) -> str:
    """Return the variable that holds a node in its functions."""
    return "message" if kind is MESSAGE else _VARIABLES.get(kind.name, "part")


def strip_positions(group: tuple[Test, ...]) -> Any:
    """Return a group of tests without the positions of its holes in the spec, so that equal tests compare equal."""
    return tuple(
        [
            (
                each.how,
                each.word,
                each.hole and (each.hole.path, each.hole.guard),
                *map(strip_positions, each.groups),
            )
            for each in group
        ]
    )


def group_keys(keys: Iterable[KeyShape]) -> Iterator[KeyShape | list[str]]:
    """Yield the keys of an object that are written after its literal; adjacent copied options form one list."""
    names: list[str] = []
    for entry in keys:
        if entry.optional and entry.copied:
            names.append(entry.key)
        elif _is_written_later(entry):
            if names:
                yield names
            names = []
            yield entry
    if names:
        yield names


def _is_written_later(entry: KeyShape) -> bool:
    """Return whether a key is written after the literal: it is optional, or holds such a key."""
    if entry.optional:
        return bool(entry.shape.written_holes)
    shape = entry.shape
    return isinstance(shape, Object) and (
        shape.extra_keys is not None or any(map(_is_written_later, shape.fields))
    )


def _takes_any(form: Shape) -> bool:
    """Return whether a form is written whenever its one value is given."""
    holes = form.written_holes
    return len(holes) == 1 and holes[0].guard is None


def _find_sufficient(shape: Shape) -> set[tuple[str, ...]]:
    """Return the values each of which suffices for some form of a shape."""
    paths: set[tuple[str, ...]] = set()
    for form in shape.forms if isinstance(shape, Alternatives) else ():
        needs = {hole.path for hole in form.required_holes}
        guarded = any(hole.guard is not None for hole in form.required_holes)
        if len(needs) == 1 and not guarded and not list(find_required_choices(form)):
            paths |= needs
    return paths
