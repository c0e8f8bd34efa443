"""One judge for each wire that has a witness: what the vendor's own types refuse in a body."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from groq.types.chat.completion_create_params import CompletionCreateParams as GroqRequest

from tests.conformance import (
    botocore_strict,
    cohere_types,
    google_protocol,
    huggingface_types,
    interactions_types,
    mistral_types,
    ollama_types,
    strict_types,
)
from tests.conformance.deepseek_types import DeepSeekRequest
from tests.conformance.llamacpp_types import LlamaRequest
from tests.conformance.vllm_types import VllmRequest

_ANY_MODEL: Final = "amazon.nova-pro-v1:0"  # Converse says the model in its URL


def _converse(body: dict[str, Any]) -> list[str]:
    """A body of either operation: streaming has members of its own."""
    return min((botocore_strict.problems(_ANY_MODEL, body, stream=each) for each in (False, True)), key=len)


_WITNESSES: Final[Mapping[str, Callable[[dict[str, Any]], list[str]]]] = {
    "openai_chat": lambda body: strict_types.problems("openai_chat", body),
    "openai_responses": lambda body: strict_types.problems("openai_responses", body),
    "anthropic_messages": lambda body: strict_types.problems(
        "anthropic_messages", body, api_version="2023-06-01"
    ),
    "gemini_generate": google_protocol.problems,
    "gemini_interactions": interactions_types.problems,
    "bedrock_converse": _converse,
    "mistral_chat": lambda body: mistral_types.problems("mistral_chat", body),
    "mistral_agents": lambda body: mistral_types.problems("mistral_agents", body),
    "cohere_chat": cohere_types.problems,
    "deepseek_chat": lambda body: strict_types.findings(DeepSeekRequest, body),
    "groq_chat": lambda body: strict_types.findings(GroqRequest, body),
    "huggingface_chat": huggingface_types.problems,
    "ollama_chat": ollama_types.problems,
    "llamacpp_chat": lambda body: strict_types.findings(LlamaRequest, body),
    "vllm_chat": lambda body: strict_types.findings(VllmRequest, body),
}
JUDGED: Final = tuple(_WITNESSES)
"""The wires that have a judge."""

WAIVED: Final[Mapping[str, Mapping[str, str]]] = {
    "openai_responses": {
        r"tools\[\d+\]\.strict: missing, FunctionToolParam requires it": "the API does without",
        r"(tools|input)\[\d+\]\.tools\[\d+\]\.strict: missing, .*": "the API does without",
        r"tools\[\d+\]\.parameters: missing, FunctionToolParam requires it": "the API does without",
        r"input\[\d+\].*\.detail: missing, ResponseInputImageParam requires it": "the API does without",
        r"input\[\d+\]\.(id|type|status): missing, ResponseOutputMessageParam requires it": (
            "answers given back without them are accepted"
        ),
        r"input\[\d+\]\.content\[\d+\]\.annotations: missing, ResponseOutputTextParam requires it": (
            "answers given back without them are accepted"
        ),
        r"input\[\d+\]\.content\[\d+\]\.type: '(output_text|refusal)' is none of .*": (
            "answers given back without id and status are accepted"
        ),
        r"input\[\d+\]\.content\[\d+\]\.\w+: .* Response(InputText|InputImage|InputFile)(Content)?Param.*": (
            "the same, where such an answer is taken for a message of the user"
        ),
        r"input\[\d+\]\.id: missing, ResponseReasoningItemParam requires it": (
            "reasoning that was read from another API has no id, and the API generates none for it"
        ),
        r"input\[\d+\]\.id: unknown key of EasyInputMessageParam": "stored conversations come back with one",
        r"input\[\d+\]\.status: unknown key of \w+": "items go back as they came",
    },
    "gemini_interactions": {
        r"model: '.*' is none of .*": "any model name is allowed; the SDK's type lists those known at its release",
    },
    "huggingface_chat": {
        r"messages\[\d+\]\.tool_calls\[\d+\]\.function\.(arguments: unknown key|parameters: missing).*": (
            "the type uses a tool's definition for its call, and allows more keys; recorded requests have these"
        ),
        r"messages\[\d+\]\.tool_call_id: unknown key .*": "the same",
        r"tool_choice\.type: 'function' is none of ": "the SDK's type allows this; providers document OpenAI's form",
        r"(messages\[\d+\]\.content\[\d+\]\.image_url\.detail|tools\[\d+\]\.function\.strict): unknown key .*": (
            "the same"
        ),
    },
    "ollama_chat": {
        r"messages\[\d+\]\.(tool_call_id|tool_calls\[\d+\]\.id): unknown key": (
            "fields of the server's own types, which this SDK lacks"
        ),
        r"options\.min_p: unknown key": "the same",
        r"tools\[\d+\]\.function\.parameters\.(type: missing|.*: unknown key)": (
            "the SDK describes a part of JSON Schema; the server takes any schema"
        ),
    },
    "groq_chat": {
        "stream_options: unknown key of CompletionCreateParams": (
            "the API takes it and answers with usage; recorded requests have it"
        ),
    },
    "mistral_agents": {
        r"messages\[\d+\]\.content\[\d+\]\.input_audio: \{.*\} is not str": (
            "the vendor's page on audio shows the object"
        ),
    },
    "mistral_chat": {
        r"messages\[\d+\]\.content\[\d+\]\.input_audio: \{.*\} is not str": (
            "the vendor's page on audio shows the object"
        ),
        r"document_(image|page)_limit: unknown key": "a provider of another client sends both",
    },
}
"""Findings that are the types' own, and not the API's: wire -> pattern of the finding -> why it is waived."""


def judge(wire: str, body: dict[str, Any]) -> list[str]:
    """Return what the vendor's types reject in a body of plain JSON, one line per finding.

    Raises:
        KeyError: the wire has no judge.
    """
    waived = WAIVED.get(wire, {})
    found = _WITNESSES[wire](body)
    return [line for line in found if not any(re.fullmatch(pattern, line) for pattern in waived)]
