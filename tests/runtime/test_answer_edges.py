"""Edges of whole answers and of errors: what is checked, counted, noted and said, word for word."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from promptwire import Answer, BodyError, Cache, Message, Note, Reasoning, Text
from promptwire.errors import AnswerError, InvalidRequest, NoPlace, StreamError
from promptwire.parts import Opaque, Refusal
from promptwire.results import Candidate, Usage, answer_coverage, read_batch_result
from tests.answers import module
from tests.internals.runtime import broken, is_batch_line
from tests.notes import refused

REFUSED: dict[str, Any] = {
    "vendor options of a candidate": lambda: Candidate(vendor={"openai_chat": 1}),  # type: ignore[dict-item]
    "memory of a candidate": lambda: Candidate(kept=1),  # type: ignore[arg-type]
    "a candidate's message": lambda: Candidate(message="Hi"),  # type: ignore[arg-type]
    "candidates": lambda: Answer(candidates=[Candidate()]),  # type: ignore[arg-type]
    "counts": lambda: Answer(usage={"input": 1}),  # type: ignore[arg-type]
    "a continuation": lambda: Answer(continuation="r"),  # type: ignore[arg-type]
    "vendor options": lambda: Answer(vendor={"openai_chat": []}),  # type: ignore[dict-item]
    "memory": lambda: Answer(kept={}),  # type: ignore[arg-type]
    "a body": lambda: Answer(raw="{}"),  # type: ignore[arg-type]
    "an id": lambda: module("openai_chat").write_answer(Answer(), id=5),
    "a time that is text": lambda: module("openai_chat").write_answer(Answer(), created="now"),
    "a time before 1970": lambda: module("openai_chat").write_answer(Answer(), created=-1),
    "a time after the year 9999": lambda: module("openai_chat").write_answer(Answer(), created=253_402_300_800),
    "notes": lambda: module("openai_chat").write_answer(Answer(), notes=()),
    "notes of a stream": lambda: module("openai_chat").write_stream(notes=()),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_values_of_a_wrong_type_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequest):
        REFUSED[name]()


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (Usage(), ()),
        (Usage(input=5, output=2, total=7), ()),
        (Usage(input=5, total=8), ()),
        (Usage(input=5, output=2, total=8), ("total is 8, but input and output are 5 and 2",)),
        (Usage(input=0, output=2, total=3), ("total is 3, but input and output are 0 and 2",)),
        (Usage(input=5, cache_read=5), ()),
        (Usage(input=5, cache_read=3, cache_write=2), ()),
        (Usage(input=5, cache_read=6), ("6 tokens were read from a cache or written to it, but input is 5",)),
        (Usage(input=5, cache_write=7), ("7 tokens were read from a cache or written to it, but input is 5",)),
        (Usage(input=5, cache_read=3, cache_write=3), ("6 tokens were read from a cache or written to it, but input is 5",)),
        (Usage(cache_read=6), ()),
        (Usage(output=2, reasoning=2), ()),
        (Usage(output=2, reasoning=3), ("reasoning is 3, but output is 2",)),
        (Usage(reasoning=3), ()),
        (Usage(output=2), ()),
    ],
)  # fmt: skip
def test_counts_that_contradict_each_other_are_named(usage: Usage, said: tuple[str, ...]) -> None:
    assert usage.contradictions == said


def answer(*parts: Any, finish: str | None = "stop", **keys: Any) -> Answer:
    return Answer(candidates=(Candidate(message=Message("assistant", parts), finish=finish),), **keys)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((), ""),
        ((Reasoning(text="a"), Text("x"), Reasoning(text="b")), "ab"),
        ((Reasoning(texts=["a", "b"]),), "ab"),
        ((Reasoning(summary=["a", "b"]),), "ab"),
        ((Reasoning(text="ab"), Reasoning(text="a"), Reasoning(text="b")), "ab"),
        ((Reasoning(text="a"), Reasoning(text="a")), "a"),
    ],
)
def test_thinking_is_joined_and_said_once(parts: tuple[Any, ...], said: str) -> None:
    assert answer(*parts).reasoning == said


def test_thinking_of_another_api_is_told_once_and_the_rest_is_named() -> None:
    """The summary becomes this API's thinking; what is sealed, and the second wording, are notes."""
    thought = Reasoning(summary=["Oslo."], texts=["Oslo first."], signature="c2ln", id="rs_1", cache=Cache())
    notes: list[Note] = []
    whole = answer(thought, id="a1", model="m")
    written = module("anthropic_messages").write_answer(whole, policies="lenient", notes=notes)
    assert written["content"] == [{"type": "thinking", "thinking": "Oslo first.", "signature": ""}]
    assert {note.field for note in notes} >= {"signature", "summary", "id", "cache"}


