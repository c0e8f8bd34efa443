"""Edges of streams: ends, bytes that are no stream, events without numbers, and what a writer refuses or notes."""

from __future__ import annotations

import json
from struct import pack
from typing import Any
from zlib import crc32

import pytest

from promptwire import Answer, Event, Message, Note, Text, ToolCall
from promptwire.errors import AnswerError, InvalidRequest, StreamError
from promptwire.results import Candidate, Usage
from tests.answers import module
from tests.internals.runtime import (
    IndexedList,
    TextBuffer,
    at,
    error_text,
    keep_unnamed,
    leaves_of_part as leaves,
    merged,
    missing,
    settled,
    value_at,
)

from .test_compatible_hosts import chunk


def data(event: Any) -> bytes:
    return f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"<html>\xff busy</html>", "the bytes are a page and no stream: '<html>\ufffd busy</html>'"),
        (b'{"a": 1}', "the bytes are neither a stream nor an answer: b'{\"a\": 1}'"),
        (b'{"a": ', "the bytes are neither a stream nor an answer: b'{\"a\": '"),
        (b"", "the stream broke off before the answer ended"),
        (data(chunk({"content": "Hi"})), "the stream broke off before the answer ended"),
        (b"Internal Server Error", "the bytes are not a stream: 'Internal Server Error'"),
        (data("[DONE]"), "the stream ended without an answer"),
    ],
)
def test_bytes_that_are_no_whole_stream_are_shown(raw: bytes, said: str) -> None:
    stream = module("openai_chat").stream()
    stream.feed(raw)
    with pytest.raises(StreamError) as error:
        stream.close()
    assert str(error.value) == f"OpenAI Chat Completions: {said}"


@pytest.mark.parametrize("wire", ["openai_chat", "ollama_chat", "bedrock_converse", "gemini_generate"])
def test_a_page_in_place_of_a_stream_is_shown_in_every_framing(wire: str) -> None:
    page = b"\r\n<html>\n<body>502 Bad Gateway</body></html>\n"
    stream = module(wire).stream()
    for place in range(len(page)):
        stream.feed(page[place : place + 1])
    with pytest.raises(StreamError) as error:
        stream.close()
    shown = "the bytes are a page and no stream: '<html>\\n<body>502 Bad Gateway</body></html>\\n'"
    assert str(error.value) == f"{module(wire).WIRE.title}: {shown}"


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_an_array_is_read_without_being_announced(size: int) -> None:
    rows = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **finish}]}
        for text, finish in (("12", {}), (" C.", {"finishReason": "STOP"}))
    ]
    raw = json.dumps(rows, indent=1).encode()
    stream = module("gemini_generate").stream()
    events = [event for at in range(0, len(raw), size) for event in stream.feed(raw[at : at + size])]
    assert [event.text for event in events if event.kind == "text"] == ["12", " C."]
    assert (stream.close().text, stream.close().finish) == ("12 C.", "stop")


def responses_events(*events: dict[str, Any]) -> bytes:
    created = {
        "type": "response.created",
        "response": {"id": "r", "object": "response", "status": "in_progress", "output": []},
    }
    completed = {
        "type": "response.completed",
        "response": {"id": "r", "object": "response", "status": "completed", "output": []},
    }
    return b"".join(map(data, (created, *events, completed)))  # fmt: skip


def test_texts_that_only_their_last_event_says_are_read() -> None:
    at = {"output_index": 0, "content_index": 0, "item_id": "m"}
    stream = module("openai_responses").stream()
    events = stream.feed(responses_events({"type": "response.output_text.done", "text": "Hi", **at}))
    assert [event.text for event in events if event.kind == "text"] == ["Hi"]
    assert stream.close().text == "Hi"


