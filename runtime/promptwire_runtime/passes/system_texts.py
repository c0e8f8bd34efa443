"""Join the texts of a system message, for servers of which some take no list of texts there."""

from __future__ import annotations

from ..model.parts import Text
from ..nodes.records import replace
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.request import Message, Request
    from ..reporting.report import Report

_ROLES = ("system", "developer")


def join_system_texts(request: Request, report: Report) -> Request:
    """Return the request with one text in each message of the system or a developer; the texts are a blank line apart.

    Texts with a cache mark or options of their own stay apart, and so do those of a message that came from this API.
    Under `system_texts="off"`, all stay apart.
    """
    if report.policies.choice("system_texts") == "off":
        return request
    messages = tuple([_join_texts(message, report) for message in request.messages])
    same = all(new is old for new, old in zip(messages, request.messages, strict=True))
    return request if same else replace(request, messages=messages)


def _join_texts(message: Message, report: Report) -> Message:
    if message.role not in _ROLES or len(message.parts) < 2:
        return message
    origin = message.provenance
    texts = [part.text for part in message.parts if isinstance(part, Text) and part == Text(part.text)]
    if len(texts) < len(message.parts) or (origin is not None and origin.wire == report.wire.name):
        return message
    joined = replace(message, parts=(Text("\n\n".join(filter(None, texts))),))
    report.copied(message, [joined])
    why = f"{report.wire.title} takes one text: {len(texts)} are joined with a blank line"
    report.note("merged", message, "", why)
    return joined