def test_parts_that_were_not_read_are_shown() -> None:
    long = {"k": "x" * 300}
    shown = str(long)[:200]
    with pytest.raises(AnswerError) as error:
        answer(Opaque("parts", long), Opaque("parts", {"b": 1}), finish=None).text  # noqa: B018
    assert str(error.value) == f"nothing of the answer's content was understood: {shown}, {{'b': 1}}"
    with pytest.raises(AnswerError, match=r"a tool call of the answer was not understood: {'b': 1}"):
        answer(Text("So:"), Opaque("tool_calls", {"b": 1}), finish="tool_calls").calls  # noqa: B018
    assert answer(Text("So:"), Opaque("content", {"b": 1}), finish="stop").calls == ()


def response(*output: Any) -> dict[str, Any]:
    return {"id": "r", "object": "response", "status": "completed", "output": [*output]}


CALLS = [
    {"type": "function_call", "id": f"f{name}", "call_id": name, "name": "f", "arguments": "{}"}
    for name in "ab"
]


def test_a_continuation_knows_the_calls_that_wait() -> None:
    continuation = module("openai_responses").read_answer(response(*CALLS)).continuation
    waiting = [*continuation.unanswered]
    assert (continuation.id, continuation.wire, waiting) == ("r", "openai_responses", ["a", "b"])


TURNS = [["Text"], ["Text", "ToolCall", "ToolCall"]]


def said(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "id": text, "content": content}


def test_messages_of_one_answer_stay_apart() -> None:
    read = module("openai_responses").read_answer(response(said("x"), said("y"), *CALLS))
    turns = read.candidates[0].turns
    assert [[type(part).__name__ for part in turn.parts] for turn in turns] == TURNS
    assert "".join(part.text for turn in turns for part in turn.parts if isinstance(part, Text)) == "xy"
    assert module("openai_responses").read_answer(response(said("x"))).candidates[0].turns == ()


def test_an_item_without_a_role_is_the_models() -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}
    read = module("openai_responses").read_answer(response(item))
    why = 'nothing says whose message this is: "assistant" was assumed'
    assert (read.text, [(note.path, note.field, note.why) for note in read.deviations]) == (
        "Hi",
        [("output[0]", "role", why)],
    )


@pytest.mark.parametrize("wire", ["openai_chat", "anthropic_messages", "bedrock_converse"])
def test_a_long_error_in_place_of_an_answer_is_cut(wire: str) -> None:
    with pytest.raises(BodyError) as error:
        module(wire).read_answer(
            {"error": {"message": "x" * 501, "type": "server_error"}, "message": "x" * 501}
        )
    assert str(error.value).endswith("x" * 500)
    assert not str(error.value).endswith("x" * 501)
    assert error.value.error is not None


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        ({"choices": [{"index": 0, "finish_reason": "length"}]}, True),
        ({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}}]}, True),
        ({"choices": [], "usage": {"prompt_tokens": 1}}, True),
        ({"choices": [{"index": 0}]}, False),
        ({"choices": []}, False),
    ],
)
def test_a_body_that_says_something_is_an_answer(body: dict[str, Any], reads: bool) -> None:
    if reads:
        module("openai_chat").read_answer(body)
    else:
        with pytest.raises(BodyError, match="it holds no candidate, no text and no counts"):
            module("openai_chat").read_answer(body)


TWO = Answer(
    candidates=(Candidate(message=Message("assistant", "a")), Candidate(message=Message("assistant", "b")))
)


