"""Answers with the caller's names of tools, and files that the caller's function fetches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import (
    CustomTool,
    Document,
    Image,
    Message,
    Request,
    Tool,
    ToolCall,
    ToolResult,
    mistral_chat,
    openai_chat,
    user,
)
from promptwire.errors import InvalidRequest
from promptwire.parts import CustomToolCall

READ = Tool("files.read", "Reads a file.", {"type": "object"})
PATCH = CustomTool("patch", "Patches a file.")


def chat(name: str, arguments: str) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def test_an_answer_has_the_names_of_the_caller() -> None:
    built: Any = openai_chat.build(Request("m", user("Go"), tools=[READ]), policies="portable")
    sent = built.body["tools"][0]["function"]["name"]
    assert built.caller_names == {sent: "files.read"}
    answer = openai_chat.read_answer(chat(sent, "{}"))
    assert [call.name for call in built.restored(answer).calls] == ["files.read"]
    assert built.restored(answer.message).parts[0].name == "files.read"
    # a name that was not sent, and an answer to a build without repairs, stay as they are
    other = openai_chat.read_answer(chat("other", "{}"))
    assert built.restored(other) is other
    assert openai_chat.build(Request("m", user("Go"))).restored(answer) is answer


def test_events_of_a_stream_have_them_as_well() -> None:
    built: Any = openai_chat.build(Request("m", user("Go"), tools=[READ]), policies="portable")
    sent = built.body["tools"][0]["function"]["name"]
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": sent, "arguments": "{}"}}
    chunk = {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}}]}
    stream = openai_chat.stream()
    events = stream.feed(f"data: {json.dumps(chunk)}\n\n".encode())
    assert [event.name for event in map(built.restored, events) if event.kind == "call"] == ["files.read"]


def test_a_function_that_stood_for_a_free_text_tool_is_that_tool_again() -> None:
    built: Any = mistral_chat.build(Request("m", user("Go"), tools=[PATCH]), policies="portable")
    message = mistral_chat.read_answer(chat("patch", '{"input": "*** Begin"}')).message
    (call,) = built.restored(message).parts
    assert isinstance(call, CustomToolCall)
    assert (call.id, call.name, call.input) == ("c1", "patch", "*** Begin")
    # other arguments are no free text
    for arguments in ('{"input": 3}', '{"input": "x", "y": 1}', '{"input": '):
        odd = mistral_chat.read_answer(chat("patch", arguments)).message
        assert isinstance(built.restored(odd).parts[0], ToolCall)


def test_files_are_fetched_once_and_get_a_type() -> None:
    asked: list[str] = []

    def fetch(url: str) -> bytes | tuple[bytes, str]:
        asked.append(url)
        return (b"%PDF-", "application/pdf; x=1") if url.endswith("pdf") else b"\x89PNG\r\n\x1a\n"

    picture = Image(url="https://example.com/a.png")
    given = Request(
        "m",
        [
            user("Look", picture, Document(url="http://example.com/b.pdf"), Image(url="data:x")),
            Message(
                "tool",
                [ToolResult("c1", [picture, Image(url="https://example.com/a.png", media_type="x/y")])],
            ),
        ],
    )
    fetched = given.with_media(fetch)
    assert asked == ["https://example.com/a.png", "http://example.com/b.pdf"]
    png = Image(data="iVBORw0KGgo=", media_type="image/png")
    _, first, second, third = fetched.messages[0].parts
    assert (first, second, third) == (
        png,
        Document(data="JVBERi0=", media_type="application/pdf"),
        Image(url="data:x"),
    )
    (result,) = fetched.messages[1].parts
    assert isinstance(result, ToolResult)
    assert result.parts == (png, Image(data="iVBORw0KGgo=", media_type="x/y"))
    assert given.messages[0].parts[1] is picture
    nothing = Request("m", user("Hi"))
    assert nothing.with_media(fetch) is nothing


@pytest.mark.parametrize("result", ["text", None, (b"x", 3), (b"x",)])
def test_a_function_that_returns_anything_else_is_an_error(result: Any) -> None:
    with pytest.raises(InvalidRequest, match="fetch must return bytes, or bytes and a media type"):
        Request("m", user(Image(url="https://example.com/a.png"))).with_media(lambda _: result)
