"""Facts of a spec that only programs around a build ask for: how a case is delivered, and who provides the API."""

from __future__ import annotations

from typing import Any

from promptwire.prompts import as_request, convert
from tests.internals.runtime import text_of

from .compiled import wire_of

SPEC = """
wire: tasks_agent
title: Tasks
transport: {method: POST, url: "https://tasks.example/"}
instructions: {native: false}
continuation: {mode: resend}
delivery: transcript
body: {messages: $messages}
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts: {text: $text}
"""
agent = wire_of("tasks_agent", SPEC)
other = wire_of(
    "other_agent",
    SPEC.replace("tasks_agent\n", "other_agent\nprovider: acme.tasks\n").replace(
        "delivery: transcript\n", ""
    ),
)
CASE = [{"role": "system", "content": "Be strict."}, {"role": "user", "content": "Go."}]


def test_a_transcript_is_what_an_agent_gets(agent: Any, other: Any) -> None:
    assert agent.WIRE.capabilities["delivery"] == "transcript"
    assert "delivery" not in other.WIRE.capabilities
    (asked,) = as_request(convert(CASE), channel=agent).messages
    assert text_of(asked) == "[System]: Be strict.\n[User]: Go."
    body = {"messages": [{"role": "user", "content": "[System]: Be strict.\n[User]: Go."}]}
    assert agent.build(as_request(convert(CASE), channel=agent)).body == body
    assert as_request(convert(CASE), channel=other).instructions == "Be strict."


def test_the_provider_is_the_first_word_of_the_name_unless_the_spec_says_it(agent: Any, other: Any) -> None:
    assert (agent.WIRE.provider, other.WIRE.provider) == ("tasks", "acme.tasks")
