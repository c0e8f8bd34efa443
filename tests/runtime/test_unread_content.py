"""Content that an API's answers have no key for: its caller gets an error that names the key, never an empty answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import Answer, BodyError, Message, Note
from promptwire.errors import AnswerError, StreamError
from promptwire.parts import Refusal
from promptwire.results import Candidate
from tests.answers import module

CALL = {"name": "f", "arguments": "{}"}
# the wire, the message, its finish word, and the key that is named
UNREAD: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "a refusal where the API has none": ("deepseek_chat", {"content": None, "refusal": "No."}, "stop", "refusal"),
    "a refusal beside keys that are known": ("groq_chat", {"content": None, "refusal": "No."}, "stop", "refusal"),
    "audio beside empty text": ("vllm_chat", {"content": "", "audio": {"id": "a"}}, "stop", "audio"),
    "content of an unknown type": ("openai_chat", {"content": 5}, "stop", "content"),
    "content under another key": ("mistral_chat", {"content": "", "answer": ["Hi"]}, "length", "answer"),
    "content beside thinking": ("openai_chat", {"content": None, "reasoning": "Hm.", "final": "Hi"}, "stop", "final"),
    "an older call": ("xai_chat", {"content": None, "function_call": CALL}, "function_call", "function_call"),
    "an older call beside text": ("openrouter_chat", {"content": "So:", "function_call": CALL}, "tool_calls", "function_call"),
}  # fmt: skip
# the same, where nothing is missing
READ: dict[str, tuple[str, dict[str, Any], str]] = {
    "an unknown key beside text": ("openai_chat", {"content": "Hi", "mood": "good"}, "stop"),
    "an empty answer": ("openai_chat", {"content": ""}, "stop"),
    "an empty answer with a number": ("openai_chat", {"content": "", "score": 3, "mood": "", "tags": []}, "stop"),
    "an unknown key beside a call": ("openai_chat", {"content": None, "mood": "good", "tool_calls": [{"id": "c", "type": "function", "function": CALL}]}, "tool_calls"),
    "an answer that goes on": ("openai_chat", {"content": None, "mood": "good"}, ""),
}  # fmt: skip


def body(message: dict[str, Any], finish: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish or None}
    return {"id": "a1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def streamed(message: dict[str, Any], finish: str) -> bytes:
    chunk = body(message, finish) | {"object": "chat.completion.chunk"}
    chunk["choices"][0]["delta"] = chunk["choices"][0].pop("message")
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()


def read(wire: str, message: dict[str, Any], finish: str, how: str) -> Answer:
    if how == "whole":
        answer: Answer = module(wire).read_answer(body(message, finish))
        return answer
    stream = module(wire).stream()
    stream.feed(streamed(message, finish))
    closed: Answer = stream.close()
    return closed


@pytest.mark.parametrize("how", ["whole", "streamed"])
@pytest.mark.parametrize("name", UNREAD)
def test_content_that_no_shape_takes_is_named(name: str, how: str) -> None:
    wire, message, finish, key = UNREAD[name]
    answer = read(wire, message, finish, how)
    assert [(note.path, note.field) for note in answer.unread] == [("choices[0].message", key)]
    asked = "calls" if finish in ("function_call", "tool_calls") else "text"
    with pytest.raises(AnswerError, match=rf"not understood|understood: .*message\.{key}"):
        getattr(answer, asked)


@pytest.mark.parametrize("how", ["whole", "streamed"])
@pytest.mark.parametrize("name", READ)
def test_an_unknown_key_beside_content_is_named_without_a_problem(name: str, how: str) -> None:
    answer = read(*READ[name], how)
    named = [("passed through", "choices[0].message", "mood")] if READ[name][1].get("mood") else []
    assert [(note.action, note.path, note.field) for note in answer.deviations] == named
    assert answer.unread == ()
    assert (answer.text, len(answer.calls)) == (READ[name][1]["content"] or "", "tool_calls" in READ[name][1])


def test_content_that_no_shape_takes_is_written_again() -> None:
    for wire, message, finish, _ in UNREAD.values():
        assert module(wire).write_answer(read(wire, message, finish, "whole")) == body(message, finish)


@pytest.mark.parametrize("word", ["partialArgs", "willContinue"])
def test_a_whole_answer_names_arguments_that_come_in_pieces(word: str) -> None:
    pieces: dict[str, Any] = {
        "partialArgs": [{"jsonPath": "$.city", "stringValue": "Oslo"}],
        "willContinue": True,
    }
    said = {"functionCall": {"name": "f", word: pieces[word]}}
    content = {"role": "model", "parts": [{"text": "Hm."}, said, {"functionCall": {"name": "g"}}]}
    answer = module("gemini_generate").read_answer(
        {"candidates": [{"content": content, "finishReason": "STOP"}]}
    )
    place = "candidates[0].content.parts[1].functionCall"
    assert answer.unread == (
        Note(
            "passed through", place, word, "the arguments of this call come in pieces, which stream() joins"
        ),
    )


TEXT = {"role": "assistant", "content": "Hi"}
# an answer without its message: the wire, the body, and the place of what stands there instead
DISPLACED: dict[str, tuple[str, dict[str, Any], str]] = {
    "text of a completion": ("openai_chat", {"choices": [{"index": 0, "text": "Hi", "finish_reason": "stop"}]}, "choices[0].text"),
    "a delta": ("openai_chat", {"choices": [{"index": 0, "delta": TEXT, "finish_reason": "stop"}]}, "choices[0].delta"),
    "a delta of a host that sends it beside the message": ("compatible_chat", {"choices": [{"index": 0, "delta": TEXT, "finish_reason": "stop"}]}, "choices[0].delta"),
    "a message in capitals": ("openai_chat", {"choices": [{"Message": TEXT, "finish_reason": "stop"}]}, "choices[0].Message"),
    "a message that is text": ("mistral_chat", {"choices": [{"index": 0, "message": "Hi", "finish_reason": "stop"}]}, "choices[0].message"),
    "output that is text": ("openai_responses", {"id": "r", "object": "response", "status": "completed", "output": "Hi"}, "output"),
    "calls under another key": ("openai_chat", {"id": "a", "choices": [{"message": {"role": "assistant", "toolCalls": [CALL]}}], "usage": {"total_tokens": 3}}, "choices[0].message.toolCalls"),
}  # fmt: skip


@pytest.mark.parametrize("name", DISPLACED)
def test_content_in_place_of_the_message_is_named(name: str) -> None:
    wire, whole, place = DISPLACED[name]
    answer = module(wire).read_answer(whole)
    assert [".".join(filter(None, (note.path, note.field))) for note in answer.unread] == [place]
    with pytest.raises(AnswerError, match="understood"):
        answer.text  # noqa: B018


@pytest.mark.parametrize(
    ("wire", "whole"),
    [
        ("anthropic_messages", {"id": "a", "model": "m", "choices": [{"message": TEXT}], "usage": {"prompt_tokens": 2}}),
        ("ollama_chat", {"model": "m", "response": "Hi", "done": True}),
    ],
)  # fmt: skip
def test_an_answer_of_another_api_is_no_empty_answer(wire: str, whole: dict[str, Any]) -> None:
    with pytest.raises(BodyError, match="nothing of the body is an answer of"):
        module(wire).read_answer(whole)


def test_a_filtered_choice_without_a_message_is_no_problem() -> None:
    filtered = {"hate": {"filtered": True, "severity": "high"}}
    choice = {"index": 0, "finish_reason": "content_filter", "content_filter_results": filtered}
    answer = module("openai_chat").read_answer({"choices": [choice]})
    assert (answer.finish, answer.text, answer.unread) == ("filtered", "", ())


@pytest.mark.parametrize(
    "body",
    [
        {"promptFeedback": {"blockReason": "SAFETY"}},
        # as the vendor's client dumps it
        {"prompt_feedback": {"block_reason": "SAFETY", "safety_ratings": None}, "candidates": None},
    ],
)
def test_a_blocked_prompt_is_no_problem(body: dict[str, Any]) -> None:
    gemini = module("gemini_generate")
    answer = gemini.read_answer(body)
    assert (answer.finish, answer.finish_raw, answer.text, answer.unread) == ("filtered", "SAFETY", "", ())
    assert gemini.write_answer(answer) == body
    stream = gemini.stream()
    stream.feed(body)
    stream.close()
    assert (stream.answer.candidates, stream.answer.vendor) == (answer.candidates, answer.vendor)


REFUSED = Answer(candidates=(Candidate(message=Message("assistant", Refusal("No.")), finish="refused"),))
REFUSING = {"openai_chat", "openai_responses", "compatible_chat", "azure_openai_chat", "azure_openai_responses", "openrouter_chat", "perplexity_chat", "watsonx_chat", "xai_chat", "xai_responses"}  # fmt: skip
WRITING = ["anthropic_messages", "bedrock_converse", "cohere_chat", "compatible_chat", "deepseek_chat", "gemini_generate", "gemini_interactions", "groq_chat", "huggingface_chat", "llamacpp_chat", "mistral_chat", "ollama_chat", "openai_chat", "openai_responses", "vllm_chat"]  # fmt: skip


@pytest.mark.parametrize("policies", ["strict", "lenient"])
@pytest.mark.parametrize("wire", WRITING)
def test_a_refusal_becomes_text_where_an_api_has_none(wire: str, policies: str) -> None:
    notes: list[Note] = []
    whole = module(wire).read_answer(module(wire).write_answer(REFUSED, policies=policies, notes=notes))
    writer = module(wire).write_stream(id="a1", model="m", policies=policies, notes=notes)
    stream = module(wire).stream()
    stream.feed(writer.answer(REFUSED))
    for answer in (whole, stream.close()):
        assert (answer.refusal, answer.text) == (("No.", "") if wire in REFUSING else (None, "No."))
    told = [note.action for note in notes if "has a refusal" in note.why]
    assert told == ([] if wire in REFUSING else ["replaced", "replaced"])


def chat(*calls: Any) -> dict[str, Any]:
    return body({"content": None, "tool_calls": [*calls]}, "tool_calls")


GIVEN = {"city": "Oslo"}
# a call whose arguments stand under the key of another API, and where
MISPLACED: dict[str, tuple[str, dict[str, Any], str]] = {
    "chat": ("openai_chat", chat({"id": "a", "type": "function", "function": {"name": "g", "arguments": "{}"}}, {"id": "c", "type": "function", "function": {"name": "f", "parameters": GIVEN}}), "choices[0].message.tool_calls[1].function.parameters"),
    "Anthropic": ("anthropic_messages", {"type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "arguments": GIVEN}], "stop_reason": "tool_use"}, "content[0].arguments"),
    "Gemini": ("gemini_generate", {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f", "arguments": GIVEN}}]}, "finishReason": "STOP"}]}, "candidates[0].content.parts[0].functionCall.arguments"),
    "Responses": ("openai_responses", {"id": "r", "object": "response", "status": "completed", "output": [{"type": "function_call", "name": "f", "call_id": "c", "input": GIVEN}]}, "output[0].input"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISPLACED)
def test_arguments_under_an_unknown_key_are_named(name: str) -> None:
    wire, whole, place = MISPLACED[name]
    answer = module(wire).read_answer(whole)
    assert [f"{note.path}.{note.field}" for note in answer.unread] == [place]


def test_unknown_keys_of_a_call_without_parameters_are_no_problem() -> None:
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
        "extra": {"sig": "x"},
    }
    assert module("openai_chat").read_answer(chat(call)).unread == ()


def test_a_required_key_that_is_null_is_named_although_other_keys_are_null_too() -> None:
    answer = module("openai_responses").read_answer(
        {"error": None, "id": "r", "output": None, "status": "completed"}
    )
    assert [(note.path, note.field) for note in answer.unread] == [("", "output")]


@pytest.mark.parametrize("signature", [{}, {"signature": None}, {"signature": ""}])
def test_thinking_without_a_signature_is_read(signature: dict[str, Any]) -> None:
    content = [{"type": "thinking", "thinking": "Hm.", **signature}, {"type": "text", "text": "Hi"}]
    whole = {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    answer = module("anthropic_messages").read_answer(whole)
    assert (answer.reasoning, answer.text, answer.unread) == ("Hm.", "Hi", ())
    assert module("anthropic_messages").write_answer(answer) == whole


@pytest.mark.parametrize("wire", ["deepseek_chat", "groq_chat", "vllm_chat", "openai_chat"])
@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
@pytest.mark.parametrize("how", ["whole", "streamed"])
def test_thinking_is_read_under_the_key_of_any_host(wire: str, key: str, how: str) -> None:
    answer = read(wire, {"content": "Hi", key: "Hm."}, "stop", how)
    assert (answer.reasoning, answer.text) == ("Hm.", "Hi")


@pytest.mark.parametrize(
    ("wire", "names"),
    [("openai_chat", "input_tokens output_tokens"), ("openai_responses", "prompt_tokens completion_tokens")],
)
def test_counts_are_read_by_the_names_of_either_api(wire: str, names: str) -> None:
    counts = {**dict(zip(names.split(), (5, 2), strict=True)), "total_tokens": 7}
    answer = module(wire).read_answer(
        {"id": "r", "usage": counts, "choices": [], "output": [], "status": "completed"}
    )
    assert (answer.usage.input, answer.usage.output, answer.usage.total) == (5, 2, 7)


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        ({"messages": [None]}, ["messages[0]"]),
        ({"messages": [5]}, ["messages[0]"]),
        ({"messages": [{"role": "user", "content": [None]}]}, ["messages[0].content[0]"]),
        # equal values may be one object, so that nobody knows which of them it is
        ({"messages": [None], "user": None}, ["messages"]),
        ({"messages": [5], "n": 5}, ["messages"]),
        ({"messages": [5, 5]}, ["messages", "messages"]),
        ({"messages": [{"role": "user", "content": ["x"]}], "user": "x"}, ["content"]),
        ({"messages": [["x"], {"odd": []}], "stop": ["x"]}, ["messages[0]", "messages[1]"]),
    ],
)
def test_an_element_that_no_shape_takes_is_named_at_no_other_place(
    body: dict[str, Any], problems: list[str]
) -> None:
    why = "no shape of OpenAI Chat Completions takes this: it is kept as it came"
    reading = module("openai_chat").read({"model": "m", **body})
    assert [*map(str, reading.unread)] == [f"passed through {place}: {why}" for place in problems]


def test_an_item_that_is_null_is_not_said_to_be_absent() -> None:
    answer = module("openai_responses").read_answer({"id": "r", "status": "completed", "output": [None]})
    why = "no shape of OpenAI Responses takes this: it is kept as it came"
    assert [*map(str, answer.unread)] == [f"passed through output[0]: {why}"]


def test_an_event_whose_piece_stands_under_another_key_is_named() -> None:
    stream = module("mistral_conversations").stream()
    said = {
        "type": "message.output.delta",
        "output_index": 0,
        "id": "m1",
        "role": "assistant",
        "contents": "12 C.",
    }
    done = {"type": "conversation.response.done", "usage": {"prompt_tokens": 3}}
    events = stream.feed(b"".join([f"data: {json.dumps(data)}\n\n".encode() for data in (said, done)]))
    why = "an event message.output.delta lacks its content, and this is not read"
    named = Note("passed through", "message.output.delta", "contents", why)
    assert [event.data for event in events if event.kind == "unknown"] == [said]
    answer = stream.close()
    assert (stream.unread, answer.unread) == ((named,), (named,))


def test_a_stream_that_ends_and_says_nothing_is_an_error() -> None:
    stream = module("openai_chat").stream()
    stream.feed(b'data: {"id": "c1", "choices": []}\n\ndata: [DONE]\n\n')
    with pytest.raises(
        StreamError, match=r"the stream holds no answer: .*no candidate, no text and no counts"
    ):
        stream.close()
    assert (stream.answer.candidates, [note.field for note in stream.unread]) == ((), ["choices"])


NOT_NAMED = "no shape names this key: it is kept as it came"
ODD: dict[str, Any] = {"id": "c", "type": "function", "function": CALL, "mood": "good"}
SEARCH: list[dict[str, Any]] = [
    {"type": "google_search_call", "id": "s", "arguments": {"queries": ["Oslo"]}, "signature": "c2ln"},
    {"call_id": "s", "result": [{"search_suggestions": "Oslo"}], "signature": "c2ln"},
    {"type": "model_output", "content": [{"type": "text", "text": "12 C."}]},
]
THOUGHT: dict[str, Any] = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": 7}]}
# unknown keys beside what was read: the wire, the body, and what is told of them
BESIDE: dict[str, tuple[str, dict[str, Any], list[Note]]] = {
    "equal keys of two calls": ("openai_chat", chat(ODD, ODD | {"id": "d"}), [
        Note("passed through", "choices[0].message.tool_calls[0]", "mood", NOT_NAMED),
        Note("passed through", "choices[0].message.tool_calls[1]", "mood", NOT_NAMED),
    ]),
    "a known key of an earlier element with the same value": ("gemini_interactions", {"id": "i", "status": "completed", "steps": SEARCH}, [
        Note("added", "steps[1]", "type", 'it is absent: "function_result" was assumed'),
        Note("passed through", "steps[1]", "signature", NOT_NAMED),
    ]),
    "a known key with a number for a text": ("openai_responses", {"id": "r", "status": "completed", "output": [THOUGHT]}, [
        Note("passed through", "output[0]", "summary", "not all of this value was understood: it is kept as it came"),
    ]),
    "an object that says nothing": ("openrouter_chat", body({"content": "Hi", "function_call": {"name": "", "arguments": ""}}, "stop"), []),
    "a body that has all keys of its message": ("ollama_generate", {"model": "m", "response": "Hi", "thinking": "Hm.", "done": True, "mood": "good"}, []),
    "a body that lacks one": ("ollama_generate", {"model": "m", "response": "Hi", "done": True, "mood": "good"}, [Note("passed through", "", "mood", NOT_NAMED)]),
    "an object of a message": ("openai_chat", body({"content": "Hi", "audio": {"id": "a", "x_data": "b"}}, "stop"), [Note("passed through", "choices[0].message.audio", "x_data", NOT_NAMED)]),
    "arguments that are named like no key": ("anthropic_messages", {"type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"x_city": {"x_name": "Oslo"}}, "x_odd": "y"}], "stop_reason": "tool_use"}, [
        Note("passed through", "content[0]", "x_odd", NOT_NAMED),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_unknown_keys_are_told_where_they_stand(name: str) -> None:
    wire, whole, told = BESIDE[name]
    assert [*module(wire).read_answer(whole).deviations] == told


@pytest.mark.parametrize(
    "other", [{"type": "compaction", "id": "c", "encrypted_content": "x"}, {"type": "new_item", "id": "n"}]
)
def test_a_message_without_its_content_is_named_beside_other_items(other: dict[str, Any]) -> None:
    said: dict[str, Any] = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "content": [],
        "x_content": "Hi",
    }
    answer = module("openai_responses").read_answer(
        {"id": "r", "status": "completed", "output": [other, said]}
    )
    assert ("output[1]", "x_content") in [(note.path, note.field) for note in answer.unread]


def test_a_stream_is_read_as_a_whole_when_it_ended() -> None:
    stream = module("compatible_chat").stream()
    stream.feed(streamed({"content": "Hi", "mood": "good"}, "").removesuffix(b"data: [DONE]\n\n"))
    assert stream.deviations == ()
    stream.feed(b"data: [DONE]\n\n")
    named = (Note("passed through", "choices[0].message", "mood", NOT_NAMED),)
    assert (stream.deviations, stream.close().deviations, stream.deviations) == (named, named, named)


def test_of_an_event_without_its_piece_the_keys_are_named_that_may_hold_it() -> None:
    stream = module("openai_responses").stream()
    where = {"type": "response.output_text.delta", "item_id": "m1", "output_index": 0, "content_index": 0}
    said = {**where, "sequence_number": 4, "piece": "12 C.", "mood": "", "note": None, "score": 7}
    events = stream.feed(f"data: {json.dumps(said)}\n\n".encode())
    assert [event.kind for event in events] == ["unknown"]
    assert [(note.path, note.field) for note in stream.unread] == [("response.output_text.delta", "piece")]


def test_padding_beside_the_object_of_a_message_is_told_where_content_is_missing_alone() -> None:
    def read_stream(*rows: dict[str, Any]) -> Answer:
        stream = module("cloudflare_run").stream()
        stream.feed(b"".join([f"data: {json.dumps(row)}\n\n".encode() for row in rows]) + b"data: [DONE]\n\n")
        answer: Answer = stream.close()
        return answer

    counts = {"usage": {"prompt_tokens": 1, "completion_tokens": 1}, "p": "abc"}
    answer = read_stream({"response": "Hi", "p": "ab"}, counts)
    assert (answer.text, answer.deviations, answer.unread) == ("Hi", (), ())
    renamed = read_stream({"reply": "Hi", "p": "ab"}, counts)
    assert [note.field for note in renamed.unread] == ["reply", "p"]
