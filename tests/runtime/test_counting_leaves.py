"""How many leaves count as understood, and a request without the values that it remembers."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Instruction,
    Message,
    Options,
    Reading,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolChoice,
    ToolResult,
    openai_chat,
)
from promptwire.parts import ToolGroup
from promptwire.plugins import Form, Kept, Provenance
from tests.internals.runtime import MemoryWords, without_memory

ODD = Form(added={"odd": 1})
TWICE = Form(names={"new": ("new", "old")})
KEPT = Kept("w", ODD)


def counts(body: dict[str, Any], written: Any, request: Request) -> tuple[int, int, int]:
    """Read nothing: count the leaves of a body that a build without memory writes so."""
    words = MemoryWords(frozenset({"known"}), frozenset({"constant"}))
    given: list[Request] = []

    def write(fresh: Request) -> Any:
        given.append(fresh)
        return written

    reading = Reading(
        openai_chat.WIRE, words, body, request, counted=request, write=write, settings={}, notes=()
    )
    result = reading.leaves, reading.understood, reading.kept
    assert given == [without_memory(request)]
    return result


@pytest.mark.parametrize(
    ("body", "written", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, (2, 2, 0)),
        # what a build does not write again is not understood, nor what it writes with another type
        ({"a": 1, "b": 2}, {"a": 1}, (2, 1, 0)),
        ({"a": 1, "b": 1}, {"c": 1}, (2, 1, 0)),
        ({"a": 1, "b": 2}, {"a": True, "b": "2"}, (2, 0, 0)),
        # other signs for the same are understood
        ({"a": 1.0, "b": "-_8"}, {"a": 1, "b": "+/8="}, (2, 2, 0)),
        # words of the wire, and what says nothing, need not come again
        ({"a": "constant", "b": "other"}, {}, (2, 1, 0)),
        ({"a": {}, "b": [], "c": None, "d": ""}, {}, (4, 4, 0)),
    ],
)
def test_what_a_build_without_memory_writes_again_is_understood(
    body: dict[str, Any], written: Any, expected: tuple[int, int, int]
) -> None:
    assert counts(body, written, Request("m")) == expected


def test_what_is_kept_is_not_understood() -> None:
    request = Request("m", kept=KEPT)
    assert counts({"a": 1, "odd": 1}, {"a": 1}, request) == (2, 1, 1)
    assert counts({"odd": 1}, {"a": 1}, request) == (1, 0, 1)


def nodes(kept: Kept | None) -> list[Any]:
    """Every kind of place where a node may remember something."""
    text = Text("t", kept=kept, provenance=Provenance("w"))
    tool = Tool("f", kept=kept)
    return [
        text,
        Message("user", (text, ToolResult("c", (text,), kept=kept)), kept=kept),
        Request(
            "m",
            (Message("user", (text,)),),
            instructions=(Instruction("i", kept=kept),),
            tools=(tool, ToolGroup("g", tools=(tool,), kept=kept)),
            tool_choice=ToolChoice("auto", kept=kept),
            response_format=ResponseFormat("json", kept=kept),
            options=Options(max_tokens=8),
            include=("a",),
            modalities=(),
            kept=kept,
        ),
    ]


# what is remembered -> what is left of it
LEFT: dict[str, tuple[Kept | None, Kept | None]] = {
    "nothing": (None, None),
    "values": (KEPT, None),
    "a shape": (Kept("w", ODD, "text_old"), Kept("w", None, "text_old")),
    "names": (Kept("w", Form(added={"odd": 1}, names={"new": ("new", "old")})), Kept("w", TWICE)),
    "both": (Kept("w", TWICE, "text_old"), Kept("w", TWICE, "text_old")),
}


@pytest.mark.parametrize("case", LEFT)
def test_only_shapes_and_names_are_left_of_a_memory(case: str) -> None:
    before, after = LEFT[case]
    for node, expected in zip(nodes(before), nodes(after), strict=True):
        assert without_memory(node) == expected


@pytest.mark.parametrize("value", ["text", None, 5, Text("t")])
def test_what_remembers_nothing_is_not_copied(value: object) -> None:
    assert without_memory(value) is value
