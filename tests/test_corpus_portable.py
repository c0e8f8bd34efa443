"""Recorded tool conversations under `portable` on all APIs with tools, a sample: built and clean, or a known reason."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import promptwire
from promptwire import Image, Part, Request, RequestError, ToolCall, ToolResult
from promptwire.parts import CustomToolCall
from tests.laws.traces import address, module
from tests.searching import TIMES
from tests.test_corpus_across import one_of_each_shape

MODELS: Final = {
    "openai_chat": "gpt-4o",
    "openai_responses": "gpt-5",
    "anthropic_messages": "claude-sonnet-4-5",
    "gemini_generate": "gemini-2.5-pro",
    "bedrock_converse": "us.amazon.nova-pro-v1:0",
    "mistral_chat": "mistral-large-latest",
    "cohere_chat": "command-a-03-2025",
    "ollama_chat": "llama3.2",
}
# Problems that no repair can solve: pattern of the problem -> why. Only such a conversation may be refused.
IMPOSSIBLE: Final[Mapping[str, str]] = {
    r"continuation: the conversation belongs to \w+": "its beginning is on the server of another provider",
    r"(image|document|audio|video): this API does not accept it by (file_id|uri) here": (
        "the file is stored at another provider"
    ),
    r"(image|document|audio|video): (this API does not accept it by url here|its uri must match .*)": (
        "the API reads no addresses; `request.with_media` fetches them"
    ),
    r"the (url|uri) .* of (an image|a document|audio|a video) .*": (
        "the API reads no such addresses; `request.with_media` fetches them"
    ),
    r"(image|document|audio|video): this API does not support this kind of part in a user message": (
        "the API takes no such files"
    ),
    r"(document|audio|video): this API does not accept it by data here": "the API takes no such files",
    r"audio is refused for gpt-4o: only audio models hear": "the model takes no such files",
    r"hosted: this API has no (tools of this kind \(\w+\)|tool \w+, and this model does not take its own, \w+)": (
        "the other provider runs a tool that this one, or this model, does not have"
    ),
    r"the type .* of the tool .* is refused .*": "the host does not run this tool",
    r"name: .* does not support it": "the name of a tool that this provider does not have",
    r"a hosted tool is refused for gemini-2.5-pro: .*": "the model takes no search beside functions",
    r"the option web_search_options .* is refused for gpt-4o: .*": "the model does not search",
}
_TOOLS = (ToolCall, CustomToolCall, ToolResult)
# one conversation in so many
_SHARE = 1 if TIMES else 60
# so many of a hundred crossings are built
_LEAST = 85


def wires_with_tools() -> list[str]:
    """Return the wires whose conversations may hold calls of tools."""
    return [name for name in promptwire.WIRES if "tool_call" in module(name).WIRE.capabilities["parts"]]


def parts_of(request: Request) -> list[Part]:
    """Return the parts of all messages, also those inside results."""
    parts = [part for message in request.messages for part in message.parts]
    return parts + [inner for part in parts if isinstance(part, ToolResult) for inner in part.parts]


def is_impossible(reason: str) -> bool:
    """Return whether a problem is one that no repair can solve."""
    return any(re.fullmatch(pattern, reason, re.DOTALL) for pattern in IMPOSSIBLE)


def test_tool_conversations_reach_all_apis_with_tools(corpus: Path) -> None:
    built, refused, found = 0, 0, list[str]()
    conversations = [
        (row, request)
        for row in one_of_each_shape(corpus)
        for request in [module(row.wire).read(json.loads(row.line)["body"], row.url).request]
        if any(isinstance(part, _TOOLS) for part in parts_of(request))
    ]
    wires = wires_with_tools()
    for row, request in conversations[::_SHARE]:
        pictures = [part.data for part in parts_of(request) if isinstance(part, Image) and part.data]
        for to in wires:
            if to == row.wire:  # what was recorded goes back as it came
                continue
            asked = request.replace(model=MODELS.get(to, "some-model"))
            try:
                made = module(to).build(asked, policies="portable", settings=address(to))
            except RequestError as error:
                refused += 1
                if not is_impossible(error.reason):
                    found.append(f"{row.name} -> {to}: {error.path}: {error.reason}")
                continue
            built += 1
            # base64 may stay in the alphabet for URLs, in which Gemini reads it
            sent = json.dumps(made.body).replace("-", "+").replace("_", "/")
            url = None if made.local else made.url
            found += [f"{row.name} -> {to}: {finding}" for finding in module(to).check(made.body, url)]
            found += [
                f"{row.name} -> {to}: a picture is gone"
                for data in pictures
                if data.replace("-", "+").replace("_", "/") not in sent
            ]
    assert found == []
    assert built * 100 >= _LEAST * (built + refused)


def test_a_reason_that_a_repair_should_solve_would_be_seen() -> None:
    assert is_impossible("hosted: this API has no tool web_search; use its own, google_search") is False
    assert is_impossible("description is missing; Cohere Chat v1 requires it") is False
    assert is_impossible("document: this API does not accept it by file_id here")
