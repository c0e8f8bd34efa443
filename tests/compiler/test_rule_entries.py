"""What rules can say: words, numbers, counts, patterns, nodes with a field, neighbours. Each entry with both sides."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import promptwire
from promptwire_gen.model import rule_entries
from promptwire_runtime import (
    Cache,
    Image,
    Message,
    Options,
    ReasoningOptions,
    Refused,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from promptwire_runtime.rule_entries import parse_entry, split_path
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC

USER = Message("user", "hi")
STRICT_TOOL = Tool("a", strict=True)
RESULT = Message("tool", [ToolResult("a1", "done")])
HELD = Image(data="AA==", media_type="image/png", cache=Cache())


_COMPILED: dict[str, ModuleType] = {}


@pytest.fixture(params=[])
def wire(tmp_path: Path, request: pytest.FixtureRequest) -> ModuleType:
    """The wire whose one rule refuses an entry; compiled once an entry."""
    entry: str = request.param
    if entry not in _COMPILED:
        _COMPILED[entry] = load_wire(tmp_path, "ruled_chat", SPEC.replace("ENTRY", f'"{entry}"'))
    return _COMPILED[entry]


def cropped(crop: bool | None) -> Image:
    return Image(data="AA==", media_type="image/png", vendor={"ruled_chat": {"crop": crop}})


def _options(**given: Any) -> Request:
    return Request("m", [USER], options=Options(**given))


def _said(*messages: Message) -> Request:
    return Request("m", messages)


def _tooled(*tools: Tool) -> Request:
    return Request("m", [USER], tools=tools)


def _marks(*ttls: str | None) -> Request:
    """Text with breakpoints of these times to live."""
    return _said(Message("user", [Text("a", cache=Cache(ttl=ttl)) for ttl in ttls]))


def _marked(first: str | None, second: str | None, field: str, index: int) -> tuple[Request, str, str]:
    return _marks(first, second), field, f"messages[0].parts[{index}]"


# two optional parameters, one inside the other, and two of several types
NESTED = {
    "type": "object",
    "properties": {
        "a": {"type": "object", "properties": {"b": {"type": ["string", "null"]}}},
        "c": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/d"}]},
    },
    "required": ["c"],
    "$defs": {"d": {"type": "object", "properties": {"e": {}}}},
}
LOOSE = ResponseFormat(
    "json_schema", strict=True, schema={"type": "array", "items": {"properties": {"a": {}, "b": {}}}}
)
TREE = {"$ref": "#/$defs/tree", "$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}}}}}
LIST = {"type": "object", "properties": {"next": {"$ref": "#"}}}
SHARED = {
    "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
    "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {}},
}
UNREACHED = {"type": "object", "$defs": {"tree": {"items": {"$ref": "#/$defs/tree"}}}}

REFUSED_AND_TAKEN: list[tuple[str, Request, str, str, list[Request]]] = [
    ("temperature>2", _options(temperature=2.5), "temperature", "options", [_options(temperature=2), _options()]),
    ("temperature<0.5", _options(temperature=0), "temperature", "options", [_options(temperature=0.5)]),
    ("max_tokens>=10", _options(max_tokens=10), "max_tokens", "options", [_options(max_tokens=9)]),
    ("top_p<=0.1", _options(top_p=0.1), "top_p", "options", [_options(top_p=0.2), _options(seed=0)]),
    (
        "messages.count>1",
        _said(USER, Message("assistant", "hm"), USER), "messages.count", "",
        [_said(USER)],
    ),
    ("stop.count>1", _options(stop=["a", "b"]), "stop.count", "options", [_options(stop=["a"])]),
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
        _said(USER, Message("user", "hi", name="Al B")), "message.name", "messages[1]",
        [_said(Message("user", "hi", name="al"))],
    ),
    (
        "tools.parameters.type!=object",
        _tooled(Tool("a", parameters={"type": "object"}), Tool("b", parameters={"anyOf": []})),
        "tools.parameters.type", "tools[1]",
        [_tooled(Tool("a", parameters={"type": "object"}), Tool("b"))],
    ),
    (
        "tools[deferred=true].cache",
        _tooled(Tool("a", deferred=True, cache=Cache())), "tools[deferred=true].cache", "tools[0]",
        [_tooled(Tool("a", deferred=True), Tool("b", cache=Cache()))],
    ),
    (
        "tools[strict=true].count>1",
        _tooled(STRICT_TOOL, Tool("b", strict=True)), "tools[strict=true].count", "",
        [_tooled(STRICT_TOOL, Tool("b", strict=False), Tool("c"))],
    ),
    (
        "tools[deferred=true].count>=tools.count",
        _tooled(Tool("a", deferred=True)), "tools[deferred=true].count", "",
        [_tooled(Tool("a", deferred=True), Tool("b")), _said(USER)],
    ),
    (
        "cache.count>1",
        _said(Message("user", [Text("a", cache=Cache()), HELD])), "cache.count", "messages[0].parts[1]",
        [_said(Message("user", [Text("a"), HELD]))],
    ),
    (
        "cache.ttl=1h",
        Request("m", [USER], cache=Cache(ttl="1h")), "cache.ttl", "",
        [Request("m", [USER], cache=Cache(ttl="5m"))],
    ),
    (
        "user.image.cache",
        _said(Message("user", [HELD])), "user.image.cache", "messages[0].parts[0]",
        [_said(Message("user", [Text("a", cache=Cache())])), _said(Message("assistant", [HELD]))],
    ),
    (
        "system[vendor.passing].cache",
        _said(Message("system", [Text("a", cache=Cache())], vendor={"ruled_chat": {"passing": True}})),
        "system[vendor.passing].cache", "messages[0].parts[0]",
        [_said(Message("system", [Text("a", cache=Cache())]))],
    ),
    (
        "system[parts].after=start|assistant.*",
        _said(USER, Message("assistant", "ho"), Message("system", "x")), "system[parts].after", "messages[2]",
        [_said(USER, Message("system", "x")), _said(Message("system", []), USER)],
    ),
    (
        "system.before=user.*",
        _said(USER, Message("system", "x"), USER), "system.before", "messages[1]",
        [_said(USER, Message("system", "x"), Message("assistant", "ho"))],
    ),
    (
        "user.after=tool.*|assistant.image",
        _said(USER, RESULT, Message("user", "and?")), "user.after", "messages[2]",
        [_said(USER, Message("assistant", "ho"), USER), _said(RESULT, Message("assistant", "ho"))],
    ),
    (
        "user.after=*.text",
        _said(Message("assistant", "ho"), USER), "user.after", "messages[1]", [_said(USER), _said(RESULT, USER)],
    ),
    (
        "user.image.media_type!=image/png|image/gif",
        _said(Message("user", [Image(data="AA==", media_type="image/bmp")])),
        "user.image.media_type", "messages[0].parts[0]",
        [_said(Message("user", [HELD, Image(data="AA==")]))],
    ),
    (
        "assistant.tool_call.id!~[a-z0-9]{1,3}",
        _said(USER, Message("assistant", [ToolCall("a.1", "f", {})])),
        "assistant.tool_call.id", "messages[1].parts[0]",
        [_said(USER, Message("assistant", [ToolCall("a1", "f", {}), ToolCall("b", "f", {})]))],
    ),
    (
        "assistant.count<1",
        _said(USER, Message("assistant", [])), "assistant.count", "messages[1]",
        [_said(Message("user", []), Message("assistant", [Text("a"), Text("b")]))],
    ),
    (
        "user.image.vendor.crop",
        _said(Message("user", [cropped(True)])), "user.image.vendor.crop", "messages[0].parts[0]",
        [_said(Message("user", [cropped(None), HELD]), Message("assistant", [cropped(True)]))],
    ),
    (
        "logit_bias.values>100",
        _options(logit_bias={"1": 5, "2": 101}), "logit_bias.values", "options",
        [_options(logit_bias={"1": 100, "2": -200})],
    ),
    (
        "logit_bias.keys!~[0-9]+",
        _options(logit_bias={"1": 5, "one": 1}), "logit_bias.keys", "options", [_options(logit_bias={"1": 5})],
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
        _tooled(Tool("beta"), Tool("a")), "tools[name=b*].parameters", "tools[0]",
        [_tooled(Tool("a"), Tool("ab"))],
    ),
    (
        "last_message.text!~.*[.]",
        _said(USER, Message("assistant", "ho")), "last_message.text", "messages[1]",
        [
            _said(USER, Message("assistant", "Ho.")), _said(USER, Message("user", [Text("a"), HELD])),
            _said(Message("user", "a"), Message("user", "two\nlines.")),
        ],
    ),
    (
        "user.tool_result.after!=start|tool_result",
        _said(Message("user", [Text("a"), ToolResult("a1", "x")])), "user.tool_result.after", "messages[0]",
        [
            _said(Message("user", [ToolResult("a1", "x"), ToolResult("a2", "y"), Text("a")])),
            _said(Message("user", [Text("a"), HELD])),
        ],
    ),
    (
        "assistant[parts.name=stop].before!=end",
        _said(Message("assistant", [ToolCall("1", "stop", {})]), RESULT),
        "assistant[parts.name=stop].before", "messages[0]",
        [
            _said(Message("assistant", [ToolCall("1", "go", {})]), RESULT),
            _said(RESULT, Message("assistant", [Text("a"), ToolCall("1", "stop", {})])),
        ],
    ),
    ("cache[ttl=1h].after=5m|default", *_marked("5m", "1h", "cache[ttl=1h].after", 1), [_marks("1h", "5m"), _marks("1h")]),
    ("cache[ttl=1h].after=default", *_marked(None, "1h", "cache[ttl=1h].after", 1), [_marks("5m", "1h"), _marks(None)]),
    ("cache.after=start", *_marked("1h", None, "cache.after", 0), [_said(USER)]),
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
        [Request("m", [Message("user", [Text("a", cache=Cache())])], cache=Cache()), _said(USER)],
    ),
    (
        "strict_schemas.optional>2",
        Request("m", [USER], tools=[Tool("a", strict=True, parameters=NESTED)], response_format=LOOSE),
        "strict_schemas.optional", "",
        [
            _tooled(Tool("a", strict=True, parameters=NESTED), Tool("b", parameters=NESTED)),
            Request("m", [USER], response_format=LOOSE),
        ],
    ),
    (
        "strict_schemas.unions>=2",
        _tooled(Tool("a", strict=True, parameters=NESTED)), "strict_schemas.unions", "",
        [Request("m", [USER], response_format=LOOSE), _tooled(Tool("a", strict=False, parameters=NESTED))],
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
        [Request("m", [USER], response_format=ResponseFormat("json_schema", strict=True, schema=SHARED)), _said(USER)],
    ),
    (
        "user.image.after=start",
        _said(Message("user", [HELD, Text("a")])), "user.image.after", "messages[0]",
        [_said(Message("user", [Text("a"), HELD])), _said(Message("user", [Text("a"), Text("b")]))],
    ),
    ("first_message.role=system", _said(Message("system", "x"), USER), "first_message.role", "messages[0]", [_said(USER)]),
]  # fmt: skip
IDS = [row[0] for row in REFUSED_AND_TAKEN]


@pytest.mark.parametrize(
    ("wire", "refused", "field", "place", "taken"), REFUSED_AND_TAKEN, indirect=["wire"], ids=IDS
)
def test_an_entry_refuses_what_it_says_and_nothing_else(
    wire: ModuleType, refused: Request, field: str, place: str, taken: list[Request]
) -> None:
    with pytest.raises(Refused) as caught:
        wire.build(refused)
    assert (caught.value.field, caught.value.path) == (field, place)
    for request in taken:
        assert not [
            note for note in wire.build(request, policies="lenient").notes if note.action == "refused"
        ]
        wire.build(request)


@pytest.mark.parametrize(
    ("wire", "refused", "field", "place", "taken"), REFUSED_AND_TAKEN, indirect=["wire"], ids=IDS
)
def test_a_lenient_build_notes_it_once_and_a_verbatim_one_says_nothing(
    wire: ModuleType, refused: Request, field: str, place: str, taken: list[Request]
) -> None:
    notes = [note for note in wire.build(refused, policies="lenient").notes if note.action == "refused"]
    assert [note.path for note in notes] == [place], (field, taken)
    assert not [n for n in wire.build(refused, policies="verbatim").notes if n.action == "refused"]


NAMES = [
    (_tooled(Tool("fine"), Tool("Not Fine")), "tool.name", "tools[1]"),
    (_tooled(Tool("twice"), Tool("twice")), "tools.name", "tools[1]"),
    (
        _said(USER, Message("assistant", [ToolCall("1", "not.fine", {})])),
        "tool_call.name",
        "messages[1].parts[0]",
    ),
]


@pytest.mark.parametrize("wire", ["seed=1"], indirect=True)
@pytest.mark.parametrize(("request_", "field", "place"), NAMES, ids=["pattern", "twice", "of a call"])
def test_names_of_tools_match_the_pattern_and_are_given_once(
    wire: ModuleType, request_: Request, field: str, place: str
) -> None:
    for _ in range(2):  # a name that was seen before is refused again
        with pytest.raises(Refused) as caught:
            wire.build(request_)
        assert (caught.value.field, caught.value.path) == (field, place)
    assert wire.build(_tooled(Tool("fine"), Tool("other"))).body["tools"] == [
        {"name": "fine"},
        {"name": "other"},
    ]


@pytest.mark.parametrize("wire", ["temperature>2"], indirect=True)
def test_a_value_of_another_type_is_no_traceback(wire: ModuleType) -> None:
    wrong: Any = "0.5"
    with pytest.raises(Exception, match="temperature") as caught:
        wire.build(_options(temperature=wrong))
    assert type(caught.value).__module__.startswith("promptwire_runtime")


@pytest.mark.parametrize("wire", ["part=tool_call|image"], indirect=True)
def test_a_kind_of_part_may_hang_on_another_field(wire: ModuleType, tmp_path: Path) -> None:
    called = Message("assistant", [ToolCall("a1", "f", {})])
    with pytest.raises(Refused, match="part='tool_call' is refused"):
        wire.build(Request("m", [USER, called], tools=[Tool("f")]))
    allowed = """\
  - when: {given: [tools]}
    allow: ["part=tool_call|image"]
    because: there are tools
    source: the vendor's page, 2026-11
