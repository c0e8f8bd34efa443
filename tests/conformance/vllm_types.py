"""The request of vLLM's chat completions, as its server's own request class has it (read in 2026-11).

The class allows unknown keys and logs them; these types do not, so that a key which has no effect is found.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from openai.types.chat import (
    ChatCompletionContentPartImageParam,
    ChatCompletionContentPartInputAudioParam,
    ChatCompletionContentPartRefusalParam,
    ChatCompletionContentPartTextParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionNamedToolChoiceParam,
)
from openai.types.shared_params import ResponseFormatJSONObject, ResponseFormatJSONSchema, ResponseFormatText
from typing_extensions import TypedDict


class Address(TypedDict):
    """Where media are, or a data URL of them."""

    url: str


class ImagePart(ChatCompletionContentPartImageParam):
    """A picture; its uuid lets the server take it from its cache."""

    uuid: NotRequired[str]


class AudioPart(TypedDict):
    """Sound by address."""

    type: Literal["audio_url"]
    audio_url: Address
    uuid: NotRequired[str]


class VideoPart(TypedDict):
    """Film by address."""

    type: Literal["video_url"]
    video_url: Address
    uuid: NotRequired[str]


class ThinkingPart(TypedDict):
    """Thinking as a part."""

    type: Literal["thinking"]
    thinking: str
    closed: NotRequired[bool]


class ToolReferencePart(TypedDict):
    """A deferred tool that was found."""

    type: Literal["tool_reference"]
    name: str


Part = (
    ChatCompletionContentPartTextParam
    | ImagePart
    | ChatCompletionContentPartInputAudioParam
    | AudioPart
    | VideoPart
    | ChatCompletionContentPartRefusalParam
    | ThinkingPart
    | ToolReferencePart
)


class Message(TypedDict):
    """A message of any role; OpenAI's own are among these but for `content`, `refusal`, `audio` and older calls."""

    role: str
    content: NotRequired[str | list[Part] | None]
    name: NotRequired[str]
    tool_call_id: NotRequired[str | None]
    tool_calls: NotRequired[list[ChatCompletionMessageFunctionToolCallParam] | None]
    reasoning: NotRequired[str | None]
    tools: NotRequired[list[ChatCompletionFunctionToolParam] | None]
    task: NotRequired[str | None]


class Tool(ChatCompletionFunctionToolParam):
    """A function, and whether it is found rather than shown."""

    defer_loading: NotRequired[bool | None]


class StreamOptions(TypedDict):
    """Return the token counts that a stream reports."""

    include_usage: NotRequired[bool | None]
    continuous_usage_stats: NotRequired[bool | None]


class StructuredOutputs(TypedDict):
    """One bound on the answer, and how it is kept."""

    json: NotRequired[str | dict[str, object]]
    regex: NotRequired[str]
    choice: NotRequired[list[str]]
    grammar: NotRequired[str]
    json_object: NotRequired[bool]
    disable_any_whitespace: NotRequired[bool]
    disable_additional_properties: NotRequired[bool]
    whitespace_pattern: NotRequired[str]
    structural_tag: NotRequired[str]


class RepetitionDetection(TypedDict):
    """When an answer that goes in circles ends."""

    max_pattern_size: NotRequired[int]
    min_pattern_size: NotRequired[int]
    min_count: NotRequired[int]


class VllmRequest(TypedDict):
    """The body of a chat completion."""

    messages: list[Message]
    model: NotRequired[str | None]
    frequency_penalty: NotRequired[float | None]
    logit_bias: NotRequired[dict[str, float] | None]
    logprobs: NotRequired[bool | None]
    top_logprobs: NotRequired[int | None]
    max_tokens: NotRequired[int | None]
    max_completion_tokens: NotRequired[int | None]
    n: NotRequired[int | None]
    presence_penalty: NotRequired[float | None]
    response_format: NotRequired[
        ResponseFormatText | ResponseFormatJSONObject | ResponseFormatJSONSchema | None
    ]
    seed: NotRequired[int | None]
    stop: NotRequired[str | list[str] | None]
    stream: NotRequired[bool | None]
    stream_options: NotRequired[StreamOptions | None]
    temperature: NotRequired[float | None]
    top_p: NotRequired[float | None]
    tools: NotRequired[list[Tool] | None]
    tool_choice: NotRequired[Literal["none", "auto", "required"] | ChatCompletionNamedToolChoiceParam | None]
    reasoning_effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None]
    thinking_token_budget: NotRequired[int | None]
    include_reasoning: NotRequired[bool]
    parallel_tool_calls: NotRequired[bool | None]
    use_beam_search: NotRequired[bool]
    top_k: NotRequired[int | None]
    min_p: NotRequired[float | None]
    repetition_penalty: NotRequired[float | None]
    watermarking: NotRequired[bool | None]
    length_penalty: NotRequired[float]
    stop_token_ids: NotRequired[list[int] | None]
    include_stop_str_in_output: NotRequired[bool]
    ignore_eos: NotRequired[bool]
    min_tokens: NotRequired[int]
    skip_special_tokens: NotRequired[bool]
    spaces_between_special_tokens: NotRequired[bool]
    truncate_prompt_tokens: NotRequired[int | None]
    truncation_side: NotRequired[Literal["left", "right"] | None]
    prompt_logprobs: NotRequired[int | None]
    logprob_token_ids: NotRequired[list[int] | None]
    allowed_token_ids: NotRequired[list[int] | None]
    bad_words: NotRequired[list[str]]
    echo: NotRequired[bool]
    add_generation_prompt: NotRequired[bool]
    continue_final_message: NotRequired[bool]
    add_special_tokens: NotRequired[bool]
    documents: NotRequired[list[dict[str, str]] | None]
    chat_template: NotRequired[str | None]
    chat_template_kwargs: NotRequired[dict[str, object] | None]
    media_io_kwargs: NotRequired[dict[str, dict[str, object]] | None]
    mm_processor_kwargs: NotRequired[dict[str, object] | None]
    structured_outputs: NotRequired[StructuredOutputs | None]
    priority: NotRequired[int]
    request_id: NotRequired[str]
    session_id: NotRequired[str | None]
    return_tokens_as_token_ids: NotRequired[bool | None]
    return_token_ids: NotRequired[bool | None]
    routed_experts_prompt_start: NotRequired[int]
    return_prompt_text: NotRequired[bool | None]
    cache_salt: NotRequired[str | None]
    kv_transfer_params: NotRequired[dict[str, object] | None]
    ec_transfer_params: NotRequired[dict[str, object] | None]
    vllm_xargs: NotRequired[dict[str, object] | None]
    repetition_detection: NotRequired[RepetitionDetection | None]
    stream_interval: NotRequired[int | None]
