"""What events of a stream that is written say: the words of an error, the values that a caller gives."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from time import gmtime, strftime
from typing import Any

from ..errors import InvalidRequest
from ..nodes.records import shown
from ..nodes.type_errors import check_class
from ..wire_json.kinds import is_object
from .events import Event

_YEAR_10000 = 253_402_300_800


def path_of(event: Event) -> str:
    """Give where an event belongs, as notes name it."""
    return f"messages[{event.candidate}]"


def error_text(data: Any) -> str:
    """Give what an error says, in whatever API's words."""
    error = data.get("error", data) if is_object(data) else data
    message = error.get("message") if is_object(error) else error
    if type(message) is str:
        return message
    try:
        return dumps(data, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return shown(data)


def values_of(known: Mapping[str, Any]) -> dict[str, Any]:
    """Give the values that stand in all events. Raises InvalidRequest for an id, a model or a time that is none."""
    check_class(known["id"], str, "id")
    check_class(known["model"], str, "model")
    check_class(known["created"], int, "created")
    if not 0 <= known["created"] < _YEAR_10000:
        raise InvalidRequest(f"created is seconds since 1970, not {shown(known['created'])}", field="created")
    made = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(known["created"]))
    return {**known, "created_at": made, "sequence": 0}
