"""Law 3: what reading remembers is a hint; a value that was changed since wins over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from promptwire import (
    Cache,
    Continuation,
    Document,
    Instruction,
    Message,
    Options,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)
from promptwire.parts import Refusal
from tests.internals.runtime import same
from tests.laws.traces import module

Json = dict[str, Any]
Change = Callable[[Request], Request]
HI: Json = {"role": "user", "content": "hi"}
GO: Json = {"role": "user", "content": "go"}
SCHEMA: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
OTHER: Json = {"type": "object", "properties": {"town": {"type": "string"}}}


def options(**given: Any) -> Change:
    """Set options."""
    return lambda request: replace(request, options=replace(request.options, **given))


def fields(**given: Any) -> Change:
    """Set fields of the request."""
    return lambda request: replace(request, **given)


def node(field: str, index: int, **given: Any) -> Change:
    """Set fields of one tool, layer or message."""

    def change(request: Request) -> Request:
        nodes: list[Any] = list(getattr(request, field))
        nodes[index] = replace(nodes[index], **given)
        changed: dict[str, Any] = {field: tuple(nodes)}
        return replace(request, **changed)

    return change


def part(message: int, index: int, **given: Any) -> Change:
    """Set fields of one part."""

    def change(request: Request) -> Request:
        messages = list(request.messages)
        parts = list(messages[message].parts)
        parts[index] = replace(parts[index], **given)
        messages[message] = replace(messages[message], parts=tuple(parts))
        return replace(request, messages=tuple(messages))

    return change


def chat(*messages: Json, **more: Any) -> Json:
    """Make a body of Chat Completions."""
    return {"model": "m", "messages": list(messages), **more}


def responses(*items: Json, **more: Any) -> Json:
    """Make a body of Responses."""
    return {"model": "m", "input": list(items), **more}


def claude(*messages: Json, **more: Any) -> Json:
    """Make a body of Messages."""
    return {"model": "m", "max_tokens": 8, "messages": list(messages), **more}


def called(**call: Any) -> Json:
    """Make an assistant message of Chat Completions with one call."""
    return {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", **call}}],
    }


def function(**more: Any) -> Json:
    """Make a function tool of Chat Completions."""
    return {"type": "function", "function": {"name": "f", **more}}


def text(value: str, **more: Any) -> Json:
    """Make a text block."""
    return {"type": "text", "text": value, **more}


# name: wire, body that is read, change, body that is built
CASES: dict[str, tuple[str, Json, Change, Json]] = {
    "null option": ("openai_chat", chat(HI, temperature=None), options(temperature=0.5), chat(HI, temperature=0.5)),
    "null object": ("openai_chat", chat(HI, metadata=None), fields(metadata={"a": "b"}), chat(HI, metadata={"a": "b"})),
    "null that goes away with nothing": (
        "openai_chat", chat(HI, seed=None), options(temperature=1), chat(HI, seed=None, temperature=1),
    ),
    "empty list": ("openai_chat", chat(HI, stop=[]), options(stop=("END",)), chat(HI, stop=["END"])),
    "empty text": (
        "openai_responses", responses(HI, instructions=""), fields(instructions="Be terse."),
        responses(HI, instructions="Be terse."),
    ),
    "empty tools": (
        "openai_chat", chat(HI, tools=[]), fields(tools=(Tool("f"),)), chat(HI, tools=[function()]),
    ),
    "alias": ("openai_chat", chat(HI, max_tokens=5), options(max_tokens=9), chat(HI, max_tokens=9)),
    "alias whose value is gone": ("openai_chat", chat(HI, max_tokens=5), options(max_tokens=None), chat(HI)),
    "one text instead of a list": ("openai_chat", chat(HI, stop="END"), options(stop=("A", "B")), chat(HI, stop=["A", "B"])),
    "a list for one text": (
        "openai_chat", chat({"role": "user", "content": [text("hi")]}), part(0, 0, text="bye"),
        chat({"role": "user", "content": [text("bye")]}),
    ),
    "a list that grew": (
        "openai_chat", chat({"role": "user", "content": [text("hi")]}),
        node("messages", 0, parts=(Text("a"), Text("b"))), chat({"role": "user", "content": [text("a"), text("b")]}),
    ),
    "a list with an unknown key in its one element": (
        "anthropic_messages", claude({"role": "user", "content": [text("hi", seen=1)]}), part(0, 0, text="bye"),
        claude({"role": "user", "content": [text("bye", seen=1)]}),
    ),
    "an element that is replaced": (
        "anthropic_messages", claude({"role": "user", "content": [text("hi", seen=1)]}),
        node("messages", 0, parts=(Text("new"),)), claude({"role": "user", "content": "new"}),
    ),
    "text as the whole input": (
        "openai_responses", {"model": "m", "input": "hi"}, node("messages", 0, parts=(Text("bye"),)),
        responses({"role": "user", "content": "bye"}),
    ),
    "text as the whole input, then a conversation": (
        "openai_responses", {"model": "m", "input": "hi"},
        fields(messages=(Message("user", "go"), Message("assistant", "yes"), Message("user", "hi"))),
        responses(GO, {"role": "assistant", "content": "yes"}, HI),
    ),
    "a constant that may stand": (
        "openai_responses", responses({"type": "message", **HI}), part(0, 0, text="go"),
        responses({"type": "message", **GO}),
    ),
    "legacy tools": (
        "openai_chat", chat(HI, functions=[{"name": "f", "parameters": SCHEMA}]),
        node("tools", 0, parameters=OTHER), chat(HI, functions=[{"name": "f", "parameters": OTHER}]),
    ),
    "legacy tools that are gone": (
        "openai_chat", chat(HI, functions=[{"name": "f"}], function_call="auto"), fields(tools=None, tool_choice=None), chat(HI),
    ),
    "legacy choice": (
        "openai_chat", chat(HI, functions=[{"name": "f"}], function_call={"name": "f"}),
        fields(tool_choice=ToolChoice("none")), chat(HI, functions=[{"name": "f"}], function_call="none"),
    ),
    "another place for the format": (
        "anthropic_messages", claude(HI, output_format={"type": "json_schema", "schema": SCHEMA}),
        fields(response_format=ResponseFormat("json_schema", OTHER)),
        claude(HI, output_config={"format": {"type": "json_schema", "schema": OTHER}}),
    ),
    "a default that was not written": (
        "anthropic_messages",
        claude({"role": "user", "content": [{"type": "document", "source": {"type": "text", "data": "x"}}]}),
        node("messages", 0, parts=(Document(text="y", media_type="text/html"),)),
        claude({"role": "user", "content": [
            {"type": "document", "source": {"type": "text", "media_type": "text/html", "data": "y"}}]}),
    ),
    "arguments as text": (
        "openai_chat", chat(HI, called(arguments='{ "a": 1 }')), part(1, 0, arguments={"a": 2}),
        chat(HI, called(arguments='{"a":2}')),
    ),
    "null beside calls": (
        "openai_chat", chat(HI, {"content": None, **called(arguments="{}")}),
        node("messages", 1, parts=(Text("wait"), ToolCall("c1", "f", "{}"))),
        chat(HI, {"content": "wait", **called(arguments="{}")}),
    ),
    "null refusal": (
        "openai_chat", chat(HI, {"role": "assistant", "content": "no", "refusal": None}),
        node("messages", 1, parts=(Refusal("never"),)), chat(HI, {"role": "assistant", "refusal": "never"}),
    ),
    "a refusal among the parts": (
        "openai_chat", chat(HI, {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}),
        node("messages", 1, parts=(Refusal("never"),)), chat(HI, {"role": "assistant", "refusal": "never"}),
    ),
    "a refusal among the parts, in other words": (
        "openai_chat", chat(HI, {"role": "assistant", "content": [text("So:"), {"type": "refusal", "refusal": "no"}]}),
        part(1, 1, text="never"),
        chat(HI, {"role": "assistant", "content": [text("So:"), {"type": "refusal", "refusal": "never"}]}),
    ),
    "a legacy call": (
        "openai_chat", chat(HI, {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}),
        part(1, 0, name="g"), chat(HI, {"role": "assistant", "function_call": {"name": "g", "arguments": "{}"}}),
    ),
    "a plan and thinking": (
        "cohere_chat",
        chat(HI, {"role": "assistant", "tool_plan": "one", "content": [{"type": "thinking", "thinking": "two"}]}),
        part(1, 0, summary=("three",)),
        chat(HI, {"role": "assistant", "tool_plan": "three", "content": [{"type": "thinking", "thinking": "two"}]}),
    ),
    "null inside": (
        "openai_chat",
        chat({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a", "detail": None}}]}),
        part(0, 0, detail="high"),
        chat({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a", "detail": "high"}}]}),
    ),
    "a bare image url": (
        "openai_chat", chat({"role": "user", "content": [{"type": "image_url", "image_url": "https://a"}]}),
        part(0, 0, url="https://b"), chat({"role": "user", "content": [{"type": "image_url", "image_url": "https://b"}]}),
    ),
    "a cache mark with null": (
        "anthropic_messages",
        claude({"role": "user", "content": [text("hi", cache_control={"type": "ephemeral", "ttl": None})]}),
        part(0, 0, cache=Cache("1h")),
        claude({"role": "user", "content": [text("hi", cache_control={"type": "ephemeral", "ttl": "1h"})]}),
    ),
    "a cache mark that is gone": (
        "anthropic_messages",
        claude({"role": "user", "content": [text("hi", cache_control={"type": "ephemeral", "ttl": None, "x": 1})]}),
        part(0, 0, cache=None), claude(HI),
    ),
    "an empty result": (
        "anthropic_messages",
        claude(HI, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": ""}]}),
        node("messages", 1, parts=(ToolResult("c1", (Text("ok"),)),)),
        claude(HI, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]}),
    ),
    "a list for the system text": (
        "anthropic_messages", claude(HI, system=[text("Be terse.")]), fields(instructions=(Instruction("Be kind."),)),
        claude(HI, system=[text("Be kind.")]),
    ),
    "a lifted system message in list form": (
        "openai_chat", chat({"role": "system", "content": [text("Be terse.")]}, HI), fields(instructions="Be kind."),
        chat({"role": "system", "content": [text("Be kind.")]}, HI),
    ),
    "an unknown key": ("openai_chat", chat(HI, new_key=[1]), fields(model="n"), {**chat(HI, new_key=[1]), "model": "n"}),
    "a known key of a wrong type": ("openai_chat", chat(HI, temperature="hot"), options(temperature=1), chat(HI, temperature=1)),
    "a stored conversation given as null": (
        "openai_responses", responses(HI, previous_response_id=None), fields(continuation=Continuation(id="r1")),
        responses(HI, previous_response_id="r1"),
    ),
    "stream options as null": (
        "openai_chat", chat(HI, stream=True, stream_options=None), fields(stream_usage=True),
        chat(HI, stream=True, stream_options={"include_usage": True}),
    ),
    "every option taken back": (
        "openai_chat", chat(HI, temperature=1, stop="END", max_tokens=5, seed=None), fields(options=Options()),
        chat(HI, seed=None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("policies", ["verbatim", "loss=note,refusals=send,repairs=off"])
def test_the_new_value_wins(name: str, policies: str) -> None:
    wire, body, change, expected = CASES[name]
    request = module(wire).read(body).request
    assert same(module(wire).build(request, policies="verbatim").body, body)
    built = module(wire).build(change(request), policies=policies).body
    assert same(built, expected), built
