"""Consecutive messages of one wire role become one, for APIs that ask for turns (parallel tool results ...)."""

from __future__ import annotations

from ..model.request import Message
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_object

if TYPE_CHECKING:
    from typing import Any

    from ..reporting.report import Report


def joins(previous: Message | None, message: Message, report: Report) -> bool:
    """Tell whether a message becomes part of the one before it, which has its role.

    Not one with options, JSON or memory of this wire; not where both were read from this very wire.
    """
    if report.policies.neighbours != "merge" or previous is None:
        return False
    wire = report.wire.name
    if not message.plain:
        remembered = message.kept is not None and message.kept.wire == wire
        if remembered or wire in (message.vendor or ()) or wire in (message.extra or ()):
            return False
    origin = message.provenance
    if origin is None or origin.wire != wire:
        return True
    return previous.provenance is None or previous.provenance.wire != wire


def open_last(items: list[Any], report: Report, text: str, key: str = "content") -> list[Any] | None:
    """Give the content of the last item as a list that may be extended: a new one, put in its place.

    None when the item holds more than role and content, or stands as it came. `text` is the `type` of a text
    block, `key` the key of the content.
    """
    last = items[-1]
    if report.last_apart is not None:
        if last is report.last_apart[0]:
            return None
        report.last_apart = None
    if not is_object(last) or len(last) != 2 or key not in last:
        return None
    content = _blocks(last[key], text)
    items[-1] = {**last, key: content}
    return content


def note_merged(report: Report) -> None:
    """Say that neighbours became one message."""
    report.note(
        "merged",
        report.request,
        "messages",
        "consecutive messages of one role are one message on this wire",
    )


def _blocks(content: Any, text: str) -> list[Any]:
    if isinstance(content, str):
        return [{"type": text, "text": content}] if content else []
    return list(content)
