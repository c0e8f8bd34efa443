"""The next request of a conversation: what was answered, and what is added to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import (
    Answer,
    Continuation,
    Message,
    Options,
    Request,
    Text,
    ToolCall,
    anthropic_messages,
    gemini_generate,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.errors import AnswerError
from promptwire.results import Candidate

ASKED = Request("m", [user("How warm is Oslo?")])


TOKEN = Continuation(id="resp_2", wire="openai_responses")


def answered(*calls: ToolCall, **fields: Any) -> Answer:
    message = Message("assistant", calls or (Text("12 C."),))
    return Answer(candidates=(Candidate(message=message),), continuation=TOKEN, **fields)


ONE, OTHER = ToolCall("call_1", "weather", {"city": "Oslo"}), ToolCall("call_2", "now")
BARE, TWIN = ToolCall(None, "weather"), ToolCall(None, "now")


def test_the_history_goes_on() -> None:
    answer = answered(ONE)
    result = tool_result("call_1", "12 C")
    following = ASKED.after(answer, result, user("And Rome?"))
    assert following.messages == (*ASKED.messages, answer.message, result, user("And Rome?"))
    assert (ASKED.messages, following.model) == ((user("How warm is Oslo?"),), "m")


def test_an_answer_without_content_adds_nothing() -> None:
    assert ASKED.after(Answer(), user("Hello?")).messages == (*ASKED.messages, user("Hello?"))


@pytest.mark.parametrize("content", [{"role": "model"}, {}, {"role": "model", "parts": []}])
def test_an_answer_that_thinking_used_up_is_no_message(content: Any) -> None:
    answer = gemini_generate.read_answer({"candidates": [{"content": content, "finishReason": "MAX_TOKENS"}]})
    following = ASKED.after(answer, user("Hello?"))
    assert following.messages == (*ASKED.messages, user("Hello?"))


@pytest.mark.parametrize(
    ("keys", "count"), [({}, 2), ({"refusal": None, "annotations": []}, 2), ({"odd": {"x": 1}}, 3)]
)
def test_a_message_of_null_goes_back_only_with_what_else_it_holds(keys: Any, count: int) -> None:
    message = {"role": "assistant", "content": None, **keys}
    answer = openai_chat.read_answer({"choices": [{"message": message, "finish_reason": "length"}]})
    assert len(ASKED.after(answer, user("Hello?")).messages) == count


@pytest.mark.parametrize(
    ("calls", "results", "open_call"),
    [
        ((ONE,), (), r"weather \(call_1\)"),
        ((ONE, OTHER), ("call_1",), r"now \(call_2\)"),
        ((ONE,), ("call_2",), r"weather \(call_1\)"),
        ((BARE,), (), "weather"),
        ((BARE, TWIN), (None,), "now"),
        ((BARE,), ("call_1",), "weather"),
    ],
)
def test_a_call_without_a_result_is_named(calls: Any, results: Any, open_call: str) -> None:
    with pytest.raises(
        AnswerError, match=rf"^the answer calls {open_call}, and no result is given: add tool_result"
    ):
        ASKED.after(answered(*calls), *[tool_result(result, "x") for result in results])


@pytest.mark.parametrize(
    ("calls", "results"), [((ONE, OTHER), ("call_2", "call_1")), ((BARE, TWIN), (None, None))]
)
def test_every_call_has_its_result(calls: Any, results: Any) -> None:
    following = ASKED.after(answered(*calls), *[tool_result(result, "x") for result in results])
    assert len(following.messages) == 4


def test_what_a_server_holds_is_not_sent_again() -> None:
    asked = Request("m", [user("a"), user("b")], continuation=Continuation(id="resp_1", start=1))
    following = asked.after(answered(ONE), tool_result("call_1", "12 C"))
    assert following.continuation == replace(TOKEN, start=3, model="m", held={})
    body: Any = openai_responses.build(following).body
    assert (body["previous_response_id"], len(body["input"])) == ("resp_2", 1)


def test_a_conversation_goes_on_by_its_own_id() -> None:
    asked = Request("m", [user("a")], continuation=Continuation(conversation="conv_1"))
    known = asked.after(answered(), user("b")).continuation
    assert known is not None and (known.conversation, known.id, known.start) == ("conv_1", None, 2)


def test_what_moved_to_another_api_begins_there_with_the_next_request() -> None:
    asked = Request("m", [user("a")], continuation=Continuation(id="msg_1", wire="anthropic_messages"))
    following = asked.after(answered(), user("b"))
    assert following.continuation == Continuation()
    assert following.after(answered(), user("c")).continuation == replace(TOKEN, start=4, model="m", held={})


def test_what_was_read_is_sent_back_as_it_came() -> None:
    message = {
        "role": "assistant", "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":  "Oslo"}'}}],
    }  # fmt: skip
    answer = openai_chat.read_answer(
        {"id": "c", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    )
    body: Any = openai_chat.build(ASKED.after(answer, tool_result("call_1", "12 C"))).body
    assert body["messages"][1] == message


def test_calls_without_ids_are_answered_in_their_order() -> None:
    part = {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": "CikB"}
    answer = gemini_generate.read_answer(
        {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
    )
    (call,) = answer.calls
    body: Any = gemini_generate.build(ASKED.after(answer, tool_result(call, "12 C"))).body
    assert body["contents"][1] == {"role": "model", "parts": [part]}
    assert body["contents"][2]["parts"][0]["functionResponse"]["name"] == "weather"


# ---- what a host left out is written: it is refused in a request
def following(wire: Any, body: dict[str, Any], model: str = "m") -> list[Any]:
    """Return what the next request says after the question."""
    answer = wire.read_answer(body)
    results = [tool_result(call, "12 C") for call in answer.calls]
    request = replace(ASKED, model=model, options=Options(max_tokens=99)).after(
        answer, *results, user("Why?")
    )
    built = wire.build(request).body
    said: list[Any] = next(built[key] for key in ("messages", "contents", "input") if key in built)
    assert wire.write_answer(answer) == body
    return said[1:-1]


def chat_body(**message: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


ROLES: list[dict[str, Any]] = [{}, {"role": None}, {"role": ""}, {"role": "model"}]


@pytest.mark.parametrize("role", ROLES)
def test_the_next_request_says_whose_message_it_is(role: dict[str, Any]) -> None:
    body = chat_body(**role, content="12 C.", annotations=[], extra={"a": 1})
    assert following(openai_chat, body) == [
        {"role": "assistant", "content": "12 C.", "annotations": [], "extra": {"a": 1}}
    ]
    part = {"parts": [{"text": "12 C."}]}
    body = {"candidates": [{"content": {**role, **part}, "finishReason": "STOP"}]}
    assert following(gemini_generate, body, "gemini-2.5-flash") == [{"role": "model", **part}]


def test_the_next_request_says_it_on_all_apis() -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "12 C."}]}
    said = following(openai_responses, {"object": "response", "status": "completed", "output": [item]})
    assert said == [{**item, "role": "assistant"}]
    block = {"type": "text", "text": "12 C."}
    said = following(anthropic_messages, {"content": [block], "stop_reason": "end_turn"})
    assert said == [{"role": "assistant", "content": [block]}]


CALLS: list[dict[str, Any]] = [
    {"id": None, "type": None, "function": {"name": "weather", "arguments": {"city": "Oslo"}}},
    {"function": {"name": "weather", "arguments": {"city": "Oslo"}}, "extra": 1},
    {"id": 7, "type": "", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}},
]


@pytest.mark.parametrize("call", CALLS)
def test_calls_go_back_as_the_api_takes_them(call: dict[str, Any]) -> None:
    asked, answered = following(openai_chat, chat_body(role="assistant", content=None, tool_calls=[call]))
    (again,) = asked["tool_calls"]
    assert isinstance(again["id"], str)
    function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
    assert again == {**call, "id": again["id"], "type": "function", "function": function}
    assert answered == {"role": "tool", "tool_call_id": again["id"], "content": "12 C"}


def test_arguments_as_text_go_back_as_an_object() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "weather", "input": '{"city": "Oslo"}'}
    body = {"role": "assistant", "content": [block], "stop_reason": "tool_use"}
    (asked,) = following(anthropic_messages, body)
    assert asked == {"role": "assistant", "content": [{**block, "input": {"city": "Oslo"}}]}


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ({"type": "text", "text": "Hi"}, "Hi"),
        ({"type": "text", "text": "1"}, "1"),
        ({"type": "text", "text": "Hi", "mood": "good"}, [{"type": "text", "text": "Hi", "mood": "good"}]),
    ],
)
def test_one_part_in_place_of_a_list_goes_back_as_the_api_takes_it(content: Any, sent: Any) -> None:
    message = {"role": "assistant", "content": content}
    answer = openai_chat.read_answer(
        {"id": "c1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    )
    following = Request("gpt-5.4", [user("Hi")]).after(answer, user("Bye"))
    assert openai_chat.build(following).body["messages"][1] == {"role": "assistant", "content": sent}
