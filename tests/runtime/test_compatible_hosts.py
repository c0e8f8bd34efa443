"""Answers and streams as compatible hosts give them, each as a public thread reports it: nothing of them is lost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

from promptwire import Request, tool_result, user
from promptwire.errors import AnswerError
from promptwire.results import Usage

GITHUB = "https://github.com/"
CITY, TIME = '{"city": "Oslo"}', '{"zone": "CET"}'
WEATHER, CLOCK = ("weather", {"city": "Oslo"}), ("clock", {"zone": "CET"})


@dataclass(frozen=True, slots=True)
class Case:
    """One answer of a host: the chunks of a stream, or a whole message, and what it says."""

    source: str
    deltas: tuple[dict[str, Any], ...] = ()
    message: dict[str, Any] | None = None
    finish: str = "tool_calls"
    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = (WEATHER,)
    reasoning: str = ""


def call(
    name: str | None, arguments: Any, index: Any = None, identity: Any = None, **more: Any
) -> dict[str, Any]:
    """Return a call as it stands in a chunk, without fields that are None."""
    row = {"index": index, "id": identity, **more}
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {**{key: value for key, value in row.items() if value is not None}, "function": function}


def calls(*rows: dict[str, Any]) -> dict[str, Any]:
    """Return the delta of calls."""
    return {"tool_calls": [*rows]}


TWO = (WEATHER, CLOCK)
CASES: dict[str, Case] = {
    "Ollama numbers all calls 0": Case("ollama/ollama/issues/15457", (calls(call("weather", CITY, 0, "a", type="function")), calls(call("clock", TIME, 0, "b", type="function"))), calls=TWO),
    "Ollama numbers all calls of one chunk 0": Case("ollama/ollama/issues/15457", (calls(call("weather", CITY, 0, "a"), call("clock", TIME, 0, "b")),), calls=TWO),
    "Ollama gives no number": Case("ollama/ollama/issues/7881", (calls(call("weather", CITY, None, "a", type="function")), calls(call("clock", TIME, None, "b", type="function"))), calls=TWO),
    "the AI SDK's report of the same number": Case("vercel/ai/pull/14277", (calls(call("weather", "", 0, "a")), calls(call(None, CITY, 0)), calls(call("clock", "", 0, "b")), calls(call(None, TIME, 0))), calls=TWO),
    "dynamo numbers parallel calls 0": Case("ai-dynamo/dynamo/pull/4723", (calls(call("weather", CITY, 0, "call-1", type="function")), calls(call("clock", TIME, 0, "call-2", type="function"))), calls=TWO),
    "LiteLLM numbers all calls of Ollama 0": Case("BerriAI/litellm/issues/33678", (calls(call("weather", CITY, 0, "a")), calls(call("clock", TIME, 0, "b"))), calls=TWO, finish="stop"),
    "LiteLLM gives arguments as an object": Case("BerriAI/litellm/pull/37792", (calls(call("weather", {"city": "Oslo"}, 0, "a")),), finish="stop"),
    "names that are joined where calls share a number": Case("NousResearch/hermes-agent/pull/3468", tuple(calls(call("write", json.dumps({"path": path}), 0, f"call_function_{path}")) for path in "abc"), calls=tuple(("write", {"path": path}) for path in "abc")),
    "Responses behind Chat Completions numbers calls 0": Case("mcowger/plexus/issues/691", tuple(calls(call("add_task", json.dumps({"title": title}), 0, f"c{title}")) for title in "xyz"), calls=tuple(("add_task", {"title": title}) for title in "xyz")),
    "SGLang gives no number": Case("sgl-project/sglang/issues/5661", (calls(call("weather", CITY, None, "0", type="function")),)),
    "SGLang repeats null id and name": Case("lidge-jun/opencodex/pull/1754", (calls(call("weather", "", 0, "a", type="function")), {"tool_calls": [{"index": 0, "id": None, "type": "function", "function": {"name": None, "arguments": CITY[:5]}}]}, {"tool_calls": [{"index": 0, "id": None, "function": {"name": None, "arguments": CITY[5:]}}]})),
    "vLLM ends with null type, id and name": Case("vllm-project/vllm/pull/38640", (calls(call("weather", CITY[:5], 0, "a", type="function")), {"tool_calls": [{"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": CITY[5:]}}]})),
    "vLLM ends with empty fields": Case("vllm-project/vllm/issues/38603", (calls(call("weather", CITY, 0, "a", type="function")), {"tool_calls": [{"index": 0, "id": "", "type": "", "function": {"name": "", "arguments": ""}}]})),
    "vLLM leaves out the type": Case("vllm-project/vllm/pull/16346", (calls(call("weather", CITY[:5], 0, "a")), calls(call(None, CITY[5:], 0)))),
    "vLLM ends a named choice by stop": Case("vllm-project/vllm/pull/9209", (calls(call("weather", CITY, 0, "a", type="function")),), finish="stop"),
    "vLLM's whole call of type null": Case("mistralai/mistral-vibe/pull/504", message=calls(call("weather", CITY, None, "a")) | {"content": None}),
    "vLLM-ascend gives null content beside calls": Case("vllm-project/vllm-ascend/issues/14501", ({"content": None, **calls(call("weather", "", 0, "call_xxx", type="function"))}, {"content": None, **calls(call(None, CITY, 0))})),
    "qwen-plus sends an empty function": Case("deepset-ai/haystack/issues/9581", (calls(call("weather", CITY, 0, "a", type="function")), {"tool_calls": [{"index": 0, "id": "", "type": "function", "function": {"name": None, "arguments": None}}]})),
    "Azure's Mistral leaves out the type": Case("vercel/ai/pull/12901", (calls(call("weather", CITY, 0, "a")),)),
    "llama.cpp gives arguments as an object": Case("ggml-org/llama.cpp/issues/20198", message=calls(call("weather", {"city": "Oslo"}, None, "a", type="function")) | {"content": ""}),
    "picoclaw's hosts give arguments as an object": Case("sipeed/picoclaw/pull/1292", message=calls(call("weather", {"city": "Oslo"}, None, "a", type="function"))),
    "claudette's hosts give arguments as an object": Case("mrdushidush/claudette/pull/238", (calls(call("weather", {"city": "Oslo"}, 0, "a", type="function")),)),
    "Gemini's endpoint gives no number": Case("THU-MAIC/OpenMAIC/issues/1556", (calls(call("weather", CITY, None, "call_297140", type="function", extra_content={"google": {"thought_signature": "c2ln"}})),)),
    "Gemini's endpoint ends calls by stop": Case("open-webui/computer/issues/224", (calls(call("weather", CITY[:6], None, "function-call-1", type="function")), calls(call(None, CITY[6:]))), finish="stop"),
    "Gemini behind a proxy: arguments of no number and empty id": Case("AstrBotDevs/AstrBot/issues/6661", (calls(call("weather", "", None, "a", type="function")), {"tool_calls": [{"id": "", "function": {"arguments": CITY}, "type": ""}]})),
    "new-api gives no number": Case("QuantumNous/new-api/pull/672", (calls(call("weather", CITY, None, "call_1", type="function")),)),
    "TensorZero's report of no number": Case("tensorzero/tensorzero/issues/1266", (calls(call("weather", CITY, None, "a", type="function"), call("clock", TIME, None, "b", type="function")),), calls=TWO),
    "Xinference gives no number": Case("xorbitsai/inference/issues/3634", (calls(call("weather", CITY, None, "call_x", type="function")),)),
    "gpt-4o ends calls by stop": Case("ollama/ollama/pull/7963", (calls(call("weather", CITY, 0, "a", type="function")),), finish="stop"),
    "o1-pro ends calls by stop": Case("BerriAI/litellm/issues/12862", (calls(call("weather", CITY, 0, "a", type="function")),), finish="stop"),
    "LiteLLM ends calls by end_turn": Case("BerriAI/litellm/issues/12481", message=calls(call("weather", CITY, None, "a", type="function")), finish="stop"),
    "mlx-vlm ends calls by stop": Case("Blaizzy/mlx-vlm/pull/990", message=calls(call("weather", CITY, None, "a", type="function")) | {"content": None}, finish="stop"),
    "SGLang ends calls by stop": Case("sgl-project/sglang/issues/2877", message=calls(call("weather", CITY, None, "a", type="function")) | {"content": None}, finish="stop"),
    "OpenAI ends calls by stop": Case("ENTERPILOT/GoModel/pull/124", message=calls(call("weather", CITY, None, "a", type="function")) | {"content": None}, finish="stop"),
    "Venice sends the whole arguments, then an empty piece": Case("ar-jan/llm-venice/issues/45", (calls(call("multiply", '{"x":2}', 0, "a", type="function")), calls(call(None, "", 0))), calls=(("multiply", {"x": 2}),)),
    "the first chunk has empty arguments": Case("langchain-ai/langchain/issues/38682", (calls(call("weather", "", 0, "a", type="function")), calls(call(None, CITY, 0)))),
    "GLM sends arguments in one piece": Case("sgl-project/sglang/issues/11888", (calls(call("weather", CITY, 0, "call_7e", type="function")),)),
    "numbers as text": Case("sgl-project/sglang/issues/5661", (calls(call("weather", CITY[:4], "0", "a")), calls(call(None, CITY[4:], "0")))),
    "numbers with a fraction": Case("sgl-project/sglang/issues/5661", (calls(call("weather", CITY[:4], 0.0, "a")), calls(call(None, CITY[4:], 0.0)))),
}  # fmt: skip
WIRES = (
    "openai_chat",
    "compatible_chat",
    "vllm_chat",
    "llamacpp_chat",
    "openrouter_chat",
    "azure_openai_chat",
)


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Return a chunk of a stream."""
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}


