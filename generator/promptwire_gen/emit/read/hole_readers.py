"""Expressions that convert the JSON value of a hole to a neutral value."""

from __future__ import annotations

from ...spec.shapes import Hole
from ..field_holder import FieldHolder
from ..imports import function_name
from ..python import Expression, call, listing, literal

# node types that the reader reads with the wire's tables
_NODES = frozenset({"cache", "tool_choice", "response_format", "reasoning"})
_CONVERSIONS = {
    "str": "as_str",
    "int": "as_int",
    "number": "as_number",
    "bool": "as_bool",
    "strings": "as_strings",
    "object": "as_free",
    "text_object": "as_text_object",
    "number_object": "as_number_object",
    "arguments": "as_free",
}


def neutral_value(hole: Hole, json: Expression, access: FieldHolder) -> Expression:
    """Return the neutral value read from an expression that looks the key up."""
    kind = access.type_of(hole)
    if kind == "tools" and [used.name for used in hole.filters] == ["one"]:
        return call("reader.tools", listing([json]))
    if hole.filters and (kind != "parts" or hole.keyed):
        return _unfiltered(hole, json, access)
    if kind == "parts":
        return call("reader.parts", json, literal(access.content_role))
    if kind == "tools":
        return call("reader.tools", json)
    if kind in _NODES:
        return call(f"reader.{kind}", json)
    if kind == "json":
        return json
    least = access.field_of(hole).least
    limits = [] if least is None else [literal(least)]
    return call(_CONVERSIONS[kind], json, *limits)


def _unfiltered(hole: Hole, json: Expression, access: FieldHolder) -> Expression:
    """Return the value that the filters of a hole read, applying the last filter first."""
    value = json
    kind = access.type_of(hole)
    for used in reversed(hole.filters):
        reads = access.filters[used.name].reads
        assert reads is not None
        takes = access.filters[used.name].takes
        if (kind == "str" and "strings" in takes) or (kind == "strings" and "str" in takes):
            # a list of strings is not a string
            value = call(_CONVERSIONS[kind], value)
        value = call(function_name(reads), value, *map(literal, used.arguments))
    return value
