"""Text of nothing but white space is left out, for APIs that refuse it: parts, messages, layers of instructions."""

from __future__ import annotations

from ..errors import Refused
from ..model.parts import Text
from ..nodes.plain import is_blank
from ..nodes.records import replace
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from ..reporting.report import Report

_BESIDE = ("cache", "signature", "citations", "logprobs")


def drops_blank(part: Text, message: Message, report: Report) -> bool:
    """Tell whether a text is blank and left out, with a note; raises Refused under `blank="error"`.

    What was read from this very wire stays as it is: it comes from an answer, or from a request that was accepted.
    `blank="error"` judges it as well. Where the conversation holds nothing else, blank text is refused: there would be
    no message to send.
    """
    if report.policies.blank == "keep" or not is_blank(part.text):
        return False
    if _is_own(part, message, report):
        _judge_own(part, "text", message, report)
        return False
    why = _why(report, part, "text")
    if all(map(_is_silent, report.request.messages)):
        report.refused("text", part.text, f"{why}, and no message holds anything else", part)
        return False
    _report_beside(part, report)
    report.note("dropped", part, spec_word(part), why)
    return True


def drops_empty(message: Message, report: Report) -> bool:
    """Tell whether a message without parts is left out; raises Refused under `blank="error"`, or if all are."""
    wire = report.wire.name
    says_more = wire in (message.vendor or ()) or wire in (message.extra or ())
    if report.policies.blank == "keep" or says_more:
        return False
    if _is_own(message, message, report):
        _judge_own(message, "parts", message, report)
        return False
    why = _why(report, message, "parts")
    if all(map(_is_silent, report.request.messages)):
        report.refused("parts", None, f"{why}, and no message holds anything", message)
        return False
    return True


def without_blank_layers(request: Request, report: Report) -> Request:
    """Give the request without instructions of nothing but white space, each with a note."""
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
    """Report what stands on a text that is left out."""
    for name in _BESIDE:
        if getattr(node, name, None) is not None:
            report.lost(node, name, "the text that carries it is blank, and left out")
    if not node.plain:
        report.bare(node)


def _why(report: Report, node: object, field: str) -> str:
    """Say why blank text is left out; raises Refused under `blank="error"`."""
    why = _why_at_all(report)
    if report.policies.blank == "error":
        hint = f'{why}: leave it out, or take blank="drop"'
        report.stop(Refused, f"{field}: {hint}", node, field)
    return why


def _why_at_all(report: Report) -> str:
    return f"{report.wire.title} takes no blank text"


def _judge_own(node: object, field: str, message: Message, report: Report) -> None:
    """Refuse what was read from this very wire under `blank="error"`; an answer to go on with may be empty."""
    goes_on = message.role == "assistant" and message is report.request.messages[-1]
    if report.policies.blank == "error" and not goes_on:
        report.stop(Refused, f"{field}: {_why_at_all(report)}: leave it out", node, field)


def _is_own(part: Text | Message, message: Message, report: Report) -> bool:
    origin = part.provenance or message.provenance
    return origin is not None and origin.wire == report.wire.name


def _is_silent(message: Message) -> bool:
    return all(map(_is_blank_text, message.parts))


def _is_blank_text(part: Part) -> bool:
    return type(part) is Text and is_blank(part.text)
