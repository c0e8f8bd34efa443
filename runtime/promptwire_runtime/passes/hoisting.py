"""Hoist leading system and developer messages into the instructions. Loaded when a request has one."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from ..model.options import LAYER_ROLES, Instruction
from ..model.parts import Text
from ..model.request import Message, Request
from ..nodes.records import replace
from ..reporting.report import Report
from .regrouping import without_item


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
    report.hoisted_count = len(first)
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
