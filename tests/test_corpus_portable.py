"""Recorded tool conversations, a sample of them, under `portable` on APIs with tools: built and clean, or a named reason."""

from __future__ import annotations

import json
from pathlib import Path

from promptwire_runtime import Request
from promptwire_runtime.errors import RequestError
from promptwire_runtime.model.parts import CustomToolCall, Image, Part, ToolCall, ToolResult
from tests.laws.traces import module
from tests.searching import TIMES
from tests.test_corpus_across import one_of_each_shape

MODELS = {
    "openai_chat": "gpt-4o",
    "openai_responses": "gpt-5",
    "anthropic_messages": "claude-sonnet-4-5",
    "gemini_generate": "gemini-2.5-pro",
    "bedrock_converse": "us.amazon.nova-pro-v1:0",
    "mistral_chat": "mistral-large-latest",
    "cohere_chat": "command-a-03-2025",
    "ollama_chat": "llama3.2",
}
_TOOLS = (ToolCall, CustomToolCall, ToolResult)
_SHARE = 1 if TIMES else 12
# so many of a hundred crossings are built; what an API has no place for is an error
_LEAST = 85


def parts_of(request: Request) -> list[Part]:
    """Return the parts of all messages, also those inside results."""
    parts = [part for message in request.messages for part in message.parts]
    return parts + [inner for part in parts if isinstance(part, ToolResult) for inner in part.parts]


def test_tool_conversations_reach_other_apis(corpus: Path) -> None:
    built, refused, found = 0, list[str](), list[str]()
    for row in list(one_of_each_shape(corpus))[::_SHARE]:
        request = module(row.wire).read(json.loads(row.line)["body"], row.url).request
        parts = parts_of(request)
        if not any(isinstance(part, _TOOLS) for part in parts):
            continue
        pictures = [part.data for part in parts if isinstance(part, Image) and part.data]
        for to, model in MODELS.items():
            try:
                made = module(to).build(request.replace(model=model), policies="portable")
            except RequestError as error:
                refused.append(f"{row.name} -> {to}: {error}")
                continue
            built += 1
            # base64 may stay in the alphabet for URLs, in which Gemini reads it
            sent = json.dumps(made.body).replace("-", "+").replace("_", "/")
            found += [f"{row.name} -> {to}: {finding}" for finding in module(to).lint(made.body, made.url)]
            found += [
                f"{row.name} -> {to}: a picture is gone"
                for data in pictures
                if data.replace("-", "+").replace("_", "/") not in sent
            ]
    assert built > 0
    assert found == []
    assert built * 100 >= _LEAST * (built + len(refused)), "\n".join(refused)
