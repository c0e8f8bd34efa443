"""Arguments of tool calls given as JSON text: kept to the letter where text is wanted, else an object, or an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import (
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
from promptwire.errors import AnswerError, InvalidRequest

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
        wire.build(calling(text), policies="lenient,arguments=off")
    name = wire.WIRE.name
    assert str(refused.value) == f"{name}: messages[1].parts[1]: tool arguments are {why} (call call_1)"
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[1]", "arguments")


@pytest.mark.parametrize("text", [*TEXTS, '{"a": 1, "a": 2}', '{"a": NaN}', "broken", ""])
def test_a_text_goes_out_to_the_letter_where_text_is_wanted(text: str) -> None:
    body: Any = openai_chat.build(calling(text)).body
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == text


@pytest.mark.parametrize(
    ("text", "means"),
    [
        # BerriAI/litellm issue 40582: two of three calls with several objects repeat one
        ('{"a": 1}{"a": 1} {"a":1}', {"a": 1}),
        ('{}{"a": 1}', {"a": 1}),
        ("{}{}", {}),
        # openclaw/openclaw PR 141323
        ('{"a": "b\n\tc"}', {"a": "b\n\tc"}),
        (json.dumps('{"a": 1}'), {"a": 1}),
        ('{"a": 1}{"a": 2}', None),
        ('{"a": 1}{"a": 1}[]', None),
        ('{"a": 1}{"a": ', None),
        ("[1]\n[1]", None),
        (json.dumps('"a"'), None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wire", [openai_chat, anthropic_messages, bedrock_converse])
def test_a_text_that_means_one_object_is_that_object(wire: Any, text: str, means: Any) -> None:
    body = cut_call(wire, text)
    answer = wire.read_answer(body)
    assert wire.write_answer(answer) == body
    if means is None:
        assert [each.arguments for each in answer.calls] in ([text], [])
        return
    assert [each.parsed_arguments for each in answer.calls] == [means]
    assert [note.action for note in answer.deviations] == ["replaced"]


def cut_call(wire: Any, text: str) -> dict[str, Any]:
    """Write an answer whose only call was cut off at the limit of tokens."""
    if wire is openai_chat:
        call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": text}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"id": "a", "choices": [{"index": 0, "message": message, "finish_reason": "length"}]}
    if wire is anthropic_messages:
        call = {"type": "tool_use", "id": "c1", "name": "f", "input": text}
        return {"type": "message", "role": "assistant", "content": [call], "stop_reason": "max_tokens"}
    call = {"toolUse": {"toolUseId": "c1", "name": "f", "input": text}}
    return {"output": {"message": {"role": "assistant", "content": [call]}}, "stopReason": "max_tokens"}


@pytest.mark.parametrize("wire", [openai_chat, anthropic_messages, bedrock_converse])
def test_a_call_that_was_cut_off_goes_back_with_its_text(wire: Any) -> None:
    body = cut_call(wire, '{"city": "Os')
    answer = wire.read_answer(body)
    (call,) = answer.calls
    assert call.arguments == '{"city": "Os'
    with pytest.raises(AnswerError, match=r"the arguments of f .* are not valid JSON"):
        _ = call.parsed_arguments
    assert wire.write_answer(answer) == body
    first = Request("m", [user("q")], tools=[Tool("f", "d", SCHEMA)], options=Options(max_tokens=9))
    following = first.after(answer, tool_result(call, "The arguments were cut off."))
    (part, *_) = wire.read(wire.build(following).body).request.messages[1].parts
    assert part.parsed_arguments == {"arguments": '{"city": "Os'}
