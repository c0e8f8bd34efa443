"""Continue a conversation that a server holds. Loaded when a request has a continuation."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from ..errors import InvalidRequest, MissingField
from ..model.options import LAYER_ROLES, Continuation, Instruction
from ..model.parts import Text
from ..model.request import Message, Request
from ..nodes.next_request import HELD, digest_of
from ..nodes.records import replace
from ..reporting.report import Report
from .blanks import without_item


def hoist_messages(request: Request, report: Report) -> Request:
    """Return the request with its leading system and developer messages as instructions, after its own.

    Each message gets a note. Nothing is hoisted if the request continues a conversation, or is built verbatim.
    """
    if request.continuation is not None or report.policies.refusals == "ignore":
        return request
    first = tuple(takewhile(lambda message: _is_text_alone(message, report.wire.name), request.messages))
    if not first:
        return request
    layers_before = _own_layers(request)
    layers = [_layer(part, report) for message in first for part in message.parts]
    why = f"sent as instructions of {report.wire.title}"
    for message in first:
        report.note("moved", message, "", f"{why}, after those of the request" if layers_before else why)
        without_item(message, report)
    changed = replace(
        request, instructions=(*layers_before, *layers), messages=request.messages[len(first) :]
    )
    report.replaced(changed)
    report.origins.hoisted_count = len(first)
    return changed


def _own_layers(request: Request) -> tuple[Instruction, ...]:
    """Return the request's own instructions as layers."""
    instructions = request.instructions or ()
    return (Instruction(instructions),) if isinstance(instructions, str) else instructions


def _is_text_alone(message: Message, wire: str) -> bool:
    """Return whether a message can become layers without loss, and was not read from this wire."""
    known = (message.provenance, message.kept)
    return (
        message.role in LAYER_ROLES
        and bool(message.parts)
        and all(map(_is_bare_text, message.parts))
        and message.name is None
        and all(wire not in (options or ()) for options in (message.vendor, message.extra))
        and all(origin is None or origin.wire != wire for origin in known)
    )


def _is_bare_text(part: object) -> bool:
    return isinstance(part, Text) and (part.citations, part.logprobs, part.signature) == (None, None, None)


def _layer(part: Any, report: Report) -> Instruction:
    """Return a text as a layer without a role, because no wire has roles in its instructions."""
    kept = part.kept
    if kept is not None and kept.wire != report.wire.name:
        report.forget(part)
        kept = None
    layer = Instruction(part.text, cache=part.cache, vendor=part.vendor, extra=part.extra, kept=kept)
    report.copied(part, [layer])
    return layer


def apply_continuation(request: Request, report: Report) -> Request:
    """Return the request without the fields that the server keeps from earlier requests.

    If the server does not know the conversation, everything is sent again, with a note. If the request does not have
    the earlier messages, that is an error, or a note where the policies allow it. A continuation without an id asks
    the server to store the conversation.
    """
    known = request.continuation
    if known is None:
        return request
    names_something = known.id is not None or known.conversation is not None
    why = why_unknown_to_server(known, request, report)
    if why is not None:
        if 0 < known.start <= len(request.messages):
            report.note("replaced", request, "continuation", f"{why}; all messages are sent again")
        else:
            report.lost(request, "continuation", why)
    elif names_something:
        return _without_kept(request, known, report)
    elif known.start:
        return request
    request = replace(request, continuation=None)
    if known.wire in (None, report.wire.name):
        request = _with_storage(request, report)
    report.replaced(request)
    return request


def why_unknown_to_server(known: Continuation, request: Request, report: Report) -> str | None:
    """Return why the server of this build does not know the conversation; None if it may know it."""
    wire, state = report.wire, report.wire.state
    if known.wire not in (None, wire.name):
        return f"the conversation belongs to {known.wire}"
    if known.expired:
        return "the conversation has expired on the server"
    if state is None:
        return None
    for name in state.binds:
        if name == "model":
            if known.model not in (None, request.model):
                return f"the conversation belongs to the model {known.model}"
        elif known.account is not None:
            usual = wire.settings[name].default
            if known.account.get(name, usual) != report.shown_settings().get(name, usual):
                return f"the conversation belongs to another {name}"
    changed = next((name for name in state.omits if _is_changed(name, known, request)), None)
    return None if changed is None else f"the {changed} differ from those that the server has"


def _is_changed(name: str, known: Continuation, request: Request) -> bool:
    """Return whether instructions or tools are known to differ from those that the server has."""
    if known.held is None or name not in HELD:
        return False
    value = getattr(request, name) or None
    return (None if value is None else digest_of(value)) != known.held.get(name)


def _without_kept(request: Request, known: Continuation, report: Report) -> Request:
    """Omit the fields that the server keeps, with a note for each."""
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
        field = f"{head}.{report.wire.name}.{option}" if option else name
        report.note("dropped", request, field, f"the server holds {'them' if name in HELD else 'it'}")
    return replace(request, **changes) if changes else request


def _without_option(vendor: Any, wire: str, option: str) -> dict[str, Any]:
    return {**vendor, wire: {name: value for name, value in vendor[wire].items() if name != option}}


def _with_storage(request: Request, report: Report) -> Request:
    """Return the request with the options that make the server store the conversation, if it has such options."""
    state, name = report.wire.state, report.wire.name
    if state is None or not state.begins:
        return request
    vendor: Any = request.vendor or {}
    return replace(request, vendor={**vendor, name: {**state.begins, **vendor.get(name, {})}})


def unsent_messages(request: Request, report: Report) -> tuple[Message, ...]:
    """Return the messages that the server does not have yet; the others are omitted with a note.

    Raises:
        InvalidRequest: `continuation.start` is greater than the number of messages, or there is no id.
        MissingField: a tool call of the continued answer has no result.
    """
    known = request.continuation
    if known is None:
        return request.messages
    count = len(request.messages)
    if known.start and known.id is None and known.conversation is None:
        why = "continuation.start requires continuation.id or continuation.conversation"
        raise InvalidRequest(why, wire=report.wire.name, field="continuation.start")
    if known.start > count:
        why = f"continuation.start is {known.start}, but the request has {count} messages"
        raise InvalidRequest(why, wire=report.wire.name, field="continuation.start")
    if known.start:
        report.note("dropped", request, f"messages[:{known.start}]", "the server holds them")
    sent = request.messages[known.start :]
    if known.unanswered:
        _check_answers(known, sent, report)
    return sent


def _check_answers(known: Continuation, sent: tuple[Message, ...], report: Report) -> None:
    """Report each tool call of the continued answer without a result: an error, or a note where policies allow it."""
    answered = {getattr(part, "call_id", None) for message in sent for part in message.parts}
    for index, call in enumerate(known.unanswered):
        if call not in answered:
            field = f"continuation.unanswered[{index}]"
            why = f'the call "{call}" has no result in the messages that are sent'
            if report.policies.missing == "raise":
                report.stop(MissingField, f"{field}: {why}", report.request, field)
            else:
                report.note("dropped", report.request, field, why)
