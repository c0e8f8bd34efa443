"""The keys of a body, and the messages, that a build writes as they were read: rows for the runtime's plain reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...model.neutral import DOTTED, OPTIONS, REQUEST
from ...model.offers import ShapeFilter
from ...model.wire import MessageShape, WireModel
from ...spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape, Tolerated
from ..field_holder import SETTINGS, FieldHolder
from .message_readers import ReaderChoice
from .shape_readers import ShapeReader, has_plain_marks

_SIMPLE = frozenset(
    [
        "str",
        "int",
        "number",
        "bool",
        "strings",
        "object",
        "text_object",
        "number_object",
        "upper_str",
        "upper_strings",
    ]
)
# fields that have no row for each value
_READ = frozenset({"tools", "messages"})
_FIELDS = OPTIONS.keys() | REQUEST.keys()


@dataclass(frozen=True, slots=True)
class PlainKeys:
    """The keys of a body that a build writes as they were read.

    Attributes:
        rows: The rows of the keys: `path=place.field:type:least`, where a path has all spellings of each key.
        always: The keys that every body has.
        group: The key under which tools are grouped; empty if they are not.
        bare: Whether instructions may be one text.
    """

    rows: str
    always: str
    group: str
    bare: bool


@dataclass(frozen=True, slots=True)
class PlainMessage:
    """A message of one role that has nothing beside its speaker and its content, or its calls.

    Attributes:
        calls: The key of its calls; empty if a message of calls has another form.
        bare: Whether the content may be one text.
        text: The keys of an element that is surely a text, such as `type=text text`; empty if no keys are.
    """

    speaker: str
    word: str | None
    content: str
    calls: str
    bare: bool
    text: str


def plain_body(model: WireModel, filters: Mapping[str, ShapeFilter]) -> PlainKeys | None:
    """Return the plain keys of a body; None where a key that is always written is not plain."""
    shape, entries = model.body.shape, model.body
    if entries.messages_apart or shape.extra_keys is not None or any(part.repeats for part in model.parts):
        return None
    node = FieldHolder(model, filters)
    words = [word for entry in shape.fields for word in _list_rows(entry, node)]
    required = [entry.key for entry in shape.required]
    known = {word.partition("=")[0].partition("/")[0] for word in words}
    if not known.issuperset(required) or entries.messages.key not in known:
        return None
    always = " ".join(dict.fromkeys([*required, entries.messages.key]))
    bare = any(word.endswith("=instructions") for word in words)
    return PlainKeys(" ".join(words), always, " ".join(model.group_under), bare)


def _list_rows(entry: KeyShape, node: FieldHolder, above: str = "") -> list[str]:
    """Return the row of a key, or the rows of the keys of an object; none if its value may be written otherwise."""
    path = above + "/".join(entry.spellings)
    inner = entry.shape
    if isinstance(inner, Object):
        return _list_object_rows(entry, inner, node, f"{path}.")
    if isinstance(inner, Tolerated):
        words = [word for word in inner.values if isinstance(word, str)]
        return [f"{path}=:word:{'|'.join(words)}"] if words and len(words) == len(inner.values) else []
    # the first form is the one that is written
    hole = inner.forms[0] if isinstance(inner, Alternatives) else inner
    target = _find_target(hole, entry, node) if isinstance(hole, Hole) else ""
    return [f"{path}={target}"] if target else []


def _list_object_rows(entry: KeyShape, shape: Object, node: FieldHolder, above: str) -> list[str]:
    is_whole = entry.instructions_inside is not None
    is_optional = entry.optional and all(field.optional for field in shape.fields)
    if shape.fixed or not (is_whole or is_optional):
        return []
    rows = [row for field in shape.fields for row in _list_rows(field, node, above)]
    if shape.extra_keys is None:
        return rows
    (field, *_) = shape.extra_keys.path
    if field not in SETTINGS:
        return []
    # a key with a row of its own is not one of the other keys
    named = [f"{above}{'/'.join(key.spellings)}" for key in shape.fields]
    known = {row.partition("=")[0] for row in rows}
    odd = [path for path in named if not any(row == path or row.startswith(f"{path}.") for row in known)]
    return [*rows, *[f"{path}=:never" for path in odd], f"{above}*={field}"]


def _find_target(hole: Hole, entry: KeyShape, node: FieldHolder) -> str:
    """Return the field of a hole and how it is read; empty if its value may be written otherwise."""
    if hole.read_only or hole.guard is not None or entry.is_place:
        return ""
    filters = [used.name for used in hole.filters]
    if hole.path == ("instructions",):
        if filters:
            return "instructions:text" if filters == ["join"] else ""
        return "instructions:layers" if hole.listed else "instructions"
    here = {id(other) for other in entry.shape.holes}
    elsewhere = [other.path for other in node.wire.body.shape.written_holes if id(other) not in here]
    has_other = len({other.path for other in entry.shape.holes}) > 1 and hole.path != ("tool_choice",)
    if filters not in ([], ["upper"]) or has_other or hole.path in elsewhere:
        return ""
    head, *more = hole.path
    if head == "vendor":
        return "" if filters else f"vendor.{more[0]}:json"
    if more:
        return _limit(f"{head}.{more[0]}", hole, node) if head in DOTTED else ""
    if head in _READ or head in SETTINGS:
        return head
    if head == "cache":
        return head if has_plain_marks(node.wire.unions["cache"]) else ""
    if hole.listed or head in DOTTED:
        return ""
    return _limit(f"options.{head}" if head in OPTIONS else head, hole, node) if head in _FIELDS else ""


def _limit(target: str, hole: Hole, node: FieldHolder) -> str:
    """Return a field with its type and its least value; empty if plain reading does not know the type."""
    kind = ("upper_" if hole.filters else "") + node.type_of(hole)
    least = node.field_of(hole).least
    return "" if kind not in _SIMPLE else f"{target}:{kind}" + ("" if least is None else f":{least}")


def plain_messages(
    model: WireModel, choices: Mapping[str, ReaderChoice], readers: Mapping[str, ShapeReader]
) -> dict[str, PlainMessage]:
    """Return how plain messages are written, by the role of the neutral message.

    `choices` are the shapes of their elements by role, and `readers` read them, by label.
    """
    rows = {
        role: _item(role, shape, model, _text_words(role, model, choices, readers))
        for role, shape in model.messages.items()
    }
    return {role: item for role, item in rows.items() if item is not None}


def _item(role: str, shape: MessageShape, model: WireModel, text: str) -> PlainMessage | None:
    """Return how a plain message is written; None where a message always has more keys."""
    slots = dict(shape.slots)
    content = slots.get("content")
    if content is None or not isinstance(content.shape, Hole) or content.shape.filters:
        return None
    needed = [entry for entry in shape.shape.required if entry is not content]
    if [entry.key for entry in needed] != [model.speaker] or not _is_word(needed[0]):
        return None
    calls = ""
    if role == "assistant":
        places = {part.slot for part in model.parts_of(role) if part.mode == "tool_call" and part.written}
        if len(places) == 1:
            entry = slots.get(places.pop())
            if entry is not None and not isinstance(entry.shape, Hole):
                return None
            # content that an API requires is written beside calls, whether it was there or not
            is_written = entry is not content and not content.optional
            calls = "" if entry is None or is_written else entry.key
    return PlainMessage(model.speaker, shape.wire_role, content.key, calls, not content.shape.listed, text)


def _text_words(
    role: str, model: WireModel, choices: Mapping[str, ReaderChoice], readers: Mapping[str, ShapeReader]
) -> str:
    """Return the keys of an element that is surely a text, such as `type=text text`; empty where none is known."""
    if role not in choices:
        return ""
    choice = choices[role]
    for part in model.parts_of(role):
        if part.kind.name != "text" or part.slot != "content" or part.remembered is not None:
            continue
        words = _words_of(part.shape)
        if words is None:
            continue
        constants, key = words
        if len(constants) == 1 and constants[0][0] == choice.key:
            tried = dict(choice.cases).get(constants[0][1], choice.others)
        elif not constants:
            # a shape that requires another key cannot match such an element
            tried = tuple(
                [label for label in choice.others if key in (readers[label].needs or key).split("|")]
            )
        else:
            continue
        if tried[:1] == (part.label,):
            return " ".join([*[f"{name}={word}" for name, word in constants], key])
    return ""


def _words_of(shape: Shape) -> tuple[list[tuple[str, str]], str] | None:
    """Return the constants that a text always has beside it, and its key; None where it has anything else."""
    if not isinstance(shape, Object) or shape.extra_keys is not None:
        return None
    constants: list[tuple[str, str]] = []
    keys: list[str] = []
    for entry in shape.fields:
        value = entry.shape
        if entry.optional:
            continue
        if isinstance(value, ConstantShape) and isinstance(value.value, str) and " " not in value.value:
            constants.append((entry.key, value.value))
        elif (
            isinstance(value, Hole) and value.path == ("text",) and not value.filters and value.guard is None
        ):
            keys.append(entry.key)
        else:
            return None
    return (constants, keys[0]) if len(keys) == 1 else None


def _is_word(entry: KeyShape) -> bool:
    shape = entry.shape
    return isinstance(shape, ConstantShape) or (
        isinstance(shape, Alternatives) and all(isinstance(form, ConstantShape) for form in shape.forms)
    )