def test_arguments_that_only_their_last_event_says_are_read() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": ""}
    stream = module("openai_responses").stream()
    stream.feed(
        responses_events(
            {"type": "response.output_item.added", "output_index": 0, "item": call},
            {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": '{"a": 1}'},
        )
    )
    (read,) = stream.close().calls
    assert (read.id, read.arguments) == ("c", '{"a": 1}')


def test_one_event_without_its_framing_is_no_answer() -> None:
    stream = module("anthropic_messages").stream()
    stream.feed(b'{"type": "message_stop", "content": [], "stop_reason": "end_turn"}')
    with pytest.raises(StreamError, match="neither a stream nor an answer"):
        stream.close()


def test_a_whole_answer_in_place_of_a_stream_is_told_and_read() -> None:
    said = {"role": "assistant", "content": "Hi"}
    body = {
        "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1},
    }
    stream = module("openai_chat").stream()
    events = [*stream.feed(json.dumps(body).encode()), *stream.rest()]
    assert [event.kind for event in events] == ["start", "text", "part", "finish", "usage"]
    assert (stream.close().text, stream.rest()) == ("Hi", [])
    with pytest.raises(AnswerError, match="the stream is closed: nothing follows"):
        stream.feed(b"")


@pytest.mark.parametrize(
    "end",
    ["[DONE]", " [DONE] ", {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}],
)
def test_a_stream_ends_by_its_mark_or_its_finish(end: Any) -> None:
    stream = module("openai_chat").stream()
    for event in (chunk({"content": "Hi"}), end):
        stream.feed(data(event))
    # what follows the mark changes nothing
    stream.feed(data({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}))
    answer = stream.close()
    assert (answer.text, answer.usage.input) == ("Hi", 5)


def test_an_event_without_the_number_of_its_part_is_named() -> None:
    stream = module("anthropic_messages").stream()
    begin = {
        "type": "message_start",
        "message": {"id": "m", "type": "message", "role": "assistant", "content": []},
    }
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    more = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hi"}}
    ends = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
    events = [event for row in (begin, block, more, *ends) for event in stream.feed(data(row))]
    assert [event.name for event in events if event.kind == "unknown"] == ["content_block_delta"]
    why = "an event content_block_delta does not say index: it is taken for the last one"
    answer = stream.close()
    assert (answer.text, answer.unread) == ("Hi", (Note("added", "content_block_delta", "index", why),))
    assert stream.unread[-1].why == why


def test_parts_that_are_open_at_the_end_are_told_whole() -> None:
    stream = module("anthropic_messages").stream()
    block = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    stream.feed(data({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}))
    stream.feed(data({"type": "content_block_start", "index": 0, "content_block": block}))
    assert [(event.kind, event.data.parts[0].signature) for event in stream.rest()] == [("part", "s")]


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ({"error": {"message": "no"}}, "no"),
        ({"error": "no"}, "no"),
        ({"message": "no"}, "no"),
        ("no", "no"),
        ({"code": 5}, '{"code": 5}'),
        ({"code": {1}}, "{'code': {1}}"),
        (None, "null"),
    ],
)
def test_the_text_of_an_error(told: Any, text: str) -> None:
    assert error_text(told) == text


@pytest.mark.parametrize(
    ("keys", "named"),
    [({"id": 5}, "id"), ({"model": None}, "model"), ({"created": "now"}, "created"), ({"created": -1}, "created"), ({"notes": ()}, "notes")],
)  # fmt: skip
def test_a_writer_refuses_values_of_a_wrong_type(keys: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidRequest, match=named):
        module("openai_chat").write_stream(**keys)


def test_a_writer_takes_events_alone_and_nothing_after_its_end() -> None:
    writer = module("openai_chat").write_stream()
    with pytest.raises(InvalidRequest, match="event"):
        writer.feed({"kind": "text"})
    writer.close()
    assert writer.close() == b""
    with pytest.raises(AnswerError, match="the stream is closed: nothing follows"):
        writer.feed(Event(kind="start"))


def test_what_a_stream_cannot_say_is_noted() -> None:
    notes: list[Note] = []
    writer = module("anthropic_messages").write_stream(policies="lenient", notes=notes)
    for event in (
        Event(kind="unknown", name="mood", data={}),
        Event(kind="arguments", text="{}", place=(9,)),
        Event(kind="text", text="b", candidate=1, place=(1, 0)),
        Event(kind="vendor", data={"groq_chat": {"x_groq": 1}}),
        Event(kind="vendor", data={"groq_chat": {"logprobs": 1}}, place=(0,)),
        Event(kind="text", text="Hi", place=(0, 0)),
        Event(kind="finish", name="other", text="eos", place=(0,)),
    ):
        writer.feed(event)
    writer.close()
    assert [(note.action, note.path, note.field, note.why) for note in notes] == [
        ("dropped", "messages[0]", "mood", "Anthropic Messages has no such event"),
        ("dropped", "messages[0]", "arguments", "they are of no call that the caller answers"),
        ("dropped", "messages[1]", "candidate", "Anthropic Messages gives one answer only"),
        ("dropped", "", "vendor.groq_chat.x_groq", "only groq_chat has this key"),
        ("dropped", "messages[0]", "vendor.groq_chat.logprobs", "only groq_chat has this key"),
        ("missing", "", "usage", "Anthropic Messages always gives it, and nothing is known"),
        ("replaced", "", "finish", "Anthropic Messages has no word for other: it becomes end_turn"),
    ]


