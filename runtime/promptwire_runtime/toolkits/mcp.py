"""Tools of an MCP server: its list as a toolkit, its results as tool results. Types of its package, or their JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from ..constructors import tool_result
from ..errors import InvalidRequest
from ..model.parts import Audio, CustomToolCall, Document, Image, Json, Part, Text, ToolCall
from ..model.request import Message
from ..model.tools import Tool
from ..wire_json.kinds import is_list, is_mapping
from .kits import MCP, Member, Toolkit, Words

# calls one tool of the server: name and arguments in, the result of `tools/call` out
Caller: TypeAlias = "Callable[[str, dict[str, Any]], Any | Awaitable[Any]]"


def mcp_toolkit(
    server: str,
    listed: Any,
    *,
    description: Words = None,
    instructions: str | None = None,
    prefix: str = "",
    call: Caller | None = None,
) -> Toolkit:
    """Build the toolkit of one MCP server.

    What a server says of itself is another's words in your instructions: they are taken only where you give them here.
    Output schemas of its tools are not sent, because few APIs have a place for them.

    Args:
        server: the name of the toolkit, which `mcp_server_instructions` knows it by.
        listed: what `tools/list` gave: its result, its tools, or the JSON of either.
        description: what the server is for; its name where nothing else is said.
        instructions: what is said in the instructions while it is in use, such as `instructions` of its `initialize`.
        prefix: stands before the names of its tools, so that those of two servers differ.
        call: calls a tool, by the name that the server knows: `client.call_tool`.
    """
    rows = _json(listed)
    if is_mapping(rows):
        if rows.get("nextCursor"):
            why = "tools/list has further pages (nextCursor): list them all, and pass the tools of all pages"
            raise InvalidRequest(f"{server}: {why}", field="listed")
        rows = rows.get("tools")
    if not is_list(rows) or not all(is_mapping(row) and isinstance(row.get("name"), str) for row in rows):
        raise InvalidRequest(f"{server}: tools/list gives tools, each of which has a name", field="listed")
    members = [_member(row, prefix, call, server) for row in rows]
    return Toolkit(server, description or f"Tools of {server}", members, system_prompt=instructions, kind=MCP)


def _member(row: Mapping[str, Any], prefix: str, call: Caller | None, server: str) -> Member:
    annotations: Any = row.get("annotations") or {}
    if not is_mapping(annotations):
        kind = type(annotations).__name__
        why = f"annotations of the tool {row['name']!r} are an object, not {kind}"
        raise InvalidRequest(f"{server}: {why}", field="listed")
    tool = Tool(
        prefix + row["name"],
        row.get("description") or row.get("title") or annotations.get("title"),
        row.get("inputSchema") or {"type": "object", "properties": {}},
    )
    function = None if call is None else partial(_call, call, row["name"])
    return Member(tool, function, annotations.get("destructiveHint") is True, annotations=annotations)


def _call(call: Caller, name: str, /, **arguments: Any) -> Any:
    return call(name, arguments)


# ---- results


def is_mcp_result(value: Any, function: Any = None) -> bool:
    """Return whether a value is what `tools/call` gives: an object of the official package, or JSON of a server."""
    if is_mapping(value):
        return isinstance(function, partial) and function.func is _call and is_list(value.get("content"))
    return hasattr(value, "model_dump") and hasattr(value, "content") and hasattr(value, "is_error")


def mcp_result(call: str | ToolCall | CustomToolCall | None, result: Any) -> Message:
    """Build the message that answers a call from the result of `tools/call`, or from its JSON.

    Texts, pictures, sounds and resources become parts; where there is only structured content, that does. A result that
    is an error says so in words. Raises InvalidRequest for content of a kind that is not known.
    """
    data = _json(result)
    if not is_mapping(data) or not is_list(data.get("content", [])):
        raise InvalidRequest("tools/call gives an object with content", field="content")
    parts = [_part(block, index) for index, block in enumerate(data.get("content", []))]
    if not parts and data.get("structuredContent") is not None:
        parts = [Json(data["structuredContent"])]
    # most APIs have words alone to say it with
    return tool_result(call, [Text("The tool failed."), *parts] if data.get("isError") else parts)


def _part(block: Any, index: int) -> Part:
    kind = block.get("type") if is_mapping(block) else None
    make = _PARTS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise InvalidRequest(f"content[{index}] is {kind!r}, which is not known", field="content")
    try:
        return make(block)
    except KeyError as missing:
        raise InvalidRequest(
            f"content[{index}] is of the type {kind}, without {missing.args[0]}", field="content"
        ) from None
    except InvalidRequest as error:
        raise InvalidRequest(f"content[{index}]: {error}", field="content") from None


def _word(block: Mapping[str, Any], key: str) -> str:
    """Return the text under a key. Raises KeyError if it is missing, InvalidRequest if it is not text."""
    value = block[key]
    if not isinstance(value, str):
        raise InvalidRequest(f"{key} is {type(value).__name__}, not text")
    return value


def _link(block: Mapping[str, Any]) -> Part:
    names = ["title" if block.get("title") else "name", "description"]
    said = [_word(block, name) for name in names if block.get(name)]
    return Text(" ".join([_word(block, "uri"), *[f"({text})" for text in said]]))


def _resource(resource: Any) -> Part:
    """Convert an embedded resource: text becomes text under its URI, anything else an image or a document."""
    if not is_mapping(resource):
        raise InvalidRequest(f"resource is {type(resource).__name__}, not an object")
    kind = _word(resource, "mimeType") if resource.get("mimeType") else ""
    if "text" in resource:
        return Text(f"{_word(resource, 'uri')}\n{_word(resource, 'text')}")
    if kind.startswith("image/"):
        return Image(data=resource["blob"], media_type=kind)
    uri = _word(resource, "uri")
    name = uri.rpartition("/")[2] or uri
    return Document(data=resource["blob"], media_type=kind or "application/octet-stream", filename=name)


_PARTS: Mapping[str, Callable[[Mapping[str, Any]], Part]] = {
    "text": lambda block: Text(block["text"]),
    "image": lambda block: Image(data=block["data"], media_type=block["mimeType"]),
    "audio": lambda block: Audio(data=block["data"], media_type=block["mimeType"]),
    "resource_link": _link,
    "resource": lambda block: _resource(block["resource"]),
}


def _json(value: Any) -> Any:
    """Return the JSON of a value of the official package; JSON is returned unchanged."""
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    return [_json(item) for item in value] if is_list(value) else value