def test_candidates_of_which_an_api_has_one_are_named() -> None:
    notes: list[Note] = []
    module("anthropic_messages").write_answer(TWO, policies="lenient", notes=notes)
    losses = [(note.path, note.field, note.why) for note in notes if note.action == "dropped"]
    assert losses == [("messages[1]", "candidates[1]", "Anthropic Messages gives one answer only")]
    with refused(NoPlace, "messages[1].candidates[1]"):
        module("anthropic_messages").write_answer(TWO)
    assert [row["index"] for row in module("openai_chat").write_answer(TWO)["choices"]] == [0, 1]


def test_options_of_another_api_are_named() -> None:
    options = {"groq_chat": {"x_groq": {"id": "q"}}}
    given = Answer(candidates=(Candidate(message=Message("assistant", "a"), vendor=options),), vendor=options)
    notes: list[Note] = []
    module("gemini_generate").write_answer(given, notes=notes)
    named = [(note.field, note.why) for note in notes if note.field.startswith("vendor.")]
    assert named == [("vendor.groq_chat.x_groq", "only groq_chat has this key")] * 2


@pytest.mark.parametrize(
    ("wire", "key", "empty"),
    [
        ("anthropic_messages", ("content",), []),
        ("openai_chat", ("choices", 0, "message", "content"), None),
    ],
)
def test_an_answer_without_content_is_written_as_an_api_has_it(
    wire: str, key: tuple[Any, ...], empty: Any
) -> None:
    value: Any = module(wire).write_answer(Answer(candidates=(Candidate(finish="stop"),)))
    for step in key:
        value = value[step]
    assert value == empty


@pytest.mark.parametrize(
    ("wire", "finish", "written", "why"),
    [
        ("deepseek_chat", "refused", "content_filter", "DeepSeek Chat Completions has no word for refused: it becomes content_filter"),
        ("openai_chat", "paused", "stop", "OpenAI Chat Completions has no word for paused: it becomes stop"),
        ("openai_chat", "tool_calls", "tool_calls", None),
    ],
)  # fmt: skip
def test_the_next_best_word_for_an_end_is_noted(
    wire: str, finish: str, written: str, why: str | None
) -> None:
    notes: list[Note] = []
    body = module(wire).write_answer(answer(Text("Hi"), finish=finish), notes=notes)
    assert body["choices"][0]["finish_reason"] == written
    assert [note.why for note in notes if note.field == "finish"] == ([] if why is None else [why])


def test_a_recorded_word_stays_where_it_means_the_same() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    read = module("openai_chat").read_answer(body)
    assert (read.finish, module("openai_chat").write_answer(read)) == ("tool_calls", body)


@pytest.mark.parametrize(
    ("wire", "key", "written"),
    [("openai_chat", "created", 1_700_000_000), ("gemini_generate", "createTime", "2023-11-14T22:13:20Z"), ("ollama_chat", "created_at", "2023-11-14T22:13:20Z")],
)  # fmt: skip
def test_a_time_is_written_in_the_form_of_an_api(wire: str, key: str, written: Any) -> None:
    body = module(wire).write_answer(answer(Text("Hi")), id="a1", created=1_700_000_000)
    assert body[key] == written


