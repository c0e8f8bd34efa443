"""The answers of a wire as data: what `templates/module/answers.py.j2` lays out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...model.answer_model import AnswerModel
from ...model.streams import StreamModel, StreamStepModel
from ...model.wire import WireModel
from ...model.written_streams import WrittenEvents, WrittenPartModel, WrittenStreamModel
from ...spec.fields import is_object
from ...spec.shapes import ConstantShape, Hole, KeyShape, Listing, Object, Shape
from ..python import Expression, frozen_words, literal

# holes whose value is written and read unchanged
_WHOLE = {
    "candidates": "CANDIDATES",
    "finish": "FINISH",
    "finish.detail": "FINISH_DETAIL",
    "message": "MESSAGE",
    "usage": "COUNTS",
}
_TYPES = {"id": "str", "index": "int", "model": "str"}


@dataclass(frozen=True, slots=True)
class ValueRow:
    """The value of a key: a constant of the runtime, or a call with literal arguments and a type."""

    name: str
    arguments: tuple[Any, ...] | None = None
    type: str = ""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key: under it stands a value, or an object of further keys, which may be in a list."""

    name: str
    value: ValueRow | None
    inside: AnswerShapeRow | None
    required: bool
    also: tuple[str, ...]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class AnswerShapeRow:
    """An object: its keys, and those of the message or of the counts where they stand among them.

    `above` is the constant of the parent's object, all of whose keys come first; empty where there is none.
    """

    keys: tuple[KeyRow, ...]
    message: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    above: str = ""


@dataclass(frozen=True, slots=True)
class StreamRows:
    """The arguments of `StreamTable`; for a dialect, those that differ from its parent's.

    Attributes:
        texts: Arguments that are JSON.
        words: Arguments that are sets of words.
        paths: Arguments that are one path.
        path_sets: Arguments that are several paths: those of a call, of its id and of its name, and a set.
        events: The name of an event -> its steps; None where they are the parent's.
        text_paths: A path -> the kind of event; None where they are the parent's.
        beside: Which of the last two hold rows beside the parent's.
    """

    texts: dict[str, Any]
    words: dict[str, tuple[str, ...]]
    paths: dict[str, tuple[str, ...]]
    path_sets: dict[str, tuple[tuple[str, ...], ...]]
    events: Mapping[str, tuple[StreamStepModel, ...]] | None
    text_paths: Mapping[tuple[str, ...], str] | None
    beside: frozenset[str] = frozenset()

    @property
    def sets(self) -> dict[str, Expression]:
        """The sets of words as code."""
        return {key: frozen_words(members) for key, members in self.words.items()}


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """The arguments of `WrittenStream`: kinds of parts, the events of a moment, and the words that end a stream.

    A kind is None where only the parent has it, and `every` and `usage_on_request` where they are as the parent's.
    """

    kinds: dict[str, WrittenPartModel | None]
    every: Mapping[str, Any] | None
    events: dict[str, WrittenEvents]
    ends: tuple[str, ...]
    usage_on_request: bool | None


@dataclass(frozen=True, slots=True)
class _Content:
    """The answer facts of one wire: shapes, JSON values, sets of words, and paths of counts."""

    shapes: Mapping[str, AnswerShapeRow]
    fields: Mapping[str, Any]
    words: Mapping[str, list[str]]
    counts: Mapping[str, tuple[str, ...]]


_NOTHING = _Content({}, {}, {}, {})


def answer_home(model: WireModel) -> str:
    """Return the wire whose module describes the answers: the wire itself, or a parent whose answers are the same."""
    parent = model.parent
    if parent is None or parent.answer is None or model.answer is None:
        return model.name
    is_same = _content(parent.answer) == _content(model.answer) and parent.stream == model.stream
    return answer_home(parent) if is_same else model.name


