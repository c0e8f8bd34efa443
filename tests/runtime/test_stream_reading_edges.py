"""Edges of streams that are read: whole lists of events, calls that hosts send unusually, and errors word for word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import Event, Image, Reasoning, Request, tool_result, user
from promptwire.errors import AnswerError, StreamError
from promptwire.parts import CustomToolCall, HostedCall
from tests.answers import module, read_stream, stream_bytes


def heard(wire: str, *rows: Any) -> list[Event]:
    """Return all events of a stream that ends well."""
    stream = module(wire).stream()
    events: list[Event] = [event for row in rows for event in stream.feed(row)] + stream.rest()
    stream.close()
    return events


def told(events: list[Event]) -> list[tuple[Any, ...]]:
    """Return the calls and their arguments with their places."""
    return [
        (event.kind, event.id, event.name, event.text, event.place)
        for event in events
        if event.kind in ("call", "arguments")
    ]


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def asked(arguments: Any = None, index: int = 0, name: str | None = None, **call: Any) -> dict[str, Any]:
    given = {"name": name, "arguments": arguments}
    function = {key: value for key, value in given.items() if value is not None}
    return chunk({"tool_calls": [{"index": index, **call, "function": function}]})


def begins(number: int, identity: str | None, name: str) -> tuple[Any, ...]:
    return ("call", identity, name, "", (0, number))


def argues(number: int, text: str) -> tuple[Any, ...]:
    return ("arguments", None, None, text, (0, number))


CALLS: dict[str, tuple[list[Any], list[tuple[Any, ...]]]] = {
    "a name that comes with each piece, and again with the next call": (
        [asked('{"a": ', name="f"), asked('"x"}', name="f"), asked('{"b": 1}', name="f")],
        [begins(0, None, "f"), argues(0, '{"a": '), argues(0, '"x"}'), begins(1, None, "f"), argues(1, '{"b": 1}')],
    ),
    "a name that is repeated before the arguments": (
        [asked(name="f"), asked(name="f"), asked("{}", name="f")],
        [begins(0, None, "f"), argues(0, "{}")],
    ),
    "a piece with the id of an earlier call of the same number": (
        [asked('{"a": 1}', name="f", id="a"), asked('{"b": ', name="g", id="b"), asked(" ", id="a"), asked("2}", id="b")],
        [begins(0, "a", "f"), argues(0, '{"a": 1}'), begins(1, "b", "g"), argues(1, '{"b": '), argues(0, " "), argues(1, "2}")],
    ),
    "objects of arguments under one number": (
        [asked({"a": 1}, name="f", id="a"), asked({"ä": 2}, name="f", id="b")],
        [begins(0, "a", "f"), argues(0, '{"a": 1}'), begins(1, "b", "f"), argues(1, '{"ä": 2}')],
    ),
    "a name that is repeated behind the arguments": (
        [asked("{}", name="f"), asked(name="f")],
        [begins(0, None, "f"), argues(0, "{}")],
    ),
    "pieces of two calls in turn": (
        [asked("", 0, "f", id="a"), asked("", 1, "g", id="b"), asked('{"a"', 0), asked("{}", 1), asked(":1}", 0)],
        # an empty object may be followed by the arguments
        [begins(0, "a", "f"), begins(1, "b", "g"), argues(0, '{"a"'), argues(0, ":1}"), argues(1, "{}")],
    ),
    "an id that is a list or an object": (
        [asked('{"a":', name="f", id=["a"]), asked("1}", id={"b": 1})],
        [begins(0, None, "f"), argues(0, '{"a":'), argues(0, "1}")],
    ),
    "arguments before the name": (
        [asked('{"a":', id="a"), asked("1}", name="f")],
        [begins(0, "a", "f"), argues(0, '{"a":'), argues(0, "1}")],
    ),
    "pieces of two calls in one list, without numbers": (
        [chunk({"tool_calls": [{"id": "a", "function": {"name": "f"}}, {"id": "b", "function": {"name": "g"}}]}),
         chunk({"tool_calls": [{"function": {"arguments": '{"a":'}}, {"function": {"arguments": "{"}}]}),
         chunk({"tool_calls": [{"function": {"arguments": "1}"}}, {"function": {"arguments": "}"}}]})],
        [begins(0, "a", "f"), begins(1, "b", "g"), argues(0, '{"a":'), argues(1, "{"), argues(0, "1}"), argues(1, "}")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_pieces_of_calls_are_told_at_the_place_of_their_call(name: str) -> None:
    rows, expected = CALLS[name]
    assert told(heard("openai_chat", *rows, chunk({}, "tool_calls"))) == expected


def test_what_is_no_call_is_kept_and_named() -> None:
    given = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    stream = module("openai_chat").stream()
    events = stream.feed(chunk({"tool_calls": [None, given]}, "tool_calls")) + stream.rest()
    assert told(events) == [("call", "a", "f", "", (0, 1)), argues(1, "{}")]
    problems = [note.path for note in stream.close().unread]
    assert problems == ["choices[0].message.tool_calls[0]"]
    empty: dict[str, Any] = {"functionCall": {}}
    text: dict[str, Any] = {"text": "a"}
    for number, parts in enumerate(([empty, text], [text, empty])):
        stream = module("gemini_generate").stream()
        for part in parts:
            stream.feed({"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]})
        stream.feed({"candidates": [{"index": 0, "finishReason": "STOP"}]})
        answer = stream.close()
        assert answer.raw == {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]
        }
        assert [note.path for note in answer.unread] == [f"candidates[0].content.parts[{number}]"]


def test_no_more_calls_take_none_away() -> None:
    stream = module("openai_chat").stream()
    for row in (asked("{}", name="f", id="a"), chunk({"tool_calls": []}), chunk({}, "tool_calls")):
        stream.feed(row)
    assert [(call.id, call.name) for call in stream.close().calls] == [("a", "f")]


def test_a_call_of_a_custom_tool_is_told_as_such() -> None:
    given = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
    begun, _, _ = heard("openai_chat", chunk({"tool_calls": [given]}), chunk({}, "tool_calls"))[1:]
    assert (begun.kind, begun.data.parts) == ("call", (CustomToolCall("c", "sh", ""),))


def responses(*events: dict[str, Any]) -> list[dict[str, Any]]:
    empty = {"id": "r", "object": "response", "output": []}
    return [
        {"type": "response.created", "response": {**empty, "status": "in_progress"}},
        *events,
        {"type": "response.completed", "response": {**empty, "status": "completed"}},
    ]


def item(moment: str, **keys: Any) -> dict[str, Any]:
    given = {"type": "function_call", "call_id": "c", "name": "f", **keys}
    return {"type": f"response.output_item.{moment}", "output_index": 0, "item": given}


@pytest.mark.parametrize(
    "began",
    [
        [item("added", id="x")],
        [item("added", id="x", arguments=""), item("added", id="y", arguments="")],
        [item("added", id="x", type="", arguments="")],
    ],
    ids=["without arguments", "twice, with another id", "of an empty type"],
)
def test_a_call_of_responses_is_told_once_with_empty_arguments(began: list[dict[str, Any]]) -> None:
    delta = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{}"}
    events = heard("openai_responses", *responses(*began, delta, item("done", id="z", arguments="{}")))
    assert [event.kind for event in events] == ["start", "call", "arguments", "part", "finish"]
    (first, second) = [event.data.parts[0] for event in events if event.kind in ("call", "part")]
    assert (first.id, first.name, first.arguments, first.item_id) == ("c", "f", {}, "x")
    assert (second.id, second.name, second.arguments, second.item_id) == ("c", "f", "{}", "z")


def claude(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a message with these."""
    return [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        *events,
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


def block(**keys: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": keys}


STOP = {"type": "content_block_stop", "index": 0}


def test_arguments_that_stand_in_a_call_that_begins_are_those_of_the_call() -> None:
    caller = {"type": "direct"}
    began = block(type="tool_use", id="c", name="f", input={"a": 1}, caller=caller)
    events = heard("anthropic_messages", *claude(began, STOP))
    assert [(event.kind, event.text) for event in events] == [
        ("start", ""), ("call", ""), ("arguments", '{"a": 1}'), ("part", ""), ("finish", "end_turn"),
    ]  # fmt: skip
    rows = [event.data.parts[0] for event in events if event.kind in ("call", "part")]
    assert [row.arguments for row in rows] == [{"a": 1}, {"a": 1}]
    assert [row.vendor for row in rows] == [{"anthropic_messages": {"caller": caller}}] * 2


def test_a_call_that_the_api_runs_itself_is_a_part_and_no_call() -> None:
    began = block(type="server_tool_use", id="c", name="web_search", input={"q": 1})
    _, part, finish = heard("anthropic_messages", *claude(began, STOP))
    hosted = HostedCall(type="server_tool_use", id="c", name="web_search", arguments={"q": 1})
    assert (part.kind, part.data.parts, finish.kind) == ("part", (hosted,), "finish")


def test_a_part_that_ends_twice_is_told_once() -> None:
    more = {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "b"}}
    began = block(type="thinking", thinking="a", signature="s")
    events = heard("anthropic_messages", *claude(began, STOP, STOP, more, STOP))
    assert [(event.kind, event.text) for event in events] == [
        ("start", ""), ("reasoning", "a"), ("part", ""), ("reasoning", "b"), ("finish", "end_turn"),
    ]  # fmt: skip
    assert events[2].data.parts == (Reasoning(text="a", signature="s"),)


def test_a_part_says_what_it_began_with_in_its_first_piece_alone() -> None:
    def thought(text: str) -> dict[str, Any]:
        delta = {"type": "thinking_delta", "thinking": text}
        return {"type": "content_block_delta", "index": 0, "delta": delta}

    began = block(type="thinking", thinking="a", signature="s")
    other = {**block(type="text", text="x"), "index": 1}
    # the last piece comes behind the end of its part
    events = heard("anthropic_messages", *claude(began, thought("b"), STOP, other, thought("c")))
    told = [(event.text, event.data and event.data.parts) for event in events if event.kind == "reasoning"]
    assert told == [("a", (Reasoning(text="a", signature="s"),)), ("b", None), ("c", None)]


PNG = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}


