"""Where an SDK sends something else than it was given: its own ways, each with its reason."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.conformance.google_echo import camel

Body = dict[str, Any]


def _says_no_stream(body: Body) -> None:
    body.setdefault("stream", False)


def _prefixes(body: Body) -> None:
    for message in body["messages"]:
        if message["role"] == "assistant":
            message.setdefault("prefix", False)


def _input_prefixes(body: Body) -> None:
    for entry in body["inputs"]:
        if entry["type"] == "message.input":
            entry.setdefault("prefix", False)


def _indices(body: Body) -> None:
    for message in body["messages"]:
        for call in message.get("tool_calls", []):
            call.setdefault("index", 0)


def _guardrails(body: Body) -> None:
    for guardrail in body.get("guardrails", []):
        for name, model in (("moderation_llm_v2", "mistral-moderation-2603"),):
            if name in guardrail:
                guardrail[name] = {"model_name": model, "ignore_other_categories": False} | guardrail[name]


def _stores(body: Body) -> None:
    body |= {"store": True, "handoff_execution": "server"} | body


def _functions_last(body: Body) -> None:
    if "tools" in body:
        body["tools"].sort(key=lambda tool: "functionDeclarations" in tool)


def _a_config(body: Body) -> None:
    body.setdefault("generationConfig", {})


def _times(body: Body) -> None:
    for tool in body.get("tools", []):
        times = tool.get("googleSearch", {}).get("timeRangeFilter", {})
        for name, text in times.items():
            times[name] = text.replace("Z", "+00:00")


Ways = tuple[tuple[Callable[[Body], None], str], ...]
_DEFAULTS: Final = "its types write their defaults"
_MISTRAL: Final[Ways] = (
    (_says_no_stream, _DEFAULTS), (_prefixes, _DEFAULTS), (_indices, _DEFAULTS), (_guardrails, _DEFAULTS),
)  # fmt: skip
_GOOGLE: Final[Ways] = (
    (_functions_last, "it gathers functions in a tool of their own, after the others"),
    (_a_config, "it writes the object for all parameters, also where there is none"),
    (_times, "it reads times, and writes the offset from UTC in numbers"),
)
WAYS: Final[Mapping[tuple[str, str], Ways]] = {
    ("cohere", "chat"): ((_says_no_stream, "its two methods say what they are"),),
    ("mistralai", "chat.complete"): _MISTRAL,
    ("mistralai", "chat.stream"): _MISTRAL,
    ("mistralai", "agents.complete"): _MISTRAL,
    ("mistralai", "beta.conversations.start"): ((_says_no_stream, _DEFAULTS), (_input_prefixes, _DEFAULTS)),
    ("mistralai", "beta.conversations.start_stream"): ((_input_prefixes, _DEFAULTS),),
    ("mistralai", "beta.conversations.append"): ((_says_no_stream, _DEFAULTS), (_stores, _DEFAULTS)),
    ("google-genai", "models.generate_content"): _GOOGLE,
    ("google-genai", "models.generate_content_stream"): _GOOGLE,
}
"""Client and method -> what each does to a body, and why that is the client's own way."""

READ: Final[Mapping[str, Callable[[Any], Any]]] = {"gemini_generate": camel}
"""Wire -> how a body is spelled alike: protocol buffers take names of fields as in Python, too."""

REFUSED: Final[Mapping[str, tuple[str, str]]] = {
    "mistral_chat: how much of a document is read": ("mistralai", "document_image_limit"),
    "mistral_chat: sound of a known type": ("mistralai", "messages[0].content[0].type"),
    "llamacpp_chat: a server of one model": ("openai", "model"),
    "vllm_chat: a server of one model": ("openai", "model"),
    "openrouter_chat: without a model, the account's default answers": ("openai", "model"),
}
"""Example -> the client that cannot send it, and the place that the error names."""


def expected(client: str, method: str, body: Body) -> Body:
    """Return what a client sends for a body."""
    changed = copy.deepcopy(body)
    for way, _ in WAYS.get((client, method), ()):
        way(changed)
    return changed
