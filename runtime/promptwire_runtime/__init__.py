"""The runtime of promptwire: the neutral model, building, reading and reporting. Standard library only."""

from __future__ import annotations

from .build.result import Built
from .constructors import assistant, system, tool_result, user
from .errors import BodyError, Problem, PromptwireError, RequestError
from .model.media import Audio, Document, Image
from .model.options import Continuation, Instruction, Options, ReasoningOptions, ResponseFormat, ToolChoice
from .model.parts import Cache, Json, Part, Reasoning, Text, ToolCall, ToolResult
from .model.request import Message, Request
from .model.tools import CustomTool, HostedTool, Tool
from .reporting.notes import Note
from .reporting.policies import Policies
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from . import (
        context as context,
        execution as execution,
        parts as parts,
        plugins as plugins,
        prompts as prompts,
        results as results,
        toolkits as toolkits,
    )
    from .answers.answer import Answer as Answer
    from .answers.events import Event as Event
    from .api import Api as Api
    from .loading import load_request as load_request
    from .loading.dumping import dump_request as dump_request
    from .read.result import Reading as Reading
    from .reporting.policy_table import policies as policies

# not in __all__, because a star import would load them
_MODULES = ("context", "execution", "parts", "plugins", "prompts", "results", "toolkits")
_LATE = {
    "Answer": "answers.answer",
    "Api": "api",
    "Event": "answers.events",
    "Reading": "read.result",
    "dump_request": "loading.dumping",
    "load_request": "loading",
    "policies": "reporting.policy_table",
}


def __getattr__(name: str) -> Any:
    """Import modules, and names that few callers need, when they are first used."""
    from importlib import import_module

    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATE[name]}", __name__), name)


__all__ = [
    "Audio", "BodyError", "Built", "Cache", "Continuation", "CustomTool", "Document", "HostedTool", "Image",
    "Instruction", "Json", "Message", "Note", "Options", "Part", "Policies", "Problem", "PromptwireError", "Reasoning",
    "ReasoningOptions", "Request", "RequestError", "ResponseFormat", "Text", "Tool", "ToolCall", "ToolChoice",
    "ToolResult", "assistant", "system", "tool_result", "user",
]  # fmt: skip