@pytest.mark.parametrize("finish", ["filtered", "refused"])
def test_an_end_without_a_word_is_written_as_the_nearest_one(finish: str) -> None:
    interactions, notes = module("gemini_interactions"), list[Note]()
    stream = interactions.stream()
    given = Answer(candidates=(Candidate(message=Message("assistant", (Text("Hi"),)), finish=finish),))
    stream.feed(interactions.write_stream(policies="lenient", notes=notes).answer(given))
    why = f"Gemini Interactions has no word for {finish}: it becomes cancelled"
    assert [note.why for note in notes if note.field == "finish"] == [why]
    assert stream.close().finish == "other"
    assert interactions.write_answer(given)["status"] == "cancelled"


def test_a_word_that_ends_no_stream_is_written_as_one_that_does() -> None:
    responses = module("openai_responses")
    body = {"object": "response", "id": "r", "status": "cancelled", "output": []}
    given = responses.read_answer(body)
    assert (given.finish, responses.write_answer(given)) == ("other", body)
    stream = responses.stream()
    stream.feed(responses.write_stream(id="r", model="m", policies="lenient").answer(given))
    assert stream.close().finish == "stop"


def test_ids_of_written_calls_follow_from_their_place() -> None:
    calls = (ToolCall(None, "f", "{}"), ToolCall(None, "f", "{}"))
    given = Answer(candidates=(Candidate(message=Message("assistant", calls), finish="tool_calls"),), id="a1")
    made = []
    for _ in range(2):
        whole = module("openai_chat").write_answer(given)["choices"][0]["message"]["tool_calls"]
        stream = module("openai_chat").stream()
        stream.feed(module("openai_chat").write_stream(id="a1", model="m").answer(given))
        made.append([*[row["id"] for row in whole], *[call.id for call in stream.close().calls]])
    assert made[0] == made[1]
    assert len(set(made[0][:2])) == len(set(made[0][2:])) == 2


@pytest.mark.parametrize(("asked", "comes"), [(False, False), (True, True)])
def test_counts_come_in_a_chunk_of_their_own_where_they_were_asked_for(asked: bool, comes: bool) -> None:
    given = Answer(
        candidates=(Candidate(message=Message("assistant", "Hi"), finish="stop"),),
        usage=Usage(input=1, output=2),
    )
    raw = module("openai_chat").write_stream(id="a1", model="m", usage=asked).answer(given)
    chunks = [json.loads(row[6:]) for row in raw.decode().split("\n\n") if row.startswith("data: {")]
    assert [row["usage"]["prompt_tokens"] for row in chunks if not row["choices"]] == ([1] if comes else [])


@pytest.mark.parametrize(
    ("whole", "grown", "other", "lacks"),
    [
        ({"a": 1}, {}, False, {"a": 1}),
        ({"a": 1}, {"a": 2}, False, None),
        ({"a": 1}, {"a": 2}, True, {"a": 1}),
        ({"a": ""}, {}, False, None),
        ({"a": [{"b": 1}]}, {"a": [{}]}, False, None),
        ({"a": [{"b": 1}]}, {"a": [{"index": 0}]}, False, {"a": [{"index": 0, "b": 1}]}),
        ({"a": [{"b": 1}, {"c": 2}]}, {"a": [{"b": 1}]}, False, {"a": [{"c": 2}]}),
        ({"a": [1, 2]}, {"a": [1]}, False, None),
        ({"a": [1, 2]}, {"a": [1]}, True, {"a": [1, 2]}),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, False, None),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, True, {"a": [{"b": 1}]}),
    ],
)
def test_what_a_grown_part_lacks(whole: Any, grown: Any, other: bool, lacks: Any) -> None:
    assert missing(whole, grown, other=other) == lacks


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"a": {"b": 1}, "type": "x"}, [("a", "b")]),
        ({"a": {}, "b": ""}, [()]),
        ({"a": {"type": "x"}}, [("a",)]),
        ({"a": [{"b": 1}, {"c": 2}]}, [("a", "b"), ("a", "c")]),
        ({"a": [1]}, [("a",)]),
        ({"a": 0}, [("a",)]),
    ],
)
def test_the_paths_of_leaves(value: Any, paths: list[tuple[str, ...]]) -> None:
    assert [path for path, _ in leaves(value)] == paths