def read(case: Case, wire: str) -> Any:
    """Read a case on a wire, and check that its events say what its answer does."""
    module = import_module(f"promptwire.{wire}")
    if case.message is not None:
        message = {"role": "assistant", **case.message}
        choices = [{"index": 0, "message": message, "finish_reason": case.finish}]
        body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
        answer = module.read_answer(body)
        assert module.write_answer(answer) == body
        return answer
    chunks = [chunk({"role": "assistant", "content": ""}), *map(chunk, case.deltas), chunk({}, case.finish)]
    raw = "".join([f"data: {json.dumps(each)}\n\n" for each in chunks]) + "data: [DONE] \n\n"
    stream = module.stream()
    events = [*stream.feed_from([raw.encode()])]
    answer = stream.close()
    assert [event.name for event in events if event.kind == "call"] == [name for name, _ in case.calls]
    pieces: dict[Any, str] = {}
    for event in events:
        if event.kind == "arguments":
            pieces[event.place] = pieces.get(event.place, "") + event.text
    assert [json.loads(text) for text in pieces.values()] == [arguments for _, arguments in case.calls]
    assert [event.name for event in events if event.kind == "finish"] == [answer.finish]
    assert [event for event in events if event.kind in ("unknown", "error")] == []
    return answer


@pytest.mark.parametrize("name", CASES)
def test_a_compatible_host_is_understood(name: str) -> None:
    case = CASES[name]
    assert case.source.count("/") == 3, f"{GITHUB}{case.source} is no thread"
    for wire in WIRES:
        answer = read(case, wire)
        found = tuple((each.name, each.parsed_arguments) for each in answer.calls)
        assert (answer.text, found, answer.finish, answer.unread) == (case.text, case.calls, "tool_calls", ())


