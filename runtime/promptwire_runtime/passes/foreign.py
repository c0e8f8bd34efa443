"""Strip signed, encrypted and cited payloads that come from a different API or model; the target would reject them.

Signed and encrypted payloads of unknown origin are stripped as well. Calls and results of hosted tools are JSON of the
API that ran them, also where another API has a type of the same name.
"""

from __future__ import annotations

from typing import Any

from ..model.parts import Compaction, HostedCall, HostedResult, Part, Reasoning, Text
from ..model.request import Message
from ..model.wire_memory import Provenance
from ..nodes.records import replace
from ..reporting.facts import WireFacts
from ..reporting.report import Report
from ..wire_json.kinds import class_of

_PAYLOADS = ("signature", "encrypted", "redacted")
# they refer to data of the API that produced them
_OF_TEXT = ("citations", "logprobs")


def without_foreign(message: Message, report: Report) -> Message:
    """Report payloads of another API in a message, and return a copy without them.

    The provenance of a part takes precedence over that of its message.
    """
    parts: list[Part] = []
    for part in message.parts:
        taken = _own_payloads(part, _origin(part, message), report)
        if taken is not None:
            parts.append(taken)
    if tuple(map(id, parts)) == tuple(map(id, message.parts)):
        return message
    bare = replace(message, parts=tuple(parts))
    report.copied(message, [bare])
    return bare


def holds_payload(part: Part) -> bool:
    """Return whether a part, or a part inside it, has a payload that only the API which produced it can read."""
    if any(getattr(part, name, None) is not None for name in _PAYLOADS):
        return True
    inside: tuple[Part, ...] = getattr(part, "parts", None) or ()
    return any(map(holds_payload, inside))


def own_part(part: Part, report: Report) -> Part | None:
    """Report payloads of a part whose own provenance is another API, and return a copy without them.

    Returns None if nothing is left.
    """
    return _own_payloads(part, part.provenance, report)


def without_foreign_payloads(
    part: Part, message: Message, payloads: tuple[str, ...], report: Report
) -> Part | None:
    """Report payloads from another API or of unknown origin, and return a copy without them.

    `payloads` are the fields that this wire has a key for. Parts inside the part are checked too. Returns None if
    nothing is left. A verbatim build sends payloads of unknown origin unchanged.
    """
    if part.provenance is not None:
        taken = _own_payloads(part, part.provenance, report)
        if taken is None:
            return None
        part = taken
    if report.policies.refusals == "ignore":
        return part
    if report.wire.signatures is not None:
        taken = _of_family(part, message, report)
        if taken is None:
            return None
        part = taken
    if _is_known(part, message, report.wire):
        return part
    unproven = [name for name in _PAYLOADS if name in payloads and getattr(part, name, None) is not None]
    if unproven:
        field = "" if report.policies.loss == "note" else unproven[0]
        bare = _strip_payloads(part, unproven, _unknown(report.wire), field, report)
        if bare is None:
            return None
        part = bare
    inside: tuple[Part, ...] = getattr(part, "parts", None) or ()
    parts = [
        inner
        for inner in [without_foreign_payloads(inner, message, payloads, report) for inner in inside]
        if inner is not None
    ]
    if tuple(map(id, parts)) == tuple(map(id, inside)):
        return part
    changed: dict[str, Any] = {"parts": tuple(parts)}
    copy = replace(part, **changed)
    report.copied(part, [copy])
    return copy


def _of_family(part: Part, message: Message, report: Report) -> Part | None:
    """Report signatures and reasoning of a model family that the model of the request cannot read."""
    names = _PAYLOADS if isinstance(part, Reasoning) else _PAYLOADS[:1]
    payloads = [name for name in names if getattr(part, name, None) is not None]
    origin, families = _origin(part, message), report.wire.signatures
    model = report.origins.caller_request.model
    if not payloads or origin is None or families is None or origin.model is None or model is None:
        return part
    if families.accepts(model, origin.model):
        return part
    why = f"{origin.model} made it, and {model} does not accept it ({families.source})"
    return _strip_payloads(part, payloads, why, "", report)


def _unknown(wire: WireFacts) -> str:
    """Return why a payload of unknown origin is not sent, and how to declare its origin."""
    claim = f'provenance=Provenance(wire="{wire.name}", api="{wire.api}")'
    return f"it may not come from {wire.title}; if it does, set {claim} on the part or its message"


def _is_known(part: Part, message: Message, wire: WireFacts) -> bool:
    """Return whether the origin of a part is known: by provenance, or because it was read from this wire."""
    origin = _origin(part, message)
    if origin is not None and (origin.wire is not None or origin.api == wire.api):
        return True
    return any(kept is not None and kept.wire == wire.name for kept in (part.kept, message.kept))


def _origin(part: Part, message: Message) -> Provenance | None:
    """Return the provenance of a part, or else its message's."""
    origin = part.provenance
    return origin if origin is not None and (origin.wire or origin.api) else message.provenance


def _own_payloads(part: Part, origin: Provenance | None, report: Report) -> Part | None:
    names, has_file = _CARRIED.get(class_of(part)) or _find_carried(class_of(part))
    payloads = [name for name in names if getattr(part, name) is not None]
    file = getattr(part, "file_id", None) if has_file else None
    whole = isinstance(part, (HostedCall, HostedResult))
    if not (payloads or file or whole) or origin is None or not _is_foreign(origin, report.wire):
        return part
    if whole:
        report.lost(part, "", f"it is JSON of {origin.wire}, which no other API accepts")
        return None
    if file:
        why = f"the file id comes from {origin.wire}; another API may not know it"
        report.note("ambiguous", part, "file_id", why)
    if not payloads:
        return part
    return _strip_payloads(
        part, payloads, f"it comes from {origin.wire}, and no other API accepts it", "", report
    )


# class of a part -> its fields that only the API which produced them can read, and whether it may be a file of an API
_CARRIED: dict[type, tuple[tuple[str, ...], bool]] = {}


def _find_carried(cls: type) -> tuple[tuple[str, ...], bool]:
    fields = frozenset(dir(cls))
    names = (*_PAYLOADS, *_OF_TEXT) if issubclass(cls, Text) else _PAYLOADS
    carried = _CARRIED[cls] = tuple([name for name in names if name in fields]), "file_id" in fields
    return carried


def _strip_payloads(part: Part, payloads: list[str], why: str, field: str, report: Report) -> Part | None:
    """Report payloads, and return a copy without them; None if nothing is left."""
    nothing: dict[str, Any] = dict.fromkeys(payloads)
    if _is_empty(replace(part, **nothing)):
        report.lost(part, field, why)
        return None
    for name in payloads:
        # some APIs send an empty list with each text
        if getattr(part, name) not in ([], ()):
            report.lost(part, name, why)
    if isinstance(part, Reasoning | Compaction) and part.id is not None:
        report.unused(part, "id")
        nothing["id"] = None
    copy = replace(part, **nothing)
    report.copied(part, [copy])
    return copy


def _is_empty(part: Part) -> bool:
    """Return whether a reasoning or compaction part is empty."""
    if isinstance(part, Reasoning):
        return not (part.text or part.summary or part.texts)
    return isinstance(part, Compaction) and not part.text


def _is_foreign(origin: Provenance, wire: WireFacts) -> bool:
    """Return whether a provenance is known to be another API."""
    return origin.wire is not None and origin.wire != wire.name and origin.api != wire.api
