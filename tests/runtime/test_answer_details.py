"""Details of answers and streams, each compared whole: contents of events, ids that are made, unknown counts."""

from __future__ import annotations

import json
import re
from time import time
from typing import Any

import pytest

from promptwire import (
    Answer,
    BodyError,
    Event,
    Message,
    Note,
    Reasoning,
    Text,
    ToolCall,
    anthropic_messages,
    assistant,
    bedrock_converse,
    gemini_generate,
    gemini_interactions,
    mistral_chat,
    openai_chat,
    openai_responses,
    xai_chat,
    yandex_completion,
)
from promptwire.errors import AnswerError, InvalidRequest, StreamError
from promptwire.parts import CustomToolCall, HostedResult, Opaque, Refusal
from promptwire.results import Candidate, Usage, answer_coverage, read_batch_result
from tests.internals.runtime import (
    FRAMED,
    FRAMINGS,
    ApiError,
    Braces,
    IndexedList,
    continues_text,
    events_of,
    number_of,
    stream as stream_module,
    text_of_written as text_of,
)
from tests.notes import changes


def sse(*rows: Any) -> bytes:
    return "".join([f"data: {json.dumps(row)}\n\n" for row in rows]).encode()


def test_elements_without_a_number_come_behind_those_with_one() -> None:
    slots = IndexedList({(3, "text"): "a"})
    assert (slots.next, slots.kind_of(3), slots.kind_of(4)) == (4, "text", "")
    slots[3, "call"] = "b"
    slots[-1, ""] = "c"
    assert (slots.next, slots.kind_of(3), slots.kind_of(-1)) == (4, "call", "")
    assert IndexedList().next == 0


def test_an_error_of_a_stream_holds_what_the_api_said() -> None:
    said = {"error": {"message": "no", "type": "server_error"}}
    stream = openai_chat.stream()
    assert stream.feed(sse(said)) == [Event(kind="error", data=said)]
    with pytest.raises(StreamError, match="the stream tells an error: server_error: no"):
        stream.close()
    named = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    raw = b"event: error\n" + sse(named)
    assert anthropic_messages.stream().feed(raw) == [Event(kind="error", data=named)]


def test_a_long_error_of_a_stream_is_cut() -> None:
    stream = openai_chat.stream()
    stream.feed(sse({"error": {"message": "x" * 100_000}}))
    with pytest.raises(StreamError) as broken:
        stream.close()
    assert len(str(broken.value)) < 700


def test_an_event_that_is_not_known_has_its_name_and_data() -> None:
    odd = {"type": "odd", "a": 1}
    assert anthropic_messages.stream().feed(sse(odd)) == [Event(kind="unknown", name="odd", data=odd)]
    raw = b'event: odd\ndata: "text"\n\n'
    assert anthropic_messages.stream().feed(raw) == [Event(kind="unknown", name="odd", data="text")]


def test_an_error_without_a_message_is_written_as_it_is() -> None:
    written = openai_chat.write_stream().feed(Event(kind="error", data={"reason": "é"}))
    assert json.loads(written.partition(b"data: ")[2])["error"]["message"] == '{"reason": "é"}'


def test_an_aws_event_without_a_name_stands_inside_a_chunk() -> None:
    framed = FRAMED["aws_event_stream"]()
    raw = framed.frame(None, {"a": "é"}) + framed.frame("odd", {"b": 1})
    assert b":event-type\x07\x00\x05chunk" in raw
    frames = [tuple(frame) for frame in FRAMINGS["aws_event_stream"]().feed(raw)]
    assert frames == [(None, {"a": "é"}), ("odd", {"b": 1})]


def test_the_id_of_a_call_follows_from_its_place() -> None:
    message = Message("assistant", (Text("hi"), ToolCall(None, "f"), ToolCall(None, "f")))
    answer = Answer(id="a1", candidates=(Candidate(message=message), Candidate(message=message)))
    first, second = (openai_chat.write_answer(answer)["choices"][place]["message"] for place in (0, 1))
    ids = [call["id"] for choice in (first, second) for call in choice["tool_calls"]]
    assert len(set(ids)) == 4
    # as they were made of the same answer before
    assert ids[0] == "call_cf02a20cf39ddde483bec759"
    again = openai_chat.write_answer(answer)["choices"][0]["message"]["tool_calls"]
    assert [call["id"] for call in again] == ids[:2]


