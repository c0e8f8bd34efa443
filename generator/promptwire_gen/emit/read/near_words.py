"""The required keys of a shape, in the notation of the runtime's `Expected`: `type=function id:id arguments:json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...model.wire import Variant
from ...spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape
from ..field_holder import FieldHolder

# characters of keys and constants
_KEY = re.compile(r"[\w$-]+")
_CONSTANT = re.compile(r"[^\s=]\S*")
# ids that hosts may omit, because one can be made up
_CALLS = frozenset({"tool_call", "custom_tool_call"})
# filter of arguments -> the JSON type that the shape accepts
_JSON_FILTERS = {"json": "json"}


def near_words(variant: Variant, access: FieldHolder) -> str:
    """Write what a shape requires; empty where an object that lacks some of it is none, or words cannot say it."""
    if not isinstance(variant.shape, Object):
        return ""
    words = list(_words(variant.shape, (), variant, access))
    # no assumption is possible, so there is no nearest shape
    helpful = any(re.search(r"=|:(json|object|id)$", word) for word in words)
    # constants alone do not identify a shape
    evident = any("." in word or "=" not in word for word in words)
    return " ".join(words) if helpful and evident and all(words) else ""


def _words(shape: Object, above: tuple[str, ...], variant: Variant, access: FieldHolder) -> Iterator[str]:
    for entry in shape.fields:
        keys = entry.spellings
        if not all(map(_KEY.fullmatch, keys)):
            yield ""
            continue
        path = (*above, "/".join(keys))
        if isinstance(entry.shape, Object) and not entry.optional:
            yield from _words(entry.shape, path, variant, access)
        elif not entry.optional or _is_arguments(entry, access):
            yield _word(entry, ".".join(path), variant, access)


def _is_arguments(entry: KeyShape, access: FieldHolder) -> bool:
    shape = _first(entry.shape)
    return isinstance(shape, Hole) and access.type_of(shape) == "arguments"


def _first(shape: Shape) -> Shape:
    """Return the form of a value that is written, if it may have several."""
    return shape.forms[0] if isinstance(shape, Alternatives) else shape


def _word(entry: KeyShape, path: str, variant: Variant, access: FieldHolder) -> str:
    """Write one value; empty where words cannot say it."""
    shape = _first(entry.shape) if _is_arguments(entry, access) else entry.shape
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
    if _is_arguments(entry, access):
        return f"{path}:{_arguments_kind(shape)}" if _arguments_kind(shape) else path
    field = shape.path[0]
    if field not in ("id", "call_id") or shape.filters:
        return path
    return f"{path}:id" if field == "id" and variant.kind.name in _CALLS else f"{path}:text"


def _arguments_kind(hole: Hole) -> str:
    if not hole.filters:
        return "object"
    return _JSON_FILTERS.get(hole.filters[0].name, "") if len(hole.filters) == 1 else ""
