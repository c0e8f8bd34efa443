"""Messages of the system or developer that begin a conversation are instructions where a wire has those at the top."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

import promptwire
from promptwire import (
    Cache,
    Continuation,
    Image,
    Instruction,
    Message,
    Options,
    Policies,
    Request,
    RequestError,
    Text,
    Tool,
    ToolCall,
    anthropic_messages,
    assistant,
    bedrock_converse,
    gemini_generate,
    openai_chat,
    openai_responses,
    system,
    tool_result,
    user,
)
from promptwire.errors import NoPlace, Refused
from promptwire.parts import developer
from tests.notes import changes

AT_THE_TOP = [
    "anthropic_bedrock", "anthropic_foundry", "anthropic_messages", "anthropic_vertex", "bedrock_converse", "bedrock_nova",
    "gemini_generate", "gemini_interactions", "mistral_conversations",
]  # fmt: skip
TOOL = Tool("f", parameters={"type": "object"})
TALK = (system("Be terse."), user("Hi"), assistant("Hello."), user("Bye"))
ASKED = Request("claude-sonnet-4-5", TALK, options=Options(max_tokens=9))
MODEL = {"model": "claude-sonnet-4-5"}
SAID = [("user", "Hi"), ("assistant", "Hello."), ("user", "Bye")]
TURNS = [{"role": role, "content": text} for role, text in SAID]
TERSE = {"role": "system", "content": "Be terse."}


def moved(title: str, *paths: str) -> list[str]:
    """Return the notes of messages that were lifted."""
    return [f"moved {path}: sent as instructions of {title}" for path in paths]


def build(wire: str, request: Request, policies: Policies | str = "strict") -> Any:
    return import_module(f"promptwire.{wire}").build(request, policies=policies)


def as_instructions(request: Request, *layers: str) -> Request:
    """Return the request with layers of instructions."""
    return replace(request, instructions=tuple(map(Instruction, layers)))


# ---- whole bodies


@pytest.mark.parametrize(
    ("wire", "body", "notes"),
    [
        (openai_chat, {**MODEL, "max_completion_tokens": 9, "messages": [TERSE, *TURNS]}, []),
        (openai_responses, {**MODEL, "max_output_tokens": 9, "input": [TERSE, *TURNS]}, []),
        (
            anthropic_messages,
            {**MODEL, "max_tokens": 9, "system": "Be terse.", "messages": TURNS},
            moved("Anthropic Messages", "messages[0]"),
        ),
        (
            gemini_generate,
            {
                "generationConfig": {"maxOutputTokens": 9},
                "systemInstruction": {"parts": [{"text": "Be terse."}]},
                "contents": [
                    {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
                    for role, text in SAID
                ],
            },
            moved("Gemini generateContent", "messages[0]"),
        ),
        (
            bedrock_converse,
            {
                "inferenceConfig": {"maxTokens": 9},
                "system": [{"text": "Be terse."}],
                "messages": [{"role": role, "content": [{"text": text}]} for role, text in SAID],
            },
            moved("Amazon Bedrock Converse", "messages[0]"),
        ),
    ],
    ids=["openai_chat", "openai_responses", "anthropic_messages", "gemini_generate", "bedrock_converse"],
)
def test_each_wire_has_it_where_its_instructions_are(wire: Any, body: Any, notes: list[str]) -> None:
    built = wire.build(ASKED)
    assert built.body == body
    assert [str(note) for note in built.notes] == notes
    assert wire.build(wire.read(body).request, policies="verbatim").body == body


@pytest.mark.parametrize("wire", AT_THE_TOP)
@pytest.mark.parametrize("policies", ["strict", "loss=note,refusals=send,repairs=off"])
def test_the_body_is_that_of_instructions(wire: str, policies: str) -> None:
    built = build(wire, ASKED, policies)
    plain = as_instructions(replace(ASKED, messages=TALK[1:]), "Be terse.")
    assert built.body == build(wire, plain, policies).body
    several = replace(ASKED, messages=(system("One."), developer("Two.", "Three."), *TALK[1:]))
    plain = as_instructions(replace(ASKED, messages=TALK[1:]), "One.", "Two.", "Three.")
    built = build(wire, several, policies)
    assert built.body == build(wire, plain, policies).body
    assert [(note.action, note.path) for note in built.notes] == [
        ("moved", "messages[0]"),
        ("moved", "messages[1]"),
    ]
    assert several.messages[0] == system("One.")


def test_the_list_of_such_wires_is_whole() -> None:
    found = [
        name for name in promptwire.WIRES if getattr(import_module(f"promptwire.{name}").WIRE, "hoist", False)
    ]
    # the last one takes no conversation
    assert sorted(found) == [*AT_THE_TOP, "ollama_generate"]


def test_a_transcript_moves_between_wires() -> None:
    said = {"role": "developer", "id": "msg_1", "own": 1, "content": "Be terse."}
    body = {"model": "gpt-5", "max_output_tokens": 99, "input": [said, *TURNS]}
    reading = openai_responses.read(body)
    assert openai_responses.build(reading.request).body == body
    built = anthropic_messages.build(replace(reading.request, model="claude-sonnet-4-5"))
    assert built.body == {**MODEL, "max_tokens": 99, "system": "Be terse.", "messages": TURNS}
    assert [str(note) for note in built.notes] == [
        *moved("Anthropic Messages", "messages[0]"),
        "dropped messages[0].id: Anthropic Messages does not use it",
        "dropped messages[0].own: only openai_responses has this key",
    ]


def test_marks_and_options_of_the_texts_stay_on_the_layers() -> None:
    cited: Any = [{"type": "char_location", "cited_text": "x"}]
    texts = [
        Text("A manual.", cache=Cache("1h")),
        Text("Hours.", vendor={"anthropic_messages": {"citations": cited}}),
    ]
    built = anthropic_messages.build(replace(ASKED, messages=(Message("system", texts), user("Hi"))))
    assert built.body["system"] == [
        {"type": "text", "text": "A manual.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"type": "text", "text": "Hours.", "citations": cited},
    ]


# ---- what stays where it is


@pytest.mark.parametrize(
    "first",
    [
        Message("system", [Text("Look"), Image(data="AA==", media_type="image/png")]),
        Message("system", []),
        Message("system", "Be terse.", name="editor"),
        Message("system", "Be terse.", vendor={"gemini_generate": {"odd": 1}}),
        Message("system", Text("Be terse.", signature="s")),
    ],
    ids=["image", "empty", "name", "option", "signature"],
)
def test_what_layers_cannot_hold_is_refused(first: Message) -> None:
    with pytest.raises(NoPlace, match="this API has no messages of this role") as refused:
        gemini_generate.build(replace(ASKED, messages=(first, user("Hi"))))
    assert refused.value.path == "messages[0]"
    # nor is it passed over
    with pytest.raises(NoPlace) as refused:
        gemini_generate.build(replace(ASKED, messages=(system("One."), first, user("Hi"))))
    assert refused.value.path == "messages[1]"


@pytest.mark.parametrize("instructions", ["Be kind.", (Instruction("Be kind."), Instruction("Be brief."))])
@pytest.mark.parametrize("policies", ["strict", "loss=note,refusals=send,repairs=off"])
@pytest.mark.parametrize("wire", AT_THE_TOP)
def test_they_go_behind_the_instructions_of_the_request(wire: str, policies: str, instructions: Any) -> None:
    built = build(wire, replace(ASKED, instructions=instructions), policies)
    own = (instructions,) if isinstance(instructions, str) else [layer.text for layer in instructions]
    plain = as_instructions(replace(ASKED, messages=TALK[1:]), *own, "Be terse.")
    assert built.body == build(wire, plain, policies).body
    assert changes(built.notes) == ["moved messages[0]"]


@pytest.mark.parametrize("wire", AT_THE_TOP)
def test_instructions_that_say_nothing_are_none(wire: str) -> None:
    assert build(wire, replace(ASKED, instructions="")).body == build(wire, ASKED).body


def wants_a_message(wire: str) -> bool:
    """Return whether a rule of a wire is about requests without a message."""
    rules = import_module(f"promptwire.{wire}").WIRE.rules
    return any(entry.path.text == "messages.count" for rule in rules for entry in rule.reject)


@pytest.mark.parametrize(
    "wire",
    [
        wire
        for wire in (*AT_THE_TOP, "mistral_chat", "mistral_agents", "openai_responses")
        if wants_a_message(wire)
    ],
)
@pytest.mark.parametrize("policies", ["strict", "loss=note,refusals=send,repairs=off"])
def test_a_request_without_a_message_is_refused(wire: str, policies: str) -> None:
    alone = Request("claude-sonnet-4-5", (), instructions="Be terse.", options=Options(max_tokens=9))
    if policies == "strict":
        with pytest.raises(Refused) as refused:
            build(wire, alone)
        assert refused.value.field == "messages.count"
    else:
        assert ("refused", "messages.count") in [
            (note.action, note.field) for note in build(wire, alone, policies).notes
        ]


def test_a_body_of_this_very_wire_comes_back_as_it_stood() -> None:
    body = {**MODEL, "max_tokens": 9, "messages": [TERSE, *TURNS]}
    request = anthropic_messages.read(body).request
    assert anthropic_messages.build(request, policies=Policies(refusals="send")).body == body
    assert anthropic_messages.build(request, policies="verbatim").body == body
    with pytest.raises(Refused):
        anthropic_messages.build(request)


def test_nothing_is_lifted_where_nothing_is_repaired() -> None:
    built = anthropic_messages.build(ASKED, policies="verbatim")
    assert built.body == {**MODEL, "max_tokens": 9, "messages": [TERSE, *TURNS]}
    assert built.notes == ()


def test_a_continuation_counts_the_messages_that_were_given() -> None:
    request = replace(ASKED, continuation=Continuation(id="r1", start=3))
    built = anthropic_messages.build(request, policies="loss=note,refusals=send,repairs=off")
    assert built.body["messages"] == TURNS[2:]
    assert "system" not in built.body
    assert "dropped messages[:3]: the server holds them" in [str(note) for note in built.notes]


def test_a_continuation_of_another_wire_holds_nothing_back() -> None:
    other = Continuation(id="r1", wire="openai_responses", start=3)
    built = anthropic_messages.build(
        replace(ASKED, continuation=other), policies="loss=note,refusals=send,repairs=off"
    )
    assert built.body == anthropic_messages.build(ASKED).body


# ---- what is said of the others


def test_rules_see_what_is_built() -> None:
    first = (system("Be terse."), assistant("Hello."), user("Hi"))
    with pytest.raises(Refused) as refused:
        bedrock_converse.build(replace(ASKED, model="amazon.nova-pro-v1:0", messages=first))
    assert (refused.value.field, refused.value.path) == ("first_message.role", "messages[1]")
    with pytest.raises(Refused) as refused:
        anthropic_messages.build(replace(ASKED, messages=TALK[:1]))
    assert refused.value.field == "messages.count"


def test_errors_and_notes_name_places_in_the_request_that_was_given() -> None:
    named = replace(TALK[3], name="Ann")
    with pytest.raises(NoPlace) as lost:
        anthropic_messages.build(replace(ASKED, messages=(*TALK[:3], named)))
    assert lost.value.path == "messages[3]"
    built = anthropic_messages.build(
        replace(ASKED, messages=(*TALK[:3], named)), policies="loss=note,refusals=send,repairs=off"
    )
    assert [note.path for note in built.notes] == ["messages[0]", "messages[3]"]
    with pytest.raises(NoPlace) as lost:
        gemini_generate.build(replace(ASKED, messages=(system(Text("a", cache=Cache())), user("Hi"))))
    assert lost.value.path == "messages[0].parts[0]"


def test_what_breaks_a_build_is_named_where_it_was_given() -> None:
    called = assistant(ToolCall("call_1", "f", arguments="[1"))
    messages = (system("Be terse."), user("Hi"), called, tool_result("call_1", "x"))
    with pytest.raises(RequestError) as broken:
        anthropic_messages.build(replace(ASKED, messages=messages, tools=(TOOL,)))
    assert broken.value.path == "messages[2].parts[0]"
    odd: Any = Message("user")
    object.__setattr__(odd, "parts", 5)
    with pytest.raises(RequestError, match="parts is an int") as broken:
        anthropic_messages.build(replace(ASKED, messages=(system("Be terse."), odd)))
    assert broken.value.path == "messages[1]"
