"""The parameters that llama.cpp's server reads cover every example body; `tests/live` sends them to the server."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.catching import openai_sends
from tests.conformance.llamacpp_types import LlamaRequest
from tests.conformance.strict_types import findings
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("llamacpp_chat")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_servers_types_accept_the_body(example: Example) -> None:
    assert findings(LlamaRequest, example.build().body) == []


# the client's method asks for a model, which a server of one model does not
@pytest.mark.parametrize("example", [example for example in EXAMPLES if "model" in example.body], ids=str)
def test_openais_client_sends_what_the_build_states(example: Example) -> None:
    sent, stated = openai_sends(example, "http://localhost:8080/v1")
    assert sent == stated


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
