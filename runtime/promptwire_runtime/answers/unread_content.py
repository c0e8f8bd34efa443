"""Content that an answer should have and lacks, and keys under which its reader may have missed some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set as AbstractSet
from typing import Any

from ..model.parts import CALLS, Opaque, Part, Reasoning, Text, ToolCall
from ..model.request import Message
from ..model.wire_memory import Form
from ..read.result import LACKING
from ..wire_json.kinds import is_list, is_object, leaves
from .answer import Candidate
from .answer_shapes import ABSENT, CANDIDATES, ITEMS, MESSAGE, AnswerShape

NO_TEXT = Text("")
_NO_ARGUMENTS: tuple[Any, ...] = ({}, "", "{}")
# fields of parts that hold JSON as it came
_JSON_FIELDS = ("arguments", "citations", "result")
_CONTENT = (CANDIDATES, ITEMS, MESSAGE)
# answers that ended so need no message
_WITHOUT_MESSAGE = frozenset({"filtered", "refused", "error"})
_NOT_NAMED = "no shape names this key: it is kept as it came"
_NOT_READ = "not all of this value was understood: it is kept as it came"

Unread = tuple[dict[str, Any], str, str]
"""A key that may hold content which was not read: the object of the body that holds it, the key, and the reason."""


def unfit_content(shape: AnswerShape, json: dict[str, Any], at: str = "") -> Iterator[tuple[Any, str]]:
    """Yield each content key that a body requires and lacks (with LACKING), or has as another type (with its value)."""
    for key in shape.keys:
        value = key.of(json)
        if isinstance(key.value, AnswerShape):
            if key.required or is_object(value):
                yield from unfit_content(key.value, value if is_object(value) else {}, f"{at}{key.name}.")
        elif key.value in _CONTENT:
            fits = is_object if key.value is MESSAGE else is_list
            is_empty = key.value is CANDIDATES and value == []
            if key.required and (is_empty or value in (None, ABSENT)):
                yield LACKING, f"{at}{key.name}"
            elif value not in (None, ABSENT, "") and not fits(value):
                yield value, key.name


def message_has_unknown_keys(json: dict[str, Any], known: AbstractSet[str], inside: AbstractSet[str]) -> bool:
    """Return whether a message has a key that is not `known`, or an object under a key one that is not in `inside`."""
    objects = [value for value in json.values() if is_object(value)]
    return not json.keys() <= known or not all(value.keys() <= inside for value in objects)


def part_has_unknown_keys(json: Any, known: AbstractSet[str], part: Part) -> bool:
    """Return whether the JSON of a part has a key that is not `known`, outside of values that a field holds."""
    values: Iterable[Any] = ()
    if is_object(json):
        if not json.keys() <= known:
            return True
        values = json.values()
    elif is_list(json):
        values = json
    inner = [value for value in values if part_has_unknown_keys(value, known, part)]
    held = [getattr(part, name, None) for name in _JSON_FIELDS] if inner else []
    return any(all(value is not own for own in held) for value in inner)


def is_lacking(candidate: Candidate, json: dict[str, Any], shape: AnswerShape) -> bool:
    """Return whether a finished answer lacks all content, or the calls that its finish reason names."""
    if candidate.finish is None and shape.says_finish(json):
        return False
    if candidate.message is None:
        return candidate.finish not in _WITHOUT_MESSAGE
    if candidate.finish == "tool_calls":
        return not candidate.waiting and not any(isinstance(part, CALLS) for part in candidate.message.parts)
    return not any(map(_says, candidate.message.parts))


def lacks_arguments(part: Part) -> bool:
    """Return whether a call has no arguments although it should, so that an unknown key may hold them."""
    is_empty = isinstance(part, ToolCall) and part.arguments in _NO_ARGUMENTS
    return is_empty and any(not swap.read for form in _forms(part) for swap in form.swapped)


def _says(part: Part) -> bool:
    """Return whether a part is content: neither thinking nor empty text nor an element that no shape takes."""
    if isinstance(part, Text):
        return part.text != "" or part != NO_TEXT
    return not isinstance(part, (Reasoning, Opaque))


def unknown_keys(node: Message | Candidate | Part, json: dict[str, Any]) -> Iterator[Unread]:
    """Yield each unknown key of a node with a value that may be content."""
    for form in _forms(node):
        yield from texts_of(form.added, json)


def messages_elsewhere(json: dict[str, Any], known: AbstractSet[str]) -> Iterator[Unread]:
    """Yield each key of a candidate without a message that holds an object with the keys of one, such as `delta`."""
    for key, value in json.items():
        if is_object(value) and value.keys() <= known:
            said = [inner for name, inner in value.items() if name != "role"]
            if any(leaves(said)):
                yield json, key, _NOT_READ


def unread_values(part: Part, json: dict[str, Any]) -> Iterator[Unread]:
    """Yield the same for a part, and the keys with a value of which something was not read."""
    for form in _forms(part):
        yield from texts_of(form.added, json)
        for key, value in [row for swap in form.swapped if swap.unread for row in swap.read.items()]:
            yield _holder(json, key, value) or {key: value}, key, _NOT_READ


def texts_of(added: Mapping[str, Any], json: dict[str, Any]) -> Iterator[Unread]:
    """Yield each key whose value is a text, list or object that says something."""
    for key, value in added.items():
        if isinstance(value, (str, list, dict)) and any(leaves(value)):
            yield _holder(json, key, value) or {key: value}, key, _NOT_NAMED


def _forms(node: Message | Candidate | Part) -> list[Form]:
    """Return the form memory of a node, and that of the objects under its keys."""
    form = None if node.kept is None else node.kept.form
    inside = () if form is None else form.inside.values()
    return [] if form is None else [form, *[inner for inner in inside if isinstance(inner, Form)]]


def _holder(json: Any, key: str, value: Any) -> dict[str, Any] | None:
    """Return the object of the JSON with a value under a key, of which form memory has a copy."""
    if is_object(json):
        if json.get(key) == value:
            return json
        json = [*json.values()]
    found = (_holder(inner, key, value) for inner in json) if is_list(json) else ()
    return next(filter(None, found), None)
