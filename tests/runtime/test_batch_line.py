"""One request as a line of its API's batch file."""

from __future__ import annotations

import json
from typing import Any

import pytest

import promptwire
from promptwire import Built, InvalidRequest, Options, Request, user

REQUEST = Request("m", [user("hi")], options=Options(max_tokens=8))
LINES: dict[str, dict[str, Any]] = {
    "openai_chat": {
        "custom_id": "one",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "m", "max_completion_tokens": 8, "messages": [{"role": "user", "content": "hi"}]},
    },
    "openai_responses": {
        "custom_id": "one",
        "method": "POST",
        "url": "/v1/responses",
        "body": {"model": "m", "max_output_tokens": 8, "input": [{"role": "user", "content": "hi"}]},
    },
    "anthropic_messages": {
        "custom_id": "one",
        "params": {"model": "m", "max_tokens": 8, "messages": [{"role": "user", "content": "hi"}]},
    },
}


def _build(wire: str, request: Request) -> Built[Any]:
    built: Built[Any] = getattr(promptwire, wire).build(request)
    return built


@pytest.mark.parametrize("wire", LINES)
def test_line_holds_the_very_body(wire: str) -> None:
    built = _build(wire, REQUEST)
    line = built.batch_line("one")
    assert json.loads(line) == LINES[wire]
    assert built.json() in line
    assert b"\n" not in line


@pytest.mark.parametrize("wire", LINES)
def test_what_no_batch_takes_is_refused(wire: str) -> None:
    with pytest.raises(InvalidRequest, match="requires an id"):
        _build(wire, REQUEST).batch_line("")
    streamed = Request("m", [user("hi")], options=Options(max_tokens=8), stream=True)
    with pytest.raises(InvalidRequest, match="cannot be streamed"):
        _build(wire, streamed).batch_line("one")
