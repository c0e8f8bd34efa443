"""Many tools as few: toolkits that expand when they are called, or that the API defers itself, and what they say.

Loaded only by who asks for it: a builder needs none of this.
"""

from __future__ import annotations

from .catalogue import Placed, Toolkits
from .config import CollapsingConfig
from .costs import Cost, cost_table, costs
from .declaring import attribute, toolkit, toolkit_of
from .deferring import Mode, Target
from .describing import container_description
from .lints import lints
from .marks import tool
from .mcp import mcp_result, mcp_toolkit
from .session import Session
from .state import ToolkitState
from .toolkit import Member, Toolkit, frontend_tools, member_of, skill
from .toolkit_files import load_with_toolkits

__all__ = [
    "CollapsingConfig", "Cost", "Member", "Mode", "Placed", "Session", "Target", "Toolkit", "ToolkitState", "Toolkits",
    "attribute", "container_description", "cost_table", "costs", "frontend_tools", "lints",
    "load_with_toolkits", "mcp_result", "mcp_toolkit", "member_of", "skill", "tool", "toolkit", "toolkit_of",
]  # fmt: skip
