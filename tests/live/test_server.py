"""One conversation through three APIs of a real server: each answers, and all render one prompt."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .server import (
    ROUTES,
    SLOTS_DEBUG,
    LocalServer,
    ServerError,
    Wire,
    generated_text,
    local_server,
    prompt_differences,
    rendered_turns,
    user_text_before_results,
)
from .tiny_model import write_tiny_model

# ---------------------------------------------------------------------------- the conversation, per wire

SYSTEM = "Answer in one line."
QUESTION = "How warm is Oslo? Book two nights there."
PREAMBLE = "I look and book."
FOLLOW_UP = "Thanks. And tomorrow?"
WEATHER_ARGUMENTS = '{"city":"Oslo","unit":"C"}'
BOOK_ARGUMENTS = '{"stay":{"nights":2,"guests":[{"name":"Ana"}]}}'
WEATHER_INPUT = {"city": "Oslo", "unit": "C"}
BOOK_INPUT = {"stay": {"nights": 2, "guests": [{"name": "Ana"}]}}
WEATHER = {"name": "weather", "description": "The weather now."}
BOOK = {"name": "book", "description": "Book a room."}
WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["C", "F"]}},
    "required": ["city"],
    "additionalProperties": False,
}
GUEST_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
STAY_SCHEMA = {
    "type": "object",
    "properties": {"nights": {"type": "integer"}, "guests": {"type": "array", "items": GUEST_SCHEMA}},
    "required": ["nights"],
}
BOOK_SCHEMA = {"type": "object", "properties": {"stay": STAY_SCHEMA}, "required": ["stay"]}
WEATHER_CALL = {"name": "weather", "arguments": WEATHER_ARGUMENTS}
BOOK_CALL = {"name": "book", "arguments": BOOK_ARGUMENTS}

CHAT_BODY: dict[str, Any] = {
    "model": "tiny",
    "max_tokens": 8,
    "messages": [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": PREAMBLE,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": WEATHER_CALL},
                {"id": "call_2", "type": "function", "function": BOOK_CALL},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "12 C"},
        {"role": "tool", "tool_call_id": "call_2", "content": "booked"},
        {"role": "user", "content": FOLLOW_UP},
    ],
    "tools": [
        {"type": "function", "function": {**WEATHER, "parameters": WEATHER_SCHEMA}},
        {"type": "function", "function": {**BOOK, "parameters": BOOK_SCHEMA}},
    ],
}

RESPONSES_BODY: dict[str, Any] = {
    "model": "tiny",
    "max_output_tokens": 8,
    "instructions": SYSTEM,
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": PREAMBLE}]},
        {"type": "function_call", "call_id": "call_1", **WEATHER_CALL},
        {"type": "function_call", "call_id": "call_2", **BOOK_CALL},
        {"type": "function_call_output", "call_id": "call_1", "output": "12 C"},
        {"type": "function_call_output", "call_id": "call_2", "output": "booked"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": FOLLOW_UP}]},
    ],
    "tools": [
        {"type": "function", **WEATHER, "parameters": WEATHER_SCHEMA, "strict": False},
        {"type": "function", **BOOK, "parameters": BOOK_SCHEMA, "strict": False},
    ],
}

MESSAGES_BODY: dict[str, Any] = {
    "model": "tiny",
    "max_tokens": 8,
    "system": SYSTEM,
    "messages": [
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": PREAMBLE},
                {"type": "tool_use", "id": "call_1", "name": "weather", "input": WEATHER_INPUT},
                {"type": "tool_use", "id": "call_2", "name": "book", "input": BOOK_INPUT},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "12 C"},
                {"type": "tool_result", "tool_use_id": "call_2", "content": "booked"},
                {"type": "text", "text": FOLLOW_UP},
            ],
        },
    ],
    "tools": [
        {**WEATHER, "input_schema": WEATHER_SCHEMA},
        {**BOOK, "input_schema": BOOK_SCHEMA},
    ],
}

BODIES: dict[Wire, dict[str, Any]] = {
    "chat": CHAT_BODY,
    "responses": RESPONSES_BODY,
    "messages": MESSAGES_BODY,
}

# The prompt of the template, written by hand; the tools stand between the system text and the user.
CONVERSATION_TURNS = [
    ("user", QUESTION),
    (
        "assistant",
        f"{PREAMBLE}\n"
        '<tool_call>\n{"id": "call_1", "name": "weather", "arguments": {"city": "Oslo", "unit": "C"}}\n'
        "</tool_call>\n"
        '<tool_call>\n{"id": "call_2", "name": "book", "arguments": '
        '{"stay": {"nights": 2, "guests": [{"name": "Ana"}]}}}\n</tool_call>',
    ),
    ("tool", '<tool_response id="call_1">\n12 C\n</tool_response>'),
    ("tool", '<tool_response id="call_2">\nbooked\n</tool_response>'),
    ("user", FOLLOW_UP),
    ("assistant", ""),
]
SYSTEM_TURN = (
    "system",
    f"{SYSTEM}\n\n# Tools\n\n<tools>\n"
    '{"type": "function", "function": {"name": "weather", "description": "The weather now.", "parameters": '
    '{"type": "object", "properties": {"city": {"type": "string"}, "unit": {"type": "string", '
    '"enum": ["C", "F"]}}, "required": ["city"], "additionalProperties": false}}}\n'
    '{"type": "function", "function": {"name": "book", "description": "Book a room.", "parameters": '
    '{"type": "object", "properties": {"stay": {"type": "object", "properties": {"nights": '
    '{"type": "integer"}, "guests": {"type": "array", "items": {"type": "object", "properties": '
    '{"name": {"type": "string"}}, "required": ["name"]}}}, "required": ["nights"]}}, '
    '"required": ["stay"]}}}\n'
    "</tools>\n\n"
    'Call: <tool_call>\n{"id": id, "name": name, "arguments": arguments}\n</tool_call>',
)


# --------------------------------------------------------------------------------------------- the tests


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[LocalServer]:
    with local_server(model) as running:
        yield running


def render_all(server: LocalServer, bodies: dict[Wire, dict[str, Any]]) -> dict[Wire, str]:
    return {wire: server.render(ROUTES[wire], body) for wire, body in bodies.items()}


@pytest.mark.parametrize("wire", list(BODIES))
def test_each_api_answers_with_text(server: LocalServer, wire: Wire) -> None:
    status, answer = server.post(ROUTES[wire], BODIES[wire])
    assert status == 200, answer
    text = generated_text(wire, answer)
    # The model can only choose single printable characters, one a token.
    assert len(text) == 8 and text.isascii() and text.isprintable()


@pytest.mark.parametrize("wire", list(BODIES))
def test_sampling_options_arrive(server: LocalServer, wire: Wire) -> None:
    server.render(ROUTES[wire], {**BODIES[wire], "temperature": 0.5, "top_p": 0.25})
    sampling = server.last_parameters()
    assert (sampling["max_tokens"], sampling["temperature"], sampling["top_p"]) == (8, 0.5, 0.25)


def test_chat_and_responses_render_the_conversation_as_written(server: LocalServer) -> None:
    prompts = render_all(server, BODIES)
    assert rendered_turns(prompts["chat"]) == [SYSTEM_TURN, *CONVERSATION_TURNS]
    assert prompts["responses"] == prompts["chat"]


def test_messages_renders_text_beside_results_before_them(server: LocalServer) -> None:
    *before, first_result, second_result, follow_up, opened = CONVERSATION_TURNS
    prompt = server.render(ROUTES["messages"], MESSAGES_BODY)
    assert rendered_turns(prompt) == [SYSTEM_TURN, *before, follow_up, first_result, second_result, opened]


def test_messages_renders_as_chat_when_the_text_is_a_message_of_its_own(server: LocalServer) -> None:
    body = copy.deepcopy(MESSAGES_BODY)
    text = body["messages"][-1]["content"].pop()
    body["messages"].append({"role": "user", "content": [text]})
    assert server.render(ROUTES["messages"], body) == server.render(ROUTES["chat"], CHAT_BODY)


def test_the_three_prompts_agree(server: LocalServer) -> None:
    assert prompt_differences(render_all(server, BODIES)) == {}


def swap_result_ids(body: dict[str, Any]) -> None:
    first, second, _ = body["messages"][-1]["content"]
    first["tool_use_id"], second["tool_use_id"] = second["tool_use_id"], first["tool_use_id"]


def swap_results(body: dict[str, Any]) -> None:
    content = body["messages"][-1]["content"]
    content[0], content[1] = content[1], content[0]


def change_nested_argument(body: dict[str, Any]) -> None:
    body["messages"][1]["content"][2]["input"]["stay"]["guests"][0]["name"] = "Bo"


def drop_nested_schema(body: dict[str, Any]) -> None:
    del body["tools"][1]["input_schema"]["properties"]["stay"]["properties"]["guests"]


def drop_system(body: dict[str, Any]) -> None:
    del body["system"]


def move_question(body: dict[str, Any]) -> None:
    body["messages"].append(body["messages"].pop(0))


@pytest.mark.parametrize(
    "damage",
    [swap_result_ids, swap_results, change_nested_argument, drop_nested_schema, drop_system, move_question],
)
def test_a_damaged_body_is_told_apart(server: LocalServer, damage: Callable[[dict[str, Any]], None]) -> None:
    damaged = copy.deepcopy(MESSAGES_BODY)
    damage(damaged)
    prompts = render_all(server, {**BODIES, "messages": damaged})
    assert prompt_differences(prompts) == {"messages": rendered_turns(prompts["messages"])}


def test_responses_must_match_chat_to_the_character(server: LocalServer) -> None:
    changed = {**RESPONSES_BODY, "instructions": SYSTEM + " "}
    prompts = render_all(server, {**BODIES, "responses": changed})
    assert prompt_differences(prompts) == {"responses": rendered_turns(prompts["responses"])}


def test_user_text_moves_before_its_own_results_only() -> None:
    turns = [("user", "a"), ("tool", "1"), ("tool", "2"), ("assistant", "b"), ("tool", "3"), ("user", "c")]
    assert user_text_before_results(turns) == [*turns[:4], ("user", "c"), ("tool", "3")]


def test_a_refusal_comes_back_with_its_status(server: LocalServer) -> None:
    body = {**CHAT_BODY, "messages": [{"role": "user"}]}
    status, answer = server.post(ROUTES["chat"], body)
    message = "All non-assistant messages must contain 'content'"
    assert (status, answer) == (
        400,
        {"error": {"code": 400, "message": message, "type": "invalid_request_error"}},
    )
    with pytest.raises(ServerError, match=message):
        server.render(ROUTES["chat"], body)


def test_the_model_is_the_same_file_each_time(model: Path, tmp_path: Path) -> None:
    assert write_tiny_model(tmp_path / "again.gguf").read_bytes() == model.read_bytes()


def test_the_server_ends_with_its_block(model: Path) -> None:
    before = os.environ.get(SLOTS_DEBUG)
    with local_server(model) as short_lived:
        assert short_lived.last_prompt() == ""
    with pytest.raises(ServerError, match="/slots gave no JSON answer"):
        short_lived.last_prompt()
    assert os.environ.get(SLOTS_DEBUG) == before


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"not a model")
    with pytest.raises(ServerError, match=r"did not start with .*broken\.gguf"), local_server(broken):
        pass
    absent = tmp_path / "absent.gguf"
    with pytest.raises(ServerError, match=r"no model file at .*absent\.gguf"), local_server(absent):
        pass
