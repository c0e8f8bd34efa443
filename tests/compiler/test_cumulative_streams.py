"""Streams whose events repeat all that came, lists inside objects, keys of a union, and lists of errors."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Request, Tool, ToolCall, assistant, tool_result, user, watsonx_chat, yandex_completion
from tests.compiler.test_envelopes_and_wrapping import problems


def line(text: str, status: str = "PARTIAL") -> dict[str, Any]:
    message = {"role": "assistant", "text": text}
    return {"result": {"alternatives": [{"message": message, "status": f"ALTERNATIVE_STATUS_{status}"}]}}


@pytest.mark.parametrize(
    ("texts", "heard"),
    [
        (["F", "Four", "Four.", "Four."], ["F", "our", "."]),
        (["", "Four."], ["Four."]),
        (["A draft", "No answer."], ["A draft", "No answer."]),
    ],
    ids=["grows", "begins empty", "begins otherwise"],
)
def test_callers_hear_what_is_new_of_a_repeated_text(texts: list[str], heard: list[str]) -> None:
    stream = yandex_completion.stream()
    lines = [*map(line, texts), line(texts[-1], "FINAL")]
    events = [event for each in lines for event in stream.feed(each)]
    assert [event.text for event in events if event.kind == "text"] == heard
    answer = stream.close()
    assert (answer.text, answer.finish) == (texts[-1], "stop")


@pytest.mark.parametrize("verb", ["put", "merge"])
def test_a_text_that_is_only_replaced_is_refused(verb: str) -> None:
    step = f"{{{verb}: result, to: result}}"
    (problem,) = problems(f'stream: {{events: {{"*": [{step}]}}}}\n', "yandex_completion")
    assert (problem.rule, "first piece" in problem.message) == ("bad-step", True)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("messages: {assistant: {toolCallList?: {also: 1}}}", "bad-hole"),
        ('messages: {user: {text?: null, "body?": {text: $content}}}', "bad-hole"),
        ("body: {...: $tools}", "bad-rest"),
        ("answer: {usage: {inputTextTokens: $input|upper}}", "bad-answer"),
        ("answer: {error: {error: [{message: $message}, {code: $code}]}}", "bad-answer"),
        ("answer: {body: {result: [{alternatives: $candidates}]}}", "bad-answer"),
        ("answer: {error: {trace?: $vendor.trace}}", "unknown-hole"),
    ],
)
def test_what_cannot_work_is_named(text: str, rule: str) -> None:
    assert rule in [problem.rule for problem in problems(f"{text}\n", "yandex_completion")]


def test_calls_without_ids_are_told_by_name_and_order() -> None:
    turns = [
        user("q"),
        assistant(ToolCall("a", "f"), ToolCall("b", "g")),
        tool_result("b", "2"),
        tool_result("a", "1"),
    ]
    built = yandex_completion.build(Request("m", turns, tools=[Tool("f"), Tool("g")]))
    assert [note.path for note in built.notes] == []
    items: list[Any] = list(built.body["messages"][2:])
    results = [item["toolResultList"]["toolResults"] for item in items]
    assert [row[0]["functionResult"]["name"] for row in results] == ["g", "f"]


def test_the_first_of_a_list_of_errors_is_read_and_one_is_written() -> None:
    body = {"errors": [{"code": "c", "message": "First."}, {"code": "d", "message": "Second."}], "trace": "t"}
    error = watsonx_chat.read_error(400, body)
    assert (error.message, error.code) == ("First.", "c")
    assert watsonx_chat.write_error(yandex_completion.read_error(429, {"error": {"message": "m"}})) == {
        "errors": [{"message": "m"}]
    }


def test_an_unknown_key_beside_the_keys_of_a_union_is_kept() -> None:
    body = {"model_id": "m", "messages": [{"role": "user", "content": "hi"}], "later": 1}
    reading = watsonx_chat.read(body)
    assert list(reading.unknown) == ["Request.later"]
    assert watsonx_chat.build(reading.request, policies="verbatim").body == body
