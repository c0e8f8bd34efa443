"""Functions that write tools, tool choice, response format, reasoning, layers and cache marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from ...model.neutral import TOOLS
from ...model.wire import Variant, WireModel
from ..conditions import both, conditional, has_type
from ..field_access import FieldAccess
from ..python import Expression, attribute, call, interpolation, literal, name
from ..text_shapes import with_article
from .choosers import Chooser, chooser
from .displays import plain_tool
from .pre_checks import tools_checks
from .reports import ReportCall
from .shape_fields import subject_of

# union -> its mode field
_BY_MODE = {"tool_choice": "mode", "response_format": "kind", "reasoning": "kind"}
_SINGLE = {"instruction": "write_layer", "cache": "write_cache"}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionWriter:
    """`write_tool_choice = by_mode({"auto": write_tool_choice_auto, ...}, named=True)`.

    Attributes:
        function: The function of the runtime: `by_word`, `by_mode` or `by_class`.
        field: The field whose word tells the modes apart, where the function takes one.
        modes: A mode, or a class, as code -> the function that writes nodes of it.
        named: Whether the names of a tool choice are checked.
    """

    name: str
    function: str
    field: str = ""
    modes: tuple[tuple[Expression, str], ...] = ()
    named: bool = False
    macro: ClassVar[str] = "union_writer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsWriter:
    """The function that writes all tools.

    checks  what is looked at before
    plain   the test that a tool is a plain function, and the JSON of one, where there are such functions
    value   the JSON of any tool, or None
    group_under  the key under which all functions stand in one element, where there is one
    marks   whether a cache mark is an element of its own behind the tool that has it
    """

    checks: tuple[ReportCall, ...]
    plain: tuple[Expression, Expression] | None
    value: Expression
    group_under: Expression | None
    marks: bool
    name: str = "write_tools"
    macro: ClassVar[str] = "tools_writer"


UnionDefinition: TypeAlias = Chooser | UnionWriter | ToolsWriter


def union_writers(
    model: WireModel, outer: FieldAccess, accesses: Mapping[str, FieldAccess]
) -> list[UnionDefinition]:
    """Return all functions that choose among the shapes of the wire's unions.

    `outer` carries filters; `accesses` are those of the shapes, by their labels.
    """
    definitions: list[UnionDefinition] = []
    for union, variants in model.unions.items():
        if not variants:
            continue
        if union in _BY_MODE:
            definitions += _by_mode(union, variants, outer)
        elif union in _SINGLE:
            single = _single(union, variants, outer)
            definitions += [single] if single.only is None else []
        else:
            definitions += [*_tool(variants, outer), _tools(variants, model, accesses)]
    return definitions


def direct_writers(model: WireModel, outer: FieldAccess) -> dict[str, str]:
    """Slot of the writers table -> the function of the only shape, for unions that need no function to choose."""
    choosers = [_single(union, model.unions[union], outer) for union in _SINGLE if model.unions.get(union)]
    return {each.name.removeprefix("write_"): each.only for each in choosers if each.only is not None}


def _place(variant: Variant, outer: FieldAccess) -> FieldAccess:
    return FieldAccess(subject_of(variant.kind), variant.kind, outer.filters)


def _by_mode(union: str, variants: Sequence[Variant], outer: FieldAccess) -> list[Chooser | UnionWriter]:
    field = _BY_MODE[union]
    modes: dict[str, list[Variant]] = {}
    for variant in variants:
        modes.setdefault(variant.mode, []).append(variant)
    subject = name(_place(variants[0], outer).subject)
    value = attribute(subject, field)
    why = interpolation(["", " is not supported by this API"], [value])
    nothing = call("build.lost", subject, literal(field), why)
    rows = [(literal(mode), f"{union}_{mode}", shapes) for mode, shapes in modes.items()]
    named = union == "tool_choice" and bool(modes.keys() & {"named", "custom", "several"})
    table = UnionWriter(name="write_tool_choice", function="by_mode", named=named)
    if union != "tool_choice":
        table = UnionWriter(name=f"write_{union}", function="by_word", field=field)
    return _by_key(table, rows, nothing, outer)


def _by_key(
    table: UnionWriter,
    rows: Sequence[tuple[Expression, str, Sequence[Variant]]],
    nothing: Expression,
    outer: FieldAccess,
) -> list[Chooser | UnionWriter]:
    """Return the table of a union, behind the functions for modes of several shapes."""
    choosers: list[Chooser] = []
    modes: list[tuple[Expression, str]] = []
    for key, label, shapes in rows:
        doc = f"Write {with_article(label.replace('_', ' '))} by the shape that takes it."
        made = chooser(f"write_any_{label}", shapes, _place(shapes[0], outer), doc, nothing)
        choosers += [made] if made.only is None else []
        modes.append((key, made.only or made.name))
    return [*choosers, replace(table, modes=tuple(modes))]


def _single(union: str, variants: Sequence[Variant], outer: FieldAccess) -> Chooser:
    return chooser(_SINGLE[union], variants, _place(variants[0], outer), f"Write one {union}.", None)


def _tool(tools: Sequence[Variant], outer: FieldAccess) -> list[Chooser | UnionWriter]:
    rows: list[tuple[Expression, str, Sequence[Variant]]] = []
    for mode, kind in TOOLS.items():
        variants = [variant for variant in tools if variant.mode == mode]
        if variants:
            rows.append((name(kind.cls), f"{mode}_tool", variants))
    table = UnionWriter(name="write_tool", function="by_class")
    return _by_key(table, rows, call("build.lost_tool", name("tool")), outer)


def _tools(tools: Sequence[Variant], model: WireModel, accesses: Mapping[str, FieldAccess]) -> ToolsWriter:
    checked = ReportCall(None, call("build.check_names", name("tools")))
    plain, value = _one_tool(tools, model, accesses)
    return ToolsWriter(
        checks=(*tools_checks(model), *([checked] if plain is None else [])),
        plain=plain,
        value=value,
        group_under=literal(model.group_under[0]) if model.group_under else None,
        marks=model.marks_cache,
    )


def _any_tool() -> Expression:
    return call("write_tool", name("tool"), name("build"))


def _one_tool(
    tools: Sequence[Variant], model: WireModel, accesses: Mapping[str, FieldAccess]
) -> tuple[tuple[Expression, Expression] | None, Expression]:
    """Return the test for a plain function and its JSON, and the JSON of any tool."""
    functions = [variant for variant in tools if variant.mode == "function" and variant.written]
    if len(functions) != 1:
        return None, _any_tool()
    tool, access = name("tool"), accesses[functions[0].label]
    is_plain = both(has_type(tool, "Tool"), attribute(tool, "is_plain"))
    display = plain_tool(functions[0], access, model)
    if display is None:
        writer = f"write_{functions[0].label}"
        return None, conditional(is_plain, call(writer, tool, name("build")), _any_tool())
    test, value = display
    other = conditional(call("is_plain_tool", tool), value, _any_tool())
    return (both(is_plain, test), value), other
