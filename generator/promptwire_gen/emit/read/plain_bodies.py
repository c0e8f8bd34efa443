"""The keys of a body, and the messages, that a build writes as they were read: rows for the runtime's plain reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...model.message_places import is_place
from ...model.neutral import DOTTED, OPTIONS, REQUEST
from ...model.offers import ShapeFilter
from ...model.wire import MessageShape, WireModel
from ...spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape, Tolerated
from ..field_holder import FieldHolder
from ..write.body_keys import inside
from .message_readers import ReaderChoice
from .shape_readers import ShapeReader, has_plain_marks

_SIMPLE = frozenset({"str", "int", "number", "bool", "strings", "object", "text_object", "number_object"})
_NODES = frozenset({"tool_choice", "response_format", "reasoning", "cache"})
# the request's fields that have no row for each value
_READ = frozenset({"tools", "messages"})


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
    rows = _Rows(model, filters)
    words: list[str] = []
    for entry in shape.fields:
        words += rows.of_key(entry)
    required = [entry.key for entry in shape.required]
    known = {word.partition("=")[0].partition("/")[0] for word in words}
    if not known.issuperset(required) or entries.messages.key not in known:
        return None
    always = " ".join(dict.fromkeys([*required, entries.messages.key]))
    bare = any(word.endswith("=instructions") for word in words)
    return PlainKeys(" ".join(words), always, " ".join(model.group_under), bare)


class _Rows:
    """The rows of a body's keys: `path=place.field:type:least`, where a path has all spellings of each key."""

    def __init__(self, model: WireModel, filters: Mapping[str, ShapeFilter]) -> None:
        self._model = model
        self._access = FieldHolder(model, filters)

    def of_key(self, entry: KeyShape, above: str = "") -> list[str]:
        """The row of a key, or the rows of the keys of an object; none where its value may be written otherwise."""
        path = above + "/".join(entry.spellings)
        inner = entry.shape
        if isinstance(inner, Object):
            return self._of_object(entry, inner, f"{path}.")
        if isinstance(inner, Tolerated):
            words = [word for word in inner.values if isinstance(word, str)]
            return [f"{path}=:word:{'|'.join(words)}"] if words and len(words) == len(inner.values) else []
        word = self._of_value(entry)
        return [f"{path}={word}"] if word else []

    def _of_object(self, entry: KeyShape, shape: Object, above: str) -> list[str]:
        is_whole = inside(entry, "instructions") is not None
        if (
            not (is_whole or (entry.optional and all(field.optional for field in shape.fields)))
            or shape.fixed
        ):
            return []
        rows = [row for field in shape.fields for row in self.of_key(field, above)]
        if shape.extra_keys is None:
            return rows
        (field, *_) = shape.extra_keys.path
        if field not in _NODES - {"cache"}:
            return []
        # a key with a row of its own is not one of the other keys
        named = [f"{above}{'/'.join(key.spellings)}" for key in shape.fields]
        known = {row.partition("=")[0] for row in rows}
        odd = [path for path in named if not any(row == path or row.startswith(f"{path}.") for row in known)]
        return [*rows, *[f"{path}=:never" for path in odd], f"{above}*={field}"]

    def _of_value(self, entry: KeyShape) -> str:
        """Return where the value of a key is stored and how it is read."""
        hole = entry.shape
        # the first form is the one that is written
        if isinstance(hole, Alternatives):
            hole = hole.forms[0]
        if not isinstance(hole, Hole) or hole.read_only or hole.guard is not None or is_place(entry):
            return ""
        if hole.path == ("instructions",):
            return self._of_instructions(hole)
        upper = [used.name for used in hole.filters] == ["upper"]
        if hole.filters and not upper:
            return ""
        if len({other.path for other in entry.shape.holes}) > 1 and hole.path != ("tool_choice",):
            return ""
        if [other for other in self._elsewhere(entry) if other.path == hole.path]:
            return ""
        return self._of_field(hole, "upper_" if upper else "")

    def _elsewhere(self, entry: KeyShape) -> list[Hole]:
        """The holes of the body that are not those of a key."""
        here = {id(hole) for hole in entry.shape.holes}
        return [hole for hole in self._model.body.shape.written_holes if id(hole) not in here]

    def _of_instructions(self, hole: Hole) -> str:
        if hole.filters:
            return "instructions:text" if [used.name for used in hole.filters] == ["join"] else ""
        return "instructions:layers" if hole.listed else "instructions"

    def _of_field(self, hole: Hole, kind: str) -> str:
        head, *more = hole.path
        if head == "vendor":
            return "" if kind else f"vendor.{more[0]}:json"
        kind += self._access.type_of(hole)
        if more:
            place = f"{head}." if head in DOTTED else ""
            return self._limited(f"{place}{more[0]}", kind, hole) if place else ""
        if head in _READ:
            return head
        if head in _NODES:
            return head if head != "cache" or has_plain_marks(self._model.unions["cache"]) else ""
        if hole.listed or head in DOTTED:
            return ""
        if head in OPTIONS:
            return self._limited(f"options.{head}", kind, hole)
        return self._limited(head, kind, hole) if head in REQUEST else ""

    def _limited(self, target: str, kind: str, hole: Hole) -> str:
        least = self._access.field_of(hole).least
        if kind not in _SIMPLE | {"upper_str", "upper_strings"}:
            return ""
        return f"{target}:{kind}" + ("" if least is None else f":{least}")


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
