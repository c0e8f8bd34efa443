"""Requests sent to a real server: every API answers, and all render the same prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from promptwire import Built, Request, anthropic_messages, openai_chat, openai_responses, tool_result

from .conversation import (
    ANSWER,
    FOLLOW_UP,
    PREAMBLE,
    QUESTION,
    SYSTEM,
    build_all,
    request,
)
from .server import (
    ROUTES,
    LocalServer,
    Wire,
    generated_text,
    local_server,
    prompt_differences,
    rendered_turns,
)
from .tiny_model import write_tiny_model

# what the model's template makes of the conversation, written by hand
TOOLS_TEXT = (
    "\n\n# Tools\n\n<tools>\n"
    '{"type": "function", "function": {"name": "weather", "description": "The weather now.", '
    '"parameters": {"type": "object", "properties": {"city": {"type": "string"}, '
    '"unit": {"type": "string", "enum": ["C", "F"]}}, "required": ["city"], '
    '"additionalProperties": false}}}\n'
    '{"type": "function", "function": {"name": "book", "description": "Book a room.", '
    '"parameters": {"type": "object", "properties": {"city": {"type": "string"}, '
    '"nights": {"type": "integer"}}, "required": ["city", "nights"]}}}\n'
    "</tools>\n\n"
    'Call: <tool_call>\n{"id": id, "name": name, "arguments": arguments}\n</tool_call>'
)
CALLS_TEXT = """
<tool_call>
{"id": "call_1", "name": "weather", "arguments": {"city": "Oslo", "unit": "C"}}
</tool_call>
<tool_call>
{"id": "call_2", "name": "book", "arguments": {"city": "Oslo", "nights": 2}}
</tool_call>"""
PROMPT = [
    ("system", SYSTEM + TOOLS_TEXT),
    ("user", QUESTION),
    ("assistant", PREAMBLE + CALLS_TEXT),
    ("tool", '<tool_response id="call_1">\n12 C\n</tool_response>'),
    ("tool", '<tool_response id="call_2">\nbooked\n</tool_response>'),
    ("assistant", ANSWER),
    ("user", FOLLOW_UP),
    ("assistant", ""),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with local_server(write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")) as running:
        yield running


def send(server: LocalServer, built: dict[Wire, Built[Any]]) -> dict[Wire, str]:
    """Send each request with its own headers; give the prompts that the server made of them."""
    return {
        wire: server.render(ROUTES[wire], made.body, made.headers.items()) for wire, made in built.items()
    }


@pytest.mark.parametrize("wire", list(ROUTES))
def test_every_api_answers(server: LocalServer, wire: Wire) -> None:
    built = build_all(request(), server.url)[wire]
    status, answer = server.post(ROUTES[wire], built.body, built.headers.items())
    assert status == 200, answer
    # the model chooses one printable character a token
    assert len(generated_text(wire, answer)) == 24


def test_all_three_render_to_the_prompt_written_by_hand(server: LocalServer) -> None:
    prompts = send(server, build_all(request(), server.url))
    assert rendered_turns(prompts["chat"]) == PROMPT
    assert prompts["responses"] == prompts["chat"]
    assert prompts["messages"] == prompts["chat"]


def test_a_question_right_after_the_results_means_the_same_on_all_three(server: LocalServer) -> None:
    prompts = send(server, build_all(request(answered=False), server.url))
    assert rendered_turns(prompts["chat"]) == [turn for turn in PROMPT if turn != ("assistant", ANSWER)]
    assert prompt_differences(prompts) == {}


def test_a_lost_result_would_be_seen(server: LocalServer) -> None:
    whole = request()
    other = replace(whole, messages=(*whole.messages[:2], tool_result("call_1", "13 C"), *whole.messages[3:]))
    prompts = send(server, {**build_all(whole, server.url), "messages": anthropic_messages.build(other)})
    assert prompt_differences(prompts) == {"messages": rendered_turns(prompts["messages"])}


def test_a_transcript_read_from_one_api_renders_the_same_through_the_others(server: LocalServer) -> None:
    sent = build_all(request())
    readings = {
        "chat": openai_chat.read(sent["chat"].body),
        "messages": anthropic_messages.read(sent["messages"].body),
        "responses": openai_responses.read(sent["responses"].body),
    }
    for origin, reading in readings.items():
        assert reading.understood == reading.leaves, origin
        moved: Request = reading.request
        prompts = {
            "chat": server.render(ROUTES["chat"], openai_chat.build(moved).body),
            "messages": server.render(ROUTES["messages"], anthropic_messages.build(moved).body),
        }
        assert {wire: rendered_turns(prompt) for wire, prompt in prompts.items()} == {
            "chat": PROMPT,
            "messages": PROMPT,
        }, origin
