"""The repair engine: change a request that an API does not accept as it is, and build it again.

A build that met a problem calls `rebuilt`. Where its policies allow repairs, a `RepairRun` collects all problems, gives
each to the repair that the registry chooses, and builds the changed request, a bounded number of rounds.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from ..build.adapted_schemas import adapted_request, is_about_schemas
from ..errors import InvalidRequest, MissingField, NoPlace, PromptwireError, Refused, RequestError
from ..model.request import Request
from ..nodes.records import replace
from ..reporting.node_paths import Origins, node_at, owner_of, places_of
from ..reporting.notes import Note
from ..reporting.policies import OFF, STRICT, Collecting, Found, Policies
from ..typed import TYPE_CHECKING, cast
from .edits import RepairContext
from .registry import candidates, repair_named, why_not, with_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from ..build.result import Built
    from ..build.wire import Wire
    from ..reporting.report import Report

    # the `build` of a wire
    Build: TypeAlias = Callable[..., Any]

_MOST_ROUNDS = 16
# of all problems of a request, an error says so many
_MOST_SHOWN = 3


def errors_of(
    build: Callable[..., Any],
    request: Request,
    settings: Mapping[str, Any] | None,
    policies: Policies = STRICT,
) -> list[RequestError]:
    """Return every error that a build under these policies would raise, in order; `build` is the one of a wire.

    A request that makes no sense ends the search: what stands behind that place is not looked at.
    Raises SettingError for settings that the wire does not take.
    """
    return _attempt(build, request, settings, Collecting.of(policies))[1]


def _attempt(
    build: Callable[..., Built[Any]],
    request: Request,
    settings: Mapping[str, Any] | None,
    policies: Collecting,
) -> tuple[Built[Any] | None, list[RequestError]]:
    """Return the build of a request, or None and every error that it would raise."""
    try:
        return build(request, settings=settings, policies=policies), []
    except Found as found:
        return None, found.errors


def errors_left(
    build: Build, request: Request, wire: Wire, settings: Mapping[str, Any] | None, policies: Policies
) -> list[RequestError]:
    """Return the errors that a build would raise, without those about schemas that it adapts without a loss."""
    errors = errors_of(build, request, settings, policies)
    if policies.schemas == "keep" or not any(is_about_schemas(error.field) for error in errors):
        return errors
    changed, adapted = adapted_request(request, wire, settings, "none")
    return errors_of(build, changed, settings, policies) if adapted else errors


def rebuilt(
    failure: Exception | None, report: Report, build: Build, settings: Mapping[str, Any] | None
) -> Built[Any]:
    """Return the build of the repaired request, with a note for each edit.

    `failure` is what ended the first build; None if it went on after all that it found.

    Raises:
        PromptwireError: the policies do not allow to repair the request, or no repair keeps its meaning. A
            RequestError has all problems of the request.
        Found: the policies are `Collecting`.
    """
    policies, found = report.policies, report.found or []
    if failure is not None:
        error = failure if isinstance(failure, PromptwireError) else _type_error(report, failure)
        if not isinstance(error, RequestError):
            raise error
        found = [*found, _with_place(report, error)]
        if error is not failure and len(found) == 1 and not isinstance(policies, Collecting):
            raise error from failure
    if isinstance(policies, Collecting):
        raise Found(found)
    about = found[0].field
    may_adapt = not policies.skips_repairs and policies.schemas != "keep" and is_about_schemas(about)
    if not (policies.may_repair or may_adapt):
        raise _explained(found[0], report, build, settings) from None
    try:
        run = RepairRun(report, build, settings, found if policies.may_repair else None)
        repaired = run.repair()
        if repaired is not None:
            return repaired
    except PromptwireError:
        raise
    except Exception as other:  # values of a wrong type fail anywhere
        raise _type_error(report, other) from other
    if not policies.may_repair:
        raise _explained(found[0], report, build, settings) from None
    raise _unrepaired(run.left, policies) from None


def _type_error(report: Report, failure: Exception) -> InvalidRequest:
    """Return the error for an unexpected exception: it names the value of the wrong type that caused it."""
    from ..nodes.type_errors import broken

    requests = (report.origins.caller_request, report.request)
    return broken(requests, Request, failure, report.wire.name)


def _with_place(report: Report, error: RequestError) -> RequestError:
    """Return an error with wire, path and field added, if it knows only the value that caused it."""
    if not isinstance(error, InvalidRequest) or error.value is None:
        return error
    node, field = owner_of(report.request, error.value)
    path = report.origins.path(node)
    call = getattr(node, "id", None) if field == "arguments" else None
    text = str(error) if call is None else f"{error} (call {call})"
    return InvalidRequest(text, wire=report.wire.name, path=path, field=field)


def _unrepaired(left: list[RequestError], policies: Policies) -> RequestError:
    """Return the first of the problems that no repair solved, with the others and why no repair is right."""
    raised = with_others(left[0], left)
    why = why_not(raised)
    # a repair that was tried in vain may still be right for another request
    if why and next(candidates(raised, policies, drops=False), None) is None:
        raised.ending = (*raised.ending, f"no repair is right: {why}")
    return raised


def _built_under(
    build: Build, request: Request, settings: Mapping[str, Any] | None, policies: str
) -> Built[Any]:
    built: Built[Any] = build(request, settings=settings, policies=policies)
    return built


def _explained(
    raised: RequestError, report: Report, build: Build, settings: Mapping[str, Any] | None
) -> RequestError:
    """Add to an error the others of its request under the same policies, and what builds it under others."""
    request = report.origins.caller_request
    try:
        errors = errors_left(build, request, cast("Wire", report.wire), report.settings, report.policies)
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
    raised.problems = tuple(map(with_outcomes, errors))
    return raised


def _shown(error: RequestError) -> str:
    """Return the text of an error without the name of the wire, which the first error has."""
    return str(error).removeprefix(f"{error.wire}: ")


class RepairRun:
    """The repairs of one request: the request so far, and the edits."""

    def __init__(
        self,
        report: Report,
        build: Callable[..., Built[Any]],
        settings: Mapping[str, Any] | None,
        found: list[RequestError] | None = None,
    ) -> None:
        """Begin with the errors that a build of the request found; without them, it is built to find them."""
        self._wire = cast("Wire", report.wire)
        self.policies = report.policies
        self.given: Request = report.origins.caller_request
        self.request = self.given
        self.edits: list[Note] = []
        self._build = build
        self._settings = settings
        self._found = found
        self._origins = Origins(self.given)
        # the repairs that were tried on a problem: place in the caller's request, field, reason -> names
        self._tried: dict[tuple[str, str, str], set[str]] = {}
        # the problems that no repair solved
        self.left: list[RequestError] = []
        # tools of other providers that became an option of the request
        self._mapped: list[RequestError] = []

    def repair(self) -> Built[Any] | None:
        """Repair the request until it builds, and return that build.

        Return None if it does not: `left` has the problems, at their places in the caller's request.
        """
        built = self._repair()
        if built is None:
            for error in self.left:
                error.place_at(self._origins.path(node_at(self.request, error.path)))
            self.left = [self._behind(error) for error in self.left]
        else:
            built.report.policies = self.policies
            built.report.edited(self._origins, tuple(self.edits))
        return built

    def _behind(self, error: RequestError) -> RequestError:
        """Return the problem of the caller's request behind one of an option that a repair set in place of a tool."""
        _, _, option = error.field.partition("vendor.")
        own = (self.given.vendor or {}).get(self._wire.name, {})
        if not (self._mapped and option and option not in own):
            return error
        cause = self._mapped[0]
        cause.place_at(self._origins.path(cause.node))
        cause.ending = (f"no repair is right: {error.reason}",)
        return cause

    def _repair(self) -> Built[Any] | None:
        for _ in range(_MOST_ROUNDS):
            built, errors = self._attempt() if self._found is None else (None, self._found)
            self._found = None
            if not errors:
                return built
            chosen, self.left = self._choose(errors)
            # what is left may be gone once its cause is repaired: a prompt of which no message has a place
            if self.left and not chosen:
                return None
            # a message more must not hide that the conversation begins behind its end
            if any(error.field == "continuation.start" for error in self.left):
                return None
            if not chosen:
                # what is left has no place, and may be dropped
                built, self.left = self._attempt(repairs=OFF)
                return built
            before = self.request
            self._apply(chosen)
            if self.request is before:
                # another build would find the same
                self._found = errors
        built, self.left = self._attempt()
        return built

    def _attempt(self, **changes: str) -> tuple[Built[Any] | None, list[RequestError]]:
        """Return the build of the request so far, or None and its errors, with some policies changed."""
        policies = Collecting.of(self.policies, **changes)
        return _attempt(self._build, self.request, self._settings, policies)

    def _choose(self, errors: list[RequestError]) -> tuple[dict[str, list[RequestError]], list[RequestError]]:
        """Return the problems of each repair that is tried next, and the problems that no repair is left for."""
        chosen: dict[str, list[RequestError]] = {}
        left: list[RequestError] = []
        for error in errors:
            if not self._may_repair(error):
                left.append(error)
                continue
            # passes work on copies; repairs look for the node of the request
            error.node = node_at(self.request, error.path)
            place = self._origins.path(error.node)
            tried = self._tried.setdefault((place, error.field, error.reason), set())
            drops = self._may_drop(error)
            name = next(
                (name for name in candidates(error, self.policies, drops=drops) if name not in tried), None
            )
            if name is not None:
                tried.add(name)
                chosen.setdefault(name, []).append(error)
            elif not (drops and isinstance(error, NoPlace)):
                left.append(error)
        return chosen, left

    def _may_repair(self, error: RequestError) -> bool:
        """Return whether the policies allow to change the request because of a problem."""
        policies = self.policies
        if policies.waives(error.path, error.field):
            return True
        if is_about_schemas(error.field):
            return policies.schemas != "keep"
        if isinstance(error, NoPlace):
            return policies.loss != "raise"
        if isinstance(error, MissingField):
            return policies.missing == "fill"
        return isinstance(error, (Refused, InvalidRequest)) and policies.refusals == "fix"

    def _may_drop(self, error: RequestError) -> bool:
        """Return whether the policies allow to drop meaning."""
        return self.policies.loss == "note" or self.policies.waives(error.path, error.field)

    def _apply(self, chosen: Mapping[str, list[RequestError]]) -> None:
        """Run repairs one after the other, and the next one of problems for which a repair changed nothing.

        Problems of nodes that an earlier repair replaced wait for the next round.
        """
        before, waiting = self.request, [*chosen.items()]
        # a repair may add others for its problems
        for name, errors in waiting:
            places = None if self.request is before else places_of(self.request)
            problems: list[RequestError] = []
            for error in errors:
                if error.node is None:
                    error.problem.path = ""
                elif places is not None and error.path:
                    if id(error.node) not in places:
                        self._untry(name, error)
                        continue
                    error.problem.path = places[id(error.node)][0]
                problems.append(error)
            if not problems:
                continue
            if name == "map_hosted_tools":
                self._mapped += problems
            context = RepairContext(
                wire=self._wire,
                origins=self._origins,
                policies=self.policies,
                settings=self._settings,
                problems=tuple(problems),
            )
            changed, edits = repair_named(name, self.policies)(self.request, context)
            self.edits += edits
            if changed is self.request:
                waiting += self._choose(problems)[0].items()
            self.request = changed
        if len(self.request.messages) < len(before.messages):
            self._let_join(before)

    def _let_join(self, before: Request) -> None:
        """Let a build join messages of the user between which a message was left out.

        What was read from an API as two messages goes back as two, but these were not next to each other.
        """
        places = {self._origins.path(message): place for place, message in enumerate(before.messages)}
        messages = list(self.request.messages)
        for place, (first, second) in enumerate(pairwise(messages), 1):
            if first.role == second.role == "user" and second.provenance is not None:
                behind, here = [places.get(self._origins.path(each)) for each in (first, second)]
                if behind is not None and here is not None and behind + 1 != here:
                    messages[place] = replace(second, provenance=None)
                    self._origins.copied(second, [messages[place]])
        self.request = replace(self.request, messages=tuple(messages))

    def _untry(self, name: str, error: RequestError) -> None:
        place = self._origins.path(error.node)
        self._tried[place, error.field, error.reason].discard(name)
