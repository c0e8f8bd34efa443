"""Omit blank text, for APIs that reject it: parts, messages, and layers of instructions."""

from __future__ import annotations

from ..errors import Refused
from ..model.parts import Text
from ..nodes.plain import is_blank, is_silent
from ..nodes.records import replace
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message, Request
    from ..reporting.report import Report

_BESIDE = ("cache", "signature", "citations", "logprobs")


def drops_blank(part: Text, message: Message, report: Report) -> bool:
    """Return whether a text is blank and omitted, with a note.

    Text that was read from this wire is kept, because it comes from an answer or from a request that was accepted.
    Blank text is rejected if the conversation holds nothing else, because there would be no message to send.

    Raises:
        Refused: the policy is `blank="error"`, which also applies to text that was read from this wire.
    """
    if report.policies.blank == "keep" or not is_blank(part.text):
        return False
    if _is_own(part, message, report):
        _judge_own(part, "text", message, report)
        return False
    why = _why(report, part, "text")
    if all(map(is_silent, report.request.messages)):
        report.refused("text", part.text, f"{why}, and the conversation has no other content", part)
        return False
    _report_beside(part, report)
    report.note("dropped", part, spec_word(part), why)
    return True


def drops_empty(message: Message, report: Report) -> bool:
    """Return whether a message without parts is omitted. Raises Refused under `blank="error"`, or if all are empty."""
    wire = report.wire.name
    says_more = wire in (message.vendor or ()) or wire in (message.extra or ())
    if report.policies.blank == "keep" or says_more:
        return False
    if _is_own(message, message, report):
        _judge_own(message, "parts", message, report)
        return False
    why = _why(report, message, "parts")
    if all(map(is_silent, report.request.messages)):
        report.refused("parts", None, f"{why}, and the conversation has no content", message)
        return False
    return True


def without_blank_layers(request: Request, report: Report) -> Request:
    """Return the request without blank layers of instructions, with a note for each."""
    instructions = request.instructions
    if report.policies.blank == "keep" or not instructions:
        return request
    if isinstance(instructions, str):
        if not instructions.isspace():
            return request
        report.note("dropped", request, "instructions", _why(report, request, "instructions"))
        left = None
    else:
        blank = [layer for layer in instructions if is_blank(layer.text)]
        if not blank:
            return request
        for layer in blank:
            _report_beside(layer, report)
            report.note("dropped", layer, "text", _why(report, layer, "text"))
        left = tuple([layer for layer in instructions if not is_blank(layer.text)]) or None
    changed = replace(request, instructions=left)
    report.replaced(changed)
    return changed


def _report_beside(node: Any, report: Report) -> None:
    """Report the other fields of a text that is omitted."""
    for name in _BESIDE:
        if getattr(node, name, None) is not None:
            report.lost(node, name, "its text is blank and is omitted")
    if not node.is_plain:
        report.bare(node)


def _why(report: Report, node: object, field: str) -> str:
    """Return why blank text is omitted. Raises Refused under `blank="error"`."""
    why = _why_at_all(report)
    if report.policies.blank == "error":
        hint = f'{why}; omit it or use blank="drop"'
        report.stop(Refused, f"{field}: {hint}", node, field)
    return why


def _why_at_all(report: Report) -> str:
    # blank instructions are omitted on every API
    return f"{report.wire.title} rejects blank text" if report.wire.drops_blank else "it is blank"


def _judge_own(node: object, field: str, message: Message, report: Report) -> None:
    """Reject blank content that was read from this wire under `blank="error"`, except a last answer to be continued."""
    goes_on = message.role == "assistant" and message is report.request.messages[-1]
    if report.policies.blank == "error" and not goes_on:
        report.stop(Refused, f"{field}: {_why_at_all(report)}; omit it", node, field)


def _is_own(part: Text | Message, message: Message, report: Report) -> bool:
    origin = part.provenance or message.provenance
    return origin is not None and origin.wire == report.wire.name