@pytest.mark.parametrize(
    ("value", "other", "both"),
    [
        ({"a": 1, "b": 2}, {"a": 3}, {"a": 3, "b": 2}),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ([{"a": 1}, 5], [{"b": 2}], [{"a": 1, "b": 2}, 5]),
        ([1], [2, 3], [2, 3]),
        ([{"a": 1}], [{"b": 2}], [{"a": 1, "b": 2}]),
        ({"a": 1}, 5, 5),
        (None, {"a": 1}, {"a": 1}),
        ([1], "x", "x"),
        ([1], 5, 5),
    ],
)
def test_objects_are_merged(value: Any, other: Any, both: Any) -> None:
    assert merged(value, other) == both


def test_elements_that_grew_are_settled_in_their_order() -> None:
    grown = IndexedList({(1, ""): {"t": TextBuffer(["c", "d"])}, (0, "x"): TextBuffer(["a"])})
    grown[0, "b"] = TextBuffer(["b"])
    assert settled(grown, (), frozenset()) == ["a", "b", {"t": "cd"}]
    # each looks by itself at what came
    assert IndexedList(grown).kind_of(0) == "b"
    assert (grown.next, grown.kind_of(0), grown.kind_of(7)) == (2, "b", "")
    texts = {"a": TextBuffer(['{"b":', "1}"]), "c": TextBuffer(['{"b":']), "d": TextBuffer([])}
    decoded = frozenset({("a",), ("c",), ("d",)})
    assert settled(texts, (), decoded) == {"a": {"b": 1}, "c": '{"b":', "d": {}}


@pytest.mark.parametrize(
    ("old", "came", "kept"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1}, {"a": None}, {"a": 1}),
        ({}, {"a": None}, {"a": None}),
        ({}, {"a": ""}, {"a": ""}),
        ({"a": 1}, {"a": []}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": {"b": "", "c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": [1]}, {"a": [2]}, {"a": [1, 2]}),
        ({"a": [1]}, {"a": [1, 2]}, {"a": [1, 2]}),
        ({"a": "x"}, {"a": "y"}, {"a": "y"}),
        ({"a": [1]}, {"a": "y"}, {"a": "y"}),
        ({"a": [1]}, {"a": 5}, {"a": 5}),
        ({}, {"known": 1}, {}),
    ],
)
def test_keys_that_no_step_names_are_kept(
    old: dict[str, Any], came: dict[str, Any], kept: dict[str, Any]
) -> None:
    keep_unnamed(old, came, frozenset({"known"}))
    assert old == kept


def test_values_are_found_by_their_path() -> None:
    body = {"a": [{"b": 1}], "c": IndexedList({(3, ""): {"d": 2}})}
    assert [at(body, ("a", "[]", "b"), (place,)) for place in (0, 1, -1)] == [1, None, None]
    assert [at(body, ("c", "[]", "d"), (place,)) for place in (3, 0)] == [2, None]
    assert [value_at(body, path) for path in ((), ("a",), ("x", "y"), ("a", "b"))] == [
        body,
        [{"b": 1}],
        None,
        None,
    ]


def test_text_of_one_part_is_joined_in_what_is_written() -> None:
    writer = module("anthropic_messages").write_stream(id="a1", model="m", policies="lenient")
    pieces = [Event(kind="text", text=text, place=(0, 0), part=0) for text in ("H", "i")]
    raw = b"".join([*map(writer.feed, pieces), writer.close()])
    assert raw.count(b'"type":"content_block_start"') == 1
    stream = module("anthropic_messages").stream()
    stream.feed(raw)
    assert stream.close().parts == (Text("Hi"),)


