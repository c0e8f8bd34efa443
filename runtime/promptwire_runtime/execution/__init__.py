"""One call of an agent as a request: what is known of the conversation, and what this call is to do.

Loaded only by who asks for it: a builder needs none of this.
"""

from __future__ import annotations

from .composition import AgentExecuteRequest, Composed, ConversationContext, compose
from .policies import PRESETS, ExecutionPolicies, execution_policies_of
from .tool_guides import tool_usage_block

__all__ = [
    "PRESETS", "AgentExecuteRequest", "Composed", "ConversationContext", "ExecutionPolicies", "compose",
    "execution_policies_of", "tool_usage_block",
]  # fmt: skip
