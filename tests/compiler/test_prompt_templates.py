"""Templates of a prompt: which one a model gets, and the counts that stand beside the message of its answer."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Request, user
from promptwire.results import answer_coverage
from tests.compiler.compiled import wire_of

SPEC = """
wire: prompted
title: Prompted
transport:
  method: POST
  url: "https://prompted.example/generate"
  settings: {served_model: {stands_for: model}}
instructions: {native: false, placement: first_message, role: system, several: join, mid_conversation: none}
continuation: {mode: resend}
body: {inputs: $messages, seed?: $seed}
prompt:
  - {models: ["red-*"], user: "<r>${text}", end: "<o>", source: "a page, 2026-11"}
  - {models: ["blue-*"], user: "<b>${text}", end: "<o>", source: "a page, 2026-11"}
slots: {content: list}
messages:
  system: {role: system, content: $content|join}
  user: {role: user, content: $content|join}
  assistant: {role: assistant, content: $content|join}
parts: {text: $text}
answer:
  body: {...: [$message, $usage], why: $finish}
  key_aliases: {content: said}
  usage: {read: $input, written: $output}
  finish: {end: stop}
"""

prompted = wire_of("prompted", SPEC)


@pytest.mark.parametrize(
    ("settings", "prompt"),
    [
        (None, "<r>hi<o>"),
        ({"served_model": "red-1"}, "<r>hi<o>"),
        ({"served_model": "blue-1"}, "<b>hi<o>"),
        ({"served_model": "green-1"}, "hi"),
    ],
    ids=["no model: the first", "the first", "the second", "a model without a template"],
)
def test_the_setting_that_stands_for_the_model_chooses_the_template(
    prompted: Any, settings: dict[str, str] | None, prompt: str
) -> None:
    assert prompted.build(Request(None, [user("hi")]), settings=settings).body == {"inputs": prompt}


def test_message_and_counts_stand_among_the_keys_of_the_body(prompted: Any) -> None:
    body = {"said": "Four.", "why": "end", "read": 9, "written": 2}
    answer = prompted.read_answer(body)
    assert (answer.text, answer.finish) == ("Four.", "stop")
    assert (answer.usage.input, answer.usage.output) == (9, 2)
    assert prompted.write_answer(answer) == body
    assert answer_coverage(prompted, answer).unknown == ()
