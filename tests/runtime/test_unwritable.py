"""A body that JSON cannot hold: the error names the place inside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest

from promptwire import (
    Answer,
    Event,
    Json,
    Message,
    Request,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.errors import InvalidRequest
from promptwire.results import Candidate

# what the schema of a function says at least
ROOT: dict[str, Any] = {"type": "object"}
ITSELF: dict[str, Any] = {**ROOT}
ITSELF["again"] = [ITSELF]
DEEP: dict[str, Any] = {}
for _ in range(5000):
    DEEP = {"a": DEEP}
PLACE = "tools[1].function.parameters"

ODD: list[tuple[Any, str]] = [
    ({**ROOT, "default": float("nan")}, f"{PLACE}.default: nan is not a JSON number"),
    ({**ROOT, "default": [1, float("-inf")]}, f"{PLACE}.default[1]: -inf is not a JSON number"),
    ({**ROOT, "default": b"a"}, f"{PLACE}.default: bytes is not JSON"),
    ({**ROOT, "odd key": {"a": {1}}}, f"{PLACE}['odd key'].a: set is not JSON"),
    (MappingProxyType({**ROOT, "default": ({}, object())}), f"{PLACE}.default[1]: object is not JSON"),
    ({**ROOT, 1: {"a": b""}}, f"{PLACE}[1].a: bytes is not JSON"),
    ({**ROOT, (1, 2): 3}, f"{PLACE}[...]: a key of the type tuple is not JSON"),
    ({**ROOT, "a": "b\ud800"}, f"{PLACE}.a: the text has half a character ('\\ud800' at 1)"),
    ({**ROOT, "\ud800": 1}, f"{PLACE}['\\ud800']: the text has half a character ('\\ud800' at 0)"),
    (
        {**ROOT, "default": [10**5000]},
        f"{PLACE}.default[0]: the number has more digits than Python agrees to write",
    ),
    (ITSELF, f"{PLACE}.again[0]: it holds itself"),
]


@pytest.mark.parametrize(("schema", "said"), ODD)
def test_the_place_in_the_body_is_named(schema: Mapping[str, Any], said: str) -> None:
    tools = [Tool("plain", "fits", ROOT), Tool("odd", None, schema)]
    built = openai_chat.build(Request("m", [user("hi")], tools=tools))
    with pytest.raises(InvalidRequest) as refused:
        built.json()
    assert str(refused.value) == f"the body cannot be written as JSON: {said}"
    assert refused.value.field == said.partition(": ")[0]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (float("nan"), "a[1]: nan is not a JSON number"),
        (datetime(2026, 1, 1, tzinfo=UTC), "a[1]: datetime is not JSON"),
        ({(1, 2): 3}, "a[1][...]: a key of the type tuple is not JSON"),
        (ITSELF, "a[1].again[0]: it holds itself"),
        (DEEP, "it is nested too deep"),
    ],
    ids=["nan", "datetime", "key", "circle", "deep"],
)
@pytest.mark.parametrize("field", ["vendor", "extra"])
def test_options_of_one_api_are_json_before_anything_is_sent(field: str, value: object, said: str) -> None:
    given: dict[str, Any] = {field: {"openai_chat": {"prediction": {"a": [1, value]}}}}
    request = Request("m", [user("hi")], **given)
    with pytest.raises(InvalidRequest) as refused:
        openai_chat.build(request, policies="lenient")
    assert str(refused.value).startswith(f"openai_chat: {field}.openai_chat.prediction.a[1]")
    assert str(refused.value).endswith(said)
    sent = openai_chat.build(request, policies="verbatim").body["prediction"]
    # what holds itself is copied, and two of them cannot be compared
    assert sent["a"][:1] == [1] if value is ITSELF else sent == {"a": [1, value]}


class Array:
    """A value like an array of numpy: comparisons are arrays again, which are neither true nor false."""

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    __hash__ = None  # type: ignore[assignment]  # arrays have none


@pytest.mark.parametrize(
    ("value", "said"), [(Array(), "Array is not JSON"), (float("nan"), "nan is not a JSON number")]
)
def test_arguments_of_a_call_that_are_no_json_are_named_everywhere(value: object, said: str) -> None:
    call = ToolCall("c1", "f", {"a": [1, value]})
    answer = Answer(candidates=(Candidate(message=Message("assistant", (call,)), finish="tool_calls"),))
    request = Request("m", [user("hi"), assistant(call), tool_result(call, {"b": value})])
    writes: dict[str, Callable[[], object]] = {
        "arguments": lambda: openai_chat.build(request).json(),
        "an answer": lambda: openai_chat.write_answer(answer),
        "a stream": lambda: openai_chat.write_stream().answer(answer),
    }
    for write in writes.values():
        with pytest.raises(InvalidRequest, match=re.escape(f"a[1]: {said}")):
            write()


@pytest.mark.parametrize("value", [Array(), float("nan")], ids=["array", "nan"])
@pytest.mark.parametrize(
    ("wire", "place"), [(openai_chat, "service_tier"), (openai_responses, "response.metadata")]
)
def test_vendor_values_of_a_stream_that_are_no_json_are_named(wire: Any, place: str, value: object) -> None:
    writer = wire.write_stream(policies="lenient")
    writer.feed(Event(kind="text", text="Hi"))
    writer.feed(Event(kind="vendor", data={wire.WIRE.name: {place.rsplit(".", maxsplit=1)[-1]: value}}))
    writer.feed(Event(kind="finish", name="stop"))
    with pytest.raises(InvalidRequest, match=rf"cannot be written as JSON: {re.escape(place)}: "):
        writer.close()


@pytest.mark.parametrize("policies", ["strict", "portable", "lenient"])
def test_a_result_that_is_no_json_is_named_where_it_would_become_text(policies: str) -> None:
    request = Request(
        "m", [user("hi"), assistant(ToolCall("c1", "f", {})), tool_result("c1", {"b": Array()})]
    )
    with pytest.raises(InvalidRequest, match=r"messages\[2\].* b: Array is not JSON"):
        openai_chat.build(request, policies=policies)


@pytest.mark.parametrize("result", [3, 1.5, None, [1, 2]])
def test_a_result_that_is_no_part_says_how_to_give_it(result: Any) -> None:
    with pytest.raises(InvalidRequest, match=r"; write Json\(value\) for another JSON value$"):
        tool_result("c1", result)
    (part,) = tool_result("c1", Json(result)).parts
    assert isinstance(part, ToolResult)
    assert part.parts == (Json(result),)


def test_a_place_too_deep_to_be_told_is_cut() -> None:
    built = openai_chat.build(Request("m", [user("hi")], tools=[Tool("deep", None, {**ROOT, "a": DEEP})]))
    with pytest.raises(
        InvalidRequest, match=r": tools\[0\]\.function\.parameters\.a[.a]+\.\.\.: it is nested too deep$"
    ):
        built.json()


def test_a_body_that_is_json_but_for_the_order_of_its_keys_says_why() -> None:
    schema: dict[Any, Any] = {1: 2, **ROOT}
    built = openai_chat.build(Request("m", [user("hi")], tools=[Tool("f", None, schema)]))
    assert b'{"1":2,"type":"object"}' in built.json()
    with pytest.raises(InvalidRequest, match="the body cannot be written as JSON: '<' not supported"):
        _ = built.digest
