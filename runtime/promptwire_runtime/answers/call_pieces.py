"""Find the call that a piece of a stream belongs to, although hosts number and name pieces differently."""

from __future__ import annotations

from json import loads
from typing import Any

from ..wire_json.kinds import is_object
from .buffers import IndexedList, TextBuffer, number_of, value_at
from .event_paths import EventPaths


def slot_of_call(calls: IndexedList, piece: dict[str, Any], paths: EventPaths) -> tuple[int, str]:
    """Return the place of a call that a piece belongs to, or the next where it begins a call.

    Hosts leave out the number of a piece, give it as text, or give the same to all calls.
    """
    index, identity = number_of(piece.get("index")), value_at(piece, paths.id)
    named = next((name for path in paths.names if (name := value_at(piece, path))), None)
    slot = calls.began.get((index, identity)) if identity else None
    if slot is None:
        slot = calls.began.get((index, None))
        if slot is None or _begins(calls[slot], piece, identity, named, paths):
            slot = (calls.next if index is None or (index, "") in calls else index, "")
    calls.began[index, identity or None] = calls.began[index, None] = calls.began[None, None] = slot
    if identity:
        calls.began[None, identity] = slot
    return slot


def _begins(call: Any, piece: dict[str, Any], identity: Any, named: Any, paths: EventPaths) -> bool:
    """Return whether a piece begins another call than the one that came under its number."""
    if not is_object(call):
        return True
    known, name = value_at(call, paths.id), next((n for p in paths.names if (n := value_at(call, p))), None)
    came = next((text for path in paths.arguments if (text := value_at(call, path))), None)
    if identity and known and identity != known:
        # a host gives each piece of a call another id
        return named not in (None, name) or not came or _is_whole(came)
    if identity or not named or not name:
        return False
    more = any(value_at(piece, path) for path in paths.arguments)
    return named != name or (more and came is not None and _is_whole(came))


def _is_whole(arguments: Any) -> bool:
    """Return whether the arguments of a call are complete JSON."""
    if not isinstance(arguments, (str, TextBuffer)):
        return True
    if not arguments or not arguments[-1].rstrip().endswith(("}", "]", '"')):
        return False
    try:
        loads("".join(arguments))
    except (ValueError, RecursionError):
        return False
    return True
