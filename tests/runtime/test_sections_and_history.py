"""Sections, cuts, places and reductions of a history, each alone: what comes out, whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import (
    Cache,
    Continuation,
    Image,
    Instruction,
    Json,
    Message,
    Reasoning,
    Request,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    system,
    user,
)
from promptwire.context import (
    HistoryReduction,
    Reduction,
    Section,
    estimate_tokens,
    instruction_path,
    layers_of,
    merge,
    place,
    put_section,
)
from promptwire.errors import ContextError
from promptwire.parts import CustomToolCall, CustomToolResult, Refusal, SearchResult
from tests.internals.runtime import (
    drop_contained,
    first_sent,
    holds_only_sections,
    holds_result,
    reduce_steps,
    run,
    text_of_section,
    text_of_summary,
    trailing_sections,
    uncuttable,
    with_messages_first,
    without_messages,
    without_sections,
)

A, B = "<a>\none\n</a>", "<b_2>\ntwo\nlines\n</b_2>"


@pytest.mark.parametrize(
    ("text", "section", "expected"),
    [
        ("", Section("a", "one"), A),
        ("Be brief.", Section("a", "one"), f"Be brief.\n\n{A}"),
        (f"Be brief.\n\n{A}\n\n{B}", Section("a", "ten"), f"Be brief.\n\n<a>\nten\n</a>\n\n{B}"),
        (f"Be brief.\n\n{A}\n\n{B}", Section("a", ""), f"Be brief.\n\n{B}"),
        (f"Be brief.\n\n{A}\n\n{B}", Section("b_2", " \n"), f"Be brief.\n\n{A}"),
        (f"{A}\n\n{B}", Section("a", ""), B),
        ("Be brief.", Section("a", ""), "Be brief."),
        ("", Section("a", " "), ""),
        ("<a>\nopen", Section("a", "one"), f"<a>\nopen\n\n{A}"),
        ("<a>\n</a>", Section("a", "one"), A),
        (f"{A}{A}", Section("a", "x"), f"<a>\nx\n</a>{A}"),
        ("\n</a>", Section("a", "one"), f"\n</a>\n\n{A}"),
    ],
)
def test_a_section_is_put_into_a_text(text: str, section: Section, expected: str) -> None:
    assert put_section(text, section) == expected


def test_sections_with_a_separator_of_their_own() -> None:
    text = put_section("Be brief.", Section("a", "one"), " | ")
    assert text == f"Be brief. | {A}"
    assert put_section(text, Section("a", ""), " | ") == "Be brief."
    assert put_section(f"{A} | x", Section("a", ""), " | ") == "x"
    assert without_sections(f"Be brief. | {A}", ("a",), " | ") == "Be brief."


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("A", "x", "section 'A': a name is lower case letters, digits and underscores"),
        ("2a", "x", "section '2a': a name is lower case letters, digits and underscores"),
        ("a b", "x", "section 'a b': a name is lower case letters, digits and underscores"),
        ("", "x", "section '': a name is lower case letters, digits and underscores"),
        ("a", "x\n</a>", "section 'a': its text holds its own closing mark \n</a>"),
    ],
)
def test_a_section_that_could_not_be_found_again(name: str, text: str, said: str) -> None:
    with pytest.raises(ContextError) as refused:
        Section(name, text)
    assert (str(refused.value), refused.value.where) == (said, f"section {name!r}")


@pytest.mark.parametrize(
    ("text", "spans", "without_a", "only"),
    [
        (A, [("a", 0, 12)], "", True),
        (f"{A}\n\n{B}", [("a", 0, 12), ("b_2", 14, 36)], B, True),
        (f"x\n\n{A}\n", [("a", 3, 15)], "x\n", False),
        (f"x\n\n{A}\n\n{B}", [("a", 3, 15), ("b_2", 17, 39)], f"x\n\n{B}", False),
        (f"{A} x", [], f"{A} x", False),
        (f"{A} x\n\n{B}", [("b_2", 16, 38)], f"{A} x\n\n{B}", False),
        ("<a>\none\n</b_2>", [], "<a>\none\n</b_2>", False),
        (f" \n{A}", [("a", 2, 14)], " \n", True),
        ("", [], "", False),
        (" \n", [], " \n", False),
    ],
)
def test_sections_at_the_end_of_a_text(text: str, spans: list[Any], without_a: str, only: bool) -> None:
    assert [tuple(span) for span in trailing_sections(text)] == spans
    assert without_sections(text, ("a",), "\n\n") == without_a
    assert holds_only_sections(text) is only


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (A, "one"),
        ("<a>\n\n</a>", ""),
        (f"{A} ", None),
        (f" {A}", None),
        (B, None),
        ("<a>\none", None),
        ("one\n</a>", None),
    ],
)
def test_what_stands_between_marks(text: str, inside: str | None) -> None:
    assert text_of_section(text, "a") == inside


FIVE = tuple(user(str(number)) for number in range(5))


@pytest.mark.parametrize(
    ("start", "gone", "left", "new_start"),
    [
        (None, (), "01234", None),
        (None, (0, 3), "124", None),
        (None, [2, 2], "0134", None),
        (3, (0, 3, 4), "12", 2),
        (3, (3,), "0124", 3),
        (2, (0, 1), "234", 0),
    ],
)
def test_messages_are_taken_out(start: int | None, gone: Any, left: str, new_start: int | None) -> None:
    continuation = None if start is None else Continuation(id="r", start=start)
    request = Request("m", FIVE, continuation=continuation)
    cut = without_messages(request, gone)
    known = None if new_start is None else Continuation(id="r", start=new_start)
    assert cut == replace(request, messages=tuple(map(user, left)), continuation=known)
    assert first_sent(cut) == (new_start or 0)


@pytest.mark.parametrize(
    ("start", "expected"), [(None, "ab01234"), (0, "ab01234"), (2, "01ab234"), (5, "01234ab")]
)
def test_messages_are_put_before_all_that_are_sent(start: int | None, expected: str) -> None:
    continuation = None if start is None else Continuation(id="r", start=start)
    request = Request("m", FIVE, continuation=continuation)
    changed = with_messages_first(request, (user("a"), user("b")))
    assert changed == replace(request, messages=tuple(map(user, expected)))


@pytest.mark.parametrize(
    ("native", "path"),
    [(True, "native"), ("true", "native"), (False, "message"), ("false", "message"), ("unknown", "message")],
)
def test_the_path_of_instructions(native: Any, path: str) -> None:
    assert instruction_path(native) == path


@pytest.mark.parametrize("native", ["no", 2, None, []])
def test_a_path_that_is_none(native: Any) -> None:
    with pytest.raises(ContextError) as refused:
        instruction_path(native)
    assert str(refused.value) == f'instruction path: native is true, false or "unknown", not {native!r}'


MARKED = Instruction("marked", "developer", cache=Cache("1h"), vendor={"w": {"a": 1}}, extra={"w": {"b": 2}})


@pytest.mark.parametrize(
    ("layers", "first"),
    [
        (layers_of(base="Be brief."), [system("Be brief.")]),
        ((), []),
        (
            (Instruction("Be brief."), MARKED),
            [
                system("Be brief."),
                Message(
                    "developer",
                    Text("marked", cache=Cache("1h"), vendor={"w": {"a": 1}}, extra={"w": {"b": 2}}),
                ),
            ],
        ),
    ],
)
def test_instructions_become_messages(layers: tuple[Instruction, ...], first: list[Message]) -> None:
    request = Request("m", FIVE[:2], instructions="old", continuation=Continuation(id="r", start=1))
    merged = merge(layers)
    placed = place(merged, request, "message")
    bare = [replace(message, provenance=None) for message in placed.messages]
    assert bare == [FIVE[0], *first, FIVE[1]]
    assert placed.instructions is None
    assert place(merged, request) == replace(request, instructions=merged.instructions)


CALL, OTHER, NAMELESS = ToolCall("c", "f", {}), ToolCall("d", "f", {}), ToolCall(None, "f", {})


def tool(*ids: str | None) -> Message:
    return Message("tool", tuple(ToolResult(name, "r") for name in ids))


@pytest.mark.parametrize(
    ("messages", "barred"),
    [
        ([user("a"), assistant(CALL), tool("c"), user("b")], {2}),
        ([assistant(CALL), user("a"), tool("c")], {1, 2}),
        ([assistant(CALL, OTHER), tool("c"), tool("d"), user("b")], {1, 2}),
        ([assistant(CALL), assistant(CALL), tool("c")], {2}),
        ([assistant(CALL), tool("d"), user("a")], set()),
        ([tool("c"), assistant(CALL)], set()),
        ([assistant(CALL), assistant(NAMELESS), tool(None), user("a")], {2}),
        ([assistant(CustomToolCall("x", "f", "in")), Message("tool", CustomToolResult("x", "out"))], {1}),
        ([assistant(CALL), tool("c"), tool("c"), user("a"), assistant(OTHER), tool("d")], {1, 2, 5}),
    ],
)
def test_where_no_cut_may_be(messages: list[Message], barred: set[int]) -> None:
    assert uncuttable(messages) == barred
    assert [holds_result(message) for message in messages] == [message.role == "tool" for message in messages]


@pytest.mark.parametrize(
    ("parts", "tokens"),
    [
        ((), 0),
        ((Text("abcd"),), 1),
        ((Text("abcde"),), 2),
        ((Refusal("abcd"), Text("abcd")), 2),
        ((ToolCall("c", "name", {"a": 1}),), 3),
        ((ToolCall("c", "name", "1234"),), 2),
        ((ToolResult("c", (Text("abcdefgh"), Image(url="u"))),), 2),
        ((SearchResult("https://example.org", "t", (Text("abcdefghi"),)),), 3),
        ((Json({"a": [1, "é"]}),), 4),
        ((Reasoning(text="abcd", summary=("ab", "c"), texts=("d",)),), 2),
        ((Image(data="AAAAAAAA", media_type="image/png"),), 0),
    ],
)
def test_tokens_are_estimated(parts: tuple[Any, ...], tokens: int) -> None:
    assert estimate_tokens(Message("assistant", parts)) == tokens


@pytest.mark.parametrize(
    ("layers", "kept"),
    [
        (("a", "b a", "c"), (1, 2)),
        (("same", "same"), (0,)),
        (("a", Instruction("a b", "developer")), (0, 1)),
        ((Instruction("a", cache=Cache()), "a b"), (0, 1)),
        (("a", Instruction("a b", cache=Cache())), (0, 1)),
        (("b a", "a"), (0,)),
    ],
)
def test_layers_that_another_contains(layers: tuple[Any, ...], kept: tuple[int, ...]) -> None:
    given = [each if isinstance(each, Instruction) else Instruction(each) for each in layers]
    dropped: list[tuple[Instruction, str]] = []
    assert drop_contained(given, dropped) == [given[index] for index in kept]
    gone = [layer for index, layer in enumerate(given) if index not in kept]
    assert dropped == [(layer, "another layer contains it") for layer in gone]


TALK = (
    system("s"),
    user("1"),
    assistant("2"),
    user("3"),
    assistant(CALL),
    tool("c"),
    assistant("4"),
    user("5"),
)
SUMMARY = user("<conversation_summary>\nbefore\n</conversation_summary>")


def one(message: Message) -> int:
    """Count every message as ten tokens."""
    return 10


# the limits, the messages, which of them stay, and what is said of it
REDUCTIONS: dict[str, tuple[dict[str, Any], tuple[Message, ...], tuple[int, ...], Reduction | None]] = {
    "few": ({"max_messages": 7}, TALK, tuple(range(8)), None),
    "no limit": ({}, TALK, tuple(range(8)), None),
    "many": (
        {"max_messages": 6},
        TALK,
        (0, 3, 4, 5, 6, 7),
        Reduction(because="messages", dropped=(1, 2), before=7, after=5),
    ),
    "a target": (
        {"max_messages": 6, "target_messages": 4},
        TALK,
        (0, 7),
        Reduction(because="messages", dropped=(1, 2, 3, 4, 5, 6), before=7, after=1),
    ),
    "a target, and any start": (
        {"max_messages": 6, "target_messages": 4, "start_at": "any"},
        TALK,
        (0, 4, 5, 6, 7),
        Reduction(because="messages", dropped=(1, 2, 3), before=7, after=4),
    ),
    "a target, any start, and no pair parted": (
        {"max_messages": 6, "target_messages": 3, "start_at": "any"},
        TALK,
        (0, 6, 7),
        Reduction(because="messages", dropped=(1, 2, 3, 4, 5), before=7, after=2),
    ),
    "tokens": (
        {"max_tokens": 60, "count_tokens": one},
        TALK,
        (0, 3, 4, 5, 6, 7),
        Reduction(because="tokens", dropped=(1, 2), before=7, after=5, tokens_before=70, tokens_after=50),
    ),
    "tokens, few": ({"max_tokens": 70, "count_tokens": one}, TALK, tuple(range(8)), None),
    "tokens, a target": (
        {"max_tokens": 60, "target_tokens": 40, "count_tokens": one},
        TALK,
        (0, 7),
        Reduction(
            because="tokens", dropped=(1, 2, 3, 4, 5, 6), before=7, after=1, tokens_before=70, tokens_after=10
        ),
    ),
    "both": (
        {"max_messages": 6, "max_tokens": 60, "target_tokens": 10, "count_tokens": one},
        TALK,
        (0, 7),
        Reduction(
            because="messages", dropped=(1, 2, 3, 4, 5, 6), before=7, after=1, tokens_before=70, tokens_after=10
        ),
    ),
    "the last user message stays": (
        {"max_messages": 1},
        (user("1"), user("2"), assistant("3"), assistant("4")),
        (1, 2, 3),
        Reduction(because="messages", dropped=(0,), before=4, after=3, reached=False),
    ),
    "nothing to cut": (
        {"max_messages": 1},
        (assistant("1"), assistant("2")),
        (0, 1),
        Reduction(because="messages", dropped=(), before=2, after=2, reached=False),
    ),
    "no start reaches the target": (
        {"max_tokens": 5, "count_tokens": one},
        (user("1"), assistant("2"), user("3"), user("4")),
        (3,),
        Reduction(because="tokens", dropped=(0, 1, 2), before=4, after=1, tokens_before=40, tokens_after=10, reached=False),
    ),
    "the last user message stays wherever it may start": (
        {"max_messages": 1, "start_at": "any"},
        (user("1"), assistant("2"), user("3"), assistant("4")),
        (2, 3),
        Reduction(because="messages", dropped=(0, 1), before=4, after=2, reached=False),
    ),
    "any start where no user speaks": (
        {"max_messages": 1, "start_at": "any"},
        (assistant("1"), assistant("2"), assistant("3")),
        (2,),
        Reduction(because="messages", dropped=(0, 1), before=3, after=1),
    ),
    "no start with a result": (
        {"max_messages": 3, "start_at": "any"},
        (user("1"), tool("x"), assistant("2"), user("3")),
        (2, 3),
        Reduction(because="messages", dropped=(0, 1), before=4, after=2),
    ),
    "no start between a call and its result": (
        {"max_messages": 3, "start_at": "any"},
        (user("1"), assistant(CALL), user("2"), tool("c"), user("3")),
        (4,),
        Reduction(because="messages", dropped=(0, 1, 2, 3), before=5, after=1),
    ),
    "an earlier summary is not counted": ({"max_messages": 2}, (SUMMARY, user("1"), assistant("2")), (0, 1, 2), None),
    "system messages in between": (
        {"max_messages": 1},
        (user("1"), system("now"), user("2")),
        (1, 2),
        Reduction(because="messages", dropped=(0,), before=2, after=1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REDUCTIONS)
def test_a_history_is_reduced(case: str) -> None:
    limits, messages, stay, reduction = REDUCTIONS[case]
    request = Request("m", messages)
    reduced = run(reduce_steps(request, HistoryReduction(**limits)), "prepare_async")
    assert reduced == (replace(request, messages=tuple(messages[index] for index in stay)), reduction)


@pytest.mark.parametrize(
    ("summary", "role", "messages"),
    [
        (
            "so far",
            "user",
            (system("s"), user("<conversation_summary>\nso far\n</conversation_summary>"), TALK[7]),
        ),
        (
            "so far",
            "assistant",
            (system("s"), assistant("<conversation_summary>\nso far\n</conversation_summary>"), TALK[7]),
        ),
        (" ", "user", (system("s"), TALK[7])),
        ("", "user", (system("s"), TALK[7])),
    ],
)
def test_what_is_dropped_is_summed_up(summary: str, role: str, messages: tuple[Message, ...]) -> None:
    asked: list[Any] = []

    def summarize(dropped: tuple[Message, ...], before: str | None) -> str:
        asked.append((dropped, before))
        return summary

    settings = HistoryReduction(max_messages=2, summarize=summarize, summary_role=role)
    request = Request("m", (TALK[0], SUMMARY, *TALK[1:]))
    reduced, reduction = run(reduce_steps(request, settings), "prepare_async")
    assert asked == [(TALK[1:7], "before")]
    assert reduced == replace(request, messages=messages)
    dropped = tuple(range(2, 8))
    assert reduction == Reduction(because="messages", dropped=dropped, before=7, after=1, summary=summary)


def test_a_summary_is_text() -> None:
    settings = HistoryReduction(max_messages=2, summarize=lambda dropped, before: 5)  # type: ignore[arg-type,return-value]
    with pytest.raises(ContextError) as refused:
        run(reduce_steps(Request("m", TALK), settings), "prepare_async")
    assert str(refused.value) == "summarizer: gave int, not text"


def test_every_earlier_summary_is_handed_over() -> None:
    asked: list[str | None] = []

    def summarize(dropped: tuple[Message, ...], before: str | None) -> str:
        asked.append(before)
        return "all"

    settings = HistoryReduction(max_messages=1, summarize=summarize)
    messages = (SUMMARY, user("1"), SUMMARY, user("2"))
    reduced, _ = run(reduce_steps(Request("m", messages), settings), "prepare_async")
    whole = user("<conversation_summary>\nall\n</conversation_summary>")
    assert (asked, reduced.messages) == (["before\nbefore"], (whole, user("2")))


def test_an_empty_summary_is_none() -> None:
    asked: list[str | None] = []

    def summarize(dropped: tuple[Message, ...], before: str | None) -> str:
        asked.append(before)
        return "all"

    empty = user("<conversation_summary>\n\n</conversation_summary>")
    run(
        reduce_steps(
            Request("m", (empty, user("1"), user("2"))), HistoryReduction(max_messages=1, summarize=summarize)
        ),
        "prepare_async",
    )
    assert asked == [None]


def test_a_count_that_fails_is_named() -> None:
    def count(message: Message) -> int:
        raise ValueError("no")

    settings = HistoryReduction(max_tokens=1, count_tokens=count)
    with pytest.raises(ContextError) as refused:
        run(reduce_steps(Request("m", TALK), settings), "prepare_async")
    assert str(refused.value) == "count_tokens: ValueError: no"


def test_what_the_server_holds_is_not_reduced() -> None:
    request = Request("m", TALK, continuation=Continuation(id="r", start=1))
    assert run(reduce_steps(request, HistoryReduction(max_messages=1)), "prepare_async") == (request, None)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (SUMMARY, "before"),
        (user("before"), None),
        (user(*SUMMARY.parts, "more"), None),
        (user(*SUMMARY.parts, Image(url="u")), None),
        (user(Image(url="u")), None),
    ],
)
def test_a_summary_is_known_by_its_marks(message: Message, text: str | None) -> None:
    assert text_of_summary(message) == text


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"max_messages": 0}, "max_messages is at least 1, not 0"),
        ({"max_tokens": -1}, "max_tokens is at least 1, not -1"),
        ({"target_messages": 1}, "target_messages is between 1 and max_messages, not 1"),
        ({"max_tokens": 5, "target_tokens": 6}, "target_tokens is between 1 and max_tokens, not 6"),
        ({"max_tokens": 5, "target_tokens": 0}, "target_tokens is between 1 and max_tokens, not 0"),
        ({"start_at": "end"}, 'start_at="end": use one of user, any'),
        (
            {"summary_role": "poet"},
            'summary_role="poet": use one of system, developer, user, assistant, tool',
        ),
    ],
)
def test_limits_that_make_no_sense(limits: dict[str, Any], said: str) -> None:
    with pytest.raises(ContextError) as refused:
        HistoryReduction(**limits)
    assert str(refused.value) == f"history reduction: {said}"


@pytest.mark.parametrize(
    "limits",
    [{"max_messages": 1, "target_messages": 1}, {"max_tokens": 5, "target_tokens": 5}, {"max_tokens": 1}],
)
def test_limits_that_just_make_sense(limits: dict[str, Any]) -> None:
    assert HistoryReduction(**limits).start_at == "user"
