"""Hosted calls that the caller runs or approves: an answer with one of them waits, and does not say that it has ended."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import Message, Note, Request, openai_chat, openai_responses, user
from promptwire.errors import MissingField
from promptwire.parts import HostedResult
from tests.notes import refused

COMPUTER = {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "action": {"type": "screenshot"}}
SHELL = {"type": "shell_call", "id": "sh_1", "call_id": "call_2", "action": {"commands": ["ls"]}}
LISTED = {"type": "shell_call_output", "id": "so_1", "call_id": "call_2", "output": [{"stdout": "a.txt"}]}
APPROVAL = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "server_label": "s",
    "name": "rm",
    "arguments": "{}",
}
# github.com/vercel/ai: the answer holds the request, and the call that the API made although nobody answered
APPROVED = {
    "type": "mcp_call",
    "id": "mcp_1",
    "approval_request_id": "mcpr_1",
    "server_label": "s",
    "name": "rm",
    "arguments": "{}",
    "output": "Done.",
}
SEARCH = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "x"},
}
TOOLS = {"type": "tool_search_call", "id": "ts_1", "call_id": "call_3", "arguments": {"q": "x"}}

CASES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "a computer": ([COMPUTER], ["cu_1"]),
    "a shell": ([SHELL], ["sh_1"]),
    "a shell that the API ran": ([SHELL, LISTED], []),
    "one of two": ([SHELL, LISTED, COMPUTER], ["cu_1"]),
    "an approval": ([APPROVAL], ["mcpr_1"]),
    "an approval that was given": ([APPROVAL, APPROVED], []),
    "one approval of two": ([APPROVAL, APPROVED, APPROVAL | {"id": "mcpr_2"}], ["mcpr_2"]),
    "a search of the web": ([SEARCH], []),
    "tools that the caller looks for": ([TOOLS | {"execution": "client"}], ["ts_1"]),
    "tools that the API looked for": ([TOOLS | {"execution": "server"}], []),
}


def body(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "response", "id": "resp_1", "status": "completed", "model": "gpt-5.6", "output": items}


def streamed(items: list[dict[str, Any]]) -> bytes:
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": body([]) | {"status": "in_progress"}}
    ]
    for index, item in enumerate(items):
        began = item | {"status": "in_progress"}
        events.append({"type": "response.output_item.added", "output_index": index, "item": began})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": body(items)})
    return b"".join([f"data: {json.dumps(event)}\n\n".encode() for event in events])


@pytest.mark.parametrize("name", CASES)
def test_an_answer_says_which_calls_wait(name: str) -> None:
    items, ids = CASES[name]
    answer = openai_responses.read_answer(body(items))
    assert ([call.id for call in answer.waiting], answer.finish) == (ids, "tool_calls" if ids else "stop")
    assert openai_responses.write_answer(answer) == body(items)


@pytest.mark.parametrize("name", CASES)
def test_a_stream_says_the_same(name: str) -> None:
    items, ids = CASES[name]
    stream = openai_responses.stream()
    events = stream.feed(streamed(items))
    answer = stream.close()
    (end,) = [event.name for event in events if event.kind == "finish"]
    assert ([call.id for call in answer.waiting], answer.finish) == (ids, end)
    assert end == ("tool_calls" if ids else "stop")


@pytest.mark.parametrize(("status", "finish"), [("completed", "stop"), ("incomplete", "length")])
def test_on_an_api_without_such_calls_the_answer_has_stopped(status: str, finish: str) -> None:
    notes: list[Note] = []
    given = openai_responses.read_answer(body([COMPUTER]) | {"status": status})
    written = openai_chat.write_answer(given, policies="lenient", notes=notes)
    assert written["choices"][0]["finish_reason"] == finish
    assert [note.field for note in notes if note.action == "dropped"] == ["hosted_call"]


def test_a_stream_of_an_api_without_such_calls_has_stopped() -> None:
    reader, writer = openai_responses.stream(), openai_chat.write_stream(policies="lenient")
    raw = b"".join([writer.feed(event) for event in reader.feed(streamed([COMPUTER]))]) + writer.close()
    chunks = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: {")]
    reasons = [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"]]
    assert reasons[-1] == "stop"


def test_a_next_request_to_the_server_that_holds_the_answer_has_the_results() -> None:
    answer = openai_responses.read_answer(body([COMPUTER]))
    asked = Request("gpt-5.6", [user("Look.")]).after(answer, Message("tool", []))
    following = asked.replace(continuation=answer.continuation, messages=())
    with refused(MissingField, "continuation.unanswered[0]"):
        openai_responses.build(following)
    shown = HostedResult(
        type="computer_call_output", call_id="call_1", result={"type": "computer_screenshot"}
    )
    built = openai_responses.build(following.replace(messages=[Message("tool", [shown])]))
    assert built.body.get("input") == [
        {"type": "computer_call_output", "call_id": "call_1", "output": {"type": "computer_screenshot"}}
    ]


@pytest.mark.parametrize("name", CASES)
def test_a_next_request_without_the_result_is_refused(name: str) -> None:
    items, ids = CASES[name]
    asked = Request("gpt-5.6", [user("Go on.")]).after(
        openai_responses.read_answer(body(items)), user("And?")
    )
    problems = openai_responses.check(asked.replace(continuation=None))
    why = "it has no result, and OpenAI Responses requires both"
    told = [(problem.field, why in problem.reason) for problem in problems]
    assert told == [("hosted_call.id", True) for _ in ids]
