"""Streams and answers of compatible hosts that break the documented form elsewhere than in their calls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

from promptwire import Image, Text
from promptwire.errors import StreamError

from .test_compatible_hosts import CITY, TIME, TWO, WEATHER, call, calls, chunk

Lines = tuple[Any, ...]
HI = chunk({"role": "assistant", "content": "Hi"})
STOP = chunk({}, "stop")
TOKENS = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


@dataclass(frozen=True, slots=True)
class Stream:
    """The data of the events of a stream, and what it says; `error` is part of the message of a failed one."""

    source: str
    events: Lines
    text: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    finish: str = "stop"
    total: int | None = None
    error: str = ""


def with_choice(**keys: Any) -> dict[str, Any]:
    """Return a chunk with a choice of these keys."""
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [keys]}


def bare(**keys: Any) -> dict[str, Any]:
    """Return a chunk with an empty list of choices and these keys."""
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], **keys}


def spoken(text: str, **keys: Any) -> dict[str, Any]:
    """Return a whole message of these keys."""
    return {"role": "assistant", "content": text, **keys}


STREAMS: dict[str, Stream] = {
    "OpenRouter fails in a chunk with a choice": Stream(
        "use-agent-os/agent-os/issues/2214",
        (
            HI,
            with_choice(index=0, delta={"content": ""}, finish_reason="error")
            | {"error": {"code": "server_error", "message": "Provider disconnected unexpectedly"}},
        ),
        text="Hi",
        error="Provider disconnected unexpectedly",
    ),
    "OpenRouter fails in a chunk without a choice": Stream(
        "diegosouzapw/OmniRoute/pull/8210",
        (bare(error={"code": 502, "message": "Worker local total request limit reached (33/32)"}),),
        error="Worker local total request limit reached",
    ),
    "LM Studio fails with an object of its own": Stream(
        "zendev-sh/goai/pull/110",
        (HI, {"error": {"message": "Compute error."}, "message": "Compute error."}),
        text="Hi",
        error="Compute error",
    ),
    "OpenRouter ends by the reason error": Stream(
        "OleksandrChekhovskyi/hax/pull/15",
        (with_choice(index=0, delta={"role": "assistant", "content": ""}, finish_reason="error"),),
        finish="error",
    ),
    "OpenRouter says that it processes": Stream(
        "openai/openai-go/issues/227",
        (": OPENROUTER PROCESSING", ": OPENROUTER PROCESSING", HI | {"provider": "OpenAI"}, STOP),
        text="Hi",
    ),
    "OpenRouter's last chunk has no choice": Stream(
        "Mintplex-Labs/anything-llm/issues/5112", (HI, STOP, bare(usage=TOKENS)), text="Hi", total=7
    ),
    "SGLang says an empty finish reason": Stream(
        "sgl-project/sglang/issues/3912",
        (
            with_choice(
                index=0,
                delta={"role": None, "content": "Hi", "tool_calls": None},
                logprobs=None,
                finish_reason="",
                matched_stop=None,
            )
            | {"usage": None},
            STOP,
        ),
        text="Hi",
    ),
    "SGLang finishes twice": Stream(
        "sgl-project/sglang/pull/8417",
        (with_choice(index=0, delta={"content": "Hi"}, finish_reason="stop"), STOP),
        text="Hi",
    ),
    "SGLang's role and content are null while it thinks": Stream(
        "sgl-project/sglang/issues/18335",
        (
            chunk({"role": None, "content": None, "reasoning_content": "Hm"}),
            chunk({"role": None, "content": None, "reasoning_content": "m."}),
            chunk({"role": None, "content": "Hi", "reasoning_content": None}),
            STOP,
        ),
        text="Hi",
        reasoning="Hmm.",
    ),
    "SGLang sends null calls beside its thinking": Stream(
        "sgl-project/sglang/pull/9657",
        (
            chunk({"role": None, "content": None, "reasoning_content": "2=", "tool_calls": None}),
            chunk({"role": None, "content": "4", "reasoning_content": None, "tool_calls": None}),
            STOP,
        ),
        text="4",
        reasoning="2=",
    ),
    "SGLang's text stands beside its call": Stream(
        "sgl-project/sglang/issues/34214",
        (
            chunk({"content": "Hi", **calls(call("weather", CITY, 0, "a", type="function"))}),
            chunk({}, "tool_calls"),
        ),
        text="Hi",
        calls=(WEATHER,),
        finish="tool_calls",
    ),
    "new-api's last piece of arguments is null": Stream(
        "QuantumNous/new-api/issues/3326",
        (
            chunk(calls(call("weather", CITY, 0, "a", type="function"))),
            chunk(
                {"tool_calls": [{"index": 0, "id": "", "type": "function", "function": {"arguments": None}}]}
            ),
            chunk({}, "tool_calls"),
        ),
        calls=(WEATHER,),
        finish="tool_calls",
    ),
    "LiteLLM counts in a chunk with a choice": Stream(
        "BerriAI/litellm/issues/8450",
        (HI, STOP, with_choice(index=0, delta={}, finish_reason=None) | {"usage": TOKENS}),
        text="Hi",
        total=7,
    ),
    "LiteLLM counts in a chunk without a choice": Stream(
        "langchain-ai/langchain-litellm/pull/56", (HI, STOP, bare(usage=TOKENS)), text="Hi", total=7
    ),
    "LiteLLM finishes before the calls end": Stream(
        "BerriAI/litellm/pull/31634",
        (
            with_choice(index=0, delta=calls(call("weather", CITY, 0, "a")), finish_reason="tool_calls"),
            with_choice(index=0, delta=calls(call("clock", TIME, 1, "b")), finish_reason="tool_calls"),
            STOP,
        ),
        calls=TWO,
        finish="tool_calls",
    ),
    "vLLM leaves out the finish reason": Stream(
        "vllm-project/vllm/pull/19662",
        (with_choice(index=0, delta={"content": "Hi"}, logprobs=None), STOP),
        text="Hi",
    ),
    "vLLM counts in its last chunk": Stream(
        "BerriAI/litellm/issues/5197", (HI, STOP, bare(usage=TOKENS)), text="Hi", total=7
    ),
    "Gemini's endpoint ends streamed calls by stop": Stream(
        "googleapis/python-genai/issues/2868",
        (chunk(calls(call("weather", CITY, 0, "a", type="function"))), STOP),
        calls=(WEATHER,),
        finish="tool_calls",
    ),
    "Gemini's endpoint numbers no piece": Stream(
        "openai/openai-python/pull/3246",
        (
            chunk(calls(call("weather", "", None, "a"))),
            chunk(calls(call(None, CITY))),
            chunk({}, "tool_calls"),
        ),
        calls=(WEATHER,),
        finish="tool_calls",
    ),
    "mistral.rs numbers no call": Stream(
        "EricLBuehler/mistral.rs/pull/1507",
        (chunk(calls(call("weather", CITY, None, "a", type="function"))), chunk({}, "tool_calls")),
        calls=(WEATHER,),
        finish="tool_calls",
    ),
    "calls of one chunk without numbers": Stream(
        "SamSaffron/term-llm/pull/314",
        (
            chunk(calls(call("weather", CITY, None, "a"), call("clock", TIME, None, "b"))),
            chunk({}, "tool_calls"),
        ),
        calls=TWO,
        finish="tool_calls",
    ),
    "LM Studio's later pieces have an empty name": Stream(
        "lmstudio-ai/lmstudio-bug-tracker/issues/649",
        (
            chunk(calls(call("weather", "", 0, "a", type="function"))),
            chunk(calls(call("", CITY[:6], 0, type="function"))),
            chunk(calls(call("", CITY[6:], 0, type="function"))),
            chunk({}, "tool_calls"),
        ),
        calls=(WEATHER,),
        finish="tool_calls",
    ),
    "LM Studio answers nothing if the prompt is too long": Stream(
        "lmstudio-ai/lmstudio-bug-tracker/issues/2339",
        (chunk({"role": "assistant"}), STOP, bare(usage=TOKENS)),
        total=7,
    ),
    "Perplexity says all so far beside each piece": Stream(
        "perplexityai/api-discussion/issues/209",
        (
            with_choice(index=0, delta={"content": "Hel"}, message=spoken("Hel"), finish_reason=None),
            with_choice(index=0, delta={"content": "lo"}, message=spoken("Hello"), finish_reason="stop"),
        ),
        text="Hello",
    ),
    "a host ends with the whole message": Stream(
        "abundantbeing/hermes-browser-extension/issues/11",
        (
            chunk({"role": "assistant", "content": "Hel", "reasoning_content": "Hm"}),
            chunk({"content": "lo"}),
            with_choice(index=0, message=spoken("Hello", reasoning_content="Hm"), finish_reason="stop"),
        ),
        text="Hello",
        reasoning="Hm",
    ),
    "a whole message is all that comes": Stream(
        "abundantbeing/hermes-browser-extension/issues/11",
        (
            with_choice(
                index=0,
                message=spoken("Hi", **calls(call("weather", CITY, None, "a", type="function"))),
                finish_reason="tool_calls",
            ),
        ),
        text="Hi",
        calls=(WEATHER,),
        finish="tool_calls",
    ),
    "a message repeats its piece alone": Stream(
        "perplexityai/api-discussion/issues/209",
        (
            with_choice(index=0, delta={"content": "Hel"}, message=spoken("Hel")),
            with_choice(index=0, delta={"content": "lo"}, message=spoken("lo"), finish_reason="stop"),
        ),
        text="Hello",
    ),
    "Moonshot counts in the choice": Stream(
        "earendil-works/pi/issues/2017",
        (HI, with_choice(index=0, delta={}, finish_reason="stop", usage=TOKENS)),
        text="Hi",
        total=7,
    ),
    "StepFun says its thinking under both keys": Stream(
        "MoonshotAI/kimi-code/issues/3928",
        (
            chunk({"role": "assistant", "content": "", "reasoning": "H", "reasoning_content": "H"}),
            chunk({"reasoning": "m", "reasoning_content": "m"}),
            chunk({"reasoning": "m", "reasoning_content": "m"}),
            HI,
            STOP,
        ),
        text="Hi",
        reasoning="Hmm",
    ),
    "TGI's call is no list": Stream(
        "huggingface/text-generation-inference/pull/2949",
        (
            chunk({"role": "assistant", "tool_calls": call("weather", CITY[:6], 0, "", type="function")}),
            chunk({"role": "assistant", "tool_calls": call("", CITY[6:], 0, "", type="function")}),
            chunk({}, "tool_calls"),
        ),
        calls=(WEATHER,),
        finish="tool_calls",
    ),
}


def raw(events: Lines) -> bytes:
    """Write the bytes of a stream; text that begins with a colon is a comment."""
    lines = [each if isinstance(each, str) else f"data: {json.dumps(each)}" for each in events]
    return "".join([f"{line}\n\n" for line in [*lines, "data: [DONE]"]]).encode()


@pytest.mark.parametrize("wire", ["openai_chat", "compatible_chat", "vllm_chat", "openrouter_chat"])
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_of_a_compatible_host_is_understood(name: str, wire: str) -> None:
    case = STREAMS[name]
    assert case.source.count("/") == 3
    stream = import_module(f"promptwire.{wire}").stream()
    events = [*stream.feed_from([raw(case.events)])]
    told = {
        kind: "".join([event.text for event in events if event.kind == kind])
        for kind in ("text", "reasoning")
    }
    if case.error:
        with pytest.raises(StreamError, match=case.error) as failed:
            stream.close()
        assert told["text"] == case.text
        assert [event.kind for event in events].count("error") == 1
        assert failed.value.error is not None
        assert case.error in failed.value.error.message
        return
    answer = stream.close()
    found = tuple((each.name, each.parsed_arguments) for each in answer.calls)
    assert (answer.text, answer.reasoning, found) == (case.text, case.reasoning, case.calls)
    assert (told["text"], told["reasoning"]) == (case.text, case.reasoning)
    # OpenRouter and vLLM document the word error, and compatible hosts are among both
    known = wire in ("openrouter_chat", "compatible_chat", "vllm_chat")
    finish = "other" if case.finish == "error" and not known else case.finish
    assert (answer.finish, answer.unread) == (finish, ())
    assert (None if answer.usage is None else answer.usage.total) == case.total
    assert [event for event in events if event.kind in ("unknown", "error")] == []


def test_ollama_fails_in_a_line() -> None:
    """https://github.com/use-agent-os/agent-os/issues/2214."""
    stream = import_module("promptwire.ollama_chat").stream()
    stream.feed(b'{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n')
    stream.feed(b'{"error":"an error was encountered while running the model"}\n')
    with pytest.raises(StreamError, match="an error was encountered while running the model") as failed:
        stream.close()
    assert failed.value.answer is not None
    assert failed.value.answer.text == "Hi"