@pytest.mark.parametrize("cut", ['{"a": [', "null", "[1]", ""])
def test_arguments_that_are_no_object_become_an_empty_one(cut: str) -> None:
    calls = [("c1", cut), ("c2", '{"b": 1}')]
    rows = [
        {"id": name, "type": "function", "function": {"name": "f", "arguments": text}} for name, text in calls
    ]
    message = {"role": "assistant", "content": "So:", "tool_calls": rows}
    recorded = {"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}
    given = module("openai_chat").read_answer(recorded)
    notes: list[Note] = []
    body = module("anthropic_messages").write_answer(given, policies="lenient", notes=notes)
    assert [block.get("input") for block in body["content"]] == [None, {}, {"b": 1}]
    why = "Anthropic Messages takes arguments that are a JSON object, and these are none"
    told = [(note.path, note.why) for note in notes if note.field == "arguments"]
    assert told == ([("messages[0].parts[1]", why)] if cut else [])
    stream_notes: list[Note] = []
    module("anthropic_messages").write_stream(notes=stream_notes).answer(given)
    named = [(note.action, note.why) for note in stream_notes if note.field == "arguments"]
    assert named == ([("passed through", f"{why}: {cut!r}")] if cut else [])


@pytest.mark.parametrize(
    ("status", "body", "kind", "wait", "retryable"),
    [
        (429, {"error": {"message": "Please try again in 500ms."}}, "rate_limit", 0.5, True),
        (429, {"error": {"message": "Please try again in 2 minutes."}}, "rate_limit", 120.0, True),
        (429, {"error": {"message": "Please retry after 7 seconds"}}, "rate_limit", 7.0, True),
        (429, {"error": {"message": "Please wait for 90s"}}, "rate_limit", 90.0, True),
        (429, {"error": {"message": "no", "code": "insufficient_quota"}}, "rate_limit", None, False),
        (
            402,
            {"error": {"message": "Insufficient Balance", "code": "invalid_request_error"}},
            "rate_limit",
            None,
            False,
        ),
        (402, {"error": "You have exceeded your monthly included credits"}, "rate_limit", None, False),
        (404, {"error": {"message": "maximum context length"}}, "not_found", None, False),
        (401, {"error": {"message": "maximum context length"}}, "auth", None, False),
        (400, {"error": {"message": "maximum context length"}}, "too_large", None, False),
        (409, {"error": {"message": "conflict"}}, "invalid_request", None, True),
        (408, {"error": {"message": "slow"}}, "overloaded", None, True),
        (400, b"\xff", "invalid_request", None, False),
        (500, [{"error": {"message": "of a list", "status": "INTERNAL"}}], "server", None, True),
        (None, {"error": {"message": "no status"}}, "server", None, True),
    ],
)
def test_the_kind_and_the_wait_of_an_error(status: int | None, body: Any, kind: str, wait: float | None, retryable: bool) -> None:  # fmt: skip
    error = module("openai_chat").read_error(status, body)
    assert (error.kind, error.wait, error.retryable) == (kind, wait, retryable)


def test_bytes_that_are_no_text_are_shown_with_replacements() -> None:
    assert module("openai_chat").read_error(500, b"a\xffb").message == "a\ufffdb"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"object": "error", "message": "no"}, "no"),
        ({"object": "error"}, None),
        ({"error": ""}, None),
        ({"error": {}}, None),
        ({"error": {"code": 5}}, "{'error': {'code': 5}}"),
        ({"error": ["no"]}, "no"),
        ({"error": [{"message": "no"}]}, "no"),
        ({"errors": ["no"]}, "no"),
        ({"errors": []}, None),
        ({"msg": "no"}, "no"),
        ({"Message": "no"}, "no"),
        ({"errorMessage": "no"}, "no"),
        ({"error_msg": "no", "error_code": 7}, "no"),
        ({"message": {"role": "assistant"}}, None),
        ({"detail": "no"}, "no"),
        ({"detail": [{"loc": ["body"], "msg": "no"}]}, "no"),
        ({"detail": [{"loc": ["body", None, 1.5, {}], "msg": "no"}]}, "no"),
        ({"fault": {"faultstring": "no"}}, "no"),
        ({"base_resp": {"status_code": 1004, "status_msg": "no"}}, "no"),
        ({"base_resp": {"status_code": 0, "status_msg": "success"}}, None),
        ({"Response": {"Error": {"Code": "AuthFailure", "Message": "no"}, "RequestId": "r"}}, "no"),
        ({"Response": {"RequestId": "r"}}, None),
        ([{"error": "no"}], "no"),
        (["error"], None),
        ("error", None),
    ],
)
def test_a_body_that_is_an_error_is_recognised(body: Any, message: str | None) -> None:
    with pytest.raises(BodyError) as raised:
        module("openai_chat").read_answer(body)
    error = raised.value.error
    assert (None if error is None else error.message) == message
    stream = module("openai_chat").stream()
    with pytest.raises(StreamError) as broken:
        [*stream.feed_from([json.dumps(body).encode()]), stream.close()]
    error = broken.value.error
    assert (None if error is None else error.message) == message


