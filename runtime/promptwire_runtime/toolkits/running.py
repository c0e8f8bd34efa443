"""Running the function that a call names: arguments in, a tool result out."""

from __future__ import annotations

from functools import partial
from inspect import Parameter, signature
from typing import Any, get_type_hints

from ..constructors import tool_result
from ..errors import AnswerError, InvalidRequest
from ..model.parts import CustomToolCall, Json, Part
from ..model.request import Message
from ..nodes.checks import as_tuple
from ..schemas.of_types import NotPlain
from ..schemas.typed_data import data_as
from ..steps import CallbackStep, Steps
from .catalogue import Toolkits
from .declaring import Approve, Call, after_steps, approval_steps, before_steps
from .kits import Member, unwrap_partial
from .mcp import is_mcp_result, mcp_result


def run_steps(catalogue: Toolkits, call: Call, approve: Approve | None) -> Steps[Message]:
    """Run the function that a call names, after its approval and among the filters for it."""
    member, path = catalogue.member(call.name), catalogue.members[call.name].path
    filters = [filter_ for filter_ in catalogue.invocation_filters if filter_.matches(member.name, path)]
    refused = yield from _refused(member, call, approve)
    if refused is not None:
        return refused
    changed, result = yield from before_steps(call, filters)
    if result is None and changed != call:
        result = yield from _refused(member, changed, approve)
    if result is None:
        result = yield from _call_steps(member, changed)
    return (yield from after_steps(changed, result, reversed(filters)))


def _refused(member: Member, call: Call, approve: Approve | None) -> Steps[Message | None]:
    if not member.permission:
        return None
    if approve is None:
        raise InvalidRequest(
            f"{member.name} requires permission: pass approve=..., which is asked with the call"
        )
    return (yield from approval_steps(call, approve))


def _call_steps(member: Member, call: Call) -> Steps[Message]:
    """Call the function of a member; arguments that do not fit are told to the model, as a result that says so."""
    function: Any = member.function
    try:
        arguments = typed_arguments(function, call)
    except (AnswerError, ValueError) as odd:
        return tool_result(call, f"{call.name} was not called: {odd}")
    value = yield CallbackStep(f"tool {member.name}", partial(function, **arguments), ())
    return result_of(call, value, function)


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
    return _typed(function, dict(call.parsed_arguments))


def _typed(function: Any, given: dict[str, Any]) -> dict[str, Any]:
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
    """Return the annotations of a function; of one that has none, as an object that is called, nothing is converted."""
    try:
        return get_type_hints(unwrap_partial(function), include_extras=True)
    except (TypeError, NameError):
        return {}