WORDS = [
    # docs.together.ai/reference/chat-completions-1
    ("compatible_chat", "eos", "stop"),
    ("huggingface_chat", "eos", "stop"),
    # huggingface.co/docs/text-generation-inference: FinishReason
    ("compatible_chat", "eos_token", "stop"),
    ("huggingface_chat", "stop_sequence", "stop"),
    # docs.z.ai/api-reference/llm/chat-completion
    ("compatible_chat", "sensitive", "filtered"),
    ("compatible_chat", "network_error", "error"),
    ("compatible_chat", "model_context_window_exceeded", "context"),
    # api-docs.deepseek.com/api/create-chat-completion
    ("compatible_chat", "insufficient_system_resource", "error"),
    ("deepseek_chat", "insufficient_system_resource", "error"),
    # ucloud-global.com/en/docs/modelverse/api_doc/struct
    ("compatible_chat", "normal", "stop"),
    # Portkey-AI/gateway, src/providers/utils.ts: without strict compliance, the word of the API behind it
    ("compatible_chat", "end_turn", "stop"),
    ("compatible_chat", "MAX_TOKENS", "length"),
    ("compatible_chat", "max_tokens", "length"),
    ("compatible_chat", "tool_use", "tool_calls"),
    ("compatible_chat", "guardrail_intervened", "filtered"),
    # github.com/vllm-project/vllm: FinishReason
    ("vllm_chat", "abort", "error"),
    ("vllm_chat", "error", "error"),
    # ibm.github.io/watsonx-ai-node-sdk: TextChatResultChoice
    ("watsonx_chat", "error", "error"),
    ("watsonx_chat", "time_limit", "other"),
]


