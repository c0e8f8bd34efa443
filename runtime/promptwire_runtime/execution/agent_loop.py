"""The loop of an agent: ask, run the functions that the model calls, and continue until it calls none.

The loop is a generator of steps and knows no network, so that it is written once. `run` and `run_async` of this package
perform the steps with any function that asks a model, the clients of `promptwire.http` with theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ..answers.answer import Answer
from ..constructors import tool_result
from ..context.pipeline import Pipeline, ToolkitTurn, catalogue_of
from ..errors import InvalidRequest
from ..model.request import Message, Request
from ..nodes.checks import as_tuple
from ..nodes.type_errors import check_class
from ..steps import CallbackStep, text_of_failure
from ..toolkits.catalogue import Toolkits, check_known
from ..toolkits.declaring import Approve, Call, InvocationFilter, ToolkitLike
from ..toolkits.kits import Member, ToolkitState
from ..toolkits.running import Invocation, Ready
from ..toolkits.showing import Target
from .functions import Functions, declared_names, functions_by_name
from .run_records import Run, RunLimitError, StepLimitError
from .turn import Turn, with_toolkits, with_tools

T = TypeVar("T")
# the reasons of an answer that is not whole: its calls may lack arguments
_CUT = frozenset({"length", "context", "error", "filtered", "refused"})


# ---- the steps of the loop


class ModelAnswer(NamedTuple):
    """An answer, and what was built to get it; None where the caller does not tell."""

    answer: Answer
    built: Any = None


@dataclass(frozen=True, slots=True)
class ModelStep:
    """Ask a model; the result is `ModelAnswer`. `until` is the deadline as a time of `monotonic`."""

    request: Request
    until: float | None


@dataclass(frozen=True, slots=True)
class FunctionsStep:
    """Run functions, at most `parallel` at once; the result is a list of values and exceptions.

    A function that has not ended at the deadline `until` has a TimeoutError.
    """

    calls: tuple[Call, ...]
    functions: tuple[Callable[[], Any], ...]
    parallel: int | None
    until: float | None


@dataclass(frozen=True, slots=True)
class ResultsStep:
    """Show the results of the calls of one answer."""

    messages: tuple[Message, ...]


LoopStep: TypeAlias = ModelStep | FunctionsStep | ResultsStep | CallbackStep
LoopSteps: TypeAlias = Generator[LoopStep, Any, T]


@dataclass(slots=True)
class AgentLoop:
    """The loop for one request, with the options of a run; see `Client.run`."""

    request: Request
    tools: Functions = ()
    wire: Target | None = None
    pipeline: Pipeline | None = None
    toolkits: Toolkits | Iterable[ToolkitLike] | None = None
    approve: Approve | None = None
    filters: Iterable[InvocationFilter] = ()
    state: ToolkitState | None = None
    plan_phase: str = "active"
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])
    max_steps: int = 10
    max_seconds: float | None = None
    max_parallel: int | None = None
    tool_errors: str = "tell"
    functions: Mapping[str, Member] = field(init=False)
    catalogue: Toolkits | None = field(init=False)
    known: Toolkits = field(init=False)

    def __post_init__(self) -> None:
        """Check the options, and declare the functions that the request does not declare yet.

        Raises:
            InvalidRequest: an option is invalid, a function cannot be a tool, or one requires permission and `approve`
                is None.
        """
        check_class(self.request, Request, "request")
        self._check_limits()
        declared = declared_names(self.request)
        self.functions = functions_by_name(self.tools, declared)
        given = catalogue_of(self.toolkits)
        self.pipeline = with_toolkits(self.pipeline, given)
        self.catalogue = given if self.pipeline is None else self.pipeline.catalogue
        self.known = self.catalogue or Toolkits()
        self.filters = as_tuple(self.filters, "filters")
        self._check_filters()
        self._check_permission()
        more = [member.tool for name, member in self.functions.items() if name not in declared]
        self.request = with_tools(self.request, tuple(more))

    def _check_limits(self) -> None:
        limits: dict[str, tuple[Any, str, int]] = {
            "max_steps": (int, "an integer", 1),
            "max_seconds": (int | float | None, "a number", 0),
            "max_parallel": (int | None, "an integer", 1),
        }
        for name, (kind, word, least) in limits.items():
            value = getattr(self, name)
            # NaN is not at least anything
            if not isinstance(value, kind) or not (value is None or value >= least):
                raise InvalidRequest(f"{name} is {value!r}; it must be {word}, at least {least}", field=name)
        if self.tool_errors not in ("tell", "raise"):
            raise InvalidRequest(
                f"tool_errors is {self.tool_errors!r}; use tell or raise", field="tool_errors"
            )

    def _check_filters(self) -> None:
        functions = {**self.functions, **self.known.members}
        for filter_ in self.filters:
            where = f"filter {filter_.name}"
            check_known(filter_.functions, functions, "function", f"{where}, functions")
            check_known(filter_.toolkits, self.known.kits, "toolkit", f"{where}, toolkits")

    def _check_permission(self) -> None:
        members = {name: row.member for name, row in self.known.members.items()} | dict(self.functions)
        guarded = [name for name, row in members.items() if row.permission and row.function is not None]
        if guarded and self.approve is None:
            names = ", ".join(sorted(guarded))
            raise InvalidRequest(
                f"{names} requires permission: pass approve=..., which is asked with each call",
                field="approve",
            )

    # ---- the loop

    def steps(self) -> LoopSteps[Run]:
        """Run the loop."""
        until = None if self.max_seconds is None else monotonic() + self.max_seconds
        turn, answers = Turn(self.request, self.pipeline), list[Answer]()
        yield from turn.begin_steps(
            self.catalogue, ToolkitTurn(self.state, self.wire), self.plan_phase, self.properties
        )
        while len(answers) < self.max_steps:
            if until is not None and answers and monotonic() >= until:
                raise self._make_limit_error(turn, answers)
            answer, built = yield from self._ask_model(turn, answers, until)
            answers.append(answer)
            results = yield from self._answer_calls(turn, answer, until)
            if results is None:
                yield from turn.tell_steps(answer)
                return _make_run(turn, answers, pending=turn.calls(answer))
            if answer.calls:
                turn.relax()
            new = yield from turn.after_steps(answer, results, built)
            yield ResultsStep(tuple([message for message in new if message.role == "tool"]))
            if _is_last(answer):
                return _make_run(turn, answers)
        raise StepLimitError(f"{self.max_steps} steps; raise max_steps", _make_run(turn, answers))

    def _make_limit_error(self, turn: Turn, answers: list[Answer]) -> RunLimitError:
        return RunLimitError(f"{self.max_seconds:g} seconds; raise max_seconds", _make_run(turn, answers))

    def _ask_model(self, turn: Turn, answers: list[Answer], until: float | None) -> LoopSteps[ModelAnswer]:
        try:
            answered: ModelAnswer = yield ModelStep(turn.request, until)
        except Exception as error:
            yield from turn.tell_steps(None, error)
            if until is None or not answers or monotonic() < until:
                raise
            raise self._make_limit_error(turn, answers) from error
        return answered

    def _answer_calls(
        self, turn: Turn, answer: Answer, until: float | None
    ) -> LoopSteps[tuple[Message, ...] | None]:
        """Return the results of the calls of an answer; None if one of them waits for the caller."""
        calls = turn.calls(answer)
        if calls and answer.finish in _CUT:
            why = f"was not called: the answer ended early ({answer.finish})"
            return tuple([tool_result(call, f"{call.name} {why}") for call in calls])
        declared = declared_names(turn.request)
        if answer.waiting or not all(self._is_ours(call, declared) for call in calls):
            return None
        ready = yield from self._begin_calls(calls, declared)
        running = [one for one in ready if isinstance(one, Ready) and one.result is None]
        values: list[Any] = []
        if running:
            values = yield FunctionsStep(
                tuple([one.call for one in running]),
                tuple([one.function for one in running]),
                self.max_parallel,
                until,
            )
        return tuple((yield from self._end_calls(ready, iter(values))))

    def _is_ours(self, call: Call, declared: set[str]) -> bool:
        """Return whether the loop answers a call: it has the function, or nobody has."""
        return self._member(call.name) is not None or call.name not in declared

    def _begin_calls(self, calls: tuple[Call, ...], declared: set[str]) -> LoopSteps[list[Message | Ready]]:
        ready: list[Message | Ready] = []
        for call in calls:
            one = yield from self._begin_call(call, declared)
            ready.append(one)
        return ready

    def _begin_call(self, call: Call, declared: set[str]) -> LoopSteps[Message | Ready]:
        found = self._member(call.name)
        if found is None or call.name not in declared:
            known = f"the tools are {', '.join(sorted(declared))}" if declared else "the request has none"
            return tool_result(call, f"there is no tool {call.name!r}; {known}")
        member, path, filters = found
        more = [filter_ for filter_ in self.filters if filter_.matches(member.name, path)]
        return (yield from Invocation(member, call, (*more, *filters), self.approve).begin_steps())

    def _end_calls(self, ready: list[Message | Ready], values: Iterator[Any]) -> LoopSteps[list[Message]]:
        results: list[Message] = []
        for one in ready:
            if isinstance(one, Message):
                results.append(one)
                continue
            value = next(values) if one.result is None else None
            if isinstance(value, Exception):
                if self.tool_errors == "raise":
                    raise value
                value = tool_result(one.call, f"{one.call.name} failed: {text_of_failure(value)}")
            results.append((yield from one.end_steps(value)))
        return results

    def _member(self, name: str) -> tuple[Member, tuple[str, ...], tuple[InvocationFilter, ...]] | None:
        """Return the function of a name, with the toolkits that it is in and their filters; None if there is none."""
        if name in self.functions:
            return self.functions[name], (), ()
        placed = self.known.members.get(name)
        if placed is None or placed.member.function is None:
            return None
        filters = [row for row in self.known.invocation_filters if row.matches(name, placed.path)]
        return placed.member, placed.path, tuple(filters)


def _is_last(answer: Answer) -> bool:
    """Return whether nothing is to be asked after an answer whose calls have results."""
    if answer.calls:
        return answer.finish in _CUT
    return answer.finish != "paused"


def _make_run(turn: Turn, answers: list[Answer], pending: tuple[Call, ...] = ()) -> Run:
    return Run(answers[-1], turn.own, tuple(answers), pending, turn.prepared, turn.session)
