"""Streams of compatible hosts and gateways on several APIs, each as a public thread reports it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from promptwire import Event, Reasoning
from promptwire.errors import StreamError
from tests.answers import module

from .test_compatible_hosts import CITY, TIME, TWO, WEATHER, call, calls, chunk

MESSAGE: dict[str, Any] = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "c",
    "content": [],
    "stop_reason": None,
}
RESPONSE: dict[str, Any] = {"id": "r", "object": "response", "model": "g", "output": []}


@dataclass(frozen=True, slots=True)
class Report:
    """The events of a stream, and what it says; `error` is part of the message of one that fails."""

    source: str
    wire: str
    events: tuple[Any, ...]
    text: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    finish: str = "stop"
    counts: tuple[int, int] | None = None
    error: str = ""


def chat(*events: Any) -> tuple[Any, ...]:
    return (*events, "[DONE]")


def claude(*events: dict[str, Any], stop: str = "end_turn") -> tuple[Any, ...]:
    end = {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 2}}
    return ({"type": "message_start", "message": MESSAGE}, *events, end, {"type": "message_stop"})


def block(number: int, **keys: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": number, "content_block": keys}


def delta(number: int, **keys: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": number, "delta": keys}


def part(*parts: dict[str, Any], finish: str | None = None, **keys: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [*parts]}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], **keys}


def bare(**keys: Any) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", **keys}


def text_of_item(kind: str, **keys: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "item_id": "i", "output_index": 0, "content_index": 0, **keys}


def item(text: str) -> dict[str, Any]:
    said = [{"type": "output_text", "text": text, "annotations": []}] if text else []
    return {"id": "i", "type": "message", "role": "assistant", "status": "completed", "content": said}


THOUGHT = {"id": "rs", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
CALLED = {
    "id": "fc",
    "type": "function_call",
    "call_id": "a",
    "name": "weather",
    "arguments": CITY,
    "status": "completed",
}


def added(whole: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": 0, "item": whole}


def done(whole: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": 0, "item": whole}


def responses(*events: dict[str, Any], output: list[Any]) -> tuple[Any, ...]:
    begins = {"type": "response.created", "response": RESPONSE | {"status": "in_progress"}}
    ends = {"type": "response.completed", "response": RESPONSE | {"status": "completed", "output": output}}
    return (begins, *events, ends)


HI, STOP = chunk({"role": "assistant", "content": "Hi"}), chunk({}, "stop")
TOKENS = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
REPORTS: dict[str, Report] = {
    "Azure sends chunks whose delta is null": Report("bagofwords1/bagofwords/pull/742", "azure_openai_chat", chat(bare(choices=[{"index": 0, "delta": None, "finish_reason": None, "content_filter_results": {}}]), HI, STOP), text="Hi"),
    "Azure's filter leaves the id and model of a chunk empty": Report("eneo-ai/eneo/pull/126", "azure_openai_chat", chat(HI, bare(choices=[{"index": 0, "delta": None, "finish_reason": None, "content_filter_offsets": {"check_offset": 1}}]) | {"id": "", "model": "", "object": "", "created": 0}, STOP), text="Hi"),
    "a finish whose delta is null": Report("microsoft/agent-framework/pull/5734", "compatible_chat", chat(HI, bare(choices=[{"index": 0, "delta": None, "finish_reason": "stop"}])), text="Hi"),
    "calls that are null in all other chunks": Report("vllm-project/guidellm/pull/752", "compatible_chat", chat(chunk({"content": "Hi", "tool_calls": None}), chunk(calls(call("weather", CITY, 0, "a"))), chunk({"tool_calls": None}, "tool_calls")), text="Hi", calls=(WEATHER,), finish="tool_calls"),
    "exo sends null for every key": Report("SeraphimSerapis/tool-eval-bench/issues/11", "compatible_chat", chat(chunk({"role": "assistant", "content": None, "tool_calls": None, "function_call": None}), chunk({"content": "Hi", "tool_calls": None, "function_call": None}), STOP), text="Hi"),
    "choices that are null": Report("pydantic/pydantic-ai/pull/5170", "compatible_chat", chat(HI, bare(choices=None), STOP, bare(choices=None, usage=TOKENS)), text="Hi", counts=(5, 2)),
    "every chunk ends the answer": Report("QuantumNous/new-api/issues/378", "compatible_chat", chat(chunk({"content": "H"}, "stop"), chunk({"content": "i"}, "stop")), text="Hi"),
    "no chunk ends the answer, and each counts": Report("alfredapp/openai-workflow/pull/52", "compatible_chat", chat(*[bare(choices=[{"index": 0, "delta": {"content": text}}], usage=TOKENS | {"completion_tokens": number}) for number, text in ((1, "H"), (2, "i"))]), text="Hi", finish="", counts=(5, 2)),
    "Mistral counts nothing in each chunk": Report("BerriAI/litellm/issues/1371", "mistral_chat", chat(HI | {"usage": {}}, STOP | {"usage": TOKENS}), text="Hi", counts=(5, 2)),
    "vLLM's last text comes with the finish": Report("vllm-project/vllm/pull/36944", "vllm_chat", chat(HI, chunk({"content": " you"}, "length")), text="Hi you", finish="length"),
    "counts in all chunks, and empty calls beside text": Report("rashidrazak/opencode-cmd-provider/pull/213", "compatible_chat", chat(*[chunk({"content": text, "tool_calls": []}) | {"usage": TOKENS} for text in "Hi"], STOP | {"usage": TOKENS}), text="Hi", counts=(5, 2)),
    "LiteLLM repeats thinking in a signed block": Report("open-webui/open-webui/pull/29860", "compatible_chat", chat(chunk({"reasoning_content": "Hm."}), chunk({"reasoning_content": "", "thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]}), HI, STOP), text="Hi", reasoning="Hm."),
    "LFM2 numbers each block's calls anew": Report("sgl-project/sglang/pull/40291", "compatible_chat", chat(chunk(calls(call("weather", "", 0, "a"))), chunk(calls(call(None, CITY, 0))), chunk(calls(call("clock", "", 0, "b"))), chunk(calls(call(None, TIME, 0))), chunk({"content": " Done."}), STOP), text=" Done.", calls=TWO, finish="tool_calls"),
    "opencodex repeats the whole arguments": Report("lidge-jun/opencodex/issues/361", "compatible_chat", chat(chunk(calls(call("weather", "", 0, "a"))), chunk(calls(call(None, CITY, 0))), chunk(calls(call(None, CITY, 0))), chunk({}, "tool_calls")), calls=(WEATHER,), finish="tool_calls"),
    "TGI gives the time as a fraction": Report("BerriAI/litellm/issues/476", "compatible_chat", chat(HI | {"created": 1695869575.316254}, STOP), text="Hi"),
    "an error that is bare text": Report("agentjido/req_llm/pull/661", "compatible_chat", chat(HI, {"error": "context overflow"}), text="Hi", error="context overflow"),
    "an error in the last choice": Report("genkit-ai/genkit/pull/6259", "compatible_chat", chat(HI, bare(choices=[{"index": 0, "delta": {"content": ""}, "finish_reason": "error", "error": {"code": 504, "message": "The host timed out"}}])), text="Hi", error="504: The host timed out"),
    "one-api ends with counts of zero": Report("topcheer/ggcode/issues/1286", "compatible_chat", chat(HI, STOP | {"usage": TOKENS | {"prompt_tokens_details": {"cached_tokens": 3}}}, bare(choices=[], usage=dict.fromkeys(TOKENS, 0))), text="Hi", counts=(5, 2)),
    "SGLang ends with an input of zero": Report("sgl-project/sglang/pull/20830", "anthropic_messages", ({"type": "message_start", "message": MESSAGE | {"usage": {"input_tokens": 5, "output_tokens": 0}}}, block(0, type="text", text=""), delta(0, type="text_delta", text="Hi"), {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"input_tokens": 0, "output_tokens": 2}}, {"type": "message_stop"}), text="Hi", counts=(5, 2)),
    "Gemini counts nothing at first, and in the end": Report("router-for-me/CLIProxyAPI/issues/4964", "gemini_generate", (part({"text": "H"}, usageMetadata={"promptTokenCount": 0, "totalTokenCount": 0}), part({"text": "i"}, usageMetadata={"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}), part(finish="STOP", usageMetadata={"promptTokenCount": 0, "candidatesTokenCount": 0, "totalTokenCount": 0})), text="Hi", counts=(5, 2)),
    "empty arguments before those of Claude": Report("BerriAI/litellm/issues/4537", "compatible_chat", chat(chunk(calls(call("weather", "{}", 0, "a"))), chunk(calls(call(None, CITY, 0))), chunk({}, "tool_calls")), calls=(WEATHER,), finish="tool_calls"),
    "Anthropic streams raw line breaks": Report("openclaw/openclaw/pull/141323", "anthropic_messages", claude(block(0, type="tool_use", id="a", name="edit", input={}), delta(0, type="input_json_delta", partial_json='{"text": "one'), delta(0, type="input_json_delta", partial_json='\n\ttwo"}'), stop="tool_use"), calls=(("edit", {"text": "one\n\ttwo"}),), finish="tool_calls"),
    "vLLM ends Claude's stream as OpenAI does": Report("vllm-project/vllm/pull/37510", "anthropic_messages", (*claude(block(0, type="text", text=""), delta(0, type="text_delta", text="Hi")), "[DONE]"), text="Hi"),
    "Copilot ends Claude's stream as OpenAI does": Report("huggingface/tau/pull/692", "anthropic_messages", (*claude(block(0, type="text", text=""), delta(0, type="text_delta", text="Hi"))[:-1], "[DONE]"), text="Hi"),
    "an error before the end mark": Report("BerriAI/litellm/issues/40578", "vllm_chat", chat({"error": {"message": "queue full", "code": 503}}), error="queue full"),
    "llama.cpp opens a block for each token": Report("ggml-org/llama.cpp/pull/18551", "anthropic_messages", claude(block(0, type="thinking", thinking=""), delta(0, type="thinking_delta", thinking="H"), block(0, type="thinking", thinking=""), delta(0, type="thinking_delta", thinking="m."), block(1, type="text", text=""), delta(1, type="text_delta", text="H"), block(1, type="text", text=""), delta(1, type="text_delta", text="i")), text="Hi", reasoning="Hm."),
    "thinking without a signature": Report("AgnesAI-Labs/AgnesAI-Models/issues/117", "anthropic_messages", claude(block(0, type="thinking", thinking=""), delta(0, type="thinking_delta", thinking="Hm."), block(1, type="text", text=""), delta(1, type="text_delta", text="Hi")), text="Hi", reasoning="Hm."),
    "LiteLLM adds empty arguments to a text": Report("BerriAI/litellm/issues/29286", "anthropic_messages", claude(block(0, type="text", text=""), delta(0, type="input_json_delta", partial_json=""), delta(0, type="text_delta", text="Hi")), text="Hi"),
    "Ollama's thinking has the number of the text before it": Report("ollama/ollama/issues/17101", "anthropic_messages", claude(block(0, type="text", text=""), delta(0, type="text_delta", text="Hi"), block(0, type="thinking", thinking=""), delta(0, type="thinking_delta", thinking="Hm.")), text="Hi", reasoning="Hm."),
    "all blocks have the number of the first": Report("ollama/ollama/pull/17225", "anthropic_messages", claude(block(0, type="thinking", thinking=""), delta(0, type="thinking_delta", thinking="Hm."), block(0, type="text", text=""), delta(0, type="text_delta", text="Hi"), block(0, type="tool_use", id="a", name="weather", input={}), delta(0, type="input_json_delta", partial_json=CITY), block(0, type="tool_use", id="b", name="weather", input={}), delta(0, type="input_json_delta", partial_json=CITY), stop="tool_use"), text="Hi", reasoning="Hm.", calls=(WEATHER, WEATHER), finish="tool_calls"),
    "oMLX leaves a number out": Report("jundot/omlx/pull/1356", "anthropic_messages", claude(block(0, type="thinking", thinking=""), delta(0, type="thinking_delta", thinking="Hm."), block(2, type="tool_use", id="a", name="weather", input={}), delta(2, type="input_json_delta", partial_json=CITY), stop="tool_use"), reasoning="Hm.", calls=(WEATHER,), finish="tool_calls"),
    "Anthropic fails in the middle": Report("BerriAI/litellm/issues/4562", "anthropic_messages", ({"type": "message_start", "message": MESSAGE}, block(0, type="text", text=""), delta(0, type="text_delta", text="H"), {"type": "error", "error": {"details": None, "type": "api_error", "message": "Internal server error"}}), text="H", error="Internal server error"),
    "LiteLLM never adds the item, and completes beside the response": Report("BerriAI/litellm/issues/22102", "openai_responses", (text_of_item("output_text.delta", delta="Hi"), {"type": "response.completed", "output": [item("Hi")]}, "[DONE]"), text="Hi", finish="stop"),
    "LiteLLM's deltas lack what is done": Report("BerriAI/litellm/issues/36327", "openai_responses", ({"type": "response.created", "response": RESPONSE | {"status": "in_progress"}}, {"type": "response.output_item.added", "output_index": 0, "item": item("")}, text_of_item("output_text.delta", delta="i"), text_of_item("output_text.done", text="Hi"), {"type": "response.completed", "response": RESPONSE | {"status": "completed", "output": [item("Hi")]}}), text="Hi"),
    "Bifrost completes without the output": Report("maximhq/bifrost/issues/5259", "openai_responses", ({"type": "response.created", "response": RESPONSE | {"status": "in_progress"}}, {"type": "response.output_item.added", "output_index": 0, "item": item("")}, text_of_item("output_text.delta", delta="Hi"), {"type": "response.completed", "response": RESPONSE | {"status": "completed", "output": None}}), text="Hi"),
    "9router's call has the number of the thinking before it": Report("decolua/9router/issues/2611", "openai_responses", responses(added(THOUGHT | {"summary": []}), {"type": "response.reasoning_summary_text.delta", "item_id": "rs", "output_index": 0, "summary_index": 0, "delta": "Hm."}, done(THOUGHT), added(CALLED | {"arguments": ""}), {"type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": 0, "delta": CITY}, done(CALLED), output=[]), reasoning="Hm.", calls=(WEATHER,), finish="tool_calls"),
    "a text has the number of the call before it": Report("tashfeenahmed/freellmapi/pull/846", "openai_responses", responses(added(CALLED | {"arguments": ""}), {"type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": 0, "delta": CITY}, done(CALLED), added(item("")), text_of_item("output_text.delta", delta="Hi"), done(item("Hi")), output=[CALLED, item("Hi")]), text="Hi", calls=(WEATHER,), finish="tool_calls"),
    "Copilot gives each event of an item another id": Report("vercel/ai/pull/18548", "openai_responses", responses(added(item("") | {"id": "i1"}), text_of_item("output_text.delta", delta="Hi") | {"item_id": "i2"}, done(item("Hi") | {"id": "i3"}), output=[item("Hi") | {"id": "i4"}]), text="Hi"),
    "Copilot's thinking, without its summary at the end": Report("caozhiyuan/copilot-api/pull/72", "openai_responses", responses(added(THOUGHT | {"id": "r1", "summary": []}), {"type": "response.reasoning_summary_text.delta", "item_id": "r2", "output_index": 0, "summary_index": 0, "delta": "Hm."}, done(THOUGHT | {"id": "r3", "summary": []}), output=[]), reasoning="Hm."),
    "vLLM completes without an item that it streamed": Report("vllm-project/vllm/pull/38227", "openai_responses", responses(added(item("")), text_of_item("output_text.delta", delta="Hm."), done(item("Hm.")), added(CALLED | {"arguments": ""}) | {"output_index": 1}, {"type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": 1, "delta": CITY}, done(CALLED) | {"output_index": 1}, output=[CALLED]), text="Hm.", calls=(WEATHER,), finish="tool_calls"),
    "a response that fails": Report("langchain-ai/langchain/pull/39041", "openai_responses", ({"type": "response.created", "response": RESPONSE | {"status": "in_progress"}}, {"type": "response.failed", "response": RESPONSE | {"status": "failed", "error": {"code": "server_error", "message": "The model broke"}}}), error="The model broke"),
    "a translator ends Gemini's answer before its text": Report("Chevey339/kelivo/issues/1003", "gemini_generate", (part(finish="STOP"), part({"text": "H"}), part({"text": "i"}), part(finish="STOP")), text="Hi"),
    "Gemini's last event has no content": Report("agentjido/req_llm/issues/638", "gemini_generate", (part({"text": "Hi"}), {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}}), text="Hi", counts=(5, 2)),
    "Gemini ends a call in a later event": Report("su-kaka/gcli2api/pull/407", "gemini_generate", (part({"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}), {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}), calls=(WEATHER,), finish="tool_calls"),
    "Gemini gives up before its first word": Report("agentjido/req_llm/issues/944", "gemini_generate", ({"candidates": [{"finishReason": "UNEXPECTED_TOOL_CALL", "index": 0}]},), finish="error"),
    "Gemini stops without a part": Report("BerriAI/litellm/pull/24467", "gemini_generate", ({"candidates": [{"content": {"role": "model"}, "finishReason": "STOP", "index": 0}]},)),
    "Gemini's last text comes with the finish": Report("elastic/kibana/pull/201299", "gemini_generate", (part({"text": "H"}), part({"text": "i"}, finish="STOP")), text="Hi"),
}  # fmt: skip


def framed(event: Any) -> bytes:
    return f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


def parsed(arguments: Any) -> Any:
    return json.loads(arguments) if isinstance(arguments, str) else arguments


def joined(events: list[Event], kind: str) -> str:
    return "".join([event.text for event in events if event.kind == kind])


@pytest.mark.parametrize("name", REPORTS)
def test_a_reported_stream_is_read(name: str) -> None:
    report = REPORTS[name]
    assert report.source.count("/") == 3
    stream = module(report.wire).stream()
    events = [event for data in report.events for event in stream.feed(framed(data))]
    if report.error:
        with pytest.raises(StreamError, match=report.error):
            stream.close()
        assert joined(events, "text") == report.text
        return
    events += stream.rest()
    answer = stream.close()
    assert (answer.text, answer.reasoning, answer.finish or "") == (
        report.text,
        report.reasoning,
        report.finish,
    )
    assert tuple((each.name, parsed(each.arguments)) for each in answer.calls) == report.calls
    usage = answer.usage
    assert report.counts == (None if usage is None or usage.input is None else (usage.input, usage.output))
    assert [event.data for event in events if event.kind == "unknown"] == []
    assert [event.name for event in events if event.kind == "call"] == [call for call, _ in report.calls]
    assert joined(events, "reasoning") == report.reasoning
    finishes = [event.name for event in events if event.kind == "finish"]
    assert finishes == ([report.finish] if report.finish else [])


@pytest.mark.parametrize("ends", [[item("")], [item("") | {"content": None}], []])
def test_an_item_that_ends_without_its_content_keeps_it(ends: list[dict[str, Any]]) -> None:
    stream = module("openai_responses").stream()
    thought = THOUGHT | {"encrypted_content": "e"}
    came = [
        *(added(thought), done(thought), added(item("")) | {"output_index": 1}),
        text_of_item("output_text.delta", delta="Hi") | {"output_index": 1},
    ]
    output = [thought | {"summary": []}, *ends] if ends else [item("Hi")]
    events = [event for data in responses(*came, output=output) for event in stream.feed(framed(data))]
    answer = stream.close()
    assert (answer.text, answer.reasoning, joined(events, "text")) == ("Hi", "Hm.", "Hi")
    assert [part.encrypted for part in answer.parts if isinstance(part, Reasoning)] == ["e"]


@pytest.mark.parametrize(
    ("pieces", "names"),
    [
        # continuedev/continue PR 5849, NVIDIA-NeMo/Switchyard PR 785, openclaw/openclaw PR 130532
        ((call("wea", "", 0, "a"), call("ther", "", 0), call(None, CITY, 0)), ["weather"]),
        ((call("wea", CITY[:4], 0, "a"), call("ther", CITY[4:], 0)), ["weather"]),
        ((call("wea", "", 0, "a"), call("ther", CITY, 0, "a")), ["weather"]),
        # a name that is said again, or grows
        ((call("weather", "", 0, "a"), call("weather", CITY, 0, "a")), ["weather"]),
        ((call("wea", "", 0, "a"), call("weather", CITY, 0, "a")), ["weather"]),
        # calls that share a number
        ((call("clock", TIME, 0, "a"), call("weather", CITY, 0, "b")), ["clock", "weather"]),
        ((call("clock", TIME, 0, "a"), call("weather", CITY, 0)), ["clock", "weather"]),
        ((call("clock", "{}", 0), call("weather", CITY, 0)), ["clock", "weather"]),
    ],
)
def test_the_name_of_a_call_may_come_in_parts(pieces: tuple[dict[str, Any], ...], names: list[str]) -> None:
    stream = module("compatible_chat").stream()
    for data in chat(*[chunk(calls(piece)) for piece in pieces], chunk({}, "tool_calls")):
        stream.feed(framed(data))
    answer = stream.close()
    assert [each.name for each in answer.calls] == names
    assert parsed(answer.calls[-1].arguments) == WEATHER[1]


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("anthropic_messages", delta(0, type="mood_delta", mood="good")),
        ("anthropic_messages", {"type": "content_block_delta", "index": 0, "delta": {}}),
        ("anthropic_messages", {"type": ["message_stop"]}),
        ("anthropic_messages", {"type": ""}),
    ],
)
def test_an_event_of_which_nothing_is_taken_is_told(wire: str, event: dict[str, Any]) -> None:
    stream = module(wire).stream()
    assert [(told.kind, told.data) for told in stream.feed(framed(event))] == [("unknown", event)]


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("anthropic_messages", {"type": "ping"}),
        ("anthropic_messages", delta(0, type="text_delta", text="")),
        ("anthropic_messages", {"type": "content_block_stop", "index": 0}),
        ("openai_chat", bare(choices=[])),
    ],
)
def test_an_event_without_news_is_not_told(wire: str, event: dict[str, Any]) -> None:
    kinds = {told.kind for told in module(wire).stream().feed(framed(event))}
    assert kinds <= {"start"}
