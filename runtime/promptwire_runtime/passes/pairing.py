"""Pair tool calls with their results. Loaded where a result does not directly follow its call."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from ..model.parts import (
    CALLS,
    RESULTS,
    Compaction,
    HostedCall,
    HostedResult,
    ItemReference,
    Opaque,
    Part,
)
from ..model.request import Message
from ..reporting.facts import WireFacts
from ..reporting.report import Report
from ..reporting.spec_words import kind_of

# parts that may contain calls or results of their own
_CONTAINERS = (Opaque, ItemReference, Compaction)
_SPEAKERS = {"assistant": "assistant", "user": "user", "tool": "user"}
_PLACES = {"later": "", "turn": " in the turn after it", "next": " in the next messages"}


def report_orphans(report: Report) -> None:
    """Reject tool calls without results, and results without calls, in the order of the messages."""
    if report.policies.refusals == "ignore":
        return
    wire, known = report.wire, report.continuation
    messages = report.request.messages[known.start if known is not None else 0 :]
    continues = known is not None and (known.id is not None or known.conversation is not None)
    if any(isinstance(part, _CONTAINERS) for message in messages for part in message.parts):
        return
    alone = orphans(messages, wire, continues=continues)
    for part in (*alone, *hosted_orphans(messages, wire, continues=continues)):
        called = isinstance(part, (*CALLS, HostedCall))
        field, value = ("id", part.id) if called else ("call_id", part.call_id)
        is_answered = isinstance(part, HostedCall) and part.type in wire.answered
        place = " before the user speaks again" if is_answered else _PLACES[wire.pairs]
        why = f"it has no result{place}" if called else "no call before it has this id"
        refused = f'{wire.title} requires both; orphans="keep" sends it anyway'
        report.refused(f"{kind_of(part)}.{field}", value, f"{why}, and {refused}", part)
    for part in repeated_results(messages, wire):
        why = f'its call has a result already, and {wire.title} takes one; orphans="keep" sends it anyway'
        report.refused(f"{kind_of(part)}.call_id", part.call_id, why, part)


def waiting_calls(parts: Iterable[Part], wire: WireFacts) -> tuple[HostedCall, ...]:
    """Return the hosted calls that the caller runs or approves, without those that another part answers.

    A result answers a call, and so does a later call that names it: the API ran what was approved.
    """
    rows = list(parts)
    answered = {part.call_id for part in rows if isinstance(part, HostedResult)}
    calls = [part for part in rows if isinstance(part, HostedCall) and _waits(part, wire)]
    open_calls = [call for call in calls if answered.isdisjoint(answerable_ids(call))]
    return tuple([call for call in open_calls if not any(_follows(part, call) for part in rows)])


def _follows(part: Part, call: HostedCall) -> bool:
    """Return whether a part is another hosted call that names this one by its id."""
    if part is call or not isinstance(part, HostedCall):
        return False
    return call.id is not None and call.id in (part.payload or {}).values()


def _waits(call: HostedCall, wire: WireFacts) -> bool:
    wanted, said = wire.waiting.get(call.type), call.payload or {}
    return wanted is not None and all(said.get(key) == value for key, value in wanted.items())


def orphans(messages: Iterable[Message], wire: WireFacts, *, continues: bool = False) -> list[Any]:
    """Return the calls without results and the results without calls, in order.

    Parts without an id are not returned, because they cannot be matched. A result may occur twice.

    Args:
        messages: The messages that are sent.
        wire: Where the API requires the results, and which hosted calls wait for one.
        continues: Whether the server holds earlier messages, whose calls any result may answer.
    """
    alone: list[tuple[int, Any]] = []
    # id -> calls without a result so far, in order
    unanswered: dict[str, list[tuple[int, Any]]] = {}
    waiting: list[tuple[int, HostedCall]] = []
    known: set[str] = set()
    for index, part in enumerate(_turns(messages, wire.pairs)):
        if part is None:
            alone += [*waiting, *[row for rows in unanswered.values() for row in rows]]
            unanswered, known, waiting = {}, set(), []
        elif isinstance(part, CALLS):
            if part.id is not None:
                unanswered.setdefault(part.id, []).append((index, part))
                known.add(part.id)
        elif isinstance(part, HostedCall):
            # the caller gives no results of calls that the API runs itself
            known |= answerable_ids(part) if part.type not in wire.answered else set()
            waiting = [row for row in waiting if not _follows(part, row[1])]
            if _waits(part, wire):
                waiting.append((index, part))
        else:
            waiting = [row for row in waiting if part.call_id not in answerable_ids(row[1])]
            if part.call_id in unanswered:
                answered = unanswered[part.call_id]
                del answered[0]
                if not answered:
                    del unanswered[part.call_id]
            elif isinstance(part, RESULTS) and not continues and part.call_id not in (None, *known):
                alone.append((index, part))
    return [part for _, part in sorted(alone, key=lambda row: row[0])]


def hosted_orphans(messages: Iterable[Message], wire: WireFacts, *, continues: bool = False) -> list[Any]:
    """Return the hosted calls that have no result when the user speaks again, and hosted results without a call.

    Args:
        messages: The messages that are sent.
        wire: Which hosted calls the API answers itself, and which wait for the caller; none: nothing is returned.
        continues: Whether the server holds earlier messages, whose calls any result may answer.
    """
    if not (wire.waiting or wire.answered):
        return []
    alone: list[Any] = []
    known: set[str | None] = {None}
    # ids of the calls without a result so far
    unanswered: dict[str, HostedCall] = {}
    for message in messages:
        # results of the caller's tools may come between a call of the API and its result
        if message.role == "user" and not any(isinstance(part, RESULTS) for part in message.parts):
            alone += unanswered.values()
            unanswered = {}
        for before, part in zip((None, *message.parts), message.parts, strict=False):
            if isinstance(part, CALLS):
                known.add(part.id)
            elif isinstance(part, HostedCall):
                known |= answerable_ids(part)
                if part.id is not None and part.type in wire.answered:
                    unanswered[part.id] = part
            elif isinstance(part, HostedResult):
                called = _called(part, before, known)
                unanswered.pop(called or "", None)
                if called not in known and not continues:
                    alone.append(part)
    return alone


def _called(result: HostedResult, before: Part | None, known: Container[str | None]) -> str | None:
    """Return the id of the call that a hosted result answers.

    A result right behind a call is taken for its result, as ids of recorded conversations may have been replaced.
    """
    return before.id if isinstance(before, HostedCall) and result.call_id not in known else result.call_id


def repeated_results(messages: Iterable[Message], wire: WireFacts) -> list[Any]:
    """Return the results whose call has one already, where the API takes one for each call in the turn after it."""
    repeated: list[Any] = []
    # id -> how many of its calls have no result so far
    calls: dict[str, int] = {}
    for part in _turns(messages, wire.pairs) if wire.pairs == "turn" else ():
        if part is None:
            calls = {}
        elif isinstance(part, CALLS) and part.id is not None:
            calls[part.id] = calls.get(part.id, 0) + 1
        elif isinstance(part, RESULTS) and part.call_id in calls:
            calls[part.call_id] -= 1
            if calls[part.call_id] < 0:
                repeated.append(part)
    return repeated


def _turns(messages: Iterable[Message], pairs: str) -> Iterator[Any]:
    """Yield all calls and results, and None where open calls can no longer be answered."""
    before = ""
    called = False
    for message in messages:
        speaker = _SPEAKERS.get(message.role, message.role)
        if pairs == "turn" and before not in (speaker, "assistant"):
            yield None
        before = speaker
        for part in message.parts:
            if pairs == "next" and called and not isinstance(part, RESULTS):
                called = False
                yield None
            if isinstance(part, (*CALLS, *RESULTS, HostedCall, HostedResult)):
                yield part
        called = called or any(isinstance(part, CALLS) for part in message.parts)
    yield None


def answerable_ids(call: HostedCall) -> set[str]:
    """Return the ids by which a result may answer a hosted tool call that the caller runs, such as a tool search."""
    ids = (call.id, (call.payload or {}).get("call_id"))
    return {each for each in ids if isinstance(each, str)}
