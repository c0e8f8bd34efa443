"""The one-line constructors make exactly the nodes that the long form makes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from promptwire import (
    Cache,
    Document,
    Image,
    Json,
    Message,
    Options,
    Part,
    Request,
    Text,
    ToolCall,
    ToolResult,
    anthropic_messages,
    assistant,
    openai_chat,
    system,
    tool_result,
    user,
)
from promptwire.errors import InvalidRequest
from promptwire.parts import developer, document_data, document_url, image_data, image_url
from promptwire.plugins import Provenance

MAKERS: list[tuple[Callable[..., Message], str]] = [
    (user, "user"),
    (assistant, "assistant"),
    (system, "system"),
    (developer, "developer"),
]


@pytest.mark.parametrize(("make", "role"), MAKERS)
def test_messages(make: Callable[..., Message], role: str) -> None:
    call = ToolCall("c1", "f")
    assert make() == Message(role)
    assert make("hi") == Message(role, (Text("hi"),))
    made = make("hi", call, "there", name="bob", id="m1", provenance=Provenance("w"))
    expected = (Text("hi"), call, Text("there"))
    assert made == Message(role, expected, name="bob", id="m1", provenance=Provenance("w"))


def test_a_list_is_no_part() -> None:
    with pytest.raises(
        InvalidRequest,
        match=r"^a part is text or a Part, not list; write Json\(value\) for another JSON value$",
    ):
        user(["hi"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


RESULTS: list[tuple[Any, tuple[Part, ...]]] = [
    ("42", (Text("42"),)),
    (Text("42"), (Text("42"),)),
    (["a", Json(1)], (Text("a"), Json(1))),
    ({"degrees": 3}, (Json({"degrees": 3}),)),
    ((), ()),
]


@pytest.mark.parametrize(("content", "parts"), RESULTS)
def test_tool_results(content: Any, parts: tuple[Part, ...]) -> None:
    assert tool_result("c1", content) == Message("tool", (ToolResult("c1", parts),))


def test_tool_result_fields() -> None:
    made = tool_result(None, "no", name="f", is_error=True, item_id="i", cache=Cache("5m"))
    part = ToolResult(None, (Text("no"),), name="f", is_error=True, item_id="i", cache=Cache("5m"))
    assert made == Message("tool", (part,))


def test_images() -> None:
    picture = b"\x89PNG\r\n\x1a\n"
    text = b64encode(picture).decode()
    assert image_url("https://x/y.png", detail="low") == Image(url="https://x/y.png", detail="low")
    assert image_data(picture, "image/png") == Image(data=text, media_type="image/png")
    made = image_data(text, "image/png", filename="a.png", cache=Cache())
    assert made == Image(data=text, media_type="image/png", filename="a.png", cache=Cache())


def test_documents() -> None:
    text = b64encode(b"%PDF").decode()
    assert document_url("https://x/y.pdf", title="t") == Document(url="https://x/y.pdf", title="t")
    assert document_data(b"%PDF", "application/pdf") == Document(data=text, media_type="application/pdf")
    made = document_data(text, "application/pdf", title="t", filename="a.pdf", citations={"enabled": True})
    expected = Document(
        data=text, media_type="application/pdf", title="t", filename="a.pdf", citations={"enabled": True}
    )
    assert made == expected


@pytest.mark.parametrize("make", [image_data, document_data])
def test_a_data_url_is_no_data(make: Callable[[str, str], Part]) -> None:
    message = r"^data must be bytes or base64 text, not a data: URL; pass that as url$"
    with pytest.raises(InvalidRequest, match=message):
        make("data:image/png;base64,aGk=", "image/png")


@pytest.mark.parametrize("make", [image_data, document_data])
@pytest.mark.parametrize(
    ("text", "odd"), [("photos/cat.png", "."), ("https://example.com/cat", ":"), ("caf\u00e9", "\u00e9")]
)
def test_the_name_of_a_file_is_no_data(make: Callable[[str, str], Part], text: str, odd: str) -> None:
    with pytest.raises(
        InvalidRequest, match=r"not base64: it has the character .*Path\(name\)\.read_bytes"
    ) as raised:
        make(text, "image/png")
    assert repr(odd) in str(raised.value)


def test_base64_of_urls_and_in_lines_is_data() -> None:
    for text in ("a-_B", "aGk=\n", "aGk\r\naGk="):
        assert image_data(text, "image/png").data == text


def test_a_data_url_is_the_data_that_it_holds() -> None:
    assert image_url("data:image/png;base64,aGk=", detail="low") == Image(
        data="aGk=", media_type="image/png", detail="low"
    )
    assert document_url("data:application/pdf;base64,aGk=") == Document(
        data="aGk=", media_type="application/pdf"
    )
    for other in ("data:,hello", "data:;base64,aGk=", "data:text/plain,hi", "https://example.org/a;base64,b"):
        assert image_url(other) == Image(url=other)
    part = image_url("data:image/png;base64,aGk=")
    request = Request("m", (user(part),), options=Options(max_tokens=64))
    assert openai_chat.build(request).body["messages"][0]["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    ]
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    assert anthropic_messages.build(request).body["messages"][0]["content"] == [
        {"type": "image", "source": source}
    ]
