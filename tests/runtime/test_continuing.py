"""A continuation leaves out exactly what the server holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import (
    Continuation,
    HostedTool,
    Message,
    Options,
    Policies,
    Request,
    Tool,
    ToolCall,
    anthropic_bedrock,
    anthropic_messages,
    assistant,
    load_request,
    openai_chat,
    openai_responses,
    tool_result,
    user,
    xai_responses,
)
from promptwire.errors import InvalidRequest, LoadError, MissingField, NoPlace
from promptwire.parts import ToolAddition
from tests.notes import changes, refused

CALL = assistant(ToolCall("call_1", "f"), ToolCall("call_2", "f"))
MESSAGES = (user("go"), CALL, tool_result("call_1", "ok"))


def continued(**given: Any) -> Request:
    return Request("m", MESSAGES, continuation=Continuation(id="r1", **given))


@pytest.mark.parametrize("start", [-1, -100])
def test_a_start_before_the_first_message_is_refused_when_it_is_made(start: int) -> None:
    why = f"^Continuation: start is the index of a message: 0 or more, not {start}$"
    with pytest.raises(InvalidRequest, match=why) as refused:
        Continuation(id="r1", start=start)
    assert refused.value.field == "continuation.start"


def test_a_file_names_the_place_of_a_negative_start() -> None:
    with pytest.raises(LoadError, match=r"^continuation\.start: start is the index of a message"):
        load_request({"model": "m", "continuation": {"id": "r1", "start": -1}})


@pytest.mark.parametrize("policies", ["strict", "lenient", "verbatim"])
def test_a_start_behind_the_last_message_is_refused(policies: str) -> None:
    why = r"^openai_responses: continuation\.start is 4, but the request has 3 messages$"
    with pytest.raises(InvalidRequest, match=why) as refused:
        openai_responses.build(continued(start=4), policies=policies)
    assert refused.value.field == "continuation.start"


def test_a_start_of_another_type_is_named() -> None:
    with pytest.raises(InvalidRequest, match=r"^Continuation: start is a str, not int$"):
        continued(start="2")


def test_the_server_may_hold_all_of_them() -> None:
    built = openai_responses.build(continued(start=3))
    assert (built.body.get("input"), built.body["previous_response_id"]) == (None, "r1")
    assert changes(built.notes) == ["dropped messages[:3]"]


def test_a_wire_that_gets_all_messages_looks_at_no_start() -> None:
    request = Request("m", MESSAGES, continuation=Continuation(start=9))
    built = openai_chat.build(request, policies=Policies(orphans="keep"))
    assert len(built.body["messages"]) == 3


def test_a_call_without_result_is_named() -> None:
    request = continued(start=2, unanswered=["call_1", "call_2"])
    why = (
        r'continuation\.unanswered\[1\]: the call "call_2" has no result in the messages that are sent(\n|$)'
    )
    with pytest.raises(MissingField, match=rf"^openai_responses: {why}") as refused:
        openai_responses.build(request)
    assert refused.value.field == "continuation.unanswered[1]"
    noted = openai_responses.build(request, policies=Policies(missing="omit"))
    assert [note.field for note in noted.notes] == ["messages[:2]", "continuation.unanswered[1]"]
    assert noted.body["input"] == [{"type": "function_call_output", "call_id": "call_1", "output": "ok"}]


def test_a_result_that_the_server_holds_answers_nothing() -> None:
    with refused(MissingField, "continuation.unanswered[0]"):
        openai_responses.build(continued(start=3, unanswered=("call_1",)))


def test_answered_calls_are_no_trouble() -> None:
    request = Request("m", MESSAGES, continuation=Continuation(id="r1", start=2, unanswered=["call_1"]))
    assert request.continuation is not None and request.continuation.unanswered == ("call_1",)
    assert len(openai_responses.build(request).notes) == 1


@pytest.mark.parametrize("wire", [openai_responses, openai_chat, anthropic_messages])
def test_what_another_wire_holds_is_not_continued(wire: Any) -> None:
    other = Continuation(id="r1", wire="azure_openai_responses", unanswered=("call_9",))
    request = Request("m", MESSAGES, continuation=other, options=Options(max_tokens=9))
    with pytest.raises(
        NoPlace, match="continuation: the conversation belongs to azure_openai_responses"
    ) as refused:
        wire.build(request)
    assert refused.value.field == "continuation"
    built = wire.build(request, policies=Policies(loss="note", orphans="keep"))
    alone = wire.build(replace(request, continuation=None), policies=Policies(orphans="keep"))
    assert built.body == alone.body
    assert changes(note for note in built.notes if note.field == "continuation") == ["dropped continuation"]


@pytest.mark.parametrize("wire", [openai_responses, openai_chat, anthropic_messages])
def test_what_another_wire_holds_is_sent_again_where_the_request_has_it(wire: Any) -> None:
    other = Continuation(id="r1", wire="azure_openai_responses", start=2, unanswered=("call_9",))
    request = Request("m", MESSAGES, continuation=other, options=Options(max_tokens=9))
    built = wire.build(request, policies=Policies(orphans="keep"))
    alone = wire.build(replace(request, continuation=None), policies=Policies(orphans="keep"))
    assert built.body == alone.body
    assert changes(note for note in built.notes if note.field == "continuation") == ["replaced continuation"]


@pytest.mark.parametrize(
    ("wire", "given"),
    [
        (anthropic_messages, Continuation(id="r1", wire="openai_responses")),
        (anthropic_bedrock, Continuation(id="r1")),
    ],
)
def test_what_is_not_continued_leaves_nothing_out(wire: Any, given: Continuation) -> None:
    request = Request(
        "claude-sonnet-4-5",
        (user("hi"),),
        instructions="Be terse.",
        tools=(Tool("f", parameters={"type": "object"}),),
        continuation=given,
        options=Options(max_tokens=9),
    )
    built = wire.build(request, policies="lenient")
    assert built.body == wire.build(replace(request, continuation=None)).body
    assert built.body.keys() >= {"system", "tools"}
    assert built.notes[0].field.startswith("continuation")
    kept = anthropic_messages.build(replace(request, continuation=Continuation(id="r1")), policies="lenient")
    assert "system" not in kept.body


def test_a_thread_is_begun_and_begun_again() -> None:
    asked = Request("m", MESSAGES, continuation=Continuation(), options=Options(max_tokens=9))
    built = anthropic_messages.build(asked, policies=Policies(orphans="keep"))
    assert built.body["thread"] == {"type": "create"}
    assert built.headers["anthropic-beta"] == "message-threads-2026-08-12"
    expired = replace(asked, continuation=Continuation(id="msg_1", start=2, expired=True))
    again = anthropic_messages.build(expired, policies=Policies(orphans="keep"))
    assert again.body == built.body


def test_tools_that_the_server_holds_are_not_judged() -> None:
    added = Message("developer", (ToolAddition((Tool("f"),)),))
    request = Request(
        "o3-deep-research",
        (added, assistant("x"), user("go")),
        tools=(HostedTool("web_search_preview"),),
        continuation=Continuation(id="r", start=2),
    )
    assert [note.action for note in openai_responses.build(request).notes] == ["dropped"]


@pytest.mark.parametrize("policies", ["portable", "lenient"])
def test_no_repair_hides_a_conversation_that_begins_behind_its_end(policies: str) -> None:
    # the instructions would become a message, and that message the one which the server has
    known = Continuation(id="resp_1", start=1)
    request = Request("grok-4", [], instructions="Be brief.", continuation=known)
    with refused(InvalidRequest, "continuation.start"):
        xai_responses.build(request, policies=policies)
