"""The text that rules about words search: all text of a request, in order, without the bytes of files."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Document, Image, Instruction, Json, Message, Part, Request, Text, ToolCall, ToolResult
from promptwire.parts import Compaction, ItemReference, Opaque, Refusal
from tests.internals.runtime import all_text

RING: dict[str, Any] = {"word": "JSON"}
RING["again"] = RING


def _with(part: Part) -> Request:
    return Request("m", [Message("user", [part])])


@pytest.mark.parametrize(
    "part",
    [
        Text("as JSON"),
        Refusal("no JSON"),
        Json({"a": [{"JSON": 1}]}),
        Json(RING),
        ToolCall("c1", "f", {"as": "JSON"}),
        ToolResult("c1", [Text("a"), Json(["JSON"])]),
    ],
    ids=lambda part: type(part).__name__,
)
def test_words_are_found_wherever_they_stand(part: Part) -> None:
    assert "JSON" in (all_text(_with(part), instructions=False) or "")


@pytest.mark.parametrize(
    "part",
    [Image(data="JSON", media_type="image/png"), Text("a", signature="JSON"), Json({"a": None, "b": 1.5})],
    ids=["bytes", "a signature", "no text"],
)
def test_what_nobody_reads_is_no_text(part: Part) -> None:
    assert "JSON" not in (all_text(_with(part), instructions=False) or "")


@pytest.mark.parametrize(
    "part",
    [
        Document(file_id="f1", filename="a.JSON"),
        Opaque("some_wire", {}),
        ItemReference("m1"),
        Compaction(text="x"),
    ],
)
def test_what_may_hold_more_leaves_it_open(part: Part) -> None:
    assert all_text(_with(part), instructions=True) is None
    assert all_text(_with(ToolResult("c1", [part])), instructions=True) is None


def test_texts_stand_in_their_order() -> None:
    talk = [Message("user", ["three", Refusal("four")]), Message("assistant", "five")]
    assert (all_text(Request("m", talk, instructions="one\ntwo"), instructions=True) or "").split("\n")[:6] == [
        "one", "two", "three", "four", "five",
    ]  # fmt: skip
    layers = Request("m", talk, instructions=[Instruction("one"), Instruction("two")])
    assert [word for word in (all_text(layers, instructions=True) or "").split("\n") if word in {"one", "two", "three"}] == [
        "one", "two", "three",
    ]  # fmt: skip
