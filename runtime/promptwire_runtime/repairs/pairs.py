"""Pairs of tool calls and results: missing, unmatched, repeated and misplaced ones."""

from __future__ import annotations

from ..model.parts import CALLS, RESULTS, CustomToolCall, CustomToolResult, HostedCall, Text, ToolResult
from ..model.request import Message
from ..nodes.records import replace
from ..passes.pairing import hosted_orphans
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING
from .changes import EditLog, continues, first_sent, with_changed_parts
from .registry import repair

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

# what a stand-in for a missing result says
NO_RESULT = "No result: this call was not answered."


@repair(
    "orphans",
    off="error keep",
    refused="tool_call.id custom_tool_call.id tool_result.call_id custom_tool_result.call_id hosted_call.id "
    "hosted_result.call_id turn.unmatched tool.after user.after user.tool_result.after user.tool_result.before "
    "assistant.tool_call.before",
    missing="tool_result.name",
    rank=20,
)
def pair(request: Request, log: EditLog) -> Request:
    """Return the request with one result for each call, right after the message that calls, in the order of the calls.

    Results that come later move up; what repeated results say is added to the first. A call without a result gets
    one that says so, and a result without a call becomes text of the user; under `orphans="drop"`, both are dropped.
    In the message that calls, the calls come last. Calls of the API's own tools, and their results, are always dropped.
    """
    start, held = first_sent(request, log.context), continues(request, log.context)
    request = _without_hosted(request, start, log, held=held)
    pairing = _Pairing(request.messages[start:], log, drops=log.choice == "drop", held=held)
    messages = (*request.messages[:start], *pairing.messages())
    return replace(request, messages=messages)


def _without_hosted(request: Request, start: int, log: EditLog, *, held: bool) -> Request:
    """Return the request without the hosted calls and results that lack the other, which nobody can make up."""
    alone = hosted_orphans(request.messages[start:], log.context.wire, continues=held)
    lost = frozenset(map(id, alone))

    def change(part: Part) -> Part | tuple[Part, ...]:
        if id(part) not in lost:
            return part
        lacks = "it has no result" if isinstance(part, HostedCall) else "no call before it has this id"
        log.add("dropped", part, spec_word(part), lacks)
        return ()

    return with_changed_parts(request, log, change) if lost else request


