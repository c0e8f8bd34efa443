"""The values that rules compare in messages: neighbours, numbers of parts, cache marks, and whose part it is."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Cache,
    Image,
    Message,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    openai_chat,
    system,
    user,
)
from promptwire.parts import CustomToolResult
from tests.internals.runtime import (
    Marks,
    ToolsView,
    condition_at as at,
    mark_values,
    may_concern,
    one_of,
    present,
    start,
    tool_values,
    values_here,
    watched_values,
)

PICTURE = Image(url="https://x/a.png")
CALL = ToolCall("c1", "f", {})
RESULT = ToolResult("c1", (PICTURE, Text("seen")))
MESSAGES = (
    user("Look:", PICTURE),
    assistant("Well.", CALL),
    Message("tool", (RESULT,)),
    Message("user", (Text("a"), Image(url="https://x/b.png"), Text("b"))),
    Message("user", ()),
    assistant("Done."),
)


def beside(index: int, side: str, part: int | None = None) -> list[Any]:
    """Return what stands beside a message, or beside one of its parts."""
    message = MESSAGES[index]
    build = start(openai_chat.WIRE, Request("m", MESSAGES)).report
    node: Any = message if part is None else message.parts[part]
    keys = (side,) if part is None else (type(node).__name__.lower(), side)
    return watched_values(build, at(message.role, *keys), node, None)


@pytest.mark.parametrize(
    ("index", "before", "after"),
    [
        (0, "start", "assistant.text"),
        (1, "user.image", "tool.tool_result"),
        (3, "tool.tool_result", "user."),
        (4, "user.text", "assistant.text"),
        (5, "user.", "end"),
    ],
)
def test_the_neighbours_of_a_message(index: int, before: str, after: str) -> None:
    assert (beside(index, "after"), beside(index, "before")) == ([before], [after])


@pytest.mark.parametrize(
    ("index", "part", "following"),
    [(0, 0, "image"), (0, 1, "assistant.text"), (3, 0, "image"), (3, 1, "text"), (3, 2, "user.")],
)
def test_what_follows_a_part(index: int, part: int, following: str) -> None:
    assert beside(index, "before", part) == [following]


def test_what_stands_before_each_part_of_a_kind() -> None:
    many = Message("user", (PICTURE, Text("a"), PICTURE, Text("b")))
    assert values_here(at("user", "image", "after"), many, "w") == ["start", "text"]
    assert values_here(at("user", "text", "after"), many, "w") == ["image", "image"]
    assert values_here(at("user", "text", "after"), many.parts[1], "w") == []


def test_values_at_a_node() -> None:
    message, text = MESSAGES[0], MESSAGES[0].parts[0]
    assert values_here(at("message", "role"), message, "w") == ["user"]
    assert values_here(at("message", "role"), text, "w") == []
    assert values_here(at("part"), text, "w") == ["text"]
    assert values_here(at("part"), message, "w") == []
    assert values_here(at("user", "count"), message, "w") == [2]
    assert values_here(at("user", "count"), text, "w") == []
    assert values_here(at("user", "part"), PICTURE, "w") == ["image"]
    assert values_here(at("user", "image", "url"), PICTURE, "w") == ["https://x/a.png"]
    assert values_here(at("user", "image", "url"), text, "w") == []
    assert values_here(at("user", "image", either=("file_id", "url")), PICTURE, "w") == ["https://x/a.png"]
    # finding the position of a node is left for later
    for side in ("after", "before"):
        assert values_here(at("user", side), message, "w") is None
        assert values_here(at("assistant", side), message, "w") == []
        assert values_here(at("user", side), text, "w") == []
        assert values_here(at("user", side, where=present(at("parts", "call_id"))), message, "w") == []
    assert values_here(at("user", "image", "before"), PICTURE, "w") is None
    assert values_here(at("user", "image", "before"), text, "w") == []


@pytest.mark.parametrize(
    ("head", "values"), [("tool", ["image"]), ("user", []), ("message", ["image"]), ("part", ["image"])]
)
def test_a_part_of_a_result_is_of_the_tool(head: str, values: list[str]) -> None:
    for result in (RESULT, CustomToolResult("c1", (PICTURE, Text("seen")))):
        build = start(openai_chat.WIRE, Request("m", (user("Hi"), Message("user", (result,))))).report
        assert watched_values(build, at(head, "part"), result.parts[0], ["image"]) == values
        holder = ["user"] if head != "tool" else []
        assert watched_values(build, at(head, "part"), result, ["user"]) == holder


def test_a_part_in_several_messages_counts_in_each() -> None:
    text = Text("Hi")
    messages = (
        system("S"),
        Message("user", (text,)),
        Message("assistant", (text,)),
        Message("user", (text,)),
    )
    build = start(openai_chat.WIRE, Request("m", messages)).report
    assert watched_values(build, at("user", "part"), text, ["text"]) == ["text", "text"]
    picky = at("user", "part", where=one_of(at("parts", "url"), "x"))
    assert watched_values(build, picky, text, ["text"]) == []
    hoisted = start(openai_chat.WIRE, Request("m", messages)).report
    hoisted.replaced(Request("m", messages[1:]))
    hoisted.origins.hoisted_count = 1
    assert watched_values(hoisted, at("assistant", "part"), text, ["text"]) == ["text"]


def test_values_at_a_cache_mark() -> None:
    short, plain = Text("a", cache=Cache(ttl="5m")), Text("b", cache=Cache())
    request = Request("m", user(short, plain), cache=Cache(ttl="1h"))
    marks = Marks()
    after = at("cache", "after")
    assert mark_values(after, short, marks, request) == ["start"]
    assert mark_values(at("cache", "count"), short, marks, request) == [0]
    marks.count, marks.last = 1, short
    assert mark_values(after, plain, marks, request) == ["5m"]
    assert mark_values(at("cache", "count"), plain, marks, request) == [1]
    assert mark_values(at("cache", "ttl"), plain, marks, request) == []
    assert mark_values(at("cache", "ttl"), short, marks, request) == ["5m"]
    automatic = at("cache", "automatic")
    assert mark_values(automatic, short, marks, request) == ["1h"]
    assert mark_values(automatic, short, marks, request.replace(cache=Cache())) == ["default"]
    assert mark_values(automatic, short, marks, request.replace(cache=None)) == ["none"]
    for path in (after, automatic):
        assert mark_values(path, request, marks, request) == []
    long = one_of(at("cache", "ttl"), "1h")
    assert mark_values(at("cache", "after", where=long), short, marks, request) == []
    usual = one_of(at("cache", "ttl"), "default")
    assert mark_values(at("cache", "after", where=usual), plain, marks, request) == ["5m"]


@pytest.mark.parametrize(
    ("path", "classes"),
    [
        (at("message", "role"), {Message}),
        (at("part"), {Text, Image, ToolResult}),
        (at("user", "part"), {Text, Image, ToolResult}),
        (at("user", "after"), {Message}),
        (at("user", "before"), {Message}),
        (at("user", "count"), {Message}),
        (at("user", "image", "after"), {Message}),
        (at("user", "image", "before"), {Image}),
        (at("user", "image", "url"), {Image}),
        (at("user", "tool_result", "call_id"), {ToolResult}),
        (at("user", "image", either=("file_id", "url")), {Image}),
    ],
)
def test_which_classes_a_path_may_concern(path: Any, classes: set[type]) -> None:
    nodes = (MESSAGES[0], MESSAGES[3], *MESSAGES[0].parts, RESULT)
    assert {type(node) for node in nodes if may_concern(path, type(node))} == classes
    for node in nodes:
        assert may_concern(path, type(node)) or not values_here(path, node, "w")


def test_plain_tools_are_chosen_by_what_they_have_too() -> None:
    plain, strict = Tool("a", parameters={"type": "object"}), Tool("b", strict=True)
    view = ToolsView(Request("m", tools=[plain, strict]), "openai_chat")
    assert view.chosen(one_of("name", "a")) == [plain]
    assert view.chosen(one_of("strict", "true")) == [strict]
    assert tool_values(at("tools", "name"), view) == [(plain, "a"), (strict, "b")]
    assert tool_values(at("tools", "strict"), view) == [(strict, True)]
    assert tool_values(at("tools", "parameters", "type"), view) == [(plain, "object")]
