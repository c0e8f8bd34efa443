"""The keys of a body, and the messages, that a build writes as they were read: rows for the runtime's plain reading."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.filters import ShapeFilter
from ...model.message_places import is_place
from ...model.neutral import DOTTED, OPTIONS, REQUEST
from ...model.wire import MessageShape, WireModel
from ...spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object
from ..field_access import FieldAccess
from ..imports import Imports
from ..python import Expression, call, display, literal

_SIMPLE = frozenset({"str", "int", "number", "bool", "strings", "object", "text_object", "number_object"})
_NODES = frozenset({"tool_choice", "response_format"})
# request fields that the reader handles itself
_READ = frozenset({"tools", "messages", "instructions"})


def plain_body(model: WireModel, filters: Mapping[str, ShapeFilter]) -> Expression:
    """Return the call that makes the table of plain keys; None where a key that is always written is not plain."""
    shape, entries = model.body.shape, model.body
    if entries.messages_apart or shape.extra_keys is not None or any(part.repeats for part in model.parts):
        return literal(None)
    access = FieldAccess("request", None, filters, Imports())
    words: list[str] = []
    required: list[str] = []
    for entry in shape.fields:
        words += _words(entry, model, access)
        if not entry.optional:
            required.append(entry.key)
    known = {word.partition("=")[0] for word in words}
    if not known.issuperset(required) or entries.messages.key not in known:
        return literal(None)
    always = " ".join(dict.fromkeys([*required, entries.messages.key]))
    return call("PlainBody", literal(" ".join(words)), literal(always))


def _words(entry: KeyShape, model: WireModel, access: FieldAccess) -> list[str]:
    """Return the row of a key, or those of the keys of an object that has no constants."""
    inner = entry.shape
    if not isinstance(inner, Object):
        word = _word(entry, model, access)
        return [f"{entry.key}={word}"] if word else []
    if not entry.optional or not all(field.optional for field in inner.fields):
        return []
    rows = [(field.key, _word(field, model, access)) for field in inner.fields]
    return [f"{entry.key}.{key}={word}" for key, word in rows if word and word not in _READ]


def _word(entry: KeyShape, model: WireModel, access: FieldAccess) -> str:
    """Return where the value of a key is stored and how it is read; empty where it may be written otherwise."""
    hole = entry.shape
    if (
        not isinstance(hole, Hole)
        or hole.filters
        or hole.read_only
        or hole.guard is not None
        or is_place(entry)
    ):
        return ""
    if len([other for other in model.body.shape.holes if other.path == hole.path]) != 1:
        return ""
    if hole.path[0] == "vendor":
        return f"vendor.{hole.path[1]}:json"
    if len(hole.path) != 1:
        return ""
    (field,) = hole.path
    if field in _READ:
        grouped = field == "tools" and model.group_under
        # lists of instructions have no bare text
        return "" if grouped or (field == "instructions" and hole.listed) else field
    if field in _NODES:
        return field
    kind = access.type_of(hole)
    if hole.listed or kind not in _SIMPLE or field in DOTTED:
        return ""
    least = access.least(hole)
    limit = "" if least is None else f":{least}"
    place = "options." if field in OPTIONS else ""
    return f"{place}{field}:{kind}{limit}" if place or field in REQUEST else ""


def plain_messages(model: WireModel) -> Expression:
    """Return the display of how plain messages are written, by the role of the neutral message."""
    rows = [(role, item) for role, shape in model.messages.items() if (item := _item(role, shape, model))]
    return display(rows)


def _item(role: str, shape: MessageShape, model: WireModel) -> Expression | None:
    """Return the call of the runtime's class; None where a message always has more than who speaks and its content."""
    slots = dict(shape.slots)
    content = slots.get("content")
    if content is None or not isinstance(content.shape, Hole) or content.shape.filters:
        return None
    needed = [entry for entry in shape.shape.fields if not entry.optional and entry is not content]
    if [entry.key for entry in needed] != [model.speaker] or not _is_word(needed[0]):
        return None
    calls = ""
    if role == "assistant":
        places = {part.slot for part in model.parts_of(role) if part.mode == "tool_call" and part.written}
        if len(places) == 1:
            entry = slots.get(places.pop())
            calls = "" if entry is None else entry.key
    more = [literal(calls)] if calls else []
    words = [literal(model.speaker), literal(shape.wire_role), literal(content.key)]
    return call("PlainItem", *words, *more, bare=literal(not content.shape.listed))


def _is_word(entry: KeyShape) -> bool:
    shape = entry.shape
    return isinstance(shape, ConstantShape) or (
        isinstance(shape, Alternatives) and all(isinstance(form, ConstantShape) for form in shape.forms)
    )
