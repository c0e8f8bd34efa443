"""Never executed: what type checkers must see when a caller builds and reads requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, assert_type

import promptwire
from promptwire import (
    STRICT,
    Built,
    Message,
    Note,
    Options,
    Policies,
    Reading,
    Request,
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
assert_type(chat.body.get("stop"), list[str] | Any | None)
assert_type(chat.body.get("tools"), list[openai_chat_types.ToolJson] | None)

messages = anthropic_messages.build(request, settings={"api_key": "key"}, policies="lenient")
assert_type(messages, Built[anthropic_messages_types.Body])
assert_type(messages.body["messages"], list[anthropic_messages_types.Item])
assert_type(messages.body["max_tokens"], int)
assert_type(messages.body.get("system"), str | list[anthropic_messages_types.InstructionJson] | None)

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
assert_type(STRICT, Policies)
assert_type(load_request({"model": "m"}), Request)
assert_type(dump_request(request), dict[str, Any])
assert_type(openai_chat.CAPABILITIES, Mapping[str, Any])
assert_type(promptwire.openai_chat.build(request).body, openai_chat_types.Body)
