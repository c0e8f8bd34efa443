"""What the calls of one answer come to: the state after them, and the results that no caller has to give."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..constructors import tool_result
from ..errors import AnswerError
from ..model.request import Message
from ..nodes.records import replace
from ..steps import Steps
from .catalogue import Toolkits
from .expanding import expand_steps, use_steps
from .state import ToolkitState


class Answering(NamedTuple):
    """The state so far, and the number of a call to the message that answers it.

    contained  whether containers are in use
    """

    catalogue: Toolkits
    state: ToolkitState
    results: Mapping[int, Message]
    contained: bool

    def used(self, name: str) -> Steps[Answering]:
        """Take note that a function which shows was called; one of the request's own says nothing."""
        placed = self.catalogue.members.get(name)
        if placed is None:
            return self
        state = yield from use_steps(self.catalogue, self.state, placed.path, contained=self.contained)
        return self._replace(state=state)

    def answered(self, number: int, call: Any, shown: Collection[str]) -> Steps[Answering]:
        """Answer a call that is not the caller's: of a toolkit, of a function that does not show, or of none."""
        name, placed = call.name, self.catalogue.members.get(call.name)
        if name not in self.catalogue.kits and placed is None:
            known = ", ".join(sorted(shown)) or "none"
            return self._with(
                number, tool_result(call, f"There is no function {name}. There are: {known}."), self.state
            )
        path = self.catalogue.paths[name] if placed is None else placed.path
        state, text = yield from expand_steps(self.catalogue, self.state, path)
        if placed is not None:
            text = f"{text}\n\n{name} was not shown until now: call it again."
            if call.id is not None and self.catalogue.config.function_result_lifetime == "ephemeral":
                state = replace(state, answered=(*state.answered, call.id))
        return self._with(number, tool_result(call, text), state)

    def _with(self, number: int, message: Message, state: ToolkitState) -> Answering:
        return self._replace(state=state, results={**self.results, number: message})


def in_order(calls: Sequence[Any], own: Mapping[int, Message], given: Sequence[Message]) -> list[Message]:
    """Put our results and the caller's in the order of the calls, then what else the caller says.

    Raises AnswerError where the caller gives a result for a call that is answered here.
    """
    left, messages = list(given), list[Message]()
    for number, call in enumerate(calls):
        place = next((place for place, message in enumerate(left) if _answers(message, call)), None)
        if number in own:
            if place is not None and call.id is not None:
                raise AnswerError(f"{call.name} is answered by the session: leave its result out")
            messages.append(own[number])
        elif place is not None:
            messages.append(left.pop(place))
    return [*messages, *left]


def _answers(message: Message, call: Any) -> bool:
    results = [part for part in message.parts if hasattr(part, "call_id")]
    return any(getattr(part, "call_id", None) == call.id for part in results)
