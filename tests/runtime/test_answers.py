"""Answers: content, token counts, finish reasons, and writing them for another API."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from promptwire import (
    BodyError,
    Note,
    Text,
    anthropic_messages,
    bedrock_converse,
    bedrock_meta,
    gemini_generate,
    mistral_chat,
    openai_chat,
    openai_responses,
    openrouter_chat,
)
from promptwire.errors import AnswerError
from tests.answers import module, streams

USAGE = {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}


def chat(message: dict[str, Any], finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **more}


def test_thinking_that_is_said_twice_is_told_once() -> None:
    details = [
        {"type": "reasoning.text", "text": "Oslo ", "index": 0},
        {"type": "reasoning.text", "text": "first.", "signature": "s", "index": 1},
    ]
    body = chat({"content": "Hi", "reasoning": "Oslo first.", "reasoning_details": details})
    assert openrouter_chat.read_answer(body).reasoning == "Oslo first."


@pytest.mark.parametrize(("text", "data"), [('{"a": [1]}', {"a": [1]}), ("7", 7), (" null ", None)])
def test_data_is_the_json_of_the_text(text: str, data: Any) -> None:
    assert openai_chat.read_answer(chat({"content": text})).data == data


def test_an_empty_refusal_is_none() -> None:
    body = chat({"content": "Hi", "refusal": ""})
    answer = openai_chat.read_answer(body)
    assert (answer.parts, answer.refusal) == ((Text("Hi"),), None)
    assert openai_chat.write_answer(answer) == body
    message = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "refusal", "refusal": ""}],
    }
    flat = openai_responses.read_answer(
        {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "model": "m",
            "output": [message],
        }
    )
    assert (flat.refusal, flat.finish) == (None, "stop")
    notes: list[Note] = []
    assert anthropic_messages.write_answer(flat, policies="lenient", notes=notes)["content"] == []
    assert "refusal" not in [note.field for note in notes]


@pytest.mark.parametrize("word", [None, ""])
def test_an_answer_whose_finish_is_empty_has_none(word: str | None) -> None:
    body = chat({"content": "Hi"}, word)
    answer = openai_chat.read_answer(body)
    assert (answer.text, answer.finish, answer.finish_raw) == ("Hi", None, None)
    assert openai_chat.write_answer(answer) == body


@pytest.mark.parametrize(
    ("text", "finish", "why"),
    [
        ('{"a": ', "length", r"^the answer is no JSON \(the answer ended by length\): .*'\{\"a\": '$"),
        ("", "stop", "^the answer is no JSON: .*''$"),
        ("[" * 5000, "stop", r"\[\.\.\.'$"),
    ],
)
def test_data_that_is_no_json_is_shown(text: str, finish: str, why: str) -> None:
    with pytest.raises(AnswerError, match=why):
        _ = openai_chat.read_answer(chat({"content": text}, finish)).data


def test_the_first_of_several_candidates_speaks() -> None:
    body = chat({"content": "one"})
    body["choices"] += [
        {"index": 1, "message": {"role": "assistant", "refusal": "No."}, "finish_reason": "length"}
    ]
    answer = openai_chat.read_answer(body)
    assert (answer.text, answer.refusal, answer.finish, len(answer.messages)) == ("one", None, "stop", 2)
    assert [candidate.finish for candidate in answer.candidates] == ["stop", "length"]


def test_an_answer_of_nothing_says_nothing() -> None:
    # speakeasy-api/gram PR 3129: OpenRouter answers so where the API behind it gave nothing
    answer = openai_chat.read_answer({"id": "c1", "choices": [], "usage": {"prompt_tokens": 1}})
    assert (answer.message, answer.finish, answer.finish_raw) == (None, None, None)
    with pytest.raises(AnswerError, match="absent, null or empty"):
        _ = answer.text


CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_a_call_means_that_results_are_waited_for() -> None:
    body = chat({"content": None, "tool_calls": [CALL]}, "stop")
    answer = openai_chat.read_answer(body)
    assert (answer.finish, answer.finish_raw, openai_chat.write_answer(answer)) == (
        "tool_calls",
        "stop",
        body,
    )


def responses(status: str, reason: str | None) -> dict[str, Any]:
    details = None if reason is None else {"reason": reason}
    return {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "status": status,
        "incomplete_details": details,
        "model": "m",
        "output": [],
    }


@pytest.mark.parametrize(
    ("status", "reason", "finish", "raw"),
    [
        ("incomplete", "max_output_tokens", "length", "incomplete.max_output_tokens"),
        ("incomplete", "content_filter", "filtered", "incomplete.content_filter"),
        ("incomplete", "odd", "length", "incomplete.odd"),
        ("completed", None, "stop", "completed"),
        ("odd", None, "other", "odd"),
    ],
)
def test_why_it_stopped_may_stand_in_two_places(
    status: str, reason: str | None, finish: str, raw: str
) -> None:
    body = responses(status, reason)
    answer = openai_responses.read_answer(body)
    assert (answer.finish, answer.finish_raw, openai_responses.write_answer(answer)) == (finish, raw, body)


def test_the_number_of_a_word_is_a_word() -> None:
    body = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": 2}]}
    answer = gemini_generate.read_answer(body)
    assert (answer.finish, answer.finish_raw, gemini_generate.write_answer(answer)) == ("length", "2", body)


@pytest.mark.parametrize(
    ("finish", "wire", "word"),
    [
        ("content_filter", anthropic_messages, "refusal"),
        ("length", gemini_generate, "MAX_TOKENS"),
        ("tool_calls", gemini_generate, "STOP"),
        # Mistral's client asks for a reason, and a good one would hide the filter
        ("content_filter", mistral_chat, "error"),
    ],
)
def test_another_api_says_its_nearest_word(finish: str, wire: Any, word: str | None) -> None:
    answer = openai_chat.read_answer(chat({"content": "Hi"}, finish))
    notes: list[Any] = []
    written = wire.read_answer(wire.write_answer(answer, policies="lenient", notes=notes))
    said = [note.field for note in notes if note.field == "finish"]
    # an end that another word says is named
    same = word is not None and (written.finish == answer.finish or (finish, word) == ("tool_calls", "STOP"))
    assert (written.finish_raw, said) == (word, [] if same else ["finish"])


def test_counts_beside_the_input_are_a_part_of_it() -> None:
    counts = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 100,
    }
    body = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "c",
        "content": [],
        "stop_reason": "end_turn",
        "usage": counts,
    }
    answer = anthropic_messages.read_answer(body)
    usage = answer.usage
    assert usage is not None and (usage.input, usage.output, usage.cache_read, usage.cache_write) == (
        1110,
        5,
        1000,
        100,
    )
    as_chat = openai_chat.write_answer(answer, policies="lenient")["usage"]
    assert as_chat == {
        "prompt_tokens": 1110, "completion_tokens": 5, "total_tokens": 1115,
        "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 100},
    }  # fmt: skip
    back = openai_chat.read_answer(chat({"content": "Hi"}, usage=as_chat))
    assert anthropic_messages.write_answer(back, policies="lenient")["usage"] == counts


def test_an_api_gets_its_own_counts_back_while_they_say_the_same() -> None:
    from tests.internals.runtime import replace

    body = chat({"content": "Hi"}, usage={**USAGE, "odd": {"x": 1}})
    answer = openai_chat.read_answer(body)
    assert answer.usage is not None
    assert openai_chat.write_answer(answer)["usage"] == body["usage"]
    changed = replace(answer, usage=replace(answer.usage, output=10), kept=None)
    assert openai_chat.write_answer(changed)["usage"] == {**USAGE, "completion_tokens": 10}
    assert bedrock_converse.write_answer(answer, policies="lenient")["usage"] == {
        "inputTokens": 20, "outputTokens": 9, "totalTokens": 29,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (None, "the answer is null, not an object"),
        ([], "the answer is a list"),
        ({}, r"nothing of the body is an answer of OpenAI Chat Completions: .*keys choices, created"),
        ({"error": {"message": "x"}}, "the API answered with an error: server: x"),
    ],
)
def test_what_is_no_answer_is_refused(body: Any, why: str) -> None:
    with pytest.raises(BodyError, match=f"^openai_chat: .*{why}"):
        openai_chat.read_answer(body)


def test_what_has_no_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(BodyError, match="nested deeper than 100 levels, or holds itself"):
        openai_chat.read_answer({"id": "c1", "choices": endless})
    deep: dict[str, Any] = {}
    for _ in range(10_000):
        deep = {"a": deep}
    with pytest.raises(BodyError, match="nested deeper than 100 levels, or holds itself"):
        module("compatible_chat").read_answer({"usage": deep})


@dataclass
class Point:
    """A place on a plane."""

    x: int
    y: int


def test_data_becomes_an_instance_of_a_class() -> None:
    made = openai_chat.read_answer(chat({"content": '{"x": 1, "y": 2}'})).data_as(Point)
    assert (type(made), made) == (Point, Point(1, 2))
    assert openai_chat.read_answer(chat({"content": "[1, 2]"})).data_as(list[int]) == [1, 2]


REFUSALS = [{"type": "refusal", "refusal": "No"}, {"type": "refusal", "refusal": "!"}]


@pytest.mark.parametrize(
    ("message", "refusal", "text"),
    [
        ({"content": None, "refusal": "No."}, "No.", ""),
        ({"content": REFUSALS}, "No!", ""),
        ({"content": [{"type": "text", "text": "So:"}, *REFUSALS]}, "No!", "So:"),
        ({"content": "No."}, None, "No."),
    ],
)
def test_a_refusal_is_told_apart_from_the_text(
    message: dict[str, Any], refusal: str | None, text: str
) -> None:
    answer = openai_chat.read_answer(chat(message))
    assert (answer.refusal, answer.text) == (refusal, text)


USE: dict[str, Any] = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
ODD: dict[str, Any] = {"type": "hologram", "angle": 5}


def claude(*content: dict[str, Any], stop: str = "end_turn") -> dict[str, Any]:
    return {"id": "m", "type": "message", "role": "assistant", "content": [*content], "stop_reason": stop}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (claude(USE, ODD, stop="tool_use"), ""),
        (claude({"type": "text", "text": "Hi"}, ODD), "Hi"),
        (claude(ODD), None),
        (claude({"type": "text", "text": ""}, ODD), None),
        (claude({"type": "thinking", "thinking": "Hm.", "signature": "s"}, ODD), None),
    ],
)
def test_an_unread_element_raises_only_where_nothing_else_was_said(
    body: dict[str, Any], text: str | None
) -> None:
    answer = anthropic_messages.read_answer(body)
    if text is not None:
        assert (answer.text, [call.id for call in answer.calls]) == (
            text,
            ["t"] * (body["content"][0] is USE),
        )
        return
    place = f"content[{len(body['content']) - 1}]"
    why = f"passed through {place}: no shape of Anthropic Messages takes this: it is kept as it came"
    with pytest.raises(AnswerError) as raised:
        _ = answer.text
    assert str(raised.value) == f"nothing of the answer's content was understood: {why}"


TAKEN = "no shape of OpenAI Chat Completions takes this: it is kept as it came"
AT_CALL = "choices[0].message.tool_calls[0].function"


def choice(**keys: Any) -> dict[str, Any]:
    return {"id": "c1", "choices": [{"index": 0, **keys}], "usage": {"prompt_tokens": 1}}


def calling(**function: Any) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "f", **function}}
    return chat({"content": None, "tool_calls": [call]}, "tool_calls")


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        # the message stands under another key
        (choice(finish_reason="stop", msg={"content": "Hi"}), [f"passed through choices[0].msg: {TAKEN}"]),
        (choice(msg={"content": "Hi"}), [f"passed through choices[0].msg: {TAKEN}"]),
        (choice(finish_reason="content_filter", msg={"content": "Hi"}), []),
        (choice(finish_reason=None, msg={"content": "Hi"}), []),
        (choice(finish_reason="stop", seed=5), []),
        # its text does
        (choice(message={"role": "assistant", "text": "Hi"}), [f"passed through choices[0].message.text: {TAKEN}"]),
        (choice(message={"role": "assistant", "text": "Hi"}, finish_reason=None), []),
        (chat({"content": "", "text": "Hi"}), [f"passed through choices[0].message.text: {TAKEN}"]),
        (chat({"content": "", "text": {"a": ["Hi"]}}), [f"passed through choices[0].message.text: {TAKEN}"]),
        (chat({"content": "", "text": ""}), []),
        (chat({"content": "Hi", "text": "Hi"}), []),
        # the arguments of a call do
        (calling(parameters={"a": 1}), [f"passed through {AT_CALL}.parameters: {TAKEN}"]),
        (calling(arguments="{}", parameters={"a": 1}), []),
        (calling(arguments="{}"), []),
    ],
)  # fmt: skip
def test_content_under_another_key_is_a_problem_where_its_own_key_has_none(
    body: dict[str, Any], problems: list[str]
) -> None:
    answer = openai_chat.read_answer(body)
    assert [*map(str, answer.unread)] == problems
    assert openai_chat.write_answer(answer) == body


def test_an_empty_text_is_the_message_of_an_answer_that_has_no_other_key() -> None:
    body = {"generation": "", "prompt_token_count": 5, "generation_token_count": 0, "stop_reason": "stop"}
    answer = bedrock_meta.read_answer(body)
    assert (answer.text, answer.unread, bedrock_meta.write_answer(answer)) == ("", (), body)


@pytest.mark.parametrize(
    "role", ["user", "system", "developer", "assistant", "nobody", "", None, 5, ["user"]]
)
def test_a_message_has_the_role_that_it_states_or_is_the_models(role: Any) -> None:
    known = {"user", "system", "developer"}
    body = {"choices": [{"index": 0, "message": {"role": role, "content": "Hi"}, "finish_reason": "stop"}]}
    answer = openai_chat.read_answer(body)
    assert answer.message is not None
    stated = role if isinstance(role, str) and role in known else "assistant"
    assert (answer.message.role, answer.text) == (stated, "Hi")
    assert openai_chat.write_answer(answer) == body


@pytest.mark.parametrize(
    ("code", "word"),
    [(2, "2"), (-5, "-5"), (999_999, "999999"), (1_000_000, None), (-1_000_000, None), (True, None), (1.5, None), ("end", "end")],
)  # fmt: skip
def test_a_small_number_is_a_word_for_the_end(code: Any, word: str | None) -> None:
    body = chat({"content": "Hi"}, code)
    answer = openai_chat.read_answer(body)
    assert (answer.finish_raw, answer.finish) == (word, word and "other")
    assert openai_chat.write_answer(answer) == body


def flat(*output: Any) -> dict[str, Any]:
    return {**responses("completed", None), "output": [*output]}


@pytest.mark.parametrize("item", ["odd", 5, ["a"], {"role": 5, "content": "x"}])
def test_an_item_that_is_no_message_is_kept(item: Any) -> None:
    said: dict[str, Any] = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}  # fmt: skip
    answer = openai_responses.read_answer(flat(said, item))
    why = "no shape of OpenAI Responses takes this: it is kept as it came"
    assert (answer.text, [*map(str, answer.unread)]) == ("Hi", [f"passed through output[1]: {why}"])
    assert openai_responses.write_answer(answer) == flat(said, item)


def test_what_follows_a_call_goes_back_with_it() -> None:
    def says(text: str) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "role": "assistant", "content": content}

    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    (candidate,) = openai_responses.read_answer(flat(says("x"), says("y"), call, says("z"))).candidates
    turns = [[getattr(part, "text", "f") for part in turn.parts] for turn in candidate.turns]
    assert turns == [["x"], ["y", "f", "z"]]
    assert [turn.role for turn in candidate.turns] == ["assistant", "assistant"]


KEYS = "choices, created, id, metadata, model, moderation, object, service_tier, system_fingerprint, usage"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ([chat({"content": "Hi"})], "the answer is a list, not an object"),
        ({"object": "error", "message": "Overloaded", "choices": [], "usage": {"prompt_tokens": 1}}, "the API answered with an error: overloaded: Overloaded"),
        ({"error": {"message": "Overloaded"}, "choices": [], "usage": {"prompt_tokens": 1}}, "the API answered with an error: overloaded: Overloaded"),
        # Baidu's
        ({"error_code": 17, "error_msg": "Open api daily request limit reached"}, "the API answered with an error: rate_limit: Open api daily request limit reached"),
        ({"error_code": 17}, f"nothing of the body is an answer of OpenAI Chat Completions: it holds no candidate, no text and no counts; an answer has the keys {KEYS}"),
    ],
)  # fmt: skip
def test_what_is_no_answer_says_why(body: Any, why: str) -> None:
    with pytest.raises(BodyError) as raised:
        openai_chat.read_answer(body)
    assert str(raised.value) == f"openai_chat: {why}"
    raw = raised.value.error and raised.value.error.raw
    assert raw == (None if "error:" not in why else {"error": body["error"]} if "error" in body else body)


def test_a_stream_in_place_of_an_answer_says_so() -> None:
    why = "this is a stream, or a part of one: feed it to stream(), whose close() gives the answer"
    # one line of JSON is an answer as well
    told = [example for example in streams() if len(example.events) > 1]
    assert len(told) > 50
    for example in told:
        with pytest.raises(BodyError) as raised:
            module(example.wire).read_answer(example.bytes())
        assert str(raised.value) == f"{example.wire}: {why}"
    chunks = [{"choices": [{"index": 0, "delta": {"content": "Hi"}}]}]
    for body in (chunks * 2, chunks[0], f"data: {json.dumps(chunks[0])}"):
        with pytest.raises(BodyError) as raised:
            openai_chat.read_answer(body)
        assert str(raised.value) == f"openai_chat: {why}"
