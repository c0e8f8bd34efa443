"""The runtime of promptwire: the neutral model, building, reading and reporting. Standard library only."""

from __future__ import annotations

from .build.context import BuildContext
from .build.result import Built
from .build.wire import Signing, Wire
from .constructors import (
    assistant,
    developer,
    document_data,
    document_url,
    image_data,
    image_url,
    system,
    tool_result,
    user,
)
from .errors import (
    AnswerError,
    BodyError,
    ClientError,
    ContextError,
    InvalidRequest,
    LoadError,
    MissingField,
    NoPlace,
    PolicyError,
    Problem,
    PromptwireError,
    Refused,
    RequestError,
    SettingError,
    StreamError,
)
from .model.media import Audio, Document, Image, Video
from .model.options import Continuation, Instruction, Options, ReasoningOptions, ResponseFormat, ToolChoice
from .model.parts import (
    Cache,
    Compaction,
    CustomToolCall,
    CustomToolResult,
    HostedCall,
    HostedResult,
    ItemReference,
    Json,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    ToolCall,
    ToolReference,
    ToolResult,
    Upload,
)
from .model.request import Message, Request
from .model.tools import AnyTool, CustomTool, HostedTool, Tool, ToolAddition, ToolGroup
from .model.wire_memory import Form, Kept, Provenance
from .reporting.facts import Setting
from .reporting.notes import Note
from .reporting.policies import LENIENT, PORTABLE, PRESETS, STRICT, VERBATIM, Policies
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from . import context as context, execution as execution, prompts as prompts, toolkits as toolkits
    from .answers.answer import Answer as Answer, Candidate as Candidate, Usage as Usage
    from .answers.events import Event as Event
    from .api import Api as Api
    from .build.fragments import ConversationEncoder as ConversationEncoder
    from .build.prefixes import CachePrefix as CachePrefix
    from .linting.support import Support as Support
    from .loading import load_request as load_request
    from .loading.dumping import dump_request as dump_request
    from .prompts import load_case as load_case, load_cases as load_cases
    from .read.result import Reading as Reading
    from .repairs.edits import RepairContext as RepairContext
    from .reporting.policy_table import policies as policies
    from .rules.rule import Rule as Rule

# not in __all__, because a star import would load them
_PACKAGES = ("context", "execution", "prompts", "toolkits")
_LATE = {
    "Answer": "answers.answer", "Candidate": "answers.answer", "Usage": "answers.answer",
    "CachePrefix": "build.prefixes", "ConversationEncoder": "build.fragments",
    "RepairContext": "repairs.edits",
    "Event": "answers.events",
    "Support": "linting.support",
    "Reading": "read.result", "dump_request": "loading.dumping", "load_case": "prompts", "load_cases": "prompts",
    "load_request": "loading", "policies": "reporting.policy_table", "Rule": "rules.rule", "Api": "api",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import names that few callers need when they are first used."""
    from importlib import import_module

    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATE[name]}", __name__), name)


__all__ = [
    "LENIENT", "PORTABLE", "PRESETS", "STRICT", "VERBATIM", "AnswerError",
    "AnyTool", "Audio", "BodyError", "BuildContext", "Built", "Cache",
    "ClientError", "Compaction",
    "ContextError", "Continuation", "CustomTool", "CustomToolCall", "CustomToolResult", "Document", "Form",
    "HostedCall", "HostedResult", "HostedTool", "Image", "Instruction", "InvalidRequest", "ItemReference", "Json",
    "Kept",
    "LoadError", "Message", "MissingField", "NoPlace", "Note", "Opaque", "Options", "Part", "Policies", "PolicyError",
    "Problem", "PromptwireError", "Provenance", "Reasoning", "ReasoningOptions", "Refusal", "Refused", "Request",
    "RequestError", "ResponseFormat", "SearchResult", "Setting", "SettingError", "Signing",
    "StreamError", "Text", "Tool",
    "ToolAddition", "ToolCall", "ToolChoice", "ToolGroup", "ToolReference", "ToolResult", "Upload", "Video", "Wire",
    "assistant", "developer", "document_data", "document_url", "image_data", "image_url",
    "system", "tool_result", "user",
]  # fmt: skip
