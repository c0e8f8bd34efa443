"""Entries of rules, each with a request that it refuses, what the error names, and requests that it takes."""

from __future__ import annotations

from typing import Any

from promptwire import (
    Cache,
    Document,
    Image,
    Message,
    Options,
    ReasoningOptions,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from tests.compiler.schema_cases import LIST, LOOSE, NESTED, SCHEMA_CASES, SHARED, TREE, UNREACHED

USER = Message("user", "hi")
STRICT_TOOL = Tool("a", strict=True)
RESULT = Message("tool", [ToolResult("a1", "done")])
HELD = Image(data="AA==", media_type="image/png", cache=Cache())


def cropped(crop: bool | None) -> Image:
    return Image(data="AA==", media_type="image/png", vendor={"ruled_chat": {"crop": crop}})


def options(**given: Any) -> Request:
    """A request with these options."""
    return Request("m", [USER], options=Options(**given))


def said(*messages: Message) -> Request:
    """A request of these messages."""
    return Request("m", messages)


def tooled(*tools: Tool) -> Request:
    """A request with these tools."""
    return Request("m", [USER], tools=tools)


def _marks(*ttls: str | None) -> Request:
    """Text with breakpoints of these times to live."""
    return said(Message("user", [Text("a", cache=Cache(ttl=ttl)) for ttl in ttls]))


def _marked(first: str | None, second: str | None, field: str, index: int) -> tuple[Request, str, str]:
    return _marks(first, second), field, f"messages[0].parts[{index}]"


CALLING = Message("assistant", [ToolCall("a1", "f", {}), ToolCall("b1", "f", {})])
BEGUN = Message("assistant", [Text("One moment.", cache=Cache()), *CALLING.parts])
RETURNED = Message("user", [ToolResult("a1", "done")])
REFUSED_AND_TAKEN: list[tuple[str, Request, str, str, list[Request]]] = [
    (
        "turn.first!=text", said(USER, CALLING, RESULT), "turn.first", "messages[1].parts[0]",
        [
            said(USER), said(USER, BEGUN, RESULT, CALLING, RESULT), said(USER, CALLING, RESULT, BEGUN, USER),
            said(USER, BEGUN, CALLING, RESULT),
        ],
    ),
    (
        "turn.tool_call.id!=a1", said(USER, CALLING, RETURNED, Message("assistant", [ToolCall("b2", "f", {})]), RESULT),
        "turn.tool_call.id", "messages[3].parts[0]",
        [said(USER, CALLING, RESULT), said(USER, BEGUN, RESULT), said(USER, BEGUN, Message("assistant", CALLING.parts[1:]))],
    ),
    (
        "turn.tool_call.id!=a1", said(USER, Message("assistant", "hm"), Message("assistant", [ToolCall("b2", "f", {})]), RESULT),
        "turn.tool_call.id", "messages[2].parts[0]",
        [said(USER, Message("assistant", "hm"), CALLING, RESULT)],
    ),
    (
        "turn.text.cache!=*", said(USER, BEGUN, RESULT, Message("assistant", "hm")), "turn.text.cache", "messages[3].parts[0]",
        [said(USER, BEGUN, RETURNED), said(USER, CALLING, RESULT), said(USER, Message("assistant", "hm"), USER)],
    ),
    (
        "turn.unmatched>0", said(USER, CALLING, RESULT), "turn.unmatched", "messages[1]",
        [
            said(USER, CALLING, RESULT, RETURNED), said(USER, CALLING, USER, Message("assistant", "hm")),
            said(USER, CALLING, RESULT, USER), said(USER, CALLING, CALLING, RESULT, RETURNED, RETURNED, RESULT),
        ],
    ),
    (
        "calls.repeated=answer", said(USER, Message("assistant", [*CALLING.parts, ToolCall("a1", "f", {})])), "calls.repeated",
        "messages[1].parts[2]",
        [said(USER, CALLING), said(USER, CALLING, RESULT, CALLING, RESULT)],
    ),
    (
        "user.image.cache|filename!=*", said(Message("user", [Image(data="AA==", media_type="image/png")])),
        "user.image.cache|filename", "messages[0].parts[0]",
        [said(USER), said(Message("user", [HELD]))],
    ),
    (
        "messages.image.count>1", said(Message("user", [HELD]), Message("user", [HELD])), "messages.image.count", "",
        [said(USER), said(Message("user", [HELD]), USER)],
    ),
    (
        "tool.image.count>=2", said(Message("tool", [ToolResult("a1", [HELD, HELD])])), "tool.image.count", "messages[0]",
        [said(Message("user", [HELD, HELD])), said(Message("tool", [ToolResult("a1", [HELD]), ToolResult("b1", "done")]))],
    ),
    (
        "assistant.tool_call.count>1", said(USER, CALLING, RESULT, RETURNED), "assistant.tool_call.count", "messages[1]",
        [said(USER, Message("assistant", CALLING.parts[1:]), RESULT)],
    ),
    (
        "assistant[parts.arguments].image.count<1", said(USER, CALLING, RESULT, Message("assistant", "hm"), USER),
        "assistant[parts.arguments].image.count", "messages[1]",
        [said(USER, Message("assistant", "hm"), USER), said(USER, RETURNED)],
    ),
    ("temperature>2", options(temperature=2.5), "temperature", "options", [options(temperature=2), options()]),
    ("temperature<0.5", options(temperature=0), "temperature", "options", [options(temperature=0.5)]),
    ("max_tokens>=10", options(max_tokens=10), "max_tokens", "options", [options(max_tokens=9)]),
    ("top_p<=0.1", options(top_p=0.1), "top_p", "options", [options(top_p=0.2), options(seed=0)]),
    (
        "messages.count>1",
        said(USER, Message("assistant", "hm"), USER), "messages.count", "",
        [said(USER)],
    ),
    ("len(stop)>3", options(stop=["a", "four"]), "stop", "options", [options(stop=["a", "two"]), options()]),
    (
        "len(metadata.values)>3", Request("m", [USER], metadata={"a": "b", "c": "four"}), "metadata.values", "",
        [Request("m", [USER], metadata={"four": "b"}), said(USER)],
    ),
    (
        "len(message.name)<2", said(Message("user", "hi", name="A")), "message.name", "messages[0]",
        [said(Message("user", "hi", name="Al")), said(USER)],
    ),
    (
        "len(assistant.tool_call.id)>2", said(USER, Message("assistant", [ToolCall("abc", "f", {})]), Message("tool", [ToolResult("abc", "done")])),
        "assistant.tool_call.id", "messages[1].parts[0]",
        [said(USER, CALLING, Message("tool", [ToolResult("a1", "done"), ToolResult("b1", "done")]))],
    ),
    (
        "len(tools.description)>4", tooled(Tool("a"), Tool("b", "Looks")), "tools.description", "tools[1]",
        [tooled(Tool("a"), Tool("b", "Look"))],
    ),
    ("stop.count>1", options(stop=["a", "b"]), "stop.count", "options", [options(stop=["a"])]),
    (
        "reasoning.budget>=max_tokens",
        Request("m", [USER], reasoning=ReasoningOptions(budget=9), options=Options(max_tokens=9)),
        "reasoning.budget", "",
        [
            Request("m", [USER], reasoning=ReasoningOptions(budget=8), options=Options(max_tokens=9)),
            Request("m", [USER], reasoning=ReasoningOptions(budget=8)),
        ],
    ),
    (
        "reasoning.effort!=low|high",
        Request("m", [USER], reasoning=ReasoningOptions(effort="max")), "reasoning.effort", "",
        [Request("m", [USER], reasoning=ReasoningOptions(effort="low"))],
    ),
    (
        "message.name!~[a-z]{1,3}",
        said(USER, Message("user", "hi", name="Al B")), "message.name", "messages[1]",
        [said(Message("user", "hi", name="al"))],
    ),
    (
        "tools.parameters.type!=object",
        tooled(Tool("a", parameters={"type": "object"}), Tool("b", parameters={"anyOf": []})),
        "tools.parameters.type", "tools[1]",
        [tooled(Tool("a", parameters={"type": "object"}), Tool("b"))],
    ),
    (
        "tools.parameters.properties!=*",
        tooled(Tool("a", parameters={"properties": {}}), Tool("b", parameters={"type": "object"})),
        "tools.parameters.properties", "tools[1]",
        [tooled(Tool("a", parameters={"properties": {"a": {}}}), Tool("b"))],
    ),
    (
        "tools.parameters.loose_lists>0",
        tooled(Tool("a"), Tool("b", parameters={"anyOf": [{"$defs": {"c": {"type": ["null", "array"]}}}]})),
        "tools.parameters.loose_lists", "tools[1]",
        [tooled(Tool("a", parameters={"type": "array", "items": {"type": "text"}}), Tool("b"))],
    ),
    (
        "user.image.actual_type=image/jpeg|data_url|no_base64",
        said(Message("user", Image(data="/9j/4A==", media_type="image/png"))),
        "user.image.actual_type", "messages[0].parts[0]",
        [
            said(Message("user", Image(data=data, media_type="image/png")))
            for data in ("AA==", "iVBORw0KGgo=", "iVBOR\nw0KGgo=", "JVBERi0=")
        ],
    ),
    (
        "user.text.empty",
        said(Message("user", ["hi", Text("")])),
        "user.text.empty", "messages[0].parts[1]",
        [said(Message("user", Text(" "))), said(Message("assistant", Text("")))],
    ),
    (
        "tool.tool_result.error!~.*[a-z].*",
        said(Message("tool", ToolResult("a1", "", is_error=True))),
        "tool.tool_result.error", "messages[0].parts[0]",
        [said(Message("tool", [ToolResult("a1", "no", is_error=True), ToolResult("a2", "")]))],
    ),
    (
        "tool.tool_result.error_part=image",
        said(Message("tool", ToolResult("a1", ["no", Image(data="AA==", media_type="image/png")], is_error=True))),
        "tool.tool_result.error_part", "messages[0].parts[0]",
        [
            said(Message("tool", ToolResult("a1", [Image(data="AA==", media_type="image/png")]))),
            said(Message("tool", ToolResult("a1", "no", is_error=True))),
        ],
    ),
    (
        "documents.repeated",
        said(
            Message("user", Document(data="JVBERi0=", media_type="application/pdf", filename="a")),
            Message("user", Document(data="JVBERi0=", media_type="application/pdf", title="a")),
        ),
        "documents.repeated", "messages[1].parts[0]",
        [
            said(Message("user", [Document(data="JVBERi0=", media_type="application/pdf", filename=name) for name in "ab"])),
            said(Message("user", [Document(data="JVBERi0=", media_type="application/pdf") for _ in range(2)])),
        ],
    ),
    (
        "items.repeated",
        said(USER, Message("assistant", "a", id="i1"), USER, Message("assistant", ToolCall("a1", "f", {}, item_id="i1")), RESULT),
        "items.repeated", "messages[3].parts[0]",
        [
            said(USER, Message("assistant", "a", id="i1"), USER, Message("assistant", "a", id="i2"), USER),
            said(USER, Message("assistant", ToolCall("a1", "f", {}, item_id="b1")), RESULT),
        ],
    ),
    (
        "user[parts=image].text.count<1",
        said(USER, Message("user", Image(data="AA==", media_type="image/png"))),
        "user[parts=image].text.count", "messages[1]",
        [said(USER, Message("user", ["b", Image(data="AA==", media_type="image/png")]))],
    ),
    (
        "tools.parameters.odd_names!~[a-z:]*",
        tooled(Tool("a"), Tool("b", parameters={"properties": {"ab": {}, "a b": {}}})),
        "tools.parameters.odd_names", "tools[1]",
        [
            tooled(Tool("a", parameters={"properties": {"A-b.c": {"properties": {"a b": {}}}, "a:b": {}}}), Tool("b")),
            tooled(Tool("a", parameters={"properties": []})),
        ],
    ),
    (
        "tools.parameters.outdated>0",
        tooled(Tool("a"), Tool("b", parameters={"properties": {"c": {"not": {"exclusiveMaximum": False}}}})),
        "tools.parameters.outdated", "tools[1]",
        [
            tooled(Tool("a", parameters={"items": {"exclusiveMinimum": 0}})),
            tooled(Tool("b", parameters={"enum": [{"items": []}]})),
        ],
    ),
    (
        "tools.parameters.items.type!=object",
        tooled(Tool("a"), Tool("b", parameters={"items": {"type": "null"}})),
        "tools.parameters.items.type", "tools[1]",
        [tooled(Tool("a", parameters={"items": {"type": "object"}}), Tool("b", parameters={"items": True}))],
    ),
    (
        "tools[deferred=true].cache",
        tooled(Tool("a", deferred=True, cache=Cache())), "tools[deferred=true].cache", "tools[0]",
        [tooled(Tool("a", deferred=True), Tool("b", cache=Cache()))],
    ),
    (
        "tools[strict=true].count>1",
        tooled(STRICT_TOOL, Tool("b", strict=True)), "tools[strict=true].count", "",
        [tooled(STRICT_TOOL, Tool("b", strict=False), Tool("c"))],
    ),
    (
        "tools[deferred=true].count>=tools.count",
        tooled(Tool("a", deferred=True)), "tools[deferred=true].count", "",
        [tooled(Tool("a", deferred=True), Tool("b")), said(USER)],
    ),
    (
        "cache.count>1",
        said(Message("user", [Text("a", cache=Cache()), HELD])), "cache.count", "messages[0].parts[1]",
        [said(Message("user", [Text("a"), HELD]))],
    ),
    (
        "cache.ttl=1h",
        Request("m", [USER], cache=Cache(ttl="1h")), "cache.ttl", "",
        [Request("m", [USER], cache=Cache(ttl="5m"))],
    ),
    (
        "user.image.cache",
        said(Message("user", [HELD])), "user.image.cache", "messages[0].parts[0]",
        [said(Message("user", [Text("a", cache=Cache())])), said(Message("assistant", [HELD]))],
    ),
    (
        "system[vendor.passing].cache",
        said(Message("system", [Text("a", cache=Cache())], vendor={"ruled_chat": {"passing": True}})),
        "system[vendor.passing].cache", "messages[0].parts[0]",
        [said(Message("system", [Text("a", cache=Cache())]))],
    ),
    (
        "system[parts].after=start|assistant.*",
        said(USER, Message("assistant", "ho"), Message("system", "x")), "system[parts].after", "messages[2]",
        [said(USER, Message("system", "x")), said(Message("system", []), USER)],
    ),
    (
        "system.before=user.*",
        said(USER, Message("system", "x"), USER), "system.before", "messages[1]",
        [said(USER, Message("system", "x"), Message("assistant", "ho"))],
    ),
    (
        "user.after=tool.*|assistant.image",
        said(USER, RESULT, Message("user", "and?")), "user.after", "messages[2]",
        [said(USER, Message("assistant", "ho"), USER), said(RESULT, Message("assistant", "ho"))],
    ),
    (
        "user.after=*.text",
        said(Message("assistant", "ho"), USER), "user.after", "messages[1]", [said(USER), said(RESULT, USER)],
    ),
    (
        "user.image.media_type!=image/png|image/gif",
        said(Message("user", [Image(data="AA==", media_type="image/bmp")])),
        "user.image.media_type", "messages[0].parts[0]",
        [said(Message("user", [HELD, Image(data="AA==")]))],
    ),
    (
        "assistant.tool_call.id!~[a-z0-9]{1,3}",
        said(USER, Message("assistant", [ToolCall("a.1", "f", {})])),
        "assistant.tool_call.id", "messages[1].parts[0]",
        [said(USER, Message("assistant", [ToolCall("a1", "f", {}), ToolCall("b", "f", {})]))],
    ),
    (
        "assistant.count<1",
        said(USER, Message("assistant", [])), "assistant.count", "messages[1]",
        [said(Message("user", []), Message("assistant", [Text("a"), Text("b")]))],
    ),
    (
        "user.image.vendor.crop",
        said(Message("user", [cropped(True)])), "user.image.vendor.crop", "messages[0].parts[0]",
        [said(Message("user", [cropped(None), HELD]), Message("assistant", [cropped(True)]))],
    ),
    (
        "logit_bias.values>100",
        options(logit_bias={"1": 5, "2": 101}), "logit_bias.values", "options",
        [options(logit_bias={"1": 100, "2": -200})],
    ),
    (
        "logit_bias.keys!~[0-9]+",
        options(logit_bias={"1": 5, "one": 1}), "logit_bias.keys", "options", [options(logit_bias={"1": 5})],
    ),
    (
        "metadata.keys!~.{0,3}",
        Request("m", [USER], metadata={"a": "long enough", "four": ""}), "metadata.keys", "",
        [Request("m", [USER], metadata={"a": "long enough"})],
    ),
    (
        "metadata.values!~.{0,3}",
        Request("m", [USER], metadata={"a": "four"}), "metadata.values", "",
        [Request("m", [USER], metadata={"long enough": "abc", "lines": "a\nb"})],
    ),
    (
        "tools[name=b*].parameters!=x",
        tooled(Tool("beta"), Tool("a")), "tools[name=b*].parameters", "tools[0]",
        [tooled(Tool("a"), Tool("ab"))],
    ),
    (
        "messages.text!~(?i).*?json.*",
        said(USER, Message("assistant", "ho")), "messages.text", "",
        [
            said(USER, Message("assistant", "in JSON")),
            said(USER, Message("tool", [ToolResult("a1", "as json")])),
        ],
    ),
    (
        "conversation.text!~(?i).*?json.*",
        said(USER), "conversation.text", "", [said(Message("user", "json"))],
    ),
    (
        "last_message.text!~.*[.]",
        said(USER, Message("assistant", "ho")), "last_message.text", "messages[1]",
        [
            said(USER, Message("assistant", "Ho.")), said(USER, Message("user", [Text("a"), HELD])),
            said(Message("user", "a"), Message("user", "two\nlines.")),
        ],
    ),
    (
        "user.tool_result.after!=start|tool_result",
        said(Message("user", [Text("a"), ToolResult("a1", "x")])), "user.tool_result.after", "messages[0]",
        [
            said(Message("user", [ToolResult("a1", "x"), ToolResult("a2", "y"), Text("a")])),
            said(Message("user", [Text("a"), HELD])),
        ],
    ),
    (
        "assistant[parts.name=stop].before!=end",
        said(Message("assistant", [ToolCall("1", "stop", {})]), RESULT),
        "assistant[parts.name=stop].before", "messages[0]",
        [
            said(Message("assistant", [ToolCall("1", "go", {})]), RESULT),
            said(RESULT, Message("assistant", [Text("a"), ToolCall("1", "stop", {})])),
        ],
    ),
    ("cache[ttl=1h].after=5m|default", *_marked("5m", "1h", "cache[ttl=1h].after", 1), [_marks("1h", "5m"), _marks("1h")]),
    ("cache[ttl=1h].after=default", *_marked(None, "1h", "cache[ttl=1h].after", 1), [_marks("5m", "1h"), _marks(None)]),
    ("cache.after=start", *_marked("1h", None, "cache.after", 0), [said(USER), Request("m", [USER], cache=Cache())]),
    (
        "cache[ttl=5m|default].automatic=1h",
        Request("m", [USER, Message("user", [Text("a", cache=Cache())])], cache=Cache(ttl="1h")),
        "cache[ttl=5m|default].automatic", "messages[1].parts[0]",
        [
            Request("m", [Message("user", [Text("a", cache=Cache(ttl="1h"))])], cache=Cache(ttl="1h")),
            Request("m", [Message("user", [Text("a", cache=Cache())])], cache=Cache(ttl="5m")),
            _marks("5m"),
        ],
    ),
    (
        "cache.automatic=none",
        _marks("5m"), "cache.automatic", "messages[0].parts[0]",
        [Request("m", [Message("user", [Text("a", cache=Cache())])], cache=Cache()), said(USER)],
    ),
    (
        "strict_schemas.optional>2",
        Request("m", [USER], tools=[Tool("a", strict=True, parameters=NESTED)], response_format=LOOSE),
        "strict_schemas.optional", "",
        [
            tooled(Tool("a", strict=True, parameters=NESTED), Tool("b", parameters=NESTED)),
            Request("m", [USER], response_format=LOOSE),
        ],
    ),
    (
        "strict_schemas.unions>=2",
        tooled(Tool("a", strict=True, parameters=NESTED)), "strict_schemas.unions", "",
        [Request("m", [USER], response_format=LOOSE), tooled(Tool("a", strict=False, parameters=NESTED))],
    ),
    (
        "strict_schemas.recursive=true",
        Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=TREE)),
        "strict_schemas.recursive", "",
        [
            Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=SHARED)),
            Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=UNREACHED)),
        ],
    ),
    (
        "strict_schemas.recursive!=false",
        Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=LIST)),
        "strict_schemas.recursive", "",
        [Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=SHARED)), said(USER)],
    ),
    *[
        (
            f"strict_schemas.{test}",
            Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=schema)),
            f"strict_schemas.{word}", "",
            [
                Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=other)),
                Request("m", [USER], response_format=ResponseFormat("json_schema", schema=schema)),
                tooled(Tool("a", parameters=schema)),
                said(USER),
            ],
        )
        for test, word, schema, other in SCHEMA_CASES
    ],
    (
        "user.image.after=start",
        said(Message("user", [HELD, Text("a")])), "user.image.after", "messages[0]",
        [said(Message("user", [Text("a"), HELD])), said(Message("user", [Text("a"), Text("b")]))],
    ),
    ("first_message.role=system", said(Message("system", "x"), USER), "first_message.role", "messages[0]", [said(USER)]),
]  # fmt: skip
