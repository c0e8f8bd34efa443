"""Loading: what each form means, where it may come from, and what is said of other sources."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from promptwire import (
    Cache,
    CustomTool,
    HostedTool,
    Image,
    Instruction,
    Json,
    Message,
    Options,
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
    load_request,
)
from promptwire.errors import LoadError
from promptwire.parts import Refusal, ToolGroup
from tests.internals.runtime import show_path


def problems_of(source: Any) -> str:
    """Load what cannot be loaded and give the text of the error."""
    with pytest.raises(LoadError) as caught:
        load_request(source)
    return str(caught.value)


MESSAGES: list[tuple[Any, Message]] = [
    ({"user": "hi", "name": "bob"}, Message("user", (Text("hi"),), name="bob")),
    ({"role": "user", "content": "hi", "name": "bob"}, Message("user", (Text("hi"),), name="bob")),
    ({"role": "user"}, Message("user")),
    ({"user": []}, Message("user")),
    ({"user": {"text": "hi", "cache": {}}}, Message("user", (Text("hi", cache=Cache()),))),
    ({"user": {"text": {"text": "hi"}, "cache": {}}}, Message("user", (Text("hi", cache=Cache()),))),
    ({"user": ["a", {"text": "b"}]}, Message("user", (Text("a"), Text("b")))),
    ({"user": {"image": "https://x/y.png"}}, Message("user", (Image(url="https://x/y.png"),))),
    (
        {"user": {"image": {"url": "https://x/y.png"}, "detail": "low"}},
        Message("user", (Image(url="https://x/y.png", detail="low"),)),
    ),
    (
        {"assistant": {"tool_call": {"id": "c1", "name": "f", "arguments": {"a": 1}}}},
        Message("assistant", (ToolCall("c1", "f", {"a": 1}),)),
    ),
    (
        {"assistant": {"tool_call": {"name": "f", "arguments": "{"}}},
        Message("assistant", (ToolCall(None, "f", "{"),)),
    ),
    (
        {"assistant": [{"reasoning": {"text": "hm", "signature": "s"}}, {"refusal": "no"}]},
        Message("assistant", (Reasoning(text="hm", signature="s"), Refusal("no"))),
    ),
    (
        {"tool": {"tool_result": {"call_id": "c1", "content": "42"}}},
        Message("tool", (ToolResult("c1", (Text("42"),)),)),
    ),
    (
        {"tool": {"tool_result": "c1", "content": {"json": {"value": {"a": 1}}}}},
        Message("tool", (ToolResult("c1", (Json({"a": 1}),)),)),
    ),
    (
        {"user": "hi", "name": None, "vendor": {"w": {"a": None}}},
        Message("user", (Text("hi"),), vendor={"w": {"a": None}}),
    ),
]


@pytest.mark.parametrize(("written", "message"), MESSAGES)
def test_messages(written: Any, message: Message) -> None:
    assert load_request({"messages": [written]}) == Request(messages=(message,))


FIELDS: list[tuple[dict[str, Any], Request]] = [
    ({}, Request()),
    ({"model": None}, Request()),
    ({"instructions": {"text": "a"}}, Request(instructions=(Instruction("a"),))),
    ({"instructions": ["a", {"text": "b"}]}, Request(instructions=(Instruction("a"), Instruction("b")))),
    (
        {"tools": [{"name": "f"}, {"custom": {"name": "g"}}, {"hosted": {"type": "t", "config": {"a": 1}}}]},
        Request(tools=(Tool("f"), CustomTool("g"), HostedTool("t", None, {"a": 1}))),
    ),
    (
        {"tools": [{"group": {"name": "g", "tools": [{"name": "f"}]}}]},
        Request(tools=(ToolGroup("g", tools=(Tool("f"),)),)),
    ),
    ({"tool_choice": "none"}, Request(tool_choice=ToolChoice("none"))),
    ({"tool_choice": {"name": "f"}}, Request(tool_choice=ToolChoice("named", "f"))),
    (
        {"tool_choice": {"names": ["f", "g"], "must": True}},
        Request(tool_choice=ToolChoice("several", names=("f", "g"), must=True)),
    ),
    ({"tool_choice": {"mode": "custom", "name": "t"}}, Request(tool_choice=ToolChoice("custom", "t"))),
    ({"tool_choice": {"parallel": False}}, Request(tool_choice=ToolChoice(parallel=False))),
    ({"response_format": "text"}, Request(response_format=ResponseFormat("text"))),
    (
        {"response_format": {"schema": {}, "strict": True}},
        Request(response_format=ResponseFormat("json_schema", {}, strict=True)),
    ),
    (
        {"response_format": {"kind": "grammar", "grammar": "g"}},
        Request(response_format=ResponseFormat("grammar", grammar="g")),
    ),
    ({"reasoning": {"effort": "high"}}, Request(reasoning=ReasoningOptions(effort="high"))),
    ({"options": {"stop": "END", "seed": 10**40}}, Request(options=Options(stop=("END",), seed=10**40))),
    ({"include": "logprobs", "cache": {}}, Request(include=("logprobs",), cache=Cache())),
]


@pytest.mark.parametrize(("written", "request_"), FIELDS)
def test_fields(written: dict[str, Any], request_: Request) -> None:
    assert load_request(written) == request_


def test_json_values_are_passed_by_reference() -> None:
    schema, arguments = {"type": "object"}, {"city": "Oslo"}
    written = {
        "messages": [{"assistant": {"tool_call": {"name": "f", "arguments": arguments}}}],
        "tools": ({"name": "f", "parameters": schema},),
    }
    request = load_request(MappingProxyType(written))
    assert request.tools is not None
    assert isinstance(request.tools[0], Tool)
    assert request.tools[0].parameters is schema
    part: Part = request.messages[0].parts[0]
    assert isinstance(part, ToolCall)
    assert part.arguments is arguments


YAML_SCALARS = """
model: no
messages:
  - user: 2024-01-01
  - user: 1:30
  - user: |
      two
      lines
  - user: !!str 5
