"""The request of DeepSeek's chat completions, as its reference, guides and refusals describe it (read in 2026-11)."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict


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
