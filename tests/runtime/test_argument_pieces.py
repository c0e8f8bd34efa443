"""Gemini's `partialArgs`: arguments that come as JSON paths with values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import Request, gemini_generate, tool_result, user
from promptwire.errors import AnswerError, StreamError
from tests.internals.runtime import JsonPieces


def event(*parts: dict[str, Any], finish: str | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return b"data: " + json.dumps({"candidates": [candidate]}).encode() + b"\n\n"


def call(*pieces: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"functionCall": {**({"partialArgs": list(pieces)} if pieces else {}), **more}}


def text(path: str, value: str) -> dict[str, Any]:
    return {"jsonPath": path, "stringValue": value}


OPEN = call(name="order", willContinue=True)
CITY = call(text("$.city", "Oslo"), willContinue=True)


def answer_of(*events: bytes) -> Any:
    stream = gemini_generate.stream()
    told = [one for chunk in events for one in stream.feed(chunk)] + stream.rest()
    answer = stream.close()
    assert not answer.unread
    # what the events told is what the answer holds
    places = {one.place for one in told if one.kind == "arguments"}
    pieces = [one for one in told if one.kind == "arguments"]
    texts = ["".join([one.text for one in pieces if one.place == place]) for place in sorted(places)]
    assert [json.loads(made) for made in texts] == [made.parsed_arguments for made in answer.calls]
    return answer


@pytest.mark.parametrize(
    ("rest", "arguments"),
    [
        pytest.param(
            [event(CITY), event(call(), finish="STOP")], {"city": "Oslo"}, id="an empty call ends it"
        ),
        pytest.param(
            [event(call(text("$.city", "Oslo")), finish="STOP")], {"city": "Oslo"}, id="the last piece"
        ),
        pytest.param([event(CITY), event(finish="STOP")], {"city": "Oslo"}, id="the finish reason ends it"),
        pytest.param(
            [event(call(args={}, willContinue=True)), event(CITY), event(call(args={}), finish="STOP")],
            {"city": "Oslo"},
            id="empty arguments beside the pieces",
        ),
        pytest.param(
            [
                event({**CITY, "functionCall": {**CITY["functionCall"], "name": "order"}}),
                event(finish="STOP"),
            ],
            {"city": "Oslo"},
            id="the name comes again",
        ),
        pytest.param(
            [event(CITY), event(call(willContinue=False)), event(call(), finish="STOP")],
            {"city": "Oslo"},
            id="two marks of the end",
        ),
        pytest.param(
            [event(CITY, {"text": "!"}, finish="STOP")], {"city": "Oslo"}, id="another part ends it"
        ),
        pytest.param(
            [event(call(args={"city": "Oslo"}), finish="STOP")],
            {"city": "Oslo"},
            id="the whole arguments follow",
        ),
        pytest.param(
            [event(CITY), event(call(args={"city": "Oslo"}), finish="STOP")],
            {"city": "Oslo"},
            id="they repeat",
        ),
        pytest.param(
            [
                event(call(text("$['a b'].c", "x"), text('$["d.e"][0]', "y\n"), willContinue=True)),
                event(call({"jsonPath": "$.n", "nullValue": None}, {"jsonPath": "$.f", "numberValue": 2.0})),
                event(finish="STOP"),
            ],
            {"a b": {"c": "x"}, "d.e": ["y\n"], "n": None, "f": 2},
            id="quoted keys, null, a whole number that a client made a float",
        ),
        pytest.param(
            [event(call(text("$.rows[2][1].a", "x"), text("$.rows[3]", "")), finish="STOP")],
            {"rows": [None, None, [None, {"a": "x"}], ""]},
            id="missing elements are null",
        ),
        pytest.param(
            [
                event(call(text("$.a.x", "1"), text("$.b.x", "2"), willContinue=True)),
                event(call(text("$.c[0].x", "3"), text("$.c[1].x", "4")), finish="STOP"),
            ],
            {"a": {"x": "1"}, "b": {"x": "2"}, "c": [{"x": "3"}, {"x": "4"}]},
            id="one key in several objects",
        ),
    ],
)
def test_arguments_come_whole(rest: list[bytes], arguments: dict[str, Any]) -> None:
    answer = answer_of(event(OPEN), *rest)
    assert [made.arguments for made in answer.calls] == [arguments]
    assert answer.finish == "tool_calls"


def test_another_name_begins_another_call() -> None:
    pay = call(text("$.sum", "1"), name="pay", id="c2")
    answer = answer_of(event({**OPEN, "thoughtSignature": "CikB"}), event(CITY), event(pay, finish="STOP"))
    assert [(made.name, made.arguments) for made in answer.calls] == [
        ("order", {"city": "Oslo"}),
        ("pay", {"sum": "1"}),
    ]
    assert answer.calls[0].signature == "CikB"


def test_a_cut_call_keeps_its_text_and_is_no_object() -> None:
    for pieces in ([], [event(CITY)]):
        answer = gemini_stream_of(event(OPEN), *pieces, event(finish="MAX_TOKENS"))
        assert answer.finish == "length"
        (made,) = answer.calls
        assert isinstance(made.arguments, str)
        with pytest.raises(AnswerError):
            _ = made.parsed_arguments
        following = Request("gemini-2.5-flash", [user("hi")]).after(answer, tool_result(made, "cut off"))
        body: Any = gemini_generate.build(following).body
        part = body["contents"][1]["parts"][0]
        assert part["functionCall"]["args"] == ({"arguments": made.arguments} if made.arguments else {})


def gemini_stream_of(*events: bytes) -> Any:
    stream = gemini_generate.stream()
    for chunk in events:
        stream.feed(chunk)
    return stream.close()


@pytest.mark.parametrize(
    ("pieces", "problem"),
    [
        ([text("$.a.b", "x"), text("$.c", "y"), text("$.a.d", "z")], r"at \$\.a\.d does not follow"),
        ([text("$.a", "x"), text("$.a.b", "y")], r"at \$\.a\.b does not follow"),
        ([text("$.a[0]", "x"), text("$.a.b", "y")], r"at \$\.a\.b does not follow"),
        ([text("$.a[1]", "x"), text("$.a[0]", "y")], r"at \$\.a\[0\] does not follow"),
        ([text("$.a[999999999]", "x")], "does not follow"),
        ([{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a", "numberValue": 2}], "does not follow"),
        ([text("$", "x")], "a path that is not understood"),
        ([text("$[0]", "x")], "a path that is not understood"),
        ([text("$.a[*]", "x")], "a path that is not understood"),
        ([{"stringValue": "x"}], "has no path"),
        (["x"], "has no path"),
        ([{"jsonPath": "$.a", "structValue": {}}], "an unknown value: structValue"),
    ],
)
def test_pieces_that_make_no_object_are_an_error(pieces: list[Any], problem: str) -> None:
    with pytest.raises(StreamError, match=problem):
        gemini_stream_of(event(OPEN), event(call(*pieces), finish="STOP"))


def test_whole_arguments_that_differ_from_the_pieces_are_an_error() -> None:
    with pytest.raises(StreamError, match="differ from the pieces"):
        gemini_stream_of(event(OPEN), event(CITY), event(call(args={"city": "Rome"}), finish="STOP"))


def test_numbers_and_text_that_follows_a_number_at_its_path() -> None:
    pieces = JsonPieces()
    for path, value in (("$.half", 2.5), ("$.large", 2.0**60), ("$.whole", 3.0), ("$.no", False)):
        pieces.add(path, value)
    with pytest.raises(AnswerError, match="does not follow"):
        pieces.add("$.no", "text")
    pieces.add("$.end", "a")
    pieces.add("$.end", "b")
    assert pieces.is_open
    pieces.close()
    assert not pieces.is_open
    assert "".join(pieces) == '{"half":2.5,"large":1.152921504606847e+18,"whole":3,"no":false,"end":"ab"}'


def test_text_that_is_closed_is_closed_once() -> None:
    pieces = JsonPieces()
    pieces.add("$.a", "x")
    pieces.add("$.b", 1)
    pieces.add("$.c", "y")
    assert pieces.close() == '"}'
    whole = JsonPieces()
    assert whole.complete({"a": "é"}) == '"a": "é"}'
    assert not whole.is_open


def test_a_piece_without_a_value_adds_nothing() -> None:
    pieces = JsonPieces()
    pieces.add("$.a", "x")
    pieces.add("city", "y")
    pieces.close()
    assert json.loads("".join(pieces)) == {"a": "x", "city": "y"}
    begun = {"jsonPath": "$.city", "willContinue": True}
    answer = answer_of(event(OPEN), event(call(begun, willContinue=True)), event(CITY, finish="STOP"))
    assert answer.calls[0].arguments == {"city": "Oslo"}


def test_whole_arguments_beside_pieces_stay_as_they_came() -> None:
    part = call(text("$.city", "Oslo"), name="order", args={"city": "Oslo"}, willContinue=False)
    answer = answer_of(event(part, finish="STOP"))
    assert answer.calls[0].arguments == {"city": "Oslo"}
    assert gemini_generate.write_answer(answer)["candidates"][0]["content"]["parts"] == [part]


def test_a_prompt_that_was_blocked_has_no_calls_to_close() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "m"}
    stream = gemini_generate.stream()
    events = stream.feed(b"data: " + json.dumps(blocked).encode() + b"\n\n")
    assert [one.name for one in events if one.kind == "finish"] == ["filtered"]
    assert stream.close().finish == "filtered"


def test_an_id_that_comes_with_a_later_piece_is_that_of_the_open_call() -> None:
    answer = answer_of(
        event(OPEN),
        event(call(text("$.city", "Oslo"), id="c1", willContinue=True)),
        event(call(), finish="STOP"),
    )
    assert [(made.id, made.name, made.arguments) for made in answer.calls] == [
        ("c1", "order", {"city": "Oslo"})
    ]


def test_a_long_piece_without_a_path_is_cut_in_the_error() -> None:
    piece = {"stringValue": "x" * 300}
    with pytest.raises(StreamError) as raised:
        gemini_stream_of(event(OPEN), event(call(piece, willContinue=True)))
    assert str(raised.value).endswith(f"no path: {str(piece)[:200]}")