@pytest.mark.parametrize(("wire", "word", "finish"), WORDS)
def test_words_of_hosts_for_the_end_are_understood(wire: str, word: str, finish: str) -> None:
    module = import_module(f"promptwire.{wire}")
    message = {"role": "assistant", "content": "Hi"}
    answer = module.read_answer({"choices": [{"index": 0, "message": message, "finish_reason": word}]})
    assert (answer.text, answer.finish, answer.finish_raw) == ("Hi", finish, word)
    assert module.write_answer(answer)["choices"][0]["finish_reason"] == word
    stream = module.stream()
    for choice in ({"index": 0, "delta": message}, {"index": 0, "delta": {}, "finish_reason": word}):
        stream.feed(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
    assert stream.close().finish == finish


@pytest.mark.parametrize("function", [{"name": "now"}, {"name": "now", "arguments": None}])
def test_a_call_without_arguments_is_a_call_on_apis_that_take_text_or_an_object(
    function: dict[str, Any],
) -> None:
    module = import_module("promptwire.mistral_chat")
    spoken = {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": function}]}
    body = {"choices": [{"index": 0, "message": spoken, "finish_reason": "tool_calls"}]}
    answer = module.read_answer(body)
    assert [(call.name, call.parsed_arguments) for call in answer.calls] == [("now", {})]
    assert len(answer.deviations) == 1
    assert not answer.unread
    assert module.write_answer(answer) == body


@pytest.mark.parametrize("wire", WIRES)
def test_copilot_gives_the_text_and_the_calls_of_claude_as_two_choices(wire: str) -> None:
    """https://github.com/HKUDS/nanobot/pull/1555."""
    module = import_module(f"promptwire.{wire}")
    text = {"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    called = {"role": "assistant", **calls(call("weather", CITY, None, "a", type="function"))}
    body = {
        "id": "c1",
        "created": 1,
        "model": "m",
        "choices": [text, {"message": called, "finish_reason": "tool_calls"}],
    }
    answer = module.read_answer(body)
    assert [(each.name, each.parsed_arguments) for each in answer.calls] == [WEATHER]
    assert (answer.text, answer.finish, answer.finish_raw, len(answer.messages)) == (
        "Hi",
        "tool_calls",
        "tool_calls",
        1,
    )
    assert module.write_answer(answer) == body
    written = import_module("promptwire.anthropic_messages").write_answer(answer)
    assert [block["type"] for block in written["content"]] == ["text", "tool_use"]
    request = Request("m", [user("Hi")]).after(answer, tool_result(answer.calls[0], "12 C"))
    assert [len(message.parts) for message in request.messages] == [1, 2, 1]


def test_choices_without_an_index_stay_several_answers() -> None:
    module = import_module("promptwire.openai_chat")
    choice = {"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    answer = module.read_answer({"choices": [choice, choice]})
    assert (len(answer.messages), answer.text) == (2, "Hi")


@pytest.mark.parametrize("wire", ["openai_chat", "compatible_chat", "azure_openai_chat"])
def test_copilot_thinks_under_a_key_of_its_own_and_counts_that_apart(wire: str) -> None:
    """https://github.com/sst/opencode, the tests of its provider for GitHub Copilot."""
    module = import_module(f"promptwire.{wire}")
    spoken = {"role": "assistant", "content": "Hi", "reasoning_text": "Greet.", "reasoning_opaque": "4CUQ"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 22, "reasoning_tokens": 7}
    body = {
        "id": "c1",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": spoken, "finish_reason": "stop"}],
        "usage": usage,
    }
    answer = module.read_answer(body)
    assert (answer.text, answer.reasoning, answer.unread) == ("Hi", "Greet.", ())
    assert answer.usage == Usage(input=10, output=12, reasoning=7, total=22, raw=usage)
    assert module.write_answer(answer) == body
    following = module.build(Request("m", [user("Hi")]).after(answer, user("Bye"))).body
    assert following["messages"][1] == spoken
    stream = module.stream()
    pieces = [
        {"reasoning_text": "Gre"},
        {"reasoning_text": "et."},
        {"content": "Hi"},
        {"reasoning_opaque": "4CUQ"},
    ]
    chunks = [chunk({"role": "assistant", **piece}) for piece in pieces] + [chunk({}, "stop")]
    events = [*stream.feed_from(chunks)]
    assert [event.text for event in events if event.kind == "reasoning"] == ["Gre", "et."]
    assert stream.close().message == answer.message


@pytest.mark.parametrize(
    ("total", "output"), [(22, 12), (15, 5), (23, 5), (None, 5)], ids=["apart", "within", "neither", "untold"]
)
def test_reasoning_counts_to_the_output_where_the_total_says_so(total: int | None, output: int) -> None:
    details = {"reasoning_tokens": 7}
    counts = {"prompt_tokens": 10, "completion_tokens": 5, "completion_tokens_details": details}
    body = {"choices": [], "usage": counts if total is None else {**counts, "total_tokens": total}}
    module = import_module("promptwire.compatible_chat")
    assert module.read_answer(body).usage.output == output


def test_an_answer_of_gemini_without_content_has_a_signature_and_an_end() -> None:
    """Agentgateway's fixture gemini_malformed_function_call."""
    module = import_module("promptwire.compatible_chat")
    signed = {"google": {"thought_signature": "c2ln"}}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "extra_content": signed},
        "finish_reason": "function_call_filter: MALFORMED_FUNCTION_CALL",
    }
    body = {"object": "chat.completion", "model": "gemini-3-flash", "choices": [choice]}
    answer = module.read_answer(body)
    assert (answer.text, answer.calls, answer.unread) == ("", (), ())
    assert (answer.finish, answer.finish_raw) == ("other", choice["finish_reason"])
    assert module.write_answer(answer) == body


def test_thinking_of_claude_on_databricks_is_a_summary() -> None:
    """https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models."""
    module = import_module("promptwire.compatible_chat")
    thought = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "Hm", "signature": "c2ln"}],
    }
    content = [thought, {"type": "text", "text": "Hi"}]
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    body = {"object": "chat.completion", "model": "claude", "choices": [choice]}
    answer = module.read_answer(body)
    assert (answer.reasoning, answer.text, answer.unread) == ("Hm", "Hi", ())
    assert module.write_answer(answer) == body


