"""One thing under either of two names, or under both: thinking, and the limit of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import Reasoning, Text
from promptwire.plugins import Form
from tests.internals.runtime import names_only


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_both_names_are_read_and_come_back(name: str) -> None:
    answer = {"role": "assistant", name: "Two and two.", "content": "4"}
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "2+2?"}, answer]}
    reading = promptwire.openai_chat.read(body)
    parts = reading.request.messages[1].parts
    assert [(type(part), getattr(part, "text", None)) for part in parts] == [
        (Reasoning, "Two and two."),
        (Text, "4"),
    ]
    assert reading.understood == reading.leaves
    assert promptwire.openai_chat.build(reading.request).body == body


BOTH: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "2+2?"},
        {"role": "assistant", "reasoning_content": "Hm.", "reasoning": "Hm.", "content": "4"},
    ],
}


def test_what_stands_under_both_is_one_thing() -> None:
    reading = promptwire.openai_chat.read(BOTH)
    assert (reading.understood, reading.kept, [*reading.unknown]) == (reading.leaves, 0, [])
    assert promptwire.openai_chat.build(reading.request).body == BOTH


def test_both_names_follow_an_edit() -> None:
    request = promptwire.compatible_chat.read(BOTH).request
    first, last = request.messages
    changed = replace(request, messages=(first, replace(last, parts=(Reasoning(text="Well."), Text("4")))))
    answer = {"role": "assistant", "reasoning_content": "Well.", "reasoning": "Well.", "content": "4"}
    assert promptwire.compatible_chat.build(changed).body["messages"][1] == answer


def test_names_that_differ_in_value_are_two_things() -> None:
    answer = {"role": "assistant", "reasoning_content": "Hm.", "reasoning": "Well.", "content": "4"}
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "2+2?"}, answer]}
    reading = promptwire.openai_chat.read(body)
    assert (reading.leaves - reading.understood, [*reading.unknown]) == (1, ["Message.reasoning"])
    assert promptwire.openai_chat.build(reading.request, policies="verbatim").body == body


def test_a_setting_of_the_request_under_two_names() -> None:
    body: dict[str, Any] = {
        "model": "m",
        "max_completion_tokens": 8,
        "max_tokens": 8,
        "messages": BOTH["messages"],
    }
    reading = promptwire.openai_chat.read(body)
    assert reading.understood == reading.leaves
    doubled = replace(reading.request, options=replace(reading.request.options, max_tokens=9))
    assert promptwire.openai_chat.build(doubled).body == body | {"max_completion_tokens": 9, "max_tokens": 9}


@pytest.mark.parametrize(
    "keys",
    [
        {"max_completion_tokens": "8", "max_tokens": "8"},
        {"tool_choice": {"type": "auto", "odd": 1}, "function_call": {"type": "auto", "odd": 1}},
    ],
)
def test_what_stands_under_two_names_is_counted_twice(keys: dict[str, Any]) -> None:
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "2+2?"}], **keys}
    reading = promptwire.openai_chat.read(body)
    assert reading.understood + reading.kept == reading.leaves


@pytest.mark.parametrize("older", [8, 9])
def test_a_word_that_a_rule_switches_may_be_there_under_both_names(older: int) -> None:
    """GPT-5 refuses the older word. Where it says something else, it stays, and the linter tells it."""
    body: dict[str, Any] = {
        "model": "gpt-5",
        "max_completion_tokens": 8,
        "max_tokens": older,
        "messages": [{"role": "user", "content": "2+2?"}],
    }
    one = {key: value for key, value in body.items() if key != "max_tokens"}
    built = promptwire.openai_chat.build(promptwire.openai_chat.read(body).request)
    assert built.body == (one if older == 8 else body)
    assert [finding.path for finding in promptwire.openai_chat.check(body)] == ["max_tokens"]


def test_names_inside_objects_and_lists_hold_no_value_of_their_own() -> None:
    twice = Form(names={"max_completion_tokens": ("max_completion_tokens", "max_tokens")})
    form = Form(
        added={"odd": 1},
        inside={"one": replace(twice, added={"odd": 2}), "other": Form(), "many": {0: Form(), 2: twice}},
    )
    assert names_only(form) == Form(inside={"one": twice, "many": {2: twice}})
    assert names_only(Form(added={"odd": 1}, inside={"many": {0: Form()}})) is None