def test_what_is_unknown_of_an_answer_is_named() -> None:
    body = {
        "id": "a", "odd": 1,
        "choices": [{"index": 0, "more": 2, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi", "new": 3}},
                    {"index": 1, "finish_reason": "length"}],
    }  # fmt: skip
    coverage = answer_coverage(openai_chat, openai_chat.read_answer(body))
    assert (coverage.leaves, coverage.understood, coverage.kept) == (10, 7, 3)
    assert coverage.unknown == ("Answer.odd", "Candidate.more", "Message.new")
    content = [{"type": "text", "text": "hi"}, {"type": "hologram", "data": [1, 2]}]
    part_unknown = anthropic_messages.read_answer({"role": "assistant", "content": content})
    coverage = answer_coverage(anthropic_messages, part_unknown)
    assert (coverage.leaves, coverage.understood, coverage.kept) == (6, 3, 3)
    assert coverage.unknown == ("content[] (unknown element)",)
    blocked = gemini_generate.read_answer({"promptFeedback": {"blockReason": "SAFETY"}})
    coverage = answer_coverage(gemini_generate, blocked)
    assert (coverage.leaves, coverage.understood, coverage.kept, coverage.unknown) == (1, 1, 0, ())


def test_bytes_of_a_result_of_a_batch_that_are_no_utf_8_are_replaced() -> None:
    result = read_batch_result(xai_chat, b'{"custom_id": "a\xff", "batch_result": {"error": "no"}}')
    assert (result.id, result.error and result.error.message) == ("a\ufffd", "no")


@pytest.mark.parametrize(
    ("after", "wait"),
    [("86400", 86400.0), ("31622401", 31_622_400.0), ("0", 0.0), ("-1", None), ("nan", None)],
)
def test_a_wait_lasts_a_year_at_most(after: str, wait: float | None) -> None:
    assert openai_chat.read_error(429, None, {"Retry-After": after}).wait == wait


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Usage(raw=[1]), "Usage: raw is a list, not a mapping or None"),  # type: ignore[arg-type]
        (lambda: Answer(continuation="c"), "Answer: continuation is a str, not Continuation or None"),  # type: ignore[arg-type]
        (lambda: openai_chat.write_stream().answer({}), "answer is a dict, not Answer"),  # type: ignore[arg-type]
        (lambda: openai_chat.write_stream(created="now"), "created is a str, not int"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_named(make: Any, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        make()
    assert str(refused.value) == said


def test_arguments_that_are_no_object_are_named_with_their_field() -> None:
    message = Message("assistant", (ToolCall("c", "f", "[1]"),))
    with pytest.raises(InvalidRequest) as refused:
        gemini_generate.write_stream().answer(Answer(candidates=(Candidate(message=message),)))
    assert refused.value.field == "arguments"


def test_the_word_of_the_end_goes_with_a_stream_of_the_same_api() -> None:
    answer = openai_chat.read_answer(
        {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "content_filter"}]}
    )
    written = openai_chat.write_stream(policies="lenient").answer(answer)
    assert b'"finish_reason":"content_filter"' in written


def answer(*parts: Any, finish: str = "stop", **fields: Any) -> Answer:
    return Answer(candidates=(Candidate(message=assistant(*parts), finish=finish),), **fields)


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish, **more}]}


def test_what_an_answer_of_another_api_lacks_is_written_as_an_api_has_it() -> None:
    assert anthropic_messages.write_answer(answer(Text("")))["content"] == []
    two = Answer(candidates=(Candidate(finish="stop"), Candidate(message=assistant(ToolCall(None, "f", {})))))
    first, second = openai_chat.write_answer(two)["choices"]
    assert first["message"] == {"role": "assistant", "content": None, "refusal": None}
    made = second["message"]["tool_calls"][0]["id"]
    assert (made[:5], len(made)) == ("call_", 29)
    notes: list[Note] = []
    before = int(time())
    body = openai_chat.write_answer(answer(Text("Hi")), notes=notes)
    assert before <= body["created"] <= time()
    assert re.fullmatch("chatcmpl-[0-9a-f]{24}", body["id"])
    assert openai_chat.write_answer(answer(Text("Hi")), created=body["created"]) == body
    assert openai_chat.write_answer(answer(Text("Hi!")), created=body["created"])["id"] != body["id"]
    assert changes(notes) == ["missing model"]
    counts = yandex_completion.write_answer(answer(Text("Hi"), usage=Usage(input=1, output=2)))
    assert counts["result"]["usage"] == {"inputTextTokens": "1", "completionTokens": "2", "totalTokens": "3"}


