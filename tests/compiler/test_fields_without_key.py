"""A field that a spec has no key for is an error or a note on every node, plain or not, in the order of its class."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Cache,
    Instruction,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    assistant,
    user,
)
from promptwire.errors import NoPlace

from .compiled import wire_of

SPEC = """
wire: bare_wire
title: Bare
transport: {method: POST, url: "https://small.example/v1"}
instructions: {native: true, placement: top_level, field: system, several: blocks}
continuation: {mode: resend}
tools: {format: little, choice: [auto]}
body:
  model?: $model
  safe?: $vendor.safe
  seen?: =$vendor.seen
  system?: "$instructions[]"
  tools?: $tools
  tool_choice?: $tool_choice
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, content: "$content[]"}
unions:
  instruction:
    layer: $text
  tool:
    function: {name: $name, parameters?: $parameters}
  tool_choice:
    auto: auto
parts:
  text: {type: text, text: $text, seen?: =$vendor.seen}
  tool_call@assistant: {type: call, name: $name, input: $arguments}
  tool_result@user: {type: result, id: $call_id, content: $content}
"""
SCHEMA = {"type": "object"}


wire = wire_of("bare_wire", SPEC)


def told(wire: Any, request: Request) -> tuple[str, list[tuple[str, str, str]]]:
    """The error of a strict build, and action, path and field of every note of a lenient one."""
    with pytest.raises(NoPlace) as refused:
        wire.build(request)
    notes = wire.build(request, policies="lenient").notes
    return str(refused.value).partition("\n")[0], [(note.action, note.path, note.field) for note in notes]


def test_a_plain_function_is_not_sent_without_its_description(wire: Any) -> None:
    request = Request("m", [user("hi")], tools=[Tool("find", "Finds it.", SCHEMA)])
    assert told(wire, request) == (
        "bare_wire: tools[0]: description: Bare does not support it",
        [("dropped", "tools[0]", "description")],
    )
    lenient = wire.build(request, policies="lenient")
    assert lenient.body["tools"] == [{"name": "find", "parameters": SCHEMA}]


def test_a_plain_call_is_not_sent_without_its_id(wire: Any) -> None:
    request = Request("m", [user("hi"), assistant(ToolCall("c1", "find", {"a": 1}))])
    assert told(wire, request) == (
        "bare_wire: messages[1].parts[0]: id: Bare does not support it",
        [("dropped", "messages[1].parts[0]", "id")],
    )


def test_notes_stand_in_the_order_of_the_fields(wire: Any) -> None:
    part = Text("hi", citations=[{"a": 1}], logprobs=[0.5], cache=Cache(), vendor={"bare_wire": {"odd": 1}})
    assert told(wire, Request("m", [user(part)])) == (
        "bare_wire: messages[0].parts[0]: citations: Bare does not support it",
        [
            ("dropped", "messages[0].parts[0]", field)
            for field in ("citations", "logprobs", "cache", "vendor.bare_wire.odd")
        ],
    )


def test_a_result_that_is_no_error_says_nothing_and_a_failed_one_does(wire: Any) -> None:
    def request(*, failed: bool) -> Request:
        call = ToolCall("c1", "find", {})
        return Request("m", [user("hi"), assistant(call), user(ToolResult("c1", ["x"], is_error=failed))])

    about = "messages[2].parts[0]"
    lenient = [wire.build(request(failed=failed), policies="lenient").notes for failed in (False, True)]
    assert [[(n.field, n.why) for n in notes if n.path == about] for notes in lenient] == [
        [("is_error", "Bare does not use it")],
        [("is_error", "Bare has no mark of an error; said in the text")],
    ]


def test_a_choice_and_a_body_say_what_they_have_no_key_for(wire: Any) -> None:
    tools = [Tool("find", parameters=SCHEMA)]
    choice = ToolChoice("auto", parallel=False)
    request = Request("m", [user("hi")], tools=tools, tool_choice=choice, stream=True, verbosity="low")
    assert told(wire, request) == (
        "bare_wire: tool_choice: parallel: Bare does not support it",
        [("dropped", "tool_choice", "parallel"), ("dropped", "", "stream"), ("dropped", "", "verbosity")],
    )


def test_a_layer_that_stands_bare_says_what_no_key_could_join(wire: Any) -> None:
    layer = Instruction("be brief", cache=Cache(), vendor={"bare_wire": {"odd": 1}})
    request = Request("m", [user("hi")], instructions=[layer, Instruction("and kind")])
    assert told(wire, request) == (
        "bare_wire: instructions[0]: cache: Bare does not support it",
        [("dropped", "instructions[0]", "cache"), ("dropped", "instructions[0]", "vendor.bare_wire.odd")],
    )


def test_an_option_that_is_only_read_is_not_sent(wire: Any) -> None:
    part = Text("hi", vendor={"bare_wire": {"seen": 1}})
    notes = wire.build(Request("m", [user(part)])).notes
    assert [(n.action, n.path, n.field) for n in notes] == [
        ("dropped", "messages[0].parts[0]", "vendor.bare_wire.seen")
    ]
    with pytest.raises(NoPlace, match=r"vendor\.bare_wire\.seen"):
        wire.build(Request("m", [user("hi")], vendor={"bare_wire": {"seen": 1}}))
