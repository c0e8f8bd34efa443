"""Keys that are only read: what they hold goes out again as long as a field says the same, and is no loss elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import Request
from promptwire.errors import NoPlace
from tests.notes import refused

SAID: dict[str, Any] = {"model": "m", "user": "alice", "messages": [{"role": "user", "content": "hi"}]}
BARE: dict[str, Any] = {key: value for key, value in SAID.items() if key != "user"}
CALL: dict[str, Any] = {
    "role": "assistant",
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "r"}


def user_of_vllm() -> Request:
    return promptwire.vllm_chat.read(SAID).request


def result(name: str | None) -> Request:
    request = promptwire.openai_chat.read({"model": "m", "messages": [CALL, RESULT]}).request
    call, message = request.messages
    part: Any = message.parts[0]
    return replace(
        request,
        messages=(
            call,
            replace(message, parts=(replace(part, name=name),)),
        ),
    )


def test_what_such_a_key_holds_is_understood() -> None:
    reading = promptwire.vllm_chat.read(SAID)
    assert (reading.leaves, reading.understood, reading.kept, list(reading.unknown)) == (4, 4, 0, [])


@pytest.mark.parametrize("policies", ["strict", "lenient", "verbatim"])
def test_it_goes_out_as_it_came_and_is_no_loss(policies: str) -> None:
    built: Any = promptwire.vllm_chat.build(user_of_vllm(), policies=policies)
    assert (built.body, list(built.notes)) == (SAID, [])
    built = promptwire.openai_chat.build(result("f"), policies=policies)
    assert (built.body, list(built.notes)) == ({"model": "m", "messages": [CALL, RESULT]}, [])


def test_what_a_caller_took_out_or_changed_does_not_come_back() -> None:
    assert promptwire.vllm_chat.build(replace(user_of_vllm(), user_id=None)).body == BARE
    changed = replace(user_of_vllm(), user_id="bob")
    with refused(NoPlace, "user_id"):
        promptwire.vllm_chat.build(changed)
    built: Any = promptwire.vllm_chat.build(changed, policies="lenient")
    assert (built.body, [note.field for note in built.notes]) == (BARE, ["user_id"])
    built = promptwire.openai_chat.build(result("g"))
    assert (built.body["messages"], [note.field for note in built.notes]) == (
        [CALL, {key: value for key, value in RESULT.items() if key != "name"}],
        ["name"],
    )


def test_another_wire_writes_the_field_where_it_has_it() -> None:
    built: Any = promptwire.openai_chat.build(user_of_vllm())
    assert (built.body, list(built.notes)) == ({**BARE, "safety_identifier": "alice"}, [])
    built = promptwire.openai_responses.build(result("f"))
    item = {"type": "function_call_output", "call_id": "c1", "output": "r", "name": "f"}
    assert (built.body["input"][1:], list(built.notes)) == ([item], [])


def test_another_model_changes_nothing_of_it() -> None:
    built = promptwire.vllm_chat.build(replace(user_of_vllm(), model="n"))
    assert (built.body, list(built.notes)) == ({**SAID, "model": "n"}, [])


def test_another_field_with_the_same_value_is_another_field() -> None:
    with refused(NoPlace, "verbosity"):
        promptwire.vllm_chat.build(replace(user_of_vllm(), verbosity="alice"))
    other = replace(user_of_vllm(), user_id=None, vendor={"vllm_chat": {"chat_template": "alice"}})
    built: Any = promptwire.vllm_chat.build(other)
    assert (built.body, list(built.notes)) == ({**BARE, "chat_template": "alice"}, [])
