"""Names of tools and calls: those that an API refuses, and choices of a tool that is not there."""

from __future__ import annotations

from operator import attrgetter

from ..predicates.words import is_unlike
from ..reporting.spec_words import kind_of
from ..rules.tool_values import added_tools
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.options import ToolChoice
    from ..reporting.report import Report

_MOST_NAMES = 4096
_NAME = attrgetter("name")


def check_choice(choice: ToolChoice, report: Report) -> None:
    """Refuse the choice of a tool that the request does not have, where it has tools at all."""
    tools = [member for tool in report.request.tools or () for member in (tool, *getattr(tool, "tools", ()))]
    names = {getattr(tool, "name", None) for tool in tools}
    if not tools or not all(isinstance(name, str) for name in names):
        return
    wanted = [name for name in choice.names or (choice.name,) if name is not None]
    if not names.issuperset(wanted):
        names |= {getattr(tool, "name", None) for tool in added_tools(report.request)}
    for name in wanted:
        if name not in names:
            report.refused("tool_choice.name", name, "no tool of the request has this name", choice)


def check_names(tools: tuple[Any, ...], report: Report) -> None:
    """Refuse names of tools that do not match the wire's pattern and, where it says so, names given twice."""
    wire = report.wire
    try:
        names = set(map(_NAME, tools))
        if names <= wire.known_names and len(names) == len(tools):
            wire.fine_tools[:] = [tools]
            return
    except (AttributeError, TypeError):
        pass  # the JSON of this wire has no name of ours
    seen: set[str] = set()
    for tool in tools:
        name = getattr(tool, "name", None)
        if isinstance(name, str):
            check_name(tool, report)
            if name in seen and wire.unique_names:
                report.refused("tools.name", name, f"{wire.title} takes each name once", tool)
            seen.add(name)


def check_name(node: Any, report: Report) -> None:
    """Refuse the name of a tool or call that does not match the wire's pattern; those that do are remembered."""
    known, pattern = report.wire.known_names, report.wire.names
    if not isinstance(node.name, str) or not pattern or node.name in known:
        return
    if not is_unlike(node.name, pattern):
        if len(known) >= _MOST_NAMES:
            known.clear()
        known.add(node.name)
    else:
        report.refused(
            f"{kind_of(node)}.name",
            node.name,
            f"names of tools match {pattern} at {report.wire.title}",
            node,
        )
