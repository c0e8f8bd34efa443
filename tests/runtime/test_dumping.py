"""Dumping: the exact form, and the law that loading gives the same Request back."""

from __future__ import annotations

import json
import tempfile
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from promptwire import (
    Cache,
    CustomTool,
    Document,
    HostedTool,
    Image,
    Instruction,
    Json,
    Message,
    Options,
    Part,
    Reasoning,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    dump_request,
    load_request,
)
from promptwire.parts import Opaque, Refusal, ToolGroup
from promptwire.plugins import Form, Kept, Provenance
from tests.internals.runtime import Swap, holds_payload, is_list_value as is_list, is_mapping
from tests.searching import examples
from tests.strategies import MEMORY, PART_CLASSES, instances, requests

relaxed = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


class QuotingDumper(yaml.SafeDumper):
    """A YAML writer that quotes all text: PyYAML leaves `1e3` bare, which YAML 1.2 calls a number."""

    def write_text(self, text: str) -> yaml.ScalarNode:
        """Write text in double quotes."""
        return yaml.ScalarNode("tag:yaml.org,2002:str", text, style='"')

    def ignore_aliases(self, data: object) -> bool:
        """Write every value out."""
        return data is not None


QuotingDumper.add_representer(str, QuotingDumper.write_text)


def without_memory(node: Any) -> Any:
    """Take `kept` and `provenance` from a node and from all nodes inside it; what is signed keeps its provenance."""
    if is_list(node):
        inside = [without_memory(each) for each in node]
        return tuple(inside) if isinstance(node, tuple) else inside
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {f.name: without_memory(getattr(node, f.name)) for f in fields(node) if f.init}
    parts: tuple[Any, ...] = node.parts if isinstance(node, Message) else (node,)
    lost = ("kept",) if any(map(holds_payload, parts)) else MEMORY
    return replace(node, **(changed | {name: None for name in lost if name in changed}))


def same(one: object, other: object) -> bool:
    """Return whether two values are equal and of the same types: 1 is not True."""
    return one == other and repr(one) == repr(other)


@relaxed
@given(requests(memory=True))
def test_loading_a_dump_gives_the_request_without_its_memory(request_: Request) -> None:
    assert same(load_request(dump_request(request_)), without_memory(request_))


@relaxed
@given(requests(memory=True))
def test_loading_a_whole_dump_gives_the_whole_request(request_: Request) -> None:
    assert same(load_request(dump_request(request_, kept=True)), request_)


@pytest.mark.search
@pytest.mark.parametrize("cls", PART_CLASSES)
def test_every_part_comes_back(cls: type[Part]) -> None:
    @settings(relaxed, max_examples=examples(40))
    @given(instances(cls, memory=True))
    def law(part: Part) -> None:
        whole = Request("m", (Message("user", (part,)), Message("tool", (part, Text("x")))))
        assert same(load_request(dump_request(whole, kept=True)), whole)

    law()


@relaxed
@given(requests(memory=True))
def test_a_dump_survives_json_and_yaml_files(request_: Request) -> None:
    dump = dump_request(request_, kept=True)
    with tempfile.TemporaryDirectory() as folder:
        json_file, yaml_file = Path(folder, "request.json"), Path(folder, "request.yaml")
        json_file.write_text(json.dumps(dump), encoding="utf-8")
        yaml_file.write_text(yaml.dump(dump, Dumper=QuotingDumper, sort_keys=False), encoding="utf-8")
        assert same(load_request(json_file), request_)
        assert same(load_request(yaml_file), request_)


def containers(value: Any) -> set[int]:
    """Collect the identities of all lists and mappings inside a value or node."""
    if is_dataclass(value):
        return set[int]().union(*[containers(getattr(value, f.name)) for f in fields(value)])
    if is_mapping(value):
        return {id(value)}.union(*[containers(each) for each in value.values()])
    if is_list(value):
        own = {id(value)} if isinstance(value, list) else set[int]()
        return own.union(*[containers(each) for each in value])
    return set()


def test_a_dump_shares_no_container_with_the_request() -> None:
    schema = {"type": "object", "required": ["a"]}
    request = Request("m", (Message("user", (Json({"a": [1]}),)),), tools=(Tool("f", None, schema),))
    dump = dump_request(request)
    assert dump == {
        "model": "m",
        "messages": [{"user": {"json": {"value": {"a": [1]}}}}],
        "tools": [{"name": "f", "parameters": {"type": "object", "required": ["a"]}}],
    }
    assert not containers(request) & containers(dump)


def test_an_empty_request_is_an_empty_mapping() -> None:
    assert dump_request(Request()) == {}


