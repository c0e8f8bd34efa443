"""Tool results stand in messages of their own, for APIs that take nothing else beside them."""

from __future__ import annotations

from ..model.parts import CustomToolResult, ToolResult
from ..model.request import Message
from ..nodes.records import replace
from ..typed import TYPE_CHECKING, Callable, Iterable

if TYPE_CHECKING:
    from ..reporting.report import Report

_RESULTS = (ToolResult, CustomToolResult)


def results_apart(
    messages: tuple[Message, ...], report: Report, watch: Callable[[Message], None]
) -> Iterable[Message]:
    """Give the messages, each that holds results and words as two: results first, since they answer a call.

    A tool message stays whole: words have no place in it. The rules `watch` what is taken apart while it is whole.
    """
    if report.policies.neighbours == "merge":
        for message in messages:
            # a message of any other plain form holds no words beside results
            if message.plain in ("", "parts"):
                return [piece for each in messages for piece in _pieces(each, report, watch)]
    return messages


def _pieces(message: Message, report: Report, watch: Callable[[Message], None]) -> tuple[Message, ...]:
    results = [part for part in message.parts if type(part) in _RESULTS]
    origin = message.provenance
    # what was read from this very wire was accepted as it is
    if (
        not results
        or message.role == "tool"
        or len(results) == len(message.parts)
        or (origin is not None and origin.wire == report.wire.name)
    ):
        return (message,)
    watch(message)
    words = [part for part in message.parts if type(part) not in _RESULTS]
    pieces = (
        Message("tool", results, provenance=origin),
        replace(message, parts=tuple(words)),
    )
    report.copied(message, pieces)
    report.note("moved", message, "", "its tool results stand in a message of their own here")
    return pieces