@pytest.mark.parametrize("code", [400, 500])
def test_llamacpp_says_that_the_prompt_is_too_long(code: int) -> None:
    """https://github.com/ggml-org/llama.cpp/pull/15780, https://github.com/oobabooga/textgen/issues/7257."""
    message = "the request exceeds the available context size. try increasing the context size or enable context shift"
    error = {
        "code": code,
        "message": message,
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 1407,
        "n_ctx": 256,
    }
    for wire in ("llamacpp_chat", "compatible_chat"):
        found = import_module(f"promptwire.{wire}").read_error(200, {"error": error})
        assert (found.kind, found.retryable) == ("too_large", False)


def test_tgi_gives_arguments_as_an_object() -> None:
    """https://github.com/huggingface/text-generation-inference/issues/2136."""
    function = {"description": None, "name": "weather", "arguments": {"city": "Oslo"}}
    message = {"role": "assistant", "tool_calls": [{"id": "0", "type": "function", "function": function}]}
    body = {"id": "", "object": "chat.completion", "created": 1, "model": "m"}
    body["choices"] = [{"index": 0, "message": message, "finish_reason": "eos_token"}]
    for wire in ("huggingface_chat", "compatible_chat", "openai_chat"):
        module = import_module(f"promptwire.{wire}")
        answer = module.read_answer(body)
        assert [(each.id, each.name, each.parsed_arguments) for each in answer.calls] == [("0", *WEATHER)]
        assert module.write_answer(answer) == body


