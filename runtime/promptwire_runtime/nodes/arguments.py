"""Parse the arguments of a tool call, which APIs give as an object or as JSON text."""

from __future__ import annotations

from ..errors import AnswerError
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of, is_object

if TYPE_CHECKING:
    from typing import Any


class ToolCallMixin:
    """The methods of a tool call."""

    __slots__ = ()

    @property
    def parsed_arguments(self) -> dict[str, Any]:
        """Return the arguments as an object; empty text means no arguments.

        Raises:
            AnswerError: the arguments are text that is not a JSON object.
        """
        from ..wire_json.characters import whole_value_of

        call: Any = self
        raw_arguments = call.arguments
        if class_of(raw_arguments) is not str:
            arguments: dict[str, Any] = raw_arguments
            return arguments
        try:
            value: Any = whole_value_of(raw_arguments) if raw_arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            raise _not_an_object(call, f"not valid JSON: {error}") from None
        if not is_object(value):
            raise _not_an_object(call, "not a JSON object")
        return value

    @property
    def data(self) -> dict[str, Any]:
        """Return `parsed_arguments`, under its old name."""
        from warnings import warn

        warn("ToolCall.data is now ToolCall.parsed_arguments", DeprecationWarning, stacklevel=2)
        return self.parsed_arguments


class CustomToolCallMixin:
    """The methods of a call whose argument is free text."""

    __slots__ = ()

    @property
    def parsed_arguments(self) -> dict[str, Any]:
        """Return the text as an object with the one key `input`, so that every call can be run in the same way."""
        call: Any = self
        return {"input": call.input}


def _not_an_object(call: Any, why: str) -> AnswerError:
    name = call.name if call.id is None else f"{call.name} ({call.id})"
    text = call.arguments if len(call.arguments) <= 200 else f"{call.arguments[:200]}..."
    return AnswerError(f"the arguments of {name} are {why}: {text!r}")