options:
  {temperature: 1e-3, top_p: .5, seed: 0x1F, n: 007, max_tokens: +3, store: TRUE, logit_bias: {50256: -100}}
metadata: {yes: "yes", 5: on, null: ~x}
"""


def test_yaml_scalars_follow_the_core_schema(tmp_path: Path) -> None:
    file = tmp_path / "request.YML"
    file.write_text("\ufeff" + YAML_SCALARS, encoding="utf-8")
    texts = ("2024-01-01", "1:30", "two\nlines\n", "5")
    assert load_request(str(file)) == Request(
        "no",
        tuple(Message("user", (Text(text),)) for text in texts),
        options=Options(
            temperature=0.001, top_p=0.5, seed=31, n=7, max_tokens=3, store=True, logit_bias={"50256": -100}
        ),
        metadata={"yes": "yes", "5": "on", "null": "~x"},
    )


def test_yaml_aliases(tmp_path: Path) -> None:
    file = tmp_path / "request.yaml"
    file.write_text("messages:\n  - user: &text Hello\n  - &key user: *text\n  - *key : [*text, *text]\n")
    hello = Text("Hello")
    expected = (Message("user", (hello,)), Message("user", (hello,)), Message("user", (hello, hello)))
    assert load_request(file) == Request(messages=expected)


def test_problems_of_a_mapping_have_paths() -> None:
    written: dict[str, Any] = {
        "messages": [
            {"user": ["Look", {"image": {"url": 5}}]},
            {"user": {"image": {}}},
            {"user": "x", 3: 4},
            {"user": {"text": "a", "extra": {"w": {"odd key": {"b": {1, 2}}}}}},
        ],
        "tool": [],
        "options": {"seed": "7", "n": 1.0},
    }
    assert problems_of(written).splitlines() == [
        'unknown key "tool"; did you mean "tools"?',
        "messages[0].parts[1].image.url: expected text, found number 5",
        "messages[1].parts[0].image: Image takes exactly one of url, data, file_id, uri: found none",
        "messages[2]: a key must be text, found number 3",
        "messages[3].parts[0].extra.w['odd key'].b: expected a JSON value, found a Python set",
        "options.n: expected a whole number, found number 1.0",
        'options.seed: expected a whole number, found text "7"',
    ]


def test_a_mapping_inside_itself_is_bounded() -> None:
    again: dict[str, Any] = {}
    again["again"] = [again, again]
    written = {"vendor": {"w": again}}
    assert problems_of(written) == "vendor.w.again: nested deeper than 100 levels"


def test_a_call_stack_that_is_nearly_full() -> None:
    deep: Any = "x"
    for _ in range(90):
        deep = [deep]
    limit, here = sys.getrecursionlimit(), len(inspect.stack())
    try:
        sys.setrecursionlimit(here + 80)
        with pytest.raises(LoadError) as caught:
            load_request({"vendor": {"w": {"a": deep}}})
    finally:
        sys.setrecursionlimit(limit)
    assert str(caught.value) == "nested deeper than the call stack allows (at most 100 levels are read)"
    assert load_request({"vendor": {"w": {"a": deep}}}) == Request(vendor={"w": {"a": deep}})


SOURCES: list[tuple[Any, str]] = [
    (5, "a request can be loaded from a mapping or a path, not from int"),
    (None, "a request can be loaded from a mapping or a path, not from NoneType"),
    (b"request.json", "a request can be loaded from a mapping or a path, not from bytes"),
    ("", ": the name of a request file must end in .json, .yaml or .yml"),
    ("request.toml", "request.toml: the name of a request file must end in .json, .yaml or .yml"),
    ("missing.json", "missing.json: cannot be read: No such file or directory"),
    ("a\0b.yaml", "a\\x00b.yaml: cannot be read: not a valid path"),
    ("folder.json", "folder.json: cannot be read: Is a directory"),
]


@pytest.mark.parametrize(("source", "message"), SOURCES)
def test_sources_that_are_no_file(
    source: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.json").mkdir()
    assert problems_of(source) == message


def test_yaml_needs_pyyaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "yaml", None)
    for module in ("promptwire_text.composing", "promptwire_runtime.loading.yaml_text"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    Path("request.yaml").write_text("model: m")
    Path("request.json").write_text('{"model": "m"}')
    message = 'request.yaml: reading YAML needs PyYAML: pip install "promptwire[cli]"'
    assert problems_of("request.yaml") == message
    assert load_request("request.json") == Request("m")


def test_json_and_mappings_never_import_yaml(tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    file.write_text('{"model": "m"}')
    code = (
        "import sys; from promptwire_runtime.loading import load_request; "
        f"print(load_request({{}}).model, load_request({str(file)!r}).model, 'yaml' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "None m False\n"


PATHS: list[tuple[tuple[str | int, ...], str]] = [
    ((), ""),
    (("messages", 2, "user", 0, "image", "url"), "messages[2].parts[0].image.url"),
    (("messages", 2, "user", "image", "url"), "messages[2].parts[0].image.url"),
    (("messages", 2, "content", 1), "messages[2].parts[1]"),
    (("messages", 2, "role"), "messages[2].role"),
    (
        ("messages", 0, "tool", "tool_result", "content", 1, "text"),
        "messages[0].parts[0].tool_result.parts[1].text",
    ),
    (
        ("messages", 0, "assistant", 0, "tool_call", "arguments", "content", "user"),
        "messages[0].parts[0].tool_call.arguments.content.user",
    ),
    (("tools", 0, "parameters", "messages", 0, "user"), "tools[0].parameters.messages[0].user"),
    (("vendor", "a b", "c-d"), "vendor['a b'].c-d"),
]


@pytest.mark.parametrize(("path", "shown"), PATHS)
def test_paths_are_those_of_the_request(path: tuple[str | int, ...], shown: str) -> None:
    assert show_path(path) == shown
