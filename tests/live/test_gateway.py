"""`promptwire serve`: the vendors' own clients, each served by the other API of a real server."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import openai
import pytest
import uvicorn

from promptwire import (
    Api,
    anthropic_messages,
    gemini_generate,
    llamacpp_chat,
    openai_chat,
    openai_responses,
)
from tests.internals.clients import Gateway, application

from .agent import CITY
from .server import LocalServer
from .tiny_model import RESULT_SENTENCE

QUESTION = {"role": "user", "content": "How warm is Oslo?"}
RESULT = "12 C in Oslo"


@contextmanager
def serving(back: Api, base_url: str) -> Iterator[str]:
    """Run a gateway before a server; yield scheme, host and port."""
    fronts = (anthropic_messages, openai_chat, openai_responses, gemini_generate)
    made = Gateway(fronts=fronts, back=back, settings={"base_url": base_url})
    config = uvicorn.Config(application(made), host="127.0.0.1", port=0, log_config=None)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    running.should_exit = True
    thread.join(30)


@pytest.fixture(scope="module")
def address(server: LocalServer) -> Iterator[str]:
    """A gateway before Chat Completions of the server."""
    with serving(llamacpp_chat, f"{server.url}/v1") as address:
        yield address


@pytest.fixture(scope="module")
def claude_behind(server: LocalServer) -> Iterator[str]:
    """A gateway before Messages of the server."""
    with serving(anthropic_messages, server.url) as address:
        yield address


@pytest.fixture
def claude(address: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="k", base_url=address, max_retries=0) as client:
        yield client


@pytest.fixture
def gpt(claude_behind: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="k", base_url=f"{claude_behind}/v1", max_retries=0) as client:
        yield client


CLAUDE: dict[str, Any] = {
    "model": "tiny",
    "max_tokens": 128,
    "tools": [{"name": "weather", "description": "The weather now.", "input_schema": CITY}],
}
FUNCTION = {"name": "weather", "description": "The weather now.", "parameters": CITY}
GPT: dict[str, Any] = {
    "model": "tiny",
    "max_tokens": 128,
    "tools": [{"type": "function", "function": FUNCTION}],
}


@pytest.mark.parametrize("streamed", [True, False])
def test_an_anthropic_client_is_served_by_chat_completions(
    claude: anthropic.Anthropic, server: LocalServer, streamed: bool
) -> None:
    def ask(messages: list[Any]) -> Any:
        if not streamed:
            return claude.messages.create(**CLAUDE, messages=messages)
        with claude.messages.stream(**CLAUDE, messages=messages) as stream:
            return stream.get_final_message()

    first = ask([QUESTION])
    (call,) = first.content
    assert (call.type, call.name, call.input, first.stop_reason) == (
        "tool_use",
        "weather",
        {"city": "Oslo"},
        "tool_use",
    )
    assert first.usage.input_tokens + (first.usage.cache_read_input_tokens or 0) > 100
    assert 20 < first.usage.output_tokens <= 128
    result = {"type": "tool_result", "tool_use_id": call.id, "content": RESULT}
    turn = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}],
    }
    second = ask([QUESTION, turn, {"role": "user", "content": [result]}])
    assert [(block.type, block.text) for block in second.content] == [("text", RESULT_SENTENCE)]
    assert second.stop_reason == "end_turn"
    assert RESULT in server.last_prompt()


@pytest.mark.parametrize("streamed", [True, False])
def test_an_openai_client_is_served_by_messages(
    gpt: openai.OpenAI, server: LocalServer, streamed: bool
) -> None:
    def ask(messages: list[Any]) -> Any:
        if not streamed:
            return gpt.chat.completions.create(**GPT, messages=messages)
        with gpt.chat.completions.stream(
            **GPT, messages=messages, stream_options={"include_usage": True}
        ) as stream:
            for _ in stream:
                pass
            return stream.current_completion_snapshot

    first = ask([QUESTION])
    (call,) = first.choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments.replace(" ", "")) == ("weather", '{"city":"Oslo"}')
    assert first.choices[0].finish_reason == "tool_calls"
    assert first.usage.prompt_tokens > 100 and 20 < first.usage.completion_tokens <= 128
    function = {"name": call.function.name, "arguments": call.function.arguments}
    turn = {"role": "assistant", "tool_calls": [{"id": call.id, "type": "function", "function": function}]}
    second = ask([QUESTION, turn, {"role": "tool", "tool_call_id": call.id, "content": RESULT}])
    choice = second.choices[0]
    assert (choice.finish_reason, choice.message.content) == ("stop", RESULT_SENTENCE)
    assert not choice.message.tool_calls
    assert RESULT in server.last_prompt()


def test_what_cannot_be_read_or_is_refused_is_told(claude: anthropic.Anthropic, gpt: openai.OpenAI) -> None:
    with pytest.raises(anthropic.BadRequestError, match="messages"):
        claude.post("/v1/messages", cast_to=object, body={"model": "tiny"})
    # the server behind refuses it
    deep = {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}],
    }
    with pytest.raises(openai.APIStatusError, match="image"):
        gpt.chat.completions.create(model="tiny", messages=[deep])  # type: ignore[list-item]
