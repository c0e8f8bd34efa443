"""Laws of history reduction: no tool result loses its call, no call its result, and what must stay stays."""

from __future__ import annotations

from hypothesis import given, strategies as st

from promptwire import Message, Request, Text, ToolCall, ToolResult
from promptwire.context import HistoryReduction, Pipeline, estimate_tokens
from tests.laws.strategies import searching

IDS = ("c1", "c2", "c3", None)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Draw turns with parallel calls, results in any order, repeated and missing ids, and orphans."""
    found: list[Message] = []
    for _ in range(draw(st.integers(0, 7))):
        kind = draw(
            st.sampled_from(("user", "assistant", "system", "developer", "calls", "results", "turn", "turn"))
        )
        ids = draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=3))
        calls = Message("assistant", tuple([ToolCall(each, "f") for each in ids]))
        shuffled = draw(st.permutations(ids))
        role = draw(st.sampled_from(("tool", "user")))
        if kind == "turn":
            found += [Message("user", (Text("do it"),)), calls]
        elif kind == "calls":
            found.append(calls)
        if kind in ("turn", "results"):
            found += [Message(role, (ToolResult(each, "done"),)) for each in shuffled]
        elif kind != "calls":
            found.append(Message(kind, (Text(draw(st.sampled_from(("hi", "a longer text, word by word")))),)))
    return tuple(found)


def pairs(messages: tuple[Message, ...]) -> list[tuple[int, int]]:
    """Match every result with its call: the nearest one before it of that id, or of any where it has none."""
    found: list[tuple[int, int]] = []
    for place, message in enumerate(messages):
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolResult):
                before = [
                    index
                    for index, earlier in enumerate(messages[: place + 1])
                    for position, call in enumerate(earlier.parts)
                    if isinstance(call, ToolCall)
                    and (index < place or position < number)
                    and part.call_id in (None, call.id)
                ]
                found += [(before[-1], place)] if before else []
    return found


def limits() -> st.SearchStrategy[HistoryReduction]:
    """Limits of messages, tokens or both, with and without lower targets."""
    counts = st.none() | st.integers(1, 8)
    return st.builds(
        lambda messages, tokens, start, lower: HistoryReduction(
            max_messages=messages,
            max_tokens=tokens,
            target_messages=1 if lower and messages else None,
            target_tokens=1 if lower and tokens else None,
            start_at=start,
        ),
        counts,
        counts,
        st.sampled_from(("user", "any")),
        st.booleans(),
    )


@searching(400)
@given(messages=conversations(), history=limits())
def test_a_reduced_history_is_whole(messages: tuple[Message, ...], history: HistoryReduction) -> None:
    prepared = Pipeline(history=history).prepare(Request("m", messages))
    reduction, kept = prepared.report.reduction, prepared.request.messages
    if reduction is None:
        assert kept == messages
        return
    gone = set(reduction.dropped)
    assert kept == tuple([each for index, each in enumerate(messages) if index not in gone])
    assert [(call, result) for call, result in pairs(messages) if (call in gone) != (result in gone)] == []

    counted = [index for index, each in enumerate(messages) if each.role not in ("system", "developer")]
    assert list(reduction.dropped) == counted[: len(gone)]
    assert (reduction.before, reduction.after) == (len(counted), len(counted) - len(gone))
    asked = [
        index
        for index in counted
        if messages[index].role == "user" and not isinstance(messages[index].parts[0], ToolResult)
    ]
    assert not asked or asked[-1] not in gone
    if history.start_at == "user" and gone:
        assert counted[len(gone)] in asked
    tokens = sum(estimate_tokens(messages[index]) for index in counted if index not in gone)
    within = reduction.after <= (history.target_messages or history.max_messages or reduction.after)
    within = within and tokens <= (history.target_tokens or history.max_tokens or tokens)
    assert reduction.reached == within


@searching(100)
@given(messages=conversations(), most=st.integers(1, 6))
def test_reducing_again_changes_nothing(messages: tuple[Message, ...], most: int) -> None:
    pipeline = Pipeline(history=HistoryReduction(max_messages=most))
    once = pipeline.prepare(Request("m", messages)).request
    assert pipeline.prepare(once).request == once


@searching(100)
@given(messages=conversations())
def test_the_calls_that_wait_for_results_stay(messages: tuple[Message, ...]) -> None:
    waiting = Message("assistant", (ToolCall("w1", "f"), ToolCall("w2", "f")))
    turn = (Message("user", (Text("do it"),)), waiting, Message("tool", (ToolResult("w1", "done"),)))
    for start in ("user", "any"):
        history = HistoryReduction(max_messages=1, start_at=start)
        kept = Pipeline(history=history).prepare(Request("m", (*messages, *turn))).request.messages
        assert kept[-3:] == turn
