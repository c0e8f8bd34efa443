"""Never executed: what type checkers must see in the constructors, the parts and the classes of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_type

from promptwire import (
    Cache,
    Continuation,
    Document,
    HostedTool,
    Image,
    Instruction,
    Message,
    Part,
    Reasoning,
    ReasoningOptions,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    assistant,
    system,
    tool_result,
    user,
)
from promptwire.parts import (
    AnyTool,
    SearchResult,
    ToolAddition,
    ToolGroup,
    developer,
    document_data,
    document_url,
    image_data,
    image_url,
)

# constructors take texts and parts in any mix

assert_type(user("hi"), Message)
assert_type(user("What is this?", image_url("https://example.com/cat.png", detail="low")), Message)
assert_type(assistant("I look.", ToolCall("c1", "search", {"q": "cats"})), Message)
assert_type(assistant(Reasoning(text="hm", signature="s"), "Yes.", id="m1", status="completed"), Message)
assert_type(system("Be terse."), Message)
assert_type(developer("Be terse.", name="editor"), Message)
assert_type(tool_result("c1", "3 cats"), Message)
assert_type(tool_result("c1", {"cats": 3}, name="search", is_error=False), Message)
assert_type(tool_result("c1", ["3 cats", image_data(b"...", "image/png")]), Message)
assert_type(image_data("aGk=", "image/png"), Image)
assert_type(document_data(b"%PDF", "application/pdf", title="Cats"), Document)
assert_type(document_url("https://example.com/cats.pdf", cache=Cache("1h")), Document)

# what a message holds

assert_type(user("hi").parts, tuple[Part, ...])
assert_type(user("hi").role, str)
assert_type(Text("hi").text, str)
assert_type(Text("hi").cache, Cache | None)
assert_type(ToolCall("c1", "search").arguments, Mapping[str, Any] | str)
assert_type(ToolResult("c1", (Text("3 cats"),)).parts, tuple[Part, ...])
assert_type(image_url("https://example.com").source, str)

# lists are taken wherever tuples are held, one text wherever texts are

assert_type(
    ToolGroup("maps", "About maps", [Tool("route"), HostedTool("web_search")]).tools, tuple[AnyTool, ...]
)
assert_type(ToolAddition([Tool("route")], id="a1").tools, tuple[AnyTool, ...])
assert_type(ToolChoice("several", names=["route", "search"], must=True).names, tuple[str, ...] | None)
assert_type(Document(parts=["first", Text("second")], title="Cats").parts, tuple[Part, ...] | None)
assert_type(Document(parts="first").source, str)
assert_type(Reasoning(summary=["hm"], texts="so").summary, tuple[str, ...] | None)
assert_type(SearchResult("https://example.com", "Cats", ["first"]).parts, tuple[Part, ...])
assert_type(Continuation(id="r1", unanswered=["c1"]).unanswered, tuple[str, ...])

# a request with one of everything

request = Request(
    "some-model",
    (user("hi"), assistant("hello")),
    instructions=(Instruction("Be terse.", cache=Cache()), Instruction("Today is Monday.", source="dynamic")),
    tools=(Tool("search", "Finds things", {"type": "object"}, strict=True), HostedTool("web_search")),
    tool_choice=ToolChoice("named", "search", parallel=False),
    response_format=ResponseFormat("json_schema", {"type": "object"}, "answer"),
    reasoning=ReasoningOptions(effort="low", budget=1024),
    continuation=Continuation(id="r1", start=1, wire="openai_responses"),
    metadata={"team": "cats"},
    vendor={"openai_chat": {"prediction": {"type": "content", "content": "hi"}}},
    extra={"anthropic_messages": {"new_key": 1}},
    cache=Cache("5m"),
)
assert_type(request.model, str | None)
assert_type(request.instructions, str | tuple[Instruction, ...] | None)
assert_type(request.tool_choice, ToolChoice | None)
assert_type(request.response_format, ResponseFormat | None)
assert_type(request.reasoning, ReasoningOptions | None)
assert_type(request.continuation, Continuation | None)
assert_type(request.metadata, Mapping[str, str] | None)
