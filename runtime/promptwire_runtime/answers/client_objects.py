"""Answers and stream events as vendors' clients give them: objects, or dicts with keys of their own."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from ..build.wire import Wire
from ..wire_json.copies import beyond_bounds
from ..wire_json.kinds import is_list, is_object
from .framing import Frame, json_of
from .stream_table import StreamTable

# the methods by which objects of clients give their JSON, and what these are told
_DUMPS: tuple[tuple[str, dict[str, Any]], ...] = (
    # what the API did not send is not set, and names are the API's
    ("model_dump", {"mode": "json", "by_alias": True, "exclude_unset": True, "warnings": False}),
    ("to_dict", {}),
    ("dict", {}),
)


def as_json(answer: Any, wire: Wire) -> Any:
    """Return the JSON that a client made its object or dict of: bytes as base64, without what only clients put there.

    What is neither, and has no method that says its JSON, is given back as it is.
    """
    if not is_object(answer):
        answer = _dumped(answer)
    if not is_object(answer) or beyond_bounds(answer) is not None:
        return answer
    for client in () if wire.clients is None else wire.clients().values():
        for path in client.adds:
            answer = _without(answer, path)
    return _with_text(answer)


def _dumped(answer: Any) -> Any:
    for name, told in _DUMPS:
        dump = getattr(answer, name, None)
        if callable(dump):
            return dump(**told)
    return answer


def _without(value: Any, path: str) -> Any:
    """Return an object without the value at a path."""
    key, _, below = path.partition(".")
    if not is_object(value) or key not in value:
        return value
    if below:
        return {**value, key: _without(value[key], below)}
    return {name: inner for name, inner in value.items() if name != key}


def _with_text(value: Any) -> Any:
    """Return the same JSON with bytes encoded as base64."""
    if is_object(value):
        return {key: _with_text(inner) for key, inner in value.items()}
    if is_list(value):
        return [_with_text(inner) for inner in value]
    return b64encode(value).decode() if isinstance(value, bytes) else value


def frames_of(chunk: Any, wire: Wire, table: StreamTable) -> list[Frame] | None:
    """Return the frames of one event as a vendor's client gives it; None for what is no event.

    Clients that sum up events of their own beside the API's give nothing for these.
    """
    name = getattr(chunk, "event", None)
    inner = next((found for key in ("data", "chunk") if _can_dump(found := getattr(chunk, key, None))), None)
    item = as_json(chunk if inner is None else inner, wire)
    if not is_object(item):
        return None
    if table.framing == "aws_event_stream" and len(item) == 1:
        # a caller may pass any dict
        key: Any = next(iter(item))
        return [_of_aws(key, item[key], chunk)] if isinstance(key, str) else None
    named = item.get(table.by) if table.by else None
    if ".lib." in type(chunk).__module__ and inner is None and named not in (None, *table.events):
        return []
    return [Frame(name if isinstance(name, str) else None, item)]


def _of_aws(name: str, value: Any, chunk: Any) -> Frame:
    """Return the frame of an event of AWS's client, whose name is its only key."""
    inner = chunk.get("chunk") if is_object(chunk) else None
    raw = inner.get("bytes") if is_object(inner) else None
    if isinstance(raw, bytes):
        # the event of a model that speaks another API stands inside
        return Frame(None, json_of(raw.decode("utf-8", "replace")))
    if name.endswith("Exception"):
        return Frame("error", {"type": name, **(value if is_object(value) else {"message": value})})
    return Frame(name, value)


def _can_dump(value: Any) -> bool:
    return any(callable(getattr(value, name, None)) for name, _ in _DUMPS)
