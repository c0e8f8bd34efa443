"""The values behind a rule's paths, such as `temperature`, `reasoning.effort`, `tools[strict=true].count`."""

from __future__ import annotations

from ..model.options import OPTION_NAMES
from ..model.parts import Text
from ..reporting.spec_words import kind_of, split_path
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_mapping
from .field_values import field_values, given_values
from .tool_values import ToolsView, tool_reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..model.request import Message, Request

# all that messages say, or instructions and messages
TEXT_PATHS = ("messages.text", "conversation.text")
_INSIDE = ("count", "keys", "values")
_ACCESSORS: dict[tuple[str, str], Callable[[Request], list[Any]]] = {}


def accessor(path: str, wire: str) -> Callable[[Request], list[Any]]:
    """Give the function that finds the values of a path; of the messages it knows the first and the last.

    `wire` is the one whose vendor options count.
    """
    access = _ACCESSORS.get((path, wire))
    if access is None:
        access = _ACCESSORS[path, wire] = _accessor(path, wire)
    return access


def _accessor(path: str, wire: str) -> Callable[[Request], list[Any]]:
    first, _, tail = split_path(path)
    if first in OPTION_NAMES:
        return lambda request: _looked_into(getattr(request.options, first), tail)
    if first == "strict_schemas" or (first in ("tool", "tools") and (tail or first == "tool")):
        read = tool_reader(path, wire)
        return lambda request: [value for _, value in read(ToolsView(request, wire))]
    if path in _OWN:
        return _OWN[path]
    if path == "last_message.text" or first == "turn":
        return _turn_reader(tail) if first == "turn" else _texts_at_end
    if first in ("first_message", "last_message"):
        ends = slice(1) if first == "first_message" else slice(-1, None)
        return lambda request: [
            value for message in request.messages[ends] for value in field_values(message, tail, wire)
        ]
    if path in TEXT_PATHS:
        from .texts import all_text

        return lambda request: given_values([all_text(request, instructions=first == "conversation")])
    if first == "vendor":
        return lambda request: field_values(request, path, wire) if request.vendor else []
    if tail in _INSIDE:
        return lambda request: _looked_into(getattr(request, first, None), tail)
    if tail:
        return lambda request: given_values([getattr(getattr(request, first, None), tail, None)])
    return lambda request: [value] if (value := getattr(request, first, None)) not in (None, ()) else []


def _roles_of_layers(request: Request) -> list[Any]:
    layers = request.instructions
    return [] if not layers or isinstance(layers, str) else given_values([layer.role for layer in layers])


def _kinds_at_end(request: Request) -> list[Any]:
    return [kind_of(part) for message in request.messages[-1:] for part in message.parts]


# paths with a reader of their own
_OWN: dict[str, Callable[[Request], list[Any]]] = {
    "instructions.role": _roles_of_layers,
    "last_message.part": _kinds_at_end,
}


def node_of(path: str, request: Request) -> object:
    """Give the node whose value a path names, the request where it is no message and no option."""
    first = split_path(path)[0]
    if first in OPTION_NAMES:
        return request.options
    if first in ("first_message", "last_message") and request.messages:
        return request.messages[0 if first == "first_message" else -1]
    return request


def field_rows(path: str, request: Request, values: list[Any]) -> list[tuple[object, Any]]:
    """Give the values that were found behind a path, each with its node."""
    if path.startswith("turn.") and values:
        from .current_turn import turn_rows

        return turn_rows(split_path(path)[2], request)
    node = node_of(path, request) if values else None
    return [(node, value) for value in values]


def _looked_into(value: Any, what: str) -> list[Any]:
    """Give the value of an option itself, or its `count`, `keys` or `values`."""
    if what not in _INSIDE:
        return given_values([value])
    if what != "count":
        return list(getattr(value, what)()) if is_mapping(value) else []
    return list(map(len, [value] if type(value) in (tuple, list) or is_mapping(value) else []))


def _turn_reader(tail: str) -> Callable[[Request], list[Any]]:
    """Give the function that finds the values of a path in the current turn."""
    from .current_turn import turn_rows

    return lambda request: [value for _, value in turn_rows(tail, request)]


def _texts_at_end(request: Request) -> list[str | None]:
    return [_text_at_end(message) for message in request.messages[-1:]]


def _text_at_end(message: Message) -> str | None:
    """Give the text that a message ends with; None where it ends with anything else."""
    last = message.parts[-1] if message.parts else None
    return last.text if type(last) is Text else None
