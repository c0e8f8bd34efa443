"""Arguments of tool calls given as JSON text: kept to the letter where text is wanted, else an object, or an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import (
    InvalidRequest,
    Options,
    Request,
    Tool,
    ToolCall,
    anthropic_messages,
    assistant,
    bedrock_converse,
    openai_chat,
    tool_result,
    user,
)

SCHEMA = {"type": "object"}


def calling(arguments: str) -> Request:
    """Make a request whose second message calls a tool with these arguments."""
    turns = [user("q"), assistant("a", ToolCall("call_1", "f", arguments)), tool_result("call_1", "r")]
    return Request("m", turns, tools=[Tool("f", "d", SCHEMA)], options=Options(max_tokens=9))


TEXTS = [
    "{}",
    ' {"a" : 1} ',
    '{"a": "b:c"}',
    '{"a": {"b": 1}, "c": {"b": 2}}',
    '{"a": [{"b": 1}, {"b": 1}]}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_holds_an_object_is_that_object(text: str) -> None:
    body: Any = anthropic_messages.build(calling(text)).body
    assert body["messages"][1]["content"][1]["input"] == json.loads(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "not valid JSON: the key 'a' is repeated, and one value would be lost"),
        ('{"a": [{"b": 1, "c": 2, "b": 1}]}', "not valid JSON: the key 'b' is repeated, and one value would be lost"),
        ('{"a": {}, "a": {}}', "not valid JSON: the key 'a' is repeated, and one value would be lost"),
        ('{"a": NaN}', "not valid JSON: NaN is not a JSON number"),
        ('{"a": {"b": -Infinity}}', "not valid JSON: -Infinity is not a JSON number"),
        ('{"a": 1.5, "b": 1e400}', "not valid JSON: 1e400 is not a JSON number"),
        ('{"a": 1', "not valid JSON: Expecting ',' delimiter: line 1 column 8 (char 7)"),
        ('["a", "a"]', "a list; this API accepts an object"),
        ('"a"', "text; this API accepts an object"),
        ("null", "null; this API accepts an object"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wire", [anthropic_messages, bedrock_converse])
def test_a_text_that_would_lose_a_value_is_refused(wire: Any, text: str, why: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        wire.build(calling(text), policies="lenient")
    name = wire.WIRE.name
    assert str(refused.value) == f"{name}: messages[1].parts[1]: tool arguments are {why} (call call_1)"
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[1]", "arguments")


@pytest.mark.parametrize("text", [*TEXTS, '{"a": 1, "a": 2}', '{"a": NaN}', "broken", ""])
def test_a_text_goes_out_to_the_letter_where_text_is_wanted(text: str) -> None:
    body: Any = openai_chat.build(calling(text)).body
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == text
