"""Answers and requests that differ from every documented shape in what says nothing: they are read, and it is told."""

from __future__ import annotations

import math
from typing import Any

import pytest

from promptwire import (
    Note,
    Request,
    ToolCall,
    anthropic_messages,
    azure_openai_responses,
    bedrock_converse,
    mistral_conversations,
    openai_chat,
    openai_responses,
    tool_result,
    user,
    yandex_completion,
)
from promptwire.errors import AnswerError
from promptwire.parts import HostedCall
from promptwire.results import Usage, answer_coverage


def answered(*calls: dict[str, Any], finish: str = "tool_calls") -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": list(calls)}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


FUNCTION = {"name": "now", "arguments": '{"zone":"UTC"}'}
CALLS: list[tuple[dict[str, Any], str]] = [
    ({"id": "call_1", "function": FUNCTION}, "type"),
    ({"id": "call_1", "type": None, "function": FUNCTION}, "type"),
    ({"id": "call_1", "type": "", "function": FUNCTION}, "type"),
    (
        {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": {"zone": "UTC"}}},
        "arguments",
    ),
    ({"id": None, "type": "function", "function": FUNCTION}, "id"),
    ({"type": "function", "function": FUNCTION}, "id"),
    ({"id": 7, "type": "function", "function": FUNCTION}, "id"),
]


@pytest.mark.parametrize(("call", "field"), CALLS, ids=str)
def test_calls_of_other_hosts_are_calls(call: dict[str, Any], field: str) -> None:
    body = answered(call)
    answer = openai_chat.read_answer(body)
    (read,) = answer.calls
    assert isinstance(read, ToolCall)
    assert (read.name, read.parsed_arguments) == ("now", {"zone": "UTC"})
    assert read.id
    assert [note.field for note in answer.deviations] == [field]
    assert answer.deviations[0].path.startswith("choices[0].message.tool_calls[0]")
    assert answer.unread == ()
    assert openai_chat.write_answer(answer) == body


@pytest.mark.parametrize("given", [{}, {"arguments": None}], ids=str)
def test_a_function_without_parameters_needs_no_arguments(given: dict[str, Any]) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "now", **given}}
    answer = openai_chat.read_answer(answered(call))
    (read,) = answer.calls
    assert isinstance(read, ToolCall)
    assert read.parsed_arguments == {}
    assert openai_chat.write_answer(answer) == answered(call)


@pytest.mark.parametrize("value", [10**5000, float("nan"), {1, 2}], ids=["huge", "nan", "set"])
def test_arguments_that_are_no_json_are_a_problem(value: Any) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": value}}}
    answer = openai_chat.read_answer(answered(call))
    assert answer.deviations == ()
    assert [note.path for note in answer.unread] == ["choices[0].message.tool_calls[0]"]


def test_two_calls_without_ids_get_two() -> None:
    answer = openai_chat.read_answer(answered({"function": FUNCTION}, {"function": FUNCTION}))
    first, second = answer.calls
    assert first.id != second.id
    following = Request("m", user("hi")).after(answer, tool_result(first, "a"), tool_result(second, "b"))
    assert len(following.messages) == 4


def test_a_call_that_no_shape_takes_is_told() -> None:
    answer = openai_chat.read_answer(answered({"id": "c", "type": "function", "function": {"nam": "x"}}))
    (problem,) = answer.unread
    assert (problem.path, problem.field) == ("choices[0].message.tool_calls[0]", "")
    assert "no shape of OpenAI Chat Completions takes this" in str(problem)
    with pytest.raises(AnswerError, match=r"choices\[0\].message.tool_calls\[0\]"):
        _ = answer.calls
    with pytest.raises(AnswerError, match="was not understood"):
        Request("m", user("hi")).after(answer, user("go on"))


def test_all_calls_that_no_shape_takes_are_told() -> None:
    answer = openai_chat.read_answer(answered({"function": {"nam": "x"}}, {"function": 5}))
    with pytest.raises(AnswerError) as raised:
        _ = answer.calls
    first, second = map(str, answer.unread)
    assert str(raised.value) == f"a tool call of the answer was not understood: {first}; {second}"


def test_text_in_place_of_a_list_of_items_is_told() -> None:
    body = {"id": "r", "object": "response", "status": "completed", "output": "Hi"}
    answer = openai_responses.read_answer(body)
    assert [f"{note.path}{note.field}" for note in answer.unread] == ["output"]
    assert openai_responses.write_answer(answer) == body


def test_content_of_which_nothing_is_understood_has_no_text() -> None:
    body = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "hologram", "data": 1}],
        "stop_reason": "end_turn",
    }
    answer = anthropic_messages.read_answer(body)
    assert [note.path for note in answer.unread] == ["content[0]"]
    with pytest.raises(AnswerError, match=r"content\[0\]"):
        _ = answer.text


