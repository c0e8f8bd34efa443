"""A wire that is a runtime in the caller's own process: it has bodies, and no address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from promptwire import Options, Request, user
from promptwire.errors import InvalidRequest, Refused, SettingError
from tests.internals.commands import CommandError, as_curl, as_object, as_text

from .compiled import wire_of

SPEC = """
wire: local_wire
title: Local Engine
transport: {local: true, settings: {engine: {default: slow, choices: [slow, fast]}}}
instructions: {native: false}
continuation: {mode: resend}
body: {model?: $model, seed?: $seed, messages: $messages}
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts:
  text: {type: text, text: $text}
rules:
  - when: {settings: {engine: fast}}
    reject: [seed]
    because: the fast engine is not repeatable
    source: this test
"""
REQUEST = Request("m", [user("hi")], options=Options(seed=7))
BODY = {"model": "m", "seed": 7, "messages": [{"role": "user", "content": "hi"}]}
ASKED: dict[str, Callable[[Any], object]] = {
    "method": lambda built: built.method,
    "url": lambda built: built.url,
    "headers": lambda built: built.headers,
    "curl": lambda built: built.curl(),
}


wire = wire_of("local_wire", SPEC)


def test_there_is_a_body(wire: Any) -> None:
    built = wire.build(REQUEST)
    assert (built.local, built.body, built.signing) == (True, BODY, None)
    assert built.json() == b'{"model":"m","seed":7,"messages":[{"role":"user","content":"hi"}]}'
    reading = wire.read(built.body, "https://elsewhere.example/v1")
    assert (reading.request.options.seed, reading.kept) == (7, 0)


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_there_is_no_address(wire: Any, ask: Callable[[Any], object]) -> None:
    why = "^local_wire: Local Engine runs in the caller's own process; it has a body, but no method, URL or headers$"
    with pytest.raises(InvalidRequest, match=why):
        ask(wire.build(REQUEST))
    with pytest.raises(InvalidRequest, match="batches are not supported"):
        wire.build(REQUEST).batch_line("1")


def test_settings_are_what_rules_look_at(wire: Any) -> None:
    assert wire.build(REQUEST, settings={"engine": "slow"}).body == BODY
    with pytest.raises(Refused, match="not repeatable"):
        wire.build(REQUEST, settings={"engine": "fast"})
    with pytest.raises(SettingError, match="is not a setting"):
        wire.build(REQUEST, settings={"base_url": "https://elsewhere.example"})


def test_a_preview_shows_the_body(wire: Any) -> None:
    built = wire.build(REQUEST)
    assert as_object(built) == {"body": BODY, "notes": []}
    assert as_text(built).startswith('{\n  "model": "m"')
    with pytest.raises(CommandError, match="own process"):
        as_curl(built)
