"""The function that writes all tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...model.wire import WireModel
from .displays import PlainTool, plain_tool
from .node import ShapedNode
from .rule_facts import rejected


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


def tools_writer(wire: WireModel, nodes: list[ShapedNode]) -> ToolsWriter:
    """Return the function of one wire; `nodes` are its tools."""
    functions = [node for node in nodes if node.variant.mode == "function" and node.variant.written]
    function = functions[0] if len(functions) == 1 else None
    kinds = [condition for condition in rejected(wire) if condition.path == "tool"]
    counts = [each for each in rejected(wire) if each.path == "tools.count" and each.where is None]
    always = any(each.means("function") for each in kinds) or any(each.limit is None for each in counts)
    limits = dict.fromkeys([(each.operator, each.limit) for each in counts if each.limit is not None])
    return ToolsWriter(
        wire,
        "always" if always else "other" if kinds else "",
        list(limits),
        function,
        None if function is None else plain_tool(function),
    )
