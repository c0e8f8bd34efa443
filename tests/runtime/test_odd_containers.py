"""Containers without an order, or of another kind than a list, are refused: they would become other words."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from typing import Any

import pytest

from promptwire import (
    Continuation,
    Message,
    Options,
    Reasoning,
    Request,
    Text,
    ToolChoice,
    ToolResult,
    dump_request,
    openai_chat,
    user,
)
from promptwire.errors import InvalidRequest
from promptwire.parts import document_data, image_data

CIRCLE: dict[str, Any] = {}
CIRCLE["again"] = [CIRCLE]
TAKERS: dict[str, Callable[[Any], object]] = {
    "parts": lambda given: Message("user", given),
    "result": lambda given: ToolResult("c", given),
    "messages": lambda given: Request("m", given),
    "tools": lambda given: Request("m", (), tools=given),
    "instructions": lambda given: Request("m", (), instructions=given),
    "stop": lambda given: Options(stop=given),
    "names": lambda given: ToolChoice("several", names=given),
    "summary": lambda given: Reasoning(summary=given),
    "unanswered": lambda given: Continuation(unanswered=given),
}
ODD: list[Any] = [{"a", "b"}, frozenset({"a"}), {"a": 1}, UserDict({"a": 1}), b"ab", bytearray(b"ab")]


@pytest.mark.parametrize("make", TAKERS.values(), ids=TAKERS)
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_a_container_that_is_no_list_is_refused(make: Callable[[Any], object], odd: object) -> None:
    with pytest.raises(InvalidRequest, match=f" are a list, in order, not {type(odd).__name__}$"):
        make(odd)


def test_what_gives_its_members_in_order_is_a_list() -> None:
    parts = (Text(word) for word in ("a", "b"))
    assert Message("user", parts) == user("a", "b")
    assert Options(stop=dict.fromkeys(["x", "y"]).keys()).stop == ("x", "y")


@pytest.mark.parametrize("make", [image_data, document_data])
def test_data_that_is_no_bytes_is_refused(make: Callable[..., object]) -> None:
    with pytest.raises(InvalidRequest, match=r"^data must be bytes or base64 text, not int$"):
        make(5, "image/png")


def test_only_a_request_that_ends_is_dumped() -> None:
    odd: Any = user("hi")
    with pytest.raises(InvalidRequest, match=r"^expected a Request, not Message$"):
        dump_request(odd)
    with pytest.raises(InvalidRequest, match="contains itself"):
        dump_request(Request("m", [user("hi")], vendor={"openai_chat": CIRCLE}))


def test_the_same_request_has_the_same_bytes() -> None:
    request = Request("m", [user("hi")], options=Options(stop=["b", "a"]))
    assert openai_chat.build(request).body["stop"] == ["b", "a"]
