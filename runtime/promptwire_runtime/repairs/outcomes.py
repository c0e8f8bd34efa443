"""What each preset of policies does about a problem of a request."""

from __future__ import annotations

from ..errors import Problem, RequestError
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


def with_outcomes(error: RequestError) -> Problem:
    """Return the problem of an error, with what each preset does about it.

    Where a repair has no effect, the build raises the error.
    """
    problem = error.problem
    noted = problem.what == "no place" and problem.loss != "meaning"
    outcomes = {"strict": "error"}
    for preset, policies in (("portable", PORTABLE), ("lenient", LENIENT)):
        drops = preset == "lenient"
        name = next(candidates(error, policies, drops=drops), "")
        why = why_not(error)
        left_out = noted or (drops and problem.what == "no place")
        usual = _DROPPED if left_out else f"error: {why}" if why else "error"
        outcomes[preset] = _DOES.get(name, f"repaired ({name}), with a note") if name else usual
    problem.outcomes = {**outcomes, "verbatim": _VERBATIM[problem.what]}
    return problem
