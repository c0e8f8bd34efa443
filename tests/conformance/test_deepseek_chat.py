"""DeepSeek's documented parameters cover every example body, and OpenAI's client, as DeepSeek advises, sends it so."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.catching import openai_sends
from tests.conformance.deepseek_types import DeepSeekRequest
from tests.conformance.strict_types import findings
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("deepseek_chat")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_documented_types_accept_the_body(example: Example) -> None:
    assert findings(DeepSeekRequest, example.build().body) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_openais_client_sends_what_the_build_states(example: Example) -> None:
    sent, stated = openai_sends(example, "https://api.deepseek.com")
    assert sent == stated


# bodies with this edit were recorded with status 400
REFUSED: Final[dict[str, tuple[dict[str, Any], list[str]]]] = {
    "a film": (
        {"messages": [{"role": "user", "content": [{"type": "video_url", "video_url": {"url": "u"}}]}]},
        ["messages[0].content[0].type: 'video_url' is none of 'image_url', 'text'"],
    ),
    "a picture that a tool shows": (
        {
            "messages": [
                {
                    "role": "tool",
                    "tool_call_id": "c",
                    "content": [{"type": "image_url", "image_url": {"url": "u"}}],
                }
            ]
        },
        ["messages[0].content[0].type: 'image_url' is none of 'text'"],
    ),
    "a developer": (
        {"messages": [{"role": "developer", "content": "x"}]},
        ["messages[0].role: 'developer' is none of 'assistant', 'system', 'tool', 'user'"],
    ),
    "a schema": (
        {"response_format": {"type": "json_schema"}},
        ["response_format.type: 'json_schema' is none of 'json_object', 'text'"],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_the_documented_types_bite(case: str) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    edit, expected = REFUSED[case]
    assert findings(DeepSeekRequest, body) == []
    found = findings(DeepSeekRequest, body | edit)
    assert found[: len(expected)] == expected
