"""What a request sends when a server holds what was before it: loaded when a build continues something."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField
from ..nodes.digests import HELD, digest_of
from ..nodes.records import replace
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.options import Continuation
    from ..model.request import Message, Request
    from ..reporting.report import Report


def continued(request: Request, report: Report) -> Request:
    """Give the request as the server that it continues wants it: what that server keeps and wants once is left out.

    Where the server does not know what is continued, all is sent again, with a note. A request that does not hold those
    messages lost them: an error, or a note where policies let it pass. What continues nothing yet asks the server to
    keep what is sent.
    """
    known = request.continuation
    if known is None:
        return request
    names_something = known.id is not None or known.conversation is not None
    why = misfit(known, request, report)
    if why is not None:
        if 0 < known.start <= len(request.messages):
            report.note("replaced", request, "continuation", f"{why}: all messages are sent again")
        else:
            report.lost(request, "continuation", why)
    elif names_something:
        return _without_kept(request, known, report)
    elif known.start:
        return request
    request = replace(request, continuation=None)
    if known.wire in (None, report.wire.name):
        request = _begun(request, report)
    report.replaced(request)
    return request


def misfit(known: Continuation, request: Request, report: Report) -> str | None:
    """Say why the server of this build does not know what is continued; None where it may."""
    wire, state = report.wire, report.wire.state
    if known.wire not in (None, wire.name):
        return f"it belongs to {known.wire}"
    if known.expired:
        return "the server has forgotten it"
    if state is None:
        return None
    for name in state.binds:
        if name == "model":
            if known.model not in (None, request.model):
                return f"it belongs to the model {known.model}"
        elif known.account is not None:
            usual = wire.settings[name].default
            if known.account.get(name, usual) != report.shown_settings().get(name, usual):
                return f"it belongs to another {name}"
    changed = next((name for name in state.omits if _is_changed(name, known, request)), None)
    return None if changed is None else f"the {changed} are not those that the server has"


def _is_changed(name: str, known: Continuation, request: Request) -> bool:
    """Tell whether instructions or tools are surely not what the server has; what it has may be unknown."""
    if known.held is None or name not in HELD:
        return False
    value = getattr(request, name) or None
    return (None if value is None else digest_of(value)) != known.held.get(name)


def _without_kept(request: Request, known: Continuation, report: Report) -> Request:
    """Leave out what the server keeps, with a note each."""
    state = report.wire.state
    if state is None:
        return request
    spared = [
        name for name in state.spares if known.held is not None and not _is_changed(name, known, request)
    ]
    changes: dict[str, Any] = {}
    for name in (*state.omits, *spared):
        head, _, option = name.partition(".")
        if option and option in report.vendor(request):
            changes[head] = _without_option(changes.get(head, request.vendor), report.wire.name, option)
        elif not option and getattr(request, name) is not None:
            changes[name] = None
        else:
            continue
        report.note("dropped", request, name, f"the server holds {'them' if name in HELD else 'it'}")
    return replace(request, **changes) if changes else request


def _without_option(vendor: Any, wire: str, option: str) -> dict[str, Any]:
    return {**vendor, wire: {name: value for name, value in vendor[wire].items() if name != option}}


def _begun(request: Request, report: Report) -> Request:
    """Ask the server to keep what is sent, where it does so on request only."""
    state, name = report.wire.state, report.wire.name
    if state is None or not state.begins:
        return request
    vendor: Any = request.vendor or {}
    return replace(request, vendor={**vendor, name: {**state.begins, **vendor.get(name, {})}})


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
                report.stop(MissingField, f"{field}: {why}", report.request, field)
            else:
                report.note("omitted", report.request, field, why)
