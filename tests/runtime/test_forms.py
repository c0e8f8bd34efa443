"""The forms that messages note about themselves, and what makes the id or name of a call a usual one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from promptwire import Cache, Image, Json, Message, Text, ToolCall, ToolResult, assistant, tool_result, user
from promptwire.plugins import Provenance
from tests.internals.runtime import is_usual_id, is_usual_name

CALL = ToolCall("call_1", "f", {})
PNG = Image(data="iVBORw0KGgo=", media_type="image/png")
FORMS: list[tuple[Message, str]] = [
    (user("hi"), "text"),
    (assistant("hi"), "text"),
    (Message("system", "be brief"), "worded"),
    (Message("developer", "be brief"), "worded"),
    (user(" "), "worded"),
    (user(Text("hi", cache=Cache())), "worded"),
    (user("hi", name="ann"), ""),
    (user("hi", provenance=Provenance("openai_chat")), "text"),
    (user(Text("hi", provenance=Provenance("openai_chat"))), "text"),
    (user(), "parts"),
    (user("a", "b"), "media"),
    (user("see", PNG), "media"),
    (user(PNG), "media"),
    (user(Image(data="iVBORw0KGgo=", media_type="image/png", detail="low")), "parts"),
    (user(Image(url="https://example.org/a.png")), "parts"),
    (user("see", Json({})), "parts"),
    (assistant(PNG), "parts"),
    (assistant(CALL), "calls"),
    (assistant("now", "then", CALL, CALL), "calls"),
    (assistant(CALL, "so"), "worded"),
    (assistant("a", "b"), "worded"),
    (assistant(ToolCall("call 1", "f", {})), "worded"),
    (assistant(ToolCall(None, "f", {})), "worded"),
    (assistant(ToolCall("call_1", "f", "{}")), "worded"),
    (tool_result("call_1", "sunny"), "result"),
    (tool_result(CALL, "sunny"), "named"),
    (tool_result(CALL, "sunny", is_error=True), "worded"),
    (tool_result(CALL, "sunny", cache=Cache()), "worded"),
    (tool_result(CALL, PNG), "parts"),
    (user(*tool_result(CALL, "sunny").parts), "worded"),
    (tool_result("call_1", ""), "worded"),
    (tool_result("call_1", Json({})), "parts"),
    (Message("tool", (ToolResult("call_1", "a"), ToolResult("call_2", "b"))), "worded"),
    (user(*tool_result("call_1", "sunny").parts), "worded"),
    (Message("tool", "sunny"), "worded"),
]


@pytest.mark.parametrize(("message", "form"), FORMS, ids=[repr(message) for message, _ in FORMS])
def test_the_form_of_a_message(message: Message, form: str) -> None:
    assert message.fast_path == form


def test_a_message_of_what_is_no_part_has_no_form() -> None:
    odd: Any = (5,)
    assert Message("user", odd).fast_path == "parts"


@given(st.text(max_size=70) | st.from_regex(r"[a-zA-Z0-9_-]{0,66}", fullmatch=True))
def test_what_is_usual_matches_the_patterns_that_it_stands_for(text: str) -> None:
    if is_usual_id(text):
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", text)
    assert is_usual_name(text) <= is_usual_id(text)
    if is_usual_name(text):
        assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", text)


@pytest.mark.parametrize("text", ["call_1", "toolu-01", "a", "9", "0f1e-22", "A" * 64])
def test_ids_that_are_usual(text: str) -> None:
    assert is_usual_id(text)


@pytest.mark.parametrize("text", ["", "a b", "é", "a.b", "A" * 65, None, 5])
def test_ids_that_builders_look_at(text: Any) -> None:
    assert not is_usual_id(text)


@pytest.mark.parametrize(
    ("text", "usual"), [("f", True), ("f-g", True), ("_f", True), ("9f", False), ("-f", False)]
)
def test_names_begin_with_a_letter(text: str, usual: bool) -> None:  # one row a case
    assert is_usual_name(text) is usual
