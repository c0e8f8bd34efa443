"""The loop of an agent: ask, call the functions that the model wants, and continue until it wants none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from promptwire_runtime import (
    Answer,
    Built,
    Event,
    Message,
    Request,
    Tool,
    ToolCall,
    tool_result,
)
from promptwire_runtime.answers.answer import USAGE_COUNTS
from promptwire_runtime.errors import AnswerError, InvalidRequest
from promptwire_runtime.nodes.checks import as_tuple
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.parts import CustomToolCall
from promptwire_runtime.results import ConversationEncoder, Usage
from promptwire_runtime.schemas.of_types import tool_of
from promptwire_runtime.toolkits.declaring import Approve, refusal_of
from promptwire_runtime.toolkits.kits import marks_of
from promptwire_runtime.toolkits.running import result_of, typed_arguments

from .effects import CallEach, Effects, Show
from .errors import StepLimitError
from .exchange import CallOutcome, Exchange, Terms

Functions: TypeAlias = Iterable[Callable[..., Any]] | Mapping[str, Callable[..., Any]]
Call: TypeAlias = ToolCall | CustomToolCall
_FORCED = frozenset({"required", "named", "custom", "several", "hosted"})


@dataclass(frozen=True, slots=True)
class Run:
    """The result of an agent's loop.

    Attributes:
        answer: The last answer.
        request: The whole conversation, with the last answer; `request.after` needs no call to be answered again.
        answers: All answers, in order.
    """

    answer: Answer
    request: Request
    answers: tuple[Answer, ...]

    @property
    def text(self) -> str:
        """The text of the last answer."""
        return self.answer.text

    @property
    def usage(self) -> Usage:
        """The token counts of all answers together; None where no answer has a count."""
        counts: dict[str, Any] = {
            name: _sum([getattr(answer.usage, name, None) for answer in self.answers])
            for name in USAGE_COUNTS
        }
        return Usage(**counts)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


class ToolLoop:
    """The loop for one request and its functions."""

    def __init__(
        self,
        terms: Terms,
        request: Request,
        tools: Functions,
        *,
        approve: Approve | None,
        max_steps: int,
        tool_errors: str,
    ) -> None:
        """Declare the functions that the request does not declare yet.

        Raises:
            InvalidRequest: `max_steps` or `tool_errors` is invalid, a function cannot be a tool, or one requires
                permission and `approve` is None.
        """
        if max_steps < 1:
            raise InvalidRequest(f"max_steps is {max_steps}; it must be at least 1", field="max_steps")
        if tool_errors not in ("tell", "raise"):
            raise InvalidRequest(f"tool_errors is {tool_errors!r}; use tell or raise", field="tool_errors")
        self.terms = terms
        self.functions = _by_name(tools)
        self.approve = approve
        self.guarded = {name for name, function in self.functions.items() if _is_guarded(function)}
        if approve is None and self.guarded:
            names = ", ".join(sorted(self.guarded))
            raise InvalidRequest(
                f"{names} requires permission: pass approve=..., which is asked with each call",
                field="approve",
            )
        self.max_steps = max_steps
        self.tell_errors = tool_errors == "tell"
        declared = request.tools or ()
        known = {getattr(tool, "name", None) for tool in declared}
        more = [_declared(name, tool) for name, tool in self.functions.items() if name not in known]
        self.request = replace(request, tools=(*declared, *more)) if more else request

    def steps(self, *, streamed: bool) -> Effects[Run]:
        """Run the loop; events are shown if the answers are streamed."""
        request, answers, encode = self.request, list[Answer](), ConversationEncoder().encode
        while len(answers) < self.max_steps:
            answered = yield from answer_to(self.terms, request, streamed=streamed, encode=encode)
            answer = answered.answer
            answers.append(answer)
            if answer.finish == "paused" and not answer.calls:
                request = request.after(answer, built=answered.built)
                continue
            if answer.waiting or not answer.calls or not self._answerable(answer.calls, request):
                return Run(answer, _ended(request, answered), tuple(answers))
            results = yield from self._results(answer.calls, request)
            for message in results if streamed else ():
                yield Show(Event(kind="part", data=message))
            request = _unforced(request.after(answer, *results, built=answered.built))
        raise StepLimitError(self.max_steps, request, answers[-1])

    def _answerable(self, calls: tuple[Call, ...], request: Request) -> bool:
        """Return whether no call is for a tool that the request declares and that the caller executes himself."""
        declared = {getattr(tool, "name", None) for tool in request.tools or ()}
        return all(call.name in self.functions or call.name not in declared for call in calls)

    def _results(self, calls: tuple[Call, ...], request: Request) -> Effects[list[Message]]:
        ready: list[Message | Callable[[], Any]] = []
        for call in calls:
            one = self._prepared(call, request)
            if not isinstance(one, Message):
                one = (yield from self._refused(call)) or one
            ready.append(one)
        functions = [one for one in ready if not isinstance(one, Message)]
        values = iter((yield CallEach(functions)) if functions else ())
        return [
            one if isinstance(one, Message) else self._result(call, next(values))
            for call, one in zip(calls, ready, strict=True)
        ]

    def _refused(self, call: Call) -> Effects[Message | None]:
        """Ask whether a call may run; return the result that says why not, or None."""
        if self.approve is None or call.name not in self.guarded:
            return None
        (answer,) = yield CallEach([partial(self.approve, call)])
        if isinstance(answer, Exception):
            raise answer
        return refusal_of(call, answer)

    def _prepared(self, call: Call, request: Request) -> Message | Callable[[], Any]:
        """Return what calls the function, or the message that tells the model why it was not called."""
        function = self.functions.get(call.name)
        if function is None:
            names = ", ".join([getattr(tool, "name", None) or "" for tool in request.tools or ()])
            return _failed(call, f"there is no tool {call.name!r}; the tools are {names}")
        try:
            return partial(function, **typed_arguments(function, call))
        except (AnswerError, ValueError) as odd:
            return _failed(call, f"{call.name} was not called: {odd}")

    def _result(self, call: Call, value: Any) -> Message:
        if not isinstance(value, Exception):
            return result_of(call, value)
        if not self.tell_errors:
            raise value
        text = str(value)
        return _failed(call, f"{call.name} failed: {type(value).__name__}{': ' if text else ''}{text}")


def answer_to(
    terms: Terms,
    request: Request,
    *,
    streamed: bool,
    encode: Callable[[Built[Any]], bytes] | None = None,
) -> Effects[CallOutcome]:
    """Return the answer to one request; events are shown if it is streamed. `encode` makes the bytes of its body."""
    if bool(request.stream) != streamed:
        request = replace(request, stream=True if streamed else None)
    exchange = Exchange(terms, request, encode)
    answer = yield from (exchange.stream() if streamed else exchange.ask())
    return CallOutcome(answer, exchange.built)


def _is_guarded(function: Callable[..., Any]) -> bool:
    marks = marks_of(function)
    return marks is not None and marks.permission


def _by_name(tools: Functions) -> dict[str, Callable[..., Any]]:
    if isinstance(tools, Mapping):
        return {name: _checked(function) for name, function in cast("Mapping[str, Any]", tools).items()}
    named: dict[str, Callable[..., Any]] = {}
    for function in as_tuple(tools, "tools"):
        name = tool_of(_checked(function))["name"]
        if name in named:
            raise InvalidRequest(f"two functions are named {name!r}; pass a mapping of names", field="tools")
        named[name] = function
    return named


def _checked(function: Any) -> Callable[..., Any]:
    if not callable(function):
        kind = type(function).__name__
        raise InvalidRequest(
            f"tools are functions, not {kind}; the functions of toolkits are run by a session", field="tools"
        )
    called: Callable[..., Any] = function
    return called


def _declared(name: str, function: Callable[..., Any]) -> Tool:
    fields: dict[str, Any] = {**tool_of(function), "name": name}
    return Tool(**fields)


def _failed(call: Call, text: str) -> Message:
    """Return the result that tells the model about an error, in words, because few APIs have a mark for errors."""
    return tool_result(call, text)


def _ended(request: Request, answered: CallOutcome) -> Request:
    """Return the conversation with its last answer, unless calls in it wait for the caller."""
    answer = answered.answer
    return request if answer.calls or answer.waiting else request.after(answer, built=answered.built)


def _unforced(request: Request) -> Request:
    """Return the request with its tool choice relaxed: a tool that must be called would be called forever."""
    choice = request.tool_choice
    if choice is None or choice.mode not in _FORCED:
        return request
    relaxed = replace(
        choice,
        mode="auto" if choice.parallel is None else None,
        name=None,
        names=None,
        must=None,
        type=None,
        config=None,
        kept=None,
    )
    return replace(request, tool_choice=relaxed)