@pytest.mark.parametrize(
    "wire", ["openai_chat", "anthropic_messages", "gemini_generate", "ollama_chat", "bedrock_converse"]
)
def test_an_error_of_another_api_is_written_with_a_known_word(wire: str) -> None:
    given = module("openai_chat").read_error(
        429, {"error": {"message": "slow down", "type": "requests", "code": "x"}}
    )
    written = module(wire).write_error(given)
    again = module(wire).read_error(429, written)
    assert (again.kind, again.message, again.retryable) == ("rate_limit", "slow down", True)
    own = {"error": {"message": "no", "type": "insufficient_quota", "code": "insufficient_quota", "extra": 1}}
    assert module("openai_chat").write_error(module("openai_chat").read_error(429, own)) == own


@pytest.mark.parametrize(
    ("line", "is_line"),
    [
        ({"custom_id": "a", "response": {}}, True),
        ({"key": "a", "error": {}}, True),
        ({"recordId": "a", "modelOutput": {}}, True),
        ({"processed_time": "t", "response": {}}, True),
        ({"modelInput": {}, "modelOutput": {}}, True),
        ({"custom_id": "a"}, False),
        ({"response": {}}, False),
        ("custom_id", False),
    ],
)
def test_a_line_of_a_batch_is_recognised(line: Any, is_line: bool) -> None:
    assert is_batch_line(line) is is_line


@pytest.mark.parametrize(
    ("row", "identity"),
    [({"metadata": {"key": "m"}}, "m"), ({"metadata": {"key": 5}}, None), ({"metadata": "m"}, None), ({"key": "k", "metadata": {"key": "m"}}, "k")],
)  # fmt: skip
def test_the_id_of_a_line(row: dict[str, Any], identity: str | None) -> None:
    told = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    result: Any = read_batch_result(module("gemini_generate"), json.dumps({**row, "response": told}))
    assert (result.id, result.answer.text) == (identity, "Hi")


@pytest.mark.parametrize("value", [None, ...])
@pytest.mark.parametrize(
    ("wire", "key", "title"),
    [
        ("bedrock_meta", "generation", "Meta Llama on Bedrock InvokeModel"),
        ("bedrock_titan", "outputText", "Amazon Titan Text on Bedrock InvokeModel"),
    ],
)
def test_an_answer_without_the_only_key_of_its_message_says_so(
    wire: str, key: str, title: str, value: Any
) -> None:
    body: dict[str, Any] = {
        "bedrock_meta": {"prompt_token_count": 5, "generation_token_count": 3, "stop_reason": "stop"},
        "bedrock_titan": {"inputTextTokenCount": 5, "results": [{"completionReason": "FINISH"}]},
    }[wire]
    if value is None:
        body.get("results", [body])[0][key] = None
    answer = module(wire).read_answer(body)
    why = f"{title} always has this, and here it is absent, null or empty"
    assert answer.unread == (Note("passed through", "", key, why),)
    with pytest.raises(AnswerError, match=key):
        _ = answer.text
    assert module(wire).write_answer(answer) == body


@pytest.mark.parametrize("arguments", ["long", "[1]", '{"a":1}', {"a": 1}])
def test_every_leaf_of_a_call_with_odd_arguments_is_counted(arguments: Any) -> None:
    cloudflare = module("cloudflare_run")
    body = {"result": {"response": "", "tool_calls": [{"name": "weather", "arguments": arguments}]}}
    answer = cloudflare.read_answer(body)
    covered = answer_coverage(cloudflare, answer)
    assert covered.understood + covered.kept == covered.leaves
    assert answer.calls[0].name == "weather"
    assert cloudflare.write_answer(answer) == body


@pytest.mark.parametrize("second", [0, 0.0, -0.0])
def test_every_leaf_beside_equal_numbers_is_counted(second: float) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    body = {"model": "m", "choices": [choice, second]}
    wire = module("openai_chat")
    covered = answer_coverage(wire, wire.read_answer(body))
    assert (covered.leaves, covered.understood, covered.kept) == (6, 5, 1)