def test_an_error_is_written_with_the_status_of_its_kind() -> None:
    written = gemini_generate.write_error(ApiError(kind="rate_limit", message="slow"))
    assert written == {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"result": "gone"}, "gone"),
        ({"batch_result": {"error": "no"}}, "no"),
        ({"batch_result": {"error": 5}}, "5"),
        ({"batch_result": {"error": ["no"]}}, "['no']"),
        ({"batch_result": {"error": {"message": "no"}}}, "no"),
        ({"batch_result": {"error_message": "no way"}}, "no way"),
        ({"error": {"errorCode": 400, "errorMessage": "bad"}}, "bad"),
        ({"status": "failed: no"}, "failed: no"),
    ],
)
def test_errors_in_results_of_batches(row: dict[str, Any], said: str) -> None:
    error = read_batch_result(xai_chat, {"custom_id": "a", **row}).error
    assert error is not None
    assert error.message == said
    assert error.status == (400 if said == "bad" else None)


@pytest.mark.parametrize("word", ["expired", "canceled"])
def test_a_request_of_a_batch_that_never_ran_has_the_word_for_it_as_type(word: str) -> None:
    error = read_batch_result(anthropic_messages, {"custom_id": "a", "result": {"type": word}}).error
    assert error is not None
    assert (error.type, error.message) == (word, f"the request of the batch was {word} before it ran")


def test_results_of_batches_that_are_none() -> None:
    body = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}}]}
    found = read_batch_result(xai_chat, {"batch_result": {"response": {"chat_get_completion": body}}})
    assert found.answer is not None
    assert found.answer.text == "Hi"
    lines: list[tuple[Any, str]] = [
        ({"batch_result": {}}, "the line holds no result: it has none of the keys response, result"),
        ([5], "the line of the batch result is a list, not an object"),
        ("x", "the line of the batch result is no JSON: Expecting value"),
    ]
    for line, text in lines:
        with pytest.raises(BodyError, match=f"^xai_chat: {text}"):
            read_batch_result(xai_chat, line)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("9" * 19, int("9" * 19)),
        ("9" * 20, None),
        ("12", 12),
        ("-1", None),
        ("\u0663", None),
        (2.0, 2),
        (2.5, None),
        (float("inf"), None),
        (True, None),
    ],
)
def test_numbers_as_hosts_give_them(value: Any, number: int | None) -> None:
    assert number_of(value) == number


@pytest.mark.parametrize(
    ("last", "element", "continues"),
    [
        ({"text": "a"}, {"text": "b"}, True),
        ({"text": "a", "thought": True}, {"text": "b", "thought": True}, True),
        ({"text": "a"}, {"text": "b", "thought": True}, False),
        ({"text": "a", "x": 1}, {"text": "b"}, False),
        ({"text": "a"}, {"text": "b", "x": 1}, False),
        ({"text": "a"}, {"text": ""}, False),
        ({}, {"text": "b"}, False),
    ],
)
def test_text_that_continues_an_element(last: Any, element: Any, continues: bool) -> None:
    assert continues_text(last, element) is continues


def test_events_and_values_of_vendors_clients() -> None:
    for told in ({"message": "slow"}, "slow"):
        events = bedrock_converse.stream().feed({"throttlingException": told})
        assert events == [Event(kind="error", data={"type": "throttlingException", "message": "slow"})]
    with pytest.raises(
        AnswerError, match="a stream is fed bytes or the events of a vendor's client, not dict"
    ):
        bedrock_converse.stream().feed({5: {}})
    content = [{"reasoningContent": {"redactedContent": b"ab"}}, {"text": "Hi"}]
    message = {"role": "assistant", "content": content}
    body = {"output": {"message": message}, "stopReason": "end_turn", "ResponseMetadata": {}}
    raw: Any = bedrock_converse.read_answer(body).raw
    assert raw.keys() == {"output", "stopReason"}
    assert raw["output"]["message"]["content"][0] == {"reasoningContent": {"redactedContent": "YWI="}}
    steps = [{"type": "model_output", "content": [{"type": "text", "text": "Hi"}]}]
    plain = {"id": "i", "status": "completed", "steps": steps, "usage": {"total_input_tokens": 5}}
    dumped = {**plain, "output_text": "Hi", "usage": {"total_input_tokens": 5, "initial_input_tokens": 3}}
    assert gemini_interactions.read_answer(dumped).raw == plain


