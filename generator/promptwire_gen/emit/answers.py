"""The tables of answers and streams that `templates/module/answers.py.j2` prints; a dialect's are merge patches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from jinja2 import Environment

from ..model.answer_model import AnswerModel
from ..model.wire import WireModel
from ..spec.answer_sections import StreamSection, StreamWriting
from ..spec.fields import is_object
from ..spec.shapes import ConstantShape, Listing, Object, Shape
from .dedupe import CUT, Table, keeps_order, merge_patch
from .literals import FrozenWords

# table -> its class, and the fields that have no default
_TABLES = {
    "ANSWERS": ("AnswerTable", ("finish", "role")),
    "STREAM": ("StreamTable", ("events", "text_paths")),
    "WRITTEN": ("WrittenStream", ("kinds",)),
}
# fields whose rows have an order: the first word of a meaning is the one that is written, keys are written in turn
_ORDERED = ("finish", "always", "defaults", "error", "every")
_DEFAULTS: tuple[object, ...] = (False, None, "", (), [], {}, FrozenWords(()))


class AnswerShapeText(NamedTuple):
    """An object of an answer: the text of each key, and the keys of the message and of the counts among them."""

    keys: tuple[str, ...]
    message: tuple[str, ...]
    counts: tuple[str, ...]


class PrintedTable(NamedTuple):
    """A table of a module.

    call    the class, or the method of the parent's table that takes a patch
    fields  the arguments; without any, the table is the parent's
    """

    name: str
    call: str
    fields: Table
    inherits: bool


class AnswerModules:
    """The answer modules of all wires."""

    def __init__(self, jinja: Environment) -> None:
        """Load the macros that print shapes."""
        self._macros: Any = jinja.get_template("macros/answers.j2").module
        self._made: dict[str, dict[str, Table]] = {}

    def find_home(self, model: WireModel) -> str:
        """Return the wire whose module describes the answers: the nearest parent whose answers are the same."""
        parent = _find_parent(model)
        same = parent is not None and self._get_tables(parent) == self._get_tables(model)
        return self.find_home(parent) if parent is not None and same else model.name

    def make_context(self, model: WireModel) -> dict[str, Any]:
        """Return the context of the template; empty for a wire whose spec does not describe its answers."""
        if model.answer is None:
            return {}
        own, parent = self._get_tables(model), _find_parent(model)
        above = {} if parent is None else self._get_tables(parent)
        tables = [_print_table(name, own[name], above.get(name)) for name in _TABLES if name in own]
        shapes = {
            field: value for field, value in tables[0].fields.items() if isinstance(value, AnswerShapeText)
        }
        homes: dict[str, str] = {}
        for field, shape in shapes.items():
            if parent is not None and _begins_with(shape, above["ANSWERS"][field]):
                homes[field] = self._find_shape_home(parent, field)
                shapes[field] = shape._replace(keys=shape.keys[len(above["ANSWERS"][field].keys) :])
        return {
            "tables": tables,
            "shapes": shapes,
            "homes": homes,
            "parent": None if parent is None else self.find_home(parent),
        }

    def _find_shape_home(self, model: WireModel, field: str) -> str:
        """Return the wire whose module defines an object of the answers of a wire."""
        parent = _find_parent(model)
        if parent is None:
            return model.name
        own, above = [self._get_tables(wire)["ANSWERS"][field] for wire in (model, parent)]
        return self._find_shape_home(parent, field) if own == above else model.name

    def _get_tables(self, model: WireModel) -> dict[str, Table]:
        """Return the whole tables of a wire."""
        if model.name not in self._made:
            assert model.answer is not None
            tables = {"ANSWERS": self._make_answer_table(model.answer)}
            if model.stream is not None:
                tables["STREAM"] = _make_stream_table(model.stream)
                if model.stream.write is not None:
                    tables["WRITTEN"] = _make_written_table(model.stream.write)
            self._made[model.name] = tables
        return self._made[model.name]

    def _make_answer_table(self, answer: AnswerModel) -> Table:
        section = answer.section
        # items of a list are read like those of a request
        lists_items = any(hole.path == ("message",) and hole.listed for hole in answer.body.holes)
        return {
            "body": self._print_shape(answer.body, answer),
            "candidate": answer.candidate and self._print_shape(answer.candidate, answer),
            "error": answer.error and _write_error_shape(answer.error),
            "other_errors": [*map(_write_error_shape, answer.other_errors)],
            "beside": section.beside,
            "finish": section.finish,
            "role": answer.role,
            "kinds": section.error_kinds,
            "list_key": answer.list_key,
            "scalar_key": answer.scalar_key,
            "always": section.always,
            "key_aliases": answer.key_aliases,
            "count_aliases": _make_lists(answer.count_aliases),
            "added_counts": _make_lists(answer.added_counts),
            "blocked": [[*path] for path in answer.blocked],
            "created": section.created,
            "thinking": section.thinking,
            "in_list": section.in_list,
            "defaults": section.defaults,
            "excluded_kinds": FrozenWords.collect(section.excluded_kinds),
            "message_keys": FrozenWords.collect([] if lists_items else dict.fromkeys(answer.message_keys)),
            "text_counts": FrozenWords.collect(answer.text_counts),
            "unfinished": FrozenWords.collect(section.unfinished),
            "counts": answer.counts,
        }

    def _print_shape(self, shape: Object, answer: AnswerModel) -> AnswerShapeText:
        keys = self._macros.keys(shape, answer).split(CUT)
        return AnswerShapeText(tuple([key.strip() for key in keys[:-1]]), *find_spread_keys(shape, answer))


def _write_error_shape(shape: Shape) -> Any:
    """Return the shape of an error as the runtime reads it, in the notation of the spec."""
    if isinstance(shape, Object):
        return {
            f"{key.key}{'?' if key.optional else ''}": _write_error_shape(key.shape) for key in shape.fields
        }
    if isinstance(shape, Listing):
        return [*map(_write_error_shape, shape.items)]
    return shape.value if isinstance(shape, ConstantShape) else f"${shape.holes[0].name}"


def find_spread_keys(shape: Object, answer: AnswerModel) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of the message, and those of the counts, that are spread into an object."""
    spread = {hole.name for hole in shape.spreads}
    counts = tuple(dict.fromkeys([path[0] for path in answer.counts.values()]))
    return answer.message_keys if "message" in spread else (), counts if "usage" in spread else ()


