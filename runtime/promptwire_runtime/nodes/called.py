"""The arguments of a call as an object, whatever form its API gave them."""

from __future__ import annotations

from ..errors import AnswerError
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of, is_object

if TYPE_CHECKING:
    from typing import Any


class Called:
    """What a call of a function is beside its fields."""

    __slots__ = ()

    @property
    def data(self) -> dict[str, Any]:
        """The arguments as an object; no text at all is an empty one. Raises AnswerError for any other text."""
        from json import loads

        call: Any = self
        given = call.arguments
        if class_of(given) is not str:
            arguments: dict[str, Any] = given
            return arguments
        try:
            value: Any = loads(given) if given.strip() else {}
        except (ValueError, RecursionError) as error:
            raise _no_object(call, f"no JSON: {error}") from None
        if not is_object(value):
            raise _no_object(call, "no JSON object")
        return value


def _no_object(call: Any, why: str) -> AnswerError:
    name = call.name if call.id is None else f"{call.name} ({call.id})"
    text = call.arguments if len(call.arguments) <= 200 else f"{call.arguments[:200]}..."
    return AnswerError(f"the arguments of {name} are {why}: {text!r}")
