"""The answers of a wire as data: what `templates/module/answers.py.j2` lays out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...model.answer_model import AnswerModel
from ...model.streams import StreamModel
from ...model.wire import WireModel
from ...model.written_streams import WrittenStreamModel
from ...spec.shapes import Constant, Field, Hole, Object, Shape
from ..imports import Imports
from ..python import Expression, call, literal, name, tuple_of
from .stream_table import stream_rows
from .written_events import WrittenRows, names_of, written_rows

_RUNTIME = "promptwire_runtime.answers"
# the holes whose value is written and read as a whole
_WHOLE = {
    "candidates": "CANDIDATES",
    "finish": "FINISH",
    "finish.detail": "FINISH_DETAIL",
    "message": "MESSAGE",
    "usage": "COUNTS",
}
_TYPES = {"id": "str", "index": "int", "model": "str"}


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key: under it stands a value, or an object of further keys."""

    name: str
    value: Expression | None
    inside: ShapeRow | None
    required: bool
    also: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """An object: its keys, and those of the message or of the counts where they stand among them."""

    keys: tuple[KeyRow, ...]
    message: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Content:
    """All that one wire says of its answers."""

    shapes: Mapping[str, ShapeRow]
    fields: Mapping[str, Expression]


def answer_home(model: WireModel) -> str:
    """The wire whose module says what a wire answers: its own, or that of the parent whose answers are the same."""
    parent = model.parent
    if parent is None or parent.answer is None or model.answer is None:
        return model.name
    is_same = _content(parent.answer) == _content(model.answer) and parent.stream == model.stream
    return answer_home(parent) if is_same else model.name


def answer_module(model: WireModel) -> dict[str, Any]:
    """Say what a wire answers; of a dialect, only what differs from its parent."""
    assert model.answer is not None
    imports = Imports()
    content = _content(model.answer)
    parent = None if model.parent is None or model.parent.answer is None else model.parent
    above = _Content({}, {}) if parent is None or parent.answer is None else _content(parent.answer)
    shapes = {key: shape for key, shape in content.shapes.items() if above.shapes.get(key) != shape}
    fields = {key: value for key, value in content.fields.items() if above.fields.get(key) != value}
    fields |= {key: name("None") for key in above.shapes.keys() - content.shapes.keys()}
    answers_differ = parent is None or bool(shapes or fields)
    stream = None
    if model.stream is not None and (parent is None or _read(parent.stream) != _read(model.stream)):
        stream = stream_rows(model.stream)
        imports.use(f"{_RUNTIME}.stream_table", "StreamTable")
        imports.use(f"{_RUNTIME}.stream_table", "At", "Step")
    if shapes:
        imports.use(f"{_RUNTIME}.answer_shapes", *_used(list(shapes.values())))
    if parent is None:
        imports.use(f"{_RUNTIME}.table", "AnswerTable")
    written = _written_rows(model, parent, imports)
    return {
        "parent": None if parent is None else parent.name,
        "shapes": shapes,
        "fields": fields,
        "differs": answers_differ,
        "stream": stream,
        "streams": model.stream is not None,
        "written": written,
        "above_writes": parent is not None and _written(parent) is not None,
        "imports": imports.lines(),
    }


def _read(stream: StreamModel | None) -> StreamModel | None:
    """What a stream is without the events that write it."""
    return None if stream is None else replace(stream, write=None)


def _written(model: WireModel) -> WrittenStreamModel | None:
    return None if model.stream is None else model.stream.write


def _written_rows(model: WireModel, parent: WireModel | None, imports: Imports) -> WrittenRows | None:
    """The events that write the stream, where they are not those of the parent."""
    written, above = _written(model), None if parent is None else _written(parent)
    if written is None or written == above:
        return None
    rows = written_rows(written, above)
    imports.use(f"{_RUNTIME}.written", *names_of(rows), *(["WrittenStream"] if above is None else []))
    return rows


def _content(answer: AnswerModel) -> _Content:
    shapes = {"body": answer.body} | ({"candidate": answer.candidate} if answer.candidate is not None else {})
    texts: dict[str, Any] = {
        "beside": dict(answer.beside),
        "finish": dict(answer.finish),
        "role": answer.role,
    }
    texts |= {
        "kinds": dict(answer.error_kinds),
        "list_key": answer.list_key,
        "scalar_key": answer.scalar_key,
        "always": dict(answer.always),
        "key_aliases": dict(answer.key_aliases),
    }
    fields = {key: literal(value) for key, value in texts.items() if value or key in ("finish", "role")}
    paths = {count: tuple_of([literal(key) for key in path]) for count, path in answer.counts.items()}
    if answer.excluded_kinds:
        fields["excluded_kinds"] = call("frozenset", literal(list(answer.excluded_kinds)))
    if answer.unfinished:
        fields["unfinished"] = call("frozenset", literal(list(answer.unfinished)))
    fields["counts"] = Expression(
        f"{{{', '.join([f'{literal(count)}: {path}' for count, path in paths.items()])}}}"
    )
    rows = {key: _shape(shape, answer) for key, shape in shapes.items()}
    if answer.error is not None:
        rows["error"] = _shape(answer.error, answer, said=True)
    return _Content(rows, fields)


def _shape(shape: Object, answer: AnswerModel, *, said: bool = False) -> ShapeRow:
    """The keys of a shape; `said` where its holes are words of an error."""
    keys = tuple([_key(entry, answer, said=said) for entry in shape.fields if _is_written(entry)])
    if shape.extra_keys is None:
        return ShapeRow(keys)
    if shape.extra_keys.path == ("usage",):
        return ShapeRow(keys, counts=tuple(dict.fromkeys(path[0] for path in answer.counts.values())))
    return ShapeRow(keys, message=answer.message_keys)


def _is_written(entry: Field) -> bool:
    """Whether a key holds more than a constant that is only tolerated."""
    return bool(entry.shape.holes) or (isinstance(entry.shape, Constant) and not entry.optional)


def _key(entry: Field, answer: AnswerModel, *, said: bool) -> KeyRow:
    inner = entry.shape
    if isinstance(inner, Object):
        return KeyRow(entry.key, None, _shape(inner, answer, said=said), not entry.optional, entry.aliases)
    value = call("Said", literal(inner.name)) if said and isinstance(inner, Hole) else _value(inner)
    return KeyRow(entry.key, value, None, not entry.optional, entry.aliases)


def _value(shape: Shape) -> Expression:
    match shape:
        case Constant(value=value):
            return call("Constant", literal(value))
        case Hole(path=("vendor", option)):
            return call("Vendor", literal(option))
        case Hole(path=("message",), listed=True):
            return name("ITEMS")
        case Hole() if shape.name in _WHOLE:
            return name(_WHOLE[shape.name])
        case Hole():
            return call("Field", literal(shape.name), name(_TYPES[shape.name]))
        case _:
            raise AssertionError("lowering lets no other shape into an answer")


def _used(shapes: Sequence[ShapeRow]) -> set[str]:
    """The names of the runtime that the code of some shapes needs."""
    names: set[str] = set()
    stack = list(shapes)
    while stack:
        names |= {"Key", "Shape"}
        for key in stack.pop().keys:
            if key.inside is not None:
                stack.append(key.inside)
            elif key.value is not None:
                names.add(key.value.text.partition("(")[0])
    return names
