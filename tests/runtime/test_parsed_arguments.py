"""The arguments of a call as an object: arguments that came as text are parsed, and other values are an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from promptwire import CustomTool, Request, Tool, ToolCall, openai_chat, tool_result, user
from promptwire.errors import AnswerError

OBJECT = {"city": "Oslo", "days": [1, 2]}


@pytest.mark.parametrize(
    ("arguments", "data"),
    [
        (OBJECT, OBJECT),
        ('{"city": "Oslo", "days": [1, 2]}', OBJECT),
        ({}, {}),
        ("{}", {}),
        ("", {}),
        (" \n", {}),
    ],
)
def test_arguments_are_an_object(arguments: Any, data: dict[str, Any]) -> None:
    assert ToolCall("c1", "weather", arguments).parsed_arguments == data


def test_free_text_is_the_argument_input() -> None:
    """A loop that runs every call by its arguments runs custom tools as well."""
    call = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
    function = {"id": "c2", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call, function]}
    answer = openai_chat.read_answer({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    tools: dict[str, Callable[..., str]] = {
        "sql": lambda **given: f"ran {given['input']}",
        "add": lambda a, b: str(a + b),
    }
    results = [tool_result(call, tools[call.name](**call.parsed_arguments)) for call in answer.calls]
    request = Request("gpt-5", [user("go")], tools=[CustomTool("sql"), Tool("add")]).after(answer, *results)
    sent = openai_chat.build(request).body["messages"]
    assert sent[1:] == [
        message,
        {"role": "tool", "tool_call_id": "c1", "content": "ran SELECT 1"},
        {"role": "tool", "tool_call_id": "c2", "content": "3"},
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            ToolCall("c1", "weather", '{"city": "Os'),
            "the arguments of weather (c1) are not valid JSON: Unterminated string starting at: line 1 column 10 (char 9): "
            '\'{"city": "Os\'',
        ),
        (ToolCall(None, "weather", "[1]"), "the arguments of weather are not a JSON object: '[1]'"),
        (ToolCall("c1", "f", "9" * 300), f"the arguments of f (c1) are not a JSON object: '{'9' * 200}...'"),
        (
            ToolCall("c1", "f", "[" * 90_000),
            f"the arguments of f (c1) are not valid JSON: maximum recursion depth exceeded while decoding a JSON array from a "
            f"unicode string: '{'[' * 200}...'",
        ),
    ],
)
def test_any_other_text_is_an_error_that_names_the_call(call: ToolCall, said: str) -> None:
    with pytest.raises(AnswerError) as caught:
        _ = call.parsed_arguments
    assert str(caught.value) == said


def test_the_old_name_still_works_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="parsed_arguments"):
        assert ToolCall("c1", "weather", "{}").data == {}
