"""Signed or encrypted values are sent where their origin is known, from the part itself or its message."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import promptwire
from promptwire import Message, Options, Reasoning, Request, Text, ToolCall, ToolResult, user
from promptwire.errors import NoPlace
from promptwire.plugins import Provenance
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES

SIGNED = Reasoning(text="Hm.", signature="c2ln")


@pytest.mark.parametrize(
    ("message", "part", "kept"),
    [
        (None, None, False),
        (Provenance(model="m"), None, False),
        (Provenance(api="anthropic_messages"), None, True),
        (Provenance("anthropic_messages"), None, True),
        (Provenance("mistral_chat", api="mistral_chat"), None, False),
        (Provenance("mistral_chat"), None, False),
        (Provenance("mistral_chat"), Provenance("anthropic_messages"), True),
        (None, Provenance("mistral_chat"), False),
        (None, Provenance(model="m"), False),
        (Provenance("anthropic_messages"), Provenance(model="m"), True),
        (Provenance("mistral_chat"), Provenance(model="m"), False),
    ],
)
def test_the_origin_decides(message: Provenance | None, part: Provenance | None, kept: bool) -> None:
    thought = replace(SIGNED, provenance=part)
    turn = Message("assistant", (thought, ToolCall("c1", "f", {})), provenance=message)
    answer = Message("tool", (ToolResult("c1", "1"),))
    request = Request("m", (user("Hi"), turn, answer), options=promptwire.Options(max_tokens=8))
    built = promptwire.anthropic_messages.build(request, policies="loss=note,refusals=send,repairs=off")
    content: Any = built.body["messages"][1]["content"]
    assert [block["type"] for block in content] == (["thinking", "tool_use"] if kept else ["tool_use"])
    assert request.messages[1] is turn
    assert turn.parts[0] is thought


UNSAID: list[tuple[str, str, str, Any]] = [
    ("anthropic_messages", "Anthropic Messages", "signature", Reasoning(text="so", signature="c2ln")),
    ("anthropic_messages", "Anthropic Messages", "redacted", Reasoning(redacted="c2ln")),
    ("anthropic_bedrock", "", "signature", Reasoning(text="so", signature="c2ln")),
    ("bedrock_converse", "", "signature", Reasoning(text="so", signature="c2ln")),
    ("gemini_generate", "", "signature", Text("so", signature="c2ln")),
    ("mistral_chat", "", "signature", Reasoning(text="so", signature="c2ln")),
    ("openai_responses", "", "encrypted", Reasoning(summary=("so",), encrypted="c2ln")),
    ("azure_openai_responses", "", "encrypted", Reasoning(encrypted="c2ln")),
    ("openrouter_chat", "", "signature", Reasoning(text="so", signature="c2ln")),
]


@pytest.mark.parametrize(("wire", "title", "field", "part"), UNSAID)
def test_what_does_not_say_who_made_it_is_refused(wire: str, title: str, field: str, part: Any) -> None:
    turn = Message("assistant", (part, Text("Hello.")))
    request = Request("m", (user("q"), turn, user("!")), options=Options(max_tokens=9))
    build, settings, facts = module(wire).build, address(wire), module(wire).WIRE
    assert title in ("", facts.title)
    with pytest.raises(NoPlace) as refused:
        build(request, settings=settings)
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[0]", field)
    own = f'provenance=Provenance(wire="{wire}", api="{facts.api}")'
    assert str(refused.value).split("\n")[0] == (
        f"{wire}: messages[1].parts[0]: {field}: it may not come from {facts.title}; "
        f"if it does, set {own} on the part or its message"
    )
    built = build(request, settings=settings, policies="loss=note,refusals=send,repairs=off")
    assert "c2ln" not in built.json().decode()
    assert "messages[1].parts[0]" in {note.path for note in built.notes}
    assert "c2ln" in build(request, settings=settings, policies="verbatim").json().decode()
    origin = Provenance(wire, api=facts.api)
    for said in (replace(turn, provenance=origin), replace(turn, parts=(replace(part, provenance=origin),))):
        again = build(
            replace(request, messages=(user("q"), said)),
            settings=settings,
            policies="loss=note,refusals=send,repairs=off",
        )
        assert "c2ln" in again.json().decode()


def test_what_stands_inside_a_result_says_who_made_it_too() -> None:
    call = Message("assistant", (ToolCall("c1", "f", {}),))
    result = ToolResult("c1", (Text("sun", signature="c2ln"),), name="f")
    request = Request(
        "m", (user("q"), call, Message("tool", (result,))), tools=(promptwire.Tool("f", "Does it"),)
    )
    with pytest.raises(NoPlace) as refused:
        promptwire.gemini_generate.build(request)
    assert (refused.value.path, refused.value.field) == ("messages[2].parts[0].parts[0]", "signature")
    built = promptwire.gemini_generate.build(request, policies="loss=note,refusals=send,repairs=off")
    assert b"c2ln" not in built.json()


@pytest.mark.parametrize(
    ("api", "kept"), [("anthropic_messages", True), ("bedrock_converse", False), (None, False)]
)
def test_a_part_that_says_its_own_origin_is_taken_at_its_word(api: str | None, kept: bool) -> None:
    origin = Provenance("anthropic_bedrock", "claude", api)
    thought = Reasoning(text="Hm.", signature="EqQB", provenance=origin)
    elsewhere = Message(
        "assistant", (thought, Text("Hello.")), provenance=Provenance("openai_chat", "m", "openai_chat")
    )
    request = Request(
        "claude-sonnet-4-5", [user("Hi"), elsewhere, user("Bye")], options=Options(max_tokens=64)
    )
    content: Any = promptwire.anthropic_messages.build(
        request, policies="loss=note,refusals=send,repairs=off"
    ).body["messages"][1]["content"]
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}
    assert content == ([signed, {"type": "text", "text": "Hello."}] if kept else "Hello.")


OTHER = Provenance("openrouter_chat", "m", "openrouter_chat")


FOREIGN: list[tuple[str, Any]] = [
    ("assistant", Reasoning(text="so", signature="c2ln", provenance=OTHER)),
    ("assistant", Reasoning(encrypted="c2ln", provenance=OTHER)),
    ("assistant", Text("so", signature="c2ln", provenance=OTHER)),
    ("assistant", ToolCall("c1", "weather", {}, signature="c2ln", provenance=OTHER)),
    ("tool", ToolResult("c1", (Text("sun"),), name="weather", signature="c2ln", provenance=OTHER)),
]


@pytest.mark.parametrize(
    "wire",
    [name for name in TESTED_WIRES if name not in ("openrouter_chat", "bedrock_meta", "bedrock_titan")],
)
def test_a_part_that_says_itself_where_it_came_from_is_taken_at_its_word(wire: str) -> None:
    for (role, part), beside in product(FOREIGN, [(), (Text("beside"),)]):
        check_foreign(wire, role, part, beside)


def check_foreign(wire: str, role: str, part: Any, beside: tuple[Any, ...]) -> None:
    """Check that a part of another API is refused, or sent without what only that API reads."""
    message = Message(role, (part, *(beside if role == "assistant" else ())))
    call = Message("assistant", (ToolCall("c1", "weather", {}),))
    before = (call,) if role == "tool" else ()
    request = Request(
        "m",
        (user("q"), *before, message),
        tools=(promptwire.Tool("weather", "Tells it", {}),),
        options=Options(max_tokens=9),
    )
    with pytest.raises(promptwire.RequestError):
        module(wire).build(request, settings=address(wire))
    built = module(wire).build(
        request, settings=address(wire), policies="loss=note,refusals=send,repairs=off"
    )
    assert "c2ln" not in built.json().decode()
    path = f"messages[{len(before) + 1}].parts[0]"
    # where a wire has no message of the role, the whole message is noted
    whole = {note.path for note in built.notes if note.field == "role"}
    assert path in {note.path for note in built.notes} or path.partition(".")[0] in whole