"""
    spec = SPEC.replace("ENTRY", '"part=tool_call|image"') + allowed
    (tmp_path / "loose").mkdir()
    loose = load_wire(tmp_path / "loose", "ruled_chat", spec)
    assert loose.build(Request("m", [USER, called], tools=[Tool("f")])).notes == ()
    with pytest.raises(Refused, match="part='tool_call' is refused"):
        loose.build(Request("m", [USER, called], tools=()))


@pytest.mark.parametrize("name", promptwire.WIRES)
def test_the_compiler_and_the_runtime_take_entries_apart_alike(name: str) -> None:
    rules = getattr(promptwire, name).WIRE.rules
    entries = {text for rule in rules for text in (*rule.given, *rule.reject, *rule.allow)}
    for text in {*entries, *(row[0] for row in REFUSED_AND_TAKEN)}:
        ours, theirs = rule_entries.parse_entry(text), parse_entry(text)
        head, selector, tail = split_path(theirs.path)
        inside = parse_entry(selector) if selector else None
        found = (ours.head, ours.tail, ours.operator, ours.operand, ours.compares)
        assert found == (head, tail, theirs.operator, theirs.operand, theirs.compares), text
        named = (
            None
            if ours.selector is None
            else (ours.selector.path, ours.selector.operator, ours.selector.operand)
        )
        assert named == (None if inside is None else (inside.path, inside.operator, inside.operand)), text
