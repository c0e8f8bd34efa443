"""The values behind a rule's paths, such as `temperature`, `reasoning.effort`, `tools[strict=true].count`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..model.media import Document
from ..model.options import OPTION_NAMES
from ..model.parts import CALLS, RESULTS, Compaction, ItemReference, Opaque, Part, Text
from ..model.request import Message, Request
from ..nodes.plain import RESULT_FORMS
from ..nodes.records import fields, is_node
from ..predicates.conditions import FieldPath
from ..reporting.spec_words import kind_of
from ..wire_json.kinds import class_of, is_mapping
from .field_values import field_values, given_values, is_part_count
from .held_parts import (
    CALL_ROWS,
    ToolsView,
    added_tools,
    compacted_items,
    count_rows,
    repeated_documents,
    repeated_items,
    tool_values,
    unknown_references,
)

# parts that may hold text which is not visible here
_HIDING = (Compaction, Document, ItemReference, Opaque)
# fields without text for the model
_SILENT = frozenset(
    {"data", "media_type", "signature", "encrypted", "redacted", "provenance", "kept", "extra"}
)


def all_text(request: Request, *, instructions: bool) -> str | None:
    """Join all texts, arguments and results of the messages, each on a line; instructions come first if asked for.

    None where a part may hold more than is known here.
    """
    texts: list[str] = []
    left: list[Any] = [part for message in reversed(request.messages) for part in reversed(message.parts)]
    if instructions and (layers := request.instructions):
        left += [layers] if isinstance(layers, str) else reversed(layers)
    # JSON of a caller may hold itself
    seen: set[int] = set()
    while left:
        value = left.pop()
        if isinstance(value, _HIDING):
            return None
        if type(value) is Text:
            texts.append(value.text)
        elif isinstance(value, str):
            texts.append(value)
        elif id(value) not in seen:
            seen.add(id(value))
            left += reversed(_inside(value))
    return "\n".join(texts)


def _inside(value: Any) -> list[Any]:
    """Return what a value holds: the fields of a node, keys and values of an object, the elements of a list."""
    if is_node(value):
        return [getattr(value, field.name) for field in fields(value) if field.name not in _SILENT]
    if is_mapping(value):
        return [text for pair in value.items() for text in pair]
    return [*value] if isinstance(value, (list, tuple)) else []  # pyright: ignore[reportUnknownVariableType]


class _Answer:
    """One answer: its messages, the last one first, and the number of results right behind it."""

    __slots__ = ("messages", "results")

    def __init__(self, results: int) -> None:
        self.messages: list[Message] = []
        self.results = results

    @property
    def first(self) -> Message:
        return self.messages[-1]

    @property
    def parts(self) -> list[Part]:
        return [part for message in reversed(self.messages) for part in message.parts]

    @property
    def unmatched(self) -> int:
        """The number of calls without a result where others have one, or of results without a call."""
        if not self.results:
            return 0
        calls = [part for message in self.messages for part in message.parts if type(part) in CALLS]
        return abs(len(calls) - self.results)


def turn_rows(path: FieldPath, request: Request) -> list[tuple[object, Any]]:
    """Return the values of a path in the current turn, each with its node; None stands for a field that is not set.

    `turn.first` is the kind of the part that the first answer begins with; `turn.unmatched` a number above 0 for each
    answer that has one; `turn.tool_call.signature` a field of the first part of a kind in each answer.
    """
    answers = _answers(request)
    if path.tail == "first":
        return [(part, kind_of(part)) for answer in answers[:1] for part in answer.parts[:1]]
    if path.tail == "unmatched":
        return [(answer.first, unmatched) for answer in answers if (unmatched := answer.unmatched)]
    kind, field = path.keys
    parts = [[part for part in answer.parts if kind_of(part) == kind] for answer in answers]
    return [(part, getattr(part, field, None)) for found in parts for part in found[:1]]


def _answers(request: Request) -> list[_Answer]:
    """Return the answers of the current turn, in order; consecutive messages of the assistant are one."""
    answers: list[_Answer] = []
    results = 0
    is_answer = False
    for message in reversed(request.messages):
        if message.role == "assistant":
            if not is_answer:
                answers.append(_Answer(results))
            answers[-1].messages.append(message)
            is_answer, results = True, 0
        elif message.fast_path in RESULT_FORMS or all(isinstance(part, RESULTS) for part in message.parts):
            results += len(message.parts)
            is_answer = False
        else:
            break
    answers.reverse()
    return answers


# the text of messages, or of instructions and messages
TEXT_PATHS = ("messages.text", "conversation.text")
_INSIDE = ("count", "keys", "values")
# a path -> the nodes of the whole request that it means, each with a value
_ROWS = {
    "documents.repeated": repeated_documents,
    "items.compacted": compacted_items,
    "items.repeated": repeated_items,
    "references.unknown": unknown_references,
}
_ENDS = {"first_message": slice(1), "last_message": slice(-1, None)}


def values_of(path: FieldPath, request: Request, wire: str) -> list[Any]:
    """Return the values of a path; of the messages it reads the first and the last.

    `wire` is the one whose vendor options count.
    """
    if path.text in TEXT_PATHS:
        return given_values([all_text(request, instructions=path.head == "conversation")])
    if is_part_count(path):
        return [count for _, count in count_rows(path, request)]
    return _READERS.get(path.head, _of_field)(path, request, wire)


def node_of(path: FieldPath, request: Request) -> object:
    """Return the node whose value a path names: options, the first or last message, else the request."""
    if path.head in OPTION_NAMES:
        return request.options
    if path.head in _ENDS and request.messages:
        return request.messages[_ENDS[path.head]][0]
    return request


def field_rows(path: FieldPath, request: Request, values: list[Any]) -> list[tuple[object, Any]]:
    """Return the values that were found behind a path, each with its node."""
    if path.head == "turn" and values:
        return turn_rows(path, request)
    if path.head == "calls" and values:
        return CALL_ROWS[path.tail](request)
    if path.text in _ROWS:
        return _ROWS[path.text](request)
    if is_part_count(path):
        return count_rows(path, request)
    node = node_of(path, request) if values else None
    return [(node, value) for value in values]


def _of_option(path: FieldPath, request: Request, _wire: str) -> list[Any]:
    return _looked_into(getattr(request.options, path.head), path.tail)


def _of_field(path: FieldPath, request: Request, _wire: str) -> list[Any]:
    value = getattr(request, path.head, None)
    if path.tail in _INSIDE:
        return _looked_into(value, path.tail)
    if path.keys:
        return given_values([getattr(value, path.tail, None)])
    return [] if value in (None, ()) else [value]


def _of_tools(path: FieldPath, request: Request, wire: str) -> list[Any]:
    if not path.keys and path.head == "tools":
        # messages may add the first tools of a conversation
        return _of_field(path, request, wire) or added_tools(request)
    return [value for _, value in tool_values(path, ToolsView(request, wire))]


def _of_vendor(path: FieldPath, request: Request, wire: str) -> list[Any]:
    return field_values(request, (path.head, *path.keys), wire) if request.vendor else []


def _of_end(path: FieldPath, request: Request, wire: str) -> list[Any]:
    """Return the values of the first or last message: a field, the kinds of its parts, or the text at its end."""
    values: list[Any] = []
    for message in request.messages[_ENDS[path.head]]:
        if path.text == "last_message.part":
            values += map(kind_of, message.parts)
        elif path.text == "last_message.text":
            values.append(_text_at_end(message))
        else:
            values += field_values(message, path.keys, wire)
    return values


def _of_model(_path: FieldPath, request: Request, _wire: str) -> list[Any]:
    """Return the name of the model; an empty text where there is none, so that rules can ask for one."""
    return [request.model or ""]


def _of_layers(path: FieldPath, request: Request, wire: str) -> list[Any]:
    """Return the instructions, or the roles of their layers."""
    layers = request.instructions
    if not layers:  # an empty text is no instruction
        return []
    if not path.keys:
        return _of_field(path, request, wire)
    return [] if isinstance(layers, str) else given_values([layer.role for layer in layers])


def _of_turn(path: FieldPath, request: Request, _wire: str) -> list[Any]:
    return [value for _, value in turn_rows(path, request)]


def _of_calls(path: FieldPath, request: Request, _wire: str) -> list[Any]:
    return [value for _, value in CALL_ROWS[path.tail](request)]


def _of_rows(path: FieldPath, request: Request, _wire: str) -> list[Any]:
    return [value for _, value in _ROWS[path.text](request)]


# head of a path -> how its values are read; any other head is a field of the request
_READERS: dict[str, Callable[[FieldPath, Request, str], list[Any]]] = {
    **dict.fromkeys(OPTION_NAMES, _of_option),
    **dict.fromkeys(("tool", "tools", "strict_schemas"), _of_tools),
    **dict.fromkeys(_ENDS, _of_end),
    "model": _of_model,
    "vendor": _of_vendor,
    "instructions": _of_layers,
    "turn": _of_turn,
    "calls": _of_calls,
    **dict.fromkeys([path.partition(".")[0] for path in _ROWS], _of_rows),
}


def _looked_into(value: Any, what: str) -> list[Any]:
    """Return the value of an option itself, or its `count`, `keys` or `values`."""
    if what not in _INSIDE:
        return given_values([value])
    if what != "count":
        return list(getattr(value, what)()) if is_mapping(value) else []
    several = issubclass(class_of(value), (list, tuple)) or is_mapping(value)
    return [len(value)] if several else []


def _text_at_end(message: Message) -> str | None:
    """Return the text at the end of a message; None if another part is last."""
    last = message.parts[-1] if message.parts else None
    return last.text if type(last) is Text else None
