"""A prompt that is one message of the user: media beside it, no history, and what the compiler refuses."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Image, Request, assistant, user
from promptwire.errors import Refused
from tests.compiler.compiled import wire_of
from tests.spec_texts import lower_alone

SPEC = """
wire: unmarked
title: Unmarked
transport: {method: POST, url: "https://unmarked.example/generate"}
instructions: {native: false, placement: first_message, role: system, several: join, mid_conversation: none}
continuation: {mode: resend}
body: {model: $model, pictures?: $messages.pictures, raw?: $vendor.raw, inputs: $messages}
prompt:
  - {user: "${text}", source: "a page, 2026-11"}
slots: {content: list, pictures: list}
messages:
  system: {role: system, content: $content|join}
  user: {role: user, content: $content|join, pictures?: $pictures}
  assistant: {role: assistant, content: $content|join}
parts:
  text: $text
  image.data@user>pictures: $data
"""

unmarked = wire_of("unmarked", SPEC)
PNG, GIF = "iVBORw0KGgo=", "R0lGODlh"


@pytest.mark.parametrize(
    ("messages", "body"),
    [
        ([user("hi")], {"inputs": "hi"}),
        ([user("<r>hi<o>", "bye")], {"inputs": "<r>hi<o>\n\nbye"}),
        (
            [user("a", Image(data=PNG)), user(Image(data=GIF), "b")],
            {"pictures": [PNG, GIF], "inputs": "a\n\nb"},
        ),
        ([user(Image(data=PNG))], {"pictures": [PNG], "inputs": ""}),
    ],
    ids=["a text", "marks are text", "pictures of two messages", "a picture alone"],
)
def test_a_message_is_the_prompt_and_what_is_beside_it(
    unmarked: Any, messages: list[Any], body: dict[str, Any]
) -> None:
    built = unmarked.build(Request("m", messages))
    assert built.body == {"model": "m", **body}
    reading = unmarked.read(built.body)
    assert not list(reading.unknown)
    assert len(reading.request.messages) == 1
    assert unmarked.build(reading.request, policies="verbatim").body == built.body


@pytest.mark.parametrize("pictures", [None, [], [PNG], "x", {"a": 1}, [None]])
def test_any_body_is_built_as_it_was_read(unmarked: Any, pictures: Any) -> None:
    body = {"model": "m", "pictures": pictures, "raw": True, "inputs": "hi"}
    reading = unmarked.read(body)
    assert unmarked.build(reading.request, policies="verbatim").body == body


@pytest.mark.parametrize(
    "messages",
    [
        [user("hi"), assistant("Hello."), user("bye")],
        [user("hi"), assistant("Hel")],
    ],
    ids=["history", "a begun answer"],
)
def test_more_than_a_message_is_refused_and_portable_sends_one_text(
    unmarked: Any, messages: list[Any]
) -> None:
    request = Request("m", messages)
    with pytest.raises(Refused, match="portable"):
        unmarked.build(request)
    built = unmarked.build(request, policies="portable")
    assert isinstance(built.body["inputs"], str)
    assert all(part.text in built.body["inputs"] for message in messages for part in message.parts)
    assert built.notes


@pytest.mark.parametrize(
    ("old", "new", "rule", "said"),
    [
        ("pictures?: $messages.pictures", "pictures: $messages.pictures", "bad-prompt", "write pictures?:"),
        (
            "pictures?: $messages.pictures",
            "pictures?: $messages.pictres",
            "unknown-hole",
            "messages.pictures",
        ),
        (", pictures?: $messages.pictures", "", "bad-prompt", "has no key beside it"),
        ('user: "${text}"', 'user: "${text}", models: ["a-*"]', "bad-prompt", "every text has this form"),
        (
            "slots: {content: list, pictures: list}",
            "slots: {content: list, pictures: one}",
            "bad-prompt",
            "pictures",
        ),
    ],
    ids=["required", "no slot", "no key", "two kinds of models", "one picture"],
)
def test_what_cannot_work_is_refused(old: str, new: str, rule: str, said: str) -> None:
    assert old in SPEC
    problems = lower_alone({"unmarked.yaml": SPEC.replace(old, new)}).problems
    assert any(
        problem.rule == rule and said in f"{problem.message} {problem.hint}" for problem in problems
    ), problems
