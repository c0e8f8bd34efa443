"""The complete example of a plugin with a configuration, and MCP servers that are absent or named like their tools."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from promptwire import Request, ToolCall, openai_chat, user
from promptwire.errors import InvalidRequest
from promptwire.toolkits import (
    CollapsingConfig,
    Session,
    Toolkit,
    Toolkits,
    attribute,
    mcp_toolkit,
    tool,
    toolkit,
)

CONFIG = CollapsingConfig(
    enabled=True,
    max_function_names_in_description=5,
    persist_system_prompt_injections=False,
    skill_instruction_mode="prompt_only",
    description_prefix="name",
    mcp_server_instructions={"filesystem": "Use absolute paths. Confirm before delete."},
)


@toolkit(
    "Database operations for querying and modifying data",
    name="DatabasePlugin",
    function_result=attribute("get_database_info"),
    system_prompt="CRITICAL: Use transactions for multi-step operations. Never DELETE without WHERE.",
)
class DatabasePlugin:
    def get_database_info(self) -> str:
        return "Connected to: prod-db. Tables: users, orders, products"

    @tool("Execute a SELECT query", name="Query")
    async def query(self, sql: str) -> str:
        return sql

    @tool("Insert a new record", name="Insert")
    async def insert(self, table: str, json: str) -> str:
        return f"{table} {json}"

    @tool("Update existing records", name="Update", permission=True)
    async def update(self, table: str, where: str, json: str) -> str:
        return f"{table} {where} {json}"

    @tool("Delete records (requires WHERE clause)", name="Delete", permission=True)
    async def delete(self, table: str, where: str) -> str:
        return f"{table} {where}"


def shown(session: Session) -> list[str]:
    return [getattr(one, "name", "") for one in session.request.tools or ()]


def test_the_complete_example_is_taken_as_it_is_printed() -> None:
    kits = Toolkits([DatabasePlugin], CONFIG)
    session = Session(kits, Request("gpt-4", [user("Hi")], instructions="You help."), wire=openai_chat)
    (container,) = session.request.tools or ()
    assert getattr(container, "description", None) == "DatabasePlugin (Query, Insert, Update, Delete, ...)"
    assert [str(note) for note in session.notes[1:]] == [
        "ignored mcp_server_instructions.filesystem: no MCP server has this name: known are none"
    ]
    expanded = session.expand("DatabasePlugin")
    assert shown(expanded) == ["Query", "Insert", "Update", "Delete"]
    assert "CRITICAL: Use transactions" in str(expanded.request.instructions)


def test_an_absent_server_may_be_an_error() -> None:
    config = CollapsingConfig(mcp_server_instructions={"filesytem": "Absolute."}, absent_servers="error")
    files = mcp_toolkit("filesystem", {"tools": [{"name": "read"}]})
    with pytest.raises(InvalidRequest, match='no MCP server is named "filesytem": did you mean "filesystem"'):
        Toolkits([files], config)
    (note,) = Toolkits([files], CollapsingConfig(mcp_server_instructions={"filesytem": "A."})).notes
    assert note.field == "filesytem" and 'did you mean "filesystem"?' in note.why


def server(name: str, *tools: str, called: list[Any] | None = None) -> Toolkit:
    async def call(tool_name: str, given: dict[str, Any]) -> Any:
        (called if called is not None else []).append((name, tool_name))
        return {"content": [{"type": "text", "text": "done"}]}

    return mcp_toolkit(name, {"tools": [{"name": one} for one in tools]}, call=call)


def test_a_tool_that_is_named_like_its_server_has_the_server_before_it() -> None:
    called: list[Any] = []
    kits = Toolkits([server("fetch", "fetch", "head", called=called)])
    session = Session(kits, Request("gpt-4", [user("Hi")]))
    assert shown(session) == ["fetch"] and shown(session.expand("fetch")) == ["fetch_fetch", "head"]
    assert str(session.notes[1]) == "replaced tools.fetch.name: fetch_fetch: another tool has its name"
    asyncio.run(session.run_async(ToolCall("c", "fetch_fetch", {})))
    # the server knows its own name
    assert called == [("fetch", "fetch")]


def test_tools_of_two_servers_are_told_apart() -> None:
    def search() -> str:
        """Search here."""
        return "here"

    kits = Toolkits(
        [server("web", "search", "open"), server("mail", "search"), Toolkit("Own", "Own", [search])]
    )
    assert list(kits.members) == ["web_search", "open", "mail_search", "search"]


def test_other_names_that_two_have_stay_an_error() -> None:
    def web() -> str:
        """The web."""
        return ""

    with pytest.raises(InvalidRequest, match='"web" is the toolkit at'):
        Toolkits([server("web", "open"), Toolkit("Own", "Own", [web])])
