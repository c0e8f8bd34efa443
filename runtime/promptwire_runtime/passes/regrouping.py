"""Change which parts share a message: merge neighbours, separate tool results, split around standalone items."""

from __future__ import annotations

from ..model.parts import CustomToolResult, ToolResult
from ..model.request import Message
from ..nodes.records import replace
from ..typed import TYPE_CHECKING, Callable, Iterable
from ..wire_json.kinds import is_object

if TYPE_CHECKING:
    from typing import Any

    from ..reporting.report import Report

_RESULTS = (ToolResult, CustomToolResult)
# fields of the message itself, which are written once
_WRITTEN_ONCE = ("name", "id", "status", "phase", "vendor", "extra", "kept")


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


def results_apart(
    messages: tuple[Message, ...], report: Report, check: Callable[[Message], None]
) -> Iterable[Message]:
    """Return the messages with tool results and other parts separated: each such message becomes two, results first.

    Tool messages stay whole, because nothing else may stand in them. `check` is called with each message that is
    separated, while it is whole.
    """
    if report.policies.neighbours == "merge":
        for message in messages:
            # a message of any other plain form holds no words beside results
            if message.plain in ("", "parts"):
                return [piece for each in messages for piece in _pieces(each, report, check)]
    return messages


def _pieces(message: Message, report: Report, check: Callable[[Message], None]) -> tuple[Message, ...]:
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
    check(message)
    words = [part for part in message.parts if type(part) not in _RESULTS]
    pieces = (
        Message("tool", results, provenance=origin),
        replace(message, parts=tuple(words)),
    )
    report.copied(message, pieces)
    report.note("moved", message, "", "its tool results stand in a message of their own here")
    return pieces


def rest_of(message: Message, shared: tuple[str, ...], report: Report) -> Message:
    """Give what is left of a message after its first piece: fields and options that stand on every piece."""
    fields: dict[str, Any] = {field: None for field in _WRITTEN_ONCE if field not in shared}
    options = {
        option: value for option, value in report.vendor(message).items() if f"vendor.{option}" in shared
    }
    fields["vendor"] = {report.wire.name: options} if options else None
    rest = replace(message, **fields)
    report.copied(message, [rest])
    if report.last_reordered is message:
        report.last_reordered = rest
    return rest


def without_item(message: Message, report: Report) -> None:
    """Report what stands on a message when all its parts are items of their own, and none is left to hold it."""
    if message.name is not None:
        report.lost(message, "name")
    for field in ("id", "status", "phase"):
        if getattr(message, field) is not None:
            report.unused(message, field)
    report.bare(message)
