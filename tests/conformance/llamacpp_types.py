"""The request of llama.cpp's chat completions, as the schema of its server has it (read in 2026-10).

The server overlooks unknown keys; these types do not, so that a key which has no effect is found.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from openai.types.chat import (
    ChatCompletionContentPartImageParam,
    ChatCompletionContentPartInputAudioParam,
    ChatCompletionContentPartTextParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
)
from typing_extensions import TypedDict


class VideoData(TypedDict):
    """Film in base64."""

    data: str


class VideoAddress(TypedDict):
    """Film by address."""

    url: str


class VideoPart(TypedDict):
    """Film."""

    type: Literal["input_video"]
    input_video: VideoData


class VideoAddressPart(TypedDict):
    """Film that the server fetches."""

    type: Literal["video_url"]
    video_url: VideoAddress


Part = (
    ChatCompletionContentPartTextParam
    | ChatCompletionContentPartImageParam
    | ChatCompletionContentPartInputAudioParam
    | VideoPart
    | VideoAddressPart
)


class Message(TypedDict):
    """A message of any role."""

    role: str
    content: NotRequired[str | list[Part] | None]
    name: NotRequired[str]
    tool_call_id: NotRequired[str]
    tool_calls: NotRequired[list[ChatCompletionMessageFunctionToolCallParam]]
    reasoning_content: NotRequired[str]


class Schema(TypedDict):
    """A schema and what OpenAI puts beside it; the schema alone is looked at."""

    schema: dict[str, object]
    name: NotRequired[str]
    description: NotRequired[str]
    strict: NotRequired[bool]


class TextFormat(TypedDict):
    """No bound."""

    type: Literal["text"]


class JsonFormat(TypedDict):
    """Any JSON, or JSON by a schema."""

    type: Literal["json_object"]
    schema: NotRequired[dict[str, object]]


class SchemaFormat(TypedDict):
    """JSON by a schema, in OpenAI's form."""

    type: Literal["json_schema"]
    json_schema: Schema


class StreamOptions(TypedDict):
    """Return the token counts that a stream reports."""

    include_usage: NotRequired[bool]


class Adapter(TypedDict):
    """A LoRA adapter and its share."""

    id: int
    scale: float


class LlamaRequest(TypedDict):
    """The body of a chat completion."""

    messages: list[Message]
    model: NotRequired[str]
    max_completion_tokens: NotRequired[int]
    n: NotRequired[int]
    stream: NotRequired[bool]
    stream_options: NotRequired[StreamOptions]
    stop: NotRequired[str | list[str]]
    seed: NotRequired[int]
    tools: NotRequired[list[ChatCompletionFunctionToolParam]]
    tool_choice: NotRequired[Literal["auto", "none", "required"]]
    parallel_tool_calls: NotRequired[bool]
    parse_tool_calls: NotRequired[bool]
    response_format: NotRequired[TextFormat | JsonFormat | SchemaFormat]
    json_schema: NotRequired[dict[str, object]]
    grammar: NotRequired[str]
    logprobs: NotRequired[bool]
    top_logprobs: NotRequired[int]
    n_probs: NotRequired[int]
    post_sampling_probs: NotRequired[bool]
    logit_bias: NotRequired[dict[str, float]]
    temperature: NotRequired[float]
    top_k: NotRequired[int]
    top_p: NotRequired[float]
    min_p: NotRequired[float]
    top_n_sigma: NotRequired[float]
    typical_p: NotRequired[float]
    xtc_probability: NotRequired[float]
    xtc_threshold: NotRequired[float]
    dynatemp_range: NotRequired[float]
    dynatemp_exponent: NotRequired[float]
    repeat_last_n: NotRequired[int]
    repeat_penalty: NotRequired[float]
    frequency_penalty: NotRequired[float]
    presence_penalty: NotRequired[float]
    dry_multiplier: NotRequired[float]
    dry_base: NotRequired[float]
    dry_allowed_length: NotRequired[int]
    dry_penalty_last_n: NotRequired[int]
    dry_sequence_breakers: NotRequired[list[str]]
    mirostat: NotRequired[Literal[0, 1, 2]]
    mirostat_tau: NotRequired[float]
    mirostat_eta: NotRequired[float]
    adaptive_target: NotRequired[float]
    adaptive_decay: NotRequired[float]
    samplers: NotRequired[list[str] | str]
    backend_sampling: NotRequired[bool]
    min_keep: NotRequired[int]
    ignore_eos: NotRequired[bool]
    reasoning_effort: NotRequired[str]
    reasoning_format: NotRequired[Literal["none", "auto", "deepseek", "deepseek-legacy"]]
    reasoning_budget_tokens: NotRequired[int]
    reasoning_budget_message: NotRequired[str]
    reasoning_control: NotRequired[bool]
    chat_template_kwargs: NotRequired[dict[str, object]]
    add_generation_prompt: NotRequired[bool]
    continue_final_message: NotRequired[bool | Literal["content", "reasoning_content"]]
    echo: NotRequired[bool]
    cache_prompt: NotRequired[bool]
    id_slot: NotRequired[int]
    lora: NotRequired[list[Adapter]]
    n_keep: NotRequired[int]
    n_discard: NotRequired[int]
    n_indent: NotRequired[int]
    n_cache_reuse: NotRequired[int]
    t_max_predict_ms: NotRequired[int]
    sse_ping_interval: NotRequired[int]
    return_tokens: NotRequired[bool]
    return_progress: NotRequired[bool]
    timings_per_token: NotRequired[bool]
    response_fields: NotRequired[list[str]]
    verbose: NotRequired[bool]