def test_a_message_that_does_not_say_whose_it_is_is_the_models() -> None:
    body = {"id": "r", "status": "completed", "output": [{"type": "message", "content": [{"text": "hi"}]}]}
    answer = openai_responses.read_answer(body)
    assert answer.text == "hi"
    assert [f"{note.path}.{note.field}" for note in answer.deviations] == [
        "output[0].content[0].type",
        "output[0].role",
    ]
    assert openai_responses.write_answer(answer) == body


def test_what_could_be_two_things_is_neither() -> None:
    # a call of a function, or of a tool that the server runs
    body = {"content": [{"id": "t", "name": "web_search", "input": {}}], "stop_reason": "tool_use"}
    answer = anthropic_messages.read_answer(body)
    assert [note.path for note in answer.unread] == ["content[0]"]
    with pytest.raises(AnswerError):
        _ = answer.calls


def test_requests_are_read_alike() -> None:
    body = {
        "model": "m",
        "messages": [
            {"role": "user", "content": [{"text": "hi"}]},
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}]},
            {"tool_call_id": "c", "content": "done"},
        ],
        "tools": [{"function": {"name": "f", "parameters": {"type": "object"}}}],
        "tool_choice": {"function": {"name": "f"}},
    }
    reading = openai_chat.read(body)
    assert [f"{note.path}.{note.field}" for note in reading.deviations] == [
        "messages[0].content[0].type",
        "messages[1].tool_calls[0].type",
        "messages[1].tool_calls[0].function.arguments",
        "messages[2].role",
        "tool_choice.type",
        "tools[0].type",
    ]
    assert reading.unread == ()
    assert [message.role for message in reading.request.messages] == ["user", "assistant", "tool"]
    assert openai_chat.build(reading.request, policies="verbatim").body == body
    converse = bedrock_converse.build(reading.request, policies="lenient").body
    assert converse["messages"][1]["content"] == [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}]


def test_text_of_arguments_is_an_object_where_one_is_documented() -> None:
    body = {
        "model": "m",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t", "name": "f", "input": '{"a": 1}'}],
            },
        ],
    }
    reading = anthropic_messages.read(body)
    call = reading.request.messages[1].parts[0]
    assert isinstance(call, ToolCall)
    assert call.parsed_arguments == {"a": 1}
    assert [note.action for note in reading.deviations] == ["replaced"]
    assert anthropic_messages.build(reading.request, policies="verbatim").body == body


def test_the_linter_names_what_reading_assumed() -> None:
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": [{"text": "hi"}]}]}
    (finding,) = openai_chat.check(body)
    assert finding.path.startswith("messages[0].content[0]")


def test_arguments_of_a_hosted_call_that_are_no_object_come_back_and_are_counted() -> None:
    call = {"type": "tool_search_call", "id": "ts_1", "arguments": "wea", "status": "completed"}
    body = {"id": "r", "model": "m", "status": "completed", "output": [call]}
    answer = azure_openai_responses.read_answer(body)
    assert [part.arguments for part in answer.hosted if isinstance(part, HostedCall)] == ["wea"]
    assert azure_openai_responses.write_answer(answer) == body
    covered = answer_coverage(azure_openai_responses, answer)
    assert (covered.leaves, covered.understood, covered.kept) == (7, 6, 1)
    # another service of the same API
    notes: list[Note] = []
    (there,) = openai_responses.write_answer(answer, policies="lenient", notes=notes)["output"]
    assert there["arguments"] == {}
    assert [note.field for note in notes if note.action == "replaced"] == ["arguments"]


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_arguments_with_a_number_that_json_lacks_are_a_problem_where_they_become_text(number: float) -> None:
    call = {
        "object": "entry",
        "type": "function.call",
        "tool_call_id": "c1",
        "name": "f",
        "arguments": {"a": number},
    }
    body = {"conversation_id": "conv_1", "outputs": [call]}
    answer = mistral_conversations.read_answer(body)
    assert [(note.path, note.field) for note in answer.unread] == [("outputs[0]", "")]
    assert mistral_conversations.write_answer(answer)["outputs"] == [call]


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN", "1e999"])
def test_a_count_in_text_that_json_lacks_is_no_count(number: str) -> None:
    message = {"role": "assistant", "text": "Hi"}
    counts = {"inputTextTokens": number, "completionTokens": "1"}
    said = {"alternatives": [{"message": message, "status": "ALTERNATIVE_STATUS_FINAL"}], "usage": counts}
    answer = yandex_completion.read_answer({"result": said})
    assert (answer.text, answer.usage) == ("Hi", Usage(output=1))
    assert yandex_completion.write_answer(answer) == {"result": said}


def test_a_shape_that_names_the_lesser_part_of_an_object_is_not_near() -> None:
    said = {"id": "m1", "content": [{"type": "output_text", "text": "Four."}]}
    ran = {"id": "ws1", "status": "completed", "action": {"type": "search", "query": "two and two"}}
    body = {"id": "r1", "object": "response", "status": "completed", "output": [ran, said]}
    answer = openai_responses.read_answer(body)
    assert answer.text == "Four."
    assert [(note.path, note.field) for note in answer.unread] == [("output[0]", "")]
    assert openai_responses.write_answer(answer) == body
