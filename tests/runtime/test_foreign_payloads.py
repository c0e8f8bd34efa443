"""What one API signed or encrypted is not sent to another, and a note or an error names it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import (
    Message,
    NoPlace,
    Options,
    Provenance,
    Reasoning,
    Request,
    Text,
    ToolCall,
    ToolResult,
    user,
)
from tests.laws.traces import address, module

THOUGHT: dict[str, Any] = {
    "type": "thinking",
    "thinking": "It is a question.",
    "signature": "EqQB",
}
ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64,
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "Hello."}]},
        {"role": "user", "content": "Bye"},
    ],
}
GEMINI: dict[str, Any] = {
    "contents": [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {
            "role": "model",
            "parts": [
                {
                    "functionCall": {"id": "c1", "name": "weather", "args": {}},
                    "thoughtSignature": "c2ln",
                }
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "c1", "name": "weather", "response": {"output": "sun"}}}],
        },
    ]
}


def notes(built: Any) -> list[tuple[str, str, str, str]]:
    return [(note.action, note.path, note.field, note.why) for note in built.notes]


def test_a_signed_call_goes_to_another_api_without_its_signature() -> None:
    request = replace(promptwire.gemini_generate.read(GEMINI).request, model="mistral-large-latest")
    built = promptwire.mistral_chat.build(request, policies="lenient")
    messages: Any = built.body["messages"]
    assert messages[1]["tool_calls"] == [
        {"type": "function", "id": "ex25pqAaj", "function": {"name": "weather", "arguments": "{}"}}
    ]
    why = "gemini_generate made it, and no other API takes it"
    assert ("dropped", "messages[1].parts[0]", "signature", why) in notes(built)


def test_a_strict_build_refuses_it_and_says_where() -> None:
    request = replace(promptwire.gemini_generate.read(GEMINI).request, model="m")
    with pytest.raises(NoPlace) as caught:
        promptwire.mistral_chat.build(request)
    assert (caught.value.path, caught.value.field) == ("messages[1].parts[0]", "signature")
    assert str(caught.value) == (
        "mistral_chat: messages[1].parts[0]: signature: gemini_generate made it, and no other API takes it"
    )


def test_thinking_signed_elsewhere_is_left_out() -> None:
    request = promptwire.anthropic_messages.read(ANTHROPIC).request
    built = promptwire.bedrock_converse.build(request, policies="lenient")
    assert built.body["messages"][1] == {
        "role": "assistant",
        "content": [
            {"reasoningContent": {"reasoningText": {"text": "It is a question."}}},
            {"text": "Hello."},
        ],
    }
    why = "anthropic_messages made it, and no other API takes it"
    assert ("dropped", "messages[1].parts[0]", "signature", why) in notes(built)


@pytest.mark.parametrize("wire", ["anthropic_bedrock", "anthropic_foundry", "anthropic_vertex"])
def test_a_dialect_of_the_same_api_takes_it(wire: str) -> None:
    request = promptwire.anthropic_messages.read(ANTHROPIC).request
    built = getattr(promptwire, wire).build(request)
    assert built.body["messages"][1]["content"][0] == THOUGHT
    assert built.notes == ()


def test_encrypted_reasoning_is_nothing_elsewhere() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    body = {
        "model": "o3",
        "input": [{"role": "user", "content": "Hi"}, item, {"role": "user", "content": "?"}],
    }
    request = promptwire.openai_responses.read(body).request
    built = promptwire.openrouter_chat.build(request, policies="lenient")
    assert built.body["messages"] == [{"role": "user", "content": "Hi"}, {"role": "user", "content": "?"}]
    assert [(action, path, field) for action, path, field, _ in notes(built)] == [
        ("dropped", "messages[1].parts[0]", "reasoning"),
        ("omitted", "messages[1]", "message"),
    ]


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
    built = promptwire.anthropic_messages.build(request, policies="lenient")
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
    assert str(refused.value) == (
        f"{wire}: messages[1].parts[0]: {field}: nothing shows that {facts.title} made it: "
        f"where it did, say so with {own} on the part or its message"
    )
    built = build(request, settings=settings, policies="lenient")
    assert "c2ln" not in built.json().decode()
    assert "messages[1].parts[0]" in {note.path for note in built.notes}
    assert "c2ln" in build(request, settings=settings, policies="verbatim").json().decode()
    origin = Provenance(wire, api=facts.api)
    for said in (replace(turn, provenance=origin), replace(turn, parts=(replace(part, provenance=origin),))):
        again = build(replace(request, messages=(user("q"), said)), settings=settings, policies="lenient")
        assert "c2ln" in again.json().decode()


def test_what_stands_inside_a_result_says_who_made_it_too() -> None:
    call = Message("assistant", (ToolCall("c1", "f", {}),))
    result = ToolResult("c1", (Text("sun", signature="c2ln"),), name="f")
    request = Request("m", (user("q"), call, Message("tool", (result,))), tools=(promptwire.Tool("f"),))
    with pytest.raises(NoPlace) as refused:
        promptwire.gemini_generate.build(request)
    assert (refused.value.path, refused.value.field) == ("messages[2].parts[0].parts[0]", "signature")
    built = promptwire.gemini_generate.build(request, policies="lenient")
    assert b"c2ln" not in built.json()


def test_a_dump_keeps_what_a_payload_needs() -> None:
    request = promptwire.anthropic_messages.read(ANTHROPIC).request
    again = promptwire.load_request(promptwire.dump_request(request))
    assert promptwire.anthropic_messages.build(again).body == ANTHROPIC


@pytest.mark.parametrize("wire", ["anthropic_messages", "anthropic_bedrock"])
def test_a_message_of_which_nothing_is_left_is_not_sent(wire: str) -> None:
    thought = Message("assistant", Reasoning(text="Hm."))
    request = Request(
        "m", (user("Hi"), thought, user("Still there?")), options=promptwire.Options(max_tokens=8)
    )
    built = getattr(promptwire, wire).build(request, policies="lenient")
    assert built.body["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "Still there?"}],
        }
    ]
    assert [(action, path, field) for action, path, field, _ in notes(built)] == [
        ("dropped", "messages[1].parts[0]", "reasoning"),
        ("omitted", "messages[1]", "message"),
        ("merged", "", "messages"),
    ]
    with pytest.raises(NoPlace, match="takes none without its signature"):
        getattr(promptwire, wire).build(request)


def test_an_empty_message_is_sent_as_it_was_given() -> None:
    for wire in ("anthropic_messages", "openai_chat", "gemini_generate"):
        request = Request(
            "m", (user("Hi"), Message("assistant", ()), user("?")), options=promptwire.Options(max_tokens=8)
        )
        # these APIs refuse such a message, as their specs say
        body = getattr(promptwire, wire).build(request, policies="verbatim").body
        assert len(body.get("messages") or body["contents"]) == 3


@pytest.mark.parametrize(
    "lost",
    [
        Message("tool", (ToolResult(None, "1"),)),
        Message("user", (ToolResult(None, "1"),)),
        Message("assistant", Reasoning(text="Hm.")),
        Message("assistant", Reasoning(text="Hm.", signature="x"), provenance=Provenance("gemini_generate")),
    ],
    ids=["result", "result of a user", "thought", "thought of another API"],
)
@pytest.mark.parametrize("end", [(user("Bye"),), (user("Bye"), user("Really"))], ids=len)
def test_what_is_not_sent_is_no_neighbour(lost: Message, end: tuple[Message, ...]) -> None:
    """What follows joins the message that was sent before it, and no other."""
    policies = promptwire.Policies(loss="note", missing="omit", refusals="note")
    before = (user("Hi"), promptwire.assistant("Hello."), user("So?"))
    build = promptwire.anthropic_messages.build
    limit = promptwire.Options(max_tokens=8)
    with_it = build(Request("m", (*before, lost, *end), options=limit), policies=policies)
    without = build(Request("m", (*before, *end), options=limit), policies=policies)
    assert with_it.body == without.body
    assert with_it.body["messages"][1] == {"role": "assistant", "content": "Hello."}


def test_a_later_note_names_the_part_that_the_caller_gave() -> None:
    request = promptwire.gemini_generate.read(GEMINI).request
    before, said, after = request.messages
    (call,) = said.parts
    assert isinstance(call, ToolCall)
    marked = replace(said, parts=(replace(call, item_id="fc_1"),))
    request = replace(request, model="m", messages=(before, marked, after))
    built = promptwire.mistral_chat.build(request, policies="lenient")
    assert [(path, field) for _, path, field, _ in notes(built) if path.startswith("messages[1]")] == [
        ("messages[1].parts[0]", "signature"),
        ("messages[1].parts[0]", "id"),
        ("messages[1].parts[0]", "item_id"),
    ]


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
    content: Any = promptwire.anthropic_messages.build(request, policies="lenient").body["messages"][1][
        "content"
    ]
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


@pytest.mark.parametrize("wire", [name for name in promptwire.WIRES if name != "openrouter_chat"])
@pytest.mark.parametrize("index", range(len(FOREIGN)))
@pytest.mark.parametrize("beside", [(), (Text("beside"),)])
def test_a_part_that_says_itself_where_it_came_from_is_taken_at_its_word(
    wire: str, index: int, beside: tuple[Any, ...]
) -> None:
    role, part = FOREIGN[index]
    message = Message(role, (part, *(beside if role == "assistant" else ())))
    call = Message("assistant", (ToolCall("c1", "weather", {}),))
    before = (call,) if role == "tool" else ()
    request = Request(
        "m",
        (user("q"), *before, message),
        tools=(promptwire.Tool("weather", parameters={}),),
        options=Options(max_tokens=9),
    )
    with pytest.raises(promptwire.RequestError):
        module(wire).build(request, settings=address(wire))
    built = module(wire).build(request, settings=address(wire), policies="lenient")
    assert "c2ln" not in built.json().decode()
    path = f"messages[{len(before) + 1}].parts[0]"
    assert path in {note.path for note in built.notes}


def test_citations_stay_with_the_api_that_made_them() -> None:
    cited = {"type": "url_citation", "url": "https://example.org", "start_index": 0, "end_index": 2}
    text = {"type": "output_text", "text": "It is so.", "annotations": [cited]}
    said = {"type": "message", "role": "assistant", "content": [text]}
    body: dict[str, Any] = {
        "model": "m",
        "max_output_tokens": 64,
        "input": [{"role": "user", "content": "?"}, said, {"role": "user", "content": "!"}],
    }
    request = promptwire.openai_responses.read(body).request
    with pytest.raises(NoPlace) as refused:
        promptwire.anthropic_messages.build(request)
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[0]", "citations")
    built = promptwire.anthropic_messages.build(request, policies="lenient")
    assert built.body["messages"][1] == {"role": "assistant", "content": "It is so."}
    assert ("dropped", "messages[1].parts[0]", "citations") in [row[:3] for row in notes(built)]
    again: Any = promptwire.azure_openai_responses.build(request).body
    assert again["input"][1]["content"] == [text]


def test_a_result_that_is_no_error_says_nothing_new() -> None:
    call = Message("assistant", (ToolCall("c1", "f", {}),))

    def answered(is_error: bool) -> Request:
        result = Message("tool", (ToolResult("c1", "1", is_error=is_error),))
        return Request("m", (user("q"), call, result), options=Options(max_tokens=99))

    for wire in (promptwire.openai_chat, promptwire.openai_responses):
        assert [note.field for note in wire.build(answered(False)).notes if note.field != "id"] == [
            "is_error"
        ]
        with pytest.raises(NoPlace, match="is_error"):
            wire.build(answered(True))
    assert promptwire.anthropic_messages.build(answered(False)).notes == ()


def test_a_thought_of_which_nothing_has_a_place_is_no_empty_item() -> None:
    thought = Message("assistant", (Reasoning(text="so", signature="c2ln"), Text("It is so.")))
    request = Request("m", (user("q"), thought, user("!")), options=Options(max_tokens=64))
    with pytest.raises(NoPlace) as refused:
        promptwire.openai_responses.build(request)
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[0]", "reasoning")
    built = promptwire.openai_responses.build(request, policies="lenient")
    assert built.body["input"][1:] == [
        {"role": "assistant", "content": "It is so."},
        {"role": "user", "content": "!"},
    ]
    known = Message("assistant", (Reasoning(text="so", summary=("s",)),))
    body = promptwire.openai_responses.build(
        replace(request, messages=(user("q"), known)), policies="lenient"
    ).body
    assert body["input"][1] == {"type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}]}


def test_the_id_of_a_file_may_mean_nothing_to_another_api() -> None:
    image: Any = {"type": "input_image", "file_id": "file-1"}
    body = {
        "model": "m",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "?"}, image]}],
    }
    request = replace(promptwire.openai_responses.read(body).request, options=Options(max_tokens=64))
    built = promptwire.anthropic_messages.build(request)
    messages: Any = built.body["messages"]
    assert messages[0]["content"][1]["source"] == {"type": "file", "file_id": "file-1"}
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("ambiguous", "messages[0].parts[1]", "file_id")
    ]
    assert promptwire.azure_openai_responses.build(request).notes == ()
