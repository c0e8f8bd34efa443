"""Passes over messages, each alone: the messages that come out, whole, and every note."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    CustomToolResult,
    Image,
    Message,
    NoPlace,
    Policies,
    Provenance,
    Request,
    Text,
    ToolResult,
    assistant,
    user,
)
from promptwire_runtime.build.context import BuildContext, start
from promptwire_runtime.model.wire_memory import Form, Kept
from promptwire_runtime.passes.neighbours import joins, note_merged, open_last
from promptwire_runtime.passes.results import results_apart
from promptwire_runtime.passes.splitting import rest_of, without_item
from tests.laws.traces import module

WIRE = "gemini_generate"
HERE, THERE = Provenance(WIRE), Provenance("openai_chat")
A, B = ToolResult("call_1", "12 C"), CustomToolResult("call_2", "no")
WORDS, PICTURE = Text("and now?"), Image(url="https://example.org/a.png")
APART = "moved messages[0]: its tool results stand in a message of their own here"


def context(*messages: Message, wire: str = WIRE, policies: Policies | str = "lenient") -> BuildContext:
    """Make what a pass reports to."""
    build = start(module(wire).WIRE, Request("m", messages))
    build.configure(None, policies)
    return build


def notes(build: BuildContext) -> list[str]:
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
    assert list(results_apart(build.request.messages, build)) == [*pieces, user("bye")]
    assert notes(build) == ([APART] if noted else [])
    assert [build.path(piece) for piece in results_apart((message,), build)] == ["messages[0]"] * len(pieces)


def test_results_stay_where_neighbours_do() -> None:
    build = context(user(A, WORDS), policies=Policies(neighbours="keep"))
    assert results_apart(build.request.messages, build) is build.request.messages
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
    assert (rest.kept, build.path(rest), build.last_reordered) == (None, "messages[1]", None)


def test_the_rest_of_a_message_was_reordered_with_it() -> None:
    message = assistant("a")
    build = context(message, wire="mistral_chat")
    build.reordered(message)
    rest = rest_of(message, (), build)
    build.reordered(rest)
    assert notes(build) == ["moved messages[0].parts: what stands behind its calls is sent before them here"]


BARE = [
    "name: Mistral Chat Completions has no place for it",
    "id: Mistral Chat Completions does not use it",
    "status: Mistral Chat Completions does not use it",
    "phase: Mistral Chat Completions does not use it",
    "x: only cohere_chat knows it",
    "vendor.cohere_chat: options of another wire",
    "vendor.mistral_chat.prefix: Mistral Chat Completions knows no such option here",
    "vendor.mistral_chat.other: Mistral Chat Completions knows no such option here",
    "extra.mistral_chat: its value stands bare",
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
    assert notes(build) == ["merged messages: consecutive messages of one role are one message on this wire"]
