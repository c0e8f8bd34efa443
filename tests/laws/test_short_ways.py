"""The flags of nodes only save time: builds without the fast paths give the same body."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import strategies as st

import promptwire
from promptwire import (
    Cache,
    Image,
    Instruction,
    Json,
    Message,
    Options,
    Provenance,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    tool_result,
    user,
)
from promptwire_runtime.nodes.records import fields, is_node
from tests.laws.fitting import fitting
from tests.laws.strategies import law
from tests.laws.test_purity import result
from tests.strategies import requests

ELSEWHERE = Provenance(api="elsewhere", wire="elsewhere")
PNG = Image(data="iVBORw0KGgo=", media_type="image/png")
USUAL = (
    user("hi"),
    user("see", PNG, "and", PNG),
    user(PNG),
    user(Image(data="iVBORw0KGgo=", media_type="image/tiff"), "see"),
    user(Image(url="https://example.org/a.png"), "see"),
    user(" "),
    user("hi", Text("so", cache=Cache())),
    assistant("well"),
    assistant("now", ToolCall("a", "f", {"x": 1})),
    assistant(ToolCall("a", "f", {}), ToolCall("b-1", "f-g", {})),
    assistant(ToolCall("a", "f", "{}"), "late"),
    assistant(ToolCall("a b", "f", {})),
    assistant(ToolCall("a", "9 f", {})),
    tool_result("a", "1"),
    tool_result("b-1", "2"),
    tool_result("a", Json({"x": 1})),
    Message("tool", (ToolResult("a", "1"), ToolResult("b-1", "2"))),
    Message("tool", (ToolResult("a b", "1"),)),
    Message("tool", (ToolResult("a", ("1",)),), provenance=ELSEWHERE),
    Message("assistant", (ToolCall("a", "f", {}),), provenance=ELSEWHERE),
    Message("system", "be brief"),
    Message("user", "hi", name="ann"),
)
TOOLS = (
    Tool("f", "Does.", {"type": "object"}),
    Tool("f-g", None, {"type": "object"}),
    Tool("g", "Odd.", {"type": "array"}),
    Tool("h", "Bare."),
)


def usual_requests() -> st.SearchStrategy[Request]:
    """Requests of the messages that nearly all conversations have, in any order."""
    return st.builds(
        Request,
        st.sampled_from(("m", "gpt-4o", "claude-sonnet-4-5")),
        st.lists(st.sampled_from(USUAL).map(copy.deepcopy), min_size=1, max_size=6),
        tools=st.none() | st.lists(st.sampled_from(TOOLS), max_size=3, unique_by=lambda tool: tool.name),
        instructions=st.none() | st.just("be brief"),
        options=st.just(Options(max_tokens=8)),
    )


def unnoted(value: Any) -> Any:
    """Return a copy of a node in which no node notes anything."""
    copied = copy.deepcopy(value)
    _forget(copied)
    return copied


def _forget(value: Any) -> None:
    if is_node(value):
        for each in fields(value):
            # plain layers are written as text, which means the same and is another body
            if each.name in ("is_plain", "fast_path") and type(value) is not Instruction:
                object.__setattr__(value, each.name, "" if type(value) is Message else False)
            elif each.name == "given" and type(value) is Request:
                object.__setattr__(value, "given", value.given | {"something else"})
            else:
                _forget(getattr(value, each.name))
    elif isinstance(value, (tuple, list)):
        for one in value:
            _forget(one)


@pytest.mark.parametrize("wire", promptwire.WIRES)
@law(100, dialect=30)
def test_builds_are_the_same_without_what_nodes_note(wire: str, data: st.DataObject) -> None:
    policies = data.draw(st.sampled_from(("strict", "lenient", "verbatim")), "policies")
    request = data.draw(usual_requests() | requests(memory=True) | fitting(wire), "request")
    assert result(wire, unnoted(request), policies) == result(wire, request, policies)


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_each_usual_message_alone_is_written_as_part_by_part(wire: str) -> None:
    for message in USUAL:
        for policies in ("strict", "lenient,orphans=keep"):
            request = Request("m", [message], options=Options(max_tokens=8))
            assert result(wire, unnoted(request), policies) == result(wire, request, policies)
