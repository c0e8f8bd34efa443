"""What a node may hold and Python cannot show, compare or write: a result or an error of ours, never a raw one."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import InvalidRequest, Json, Message, Options, Part, Request, Text, ToolCall
from promptwire_runtime import Continuation, dump_request

HUGE = 10**5000


def deep() -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(100_000):
        value = {"a": value}
    return value


def test_a_part_of_no_kind_is_not_written() -> None:
    with pytest.raises(InvalidRequest, match=r"Part is no kind of part: say what it is, such as Text"):
        dump_request(Request("m", [Message("user", (Part(),))]))


def test_a_number_of_too_many_digits_is_shown_by_its_class() -> None:
    assert repr(Options(seed=HUGE)) == "Options(seed=<int: a number of too many digits>)"
    assert repr(Json({"a": HUGE})) == "Json(value=<dict: a number of too many digits>)"
    with pytest.raises(InvalidRequest, match="n is <int: a number of too many digits>: no API takes less"):
        Options(n=-HUGE)
    with pytest.raises(InvalidRequest, match="not <int: a number of too many digits>"):
        Continuation(start=-HUGE)


def test_what_is_nested_too_deep_is_shown_by_its_class() -> None:
    call = ToolCall("c", "f", deep())
    assert "arguments=<dict: nested too deep>" in repr(call)
    assert "<dict: nested too deep>" in repr(Text("t", vendor={"w": deep()}))


def test_what_is_nested_too_deep_is_not_compared() -> None:
    with pytest.raises(InvalidRequest, match="Json: a value is nested too deep to be compared"):
        assert Json(deep()) == Json(deep())