class _Pairing:
    """The messages of one conversation while their results are put after their calls."""

    def __init__(self, messages: tuple[Message, ...], log: EditLog, *, drops: bool, held: bool) -> None:
        self._given = messages
        self._log = log
        self._drops = drops
        self._held = held
        # identity of a call -> the message that holds its result, and the result
        self._answers: dict[int, tuple[Message, Any]] = {}
        # identity of a result -> why it is repeated or has no call
        self._loose: dict[int, str] = {}
        # identity of a result -> what it says with what was repeated
        self._joined: dict[int, Any] = {}
        # identities of the results that stand elsewhere now
        self._placed: set[int] = set()
        self._match()

    def _match(self) -> None:
        """Find the result of each call: the first with its id, after the call or else before it, or of its name."""
        unanswered: list[Any] = []
        unmatched: list[tuple[Message, Any]] = []
        for message in self._given:
            for part in message.parts:
                if isinstance(part, CALLS):
                    unanswered.append(part)
                elif isinstance(part, RESULTS) and not self._take(message, part, unanswered):
                    unmatched.append((message, part))
        answered = {result.call_id: result for _, result in self._answers.values() if result.call_id}
        for message, part in unmatched:
            if self._take(message, part, unanswered):
                continue
            if part.call_id in answered:
                self._loose[id(part)] = "repeated"
                self._join(answered[part.call_id], part)
            elif not self._held:
                self._loose[id(part)] = "unmatched"

    def _join(self, first: Any, repeated: Any) -> None:
        """Add what a repeated result says to the first result of its call, unless it says the same."""
        why = "its call has a result already"
        joined = self._joined.get(id(first), first)
        if repeated.parts == first.parts or not repeated.parts:
            self._log.add("dropped", repeated, spec_word(repeated), why)
            return
        self._log.add("merged", repeated, spec_word(repeated), f"{why}, which says this too now")
        failed = {"is_error": True} if getattr(repeated, "is_error", None) else {}
        self._joined[id(first)] = self._log.changed(joined, parts=(*joined.parts, *repeated.parts), **failed)

    def _take(self, message: Message, result: Any, unanswered: list[Any]) -> bool:
        """Return whether a result answers one of the open calls, which is open no more."""
        call = next((call for call in unanswered if _answers(result, call)), None)
        if call is None:
            return False
        unanswered.remove(call)
        self._answers[id(call)] = (message, result)
        return True

    def messages(self) -> list[Message]:
        """Return the messages in their new order."""
        rows: list[list[tuple[Message, Any] | None]] = []
        for index, message in enumerate(self._given):
            answers = [self._answers.get(id(part)) for part in message.parts if isinstance(part, CALLS)]
            rows.append([] if self._are_in_place(answers, self._given[index + 1 :]) else answers)
            self._placed |= {id(answer[1]) for answer in rows[-1] if answer is not None}
        made: list[Message] = []
        for index, (message, answers) in enumerate(zip(self._given, rows, strict=True)):
            parts = self._calls_last(message, self._without_results(message))
            made += self._shown(message, parts)
            if answers:
                calls = [part for part in message.parts if isinstance(part, CALLS)]
                made += self._results(calls, answers, self._given[index + 1 :])
        return made

    def _shown(self, message: Message, parts: tuple[Part, ...]) -> list[Message]:
        if parts == message.parts:
            return [message]
        if not parts:
            if not any(id(part) in self._placed for part in message.parts):
                self._log.add("dropped", message, "message", "none of its parts is left")
            return []
        # a message that is left without its results, which no tool message may be
        role = (
            "user"
            if message.role == "tool" and not any(isinstance(part, RESULTS) for part in parts)
            else message.role
        )
        return [self._log.changed(message, parts=parts, role=role)]

    def _without_results(self, message: Message) -> tuple[Part, ...]:
        """Return the parts of a message without the results that stand elsewhere now, and without loose ones."""
        parts: list[Part] = []
        for part in message.parts:
            if id(part) in self._placed:
                continue
            if isinstance(part, CALLS) and self._drops and id(part) not in self._answers:
                self._log.add("dropped", part, spec_word(part), "it has no result")
                continue
            loose = self._loose.get(id(part))
            if loose is None:
                parts.append(self._joined.get(id(part), part))
            elif loose == "repeated":
                continue
            elif self._drops:
                self._log.add("dropped", part, spec_word(part), "no call before it has this id")
            else:
                parts += self._as_text(part)
        return tuple(parts)

    def _as_text(self, result: Any) -> tuple[Part, ...]:
        """Return a result without a call as parts of the user's message."""
        name = f" of {result.name}" if result.name else ""
        why = "no call before it has this id; sent as text of the user"
        self._log.add("replaced", result, spec_word(result), why)
        head = self._log.made(result, Text(f"Result{name}, whose call is not in this conversation:"))
        return (head, *result.parts)

    def _calls_last(self, message: Message, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Return parts with the calls after all others, in one block."""
        last = tuple([part for part in parts if isinstance(part, CALLS)])
        first = tuple([part for part in parts if not isinstance(part, CALLS)])
        if not last or parts[len(first) :] == last:
            return parts
        self._log.add("moved", message, "parts", "its calls come last, right before their results")
        return (*first, *last)

    def _results(
        self, calls: list[Any], answers: list[tuple[Message, Any] | None], later: tuple[Message, ...]
    ) -> list[Message]:
        """Return the messages with the results of some calls, which other messages follow."""
        in_place = self._are_in_place([answer for answer in answers if answer is not None], later)
        made: list[Message] = []
        for call, answer in zip(calls, answers, strict=True):
            if answer is not None:
                made.append(self._with_result(*answer))
            elif not self._drops:
                self._log.add("added", call, "id", "it has no result; a result that says so was added")
                made.append(self._log.made(call, Message("tool", (_stand_in(call, self._log),))))
        first = next((answer[1] for answer in answers if answer is not None), None)
        if first is not None and not in_place:
            self._log.add(
                "moved", first, "", "results come right after their calls, in the order of the calls"
            )
        return made

    def _with_result(self, holder: Message, result: Any) -> Message:
        """Return a message with one result. The first result of a message of nothing else keeps its other fields."""
        joined = self._joined.get(id(result), result)
        if holder.role == "tool" and len(holder.parts) == 1 and joined is result:
            return holder
        emptied = all(id(part) in self._placed for part in holder.parts)
        if emptied and result is holder.parts[0]:
            return self._log.changed(holder, parts=(joined,), role="tool")
        return self._log.made(holder, Message("tool", (joined,), provenance=holder.provenance))

    def _are_in_place(self, rows: list[tuple[Message, Any] | None], later: tuple[Message, ...]) -> bool:
        """Return whether all calls have results, which stand right after them already, in order."""
        if None in rows:
            return False
        results = [row[1] for row in rows if row is not None]
        found: list[Part] = []
        for message in later:
            for part in message.parts:
                if len(found) == len(results):
                    break
                found.append(part)
            if len(found) == len(results) or message.role == "assistant":
                break
        return len(found) == len(results) and all(a is b for a, b in zip(found, results, strict=True))


def _answers(result: Any, call: Any) -> bool:
    if result.call_id is not None or call.id is not None:
        return bool(result.call_id == call.id)
    return result.name in (None, call.name)


def _stand_in(call: Any, log: EditLog) -> Part:
    """Return a result that says that its call has none."""
    text = Text(NO_RESULT)
    if isinstance(call, CustomToolCall):
        made: Part = CustomToolResult(call.id, (text,), name=call.name)
    else:
        made = ToolResult(call.id, (text,), name=call.name)
    log.made(call, text)
    return log.made(call, made)
