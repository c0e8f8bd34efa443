"""What llama.cpp's server reads takes every example body; the server itself answers them in `tests/live`."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.catching import of_wire
from tests.conformance.llamacpp_types import LlamaRequest
from tests.conformance.sdk_echo import Sent, echo, without_noise
from tests.conformance.strict_types import findings
from tests.examples import Example

EXAMPLES: Final = of_wire("llamacpp_chat")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_servers_types_accept_the_body(example: Example) -> None:
    assert findings(LlamaRequest, example.build().body) == []


# the client's method asks for a model, which a server of one model does not
@pytest.mark.parametrize("example", [each for each in EXAMPLES if "model" in each.body], ids=str)
def test_openais_client_sends_what_the_build_states(example: Example) -> None:
    settings = {"api_key": "test-key", "base_url": "http://localhost:8080/v1", **(example.settings or {})}
    built = example.build(**settings)
    sent = echo("openai_chat", built.body, **settings)
    assert Sent(
        method=sent.method, url=sent.url, headers=without_noise(sent.headers), body=sent.body
    ) == Sent(
        method=built.method,
        url=built.url,
        headers={"accept": "application/json"} | without_noise(built.headers),
        body=built.body,
    )


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"verbosity": "low"}, ["verbosity: unknown key of LlamaRequest"]),
        ({"repetition_penalty": 1.5}, ["repetition_penalty: unknown key of LlamaRequest"]),
        ({"mirostat": 3}, ["mirostat: 3 is none of 0, 1, 2"]),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            ["tool_choice: an object is not 'auto' or 'none' or 'required'"],
        ),
    ],
)
def test_the_servers_types_bite(edit: dict[str, Any], expected: list[str]) -> None:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    assert findings(LlamaRequest, body) == []
    assert findings(LlamaRequest, body | edit) == expected
