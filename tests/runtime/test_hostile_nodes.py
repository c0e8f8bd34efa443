"""Nodes with values that Python cannot print, compare or write: a result or an error of ours, never a raw one."""

from __future__ import annotations

import contextlib
import importlib
from functools import cache
from itertools import cycle
from typing import Any

import pytest

import promptwire
from promptwire import (
    Continuation,
    Document,
    Json,
    Message,
    Options,
    Part,
    PromptwireError,
    Request,
    Text,
    Tool,
    ToolCall,
    dump_request,
    user,
)
from promptwire.errors import InvalidRequest
from promptwire.parts import ToolGroup
from tests.searching import TESTED_WIRES

HUGE = 10**5000


def deep() -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(100_000):
        value = {"a": value}
    return value


def test_a_part_of_no_kind_is_not_written() -> None:
    with pytest.raises(InvalidRequest, match=r"Part is not a concrete part; use a class such as Text"):
        dump_request(Request("m", [Message("user", (Part(),))]))


def test_a_number_of_too_many_digits_is_shown_by_its_class() -> None:
    assert repr(Options(seed=HUGE)) == "Options(seed=<int: a number of too many digits>)"
    assert repr(Json({"a": HUGE})) == "Json(value=<dict: a number of too many digits>)"
    with pytest.raises(InvalidRequest, match="n is <int: a number of too many digits>: no API takes less"):
        Options(n=-HUGE)
    with pytest.raises(InvalidRequest, match="not <int: a number of too many digits>"):
        Continuation(start=-HUGE)


@pytest.mark.parametrize("speed", [HUGE, {"a": HUGE}, [{"a": HUGE}]], ids=["number", "object", "list"])
def test_a_number_of_too_many_digits_is_no_word_of_a_rule(speed: Any) -> None:
    wire = promptwire.anthropic_messages
    body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}], "speed": speed}
    assert wire.build(wire.read(body).request, policies="verbatim").body == body


@pytest.mark.slow
def test_what_is_nested_too_deep_is_shown_by_its_class() -> None:
    call = ToolCall("c", "f", deep())
    assert "arguments=<dict: nested too deep>" in repr(call)
    assert "<dict: nested too deep>" in repr(Text("t", vendor={"w": deep()}))


def test_what_is_nested_too_deep_is_not_compared() -> None:
    with pytest.raises(InvalidRequest, match="Json: a value is nested too deep to be compared"):
        assert Json(deep()) == Json(deep())


def nested_document(levels: int) -> Document:
    document = Document(parts=(Text("x"),))
    for _ in range(levels):
        document = Document(parts=(document,))
    return document


@cache
def nested_too_deep() -> tuple[Request, Request]:
    """Return requests with a document and with a group of tools inside 3,000 others."""
    return (
        Request("m", user(nested_document(3000))),
        Request("m", user("hi"), tools=[nested_group(3000)]),
    )


def nested_group(levels: int) -> ToolGroup:
    group = ToolGroup("group", tools=[Tool("inner")])
    for _ in range(levels):
        group = ToolGroup("group", tools=[group])
    return group


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wire", "policies"), zip(TESTED_WIRES, cycle(["strict", "lenient", "verbatim"]), strict=False)
)
def test_parts_and_tools_that_are_nested_too_deeply_are_an_error_of_ours(wire: str, policies: str) -> None:
    build = importlib.import_module(f"promptwire.{wire}").build
    for request in nested_too_deep():
        # some policies and wires leave the node out; whatever is raised is ours
        with contextlib.suppress(PromptwireError):
            build(request, policies=policies)