def test_a_failure_of_our_own_is_an_error_where_options_have_values_of_any_type() -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}], "service_tier": "flex"}
    error = broken((module("openai_chat").read_answer(body),), Answer, KeyError("x"), "openai_chat")
    assert str(error).startswith("openai_chat: ")


def test_an_answer_to_a_blocked_prompt_has_no_candidate_on_its_own_api() -> None:
    blocked = Candidate(finish="filtered", finish_raw="SAFETY")
    feedback = {"blockReason": "SAFETY"}
    answer = Answer(
        wire="gemini_generate",
        candidates=(blocked,),
        vendor={"gemini_generate": {"prompt_feedback": feedback}},
    )
    assert module("gemini_generate").write_answer(answer) == {"candidates": [], "promptFeedback": feedback}


def test_calls_in_pieces_are_named_by_their_place() -> None:
    pieced = {"name": "f", "partialArgs": [{"jsonPath": "$.a", "stringValue": "x"}], "willContinue": True}
    content = {"role": "model", "parts": [{"text": "a"}, {"functionCall": pieced}]}
    answer = module("gemini_generate").read_answer(
        {"candidates": [{"content": content, "finishReason": "STOP"}]}
    )
    why = "the arguments of this call come in pieces, which stream() joins"
    assert [(note.path, note.field, note.why) for note in answer.unread] == [
        ("candidates[0].content.parts[1].functionCall", field, why)
        for field in ("partialArgs", "willContinue")
    ]


def test_text_that_is_no_json_is_shown_with_the_word_of_the_end() -> None:
    body = {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "no"}, "finish_reason": "length"}
        ]
    }
    why = (
        "the answer is no JSON (the answer ended by length): Expecting value: line 1 column 1 (char 0): 'no'"
    )
    with pytest.raises(AnswerError, match=f"^{re.escape(why)}$"):
        _ = module("openai_chat").read_answer(body).data


def test_a_message_of_nobody_of_which_nothing_was_read_leaves_no_assumption() -> None:
    content = [{"type": "input_text", "text": 5}, {"text": {}}]
    answer = module("openai_responses").read_answer(
        {
            "object": "response",
            "id": "r",
            "status": "completed",
            "output": [{"type": "message", "content": content}],
        }
    )
    assert (answer.deviations, len(answer.unread) > 0) == ((), True)


def test_what_is_no_answer_is_shown_as_text() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(120):
        inner["a"] = inner = {}
    for body, why in (
        (
            {"choices": [deep]},
            "the answer cannot be read: it is nested deeper than 100 levels, or holds itself",
        ),
        (b"\xffno", "the answer is not an object but '\ufffdno'"),
        ("no", "the answer is not an object but 'no'"),
        (b"no" * 300, f"the answer is not an object but {'no' * 100!r}"),
    ):
        with pytest.raises(BodyError, match=f"^{re.escape(f'openai_chat: {why}')}$"):
            module("openai_chat").read_answer(body)


def test_the_type_of_an_error_has_no_name_of_a_service() -> None:
    error = module("bedrock_converse").read_error(
        429, {"__type": "com.amazon#ThrottlingException", "message": "slow"}
    )
    assert (error.type, error.kind) == ("ThrottlingException", "rate_limit")


def test_empty_texts_and_refusals_are_no_content_on_another_api() -> None:
    message = Message("assistant", [Text(""), Text("a"), Refusal("")])
    answer = Answer(candidates=(Candidate(message=message, finish="stop"),))
    body = module("anthropic_messages").write_answer(answer, policies="lenient")
    assert body["content"] == [{"type": "text", "text": "a"}]


def test_a_refusal_is_text_in_a_stream_of_an_api_without_refusals() -> None:
    answer = Answer(candidates=(Candidate(message=Message("assistant", [Refusal("No.")]), finish="refused"),))
    stream = module("bedrock_converse").stream()
    stream.feed(module("bedrock_converse").write_stream(policies="lenient").answer(answer))
    assert stream.close().text == "No."
