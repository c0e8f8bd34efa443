"""Odd values of callers and servers are errors of ours, with a place; credentials are not repeated."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Event, Request, Tool, openai_chat, user
from promptwire.errors import InvalidRequest, Refused
from promptwire.toolkits import mcp_result
from tests.internals.runtime import toolkits

TOOL = {"name": "f", "description": "d", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    "body", [{1: 2}, {"model": "m", "messages": [{"role": "user", "content": "x", 1: 2}]}, {None: 1}]
)
def test_lint_names_a_key_that_is_not_text(body: Any) -> None:
    (finding,) = openai_chat.check(body)
    assert finding.what == "unreadable"
    assert "which is not text" in finding.reason


@pytest.mark.parametrize("annotations", [[1], "x", 5])
def test_annotations_of_an_mcp_tool_are_an_object(annotations: Any) -> None:
    with pytest.raises(InvalidRequest, match="s: annotations of the tool 'f' are an object, not"):
        toolkits.mcp_toolkit("s", [TOOL | {"annotations": annotations}])


def test_further_pages_of_tools_are_not_ignored() -> None:
    with pytest.raises(InvalidRequest, match="further pages"):
        toolkits.mcp_toolkit("s", {"tools": [TOOL], "nextCursor": "abc"})
    for last in ({"tools": [TOOL]}, {"tools": [TOOL], "nextCursor": None}):
        assert len([*toolkits.mcp_toolkit("s", last).tools]) == 1


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ({"type": "resource", "resource": None}, "resource is NoneType, not an object"),
        ({"type": "resource", "resource": {"uri": 5, "text": "x"}}, "uri is int, not text"),
        ({"type": "resource", "resource": {"uri": "a", "text": 5}}, "text is int, not text"),
        ({"type": "resource", "resource": {"uri": "a", "blob": 5}}, "data is an int"),
        ({"type": "resource", "resource": {"uri": None, "blob": "aGk="}}, "uri is NoneType, not text"),
        ({"type": "resource", "resource": {"uri": "a", "mimeType": 5, "blob": "aGk="}}, "mimeType is int"),
        ({"type": "resource", "resource": {"uri": "a"}}, "without blob"),
        ({"type": "resource_link", "uri": 5}, "uri is int, not text"),
        ({"type": "resource_link", "uri": "a", "name": 5}, "name is int, not text"),
        ({"type": "resource_link", "uri": "a", "description": [1]}, "description is list, not text"),
        ({"type": "text", "text": 5}, "text is an int"),
    ],
)
def test_odd_values_of_an_mcp_result_are_named(block: Any, problem: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        mcp_result("c1", {"content": [{"type": "text", "text": "fine"}, block]})
    assert problem in str(caught.value)
    assert str(caught.value).startswith("content[1]")


def test_a_bad_tool_name_is_that_of_a_tool() -> None:
    tools = [Tool("bad name", "d", {"type": "object"})]
    with pytest.raises(Refused, match='the name "bad name" of a tool is refused') as caught:
        openai_chat.build(Request("gpt-4o", [user("q")], tools=tools))
    assert (caught.value.path, caught.value.field) == ("tools[0]", "tool.name")


def test_arguments_of_clients_do_not_show_credentials() -> None:
    built = openai_chat.build(Request("gpt-4o", [user("q")]), settings={"query": "key=SECRET&trace=1"})
    arguments = built.kwargs_for("openai")
    assert arguments["extra_query"] == {"key": "SECRET", "trace": "1"}
    assert "SECRET" not in repr(arguments)
    assert "'key': '$KEY', 'trace': '1'" in repr(arguments)
    assert repr({**arguments, "extra_query": {}}) == repr(arguments).replace(
        "'key': '$KEY', 'trace': '1'", ""
    )


def test_vendor_values_of_a_stream_must_be_json() -> None:
    cyclic: dict[str, Any] = {}
    cyclic["a"] = cyclic
    for value in (cyclic, object(), float("nan"), b"x"):
        writer = openai_chat.write_stream(policies="lenient")
        event = Event(kind="vendor", data={"openai_chat": {"service_tier": value}})
        with pytest.raises(InvalidRequest, match="service_tier"):
            _ = writer.feed(event) + writer.close()
