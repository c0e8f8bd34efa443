"""Passes over messages, each alone: the messages that come out, whole, and every note."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import (
    Cache,
    Continuation,
    Document,
    Image,
    Instruction,
    Message,
    Part,
    Policies,
    Reasoning,
    Request,
    RequestError,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    system,
    tool_result,
    user,
)
from promptwire.errors import NoPlace, Refused
from promptwire.parts import Compaction, CustomToolResult
from promptwire.plugins import Form, Kept, Provenance, Report
from tests.internals.runtime import (
    WireFacts,
    apply_continuation,
    drops_blank,
    drops_empty,
    hoist_messages,
    holds_payload,
    joins,
    note_merged,
    open_last,
    orphans,
    own_part,
    repeated_results,
    rest_of,
    results_apart,
    start,
    unsent_messages,
    without_blank_layers,
    without_foreign,
    without_foreign_payloads,
    without_item,
)
from tests.laws.traces import module

WIRE = "gemini_generate"
HERE, THERE = Provenance(WIRE), Provenance("openai_chat")
A, B = ToolResult("call_1", "12 C"), CustomToolResult("call_2", "no")
WORDS, PICTURE = Text("and now?"), Image(url="https://example.org/a.png")
APART = "moved messages[0]: its tool results are sent in a separate message"


def context(
    *messages: Message, wire: str = WIRE, policies: Policies | str = "loss=note,refusals=send,repairs=off"
) -> Report:
    """Make what a pass reports to."""
    build = start(module(wire).WIRE, Request("m", messages))
    build.configure(None, policies)
    return build.report


def notes(build: Report) -> list[str]:
    return [str(note) for note in build.notes]


# the message, what comes of it, and whether that is noted
RESULTS: dict[str, tuple[Message, list[Message], bool]] = {
    "words behind": (user(A, WORDS), [Message("tool", A), Message("user", WORDS)], True),
    "words before": (
        user(WORDS, A, PICTURE, B),
        [Message("tool", (A, B)), Message("user", (WORDS, PICTURE))],
        True,
    ),
    "a name": (user(A, WORDS, name="ann"), [Message("tool", A), user(WORDS, name="ann")], True),
    "of another wire": (
        user(A, WORDS, provenance=THERE),
        [Message("tool", A, provenance=THERE), user(WORDS, provenance=THERE)],
        True,
    ),
    "of this wire": (user(A, WORDS, provenance=HERE), [user(A, WORDS, provenance=HERE)], False),
    "only results": (user(A, B), [user(A, B)], False),
    "no result": (user(WORDS, PICTURE), [user(WORDS, PICTURE)], False),
    "no result, and a name": (user(WORDS, name="ann"), [user(WORDS, name="ann")], False),
    "a tool message": (Message("tool", (A, WORDS)), [Message("tool", (A, WORDS))], False),
}


@pytest.mark.parametrize("case", RESULTS)
def test_results_stand_apart(case: str) -> None:
    message, pieces, noted = RESULTS[case]
    build = context(message, user("bye"))
    whole: list[Message] = []
    assert list(results_apart(build.request.messages, build, whole.append)) == [*pieces, user("bye")]
    assert (notes(build), whole) == (([APART], [message]) if noted else ([], []))
    again = results_apart((message,), build, whole.append)
    assert [build.origins.path(piece) for piece in again] == ["messages[0]"] * len(pieces)


def test_results_stay_where_neighbours_do() -> None:
    build = context(user(A, WORDS), policies=Policies(neighbours="keep"))
    whole: list[Message] = []
    assert results_apart(build.request.messages, build, whole.append) is build.request.messages
    assert whole == []
    assert notes(build) == []


WHOLE: dict[str, Any] = {
    "name": "ann",
    "id": "msg_1",
    "status": "completed",
    "phase": "commentary",
    "vendor": {"mistral_chat": {"prefix": True, "other": 1}, "cohere_chat": {"citations": []}},
    "extra": {"mistral_chat": {"more": 1}},
    "kept": Kept("cohere_chat", Form(added={"x": 1})),
    "provenance": THERE,
}


@pytest.mark.parametrize(
    ("shared", "fields"),
    [
        ((), {}),
        (("name",), {"name": "ann"}),
        (("phase", "status"), {"phase": "commentary", "status": "completed"}),
        (("vendor.prefix",), {"vendor": {"mistral_chat": {"prefix": True}}}),
        (("vendor.nothing",), {}),
    ],
)
def test_the_rest_of_a_message_has_what_stands_on_every_piece(
    shared: tuple[str, ...], fields: dict[str, Any]
) -> None:
    message = Message("assistant", ("a", PICTURE), **WHOLE)
    build = context(user("q"), message, wire="mistral_chat")
    rest = rest_of(message, shared, build)
    assert rest == Message("assistant", ("a", PICTURE), provenance=THERE, **fields)
    assert (rest.kept, build.origins.path(rest), build.last_reordered) == (None, "messages[1]", None)


def test_the_rest_of_a_message_was_reordered_with_it() -> None:
    message = assistant("a")
    build = context(message, wire="mistral_chat")
    build.reordered(message)
    rest = rest_of(message, (), build)
    build.reordered(rest)
    assert notes(build) == ["moved messages[0].parts: content after the tool calls is sent before them"]


BARE = [
    "name: Mistral Chat Completions does not support it",
    "id: Mistral Chat Completions does not use it",
    "status: Mistral Chat Completions does not use it",
    "phase: Mistral Chat Completions does not use it",
    "x: only cohere_chat has this key",
    "vendor.cohere_chat.citations: it is for another API",
    "vendor.mistral_chat.prefix: Mistral Chat Completions has no such option here",
    "vendor.mistral_chat.other: Mistral Chat Completions has no such option here",
    "extra.mistral_chat: it is sent as a scalar, without keys",
]


def test_what_stands_on_a_message_without_items_is_reported() -> None:
    message = Message("assistant", "a", **WHOLE)
    build = context(message, wire="mistral_chat")
    without_item(message, build)
    assert notes(build) == [f"dropped messages[0].{said}" for said in BARE]
    with pytest.raises(NoPlace) as refused:
        without_item(message, context(message, wire="mistral_chat", policies="strict"))
    assert str(refused.value) == f"mistral_chat: messages[0]: {BARE[0]}"


HIS, OTHERS = user("b", provenance=HERE), user("b", provenance=THERE)
OWN: dict[str, Any] = {WIRE: {"a": 1}}
ELSE: dict[str, Any] = {"openai_chat": {"a": 1}}


@pytest.mark.parametrize(
    ("previous", "message", "expected"),
    [
        (None, user("b"), False),
        (user("a"), user("b"), True),
        (user("a", provenance=HERE), HIS, False),
        (user("a", provenance=THERE), HIS, True),
        (user("a"), HIS, True),
        (user("a", provenance=HERE), OTHERS, True),
        (user("a", provenance=HERE), user("b"), True),
        (user("a"), user("b", vendor=OWN), False),
        (user("a"), user("b", extra=OWN), False),
        (user("a"), user("b", vendor=ELSE, extra=ELSE), True),
        (user("a"), user("b", kept=Kept(WIRE, Form(added={"x": 1}))), False),
        (user("a"), user("b", kept=Kept("openai_chat", Form(added={"x": 1}))), True),
        (user("a"), user("b", name="ann"), True),
    ],
)
def test_which_neighbours_join(previous: Message | None, message: Message, expected: bool) -> None:
    messages = (message,) if previous is None else (previous, message)
    assert joins(previous, message, context(*messages)) is expected
    assert joins(previous, message, context(*messages, policies=Policies(neighbours="keep"))) is False


BLOCK = {"type": "text", "text": "a"}


@pytest.mark.parametrize(
    ("last", "content"),
    [
        ({"role": "user", "content": "a"}, [BLOCK]),
        ({"role": "user", "content": ""}, []),
        ({"role": "user", "content": [BLOCK, BLOCK]}, [BLOCK, BLOCK]),
        ({"role": "user", "content": "a", "name": "ann"}, None),
        ({"role": "user", "parts": [BLOCK]}, None),
        ("stands as it came", None),
        ("co", None),
        (["role", "content"], None),
    ],
)
@pytest.mark.parametrize("apart", [None, {"role": "user", "content": "a"}])
def test_the_last_item_is_opened(last: Any, content: list[Any] | None, apart: Any) -> None:
    build = context(user("a"))
    build.last_apart = None if apart is None else [apart]
    first = {"role": "assistant", "content": "so"}
    items = [first, last]
    opened = open_last(items, build, "text")
    assert opened == content
    assert build.last_apart is None
    if opened is None:
        assert items[1] is last
    else:
        opened.append("more")
        assert items == [first, {"role": "user", "content": [*(content or ()), "more"]}]
        assert last != items[1]


def test_an_item_that_stands_as_it_came_is_not_opened() -> None:
    build = context(user("a"))
    last: Any = {"role": "user", "content": "a"}
    build.last_apart = [last]
    assert open_last([last], build, "text") is None
    assert build.last_apart == [last]


def test_another_key_and_word_of_a_text() -> None:
    items: list[Any] = [{"role": "user", "parts": "a"}]
    assert open_last(items, context(user("a")), "input_text", "parts") == [
        {"type": "input_text", "text": "a"}
    ]


def test_a_merge_is_noted() -> None:
    build = context(user("a"))
    note_merged(build)
    assert notes(build) == ["merged messages: consecutive messages of one role are sent as one message"]


# what is signed or cited, where it came from, what is left of it on Gemini, and what is said
SIGNED = Text("so", signature="aGk=", citations=({"a": 1},), logprobs=({"b": 2},))
THOUGHT = Reasoning(text="so", signature="aGk=", encrypted="ZQ==", id="rs_1")
THERE_MADE = "it comes from openai_chat, and no other API accepts it"
FOREIGN: dict[str, tuple[Part, Part | None, list[str]]] = {
    "a text": (
        SIGNED,
        Text("so"),
        ["signature", "citations", "logprobs"],
    ),
    "a thought": (THOUGHT, Reasoning(text="so"), ["signature", "encrypted", "id"]),
    "a thought without an id": (Reasoning(summary=("so",), encrypted="ZQ=="), Reasoning(summary=("so",)), ["encrypted"]),
    "a thought in texts": (Reasoning(texts=("so",), encrypted="ZQ=="), Reasoning(texts=("so",)), ["encrypted"]),
    "nothing but a payload": (Reasoning(encrypted="ZQ==", id="rs_1"), None, ["reasoning"]),
    "redacted": (Reasoning(redacted="ZQ=="), None, ["reasoning"]),
    "a compaction": (Compaction(encrypted="ZQ=="), None, ["compaction"]),
    "a compaction with text": (Compaction(text="so", encrypted="ZQ==", id="c"), Compaction(text="so"), ["encrypted", "id"]),
    "a call": (ToolCall("c", "f", {}, signature="aGk="), ToolCall("c", "f", {}), ["signature"]),
    "nothing signed": (ToolCall("c", "f", {}), ToolCall("c", "f", {}), []),
    "a document": (
        Document(data="aGk=", signature="aGk=", citations=True),
        Document(data="aGk=", citations=True),
        ["signature"],
    ),
    "a file": (Image(file_id="file_1"), Image(file_id="file_1"), ["file_id"]),
}  # fmt: skip


def said_of(name: str) -> str:
    if name == "id":
        return "dropped messages[0].parts[0].id: Gemini generateContent does not use it"
    if name == "file_id":
        why = "the file id comes from openai_chat; another API may not know it"
        return f"ambiguous messages[0].parts[0].file_id: {why}"
    return f"dropped messages[0].parts[0].{name}: {THERE_MADE}"


@pytest.mark.parametrize("case", FOREIGN)
def test_what_another_api_made_is_not_sent(case: str) -> None:
    part, left, fields = FOREIGN[case]
    message = Message("assistant", (part, "b"), provenance=THERE)
    build = context(message)
    bare = without_foreign(message, build)
    assert bare == Message("assistant", (*([] if left is None else [left]), "b"), provenance=THERE)
    assert notes(build) == [said_of(name) for name in fields]
    assert (bare is message) is (left == part)
    assert build.origins.path(bare) == "messages[0]"
    assert without_foreign(replace(message, provenance=HERE), build).parts == message.parts


@pytest.mark.parametrize("case", FOREIGN)
def test_a_part_may_say_itself_who_made_it(case: str) -> None:
    part, left, fields = FOREIGN[case]
    own = replace(part, provenance=THERE)
    build = context(Message("assistant", (own,), provenance=HERE))
    assert own_part(own, build) == (None if left is None else replace(left, provenance=THERE))
    assert notes(build) == [said_of(name) for name in fields]
    assert own_part(part, build) is part
    assert own_part(replace(part, provenance=HERE), build) == replace(part, provenance=HERE)


def test_a_message_of_which_nothing_is_left() -> None:
    message = Message("assistant", (Reasoning(encrypted="ZQ=="),), provenance=THERE)
    build = context(message)
    bare = without_foreign(message, build)
    assert bare.parts == ()
    assert notes(build) == [
        f"dropped messages[0].parts[0].reasoning: {THERE_MADE}",
    ]


@pytest.mark.parametrize(
    ("part", "holds"),
    [
        (Text("a"), False),
        (SIGNED, True),
        (Text("a", citations=({"a": 1},)), False),
        (Reasoning(redacted="ZQ=="), True),
        (Reasoning(encrypted="ZQ=="), True),
        (ToolResult("c", (Text("a"), SIGNED)), True),
        (ToolResult("c", (Text("a"),)), False),
        (ToolResult("c", (ToolResult("d", (SIGNED,)),)), True),
    ],
)
def test_what_holds_a_payload(part: Part, holds: bool) -> None:
    assert holds_payload(part) is holds


UNPROVEN = (
    "it may not come from Gemini generateContent; if it does, set "
    'provenance=Provenance(wire="gemini_generate", api="gemini_generate") on the part or its message'
)
PAYLOADS = ("signature", "encrypted")


@pytest.mark.parametrize(
    ("part", "left", "fields"),
    [
        (SIGNED, replace(SIGNED, signature=None), ["signature"]),
        (THOUGHT, Reasoning(text="so"), ["signature", "encrypted", "id"]),
        (Reasoning(encrypted="ZQ=="), None, ["reasoning"]),
        (Reasoning(text="so", redacted="ZQ=="), Reasoning(text="so", redacted="ZQ=="), []),
        (Text("a"), Text("a"), []),
        (replace(SIGNED, provenance=HERE), replace(SIGNED, provenance=HERE), []),
        (
            replace(SIGNED, provenance=Provenance(api=WIRE)),
            replace(SIGNED, provenance=Provenance(api=WIRE)),
            [],
        ),
        (replace(SIGNED, kept=Kept(WIRE)), replace(SIGNED, kept=Kept(WIRE)), []),
        (
            replace(SIGNED, kept=Kept("openai_chat")),
            replace(SIGNED, kept=Kept("openai_chat"), signature=None),
            ["signature"],
        ),
    ],
)
def test_what_does_not_say_who_made_it_is_not_sent(part: Part, left: Part | None, fields: list[str]) -> None:
    message = Message("assistant", (part,))
    build = context(message)
    assert without_foreign_payloads(part, message, PAYLOADS, build) == left
    expected = [said_of(name).replace(THERE_MADE, UNPROVEN) for name in fields]
    assert notes(build) == expected
    verbatim = context(message, policies="verbatim")
    assert without_foreign_payloads(part, message, PAYLOADS, verbatim) is part
    known = Message("assistant", (part,), provenance=HERE)
    assert without_foreign_payloads(part, known, PAYLOADS, context(known)) is part
    kept = Message("assistant", (part,), kept=Kept(WIRE))
    assert without_foreign_payloads(part, kept, PAYLOADS, context(kept)) is part


def test_what_stands_inside_is_looked_at() -> None:
    result = ToolResult("c", (Text("a"), SIGNED, Reasoning(encrypted="ZQ==")))
    message = Message("tool", (result,))
    build = context(message)
    left = without_foreign_payloads(result, message, PAYLOADS, build)
    assert left == ToolResult("c", (Text("a"), replace(SIGNED, signature=None)))
    assert left is not None and build.origins.path(left) == "messages[0].parts[0]"
    places = ("messages[0].parts[0].parts[1].signature", "messages[0].parts[0].parts[2].reasoning")
    assert notes(build) == [f"dropped {place}: {UNPROVEN}" for place in places]
    plain = ToolResult("c", (Text("a"),))
    assert without_foreign_payloads(plain, message, PAYLOADS, build) is plain


@pytest.mark.parametrize(
    ("part", "field"), [(SIGNED, "signature"), (Reasoning(encrypted="ZQ=="), "encrypted")]
)
def test_a_strict_build_refuses_what_is_not_proven(part: Part, field: str) -> None:
    message = Message("assistant", (part,))
    with pytest.raises(NoPlace) as refused:
        without_foreign_payloads(part, message, PAYLOADS, context(message, policies="strict"))
    assert (refused.value.path, refused.value.field) == ("messages[0].parts[0]", field)
    assert str(refused.value) == f"{WIRE}: messages[0].parts[0]: {field}: {UNPROVEN}"


TURNS = (user("a"), assistant(ToolCall("c", "f", {})), Message("tool", A), user("b"))


def continuing(
    continuation: Continuation | None, policies: Policies | str = "loss=note,refusals=send,repairs=off"
) -> Report:
    build = context(*TURNS, wire="openai_responses", policies=policies)
    build.request = replace(build.request, continuation=continuation)
    return build


START = "continuation.start requires continuation.id or continuation.conversation"
CALL_1 = 'the call "c_1" has no result in the messages that are sent'


@pytest.mark.parametrize(
    ("continuation", "sent", "said"),
    [
        (None, 0, []),
        (Continuation(id="r"), 0, []),
        (
            Continuation(unanswered=("c_1",)),
            0,
            [f"dropped continuation.unanswered[0]: {CALL_1}"],
        ),
        (Continuation(id="r", start=1), 1, ["dropped messages[:1]: the server holds them"]),
        (Continuation(conversation="c", start=4), 4, ["dropped messages[:4]: the server holds them"]),
        (Continuation(id="r", unanswered=("call_1",)), 0, []),
        (
            Continuation(id="r", start=3, unanswered=("call_1", "c_1")),
            3,
            [
                "dropped messages[:3]: the server holds them",
                'dropped continuation.unanswered[0]: the call "call_1" has no result in the messages that are sent',
                f"dropped continuation.unanswered[1]: {CALL_1}",
            ],
        ),
    ],
)
def test_what_the_server_has_not_seen(continuation: Continuation | None, sent: int, said: list[str]) -> None:
    build = continuing(continuation, Policies(loss="note", missing="omit"))
    assert unsent_messages(build.request, build) == TURNS[sent:]
    assert notes(build) == said


@pytest.mark.parametrize(
    ("continuation", "error", "said"),
    [
        (Continuation(start=1), "continuation.start", START),
        (
            Continuation(id="r", start=5),
            "continuation.start",
            "continuation.start is 5, but the request has 4 messages",
        ),
        (
            Continuation(id="r", unanswered=("call_1", "c_1")),
            "continuation.unanswered[1]",
            f"continuation.unanswered[1]: {CALL_1}",
        ),
    ],
)
def test_a_continuation_that_does_not_fit(continuation: Continuation, error: str, said: str) -> None:
    build = continuing(continuation, "strict")
    with pytest.raises(RequestError) as refused:
        unsent_messages(build.request, build)
    found = (str(refused.value), refused.value.wire, refused.value.field)
    assert found == (f"openai_responses: {said}", "openai_responses", error)


@pytest.mark.parametrize("wire", [None, "openai_responses", "mistral_agents"])
def test_a_continuation_belongs_to_its_wire(wire: str | None) -> None:
    build = continuing(Continuation(id="r", wire=wire))
    left = apply_continuation(build.request, build)
    if wire == "mistral_agents":
        assert left == replace(build.request, continuation=None)
        assert notes(build) == ["dropped continuation: the conversation belongs to mistral_agents"]
    else:
        assert left is build.request
        assert notes(build) == []


BLANK_WHY = "Anthropic Messages rejects blank text"
BLANK = Text(" \n", cache=Cache(), citations=({"a": 1},), extra={"anthropic_messages": {"b": 2}})


def blank_context(
    *messages: Message, policies: Policies | str = "loss=note,refusals=send,repairs=off"
) -> Report:
    return context(*messages, wire="anthropic_messages", policies=policies)


def test_blank_text_is_left_out_and_said() -> None:
    message = user("a", BLANK)
    build = blank_context(message)
    assert drops_blank(BLANK, message, build) is True
    beside = "its text is blank and is omitted"
    assert notes(build) == [
        f"dropped messages[0].parts[1].cache: {beside}",
        f"dropped messages[0].parts[1].citations: {beside}",
        "dropped messages[0].parts[1].extra.anthropic_messages: it is sent as a scalar, without keys",
        f"dropped messages[0].parts[1].text: {BLANK_WHY}",
    ]


@pytest.mark.parametrize(
    ("part", "message", "policies"),
    [
        (Text("a"), user("b"), "loss=note,refusals=send,repairs=off"),
        (Text(" "), user("b"), Policies(blank="keep")),
        (
            Text(" "),
            user("b", provenance=Provenance("anthropic_messages")),
            "loss=note,refusals=send,repairs=off",
        ),
        (
            Text(" ", provenance=Provenance("anthropic_messages")),
            user("b"),
            "loss=note,refusals=send,repairs=off",
        ),
    ],
)
def test_text_that_stays(part: Text, message: Message, policies: Policies | str) -> None:
    build = blank_context(replace(message, parts=(*message.parts, part)), policies=policies)
    assert drops_blank(part, message, build) is False
    assert notes(build) == []


def test_blank_text_alone_is_refused() -> None:
    message = user(" ")
    build = blank_context(message, user(), policies="loss=note,refusals=send,repairs=off")
    (part,) = message.parts
    assert isinstance(part, Text)
    assert (drops_blank(part, message, build), drops_empty(user(), build)) == (False, False)
    refused = (
        f'refused messages[0].parts[0]: text " ": {BLANK_WHY}, and the conversation has no other content'
    )
    assert notes(build)[0] == refused
    strict = blank_context(message, user(), policies="strict")
    with pytest.raises(Refused) as error:
        drops_blank(part, message, strict)
    place = "anthropic_messages: messages[0].parts[0]"
    assert str(error.value) == (
        f'{place}: text " " is refused for m: {BLANK_WHY}, and the conversation has no other content'
    )
    with pytest.raises(Refused) as error:
        drops_empty(message, strict)
    said = f"a message without parts is refused for m: {BLANK_WHY}, and the conversation has no content"
    assert str(error.value) == f"anthropic_messages: messages[0]: {said}"


@pytest.mark.parametrize(
    ("message", "policies", "dropped"),
    [
        (user(), "loss=note,refusals=send,repairs=off", True),
        (user(), Policies(blank="keep"), False),
        (user(extra={"anthropic_messages": {"a": 1}}), "loss=note,refusals=send,repairs=off", False),
        (user(vendor={"anthropic_messages": {"a": 1}}), "loss=note,refusals=send,repairs=off", False),
        (
            user(vendor={"openai_chat": {"a": 1}}, extra={"openai_chat": {}}),
            "loss=note,refusals=send,repairs=off",
            True,
        ),
        (user(provenance=Provenance("anthropic_messages")), "loss=note,refusals=send,repairs=off", False),
        (user(provenance=Provenance("openai_chat")), "loss=note,refusals=send,repairs=off", True),
    ],
)
def test_empty_messages_are_left_out(message: Message, policies: Policies | str, dropped: bool) -> None:
    assert drops_empty(message, blank_context(user("a"), message, policies=policies)) is dropped


def test_a_policy_refuses_what_is_blank() -> None:
    messages = user("a", Text(" ")), user()
    build = blank_context(*messages, policies=Policies(blank="error"))
    part = messages[0].parts[1]
    assert isinstance(part, Text)
    for place, field in (("messages[0].parts[1]", "text"), ("messages[1]", "parts")):
        with pytest.raises(Refused) as error:
            drops_blank(part, messages[0], build) if field == "text" else drops_empty(messages[1], build)
        hint = f'{field}: {BLANK_WHY}; omit it or use blank="drop"'
        assert str(error.value) == f"anthropic_messages: {place}: {hint}"
        assert (error.value.wire, error.value.path, error.value.field) == ("anthropic_messages", place, field)


SAID_LAYER, BLANK_LAYER = Instruction("a"), Instruction(" ", cache=Cache())


@pytest.mark.parametrize(
    ("given", "left", "said"),
    [
        (None, None, []),
        ("a", "a", []),
        (" ", None, ["instructions"]),
        ((SAID_LAYER,), (SAID_LAYER,), []),
        ((BLANK_LAYER, SAID_LAYER), (SAID_LAYER,), ["instructions[0].cache", "instructions[0].text"]),
        ((BLANK_LAYER,), None, ["instructions[0].cache", "instructions[0].text"]),
    ],
)
def test_blank_layers_are_left_out(given: Any, left: Any, said: list[str]) -> None:
    build = blank_context(user("a"))
    build.request = request = replace(build.request, instructions=given)
    bare = without_blank_layers(request, build)
    assert bare == replace(request, instructions=left)
    why = {"cache": "its text is blank and is omitted"}
    assert notes(build) == [f"dropped {place}: {why.get(place[-5:], BLANK_WHY)}" for place in said]
    assert build.request is bare


@pytest.mark.parametrize(
    ("given", "path", "field"),
    [(" ", "", "instructions"), ((SAID_LAYER, Instruction(" ")), "instructions[1]: ", "text")],
)
def test_a_policy_refuses_blank_layers(given: Any, path: str, field: str) -> None:
    build = blank_context(user("a"), policies=Policies(blank="error"))
    build.request = replace(build.request, instructions=given)
    with pytest.raises(Refused) as error:
        without_blank_layers(build.request, build)
    hint = f'{field}: {BLANK_WHY}; omit it or use blank="drop"'
    assert str(error.value) == f"anthropic_messages: {path}{hint}"


CALL_C, CALL_D = ToolCall("c", "f", {}), ToolCall("d", "f", {})
MARKED = Text("Be kind.", cache=Cache(), vendor={"openai_chat": {"a": 1}}, extra={"openai_chat": {"b": 2}})
KEPT_ELSEWHERE = replace(MARKED, kept=Kept("openai_chat", Form(added={"odd": 1})))
LAYER = Instruction("Be kind.", cache=MARKED.cache, vendor=MARKED.vendor, extra=MARKED.extra)
TOP = "moved messages[0]: sent as instructions of Anthropic Messages"


@pytest.mark.parametrize(
    ("part", "own", "layers", "said"),
    [
        (MARKED, None, (LAYER,), [TOP]),
        (MARKED, "Be brief.", (Instruction("Be brief."), LAYER), [f"{TOP}, after those of the request"]),
        (KEPT_ELSEWHERE, (LAYER,), (LAYER, LAYER), ["dropped messages[0].parts[0].odd: only openai_chat has this key", f"{TOP}, after those of the request"]),
    ],
)  # fmt: skip
def test_first_messages_become_instructions(part: Text, own: Any, layers: Any, said: list[str]) -> None:
    build = blank_context(Message("system", part), user("a"))
    build.request = request = replace(build.request, instructions=own)
    changed = hoist_messages(request, build)
    assert changed == replace(request, instructions=layers, messages=request.messages[1:])
    assert isinstance(changed.instructions, tuple)
    assert changed.instructions[-1].kept is None
    assert notes(build) == said
    assert (build.request, build.origins.hoisted_count) == (changed, 1)
    assert build.origins.path(changed.instructions[-1]) == "messages[0].parts[0]"


def test_a_layer_remembers_what_its_own_wire_kept() -> None:
    part = replace(MARKED, kept=Kept("anthropic_messages", Form(added={"odd": 1})))
    build = blank_context(Message("system", part), user("a"))
    layers = hoist_messages(build.request, build).instructions
    assert isinstance(layers, tuple)
    assert [layer.kept for layer in layers] == [part.kept]


@pytest.mark.parametrize(
    ("messages", "pairs", "alone"),
    [
        ((assistant(CALL_C, CALL_D), tool_result("d", "1")), "later", [CALL_C]),
        ((tool_result("c", "1"), assistant(CALL_C)), "later", [ToolResult("c", "1"), CALL_C]),
        ((assistant(CALL_C), tool_result("c", "1"), tool_result("c", "2")), "later", []),
        ((assistant(ToolCall(None, "f", {})), Message("tool", ToolResult(None, "1"))), "later", []),
        ((assistant(CALL_C, CALL_C), tool_result("c", "1")), "later", [CALL_C]),
        ((assistant(CALL_C), assistant("b"), tool_result("c", "1")), "next", [CALL_C, ToolResult("c", "1")]),
        ((assistant(CALL_C), tool_result("c", "1"), user("a"), user("b")), "next", []),
        ((assistant(CALL_C), user(), tool_result("c", "1")), "next", []),
        (
            (assistant(CALL_C), tool_result("c", "1"), user("a"), assistant(CALL_D, "b"), tool_result("d", "1")),
            "next",
            [],
        ),
        ((assistant(CALL_C), user("a"), tool_result("c", "1")), "turn", []),
        ((assistant(CALL_C), system("a"), tool_result("c", "1")), "turn", [CALL_C, ToolResult("c", "1")]),
        ((assistant(CALL_C), user("a"), assistant("b"), tool_result("c", "1")), "turn", [CALL_C, ToolResult("c", "1")]),
    ],
)  # fmt: skip
def test_calls_and_results_that_stand_alone(messages: Any, pairs: str, alone: list[Any]) -> None:
    wire = WireFacts(name="w", title="W", api="w", pairs=pairs)
    assert orphans(messages, wire) == alone
    results = [part for part in alone if isinstance(part, ToolResult)]
    assert orphans(messages, wire, continues=True) == [part for part in alone if part not in results]


@pytest.mark.parametrize(
    ("messages", "repeated"),
    [
        ((tool_result("c", "1"), tool_result("c", "2")), [ToolResult("c", "2")]),
        ((tool_result("c", "1"), assistant(CALL_C), tool_result("c", "1")), []),
        ((tool_result("c", "1"), assistant("b"), user("a")), []),
        ((assistant(CALL_C), tool_result("c", "1"), tool_result("c", "2")), []),
    ],
)
def test_a_call_has_one_result(messages: Any, repeated: list[Any]) -> None:
    called = (assistant(CALL_C), *messages)
    assert repeated_results(called, WireFacts(name="w", title="W", api="w", pairs="turn")) == repeated
    assert not repeated_results(called, WireFacts(name="w", title="W", api="w", pairs="next"))
