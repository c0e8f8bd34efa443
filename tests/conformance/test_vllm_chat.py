"""The parameters that vLLM's server reads cover every example body, and OpenAI's client, as vLLM advises, sends it so."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.catching import openai_sends
from tests.conformance.strict_types import findings
from tests.conformance.vllm_types import VllmRequest
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("vllm_chat")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_servers_types_accept_the_body(example: Example) -> None:
    assert findings(VllmRequest, example.build().body) == []


# the client's method asks for a model, which a server of one model does not
@pytest.mark.parametrize("example", [example for example in EXAMPLES if "model" in example.body], ids=str)
def test_openais_client_sends_what_the_build_states(example: Example) -> None:
    sent, stated = openai_sends(example, "http://localhost:8000/v1")
    assert sent == stated


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"verbosity": "low"}, ["verbosity: unknown key of VllmRequest"]),
        ({"guided_regex": "a"}, ["guided_regex: unknown key of VllmRequest"]),
        ({"top_k": 0.5}, ["top_k: 0.5 is not int or null"]),
        (
            {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]},
            ["messages[0].content[0].type: 'file' is none of"],
        ),
    ],
)
def test_the_servers_types_bite(edit: dict[str, Any], expected: list[str]) -> None:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    assert findings(VllmRequest, body) == []
    lines = findings(VllmRequest, body | edit)
    assert [line[: len(start)] for line, start in zip(lines, expected, strict=True)] == expected