def test_events_of_a_whole_answer() -> None:
    parts = (
        Reasoning(texts=("a", "b")),
        Reasoning(summary=("s",)),
        Text("t"),
        ToolCall("c", "f", {"x": "é"}),
        CustomToolCall("d", "g", "in"),
    )
    own = {"openai_chat": {"logprobs": 1}}
    candidate = Candidate(message=assistant(*parts), finish="tool_calls", vendor=own)
    usage, vendor = Usage(input=1), {"openai_chat": {"created": 1}}
    told = [*events_of(Answer(candidates=(candidate,), vendor=vendor, usage=usage))]
    said = [(event.kind, event.text or event.name or "") for event in told if event.kind != "part"]
    assert said == [
        ("start", ""),
        ("reasoning", "a"),
        ("reasoning", "b"),
        ("reasoning", "s"),
        ("text", "t"),
        ("call", "f"),
        ("arguments", '{"x": "é"}'),
        ("call", "g"),
        ("arguments", "in"),
        ("vendor", ""),
        ("finish", "tool_calls"),
        ("vendor", ""),
        ("usage", ""),
    ]
    assert [event.data for event in told if event.kind in ("vendor", "usage")] == [own, vendor, usage]
    assert next(event.text for event in told if event.kind == "finish") == ""
    with pytest.raises(InvalidRequest, match="arguments are no JSON: ") as raised:
        list(events_of(answer(ToolCall("c", "f", {"x": object()}))))
    assert raised.value.field == "arguments"


def test_calls_raise_only_if_an_unread_element_is_one_of_them() -> None:
    call = ToolCall("c", "f", {})
    assert answer(call, Opaque("openai_chat", {"a": 1}, "content"), finish="tool_calls").calls == (call,)
    for parts in (
        (call, Opaque("openai_chat", {"a": 1}, "tool_calls")),
        (Opaque("openai_chat", {"a": 1}, "content"),),
    ):
        with pytest.raises(AnswerError, match="a tool call of the answer was not understood"):
            _ = answer(*parts, finish="tool_calls").calls


@pytest.mark.parametrize(
    ("pieces", "closed"),
    [
        (["{}"], True),
        (["{"], False),
        (["{", '"a":"}', "x\\", '"}"}'], True),
        (['{"a":1}', "x"], False),
        (["{}", " "], True),
        (["{}", " ", "x", " "], False),
        (["x}{"], False),
        ([], False),
        (["}"], False),
        (['{"a":"\\"}"}'], True),
        (["[]"], False),
    ],
)
def test_arguments_that_are_a_whole_object(pieces: list[str], closed: bool) -> None:
    braces = Braces()
    for end in range(1, len(pieces) + 1):
        at_once = Braces().are_closed(pieces[:end])
        assert braces.are_closed(pieces[:end]) is at_once
    assert braces.are_closed(pieces) is closed


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Reasoning(text="a"), "a"),
        (Reasoning(texts=("a", "b")), "ab"),
        (Reasoning(summary=("c",)), "c"),
        (Reasoning(), ""),
        (ToolCall("c", "f", {}), ""),
        (Refusal("r"), "r"),
    ],
)
def test_the_text_of_a_part(part: Any, text: str) -> None:
    assert text_of(part) == text


def test_bare_text_after_a_list_of_thinking() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    stream = mistral_chat.stream()
    contents: list[Any] = ["", [thinking], "", "Hi", "!", ""]
    stream.feed(sse(*[chunk({"content": content}) for content in contents], chunk({}, "stop")))
    found = stream.close()
    assert (found.text, found.reasoning) == ("Hi!", "hm")
    # empty texts at both ends are no elements
    assert found.raw is not None
    assert found.raw["choices"][0]["message"]["content"] == [thinking, {"type": "text", "text": "Hi!"}]
    stream = mistral_chat.stream()
    stream.feed(sse(chunk({"content": [thinking]}), chunk({"content": ""}, "stop")))
    assert stream.close().parts == (Reasoning(text="hm"),)