def probable(token: str) -> dict[str, Any]:
    return {
        "content": [{"token": token, "logprob": -0.1, "bytes": [65], "top_logprobs": []}],
        "refusal": None,
    }


def test_keys_of_a_candidate_are_told_and_written_with_its_number() -> None:
    begun = [
        {
            "index": number,
            "delta": {"role": "assistant", "content": text},
            "logprobs": probable(text),
            "finish_reason": None,
        }
        for number, text in enumerate("AB")
    ]
    ended = [{"index": number, "delta": {}, "finish_reason": "stop"} for number in range(2)]
    raw = b"".join([data({**chunk({}), "choices": choices}) for choices in (begun, ended)]) + data("[DONE]")
    stream = module("openai_chat").stream()
    events = stream.feed(raw)
    told = [
        (event.candidate, event.place, event.data["openai_chat"])
        for event in events
        if event.kind == "vendor"
    ]
    known = [(number, (number,), {"logprobs": probable(text)}) for number, text in enumerate("AB")]
    assert [row for row in told if "logprobs" in row[2]] == known
    writer = module("openai_chat").write_stream()
    again = module("openai_chat").stream()
    again.feed(b"".join([writer.feed(event) for event in events]) + writer.close())
    assert [candidate.vendor for candidate in again.close().candidates] == [
        {"openai_chat": {"logprobs": probable(text)}} for text in "AB"
    ]


def test_text_before_a_list_of_elements_stays_the_first_of_them() -> None:
    contents: list[Any] = [
        "So",
        " it",
        [{"type": "reference", "reference_ids": [1]}, {"type": "text", "text": " is"}],
    ]
    stream = module("mistral_chat").stream()
    events = stream.feed(b"".join([data(chunk({"content": content})) for content in contents]))
    assert [event.text for event in events if event.kind == "text"] == ["So", " it", " is"]
    stream.feed(data(chunk({}, "stop")))
    parts = stream.close().parts
    assert [getattr(part, "text", None) for part in parts] == ["So it", None, " is"]


def test_a_flag_says_that_an_answer_is_whole() -> None:
    lines = [
        {"model": "q", "message": {"role": "assistant", "content": text}, "done": not text}
        for text in ("Hi", "")
    ]
    stream = module("ollama_chat").stream()
    stream.feed("".join([f"{json.dumps(line)}\n" for line in lines]).encode())
    assert stream.close().text == "Hi"
    broken = module("ollama_chat").stream()
    broken.feed(f"{json.dumps(lines[0])}\n".encode())
    with pytest.raises(StreamError, match="the stream broke off before the answer ended"):
        broken.close()


class TextEvent:
    """An event that Anthropic's client sums up beside those of the API."""

    __module__ = "anthropic.lib.streaming"

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {"type": self.kind, "text": "Hi"}


def test_events_that_a_client_sums_up_are_left_out() -> None:
    stream = module("anthropic_messages").stream()
    assert stream.feed(TextEvent("text")) == []
    # the API's own event of this name
    assert [event.kind for event in stream.feed(TextEvent("ping"))] == []


def test_notes_of_a_stream_go_into_a_list() -> None:
    with pytest.raises(InvalidRequest, match=r"^notes is a tuple, not list$"):
        module("openai_chat").write_stream(notes=())


def test_keys_of_arguments_in_pieces_are_text_of_any_language() -> None:
    piece = {"jsonPath": "$.größe", "stringValue": "é"}
    calls = [
        {"name": "f", "id": "c1", "willContinue": True},
        {"partialArgs": [piece], "willContinue": True},
        {},
    ]
    chunks: list[dict[str, Any]] = [
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": call}]}}]} for call in calls
    ]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    stream = module("gemini_generate").stream()
    events = stream.feed(b"".join(map(data, chunks)))
    assert "".join([event.text for event in events if event.kind == "arguments"]) == '{"größe":"é"}'
    assert stream.close().calls[0].arguments == {"größe": "é"}


def test_a_length_that_no_message_of_aws_has_is_named() -> None:
    prelude = pack(">II", 8, 0)
    stream = module("bedrock_converse").stream()
    with pytest.raises(StreamError, match=r"a message of the stream has an impossible length: 8 bytes$"):
        stream.feed(prelude + pack(">I", crc32(prelude)))
