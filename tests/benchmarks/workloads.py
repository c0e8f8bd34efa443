"""Five conversations of increasing weight, made from a fixed seed.

short: one question. chat: 39 turns of text. tools: ten tools, calls and results.
agent: 101 turns, 50 calls, 30 tools. pictures: three images of 500,000 base64 characters.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from promptwire import Image, Message, Options, Request, Text, Tool, ToolCall, ToolResult

_WORDS = [
    "the",
    "exact",
    "request",
    "of",
    "every",
    "provider",
    "from",
    "one",
    "neutral",
    "conversation",
    "with",
    "nothing",
    "lost",
    "on",
    "the",
    "way",
]


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def text(self, size: int) -> Text:
        words: list[str] = []
        while sum(map(len, words)) + len(words) < size:
            words.append(self.random.choice(_WORDS))
        return Text(" ".join(words))

    def call(self) -> ToolCall:
        self.count += 1
        arguments = {
            "query": f"row {self.count}",
            "limit": 25,
            "exact": True,
            "fields": ["id", "title"],
            "from": {"d": 1},
        }
        return ToolCall(f"call_{self.count:06d}", f"tool_{self.count % 10}", arguments)

    def result(self, call: ToolCall) -> Message:
        return Message("tool", (ToolResult(call.id, (self.text(600),)),))


def _tools(count: int) -> list[Tool]:
    properties: dict[str, Any] = {
        f"field_{i}": {"type": "string", "description": "A field."} for i in range(8)
    }
    schema = {"type": "object", "properties": properties, "required": ["field_0"]}
    return [Tool(f"tool_{i}", f"Looks rows up in store {i}.", dict(schema)) for i in range(count)]


def _request(model: str, messages: list[Message], system: Text, tools: int = 0) -> Request:
    options = Options(max_tokens=1024, temperature=0.2)
    return Request(model, messages, instructions=system.text, tools=_tools(tools) or None, options=options)


def short(model: str) -> Request:
    writer = _Writer(1)
    return _request(model, [Message("user", (writer.text(120),))], writer.text(80))


def chat(model: str, turns: int = 39) -> Request:
    writer = _Writer(2)
    messages = [Message("assistant" if i % 2 else "user", (writer.text(300),)) for i in range(turns)]
    return _request(model, messages, writer.text(400))


def _turns(writer: _Writer, blocks: int, calls: tuple[int, ...]) -> list[Message]:
    messages: list[Message] = []
    for _ in range(blocks):
        messages.append(Message("user", (writer.text(200),)))
        for parallel in calls:
            made = [writer.call() for _ in range(parallel)]
            messages.append(Message("assistant", (writer.text(80), *made)))
            messages += [writer.result(call) for call in made]
        messages.append(Message("assistant", (writer.text(300),)))
    return [*messages, Message("user", (writer.text(100),))]


def tools(model: str) -> Request:
    writer = _Writer(3)
    return _request(model, _turns(writer, 1, (1, 2, 1)), writer.text(4096), 10)


def agent(model: str, blocks: int = 10) -> Request:
    writer = _Writer(4)
    return _request(model, _turns(writer, blocks, (2, 2, 1)), writer.text(4096), 30)


def pictures(model: str) -> Request:
    writer = _Writer(5)
    images = [Image(data="iVBORw0KGgoA" + "QUJD" * 124_997, media_type="image/png") for _ in range(3)]
    return _request(model, [Message("user", (writer.text(200), *images))], writer.text(80))


WORKLOADS: dict[str, Callable[[str], Request]] = {
    "short": short,
    "chat": chat,
    "tools": tools,
    "agent": agent,
    "pictures": pictures,
}