def test_a_stream_that_breaks_off_tells_a_repeated_text_once() -> None:
    """https://github.com/perplexityai/api-discussion/issues/209."""
    stream = import_module("promptwire.perplexity_chat").stream()
    stream.feed(raw((with_choice(index=0, delta={"content": "Hel"}, message=spoken("Hel")),))[:-14])
    with pytest.raises(StreamError, match="broke off") as broken:
        stream.close()
    assert broken.value.answer is not None
    assert broken.value.answer.text == "Hel"


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}], "closed": True}


def test_thinking_of_mistral_is_understood_behind_a_compatible_host() -> None:
    """https://github.com/vercel/ai/issues/13703."""
    module = import_module("promptwire.compatible_chat")
    content = [THOUGHT, {"type": "text", "text": "3"}]
    body = bare(choices=[{"index": 0, "message": spoken("") | {"content": content}, "finish_reason": "stop"}])
    answer = module.read_answer(body)
    assert (answer.reasoning, answer.text, answer.unread) == ("Hm", "3", ())
    assert module.write_answer(answer) == body
    stream = module.stream()
    pieces = [[{"type": "thinking", "thinking": [{"type": "text", "text": text}]}] for text in "Hm"]
    deltas = [*pieces, [{"type": "text", "text": "3"}], " r"]
    events = stream.feed(raw((*[chunk({"content": content}) for content in deltas], STOP)))
    told = [(event.kind, event.text) for event in events if event.text and event.kind != "finish"]
    assert told == [("reasoning", "H"), ("reasoning", "m"), ("text", "3"), ("text", " r")]
    answer = stream.close()
    assert (answer.reasoning, answer.text, answer.unread) == ("Hm", "3 r", ())


