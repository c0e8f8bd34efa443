"""A transcript of Anthropic with signed thinking, two calls with pictures and cache marks goes on under `portable`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import (
    Cache,
    Image,
    Instruction,
    Message,
    Options,
    Reasoning,
    Request,
    RequestError,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from promptwire.plugins import Provenance
from tests.laws.traces import module

PICTURES = ("iVBORw0KGgoAAAAB", "iVBORw0KGgoAAAAC")
FROM = Provenance("anthropic_messages", "claude-sonnet-4-5", "anthropic_messages")
TRANSCRIPT = Request(
    "claude-sonnet-4-5",
    [
        user("Compare the two pages."),
        assistant(
            Reasoning(text="I need both pages.", signature="EqQBCkYIBxgCKkBs"),
            "I will open both.",
            ToolCall("toolu_01A", "screenshot", {"page": 1}),
            ToolCall("toolu_01B", "screenshot", {"page": 2}),
            provenance=FROM,
        ),
        Message(
            "tool",
            [
                ToolResult("toolu_01A", [Text("Page 1"), Image(data=PICTURES[0], media_type="image/png")]),
                ToolResult(
                    "toolu_01B",
                    [Text("Page 2"), Image(data=PICTURES[1], media_type="image/png")],
                    cache=Cache(),
                ),
            ],
        ),
        assistant(
            Reasoning(text="They differ in the title.", signature="EqQBCkYIBxgCKkBt"), "The title differs.",
            provenance=FROM,
        ),
        user(Text("Which one is newer?", cache=Cache("5m"))),
    ],
    instructions=[Instruction("You compare pages.", cache=Cache())],
    tools=[Tool("screenshot", "A picture of a page.", {"type": "object", "properties": {"page": {"type": "integer"}}})],
    options=Options(max_tokens=500),
)  # fmt: skip
TARGETS = {
    "openai_responses": "gpt-5",
    "openai_chat": "gpt-4o",
    "gemini_generate": "gemini-3-pro",
    "bedrock_converse": "us.amazon.nova-pro-v1:0",
    "mistral_chat": "mistral-large-latest",
    "cohere_chat": "command-a-vision-07-2025",
    "ollama_chat": "llama3.2-vision",
}


@pytest.mark.parametrize("wire", TARGETS)
def test_it_builds_lints_clean_and_keeps_the_pictures(wire: str) -> None:
    api = module(wire)
    request = TRANSCRIPT.replace(model=TARGETS[wire])
    with pytest.raises(RequestError):
        api.build(request)
    built = api.build(request, policies="portable")
    assert [str(finding) for finding in api.check(built.body, built.url)] == []
    sent = json.dumps(built.body)
    assert [sent.count(picture) for picture in PICTURES] == [1, 1]
    assert [
        sent.count(text) for text in ("Page 1", "Page 2", "The title differs.", "Which one is newer?")
    ] == [1] * 4
    # proofs of Anthropic are sent to nobody else, and each loss has a note
    assert "EqQBCkYIBxgC" not in sent
    noted = {note.path for note in built.notes}
    assert {"messages[1].parts[0]", "messages[3].parts[0]"} <= noted


@pytest.mark.parametrize("wire", TARGETS)
def test_the_next_turn_keeps_the_beginning(wire: str) -> None:
    """Ids, references and made names depend on what stands before them only."""
    api = module(wire)
    request = TRANSCRIPT.replace(model=TARGETS[wire])
    longer = request.replace(messages=(*request.messages, assistant("The second."), user("Why?")))
    first, second = (api.build(each, policies="portable").body for each in (request, longer))
    key = next(key for key in ("messages", "contents", "input") if key in first)
    before: list[Any] = first[key]
    assert second[key][: len(before)] == before
