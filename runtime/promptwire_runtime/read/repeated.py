"""Results that repeat the arguments of their call. Only the call keeps them, so that both change together."""

from __future__ import annotations

from typing import Any, cast

from ..model.parts import Part, ToolResult
from ..model.request import Message
from ..nodes.node import changed
from ..reporting.call_pairs import calls_by_result
from ..wire_json.kinds import same
from .reader import Reader


def unrepeated(messages: tuple[Message, ...], reader: Reader, option: str) -> tuple[Message, ...]:
    """Remove the arguments of each result whose call has them; a result without its call keeps them as an option."""
    wire = reader.wire.name
    calls = calls_by_result(messages)
    repeated = {
        id(part)
        for message in messages
        for part in message.parts
        if isinstance(part, ToolResult)
        and id(part) in calls
        and same(_own(part, wire).get(option), calls[id(part)].arguments)
    }
    return tuple([_unrepeated(message, wire, option, repeated) for message in messages])


def _unrepeated(message: Message, wire: str, option: str, repeated: set[int]) -> Message:
    if repeated.isdisjoint(map(id, message.parts)):
        return message
    parts = tuple([_without(part, wire, option, repeated) for part in message.parts])
    return cast("Message", changed(message, parts=parts))


def _own(result: ToolResult, wire: str) -> dict[str, Any]:
    return dict((result.vendor or {}).get(wire, {}))


def _without(part: Part, wire: str, option: str, repeated: set[int]) -> Part:
    if id(part) not in repeated or not isinstance(part, ToolResult):
        return part
    own = _own(part, wire)
    del own[option]
    return cast("Part", changed(part, vendor={wire: own} if own else None))
