"""A real MCP server over stdio: its tools as a toolkit, its results as tool results, on three wires."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from promptwire import (
    Answer,
    Options,
    Request,
    ToolCall,
    anthropic_messages,
    assistant,
    dump_request,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.errors import ContextError, InvalidRequest
from promptwire.results import Candidate
from promptwire.toolkits import CollapsingConfig, Member, Session, Toolkit, Toolkits, mcp_result, mcp_toolkit

SERVER = StdioServerParameters(command=sys.executable, args=[str(Path(__file__).with_name("mcp_disk.py"))])
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_file", {"path": "/a"}),
    ("erase", {"path": "/a"}),
    ("picture", {"name": "Oslo"}),
    ("look", {"path": "/a"}),
    ("size", {"path": "/a"}),
    ("size", {}),
)
SAID = [
    {"content": "the text of /a"},
    {"content": ["The tool failed.", "Error executing tool erase: /a is locked"]},
    {"content": ["This is Oslo:", {"image": {"data": "iVBORw==", "media_type": "image/png"}}]},
    {
        "content": [
            "file:///a\ntwo lines",
            {"document": {"data": "JVBERg==", "media_type": "application/pdf", "filename": "a.pdf"}},
        ]
    },
    {"content": '{\n  "bytes": 2\n}'},
]


def allow(_: ToolCall) -> bool:
    return True


async def talk() -> Session:
    """One answer calls the server's toolkit, the next its tools, which the session runs."""
    async with Client(SERVER) as client:
        listed = await client.list_tools()
        disk = mcp_toolkit(
            "disk", listed, instructions=client.instructions, prefix="disk_", call=client.call_tool
        )
        # the same list as JSON
        data = listed.model_dump(by_alias=True, mode="json")
        again = mcp_toolkit("disk", data, prefix="disk_")
        assert [member.tool for member in members(again)] == [member.tool for member in members(disk)]
        kits = Toolkits([disk], CollapsingConfig(prompt_lifetime="session"))
        session = Session(
            kits, Request("gpt-4o", user("What is on the disk?"), options=Options(max_tokens=9))
        )
        session = session.after(calling(ToolCall("c", "disk")))
        answer = calling(*[ToolCall(f"c{n}", f"disk_{name}", given) for n, (name, given) in enumerate(CALLS)])
        with pytest.raises(ContextError, match="is asynchronous; await run_async"):
            session.run(session.calls(answer)[0], approve=allow)
        results = [await session.run_async(call, approve=allow) for call in session.calls(answer)]
        return session.after(answer, *results)


def members(toolkit: Toolkit) -> list[Member]:
    return [entry for entry in toolkit.entries if isinstance(entry, Member)]


def calling(*calls: ToolCall) -> Answer:
    return Answer(candidates=(Candidate(message=assistant(*calls), finish="tool_calls"),))


@pytest.fixture(scope="module")
def session() -> Session:
    return asyncio.run(talk())


@pytest.mark.slow
def test_its_list_becomes_a_toolkit(session: Session) -> None:
    names = [tool.name for tool in session.request.tools or () if hasattr(tool, "name")]
    assert names == ["disk_read_file", "disk_erase", "disk_picture", "disk_look", "disk_size"]
    tool = session.toolkits.members["disk_read_file"].member.tool
    assert tool.description == "Read a file."
    assert dump_request(Request(tools=[tool]))["tools"][0]["parameters"]["required"] == ["path"]
    permissions = {name: row.member.permission for name, row in session.toolkits.members.items()}
    assert [name for name, asked in permissions.items() if asked] == ["disk_erase"]
    assert session.toolkits.members["disk_erase"].member.annotations["title"] == "Erase a file"
    assert session.request.instructions == "Paths are absolute."


def test_its_results_become_tool_results(session: Session) -> None:
    results = [message["tool"]["tool_result"] for message in dump_request(session.bare)["messages"][4:]]
    said = [{key: value for key, value in row.items() if key not in ("call_id", "name")} for row in results]
    assert said[:5] == SAID
    # the server's own word for an argument that is missing
    assert said[5]["content"][0] == "The tool failed."
    assert "path" in said[5]["content"][1]


@pytest.mark.parametrize("wire", [openai_chat, openai_responses, anthropic_messages])
def test_they_are_built_on_three_wires(wire: Any, session: Session) -> None:
    built = wire.build(session.request, policies="lenient")
    text = built.json().decode()
    for word in ("two lines", "/a is locked", "the text of /a"):
        assert word in text, word
    # a picture is there: in the result, or in the message after it, with a note
    assert "iVBORw==" in text
    assert any(note.action == "moved" for note in built.notes) == (wire is openai_chat)


def test_links_sounds_and_structured_content_alone() -> None:
    blocks = [
        {"type": "resource_link", "uri": "file:///b", "name": "b", "description": "a list"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {
            "type": "resource",
            "resource": {"uri": "file:///c.png", "mimeType": "image/png", "blob": "iVBORw=="},
        },
    ]
    message = dump_request(Request(messages=mcp_result("c", {"content": blocks})))["messages"][0]
    assert message["tool"]["tool_result"]["content"] == [
        "file:///b (b) (a list)",
        {"audio": {"data": "UklGRg==", "media_type": "audio/wav"}},
        {"image": {"data": "iVBORw==", "media_type": "image/png"}},
    ]
    alone = mcp_result("c", {"content": [], "structuredContent": {"bytes": 2}})
    assert dump_request(Request(messages=alone))["messages"][0]["tool"]["tool_result"] == {
        "call_id": "c",
        "content": {"json": {"value": {"bytes": 2}}},
    }


@pytest.mark.parametrize(
    ("given", "trouble"),
    [
        ({"content": [{"type": "hologram"}]}, "content\\[0\\] is 'hologram', which is not known"),
        (
            {"content": [{"type": "image", "data": "x"}]},
            "content\\[0\\] is of the type image, without mimeType",
        ),
        ({"content": "text"}, "tools/call gives an object with content"),
        ([], "tools/call gives an object with content"),
    ],
)
def test_what_no_server_gives_is_an_error(given: Any, trouble: str) -> None:
    with pytest.raises(InvalidRequest, match=trouble):
        mcp_result("c", given)


@pytest.mark.parametrize("given", [{}, {"tools": [{}]}, [{"name": 1}], "tools", None])
def test_a_list_that_is_none_is_an_error(given: Any) -> None:
    with pytest.raises(InvalidRequest, match="disk: tools/list gives tools, each of which has a name"):
        mcp_toolkit("disk", given)


@pytest.mark.parametrize("later", [False, True])
def test_the_json_of_a_result_becomes_parts_as_the_types_of_the_package_do(later: bool) -> None:
    said = {
        "content": [{"type": "text", "text": "a"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]
    }

    def call(name: str, _arguments: dict[str, Any]) -> Any:
        result = {**said, "isError": True} if name == "fails" else said
        return asyncio.sleep(0, result) if later else result

    listed = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("looks", "fails")]}
    kits = Toolkits([mcp_toolkit("eyes", listed, description="Eyes", call=call)])
    running = Session(kits, Request("m", [user("Look.")]))
    looks, fails = [asyncio.run(running.run_async(ToolCall("c1", name, {}))) for name in ("looks", "fails")]
    words: Any = mcp_result("c1", said).parts[0]
    assert len(words.parts) == 2
    result: Any = looks.parts[0]
    assert result.parts == words.parts
    result, words = fails.parts[0], mcp_result("c1", {**said, "isError": True}).parts[0]
    assert result.parts == words.parts
