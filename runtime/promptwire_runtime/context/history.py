"""Reducing a long history: by number of messages or tokens, with a summary of what is dropped if one is wanted.

System messages are never dropped, the last user message neither, and a tool call is never parted from its result.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from ..errors import ContextError
from ..model.parts import (
    CALLS,
    RESULTS,
    HostedCall,
    HostedResult,
    Json,
    Part,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    ToolCall,
    ToolResult,
)
from ..model.request import ROLES, Message, Request
from ..nodes.checks import CheckedRecord
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..steps import CallbackStep, Steps
from ..toolkits.viewing import first_sent, without_messages
from .dedup import is_system, text_of
from .sections import Section, text_of_section

_CALLS = (*CALLS, HostedCall)
_RESULTS = (*RESULTS, HostedResult)


def holds_result(message: Message) -> bool:
    """Return whether a message holds a tool result."""
    return any(isinstance(part, _RESULTS) for part in message.parts)


def uncuttable(messages: Sequence[Message]) -> set[int]:
    """Return the positions where a cut would part a call and its result.

    A cut at `i` separates `messages[:i]` from `messages[i:]`. A result belongs to the latest call of its id before
    it; one without an id belongs to the latest call of all.
    """
    calls: dict[str, int] = {}
    latest: int | None = None
    # a cut at i parts the pairs that begin before i and end at or after it
    reach: dict[int, int] = {}
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, _CALLS):
                latest = index
                if part.id is not None:
                    calls[part.id] = index
            elif isinstance(part, _RESULTS):
                call = latest if part.call_id is None else calls.get(part.call_id)
                if call is not None:
                    reach[call] = index
    indexes: set[int] = set()
    end = -1
    for index in range(len(messages)):
        if index <= end:
            indexes.add(index)
        end = max(end, reach.get(index, -1))
    return indexes


CHARACTERS_A_TOKEN = 4


def estimate_tokens(message: Message) -> int:
    """Estimate the tokens of a message: one for every four characters of its texts, calls and results.

    Images, audio and other media count nothing.
    """
    check_class(message, Message, "message")
    return -(-sum(map(_characters, message.parts)) // CHARACTERS_A_TOKEN)


def _characters(part: Part) -> int:
    if isinstance(part, Text | Refusal):
        return len(part.text)
    if isinstance(part, ToolCall):
        return len(part.name) + _length(part.arguments)
    if isinstance(part, ToolResult | SearchResult):
        return sum(map(_characters, part.parts))
    if isinstance(part, Json):
        return _length(part.value)
    if isinstance(part, Reasoning):
        return sum(map(len, (part.text or "", *(part.summary or ()), *(part.texts or ()))))
    return 0


def _length(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


SUMMARY = "conversation_summary"
Summarizer: TypeAlias = "Callable[[tuple[Message, ...], str | None], str | Awaitable[str]]"
_START = ("user", "any")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HistoryReduction(CheckedRecord):
    """The limits at which a history is reduced, and the targets. System messages and summaries are not counted.

    Attributes:
        max_messages: Reduce a history with more messages. None: no limit.
        max_tokens: Reduce a history with more tokens. None: no limit.
        target_messages: How many messages to keep (by default `max_messages`). A lower target reduces less often.
        target_tokens: How many tokens to keep (by default `max_tokens`).
        summarize: `summarize(dropped messages, previous summary or None)` returns a summary, or an awaitable. The
            summary replaces the dropped messages, as a message with marks.
        count_tokens: Returns the tokens of a message. By default a rough estimate.
        start_at: The first message that is kept: a `user` message, or `any` that needs no earlier one.
        summary_role: The role of the summary.

    Raises:
        ContextError: a limit or target is invalid.
    """

    max_messages: int | None = None
    max_tokens: int | None = None
    target_messages: int | None = None
    target_tokens: int | None = None
    summarize: Summarizer | None = None
    count_tokens: Callable[[Message], int] = estimate_tokens
    start_at: str = "user"
    summary_role: str = "user"

    def __post_init__(self) -> None:
        """Check the limits."""
        super().__post_init__()
        for kind in ("messages", "tokens"):
            most, target = getattr(self, f"max_{kind}"), getattr(self, f"target_{kind}")
            if most is not None and most < 1:
                raise _wrong(f"max_{kind} is at least 1, not {shown(most)}")
            if target is not None and (most is None or not 1 <= target <= most):
                raise _wrong(f"target_{kind} is between 1 and max_{kind}, not {shown(target)}")
        if self.start_at not in _START:
            raise _wrong(f'start_at="{self.start_at}": use one of {", ".join(_START)}')
        if self.summary_role not in ROLES:
            raise _wrong(f'summary_role="{self.summary_role}": use one of {", ".join(ROLES)}')


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Reduction(CheckedRecord):
    """The effect of a reduction.

    Attributes:
        because: The limit that was exceeded: `messages` or `tokens`.
        dropped: The indices of the dropped messages in the history before.
        before: The number of counted messages before.
        after: The number of counted messages after.
        tokens_before: The number of tokens before. None without a limit of tokens.
        tokens_after: The number of tokens after.
        reached: Whether the target was reached. Calls with results and the last user message are never cut.
        summary: The summary. None without one.
    """

    because: str
    dropped: tuple[int, ...]
    before: int
    after: int
    tokens_before: int | None = None
    tokens_after: int | None = None
    reached: bool = True
    summary: str | None = None


def reduce_steps(request: Request, settings: HistoryReduction) -> Steps[tuple[Request, Reduction | None]]:
    """Reduce the history of a request, in steps that may wait for the summarizer.

    A request that continues one on the server is not reduced: the server holds what could be dropped.
    """
    if first_sent(request) > 0:
        return request, None
    counted = tuple([index for index, turn in enumerate(request.messages) if _is_counted(turn)])
    tokens = None
    if settings.max_tokens is not None:
        tokens = yield CallbackStep(
            "count_tokens", _counts, (settings, [request.messages[index] for index in counted])
        )
    reduced = _cut(request.messages, counted, tokens, settings)
    if reduced is None:
        return request, None
    cut, reduction = reduced
    texts = map(text_of_summary, request.messages[:cut])
    earlier = {index: text for index, text in enumerate(texts) if text is not None}
    if settings.summarize is None or not reduction.dropped:
        return without_messages(request, reduction.dropped), reduction
    before = "\n".join(earlier.values()) or None
    dropped = tuple([request.messages[index] for index in reduction.dropped])
    summary = yield CallbackStep("summarizer", settings.summarize, (dropped, before))
    if not isinstance(summary, str):
        raise ContextError(f"gave {type(summary).__name__}, not text", where="summarizer")
    request = without_messages(request, (*reduction.dropped, *earlier))
    if summary and not summary.isspace():
        message = Message(settings.summary_role, (Text(Section(SUMMARY, summary).marked),))
        request = _after_system(request, message)
    return request, replace(reduction, summary=summary)


def text_of_summary(message: Message) -> str | None:
    """Return the text of a summary that an earlier reduction wrote; None for any other message."""
    return text_of_section(text_of(message), SUMMARY) if len(message.parts) == 1 else None


def _is_counted(message: Message) -> bool:
    return not is_system(message) and text_of_summary(message) is None


def _counts(settings: HistoryReduction, messages: list[Message]) -> list[int]:
    return [settings.count_tokens(message) for message in messages]


def _cut(
    messages: Sequence[Message],
    counted: tuple[int, ...],
    tokens: list[int] | None,
    settings: HistoryReduction,
) -> tuple[int, Reduction] | None:
    """Find where the kept history begins."""
    sums = _sums_from(tokens or [0] * len(counted))
    if settings.max_messages is not None and len(counted) > settings.max_messages:
        because = "messages"
    elif settings.max_tokens is not None and sums[0] > settings.max_tokens:
        because = "tokens"
    else:
        return None
    most = _target(settings.target_messages, settings.max_messages)
    most_tokens = _target(settings.target_tokens, settings.max_tokens)
    starts = _starts(messages, settings.start_at)
    places = [place for place, index in enumerate(counted) if index in starts]
    reaching = [place for place in places if len(counted) - place <= most and sums[place] <= most_tokens]
    (chosen,) = reaching[:1] or places[-1:] or [0]
    return counted[chosen], Reduction(
        because=because,
        dropped=counted[:chosen],
        before=len(counted),
        after=len(counted) - chosen,
        tokens_before=None if tokens is None else sums[0],
        tokens_after=None if tokens is None else sums[chosen],
        reached=bool(reaching),
    )


def _sums_from(tokens: list[int]) -> list[int]:
    """Return the tokens from each place to the end."""
    sums = [0]
    for count in reversed(tokens):
        sums.append(sums[-1] + count)
    return sums[::-1]


def _target(target: int | None, most: int | None) -> float:
    return target if target is not None else most if most is not None else float("inf")


def _starts(messages: Sequence[Message], start_at: str) -> set[int]:
    """Return the messages that a kept history may begin with."""
    barred = uncuttable(messages)
    users = [
        index
        for index, message in enumerate(messages)
        if message.role == "user" and not holds_result(message)
    ]
    if start_at == "user":
        return set(users) - barred
    last = users[-1] if users else len(messages) - 1
    return {index for index in range(last + 1) if index not in barred and not holds_result(messages[index])}


def _after_system(request: Request, message: Message) -> Request:
    """Insert the summary after the leading system messages."""
    leading = len(list(takewhile(is_system, request.messages)))
    head, tail = request.messages[:leading], request.messages[leading:]
    return replace(request, messages=(*head, message, *tail))


def _wrong(text: str) -> ContextError:
    return ContextError(text, where="history reduction")