def answer_module(model: WireModel) -> dict[str, Any]:
    """Return the context of the template; for a dialect, only what differs from its parent."""
    assert model.answer is not None
    content = _content(model.answer)
    parent = None if model.parent is None or model.parent.answer is None else model.parent
    above = _NOTHING if parent is None or parent.answer is None else _content(parent.answer)
    fields = _differing(content.fields, above.fields) | _emptied(content.fields, above.fields)
    fields |= dict.fromkeys(sorted(above.shapes.keys() - content.shapes.keys()))
    words = _differing(content.words, above.words) | _emptied(content.words, above.words)
    shapes = {
        key: _shape_beside(row, above.shapes.get(key), key)
        for key, row in _differing(content.shapes, above.shapes).items()
    }
    answers = {
        "shapes": shapes,
        "fields": {key: _field_beside(value, above.fields.get(key), key) for key, value in fields.items()},
        "words": {key: frozen_words(value) for key, value in words.items()},
        "counts": {} if parent is not None and content.counts == above.counts else content.counts,
    }
    reads = model.stream is not None and (parent is None or _read(parent.stream) != _read(model.stream))
    written, above_written = _written(model), None if parent is None else _written(parent)
    return {
        **answers,
        "homes": {key: _shape_home(parent, key) for key, row in shapes.items() if parent and row.above},
        "parent": None if parent is None else parent.name,
        "differs": parent is None or any(answers.values()),
        "stream": _stream_change(model.stream, parent) if model.stream is not None and reads else None,
        "above_streams": parent is not None and parent.stream is not None,
        "streams": model.stream is not None,
        "written": None if written in (None, above_written) else _written_rows(written, above_written),
        "above_writes": above_written is not None,
    }


def _differing(own: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in own.items() if above.get(key) != value}


