"""Functions that write one shape of a node: a part, a tool, a tool choice, a layer, a cache mark ..."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from ...model.wire import Variant, WireModel
from ...spec.shapes import Object, Shape
from ...spec.walks import required_choices
from ..conditions import inverted, lacks, negated
from ..docs import written_doc
from ..field_access import FieldAccess
from ..python import Expression, attribute, call, name
from .keys import Key, complete
from .pre_checks import node_checks
from .reports import (
    Branch,
    ReportCall,
    hollow,
    lost_to_written_form,
    missing_forms,
    missing_values,
    unplaced,
)
from .rows import WriterRow, shape_row
from .shape_fields import (
    SETTINGS,
    asked_options,
    fields_without_key,
    is_named_by_call,
    split_at_plain,
)
from .values import object_of, takes_words, value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Checks before anything is written; the node is left out if one of them reports.

    named_by_call  whether a result takes its required name from the call that it answers
    missing        fields without a value
    checks         rule checks that apply even to a plain node
    vendor         whether the options of this API are checked here
    unfilled       required choices without a form, and nodes without any supported field
    asked          required options of this API without a value
    """

    named_by_call: bool
    missing: tuple[ReportCall, ...]
    checks: tuple[ReportCall, ...]
    vendor: bool
    unfilled: tuple[ReportCall, ...]
    asked: tuple[ReportCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectWriter:
    """The function that writes a shape that is an object.

    value    the display of its required keys
    open     the keys that even a plain node may have
    losses   fields of any node without a place
    plain    whether a plain node is done then
    checks   what shows a rule a node that is not plain
    vendor   whether keys need the options of this API
    keys     the other keys
    forms    where a form of a required choice is written, the values that only later forms could carry
    result   what is returned: the item, with what is left to do for it
    """

    name: str
    variable: str
    node: str
    doc: str
    requirements: Requirements
    value: Expression
    open: tuple[Key, ...]
    losses: tuple[ReportCall, ...]
    plain: bool
    checks: tuple[ReportCall, ...]
    vendor: bool
    keys: tuple[Key, ...]
    forms: tuple[tuple[Branch, ...], ...]
    result: Expression
    macro: ClassVar[str] = "object_writer"

    def plain_guards(self) -> list[Expression] | None:
        """Return the tests under which a plain node is just its required keys; None where no test can ensure that."""
        required = self.requirements
        unknown = (required.named_by_call, required.unfilled, required.asked, self.open, self.losses)
        reports = (*required.missing, *required.checks)
        tests = [report.test for report in reports if report.test is not None]
        if not self.plain or any(unknown) or len(tests) < len(reports):
            return None
        return [inverted(test) for test in tests]


@dataclass(frozen=True, slots=True, kw_only=True)
class BareWriter:
    """The function that writes a shape whose value stands bare, so that no key could join it.

    beside  the report of what stands beside the value
    """

    name: str
    variable: str
    node: str
    doc: str
    requirements: Requirements
    losses: tuple[ReportCall, ...]
    beside: ReportCall
    checks: tuple[ReportCall, ...]
    value: Expression
    macro: ClassVar[str] = "bare_writer"


@dataclass(frozen=True, slots=True)
class ConstantWriter:
    """`write_tool_choice_auto = constant("auto", "name names")`: a shape without holes, written once a request."""

    name: str
    value: Expression
    fields: Expression | None
    macro: ClassVar[str] = "constant_writer"


Writer: TypeAlias = ObjectWriter | BareWriter | ConstantWriter


class ShapeEmitter:
    """Prepares the row and the function of one shape."""

    def __init__(
        self, variant: Variant, access: FieldAccess, elsewhere: frozenset[str], model: WireModel
    ) -> None:
        """`elsewhere` are the fields of the node that others write."""
        self.variant, self.access = variant, access
        self.named_by_call = is_named_by_call(variant)
        if self.named_by_call:
            self.access = replace(access, called=True)
        # the chooser has already checked the discriminating word
        self.needs = [hole for hole in variant.required_fields if not takes_words(hole)]
        self.fields = fields_without_key(variant, elsewhere, told_by_results=model.pairs_by_call)
        # a cache mark has only its fields, so it needs no finishing
        always = variant.kind.name == "cache"
        self.looked_at = [row for row in self.fields if always or row[0] in variant.kind.looked_at]
        self.checks = node_checks(variant, self.access, model)
        self.row = shape_row(
            variant.label.upper(),
            [row for row in self.fields if row not in self.looked_at],
            variant.vendor,
            variant.shape,
            variant.beside,
        )

    def definitions(self) -> list[WriterRow | Writer]:
        """Return the row, where there is one, and the function."""
        shape = self.variant.shape
        if self._is_constant():
            fields = None if self.row is None else self.row.fields
            return [ConstantWriter(self._name, value_of(shape, self.access), fields)]
        writer = self._object(shape) if isinstance(shape, Object) else self._bare(shape)
        return [writer] if self.row is None else [self.row, writer]

    def _is_constant(self) -> bool:
        """Return whether the shape of a node that is written once a request has no holes and nothing to check."""
        variant, row = self.variant, self.row
        if variant.union not in SETTINGS or list(variant.shape.holes) or self.looked_at:
            return False
        checked = self.checks.early or self.checks.late or hollow(variant, self.fields, self.access)
        return not checked and (row is None or not (row.vendor or row.read_only))

    def _object(self, shape: Object) -> ObjectWriter:
        access, requirements = self.access, self._requirements()
        free, gated = split_at_plain(shape, self.variant.kind)
        vendor = any(hole.path[0] == "vendor" and not hole.fixed for hole in shape.written_holes)
        return ObjectWriter(
            name=self._name,
            variable=access.subject,
            node=self.variant.kind.cls,
            doc=written_doc(self.variant),
            requirements=requirements,
            value=object_of(shape, access),
            open=complete(free, name("item"), access),
            losses=unplaced(self.looked_at, access),
            plain=self.variant.kind.plain,
            checks=self.checks.late,
            vendor=vendor and not requirements.vendor,
            keys=complete(gated, name("item"), access),
            forms=lost_to_written_form(shape, access),
            result=self._finished(),
        )

    def _bare(self, shape: Shape) -> BareWriter:
        return BareWriter(
            name=self._name,
            variable=self.access.subject,
            node=self.variant.kind.cls,
            doc=written_doc(self.variant),
            requirements=self._requirements(),
            losses=unplaced(self.looked_at, self.access),
            beside=self._beside(),
            checks=self.checks.late,
            value=value_of(shape, self.access),
        )

    @property
    def _name(self) -> str:
        return f"write_{self.variant.label}"

    def _requirements(self) -> Requirements:
        shape, access = self.variant.shape, self.access
        nothing = hollow(self.variant, self.fields, access)
        asked = self._asked()
        chosen = [hole for choice in required_choices(shape) for hole in choice.written_holes]
        return Requirements(
            named_by_call=self.named_by_call,
            missing=missing_values(self.needs, access),
            checks=self.checks.early,
            vendor=bool(asked) or any(hole.path[0] == "vendor" for hole in chosen),
            unfilled=(*missing_forms(shape, access), *(() if nothing is None else (nothing,))),
            asked=asked,
        )

    def _asked(self) -> tuple[ReportCall, ...]:
        """Reports of options of this API alone that the shape requires, where they are not given."""
        holes = {hole.path[1]: hole for hole in asked_options(self.variant)}
        subject = name(self.access.subject)
        return tuple(
            [
                ReportCall(
                    lacks(option, name("vendor")), call("build.missing", subject, self.access.field(hole))
                )
                for option, hole in holes.items()
            ]
        )

    def _finished(self) -> Expression:
        """Return the item with what is left to do for it: the row, the node's memory, extra JSON."""
        if self.variant.kind.name == "cache":
            return name("item")
        row = () if self.row is None else (name(self.row.name),)
        return call("build.finish", name("item"), name(self.access.subject), *row)

    def _beside(self) -> ReportCall:
        """Build the report for the other fields of a node that is written as one bare value."""
        subject = name(self.access.subject)
        row = () if self.row is None else (name(self.row.name),)
        is_checked = negated(attribute(subject, "is_plain")) if self.variant.kind.plain else None
        return ReportCall(is_checked, call("build.finish_scalar", subject, *row))
