"""All problems of a request at once, found by a strict build that continues after each error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from ..build.adapted_schemas import adapted_request, is_about_schemas
from ..build.context import BuildContext
from ..build.result import Built
from ..build.wire import Wire
from ..errors import PromptwireError, RequestError
from ..model.request import Request
from ..repairs.choosing import why_not
from ..repairs.engine import RepairRun, errors_of
from ..reporting.policies import STRICT, Collecting, Found, Policies
from .request_problems import Problem, problem_of

# of all problems of a request, an error says so many
_MOST_SHOWN = 3

Build = Callable[..., Any]


def check(
    build: Build, request: Request, wire: Wire, settings: Mapping[str, Any] | None
) -> tuple[Problem, ...]:
    """Return all problems of a request in the order of a strict build; `build` is the one of the wire."""
    return tuple(map(problem_of, _errors_of(build, request, wire, settings, STRICT)))


def _errors_of(
    build: Build, request: Request, wire: Wire, settings: Mapping[str, Any] | None, policies: Policies
) -> list[RequestError]:
    """Return the errors that a build would raise, without those about schemas that it adapts without a loss."""
    errors = errors_of(build, request, settings, policies)
    if policies.schemas == "keep" or not any(is_about_schemas(error.field) for error in errors):
        return errors
    changed, adapted = adapted_request(request, wire, settings, "none")
    return errors_of(build, changed, settings, policies) if adapted else errors


def rebuilt(
    failure: Exception | None, context: BuildContext, build: Build, settings: Mapping[str, Any] | None
) -> Built[Any]:
    """Return the build of the repaired request, with a note for each edit.

    `failure` is what ended the first build; None if it went on after all that it found.

    Raises:
        PromptwireError: the policies do not allow to repair the request, or no repair keeps its meaning. A
            RequestError has all problems of the request.
        Found: the policies are `Collecting`.
    """
    policies, found = context.policies, context.found or []
    if failure is not None:
        error = failure if isinstance(failure, PromptwireError) else context.broken(failure)
        if not isinstance(error, RequestError):
            raise error
        found = [*found, cast("RequestError", context.placed(error))]
        if error is not failure and len(found) == 1 and not isinstance(policies, Collecting):
            raise error from failure
    if isinstance(policies, Collecting):
        raise Found(found)
    about = found[0].field
    may_adapt = policies.repairs == "run" and policies.schemas != "keep" and is_about_schemas(about)
    if not (policies.may_repair or may_adapt):
        raise _explained(found[0], context, build, settings) from None
    try:
        run = RepairRun(context, build, settings, found if policies.may_repair else None)
        repaired = run.repair()
        if repaired is not None:
            return repaired
    except PromptwireError:
        raise
    except Exception as other:  # values of a wrong type fail anywhere
        raise context.broken(other) from other
    if not policies.may_repair:
        raise _explained(found[0], context, build, settings) from None
    raise _unrepaired(run.left) from None


def _unrepaired(left: list[RequestError]) -> RequestError:
    """Return the first of the problems that no repair solved, with the others and why no repair is right."""
    raised = with_others(left[0], left)
    why = why_not(raised)
    if why:
        raised.ending = (*raised.ending, f"no repair is right: {why}")
    return raised


def _built_under(
    build: Build, request: Request, settings: Mapping[str, Any] | None, policies: str
) -> Built[Any]:
    built: Built[Any] = build(request, settings=settings, policies=policies)
    return built


def _explained(
    raised: RequestError, context: BuildContext, build: Build, settings: Mapping[str, Any] | None
) -> RequestError:
    """Add to an error the others of its request under the same policies, and what builds it under others."""
    request = context.caller_request
    try:
        errors = _errors_of(build, request, context.wire, context.settings, context.policies)
    except PromptwireError:  # what was found first is said in any case
        errors = []
    if errors and is_about_schemas(raised.field) and all(str(raised) != str(error) for error in errors):
        raised = errors[0]
    raised = with_others(raised, errors or [raised])
    raised.retry = partial(_built_under, build, request, settings)
    return raised


def with_others(raised: RequestError, errors: list[RequestError]) -> RequestError:
    """Add the other problems of a request to an error."""
    others = [other for other in errors if (other.path, str(other)) != (raised.path, str(raised))]
    lines = [f"also: {_shown(other)}" for other in others[: _MOST_SHOWN - 1]]
    left = len(others) - len(lines)
    if left:
        lines.append(f"and {left} more: {raised.wire}.check(request) names all")
    raised.ending = (*raised.ending, *lines)
    raised.problems = tuple(map(problem_of, errors))
    return raised


def _shown(error: RequestError) -> str:
    """Return the text of an error without the name of the wire, which the first error has."""
    return str(error).removeprefix(f"{error.wire}: ")
