"""A problem of a request as data: place, kind, reason, source, and what each preset of policies does about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import InvalidRequest, MissingField, NoPlace, Refused, RequestError
from ..nodes.checks import CheckedRecord
from ..reporting.policies import LENIENT, PORTABLE
from .registry import candidates, why_not

_DROPPED = "left out, with a note"
# a repair -> what a build does
_DOES = {
    "drop": _DROPPED,
    "omit": _DROPPED,
    "nearest": "set to the nearest value, with a note",
    "set": "set to a documented value, with a note",
    "rename": "spelled otherwise, with a note",
}
# what is wrong -> what `verbatim` does
_VERBATIM = {"refused": "sent", "no place": _DROPPED, "missing": _DROPPED, "invalid": "error"}
_WHATS: dict[type[RequestError], str] = {
    Refused: "refused",
    NoPlace: "no place",
    MissingField: "missing",
    InvalidRequest: "invalid",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Problem(CheckedRecord):
    """One reason why a strict build of a request fails.

    path    the node of the request: `messages[2].parts[0]`; empty for the request itself
    field   the field of it, or the path of a rule
    what    `refused` by a rule, `no place` on this wire, `missing` though the wire requires it, or `invalid`: it
            makes no sense on any wire
    reason  why, in words
    source  who says so; empty where the shapes of the spec say it
    does    preset -> what a build does then: an error, with the reason why no repair is right, or how it goes on
    """

    path: str
    field: str
    what: str
    reason: str
    source: str
    does: Mapping[str, str]

    def __str__(self) -> str:
        """Show place, reason and source as one line."""
        place = f"{self.path}: " if self.path else ""
        return f"{place}{self.reason}" + (f" ({self.source})" if self.source else "")


def problem_of(error: RequestError) -> Problem:
    """Convert an error into a problem."""
    what = _WHATS.get(type(error), "invalid")
    return Problem(
        path=error.path,
        field=error.field,
        what=what,
        reason=error.reason,
        source=error.source,
        does=_does(error, what),
    )


def _does(error: RequestError, what: str) -> dict[str, str]:
    """Return what each preset does about a problem; where a repair has no effect, the build raises the error."""
    noted = what == "no place" and error.loss != "meaning"
    does = {"strict": "error"}
    for preset, policies in (("portable", PORTABLE), ("lenient", LENIENT)):
        drops = preset == "lenient"
        name = next(candidates(error, policies, drops=drops), "")
        why = why_not(error)
        usual = _DROPPED if noted or (drops and what == "no place") else f"error: {why}" if why else "error"
        does[preset] = _DOES.get(name, f"repaired ({name}), with a note") if name else usual
    return {**does, "verbatim": _VERBATIM[what]}