def test_a_part_of_a_candidate_is_told_beside_one_without_content_and_may_be_sent_back() -> None:
    blocked = {"index": 0, "finishReason": "SAFETY"}
    drawn = {"index": 1, "content": {"role": "model", "parts": [PNG]}, "finishReason": "STOP"}
    for candidates in ([blocked, drawn], [drawn]):
        events = heard("gemini_generate", {"candidates": candidates})
        (part,) = [event for event in events if event.kind == "part"]
        assert (part.candidate, part.data.parts) == (1, (Image(data="aGk=", media_type="image/png"),))
        body = module("gemini_generate").build(Request("m", [user("Draw."), part.data])).body
        assert body["contents"][1] == {"role": "model", "parts": [PNG]}


def test_a_prompt_that_was_blocked_is_filtered_whatever_the_word() -> None:
    *_, finish = heard("gemini_generate", {"promptFeedback": {"blockReason": "OF_A_NEW_KIND"}})
    assert (finish.kind, finish.name, finish.text) == ("finish", "filtered", "OF_A_NEW_KIND")


def test_counts_of_the_last_event_follow_what_ends_with_it() -> None:
    parts = [{"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}, {"text": "b"}]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    row = {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1}}
    events = heard("gemini_generate", row)
    assert [(event.kind, event.text, event.place) for event in events] == [
        ("start", "", ()), ("text", "a", (0, 0)), ("part", "", (0, 1)), ("text", "b", (0, 2)),
        ("finish", "STOP", (0,)), ("usage", "", ()),
    ]  # fmt: skip


HI = chunk({"content": "Hi"})
ERRORS: list[tuple[str, list[Any], str, str]] = [
    ("openai_chat", [b'{"error": {"message": "no"}}'], "server: no", ""),
    ("openai_chat", [HI, {"object": "error", "message": "no", "code": 400}], "400: no", "Hi"),
    ("openai_chat", [HI, {"type": "error", "message": "no", "code": 400}], "400: no", "Hi"),
    ("openai_chat", [HI, stream_bytes("sse", [("error", {"id": "c"})])], "server: {'id': 'c'}", "Hi"),
    (
        "anthropic_messages",
        [*claude()[:1], stream_bytes("sse", [("error", {"type": "message_stop"})])],
        "message_stop: {'type': 'message_stop'}",
        "",
    ),
    (
        "openai_responses",
        [{"type": "response.failed", "response": {"id": "r", "status": "failed", "output": [], "error": {"code": "server_error", "message": "no"}}}],
        "server_error: no",
        "",
    ),
    (
        "openai_responses",
        [{"type": "response.output_text.delta", "output_index": 0, "delta": "a", "error": {"message": "no"}}],
        "response.output_text.delta: no",
        "",
    ),
    ("mistral_conversations", [{"type": "conversation.response.error", "message": "no"}], "conversation.response.error: no", ""),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "rows", "why", "text"), ERRORS)
def test_an_error_that_a_stream_tells_is_raised_with_what_came(
    wire: str, rows: list[Any], why: str, text: str
) -> None:
    stream = module(wire).stream()
    events = [event for row in rows for event in stream.feed(row)] + stream.rest()
    assert [event.kind for event in events if event.kind in ("error", "unknown", "finish")] == ["error"]
    with pytest.raises(StreamError) as raised:
        stream.close()
    assert str(raised.value) == f"{module(wire).WIRE.title}: the stream tells an error: {why}"
    assert (raised.value.answer.text if raised.value.answer else "") == text
    with pytest.raises(AnswerError) as closed:
        stream.feed(b"")
    assert str(closed.value) == f"{module(wire).WIRE.title}: the stream is closed: nothing follows"


def test_the_bytes_of_a_chunk_of_a_client_are_an_event_of_the_model() -> None:
    inner = json.dumps({"outputText": "H~", "index": 0, "completionReason": "FINISH"}).encode()
    events = heard("bedrock_titan", {"chunk": {"bytes": inner.replace(b"~", b"\xff")}})
    assert [(event.kind, event.text) for event in events] == [
        ("start", ""), ("text", "H\ufffd"), ("finish", "FINISH"),
    ]  # fmt: skip


def test_keys_of_paths_may_hide_their_quotes() -> None:
    pieces = [
        {"jsonPath": r"$['it\'s']", "stringValue": "x"},
        {"jsonPath": r'$["a\"b\\"]', "stringValue": "y"},
    ]
    call = {"functionCall": {"name": "f", "partialArgs": pieces}}
    events = heard(
        "gemini_generate", {"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]}
    )
    texts = "".join([event.text for event in events if event.kind == "arguments"])
    assert json.loads(texts) == {"it's": "x", 'a"b\\': "y"}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (
            [{"name": "f", "willContinue": True, "partialArgs": [{"jsonPath": "$.a", "stringValue": "x"}]}, {"args": {"a": "y"}}],
            "the whole arguments of a call differ from the pieces before them",
        ),
        (
            [{"name": "f", "partialArgs": [{"jsonPath": "$.a", "stringValue": "x"}, {"jsonPath": "$.a", "numberValue": 5}]}],
            "a piece of the arguments at $.a does not follow the pieces before it",
        ),
        (
            [{"name": "f", "partialArgs": [{"jsonPath": "$.a", "structValue": {}}]}],
            "a piece of the arguments at $.a has an unknown value: structValue",
        ),
        (
            [{"name": "f", "partialArgs": [{"jsonPath": "$.a[*]", "stringValue": "x"}]}],
            "a piece of the arguments has a path that is not understood: '$.a[*]'",
        ),
        (
            [{"name": "f", "partialArgs": [{"jsonPath": "$.a[2000]", "stringValue": "x"}]}],
            "a piece of the arguments at $.a[2000] does not follow the pieces before it",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_pieces_of_arguments_is_said_word_for_word(rows: list[Any], why: str) -> None:
    stream = module("gemini_generate").stream()
    with pytest.raises(StreamError) as raised:  # noqa: PT012  # the first events may be returned before it
        for row in rows:
            stream.feed({"candidates": [{"content": {"parts": [{"functionCall": row}]}}]})
        stream.close()
    assert str(raised.value) == f"Gemini generateContent: {why}"


SAID = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
ASKED = {"type": "function_call", "id": "f", "call_id": "c", "name": "n", "arguments": "{}"}
CUT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}


@pytest.mark.parametrize(
    ("name", "last", "finish", "raw"),
    [
        ("completed", {"output": [SAID]}, "stop", "completed"),
        ("completed", {"output": [SAID], "status": None}, "stop", "completed"),
        ("completed", {"output": [ASKED]}, "tool_calls", "completed"),
        ("completed", {"output": [SAID], **CUT}, "length", "incomplete.max_output_tokens"),
        ("incomplete", {"output": [SAID], **CUT, "status": ""}, "length", "incomplete.max_output_tokens"),
    ],
)
def test_the_name_of_the_last_event_says_the_status_that_its_answer_lacks(
    name: str, last: dict[str, Any], finish: str, raw: str
) -> None:
    responses = module("openai_responses")
    stream, begun = responses.stream(), {"id": "r", "model": "m", "status": "in_progress", "output": []}
    rows = [
        {"type": "response.created", "response": begun},
        {"type": f"response.{name}", "response": {"id": "r", "model": "m", **last}},
    ]
    events = [event for row in rows for event in stream.feed(row)]
    answer = stream.close()
    assert [(event.name, event.text) for event in events if event.kind == "finish"] == [(finish, raw)]
    assert (answer.finish, answer.finish_raw, answer.raw["status"]) == (finish, raw, raw.partition(".")[0])


@pytest.mark.parametrize("identity", [["call_1"], {"id": "call_1"}, 7])
def test_an_id_of_a_call_that_is_no_text_is_no_error(identity: Any) -> None:
    stream = module("openai_chat").stream()
    call = {"index": 0, "id": identity, "type": "function", "function": {"name": "now", "arguments": "{}"}}
    for delta, finish in [({"role": "assistant", "tool_calls": [call]}, None), ({}, "tool_calls")]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        stream.feed(f"data: {json.dumps({'id': 'c1', 'choices': [choice]})}\n\n".encode())
    answer = stream.close()
    assert answer.raw is not None
    assert answer.raw["choices"][0]["message"]["tool_calls"] == [call]


def test_parts_of_text_are_told_as_they_come() -> None:
    stream = module("openai_chat").stream()
    deltas = [{"content": [{"type": "text", "text": text}]} for text in ("12 ", "C.")]
    rows = [{"id": "c1", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    events = [event for row in rows for event in stream.feed(f"data: {json.dumps(row)}\n\n".encode())]
    assert [event.text for event in events if event.kind == "text"] == ["12 ", "C."]


def test_what_an_event_told_does_not_grow_with_the_answer() -> None:
    text = {"type": "output_text", "text": ""}
    item = {"id": "m", "type": "message", "role": "assistant", "content": [text]}
    rows: list[dict[str, Any]] = [
        {"type": "response.output_item.added", "item": item},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"},
        {"type": "response.completed", "response": {"id": "r", "status": "completed"}},
    ]
    stream = module("openai_responses").stream()
    # the first one does not say its place
    told = stream.feed(f"data: {json.dumps(rows[0])}\n\n".encode())
    stream.feed(b"".join([f"data: {json.dumps(row)}\n\n".encode() for row in rows[1:]]))
    assert stream.close().text == "Hi"
    assert [event.data for event in told if event.kind == "unknown"] == [rows[0]]


def test_the_number_of_a_choice_that_its_delta_repeats_does_not_go_back_with_the_message() -> None:
    call = {"index": 0, "id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    stream = module("mistral_chat").stream()
    for row in [
        chunk({"index": 0, "content": "", "tool_calls": [call]}),
        chunk({"index": 0, "content": ""}, "tool_calls"),
    ]:
        stream.feed(row)
    answer = stream.close()
    following = Request("mistral-small-latest", [user("Go.")]).after(
        answer, tool_result(answer.calls[0], "ok")
    )
    sent: Any = module("mistral_chat").build(following).body["messages"]
    function = {"name": "f", "arguments": "{}"}
    assert sent[1] == {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"index": 0, "id": "abcdefghi", "type": "function", "function": function}],
    }


def test_a_number_in_place_of_the_candidates_is_no_raw_error() -> None:
    stream = module("bedrock_titan").stream()
    stream.feed({"results": 9, "other": 1})
    with pytest.raises(StreamError):
        stream.close()


def test_pieces_that_were_not_announced_belong_to_the_element_at_their_place() -> None:
    text: dict[str, Any] = {"type": "output_text", "text": "Cold.", "annotations": []}
    output: list[dict[str, Any]] = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]},
    ]
    data: list[dict[str, Any]] = [
        {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Cold."},
        {"type": "response.completed", "response": {"status": "completed", "output": output}},
    ]
    events, answer = read_stream(
        "openai_responses", [stream_bytes("sse", [(each["type"], each) for each in data])]
    )
    assert [event.text for event in events if event.kind == "text"] == ["Cold."]
    assert not [event for event in events if event.kind in ("problem", "replaced")]
    assert answer.text == "Cold."


INTERACTION: dict[str, Any] = {"id": "i1", "object": "interaction", "status": "in_progress", "model": "m"}
STARTED: dict[str, Any] = {"event_type": "interaction.created", "interaction": INTERACTION}


@pytest.mark.parametrize(
    ("wire", "first", "second"),
    [
        (
            "ollama_generate",
            {"response": "hello"},
            {"response": {"type": None}, "done": True, "done_reason": "stop"},
        ),
        (
            "watsonx_chat",
            {"choices": [{"index": 0, "delta": {"content": "hello"}}]},
            {"choices": [{"index": 0, "delta": {"content": {"type": None}}, "finish_reason": "stop"}]},
        ),
    ],
)
def test_an_object_in_place_of_a_piece_of_text_is_a_problem(
    wire: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    stream = module(wire).stream()
    head = "data: " if wire == "watsonx_chat" else ""
    events = [
        event for row in (first, second) for event in stream.feed(f"{head}{json.dumps(row)}\n\n".encode())
    ]
    assert [event.text for event in events if event.kind == "text"] == ["hello"]
    stream.close()
    (problem,) = [event.text for event in events if event.kind == "problem"]
    assert problem.startswith("events said 'hello', and the answer has ")


def test_an_answer_that_only_began_is_none() -> None:
    stream = module("gemini_interactions").stream()
    stream.feed(stream_bytes("sse", [(None, STARTED), (None, "[DONE]")]))
    with pytest.raises(StreamError, match="the stream ended without an answer"):
        stream.close()


def test_another_answer_behind_the_end_is_told_and_not_read() -> None:
    text = {"type": "text", "text": "Hi"}
    events, answer = read_stream("gemini_interactions", [stream_bytes("sse", [(None, row) for row in [
        STARTED,
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": 0, "delta": text},
        {"event_type": "step.stop", "index": 0},
        {"event_type": "interaction.completed", "interaction": {"id": "i1", "status": "completed"}},
        {**STARTED, "interaction": {**INTERACTION, "id": "i2"}},
    ]])])  # fmt: skip
    assert (answer.id, answer.text, answer.finish) == ("i1", "Hi", "stop")
    assert [event.name for event in events if event.kind == "problem"] == ["start"]


def test_a_call_whose_part_was_reported_and_becomes_another_one_is_a_problem() -> None:
    call = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "xs_1", "name": "x_keyword_search"}
    twice = {**call, "input": '{"query":"Oslo"}{"query":"Oslo"}', "status": "completed"}
    output = [{**call, "input": '{"query":"Oslo"}', "status": "completed"}]
    rows: list[dict[str, Any]] = [
        {"type": "response.output_item.added", "output_index": 0, "item": {**call, "input": ""}},
        {"type": "response.output_item.done", "output_index": 0, "item": twice},
        {"type": "response.completed", "response": {"id": "r1", "status": "completed", "output": output}},
    ]
    events = heard("xai_responses", stream_bytes("sse", [(row["type"], row) for row in rows]))
    assert [event.name for event in events if event.kind == "problem"] == ["call"]


def test_pieces_of_hidden_thinking_are_joined_byte_by_byte() -> None:
    def piece(data: str) -> dict[str, Any]:
        return {"contentBlockIndex": 0, "delta": {"reasoningContent": {"redactedContent": data}}}

    raw = stream_bytes("aws_event_stream", [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", piece("Zmlyc3QtcGFydC0=")),
        ("contentBlockDelta", piece("c2Vjb25k")),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("messageStop", {"stopReason": "end_turn"}),
    ])  # fmt: skip
    events, answer = read_stream("bedrock_converse", [raw])
    assert answer.parts == (Reasoning(redacted="Zmlyc3QtcGFydC1zZWNvbmQ="),)
    assert [event.data.parts for event in events if event.kind == "part"] == [answer.parts]


SECOND: dict[str, list[tuple[str | None, dict[str, Any]]]] = {
    "bedrock_converse": [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hi"}}),
    ],
    "cohere_v1": [
        (None, {"event_type": "stream-start"}),
        (None, {"event_type": "text-generation", "text": "Hi"}),
    ],
}


@pytest.mark.parametrize("wire", SECOND)
def test_a_second_beginning_without_an_id_is_that_of_another_answer(wire: str) -> None:
    framing = "aws_event_stream" if wire == "bedrock_converse" else "ndjson"
    (start, piece), stream = SECOND[wire], module(wire).stream()
    events = stream.feed(stream_bytes(framing, [start, start, piece]))
    assert [event.name for event in events if event.kind == "problem"] == ["start"]
    with pytest.raises(StreamError, match="another answer began in the stream"):
        stream.feed(stream_bytes(framing, [start]))


def test_a_text_that_begins_behind_the_one_that_follows_it_is_a_problem() -> None:
    start = {"type": "conversation.response.started", "conversation_id": "conv_1"}
    pieces = [
        {
            "type": "message.output.delta",
            "id": "m",
            "output_index": place,
            "content_index": 0,
            "content": text,
        }
        for place, text in ((1, "moment."), (0, "One "))
    ]
    rows: list[dict[str, Any]] = [start, *pieces, {"type": "conversation.response.done", "usage": {}}]
    events = heard("mistral_conversations", stream_bytes("sse", [(None, row) for row in rows]))
    assert [event.name for event in events if event.kind == "problem"] == ["text"]
