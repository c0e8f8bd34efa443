"""Consecutive messages of one wire role become one, for APIs that ask for turns (parallel tool results ...)."""

from __future__ import annotations

from ..model.request import Message
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_object

if TYPE_CHECKING:
    from typing import Any

    from ..reporting.report import Report


def may_merge(previous: Message | None, message: Message, report: Report) -> bool:
    """Tell whether two neighbours are merged: not when both were read from this very wire."""
    if previous is None:
        return False
    wire = report.wire.name
    both = (previous.provenance, message.provenance)
    return not all(origin is not None and origin.wire == wire for origin in both)


def may_join(message: Message, report: Report) -> bool:
    """Tell whether a message may become part of another one: it has no options, JSON or memory of this wire."""
    wire = report.wire.name
    if message.kept is not None and message.kept.wire == wire:
        return False
    return wire not in (message.vendor or ()) and wire not in (message.extra or ())


def open_last(out: list[Any], report: Report, text: str, key: str = "content") -> list[Any] | None:
    """Give the content of the last item as a list that may be extended: a new one, put in its place.

    None when the item holds more than role and content, or stands as it came. `text` is the `type` of a text
    block, `key` the key of the content.
    """
    last = out[-1]
    if report.last_apart is not None:
        if last is report.last_apart[0]:
            return None
        report.last_apart = None
    if not is_object(last) or len(last) != 2 or key not in last:
        return None
    content = _blocks(last[key], text)
    out[-1] = {"role": last["role"], key: content}
    return content


def _blocks(content: Any, text: str) -> list[Any]:
    if isinstance(content, str):
        return [{"type": text, "text": content}] if content else []
    return list(content)
