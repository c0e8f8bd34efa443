"""What a request sends when the server holds the messages before it: loaded when a build continues something."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField
from ..nodes.records import replace
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.options import Continuation
    from ..model.request import Message, Request
    from ..reporting.report import Report


def without_foreign_continuation(request: Request, report: Report) -> Request:
    """Give a request without the continuation of what another wire's server holds: its messages are sent instead.

    A request that does not hold those messages lost them: an error, or a note where policies let it pass.
    """
    known = request.continuation
    if known is None or known.wire in (None, report.wire.name):
        return request
    if 0 < known.start <= len(request.messages):
        report.note(
            "replaced", request, "continuation", f"it belongs to {known.wire}: all messages are sent again"
        )
    else:
        report.lost(request, "continuation", f"it belongs to {known.wire}")
    return replace(request, continuation=None)


def unseen(request: Request, report: Report) -> tuple[Message, ...]:
    """Give the messages that the server does not hold yet, and note that the others are left out.

    Raises InvalidRequest for a start beyond the messages, MissingField for a call that stays without result.
    """
    known = request.continuation
    if known is None:
        return request.messages
    count = len(request.messages)
    if known.start and known.id is None and known.conversation is None:
        why = (
            "continuation.start says which messages the server holds: give the id or the conversation as well"
        )
        raise InvalidRequest(why, wire=report.wire.name, field="continuation.start")
    if known.start > count:
        why = f"continuation.start is {known.start}, and there are {count} messages"
        raise InvalidRequest(why, wire=report.wire.name, field="continuation.start")
    if known.start:
        report.note("dropped", request, f"messages[:{known.start}]", "the server holds them")
    sent = request.messages[known.start :]
    if known.unanswered:
        _check_answers(known, sent, report)
    return sent


def _check_answers(known: Continuation, sent: tuple[Message, ...], report: Report) -> None:
    """Report each call of the continued answer that no message answers: a note where policies let it pass."""
    answered = {getattr(part, "call_id", None) for message in sent for part in message.parts}
    for index, call in enumerate(known.unanswered):
        if call not in answered:
            field = f"continuation.unanswered[{index}]"
            why = f'the call "{call}" has no result among the messages that are sent'
            if report.policies.missing == "raise":
                raise MissingField(f"{field}: {why}", wire=report.wire.name, field=field)
            report.note("omitted", report.request, field, why)