def test_pieces_of_thinking_on_databricks_are_one_thought() -> None:
    def chunk(*content: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {
            "index": 0,
            "delta": {"role": "assistant", "content": list(content)},
            "finish_reason": finish,
        }
        return {"object": "chat.completion.chunk", "model": "claude", "choices": [choice]}

    def thought(text: str, signature: str = "") -> dict[str, Any]:
        summary = {"type": "summary_text", "text": text, "signature": signature}
        return {"type": "reasoning", "summary": [summary]}

    def said(text: str) -> dict[str, Any]:
        return {"type": "text", "text": text}

    stream = import_module("promptwire.compatible_chat").stream()
    pieces = [thought("First "), thought("Oslo."), thought("", "c2ln"), said("1"), said("2")]
    events = [*stream.feed_from([*map(chunk, pieces), chunk(finish="stop")])]
    assert [event.text for event in events if event.kind == "reasoning"] == ["First ", "Oslo."]
    answer = stream.close()
    assert [part.text for part in answer.parts] == ["First Oslo.", "12"]
    assert answer.raw["choices"][0]["message"]["content"][0] == thought("First Oslo.", "c2ln")


@pytest.mark.parametrize(
    ("wire", "counts", "read"),
    [
        # DashScope's page on its context cache
        ("compatible_chat", {"prompt_tokens_details": {"cached_tokens": 0, "cache_creation_input_tokens": 8}}, (0, 8)),
        ("compatible_chat", {"prompt_tokens_details": {"cached_tokens": 3, "cache_creation_tokens": 4}}, (3, 4)),
        ("openai_chat", {"cache_read_input_tokens": 3, "cache_creation_input_tokens": 4}, (3, 4)),
    ],
)  # fmt: skip
def test_what_was_written_to_a_cache_is_counted(
    wire: str, counts: dict[str, Any], read: tuple[int, int]
) -> None:
    module = import_module(f"promptwire.{wire}")
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 2, "total_tokens": 22, **counts}
    told = module.read_answer({"choices": [choice], "usage": usage}).usage
    assert (told.input, told.cache_read, told.cache_write) == (20, *read)


