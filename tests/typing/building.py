"""Never executed: what type checkers must see when a caller builds and reads requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, assert_type

import promptwire
from promptwire import (
    Api,
    Built,
    Message,
    Note,
    Options,
    Policies,
    Problem,
    Reading,
    Request,
    Tool,
    anthropic_messages,
    dump_request,
    load_request,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.anthropic_messages import types as anthropic_messages_types
from promptwire.openai_chat import types as openai_chat_types
from promptwire.openai_responses import types as openai_responses_types

request = Request("some-model", [user("hi")], options=Options(max_tokens=8))

# each wire has a body of its own

chat = openai_chat.build(request)
assert_type(chat, Built[openai_chat_types.Body])
assert_type(chat.body, openai_chat_types.Body)
assert_type(chat.body["messages"], list[openai_chat_types.Item])
assert_type(chat.body["model"], str)
assert_type(chat.body.get("temperature"), float | None)
assert_type(chat.body.get("stop"), list[str] | str | None)
assert_type(chat.body.get("response_format"), openai_chat_types.ResponseFormatJson | None)
assert_type(chat.body.get("tools"), list[openai_chat_types.ToolJson] | None)

messages = anthropic_messages.build(request, settings={"api_key": "key"}, policies="lenient")
assert_type(messages, Built[anthropic_messages_types.Body])
assert_type(messages.body["messages"], list[anthropic_messages_types.Item])
assert_type(messages.body["max_tokens"], int)
assert_type(messages.body.get("system"), str | list[anthropic_messages_types.InstructionJson] | None)

assert_type(messages.body.get("thinking"), anthropic_messages_types.BodyThinkingForms | None)

# what messages and parts hold, by the shapes of the spec


def see_a_message(
    message: openai_chat_types.AssistantMessage, result: openai_chat_types.ToolResultPart
) -> None:
    """See the parts of a message, and of a tool's result."""
    assert_type(message.get("content"), str | list[openai_chat_types.AssistantPart] | None)
    assert_type(message.get("refusal"), str | None)
    assert_type(
        message.get("tool_calls"),
        list[openai_chat_types.ToolCallPart | openai_chat_types.CustomToolCallPart] | None,
    )
    assert_type(message.get("audio"), openai_chat_types.AudioIdPart | None)
    assert_type(result["content"], str | list[openai_chat_types.ToolPart])


def see_a_budget(thinking: anthropic_messages_types.BodyThinkingBudget) -> None:
    """See a union's shape where it is spread among other keys."""
    assert_type(thinking["type"], Literal["enabled"])
    assert_type(thinking["budget_tokens"], int)
    assert_type(thinking.get("display"), str | None)
    assert_type(thinking.get("block_binding"), Any | None)


def see_a_block(
    block: anthropic_messages_types.ToolResultPart, image: anthropic_messages_types.ImageDataPart
) -> None:
    """See what a tool's result holds, and the words that an image may have."""
    assert_type(block.get("content"), str | list[anthropic_messages_types.InsideToolResult] | None)
    assert_type(image["source"]["media_type"], Literal["image/jpeg", "image/png", "image/gif", "image/webp"])


responses = openai_responses.build(request, policies=Policies(loss="note"))
assert_type(responses, Built[openai_responses_types.Body])
assert_type(responses.body.get("instructions"), str | None)

# what is around the body

assert_type(chat.method, str)
assert_type(chat.url, str)
assert_type(chat.shown_url, str)
assert_type(chat.headers, dict[str, str])
assert_type(chat.json(), bytes)
assert_type(chat.curl(), str)
assert_type(chat.digest, str)
assert_type(chat.notes, tuple[Note, ...])

# reading, and moving to another wire

reading = openai_chat.read(chat.body, chat.url)
assert_type(reading, Reading)
assert_type(reading.request, Request)
assert_type(reading.leaves, int)
assert_type(reading.understood, int)
assert_type(reading.kept, int)
assert_type(reading.unknown, Iterator[str])
assert_type(anthropic_messages.build(reading.request).body, anthropic_messages_types.Body)

# the model, and files of it

assert_type(request.messages, tuple[Message, ...])
assert_type(request.options.temperature, float | None)
assert_type(Policies(), Policies)
assert_type(load_request({"model": "m"}), Request)
assert_type(dump_request(request), dict[str, Any])
assert_type(openai_chat.WIRE.capabilities, Mapping[str, Any])
assert_type(promptwire.openai_chat.build(request).body, openai_chat_types.Body)

# any wire, and copies of nodes with what their constructors take

wires: dict[str, Api] = {"openai": openai_chat, "anthropic": anthropic_messages}
wires["groq"] = promptwire.wire("groq_chat")
assert_type(wires["groq"].build(request).json(), bytes)


def see_operations(api: Api) -> None:
    """See that any API and a module have the same operations."""
    assert_type(api.check(request), tuple[Problem, ...])
    assert_type(openai_chat.check(request), tuple[Problem, ...])
    assert_type(api.explain(request, policies="lenient").problems, tuple[Problem, ...])
    assert_type(openai_chat.explain(request, policies="lenient").problems, tuple[Problem, ...])
    assert_type(api.write_answer(api.read_answer({}), id="a", created=1), Any)


see_operations(openai_chat)
see_operations(promptwire.wire("groq_chat"))
assert_type(promptwire.WIRES, tuple[str, ...])
assert_type(promptwire.__version__, str)
changed = request.replace(messages=[user("hi")], tools=[Tool("f")], instructions="Be brief.", include="x")
assert_type(changed, Request)
assert_type(changed.options.replace(temperature=0.5, stop=["end"]), Options)
assert_type(changed.messages[0].replace(parts="hello"), Message)