CONTENT: list[tuple[tuple[Part, ...], Any]] = [
    ((), []),
    ((Text("hi"),), "hi"),
    ((Text("a"), Text("b")), ["a", "b"]),
    ((Text("hi", cache=Cache()),), {"text": "hi", "cache": {}}),
    ((Image(url="https://x/y.png"),), {"image": "https://x/y.png"}),
    ((Image(data="aGk=", media_type="image/png"),), {"image": {"data": "aGk=", "media_type": "image/png"}}),
    ((ToolCall("c1", "f", {"a": 1}),), {"tool_call": {"id": "c1", "name": "f", "arguments": {"a": 1}}}),
    ((ToolCall(None, "f"),), {"tool_call": {"name": "f"}}),
    ((ToolResult("c1", (Text("42"),)),), {"tool_result": {"call_id": "c1", "content": "42"}}),
    ((ToolResult("c1"),), {"tool_result": "c1"}),
    ((Json(None),), {"json": {"value": None}}),
    ((Json([1, 2]),), {"json": [1, 2]}),
    ((Json({"a": 1}),), {"json": {"value": {"a": 1}}}),
    ((Document(parts=(Text("a"),), title="t"),), {"document": {"content": "a", "title": "t"}}),
    ((Reasoning(),), {"reasoning": {}}),
    ((Reasoning(texts=("a",)),), {"reasoning": {"texts": ["a"]}}),
    ((Refusal("no"), Text("x")), [{"refusal": "no"}, "x"]),
    ((Opaque("w", None),), {"opaque": {"wire": "w", "value": None}}),
]


@pytest.mark.parametrize(("parts", "written"), CONTENT)
def test_content(parts: tuple[Part, ...], written: Any) -> None:
    request = Request(messages=(Message("assistant", parts),))
    assert dump_request(request) == {"messages": [{"assistant": written}]}
    assert same(load_request({"messages": [{"assistant": written}]}), request)


FIELDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"instructions": "be brief"}, {"instructions": "be brief"}),
    (
        {"instructions": (Instruction("a"), Instruction("b", "developer", cache=Cache("1h")))},
        {"instructions": ["a", {"text": "b", "role": "developer", "cache": {"ttl": "1h"}}]},
    ),
    ({"tools": ()}, {"tools": []}),
    (
        {
            "tools": (
                CustomTool("t"),
                HostedTool("web_search"),
                ToolGroup("g", tools=(Tool("f", strict=True),)),
            )
        },
        {
            "tools": [
                {"custom": {"name": "t"}},
                {"hosted": {"type": "web_search"}},
                {"group": {"name": "g", "tools": [{"name": "f", "strict": True}]}},
            ]
        },
    ),
    (
        {"tools": (Opaque("w", {"x": 1}, "tools"),)},
        {"tools": [{"opaque": {"wire": "w", "value": {"x": 1}, "place": "tools"}}]},
    ),
    ({"tool_choice": ToolChoice("auto")}, {"tool_choice": "auto"}),
    ({"tool_choice": ToolChoice("named", "f")}, {"tool_choice": {"name": "f"}}),
    (
        {"tool_choice": ToolChoice("several", names=("f", "g"), must=True)},
        {"tool_choice": {"names": ["f", "g"], "must": True}},
    ),
    ({"tool_choice": ToolChoice("custom", "t")}, {"tool_choice": {"mode": "custom", "name": "t"}}),
    ({"tool_choice": ToolChoice(parallel=False)}, {"tool_choice": {"parallel": False}}),
    ({"tool_choice": ToolChoice(name="f")}, {"tool_choice": {"mode": None, "name": "f"}}),
    ({"response_format": ResponseFormat("json")}, {"response_format": "json"}),
    (
        {"response_format": ResponseFormat("json_schema", {"type": "object"}, "n")},
        {"response_format": {"schema": {"type": "object"}, "name": "n"}},
    ),
    ({"response_format": ResponseFormat("json_schema")}, {"response_format": {"kind": "json_schema"}}),
    ({"options": Options(stop=("a",), top_k=0)}, {"options": {"stop": ["a"], "top_k": 0}}),
    ({"cache": Cache(), "stream": False}, {"cache": {}, "stream": False}),
]


@pytest.mark.parametrize(("given_", "written"), FIELDS)
def test_request_fields(given_: dict[str, Any], written: dict[str, Any]) -> None:
    assert dump_request(Request(**given_)) == written
    assert same(load_request(written), Request(**given_))


def test_memory_is_written_only_on_demand() -> None:
    form = Form(
        added={"k": [1]},
        swapped=(Swap({"b": None}, {"b": 1}, (1,)), Swap({}, {"a": None})),
        listed={"content": ({"type": "text"}, "text")},
        inside={"tools": {0: Form(names={"x": ("y",)})}, "c": Form()},
    )
    message = Message("user", (Text("hi"),), provenance=Provenance("w", "m"), kept=Kept("w", form, "s"))
    request = Request("m", (message,), kept=Kept("w", Form(swapped=(Swap({"b": 1}, {}),))))
    assert dump_request(request) == {"model": "m", "messages": [{"user": "hi"}]}
    whole = dump_request(request, kept=True)
    assert whole == {
        "model": "m",
        "messages": [
            {
                "user": "hi",
                "provenance": {"wire": "w", "model": "m"},
                "kept": {
                    "wire": "w",
                    "form": {
                        "added": {"k": [1]},
                        "swapped": [
                            {"fresh": {"b": None}, "read": {"b": 1}, "unread": [1]},
                            {"fresh": {}, "read": {"a": None}},
                        ],
                        "listed": {"content": [{"type": "text"}, "text"]},
                        "inside": {"tools": {"0": {"names": {"x": ["y"]}}}, "c": {}},
                    },
                    "shape": "s",
                },
            }
        ],
        "kept": {"wire": "w", "form": {"swapped": [{"fresh": {"b": 1}, "read": {}}]}},
    }
    assert same(load_request(whole), request)
