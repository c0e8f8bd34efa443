"""Spoken answers of Chat Completions: audio with its bytes and its transcript, which a next request names by its id."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import (
    Answer,
    Audio,
    Message,
    Options,
    Request,
    Text,
    anthropic_messages,
    bedrock_converse,
    gemini_generate,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.errors import NoPlace
from tests.internals.runtime import replace
from tests.notes import refused

SPOKEN = {"id": "audio_1", "data": "UklGRg==", "expires_at": 1790003600, "transcript": "Yes, it is."}
# the pieces of openai/openai-openapi#577 and openai/openai-node#1991
PIECES = (
    {"role": "assistant", "content": None, "refusal": None},
    {"audio": {"id": "audio_1", "transcript": "Yes,"}},
    {"audio": {"data": "UklG"}},
    {"audio": {"transcript": " it is."}},
    {"audio": {"data": "Rg=="}},
    {"audio": {"expires_at": 1790003600}},
)
CHUNK = {
    "id": "c1",
    "object": "chat.completion.chunk",
    "created": 1790000000,
    "model": "gpt-4o-audio-preview",
}


def body_of(audio: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1790000000,
        "model": "gpt-4o-audio-preview",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": None, "refusal": None, "audio": audio},
                "finish_reason": "stop",
            }
        ],
    }


def with_parts(answer: Answer, *parts: Audio) -> Answer:
    candidate = replace(answer.candidates[0], message=Message("assistant", parts))
    return replace(answer, candidates=(candidate,))


def the_audio(answer: Answer) -> Audio:
    assert answer.message is not None
    (part,) = answer.message.parts
    assert isinstance(part, Audio)
    return part


def streamed() -> Answer:
    chunks: list[dict[str, Any]] = [
        {**CHUNK, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in PIECES
    ]
    chunks.append({**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    stream = openai_chat.stream()
    stream.feed(
        "".join([f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]).encode() + b"data: [DONE]\n\n"
    )
    return stream.answer


@pytest.mark.parametrize(
    "answer", [openai_chat.read_answer(body_of(SPOKEN)), streamed()], ids=["whole", "streamed"]
)
def test_audio_has_its_bytes_and_its_transcript(answer: Answer) -> None:
    part = the_audio(answer)
    assert (part.id, part.data, part.transcript) == ("audio_1", "UklGRg==", "Yes, it is.")
    assert part.vendor == {"openai_chat": {"expires_at": 1790003600}}
    assert (part.source, answer.text, answer.unread, answer.finish) == ("id", "", (), "stop")
    assert openai_chat.write_answer(answer)["choices"][0]["message"]["audio"] == SPOKEN


def test_the_next_request_names_it_by_its_id() -> None:
    request = Request("gpt-4o-audio-preview", [user("Is it?")])
    following = request.after(openai_chat.read_answer(body_of(SPOKEN)), user("Sure?"))
    built = openai_chat.build(following)
    assert built.body["messages"] == [
        {"role": "user", "content": "Is it?"},
        {"role": "assistant", "audio": {"id": "audio_1"}},
        {"role": "user", "content": "Sure?"},
    ]
    assert built.notes == ()


@pytest.mark.parametrize("wire", [anthropic_messages, openai_responses])
def test_another_api_says_that_it_has_no_place_for_it(wire: Any) -> None:
    request = Request("m", [user("Is it?")]).after(openai_chat.read_answer(body_of(SPOKEN)), user("Sure?"))
    request = replace(request, options=replace(request.options, max_tokens=9))
    with refused(NoPlace, "messages[1].parts[0].audio"):
        wire.build(request)


def test_an_answer_is_written_with_all_of_its_audio() -> None:
    answer = openai_chat.read_answer(body_of(SPOKEN))
    edited = with_parts(answer, the_audio(answer).replace(transcript="No."))
    fresh = with_parts(answer, Audio(id="audio_2", data="AAAA"))
    assert openai_chat.write_answer(edited)["choices"][0]["message"]["audio"] == {
        **SPOKEN,
        "transcript": "No.",
    }
    assert openai_chat.write_answer(fresh)["choices"][0]["message"]["audio"] == {
        "id": "audio_2",
        "data": "AAAA",
    }


def test_objects_that_a_host_fills_with_nothing_are_no_parts() -> None:
    body = body_of({"id": "", "data": "", "expires_at": 0, "transcript": ""})
    body["choices"][0]["message"] |= {"content": "4", "function_call": {"name": "", "arguments": ""}}
    answer = openai_chat.read_answer(body)
    assert (answer.text, answer.calls, [type(part) for part in answer.parts]) == (
        "4",
        (),
        [Text],
    )
    assert openai_chat.write_answer(answer) == body


@pytest.mark.parametrize("policies", ["portable", "lenient"])
@pytest.mark.parametrize("wire", [anthropic_messages, gemini_generate, openai_responses, bedrock_converse])
def test_another_api_gets_the_transcript(wire: Any, policies: str) -> None:
    request = Request("m", [user("Is it?")], options=Options(max_tokens=9))
    request = request.after(openai_chat.read_answer(body_of(SPOKEN)), user("Sure?"))
    built = wire.build(request, policies=policies)
    why = f"{wire.WIRE.title} does not accept it here; sent as its transcript"
    assert f"replaced messages[1].parts[0].audio: {why}" in [str(note) for note in built.notes]
    assert "Yes, it is." in built.json().decode()


def test_audio_without_a_transcript_has_no_text() -> None:
    request = Request("m", [user("Is it?"), Message("assistant", [Audio(id="audio_1")]), user("Sure?")])
    with refused(NoPlace, "messages[1].parts[0].audio"):
        openai_responses.build(request, policies="portable")