def test_what_a_model_drew_is_an_image_behind_a_compatible_host() -> None:
    """https://github.com/BerriAI/litellm/pull/16378."""
    module = import_module("promptwire.compatible_chat")
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}, "index": 0}
    message = spoken("Here", images=[image])
    body = bare(choices=[{"index": 0, "message": message, "finish_reason": "stop"}])
    answer = module.read_answer(body)
    assert [type(part) for part in answer.parts] == [Text, Image]
    assert (answer.unread, module.write_answer(answer)) == ((), body)


def test_calls_of_cohere_without_an_index_stay_apart() -> None:
    module = import_module("promptwire.cohere_chat")
    called = {"type": "function", "function": {"name": "weather", "arguments": CITY}}
    begun = {"id": "b", "type": "function", "function": {"name": "now", "arguments": "{"}}
    more = {"function": {"arguments": "}"}}
    rows = [("start", {"id": "a", **called}), ("end", None), ("start", begun), ("delta", more), ("end", None)]
    events = [
        {"type": f"tool-call-{word}", **({"delta": {"message": {"tool_calls": call}}} if call else {})}
        for word, call in rows
    ]
    end = {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}
    stream = module.stream()
    told = [event.name for event in stream.feed_from([{"type": "message-start", "id": "m"}, *events, end])]
    answer = stream.close()
    assert [(call.name, call.parsed_arguments) for call in answer.calls] == [WEATHER, ("now", {})]
    assert [name for name in told if name in ("weather", "now")] == ["weather", "now"]
