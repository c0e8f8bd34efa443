"""One call of an agent as a request: what is known of the conversation, and what this call is to do.

Loaded only by who asks for it: a builder needs none of this.
"""

from __future__ import annotations

from .call_files import LoadedCall, load_call, tool_usage_block
from .composition import AgentExecuteRequest, Composed, ConversationContext, compose
from .tools import PRESETS, ExecutionPolicies, execution_policies_of

__all__ = [
    "PRESETS", "AgentExecuteRequest", "Composed", "ConversationContext", "ExecutionPolicies", "LoadedCall",
    "compose",
    "execution_policies_of", "load_call", "tool_usage_block",
]  # fmt: skip
