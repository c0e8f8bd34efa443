"""Which tool each result of a request is of, by the call that it answers."""

from __future__ import annotations

from ..model.parts import ToolCall, ToolResult
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.request import Request


def names_by_result(request: Request) -> dict[object, str]:
    """Map results, by identity, to the name of the last call of their id before them; ids may come again later.

    Ids are mapped as well, for a result that was copied or stands before its call.
    """
    names: dict[object, str] = {}
    for message in request.messages:
        for part in message.parts:
            if type(part) is ToolCall and part.id is not None:
                names[part.id] = part.name
            elif type(part) is ToolResult and part.call_id in names:
                names[id(part)] = names[part.call_id]
    return names
