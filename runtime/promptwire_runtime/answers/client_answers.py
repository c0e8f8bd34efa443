"""An answer as somebody else's client gives it: loaded when an answer is no plain JSON."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from ..wire_json.bounds import beyond_bounds
from ..wire_json.kinds import is_list, is_object

if TYPE_CHECKING:
    from ..build.wire import Wire

# the methods by which objects of clients give their JSON, and what these are told
_DUMPS: tuple[tuple[str, dict[str, Any]], ...] = (
    # what the API did not send is not set, and names are the API's
    ("model_dump", {"mode": "json", "by_alias": True, "exclude_unset": True, "warnings": False}),
    ("to_dict", {}),
    ("dict", {}),
)


def as_json(answer: Any, wire: Wire) -> Any:
    """Give the JSON that a client made its object or dict of: bytes as base64, without what only clients put there.

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
    """Give an object without the value at a path."""
    key, _, below = path.partition(".")
    if not is_object(value) or key not in value:
        return value
    if below:
        return {**value, key: _without(value[key], below)}
    return {name: inner for name, inner in value.items() if name != key}


def _with_text(value: Any) -> Any:
    """Give the same JSON with base64 for bytes."""
    if is_object(value):
        return {key: _with_text(inner) for key, inner in value.items()}
    if is_list(value):
        return [_with_text(inner) for inner in value]
    return b64encode(value).decode() if isinstance(value, bytes) else value
