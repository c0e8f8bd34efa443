"""The functions that read a whole body into a Request, and the plain bodies that are read from a table.

A build writes a plain body as it was read, so that the runtime reads it by rows of keys instead of a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ...model.neutral import DOTTED, OPTIONS, REQUEST
from ...model.offers import ShapeFilter
from ...model.wire import MessageShape, WireModel
from ...spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape, Tolerated
from ..docs import make_body_doc
from ..field_holder import SETTINGS, FieldHolder
from ..write.body import switches_key
from .message_readers import ReaderChoice
from .readings import FieldReading, JsonPlace, Readings, ReadingStep, locate_key
from .shape_readers import ShapeReader, has_plain_marks


@dataclass(frozen=True, slots=True)
class FieldsReader:
    """A function that reads a body into fields of a request, its options, or those that only its API has.

    Attributes:
        table: The field of the table of readers that holds it: `options`, `vendor` or `body`.
    """

    table: str
    doc: str
    node: FieldHolder
    steps: tuple[ReadingStep, ...]
    fields: tuple[FieldReading, ...]

    @property
    def name(self) -> str:
        """The name of the function."""
        return f"read_{self.table}"


@dataclass(frozen=True, slots=True)
class ListKey:
    """A key of a body that holds the tools or the instructions.

    Attributes:
        around: The key of the object around it, if there is one.
    """

    field: str
    hole: Hole
    json: JsonPlace
    around: JsonPlace | None


class BodyReaders:
    """The functions that read a whole body of one wire: its options, its vendor options, and all of it."""

    def __init__(self, model: WireModel, filters: Mapping[str, ShapeFilter]) -> None:
        """`filters` are those that shapes may name."""
        self.wire = model
        self.node = FieldHolder(model, filters)
        shape = model.body.shape
        # keys that are read elsewhere stay by name, since the rest of the body is without them
        self._plain = replace(
            shape,
            fields=tuple([_drop_special(entry) for entry in shape.fields]),
            fixed=(),
        )
        options, vendor = self._read(OPTIONS.__contains__), self._read("vendor".__eq__)
        self.parts = [
            FieldsReader(table, doc, self.node, tuple(readings.steps), tuple(fields))
            for table, doc, readings, fields in (
                ("options", "Read the options of a request.", options, options.list_fields().values()),
                (
                    "vendor",
                    "Read the options of a request that only this API has.",
                    vendor,
                    vendor.list_options(),
                ),
            )
            if fields
        ]
        self.body = self._make_body_reader()

    @property
    def names(self) -> dict[str, str]:
        """Field of the table of readers -> the function that it holds."""
        return {reader.table: reader.name for reader in (*self.parts, self.body)}

    def _read(self, takes: Callable[[str], bool]) -> Readings:
        """Return the values of the holes whose first word is wanted."""
        values = Readings(self.node)
        values.read_object(_keep_wanted(self._plain, takes), "body", self._find_extra_keys())
        values.values = {path: expressions for path, expressions in values.values.items() if takes(path[0])}
        return values

    def _find_extra_keys(self) -> frozenset[str]:
        """Return the keys of the union that is spread into the body; other keys of the body are unknown."""
        extra = self._plain.extra_keys
        shapes = [] if extra is None else [each.shape for each in self.wire.unions.get(extra.path[0], ())]
        if not all(isinstance(shape, Object) and shape.extra_keys is None for shape in shapes):
            return frozenset()
        entries = [entry for shape in shapes if isinstance(shape, Object) for entry in shape.fields]
        return frozenset([spelling for entry in entries for spelling in entry.spellings])

    def _make_body_reader(self) -> FieldsReader:
        readings = self._read(lambda head: head != "vendor" and head not in OPTIONS)
        doc = make_body_doc("Read a body", self.wire)
        return FieldsReader("body", doc, self.node, tuple(readings.steps), tuple(_list_fields(readings)))

    @property
    def lists(self) -> list[ListKey]:
        """The keys of tools and instructions; instructions may be the first messages instead."""
        lifted = self.wire.instructions.placement == "first_message"
        keys = [_list_key(entry) for entry in self.wire.body.shape.fields if _has_own_reader(entry)]
        return [key for key in keys if key is not None and not (lifted and key.field == "instructions")]

    @property
    def conversation(self) -> JsonPlace:
        """The place of the messages."""
        return locate_key("body", self.wire.body.messages.spellings)

    @property
    def repeated(self) -> str:
        """The vendor option of a result that repeats the arguments of its call; empty if there is none."""
        return next((part.repeats for part in self.wire.parts if part.repeats), "")


def _keep_wanted(shape: Object, takes: Callable[[str], bool]) -> Object:
    """Return an object without unwanted holes. Its keys stay, because `...` takes all keys that have no name."""
    fields: list[KeyShape] = []
    for entry in shape.fields:
        inner = entry.shape
        if isinstance(inner, Object):
            inner = _keep_wanted(inner, takes)
        elif inner.holes and not any(takes(hole.path[0]) for hole in inner.holes):
            inner = Object((), None, shape.span)
        fields.append(replace(entry, shape=inner))
    rest = shape.extra_keys if shape.extra_keys is not None and takes(shape.extra_keys.path[0]) else None
    return replace(shape, fields=tuple(fields), extra_keys=rest)


def _list_fields(readings: Readings) -> Iterator[FieldReading]:
    """Yield the request's own fields, then the nodes, each whole, in single fields, or both."""
    for name, field in readings.list_fields().items():
        if name in REQUEST and name not in DOTTED:
            yield field
    for head, kind in DOTTED.items():
        below = [
            FieldReading(path[1], tuple(values))
            for path, values in readings.values.items()
            if path[0] == head and len(path) == 2
        ]
        whole = tuple(readings.values.get((head,), ()))
        if whole or below:
            yield FieldReading(head, whole, below=tuple(below), cls=kind.cls)


