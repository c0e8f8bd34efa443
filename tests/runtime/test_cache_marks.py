"""Cache marks count as often as they are sent, and only those that are sent."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Cache,
    Instruction,
    Message,
    Options,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    anthropic_messages,
    bedrock_converse,
    openai_chat,
    tool_result,
    user,
)
from promptwire.errors import Refused
from promptwire.parts import Opaque
from promptwire.plugins import Provenance

MARK = Cache()
MARKED = Text("a", cache=MARK)
WIRES = [anthropic_messages, bedrock_converse]


def asking(*messages: Message, model: str = "claude-sonnet-4-5", **given: Any) -> Request:
    return Request(model, messages, options=Options(max_tokens=9), **given)


@pytest.mark.parametrize("wire", WIRES)
def test_one_node_that_stands_five_times_is_five_marks(wire: Any) -> None:
    four = Message("user", (MARKED, MARKED, MARKED, MARKED))
    assert wire.build(asking(four)).notes == ()
    with pytest.raises(Refused) as refused:
        wire.build(asking(Message("user", (MARKED,) * 5)))
    assert (refused.value.field, refused.value.path) == ("cache.count", "messages[0].parts[0]")
    built = wire.build(asking(Message("user", (MARKED,) * 7)), policies="loss=note,refusals=send,repairs=off")
    assert [(note.action, note.field) for note in built.notes] == [("refused", "cache.count")]


@pytest.mark.parametrize("wire", WIRES)
def test_layers_tools_and_parts_share_the_limit(wire: Any) -> None:
    layers = (Instruction("x", cache=MARK), Instruction("y", cache=MARK))
    messages = (user(Text("a", cache=MARK)), Message("assistant", (Text("b", cache=MARK),)))
    assert wire.build(asking(*messages, user("c"), instructions=layers)).notes == ()
    with pytest.raises(Refused) as refused:
        wire.build(asking(*messages, user(Text("c", cache=MARK)), instructions=layers))
    assert refused.value.path == "messages[2].parts[0]"


def test_a_mark_that_is_not_sent_counts_for_nothing() -> None:
    thought = Reasoning(text="so", signature="c2ln", cache=MARK, provenance=Provenance("anthropic_messages"))
    turn = Message("assistant", (thought, Text("b", cache=MARK)))
    request = asking(Message("user", (MARKED, MARKED, MARKED)), turn, user("c"))
    built = anthropic_messages.build(request, policies="loss=note,refusals=send,repairs=off")
    assert [str(note).partition(":")[0] for note in built.notes] == ["dropped messages[1].parts[0].cache"]


def test_a_mark_that_has_no_place_is_not_refused_as_well() -> None:
    turn = Message("assistant", (ToolCall("c", "f", {}, cache=MARK),))
    request = asking(user("q"), turn, tool_result("c", "r"), model="gpt-4o")
    built = openai_chat.build(request, policies="loss=note,refusals=send,repairs=off")
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", "messages[1].parts[0]", "cache")
    ]


def test_an_element_that_goes_out_as_it_came_takes_no_mark() -> None:
    own = Opaque("bedrock_converse", {"new": {}}, cache=MARK)
    built = bedrock_converse.build(
        asking(Message("user", (Text("a"), own))), policies="loss=note,refusals=send,repairs=off"
    )
    assert built.body["messages"][0]["content"] == [{"text": "a"}, {"new": {}}]
    assert [(note.path, note.field) for note in built.notes] == [("messages[0].parts[1]", "cache")]


@pytest.mark.parametrize("after", [(), (user("and?"),)])
def test_a_marked_result_that_stands_alone_is_marked(after: tuple[Message, ...]) -> None:
    call = Message("assistant", (ToolCall("c", "f", {}),))
    result = Message("tool", (ToolResult("c", "r", cache=MARK),))
    tools = (Tool("f", parameters={"type": "object"}),)
    request = asking(user("q"), call, result, *after, tools=tools)
    content = bedrock_converse.build(request).body["messages"][2]["content"]
    held = {"toolResult": {"toolUseId": "c", "content": [{"text": "r"}]}}
    assert content[:2] == [held, {"cachePoint": {"type": "default"}}]
    calls = Message("assistant", (ToolCall("b", "f", {}), ToolCall("c", "f", {})))
    again = asking(user("q"), calls, Message("tool", (ToolResult("b", "r"),)), result, tools=tools)
    assert bedrock_converse.build(again).body["messages"][2]["content"][1:] == content[:2]
