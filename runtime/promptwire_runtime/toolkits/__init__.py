"""Many tools as few: toolkits that expand when they are called, or that the API defers itself, and what they say.

Loaded only by who asks for it: a builder needs none of this.
"""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .catalogue import Toolkits, lints
from .config import CollapsingConfig
from .declaring import InvocationFilter, attribute, toolkit, toolkit_of
from .kits import Member, Toolkit, ToolkitState, frontend_tools, skill, tool
from .mcp import mcp_result, mcp_toolkit
from .session import Session

if TYPE_CHECKING:
    from typing import Any

    from .session import cost_table as cost_table, costs as costs
    from .toolkit_files import load_with_toolkits as load_with_toolkits

# what reads and writes files of requests is loaded by who needs it
_LATE = {
    "cost_table": "session",
    "costs": "session",
    "load_with_toolkits": "toolkit_files",
}


def __getattr__(name: str) -> Any:
    """Import what costs and files need when it is first used."""
    from importlib import import_module

    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATE[name]}", __name__), name)


__all__ = [
    "CollapsingConfig", "InvocationFilter", "Member", "Session", "Toolkit", "ToolkitState", "Toolkits", "attribute",
    "cost_table", "costs", "frontend_tools", "lints", "load_with_toolkits", "mcp_result", "mcp_toolkit", "skill",
    "tool", "toolkit", "toolkit_of",
]  # fmt: skip
