"""What one API signed, encrypted or cited means nothing to another: sent there, it is refused, so it is not sent."""

from __future__ import annotations

from ..model.parts import Compaction, Part, Reasoning, Text
from ..nodes.records import replace
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message
    from ..model.wire_memory import Provenance
    from ..reporting.facts import WireFacts
    from ..reporting.report import Report

_PAYLOADS = ("signature", "encrypted", "redacted")
# they point into what one API found, in its own words
_OF_TEXT = ("citations", "logprobs")


def without_foreign(message: Message, report: Report) -> Message:
    """Report payloads of another API in a message, and give a copy without them.

    A part that says itself where it came from is taken at its word.
    """
    parts: list[Part] = []
    for part in message.parts:
        own = _own(part, part.provenance or message.provenance, report)
        if own is not None:
            parts.append(own)
    if tuple(map(id, parts)) == tuple(map(id, message.parts)):
        return message
    bare = replace(message, parts=tuple(parts))
    report.copied(message, [bare])
    if not parts:
        report.emptied(message)
        report.left_out = bare
    return bare


def own_part(part: Part, report: Report) -> Part | None:
    """Report payloads of a part that says itself that another API made it, and give a copy without them.

    None when nothing is left of it.
    """
    return _own(part, part.provenance, report)


def _own(part: Part, origin: Provenance | None, report: Report) -> Part | None:
    names = (*_PAYLOADS, *_OF_TEXT) if isinstance(part, Text) else _PAYLOADS
    payloads = [name for name in names if getattr(part, name, None) is not None]
    file = getattr(part, "file_id", None)
    if not (payloads or file) or origin is None or not _is_foreign(origin, report.wire):
        return part
    if file:
        why = f"{origin.wire} knows the file by this id: another API may not"
        report.note("ambiguous", part, "file_id", why)
    if not payloads:
        return part
    why = f"{origin.wire} made it, and no other API takes it"
    nothing: dict[str, Any] = dict.fromkeys(payloads)
    if _is_empty(replace(part, **nothing)):
        report.lost(part, "", why)
        return None
    for name in payloads:
        report.lost(part, name, why)
    if isinstance(part, Reasoning | Compaction) and part.id is not None:
        report.unused(part, "id")
        nothing["id"] = None
    copy = replace(part, **nothing)
    report.copied(part, [copy])
    return copy


def _is_empty(part: Part) -> bool:
    """Tell whether nothing is left of what a model thought or compacted."""
    if isinstance(part, Reasoning):
        return not (part.text or part.summary or part.texts)
    return isinstance(part, Compaction) and not part.text


def _is_foreign(origin: Provenance, wire: WireFacts) -> bool:
    """Tell whether a node surely came from another API; an unknown origin is none."""
    return origin.wire is not None and origin.wire != wire.name and origin.api != wire.api