def _find_parent(model: WireModel) -> WireModel | None:
    """Return the wire whose answers a wire inherits, if any."""
    return None if model.parent is None or model.parent.answer is None else model.parent


def _print_table(name: str, own: Table, parent: Table | None) -> PrintedTable:
    """Return a table as a patch of its parent's; whole without a parent, or if a patch would change an order."""
    cls, stated = _TABLES[name]
    if parent is not None and all(
        keeps_order(own[field], parent[field]) for field in _ORDERED if field in own
    ):
        return PrintedTable(name, f"PARENT_{name}.changed", merge_patch(own, parent), inherits=True)
    fields = {field: value for field, value in own.items() if field in stated or value not in _DEFAULTS}
    return PrintedTable(name, cls, fields, inherits=False)


def _begins_with(shape: AnswerShapeText, parent: AnswerShapeText | None) -> bool:
    """Return whether an object begins with all keys of the parent's."""
    return parent is not None and parent.keys != () and shape.keys[: len(parent.keys)] == parent.keys


def _make_stream_table(stream: StreamSection) -> Table:
    call = stream.call
    custom = () if call is None or call.custom is None else (call.custom,)
    return {
        "framing": stream.framing,
        "by": stream.by or "",
        "start": _find_start(stream),
        "envelope": stream.envelope,
        "thought": stream.thought,
        "last": stream.last,
        "pieces": {} if call is None or call.pieces is None else call.pieces.model_dump(mode="json"),
        "inside": stream.inside or (),
        "part": stream.part or (),
        "call": () if call is None else (call.at, call.id or (), call.name, *custom),
        "decoded": FrozenWords.collect(stream.decoded),
        "called": FrozenWords.collect(() if call is None else call.types),
        "done": FrozenWords.collect(stream.done),
        "fails": FrozenWords.collect(stream.fails),
        "inclusive_counts": " ".join(stream.inclusive_counts.models) if stream.inclusive_counts else "",
        "events": stream.events,
        "text_paths": {path: kind for kind, paths in stream.text_paths.items() for path in paths},
    }


def _find_start(stream: StreamSection) -> str:
    """Return the name of the event that begins a stream; empty where events have no names."""
    first: Any = stream.write.start[0] if stream.write is not None and stream.write.start else {}
    name: str = first.get(stream.by or "", "") if is_object(first) else first[0]
    return name if name in stream.events else ""


def _make_written_table(writing: StreamWriting) -> Table:
    return {
        "every": writing.every,
        "kinds": writing.kinds,
        "start": [*writing.start],
        "finish": [*writing.finish],
        "usage": [*writing.usage],
        "end": [*writing.end],
        "error": [*writing.error],
        "usage_on_request": writing.usage_on_request,
        "ends": writing.ends,
    }


def _make_lists(rows: Mapping[str, tuple[tuple[str, ...], ...]]) -> dict[str, list[list[str]]]:
    return {name: [[*path] for path in paths] for name, paths in rows.items()}
