"""Functions that read one shape each: they return a node that remembers its form, or None for another shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...model.wire import Variant
from ...spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, KeyShape, Object, Shape
from ..docs import make_reader_doc
from ..field_holder import SETTINGS
from ..write.node import ShapedNode
from .matching import JsonTest, Matching
from .readings import FieldReading, locate_variable, make_literal_reading

_POSITIONAL_IDS = {"tool_call", "tool_result", "custom_tool_call", "custom_tool_result"}
# types that need no conversion in either direction
_UNCHANGED = frozenset({"str", "number", "bool", "object"})
# types whose fields have an empty value in place of None
_EMPTY: Mapping[str, Any] = {"str": "", "arguments": {}}


@dataclass(frozen=True, eq=False)
class ShapeReader:
    """The function that reads one shape, as `templates/reading/shapes.j2` lays it out.

    Attributes:
        discriminator: The key that the reader looks at before it tries the shape.
        is_exact: Whether an object with further keys has another shape.
        counts_marks: Whether the number of keys of a cache mark determines how it is written.
    """

    node: ShapedNode
    discriminator: str | None
    is_exact: bool
    counts_marks: bool

    @property
    def variant(self) -> Variant:
        """The shape with its key."""
        return self.node.variant

    @property
    def name(self) -> str:
        """The name of the function."""
        return f"read_{self.variant.label}"

    @cached_property
    def matching(self) -> Matching:
        """The steps, tests and values of the shape."""
        shape = self.variant.shape
        found = Matching(self.node, shape, self.discriminator)
        if self.is_exact and isinstance(shape, Object):
            found.tests.append(JsonTest("size", locate_variable("item"), shape))
        return found

    @property
    def sure(self) -> bool:
        """Return whether it never returns None."""
        return not self.matching.tests

    @property
    def doc(self) -> str:
        """The docstring."""
        return make_reader_doc(self.variant, sure=self.sure)

    @cached_property
    def constant(self) -> bool:
        """Return whether every node of the shape is the same."""
        steps = self.matching.steps or self.matching.late_steps
        return self.variant.union in SETTINGS and not self.variant.shape.holes and self.sure and not steps

    @property
    def remembers(self) -> bool:
        """Return whether a node of this shape remembers differences from a fresh build."""
        return isinstance(self.variant.shape, Object) and self.variant.union != "cache"

    # ---- plain nodes

    @cached_property
    def plain(self) -> list[tuple[Object, str]]:
        """The objects of the shape with their variables; empty if only a comparison of JSON and node decides.

        Their keys show whether a build writes the node as it was read.
        """
        objects = self.matching.objects if self.remembers else []
        return objects if all(self._is_plain_object(shape) for shape, _ in objects) else []

    def list_counted_keys(self, shape: Object) -> list[KeyShape]:
        """Return the keys that a plain object always has; the form of a call without arguments is unknown."""
        return [
            entry for entry in shape.fields if not entry.optional or self.node.holds_arguments(entry.shape)
        ]

    def list_given_keys(self, shape: Object) -> list[KeyShape]:
        """Return the keys that a plain object has if a field of the node has a value, which is written unchanged."""
        counted = self.list_counted_keys(shape)
        return [entry for entry in shape.fields if entry not in counted and self._is_copied(entry)]

    def _is_plain_object(self, shape: Object) -> bool:
        rest = shape.extra_keys
        if rest is not None and (len(rest.path) != 1 or rest.filters or self.node.get_type(rest) != "object"):
            return False
        return all(map(self._is_plain_key, shape.required))

    def _is_plain_key(self, entry: KeyShape) -> bool:
        shape = entry.shape
        match shape:
            case ConstantShape():
                return shape.value is not None
            case Object():
                return any(inner is shape for inner, _ in self.matching.objects)
            case Interpolation():
                return True
            case Hole():
                # what stands under each of its keys is written there again
                return shape.keyed or self._is_plain_hole(shape)
            case _:
                return False

    def _is_plain_hole(self, hole: Hole) -> bool:
        kind, filters = self.node.get_type(hole), [used.name for used in hole.filters]
        if not self._is_alone(hole):
            return False
        if kind == "arguments":
            return filters in ([], ["json"])
        return filters == ["bytes"] or (not filters and kind in {"parts", "int", *_UNCHANGED})

    def _is_copied(self, entry: KeyShape) -> bool:
        hole = entry.shape
        if not isinstance(hole, Hole) or hole.filters or hole.read_only or hole.guard is not None:
            return False
        if not self._is_alone(hole):
            return False
        kind = self.node.get_type(hole)
        if kind == "cache":
            return self.counts_marks
        return kind == "int" or (kind in _UNCHANGED and self.node.kind.fields[hole.path[0]].least is None)

    def _is_alone(self, hole: Hole) -> bool:
        """Return whether no other hole is for the same field."""
        holes = [other for other in self.variant.shape.holes if other.path == hole.path]
        return len(hole.path) == 1 and len(holes) == 1

    # ---- the nearest shape

    @property
    def needs(self) -> str:
        """A key, with its aliases, without which an object must be of another shape; empty if none is known."""
        return self.matching.needs

    @property
    def near(self) -> str:
        """The required keys, by which an object that lacks some of them is read as the nearest shape."""
        return "" if self.sure or not self.remembers else list_near_words(self.node)

    # ---- the node

    @cached_property
    def fields(self) -> list[FieldReading]:
        """The fields of the node: of the holes, of the key of the shape, and those that every node has."""
        variant, kind, found = self.variant, self.node.kind, self.matching
        fields = found.list_fields()
        if variant.keyed is not None and found.failure is not None:
            fields["is_error"] = FieldReading("is_error", (found.failure,))
        for name, field in list(fields.items()):
            declared = kind.fields.get(name)
            if declared is not None and declared.always and (name,) not in found.certain:
                completed = declared.type if declared.type in (*_EMPTY, "tools") else ""
                fields[name] = FieldReading(name, field.readings, completed)
        if kind.name == "json":
            fields.setdefault("value", _make_literal_field("value", None))
        options = found.list_options()
        if options:
            fields["vendor"] = FieldReading("vendor", below=options)
        for name, value in self._list_stated_fields().items():
            fields.setdefault(name, _make_literal_field(name, value))
        self._fill(fields)
        return list(fields.values())

    def _list_stated_fields(self) -> dict[str, str | None]:
        """Return the fields that the key of the shape states."""
        variant = self.variant
        stated = {} if variant.named is None else {"type": variant.named}
        match variant.union:
            case "tool_choice":
                return {**stated, "mode": variant.mode}
            case "response_format":
                return {**stated, "kind": variant.mode}
            case "reasoning" if variant.mode != "budget":
                return {**stated, "mode": variant.mode}
            case _:
                return {**stated}

    def _fill(self, fields: dict[str, FieldReading]) -> None:
        """Set every field that a node always has, and that its shape does not hold, to an empty value."""
        for name, declared in self.node.kind.fields.items():
            if name not in fields and declared.always and declared.type in _EMPTY:
                fields[name] = _make_literal_field(name, _EMPTY[declared.type])
            elif name not in fields and name in ("id", "call_id") and self.node.kind.name in _POSITIONAL_IDS:
                fields[name] = _make_literal_field(name, None)

    @cached_property
    def bare_fields(self) -> list[FieldReading] | None:
        """The fields of a node without optional values; None if a separate return for such nodes saves little."""
        if not self.plain:
            return None
        given: set[str] = set()
        certain: set[str] = set()
        for shape, _ in self.matching.objects:
            given |= {shape.extra_keys.path[0]} if shape.extra_keys is not None else set()
            for entry in shape.fields:
                if not any(entry.shape is inner for inner, _ in self.matching.objects):
                    (given if entry.optional else certain).update(entry.shape.heads)
        kind = self.node.kind
        always = {name for name, field in kind.fields.items() if field.always}
        # a call may have no id, but not none given
        always |= {"id", "call_id"} if kind.name in _POSITIONAL_IDS else set()
        gone = given - certain - always
        left = [field for field in self.fields if field.name not in gone]
        later = {step.variable for step in self.matching.late_steps if step.variable}
        used = {variable for field in left for variable in field.variables}
        return None if not kind.made or len(left) == len(self.fields) or used & later else left

    def choose_maker(self, fields: Sequence[FieldReading]) -> str:
        """Return the function that makes a node of these fields without looking at them again, or its class."""
        kind = self.node.kind
        names = {"parts" if field.name == "content" else field.name for field in fields}
        return kind.maker if kind.made and names <= set(kind.made) else kind.cls


def _make_literal_field(name: str, value: Any) -> FieldReading:
    return FieldReading(name, (make_literal_reading(value),))


def has_plain_marks(variants: Iterable[Variant]) -> bool:
    """Return whether each cache mark among the shapes is an object of one constant and, if it has one, its `ttl`."""
    for variant in variants:
        shape = variant.shape
        if variant.union != "cache":
            continue
        if not isinstance(shape, Object) or shape.extra_keys is not None:
            return False
        required = shape.required
        given = [entry.shape for entry in shape.fields if entry.optional]
        if len(required) != 1 or not isinstance(required[0].shape, ConstantShape):
            return False
        if any(not isinstance(hole, Hole) or hole.path != ("ttl",) or hole.filters for hole in given):
            return False
    return True


# ---- the nearest shape

# characters of keys and constants
_KEY = re.compile(r"[\w$-]+")
_CONSTANT = re.compile(r"[^\s=]\S*")
# ids that hosts may omit, because one can be made up
_CALLS = frozenset({"tool_call", "custom_tool_call"})
# kinds of parts that hold what a tool returned
_RESULTS = frozenset({"tool_result", "custom_tool_result"})


def list_near_words(node: ShapedNode) -> str:
    """Return the required keys in the notation of the runtime's `Expected`: `type=function id:id arguments:json`.

    Empty if an object that lacks some of the keys can be of no shape, or if the notation cannot express a key.
    """
    shape = node.variant.shape
    words = list(_list_words(shape, (), node)) if isinstance(shape, Object) else []
    # no assumption is possible, so there is no nearest shape
    helpful = any(re.search(r"=|:(json|object|id|content)$", word) for word in words)
    # constants alone do not identify a shape
    evident = any("." in word or "=" not in word for word in words)
    return " ".join(words) if helpful and evident and all(words) else ""


def _list_words(shape: Object, above: tuple[str, ...], node: ShapedNode) -> Iterator[str]:
    for entry in shape.fields:
        keys = entry.spellings
        if not all(map(_KEY.fullmatch, keys)):
            yield ""
            continue
        path = (*above, "/".join(keys))
        if isinstance(entry.shape, Object) and not entry.optional:
            yield from _list_words(entry.shape, path, node)
        elif not entry.optional or _holds_arguments(entry, node):
            yield _write_near_word(entry, ".".join(path), node)


def _holds_arguments(entry: KeyShape, node: ShapedNode) -> bool:
    shape = _get_written_form(entry.shape)
    return isinstance(shape, Hole) and node.get_type(shape) == "arguments"


def _get_written_form(shape: Shape) -> Shape:
    """Return the form of a value that is written, if it may have several."""
    return shape.forms[0] if isinstance(shape, Alternatives) else shape


def _write_near_word(entry: KeyShape, path: str, node: ShapedNode) -> str:
    """Return the word of one key; empty if the notation cannot express it."""
    shape = _get_written_form(entry.shape) if _holds_arguments(entry, node) else entry.shape
    if isinstance(shape, ConstantShape):
        if not isinstance(shape.value, str):
            return f"{path}=={json.dumps(shape.value, separators=(',', ':'))}"
        return f"{path}={shape.value}" if _CONSTANT.fullmatch(shape.value) else ""
    if not isinstance(shape, Hole) or len(shape.path) != 1:
        return path
    if shape.guard is not None:
        # a hole that accepts a single word identifies the shape as a constant does
        one_word = _CONSTANT.fullmatch(shape.guard) and not set(shape.guard) & set("*|")
        return f"{path}:word={shape.guard}" if one_word else path
    filters = [used.name for used in shape.filters]
    if shape.path == ("content",) and node.kind.name in _RESULTS:
        keyed = shape.filters[0].arguments[0] if filters == ["keyed"] else ""
        if keyed:
            return f"{path}:keyed={keyed}"
        return path if shape.listed or filters not in ([], ["join"]) else f"{path}:content"
    if _holds_arguments(entry, node):
        return f"{path}:object" if not filters else f"{path}:json" if filters == ["json"] else path
    field = shape.path[0]
    if field not in ("id", "call_id") or filters:
        return path
    return f"{path}:id" if field == "id" and node.kind.name in _CALLS else f"{path}:text"
