"""An API whose keys begin with capital letters: names and indexes in a stream, and a list on the way to `inside`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.internals.runtime import in_both_cases

from .compiled import wire_of

SPEC = """
wire: capital_wire
title: Capital
transport: {method: POST, url: "https://capital.example/"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: capital, choice: []}
body: {Model: $model, Tools?: $tools, Messages: $messages}
speaker: Role
slots: {content: list, tool_calls: list, thinking: one}
messages:
  user: {Role: user, Content: $content|join}
  assistant: {Role: assistant, Content?: $content|join, Thought?: $thinking, ToolCalls?: $tool_calls}
unions:
  tool:
    function: {Type: function, Function: {Name: $name, Parameters?: $parameters|object_text}}
parts:
  text: $text
  reasoning@assistant>thinking: $text
  tool_call@assistant>tool_calls: {Id: $id, Type: function, Function: {Name: $name, Arguments: $arguments|json}}
flat_items: true
answer:
  body: {Response: {Id: $id, Choices: $candidates}}
  candidate: {Index: $index, Message: $message, FinishReason: $finish}
  finish: {stop: stop, tool_calls: tool_calls}
stream:
  framing: sse
  done: "[DONE]"
  inside: Choices[].Delta.Type
  events:
    "*":
      - {put: Id, to: Response.Id}
      - {put: "Choices[].Index", to: "Response.Choices[$Index].Index"}
      - {grow: "Choices[].Delta", to: "Response.Choices[$Index].Message"}
      - {put: "Choices[].FinishReason", to: "Response.Choices[$Index].FinishReason"}
    "*/thought":
      - {put: Id, to: Response.Id}
      - {grow: "Choices[].Delta.Content", to: "Response.Choices[$Index].Message.Thought"}
  text_paths:
    text: Response.Choices[].Message.Content
    reasoning: Response.Choices[].Message.Thought
    arguments: Response.Choices[].Message.ToolCalls[].Function.Arguments
  call: {at: "Response.Choices[].Message.ToolCalls[]", id: Id, name: Function.Name}
"""
wire = wire_of("capital_wire", SPEC)


def event(finish: str = "", **delta: Any) -> dict[str, Any]:
    return {"Id": "a1", "Choices": [{"Index": 0, "Delta": delta, "FinishReason": finish}]}


def call(index: int, name: str, arguments: str, id_: str | None = None) -> dict[str, Any]:
    identity = f"c{index}" if id_ is None else id_
    function = {"Name": name, "Arguments": arguments}
    return event(ToolCalls=[{"Id": identity, "Type": "function", "Function": function, "Index": index}])


# a later piece repeats the id and type of its call, or leaves its id empty: then its index names the call
@pytest.mark.parametrize("later_id", [None, ""])
def test_names_do_not_grow_and_indexes_tell_calls_apart(wire: Any, later_id: str | None) -> None:
    events = [
        event(Role="assistant", Type="thought", Content="Two "),
        event(Role="assistant", Type="thought", Content="cities."),
        event(Role="assistant", Content="Let me "),
        event(Role="assistant", Content="look."),
        call(0, "weather", '{"city":'),
        call(1, "weather", '{"city":'),
        call(0, "", '"Oslo"}', later_id),
        call(1, "", '"Rome"}', later_id),
        event("tool_calls"),
    ]
    stream = wire.stream()
    told = [one for each in events for one in stream.feed(each)]
    answer = stream.close()
    assert (answer.id, answer.text, answer.reasoning) == ("a1", "Let me look.", "Two cities.")
    assert [(each.id, each.name, each.arguments) for each in answer.calls] == [
        ("c0", "weather", '{"city":"Oslo"}'),
        ("c1", "weather", '{"city":"Rome"}'),
    ]
    assert [one.text for one in told if one.kind == "reasoning"] == ["Two ", "cities."]


def test_a_list_without_elements_says_no_word(wire: Any) -> None:
    stream = wire.stream()
    stream.feed({"Id": "a1", "Choices": []})
    stream.feed(event("stop", Role="assistant", Content="Four."))
    assert stream.close().text == "Four."


def test_both_cases() -> None:
    assert in_both_cases("id", "name") == {"id", "Id", "name", "Name"}
