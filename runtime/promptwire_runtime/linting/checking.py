"""All problems of a request at once, found by a strict build that continues after each error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..build.context import BuildContext
from ..build.result import Built
from ..errors import PromptwireError, RequestError
from ..model.request import Request
from ..repairs.engine import RepairRun, errors_of
from ..reporting.policies import Collecting
from .request_problems import Problem, problem_of

# of all problems of a request, an error says so many
_MOST_SHOWN = 3

Build = Callable[..., Any]


def check(build: Build, request: Request, settings: Mapping[str, Any] | None) -> tuple[Problem, ...]:
    """Return all problems of a request in the order of a strict build."""
    return tuple(map(problem_of, errors_of(build, request, settings)))


def rebuilt(
    error: PromptwireError, context: BuildContext, build: Build, settings: Mapping[str, Any] | None
) -> Built[Any]:
    """Return the build of the repaired request, with a note for each edit.

    Raises:
        PromptwireError: the policies do not allow to repair the request, or no repair keeps its meaning. A
            RequestError has all problems of the request.
    """
    policies = context.policies
    if policies.may_repair and isinstance(error, RequestError) and not isinstance(policies, Collecting):
        run = RepairRun(context, build, settings)
        if run.repair():
            return run.built()
        raise with_others(run.left[0], run.left) from None
    raise explained(error, context, build) from None


def explained(error: PromptwireError, context: BuildContext, build: Build) -> PromptwireError:
    """Add to the error of a build its place, and the other errors under the same policies."""
    raised = context.placed(error)
    if isinstance(context.policies, Collecting) or not isinstance(raised, RequestError):
        return raised
    request = context.caller_request
    try:
        errors = errors_of(build, request, context.settings, context.policies)
    except PromptwireError:  # what was found first is said in any case
        return raised
    return with_others(raised, errors or [raised])


def with_others(raised: RequestError, errors: list[RequestError]) -> RequestError:
    """Add the other problems of a request to an error."""
    others = [other for other in errors if (other.path, str(other)) != (raised.path, str(raised))]
    lines = [f"also: {_shown(other)}" for other in others[: _MOST_SHOWN - 1]]
    left = len(others) - len(lines)
    if left:
        lines.append(f"and {left} more: {raised.wire}.check(request) names all")
    raised.args = ("\n  ".join([str(raised), *lines]),)
    raised.problems = tuple(map(problem_of, errors))
    return raised


def _shown(error: RequestError) -> str:
    """Return the text of an error without the name of the wire, which the first error has."""
    return str(error).removeprefix(f"{error.wire}: ")