def _emptied(own: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return an empty value for each fact that the parent states and a dialect removes."""
    return {key: type(value)() for key, value in above.items() if key not in own}


def _added(own: Mapping[Any, Any], above: Mapping[Any, Any]) -> dict[Any, Any] | None:
    """Return the rows of a mapping beside the parent's, or in their place; None where that does not make it."""
    if not above or [*{**above, **own}.items()] != [*own.items()]:
        return None
    return _differing(own, above)


def _field_beside(value: Any, above: Any, key: str) -> Expression:
    """Return a value; a mapping that has the parent's rows too as these and its own."""
    rows = _added(value, above) if is_object(value) and is_object(above) else None
    return literal(value) if rows is None else Expression(f"{{**PARENT.{key}, {literal(rows).text[1:]}")


def _shape_beside(row: AnswerShapeRow, above: AnswerShapeRow | None, key: str) -> AnswerShapeRow:
    """Return an object; one that begins with all keys of the parent's as these and its own."""
    if above is None or not above.keys or row.keys[: len(above.keys)] != above.keys:
        return row
    return replace(row, keys=row.keys[len(above.keys) :], above=f"PARENT_{key.upper()}")


def _shape_home(model: WireModel, key: str) -> str:
    """Return the wire whose module defines an object of the answers of a wire."""
    assert model.answer is not None
    above = None if model.parent is None else model.parent.answer
    if model.parent is None or above is None:
        return model.name
    is_same = _content(above).shapes.get(key) == _content(model.answer).shapes.get(key)
    return _shape_home(model.parent, key) if is_same else model.name


def _read(stream: StreamModel | None) -> StreamModel | None:
    """Return a stream without the events that write it."""
    return None if stream is None else replace(stream, write=None)


def _written(model: WireModel) -> WrittenStreamModel | None:
    return None if model.stream is None else model.stream.write


def _stream_change(stream: StreamModel, parent: WireModel | None) -> StreamRows:
    """Return the arguments of a stream; for a dialect, those that differ from its parent's."""
    own = _stream_rows(stream)
    if parent is None or parent.stream is None:
        return own
    above = _stream_rows(parent.stream)
    changed: dict[str, Any] = {}
    for name in ("texts", "words", "paths", "path_sets"):
        values, others = getattr(own, name), getattr(above, name)
        changed[name] = _differing(values, others) | _emptied(values, others)
    beside: list[str] = []
    for name in ("events", "text_paths"):
        values, others = getattr(own, name), getattr(above, name)
        rows = _added(values, others)
        beside += [] if rows is None else [name]
        changed[name] = None if values == others else values if rows is None else rows
    return StreamRows(**changed, beside=frozenset(beside))


def _stream_rows(stream: StreamModel) -> StreamRows:
    texts = {
        "framing": stream.framing,
        "by": stream.by,
        "envelope": stream.envelope,
        "thought": dict(stream.thought),
        "last": dict(stream.last),
        "pieces": dict(stream.pieces),
    }
    words = {"called": stream.called, "done": stream.done, "fails": stream.fails}
    paths = {"inside": stream.inside, "part": stream.part}
    path_sets = {"call": stream.call or (), "decoded": tuple(stream.decoded)}
    return StreamRows(
        {key: value for key, value in texts.items() if value},
        {key: tuple(value) for key, value in words.items() if value},
        {key: value for key, value in paths.items() if value},
        {key: value for key, value in path_sets.items() if value},
        stream.events,
        stream.text_paths,
    )


def _written_rows(stream: WrittenStreamModel, parent: WrittenStreamModel | None) -> WrittenRows:
    above = WrittenStreamModel({}, {}, {}, ()) if parent is None else parent
    events = _differing(stream.events, above.events)
    if parent is None:
        # a dialect may have no events where its parent has some
        events = {moment: rows for moment, rows in events.items() if rows}
    ends = stream.ends if stream.ends != above.ends else ()
    kinds = _differing(stream.kinds, above.kinds)
    kinds |= {kind: None for kind in above.kinds if kind not in stream.kinds}
    every = stream.every if stream.every != above.every else None
    on_request = stream.usage_on_request
    differs = on_request != above.usage_on_request
    return WrittenRows(kinds, every, events, ends, on_request if differs else None)


def _content(answer: AnswerModel) -> _Content:
    shapes = {"body": answer.body} | ({"candidate": answer.candidate} if answer.candidate is not None else {})
    rows = {key: _shape(shape, answer) for key, shape in shapes.items()}
    if answer.error is not None:
        rows["error"] = _shape(answer.error, answer, said=True)
    section = answer.section
    fields: dict[str, Any] = {
        "beside": dict(section.beside),
        "finish": dict(section.finish),
        "role": answer.role,
        "kinds": dict(section.error_kinds),
        "list_key": answer.list_key,
        "scalar_key": answer.scalar_key,
        "always": dict(section.always),
        "key_aliases": dict(answer.key_aliases),
        "count_aliases": _lists(answer.count_aliases),
        "added_counts": _lists(answer.added_counts),
        "blocked": [list(path) for path in answer.blocked],
        "created": dict(section.created),
        "thinking": dict(section.thinking),
        "in_list": section.in_list,
        "defaults": dict(section.defaults),
    }
    words = {
        "excluded_kinds": section.excluded_kinds,
        # items of a list are read like those of a request
        "message_keys": () if _has_items(answer) else tuple(dict.fromkeys(answer.message_keys)),
        "text_counts": answer.text_counts,
        "unfinished": section.unfinished,
    }
    return _Content(
        rows,
        {key: value for key, value in fields.items() if value or key in ("finish", "role")},
        {key: list(value) for key, value in words.items() if value},
        dict(answer.counts),
    )


def _has_items(answer: AnswerModel) -> bool:
    return any(hole.path == ("message",) and hole.listed for hole in answer.body.holes)


def _lists(rows: Mapping[str, tuple[tuple[str, ...], ...]]) -> dict[str, list[list[str]]]:
    return {name: [list(path) for path in paths] for name, paths in rows.items()}


def _shape(shape: Object, answer: AnswerModel, *, said: bool = False) -> AnswerShapeRow:
    """Return the keys of a shape; with `said`, its holes are words of an error."""
    keys = tuple([_key(entry, answer, said=said) for entry in shape.fields if _is_written(entry)])
    spread = {hole.name for hole in shape.spreads}
    return AnswerShapeRow(
        keys,
        message=answer.message_keys if "message" in spread else (),
        counts=tuple(dict.fromkeys(path[0] for path in answer.counts.values())) if "usage" in spread else (),
    )


def _is_written(entry: KeyShape) -> bool:
    """Return whether a key holds more than a constant that is only tolerated."""
    return bool(entry.shape.holes) or (isinstance(entry.shape, ConstantShape) and not entry.optional)


def _key(entry: KeyShape, answer: AnswerModel, *, said: bool) -> KeyRow:
    inner = entry.shape
    if isinstance(inner, Object):
        return KeyRow(entry.key, None, _shape(inner, answer, said=said), not entry.optional, entry.aliases)
    if isinstance(inner, Listing) and isinstance(inner.items[0], Object):
        inside = _shape(inner.items[0], answer, said=said)
        return KeyRow(entry.key, None, inside, not entry.optional, entry.aliases, listed=True)
    value = ValueRow("Said", (inner.name,)) if said and isinstance(inner, Hole) else _value(inner)
    return KeyRow(entry.key, value, None, not entry.optional, entry.aliases)


def _value(shape: Shape) -> ValueRow:
    match shape:
        case ConstantShape(value=value):
            return ValueRow("Constant", (value,))
        case Hole(path=("vendor", option)):
            return ValueRow("Vendor", (option,))
        case Hole(path=("message",), listed=True):
            return ValueRow("ITEMS")
        case Hole() if shape.name in _WHOLE:
            return ValueRow(_WHOLE[shape.name])
        case Hole():
            return ValueRow("Field", (shape.name,), _TYPES[shape.name])
        case _:
            raise AssertionError("lowering lets no other shape into an answer")