def _list_key(entry: KeyShape) -> ListKey | None:
    """Return a key of tools or instructions, perhaps inside an object; None for any other key."""
    inner, json, around = entry.instructions_inside, locate_key("body", entry.spellings), None
    if inner is not None:
        entry, json, around = inner, locate_key("outer", inner.spellings), json
    for field in ("tools", "instructions"):
        if entry.holds(field) and isinstance(entry.shape, Hole):
            return ListKey(field, entry.shape, json, around)
    return None


def _drop_special(entry: KeyShape) -> KeyShape:
    """Return a key without the values that have their own reader: all of it, or the instructions inside its object."""
    inner = entry.instructions_inside
    if inner is not None and isinstance(entry.shape, Object):
        fields = [_drop_special(field) if field is inner else field for field in entry.shape.fields]
        return replace(entry, shape=replace(entry.shape, fields=tuple(fields)))
    return replace(entry, shape=Object((), None, entry.span)) if _has_own_reader(entry) else entry


def _has_own_reader(entry: KeyShape) -> bool:
    whole = any(entry.holds(head) for head in ("messages", "tools", "instructions"))
    return whole or entry.is_place or entry.instructions_inside is not None


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
    """A message of one role that has only its speaker and its content, or its calls.

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


def find_plain_keys(model: WireModel, filters: Mapping[str, ShapeFilter]) -> PlainKeys | None:
    """Return the plain keys of a body; None where a key that is always written is not plain."""
    shape, entries = model.body.shape, model.body
    if entries.messages_apart or shape.extra_keys is not None or any(part.repeats for part in model.parts):
        return None
    node = FieldHolder(model, filters)
    # what a rule moves inside the body is written elsewhere
    moved = {
        key for rule in model.rules for key, other in rule.rename.items() if not switches_key(key, other)
    }
    paths = [row.partition("=") for entry in shape.fields for row in _list_rows(entry, node)]
    words = [
        f"{path}=:never" if _name_keys(path) in moved else f"{path}={target}" for path, _, target in paths
    ]
    required = [entry.key for entry in shape.required]
    known = {word.partition("=")[0].partition("/")[0] for word in words}
    if not known.issuperset(required) or entries.messages.key not in known:
        return None
    always = " ".join(dict.fromkeys([*required, entries.messages.key]))
    bare = any(word.endswith("=instructions") for word in words)
    return PlainKeys(" ".join(words), always, " ".join(model.group_under), bare)


def _name_keys(path: str) -> str:
    """Return the path of a row with one spelling of each key, as rules write it."""
    return ".".join([step.partition("/")[0] for step in path.split(".")])


def _list_rows(entry: KeyShape, node: FieldHolder, above: str = "") -> list[str]:
    """Return the row of a key, or the rows of the keys of an object; none if a build may write another value."""
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
    """Return the field of a hole and how it is read; empty if a build may write another value."""
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
        return _describe_target(f"{head}.{more[0]}", hole, node) if head in DOTTED else ""
    if head in _READ or head in SETTINGS:
        return head
    if head == "cache":
        return head if has_plain_marks(node.wire.unions["cache"]) else ""
    if hole.listed or head in DOTTED:
        return ""
    return (
        _describe_target(f"options.{head}" if head in OPTIONS else head, hole, node)
        if head in _FIELDS
        else ""
    )


def _describe_target(target: str, hole: Hole, node: FieldHolder) -> str:
    """Return a field with its type and its least value; empty if plain reading does not know the type."""
    kind = ("upper_" if hole.filters else "") + node.get_type(hole)
    least = node.get_field(hole).least
    return "" if kind not in _SIMPLE else f"{target}:{kind}" + ("" if least is None else f":{least}")


def find_plain_messages(
    model: WireModel, choices: Mapping[str, ReaderChoice], readers: Mapping[str, ShapeReader]
) -> dict[str, PlainMessage]:
    """Return how plain messages are written, by the role of the neutral message.

    `choices` are the shapes of their elements by role, and `readers` read them, by label.
    """
    rows = {
        role: _find_plain_message(role, shape, model, _find_text_words(role, model, choices, readers))
        for role, shape in model.messages.items()
    }
    return {role: item for role, item in rows.items() if item is not None}


def _find_plain_message(role: str, shape: MessageShape, model: WireModel, text: str) -> PlainMessage | None:
    """Return how a plain message is written; None where a message always has more keys."""
    slots, content = dict(shape.slots), shape.content
    if content is None or not isinstance(content.shape, Hole) or content.shape.filters:
        return None
    needed = [entry for entry in shape.shape.required if entry is not content]
    if [entry.key for entry in needed] != [model.speaker] or not _is_word(needed[0]):
        return None
    calls = ""
    if role == "assistant":
        places = {
            part.slot for part in model.list_parts_of(role) if part.mode == "tool_call" and part.written
        }
        if len(places) == 1:
            entry = slots.get(places.pop())
            if entry is not None and not isinstance(entry.shape, Hole):
                return None
            # content that an API requires is written beside calls, whether it was there or not
            is_written = entry is not content and not content.optional
            calls = "" if entry is None or is_written else entry.key
    return PlainMessage(model.speaker, shape.wire_role, content.key, calls, not content.shape.listed, text)


def _find_text_words(
    role: str, model: WireModel, choices: Mapping[str, ReaderChoice], readers: Mapping[str, ShapeReader]
) -> str:
    """Return the keys of an element that is surely a text, such as `type=text text`; empty where none is known."""
    if role not in choices:
        return ""
    choice = choices[role]
    for part in model.list_parts_of(role):
        if part.kind.name != "text" or part.slot != "content" or part.remembered is not None:
            continue
        words = _split_text_shape(part.shape)
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


def _split_text_shape(shape: Shape) -> tuple[list[tuple[str, str]], str] | None:
    """Return the required constants of a text element, and the key of its text; None if it requires more."""
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
