"""Rules also apply to messages with a fast path: one text, one result, calls, pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptwire import Image, Message, Request, Text, Tool, ToolCall, ToolResult
from promptwire.errors import Refused
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC, in_words

USER = Message("user", (Text("hi"),))
ANSWER = Message("assistant", (Text("well"),))
CALLS = Message("assistant", (Text("now"), ToolCall("call_1", "find-it", {})))
RESULT = Message("tool", (ToolResult("call_1", (Text("found"),)),))
SHOWN = Message("user", (Text("see"), Image(data="iVBORw0KGgo=", media_type="image/png")))
TOOL = Tool("find-it", "Finds it.", {"type": "object"})
EVERY = (USER, CALLS, RESULT, ANSWER, SHOWN)
ALONE = (
    SPEC.replace('names: "[a-z_]+"', 'names: "[a-zA-Z0-9_-]{1,64}"')
    .replace('id: $call_id, content: "$content[]"', "id: $call_id, content: $content")
    .replace("reject: [ENTRY]", "reject: [ENTRY]\n    fix: {none: the caller must know}")
)
JOINED = ALONE.replace("slots:", "passes: [merge_neighbours]\nslots:").replace(
    "tool: {role: tool,", "tool: {role: user,"
)
# a rule, messages that it refuses, and the field that is named
CASES: list[tuple[str, tuple[Message, ...], str]] = [
    ("assistant.tool_call.id!~[a-z]+", EVERY, "assistant.tool_call.id"),
    ("assistant.tool_call.id=call_1", EVERY, "assistant.tool_call.id"),
    ("assistant.tool_call.name=find-it", EVERY, "assistant.tool_call.name"),
    ("tool.tool_result.call_id!~[a-z]+", EVERY, "tool.tool_result.call_id"),
    ("part=tool_call", EVERY, "part"),
    ("part=tool_result", EVERY, "part"),
    ("part=image", EVERY, "part"),
    ("assistant.part=tool_call", EVERY, "assistant.part"),
    ("tool.part=tool_result", EVERY, "tool.part"),
    ("user.part=image", EVERY, "user.part"),
    ("assistant.count>1", EVERY, "assistant.count"),
    ("user.count>1", (SHOWN,), "user.count"),
    ("user.count<2", (USER,), "user.count"),
    ("user.image.after=text", (SHOWN,), "user.image.after"),
    ("assistant.tool_call.before=tool.tool_result", EVERY, "assistant.tool_call.before"),
    ("message.role=tool", EVERY, "message.role"),
    ("messages.count<2", (USER,), "messages.count"),
    ("messages.count=1", (USER,), "messages.count"),
    ("tools.description=Finds*", EVERY, "tools.description"),
    ("tools.parameters.type=object", EVERY, "tools.parameters.type"),
    ("tools.name=find-*", EVERY, "tools.name"),
    ("tool=function", EVERY, "tool"),
]


@pytest.mark.slow
@pytest.mark.parametrize("spec", [ALONE, JOINED], ids=["alone", "joined"])
@pytest.mark.parametrize(
    ("entry", "messages", "field"), CASES, ids=[f"{row[0]} {len(row[1])}" for row in CASES]
)
def test_a_usual_message_is_refused_like_any_other(
    tmp_path: Path, spec: str, entry: str, messages: tuple[Message, ...], field: str
) -> None:
    made = load_wire(tmp_path, "ruled_chat", spec.replace("ENTRY", in_words(entry)))
    assert all(message.fast_path not in ("", "parts") for message in messages)
    with pytest.raises(Refused) as caught:
        made.build(Request("m", messages, tools=[TOOL]))
    assert caught.value.field == field


@pytest.mark.parametrize("spec", [ALONE, JOINED], ids=["alone", "joined"])
def test_a_name_that_the_pattern_does_not_take_is_refused_in_a_usual_call(tmp_path: Path, spec: str) -> None:
    narrow = spec.replace("[a-zA-Z0-9_-]{1,64}", "[a-z]{1,64}").replace("ENTRY", in_words("temperature>2"))
    made = load_wire(tmp_path, "ruled_chat", narrow)
    with pytest.raises(Refused, match='the name "find-it" of a tool call'):
        made.build(Request("m", EVERY))


@pytest.mark.parametrize("spec", [ALONE, JOINED], ids=["alone", "joined"])
def test_what_no_rule_refuses_is_written(tmp_path: Path, spec: str) -> None:
    made = load_wire(tmp_path, "ruled_chat", spec.replace("ENTRY", in_words("temperature>2")))
    said, call = (
        {"type": "text", "text": "now"},
        {"type": "call", "id": "call_1", "name": "find-it", "arguments": {}},
    )
    answered = {"type": "result", "id": "call_1", "content": "found"}
    shown = [{"type": "text", "text": "see"}, {"type": "image", "data": "iVBORw0KGgo="}]
    role = "user" if spec is JOINED else "tool"
    assert made.build(Request("m", EVERY)).body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [said, call]},
        {"role": role, "content": [answered]},
        {"role": "assistant", "content": [{"type": "text", "text": "well"}]},
        {"role": "user", "content": shown},
    ]


@pytest.mark.parametrize("spec", [ALONE, JOINED], ids=["alone", "joined"])
def test_arguments_that_are_spread_are_spread_in_a_usual_call(tmp_path: Path, spec: str) -> None:
    spread = spec.replace("arguments: $arguments}", "...: $arguments}").replace(
        "ENTRY", in_words("temperature>2")
    )
    made = load_wire(tmp_path, "ruled_chat", spread)
    call = Message("assistant", (ToolCall("call_1", "find-it", {"city": "Oslo"}),))
    written = {"type": "call", "id": "call_1", "name": "find-it", "city": "Oslo"}
    assert made.build(Request("m", [USER, call, RESULT])).body["messages"][1]["content"] == [written]


@pytest.mark.parametrize("spec", [ALONE, JOINED], ids=["alone", "joined"])
def test_a_result_that_needs_a_name_says_so_in_its_usual_form(tmp_path: Path, spec: str) -> None:
    named = spec.replace("id: $call_id, content: $content", "id: $call_id, tool: $name, content: $content")
    made = load_wire(tmp_path, "ruled_chat", named.replace("ENTRY", in_words("temperature>2")))
    content = made.build(Request("m", EVERY)).body["messages"][2]["content"]
    assert content == [{"type": "result", "id": "call_1", "tool": "find-it", "content": "found"}]
