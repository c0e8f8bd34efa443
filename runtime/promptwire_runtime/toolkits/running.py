"""Running the function that a call names: arguments in, a tool result out."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from typing import Any, get_type_hints

from ..constructors import tool_result
from ..errors import AnswerError, InvalidRequest
from ..model.parts import CustomToolCall, Json, Part
from ..model.request import Message
from ..nodes.checks import as_tuple
from ..schemas.of_types import NotPlain, inner_function
from ..schemas.typed_data import data_as
from ..steps import CallbackStep, Steps
from .declaring import Approve, Call, InvocationFilter, after_steps, approval_steps, before_steps
from .kits import Member
from .mcp import is_mcp_result, mcp_result


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call with the function that runs it.

    Attributes:
        member: The function, and whether it requires permission.
        call: The call, as filters changed it.
        filters: The filters for this function, in order.
        approve: Called before a function that requires permission.
    """

    member: Member
    call: Call
    filters: tuple[InvocationFilter, ...] = ()
    approve: Approve | None = None

    def begin_steps(self) -> Steps[Ready | Message]:
        """Ask for approval and run `before` of the filters. Return the call to run, or the result of a refusal."""
        # filters may change the arguments in place
        asked = deepcopy(self.call) if self.member.permission and self._fits() else None
        if asked is not None and (refused := (yield from self._ask_approval(asked))) is not None:
            return refused
        call, result = yield from before_steps(self.call, self.filters)
        arguments: dict[str, Any] = {}
        if result is None:
            try:
                arguments = typed_arguments(self.member.function, call)
            except (AnswerError, ValueError) as odd:
                result = tool_result(call, f"{call.name} was not called: {odd}")
        # approval is asked with the arguments that the function gets
        if result is None and call != asked:
            result = yield from self._ask_approval(call)
        return Ready(self, call, arguments, result)

    def _fits(self) -> bool:
        """Return whether the arguments fit; no one is asked about a call that cannot run."""
        try:
            typed_arguments(self.member.function, self.call)
        except (AnswerError, ValueError):
            return False
        return True

    def _ask_approval(self, call: Call) -> Steps[Message | None]:
        if not self.member.permission:
            return None
        if self.approve is None:
            raise InvalidRequest(
                f"{self.member.name} requires permission: pass approve=..., which is asked with the call"
            )
        return (yield from approval_steps(call, self.approve))


@dataclass(frozen=True, slots=True)
class Ready:
    """An invocation that may run, or that a filter has answered already.

    Attributes:
        invocation: The invocation.
        call: The call, as filters changed it.
        arguments: The arguments of the function, converted to its types.
        result: The result, if the function is not to be called.
    """

    invocation: Invocation
    call: Call
    arguments: dict[str, Any]
    result: Message | None

    @property
    def function(self) -> Callable[[], Any]:
        """The function with its arguments."""
        function: Any = self.invocation.member.function
        return partial(function, **self.arguments)

    def end_steps(self, value: Any) -> Steps[Message]:
        """Convert the value that the function returned, and run `after` of the filters in reverse order."""
        function = self.invocation.member.function
        result = self.result or result_of(self.call, value, function)
        return (yield from after_steps(self.call, result, reversed(self.invocation.filters)))


def run_steps(invocation: Invocation) -> Steps[Message]:
    """Run the function of a call, after its approval and among its filters."""
    ready = yield from invocation.begin_steps()
    if isinstance(ready, Message):
        return ready
    value = None
    if ready.result is None:
        value = yield CallbackStep(f"tool {invocation.member.name}", ready.function, ())
    return (yield from ready.end_steps(value))


def result_of(call: Call, value: Any, function: Any = None) -> Message:
    """Build the message that answers a call from its function's result: text, parts, a message, or any JSON."""
    if isinstance(value, Message):
        return value
    if is_mcp_result(value, function):
        return mcp_result(call, value)
    if value is None or isinstance(value, str):
        return tool_result(call, value or "")
    parts: Any = as_tuple(value, "parts") if isinstance(value, (list, tuple)) else (value,)
    return tool_result(
        call, parts if parts and all(isinstance(part, Part) for part in parts) else Json(value)
    )


def typed_arguments(function: Any, call: Call) -> dict[str, Any]:
    """Return the arguments as the function's annotations want them. Raises AnswerError or ValueError for others."""
    if isinstance(call, CustomToolCall):
        return {next(iter(signature(function).parameters), "input"): call.input}
    return _convert_arguments(function, dict(call.parsed_arguments))


def _convert_arguments(function: Any, given: dict[str, Any]) -> dict[str, Any]:
    rows = signature(function).parameters
    if any(row.kind is Parameter.VAR_KEYWORD for row in rows.values()):
        return given
    unknown = [name for name in given if name not in rows]
    missing = [name for name, row in rows.items() if row.default is Parameter.empty and name not in given]
    if unknown or missing:
        takes = ", ".join(rows) or "no arguments"
        odd = f'it has no argument "{unknown[0]}"' if unknown else f'it needs the argument "{missing[0]}"'
        raise ValueError(f"{odd}; it takes {takes}")
    hints = _hints(function)
    for name, value in given.items():
        try:
            given[name] = data_as(value, hints.get(name, Any))
        except NotPlain:
            continue
        except ValueError as odd:
            raise ValueError(f"{name}: {odd}") from None
    return given


def _hints(function: Any) -> dict[str, Any]:
    """Return the annotations of a function; nothing is converted where there are none."""
    try:
        return get_type_hints(inner_function(function), include_extras=True)
    except (TypeError, NameError):
        return {}
