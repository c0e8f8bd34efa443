"""What DeepSeek documents takes every example body, and OpenAI's client, as DeepSeek advises, sends it so."""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired

import pytest
from typing_extensions import TypedDict

from tests.conformance.catching import of_wire, openai_sends
from tests.conformance.strict_types import findings
from tests.examples import Example

EXAMPLES: Final = of_wire("deepseek_chat")


# ---- the request as DeepSeek's reference, guides and refusals describe it, 2026-11


class _Function(TypedDict):
    name: str
    arguments: str


class _Call(TypedDict):
    id: str
    type: Literal["function"]
    function: _Function
    # answers number their calls; accepted when a call is sent back as it came
    index: NotRequired[int]


class _Text(TypedDict):
    type: Literal["text"]
    text: str


class _Address(TypedDict):
    url: str
    detail: NotRequired[Literal["auto", "low", "high", "original"]]


class _Picture(TypedDict):
    type: Literal["image_url"]
    image_url: _Address


class _Told(TypedDict):
    role: Literal["system"]
    content: str | list[_Text]
    name: NotRequired[str]


class _Said(TypedDict):
    role: Literal["user"]
    content: str | list[_Text | _Picture]
    name: NotRequired[str]


class _Answered(TypedDict):
    role: Literal["assistant"]
    content: NotRequired[str | list[_Text] | None]
    name: NotRequired[str]
    prefix: NotRequired[bool]
    reasoning_content: NotRequired[str | None]
    tool_calls: NotRequired[list[_Call]]


class _Returned(TypedDict):
    role: Literal["tool"]
    content: str | list[_Text]
    tool_call_id: str


class _Definition(TypedDict):
    name: str
    description: NotRequired[str]
    parameters: NotRequired[dict[str, object]]
    strict: NotRequired[bool]


class _Tool(TypedDict):
    type: Literal["function"]
    function: _Definition


class _Name(TypedDict):
    name: str


class _Choice(TypedDict):
    type: Literal["function"]
    function: _Name


class _Format(TypedDict):
    type: Literal["text", "json_object"]


class _StreamOptions(TypedDict):
    include_usage: bool


class _Thinking(TypedDict):
    type: Literal["enabled", "disabled"]


class DeepSeekRequest(TypedDict):
    """The body of a chat completion; `parallel_tool_calls` is undocumented, and recorded with status 200."""

    model: str
    messages: list[_Told | _Said | _Answered | _Returned]
    thinking: NotRequired[_Thinking]
    reasoning_effort: NotRequired[Literal["minimal", "low", "medium", "high", "xhigh", "max", "ultra"]]
    frequency_penalty: NotRequired[float]
    presence_penalty: NotRequired[float]
    max_tokens: NotRequired[int]
    response_format: NotRequired[_Format]
    stop: NotRequired[str | list[str]]
    stream: NotRequired[bool]
    stream_options: NotRequired[_StreamOptions]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    tools: NotRequired[list[_Tool]]
    tool_choice: NotRequired[Literal["none", "auto", "required"] | _Choice]
    parallel_tool_calls: NotRequired[bool]
    logprobs: NotRequired[bool]
    top_logprobs: NotRequired[int]
    user_id: NotRequired[str]


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
