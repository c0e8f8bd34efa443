"""One call of an agent as a request, and the loop that asks, runs functions and continues.

Loaded only by who asks for it: a builder needs none of this.
"""

from __future__ import annotations

from .call_files import LoadedCall, load_call, tool_usage_block
from .composition import AgentExecuteRequest, Composed, ConversationContext, compose
from .driving import run, run_async
from .run_records import Run, RunLimitError, RunOptions, StepLimitError
from .tools import PRESETS, ExecutionPolicies, execution_policies_of

__all__ = [
    "PRESETS", "AgentExecuteRequest", "Composed", "ConversationContext", "ExecutionPolicies", "LoadedCall",
    "Run", "RunLimitError", "RunOptions", "StepLimitError", "compose", "execution_policies_of", "load_call", "run",
    "run_async", "tool_usage_block",
]  # fmt: skip
