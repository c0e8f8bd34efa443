"""Never executed: the loop with tools, and what type checkers must see of its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_type

from promptwire import Answer, Request, ToolCall, openai_chat, tool_result
from promptwire.parts import CustomToolCall

Tools = Mapping[str, Callable[..., str]]


def run_agent(request: Request, send: Callable[[Any], Mapping[str, Any]], tools: Tools) -> Answer:
    """Run the loop of the README."""
    answer = openai_chat.read_answer(send(openai_chat.build(request)))
    while answer.calls:
        results = [tool_result(call, tools[call.name](**call.parsed_arguments)) for call in answer.calls]
        request = request.after(answer, *results)
        answer = openai_chat.read_answer(send(openai_chat.build(request)))
    return answer


def see_calls(answer: Answer) -> None:
    """See both kinds of calls, and that both have arguments."""
    assert_type(answer.calls, tuple[ToolCall | CustomToolCall, ...])
    for call in answer.calls:
        assert_type(call.name, str)
        assert_type(call.parsed_arguments, dict[str, Any])
