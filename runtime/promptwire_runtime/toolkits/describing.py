"""The tool that stands for a toolkit, and what its description says."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.tools import Tool
from .config import CollapsingConfig
from .toolkit import Toolkit


def container_tool(toolkit: Toolkit, description: str, config: CollapsingConfig) -> Tool:
    """Make the tool without arguments whose call expands a toolkit."""
    text = container_description(toolkit.name, description, toolkit.names, config)
    return Tool(toolkit.name, text, {"type": "object", "properties": {}})


def container_description(name: str, description: str, names: Sequence[str], config: CollapsingConfig) -> str:
    """Say what a toolkit is for and, as far as the configuration wants it, what it holds."""
    head = name if config.description_prefix == "name" or not description else description
    most = config.max_function_names_in_description
    if not most or not names:
        return head
    listed, hidden = list(names[:most]), len(names) - most
    if config.description_style == "contains_n":
        return _counted(head, listed, len(names))
    # the seed's own dots say "there may be more" wherever the list is not exactly full
    if hidden > 0 or (config.description_style == "seed" and hidden < 0):
        listed.append("...")
    return f"{head} ({', '.join(listed)})"


def _counted(head: str, listed: list[str], count: int) -> str:
    more = count - len(listed)
    tail = f"{more} more" if more else listed.pop()
    names = f"{', '.join(listed)} and {tail}" if listed else tail
    return f"{head.rstrip('.')}. Contains {count} function{'s' if count > 1 else ''}: {names}"
