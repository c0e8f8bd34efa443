"""Filters around the functions that calls run: before, to check or change a call, and after, to check its result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..constructors import tool_result
from ..errors import ContextError
from ..model.parts import CALLS, CustomToolCall, ToolCall
from ..model.request import Message
from ..nodes.checks import CheckedRecord
from ..nodes.coercion import as_names
from ..nodes.records import set_fields
from ..steps import CallbackStep, Steps

Call: TypeAlias = "ToolCall | CustomToolCall"
Before: TypeAlias = "Callable[[Any], Any | Awaitable[Any]]"
After: TypeAlias = "Callable[[Any, Message], Any | Awaitable[Any]]"
Approve: TypeAlias = "Callable[[Any], bool | str | Awaitable[bool | str]]"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InvocationFilter(CheckedRecord):
    """A filter that `session.run` runs before and after functions of toolkits.

    Filters run in order before a function, and in reverse order after it. They may be asynchronous; then call
    `session.run_async`.

    Attributes:
        name: The name of the filter in errors.
        before: `before(call)` returns None, a call with other arguments, or the result (text or a message). If it
            returns a result, the function is not called.
        after: `after(call, result)` returns None to keep the result message, or a text or message that replaces it.
        functions: Names of the functions that the filter is for. Without these and `toolkits`, it is for all.
        toolkits: Names of the toolkits that the filter is for, including toolkits inside them.
    """

    name: str
    before: Before | None = None
    after: After | None = None
    functions: Iterable[str] = ()
    toolkits: Iterable[str] = ()

    def __post_init__(self) -> None:
        """Convert the names to tuples."""
        super().__post_init__()
        set_fields(
            self,
            functions=as_names(self.functions, "functions"),
            toolkits=as_names(self.toolkits, "toolkits"),
        )

    def matches(self, function: str, path: Sequence[str]) -> bool:
        """Return whether the filter is for a function that stands in the toolkits of `path`."""
        if not self.functions and not self.toolkits:
            return True
        return function in self.functions or not set(path).isdisjoint(self.toolkits)


def before_steps(call: Call, filters: Iterable[InvocationFilter]) -> Steps[tuple[Call, Message | None]]:
    """Run `before` of filters; return the call as they changed it, and the result if one of them gave it."""
    for filter_ in filters:
        if filter_.before is None:
            continue
        where = f"filter {filter_.name}, before {call.name}"
        answer = yield CallbackStep(where, filter_.before, (call,))
        if isinstance(answer, CALLS):
            if (answer.name, answer.id) != (call.name, call.id):
                raise ContextError(
                    "changed the name or the id of the call: change arguments alone", where=where
                )
            call = answer
        elif answer is not None:
            return call, _result(call, answer, where)
    return call, None


def after_steps(call: Call, result: Message, filters: Iterator[InvocationFilter]) -> Steps[Message]:
    """Run `after` of filters; return the result as they changed it."""
    for filter_ in filters:
        if filter_.after is not None:
            where = f"filter {filter_.name}, after {call.name}"
            answer = yield CallbackStep(where, filter_.after, (call, result))
            result = result if answer is None else _result(call, answer, where)
    return result


def approval_steps(call: Call, approve: Approve) -> Steps[Message | None]:
    """Ask for the approval of a call; return None if it may run, else the result that says why not."""
    return refusal_of(call, (yield CallbackStep(_approval_of(call), approve, (call,))))


def _approval_of(call: Call) -> str:
    return f"approval of {call.name}"


def refusal_of(call: Call, answer: Any) -> Message | None:
    """Return None if this answer to the question for approval lets a call run, else the result that says why not.

    Raises:
        ContextError: the answer is neither True, False nor text.
    """
    if answer is True:
        return None
    if answer is not False and not isinstance(answer, str):
        raise ContextError(
            f"returned {type(answer).__name__}: return True, False, or text with the reason of a refusal",
            where=_approval_of(call),
        )
    reason = f": {answer}" if answer else ""
    return tool_result(call, f"{call.name} was not called: permission was refused{reason}")


def _result(call: Call, answer: Any, where: str) -> Message:
    if isinstance(answer, Message):
        return answer
    if isinstance(answer, str):
        return tool_result(call, answer)
    raise ContextError(f"returned {type(answer).__name__}, not text, a message or None", where=where)