def test_unnamed_keys_are_kept_where_they_stood() -> None:
    call = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    stream = openai_chat.stream()
    stream.feed(sse({**chunk({"tool_calls": [{**call, "own": 1}], "mood": 2}, echo=3), "citations": [4]}))
    stream.feed(sse(chunk({}, "tool_calls")))
    raw: Any = stream.close().raw
    (choice,) = raw["choices"]
    assert (raw["citations"], choice["echo"], choice["message"]["mood"]) == ([4], 3, 2)
    assert choice["message"]["tool_calls"][0]["own"] == 1


def test_a_stream_tells_both_words_of_its_end() -> None:
    ended = {"id": "r", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    events = openai_responses.stream().feed(
        sse({"type": "response.incomplete", "response": {**ended, "output": []}})
    )
    assert (events[-1].name, events[-1].text) == ("length", "incomplete.max_output_tokens")
    begun = {"id": "m", "type": "message", "role": "assistant", "stop_reason": None}
    stream = anthropic_messages.stream()
    stream.feed(sse({"type": "message_start", "message": begun}))
    assert stream.unread == ()


def test_a_call_between_two_messages_is_one_turn() -> None:
    def says(text: str) -> dict[str, Any]:
        content = [{"type": "output_text", "text": text}]
        return {"type": "message", "role": "assistant", "content": content}

    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    body = {"id": "r", "status": "completed", "output": [says("a"), call, says("b")]}
    (candidate,) = openai_responses.read_answer(body).candidates
    assert (candidate.turns, candidate.message and len(candidate.message.parts)) == ((), 3)


def test_bytes_without_an_end_are_no_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "_MOST_HEAD", 100)
    stream = openai_chat.stream()
    stream.feed(b"{" + b"x" * 99)
    with pytest.raises(StreamError, match=r"Completions: the bytes are not a stream: b'\{x{79}'$"):
        stream.feed(b"x")


def test_a_mark_of_the_end_is_bare_text() -> None:
    framed = FRAMED["sse"]()
    assert framed.frame(None, "[DONE]") == b"data: [DONE]\n\n"
    assert framed.frame("a", {"b": 1}) == b'event: a\ndata: {"b":1}\n\n'
    aws = FRAMED["aws_event_stream"]()
    for name, data in (("a", {}), ("error", {"type": "no"})):
        assert b"\x0d:content-type\x07\x00\x10application/json" in aws.frame(name, data)


def test_sources_behind_a_text_are_a_result_of_the_search() -> None:
    sources = [{"location": {"web": {"url": "https://oslo.example/", "domain": "oslo.example"}}}]
    content = [{"text": "Cold."}, {"citationsContent": {"citations": sources}}]
    body = {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn"}
    answer = bedrock_converse.read_answer(body)
    assert answer.parts == (Text("Cold."), HostedResult("citations", result=sources))
    assert (answer.text, answer.unread, bedrock_converse.write_answer(answer)) == ("Cold.", (), body)


@pytest.mark.parametrize(
    ("answered", "total", "output"),
    [
        (5, 20, 10),
        # models of Vertex AI whose candidates include the thoughts (litellm, test_vertex_and_google_ai_studio_gemini.py)
        (10, 20, 10),
        (7, 17, 7),
        # a total that says neither, and none
        (7, 40, 12),
        (7, None, 12),
    ],
)
def test_thoughts_count_once_where_the_total_says_so(answered: int, total: int | None, output: int) -> None:
    counts = {"promptTokenCount": 10, "candidatesTokenCount": answered, "thoughtsTokenCount": 5}
    counts |= {"totalTokenCount": total} if total is not None else {}
    candidate = {"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}
    body = {"candidates": [candidate], "usageMetadata": counts}
    answer = gemini_generate.read_answer(body)
    usage = answer.usage
    assert usage is not None
    assert (usage.input, usage.output, usage.reasoning) == (10, output, 5)
    assert gemini_generate.write_answer(answer) == body