@pytest.mark.parametrize("wire", ["cohere_chat", "cohere_v1"])
def test_older_answers_of_cohere_count_what_is_billed(wire: str) -> None:
    module = import_module(f"promptwire.{wire}")
    billed = {"billed_units": {"input_tokens": 9, "output_tokens": 4}}
    older = {"text": "Hi", "generation_id": "g1", "meta": {"api_version": {"version": "1"}, **billed}}
    newer = {"id": "g1", "message": {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}}
    body = older if wire == "cohere_v1" else {**newer, "finish_reason": "COMPLETE", "usage": billed}
    answer = module.read_answer(body)
    assert (answer.text, answer.usage.input, answer.usage.output) == ("Hi", 9, 4)
    assert module.write_answer(answer) == body


def test_an_answer_of_dashscope_in_the_older_form_is_no_empty_one() -> None:
    module = import_module("promptwire.dashscope_generation")
    body = {
        "output": {"text": "Hi", "finish_reason": "stop"},
        "usage": {"input_tokens": 9, "output_tokens": 4},
    }
    answer = module.read_answer(body)
    assert [str(problem) for problem in answer.unread] == [
        "passed through output.choices: Alibaba DashScope Generation always has this, and here it is absent, null or empty"
    ]
    with pytest.raises(AnswerError, match="nothing of the answer's content was understood"):
        _ = answer.text
    assert module.write_answer(answer) == body


# posit-dev/chatlas, recorded 2026-01: Workers AI answers a schema with the object itself
@pytest.mark.parametrize("wire", ["compatible_chat", "openai_chat", "mistral_chat", "ollama_chat"])
def test_content_that_is_an_object_is_its_json_text(wire: str) -> None:
    module = import_module(f"promptwire.{wire}")
    message = {"role": "assistant", "content": {"city": "Zürich", "celsius": 12}}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"message": message, "done": True} if wire == "ollama_chat" else {"choices": [choice]}
    answer = module.read_answer(body)
    assert answer.text == '{"city": "Zürich", "celsius": 12}'
    assert [(note.field, note.why) for note in answer.deviations] == [
        ("content", "an object was read as JSON text")
    ]
    assert (answer.unread, module.write_answer(answer)) == ((), body)
    following = Request("m", [user("Hi")]).after(answer, user("And Bern?"))
    assert module.build(following).body["messages"][1]["content"] == answer.text


def test_content_that_is_one_element_is_a_list_of_it() -> None:
    message = {"role": "assistant", "content": {"type": "text", "text": "12 C."}}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    answer = import_module("promptwire.openai_chat").read_answer(body)
    assert (answer.text, len(answer.deviations), answer.unread) == ("12 C.", 1, ())
