"""One conversation as a neutral request, and what it is built into for the three APIs of the local server."""

from __future__ import annotations

from typing import Any

from promptwire import (
    Built,
    Message,
    Options,
    Request,
    Tool,
    ToolCall,
    anthropic_messages,
    assistant,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)

from .server import ROUTES, Wire

SYSTEM = "Answer in one line."
QUESTION = "How warm is Oslo? Book two nights there."
PREAMBLE = "I look and book."
ANSWER = "12 C, and two nights are booked."
FOLLOW_UP = "Thanks. And tomorrow?"

WEATHER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["C", "F"]}},
    "required": ["city"],
    "additionalProperties": False,
}
BOOK_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
    "required": ["city", "nights"],
}

# llama.cpp takes an assistant item of /v1/responses only with its type; the API itself does not ask for it.
TYPED_ITEM = {"openai_responses": {"type": "message"}}


def messages(*, answered: bool = True) -> tuple[Message, ...]:
    """The turns: a question, two parallel calls, their results, an answer, the last question.

    Args:
        answered: without it, the last question follows the tool results directly.
    """
    calls = (
        ToolCall("call_1", "weather", {"city": "Oslo", "unit": "C"}),
        ToolCall("call_2", "book", {"city": "Oslo", "nights": 2}),
    )
    return (
        user(QUESTION),
        assistant(PREAMBLE, *calls, extra=TYPED_ITEM),
        tool_result("call_1", "12 C"),
        tool_result("call_2", "booked"),
        *((assistant(ANSWER, extra=TYPED_ITEM),) if answered else ()),
        user(FOLLOW_UP),
    )


def request(*, answered: bool = True) -> Request:
    """The conversation with its system text, both tools and the longest answer in tokens."""
    return Request(
        "tiny",
        messages(answered=answered),
        instructions=SYSTEM,
        tools=(
            Tool("weather", "The weather now.", WEATHER_SCHEMA),
            Tool("book", "Book a room.", BOOK_SCHEMA),
        ),
        options=Options(max_tokens=24),
    )


def build_all(conversation: Request, server: str | None = None) -> dict[Wire, Built[Any]]:
    """Build one request for each API.

    Args:
        conversation: the neutral request.
        server: scheme, host and port of a local server instead of the vendors' own.
    """
    versioned: dict[str, str] = {} if server is None else {"base_url": f"{server}/v1", "api_key": "local"}
    bare: dict[str, str] = {} if server is None else {"base_url": server, "api_key": "local"}
    built: dict[Wire, Built[Any]] = {
        "chat": openai_chat.build(conversation, settings=versioned),
        "responses": openai_responses.build(conversation, settings=versioned),
        "messages": anthropic_messages.build(conversation, settings=bare),
    }
    if server is not None:
        wrong = {wire: made.url for wire, made in built.items() if made.url != server + ROUTES[wire]}
        if wrong:
            raise ValueError(f"the server has no such routes: {wrong}")
    return built
