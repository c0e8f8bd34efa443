"""Functions that write tools, tool choice, response format, reasoning, layers and cache marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ...model.neutral import TOOLS
from ...model.wire import Variant, WireModel
from ..field_access import FieldAccess
from ..python import Expression, attribute, call, interpolation, literal, name
from ..python.conditions import all_of, any_of, conditional, equals, has_type, is_given
from .choosers import Choices, Chooser, choices
from .displays import plain_tool
from .pre_checks import tools_checks
from .reports import Report
from .shape_fields import subject_of

# union -> the field that tells its modes apart, and the class
_BY_MODE = {
    "tool_choice": ("mode", "ToolChoice"),
    "response_format": ("kind", "ResponseFormat"),
    "reasoning": ("kind", "ReasoningOptions"),
}
_SINGLE = {"instruction": ("write_layer", "Instruction"), "cache": ("write_cache", "Cache")}


@dataclass(frozen=True, slots=True)
class Mode:
    """The shapes of one mode, and the test whether a node has it."""

    test: Expression
    choices: Choices


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionWriter:
    """The function that writes a node of several modes.

    needs_tools  whether there is none where no tool is sent
    checks       what is looked at before a mode is chosen
    last         what is returned where no mode has a shape
    """

    name: str
    variable: str
    node: str
    doc: str
    needs_tools: bool
    checks: tuple[Report, ...]
    modes: tuple[Mode, ...]
    opaque: bool
    nothing: Expression
    macro: ClassVar[str] = "union_writer"

    @property
    def uses(self) -> frozenset[str]:
        """The functions among which it chooses."""
        return frozenset[str]().union(*[mode.choices.writers for mode in self.modes])


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsWriter:
    """The function that writes all tools.

    checks  what is looked at before
    value   the JSON of one tool, or None
    group_under  the key under which all functions stand in one element, where there is one
    marks   whether a cache mark is an element of its own behind the tool that has it
    """

    checks: tuple[Report, ...]
    value: Expression
    group_under: Expression | None
    marks: bool
    uses: frozenset[str]
    name: str = "write_tools"
    macro: ClassVar[str] = "tools_writer"


UnionDefinition: TypeAlias = Chooser | UnionWriter | ToolsWriter


def union_writers(
    model: WireModel, outer: FieldAccess, accesses: Mapping[str, FieldAccess]
) -> list[UnionDefinition]:
    """All functions that choose among the shapes of the wire's unions.

    `outer` carries filters and imports; `accesses` are those of the shapes, by their labels.
    """
    definitions: list[UnionDefinition] = []
    for union, variants in model.unions.items():
        if not variants:
            continue
        if union in _BY_MODE:
            definitions.append(_by_mode(union, variants, outer))
        elif union in _SINGLE:
            chooser = _single(union, variants, outer)
            if chooser.only is None:
                definitions.append(chooser)
        else:
            definitions += [_tool(variants, outer), _tools(variants, model, outer, accesses)]
    return definitions


def direct_writers(model: WireModel, outer: FieldAccess) -> dict[str, str]:
    """Slot of the writers table -> the function of the only shape, for unions that need no function to choose."""
    choosers = [_single(union, model.unions[union], outer) for union in _SINGLE if model.unions.get(union)]
    return {each.name.removeprefix("write_"): each.only for each in choosers if each.only is not None}


def _place(variant: Variant, outer: FieldAccess) -> FieldAccess:
    return FieldAccess(subject_of(variant.kind), variant.kind, outer.filters, outer.imports)


def _by_mode(union: str, variants: Sequence[Variant], outer: FieldAccess) -> UnionWriter:
    field, cls = _BY_MODE[union]
    access = _place(variants[0], outer)
    outer.imports.use("promptwire_runtime", cls)
    subject = name(access.subject)
    modes: dict[str, list[Variant]] = {}
    for variant in variants:
        modes.setdefault(variant.mode, []).append(variant)
    value = attribute(subject, field)
    why = interpolation(["", " is none that this wire takes"], [value])
    return UnionWriter(
        name=f"write_{union}",
        variable=access.subject,
        node=cls,
        doc=f"Write the {union.replace('_', ' ')}.",
        needs_tools=union == "tool_choice",
        checks=_names_checked(modes, subject) if union == "tool_choice" else (),
        modes=tuple(
            [Mode(equals(value, literal(mode)), choices(shapes, access)) for mode, shapes in modes.items()]
        ),
        opaque=False,
        nothing=call("build.lost", subject, literal(field), why),
    )


def _names_checked(modes: dict[str, list[Variant]], choice: Expression) -> tuple[Report, ...]:
    """A choice that names tools names tools of the request."""
    if not modes.keys() & {"named", "custom", "several"}:
        return ()
    test = any_of([is_given(attribute(choice, "name")), is_given(attribute(choice, "names"))])
    return (Report(test, call("build.check_choice", choice)),)


def _single(union: str, variants: Sequence[Variant], outer: FieldAccess) -> Chooser:
    function, cls = _SINGLE[union]
    outer.imports.use("promptwire_runtime", cls)
    return Chooser(
        name=function,
        node=cls,
        doc=f"Write one {union}.",
        choices=choices(variants, _place(variants[0], outer)),
        nothing=None,
    )


def _tool(tools: Sequence[Variant], outer: FieldAccess) -> UnionWriter:
    outer.imports.use("promptwire_runtime", "AnyTool", "Opaque")
    tool = name("tool")
    modes: list[Mode] = []
    for mode, kind in TOOLS.items():
        variants = [variant for variant in tools if variant.mode == mode]
        if variants:
            outer.imports.use("promptwire_runtime", kind.cls)
            shapes = choices(variants, _place(variants[0], outer))
            modes.append(Mode(has_type(tool, kind.cls), shapes))
    return UnionWriter(
        name="write_tool",
        variable="tool",
        node="AnyTool",
        doc="Write one tool.",
        needs_tools=False,
        checks=(),
        modes=tuple(modes),
        opaque=True,
        nothing=call("build.lost_tool", tool),
    )


def _tools(
    tools: Sequence[Variant], model: WireModel, outer: FieldAccess, accesses: Mapping[str, FieldAccess]
) -> ToolsWriter:
    names = model.tool_names or model.unique_names
    checked = (Report(None, call("build.check_names", name("tools"))),) if names else ()
    value, writer = _one_tool(tools, model, accesses)
    outer.imports.use("promptwire_runtime", "AnyTool", "Tool", *(["Opaque"] if model.marks_cache else []))
    return ToolsWriter(
        checks=(*tools_checks(model), *checked),
        value=value,
        group_under=literal(model.group_under[0]) if model.group_under else None,
        marks=model.marks_cache,
        uses=frozenset({"write_tool", writer}),
    )


def _any_tool() -> Expression:
    return call("write_tool", name("tool"), name("build"))


def _one_tool(
    tools: Sequence[Variant], model: WireModel, accesses: Mapping[str, FieldAccess]
) -> tuple[Expression, str]:
    """The JSON of one tool, straight from its shape for a plain function; and the function that it calls for that."""
    functions = [variant for variant in tools if variant.mode == "function" and variant.written]
    if len(functions) != 1:
        return _any_tool(), "write_tool"
    tool, access = name("tool"), accesses[functions[0].label]
    plain = [has_type(tool, "Tool"), attribute(tool, "plain")]
    display = plain_tool(functions[0], access, model)
    if display is not None:
        test, value = display
        return _conditional([*plain, test], value), "write_tool"
    writer = f"write_{functions[0].label}"
    return _conditional(plain, call(writer, tool, name("build"))), writer


def _conditional(tests: Sequence[Expression], value: Expression) -> Expression:
    test = all_of(tests)
    assert test is not None
    return conditional(test, value, _any_tool())
