"""A message whose parts are items of their own among the messages, and the pieces of it between them."""

from __future__ import annotations

from ..nodes.records import replace
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message
    from ..reporting.report import Report

_ITS_OWN = ("name", "id", "status", "phase", "vendor", "extra", "kept")


def rest_of(message: Message, shared: tuple[str, ...], report: Report) -> Message:
    """Give what is left of a message after its first piece: fields and options that stand on every piece."""
    fields: dict[str, Any] = {field: None for field in _ITS_OWN if field not in shared}
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
