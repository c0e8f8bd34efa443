"""The table of shape filters. Plugins add rows; the functions that generated code calls are in the runtime."""

from __future__ import annotations

from pydantic import NonNegativeInt
from pydantic.dataclasses import dataclass

from .plugin_values import CONFIG, Function, Word


@dataclass(frozen=True, slots=True, config=CONFIG)
class ShapeFilter:
    """One filter; its functions are given as `module:function`.

    Attributes:
        writes: The writing function; None for a filter that writes values unchanged.
        reads: The reading function; None for a filter that only writes, which shapes that are read cannot use.
        arguments: The number of arguments.
        result: The JSON type that it writes (`str`, `bool`, `any`).
        takes: The types of fields that it can write (`str`, `strings`, ...); empty for any.
        narrow: Whether it can write only some values of a field: such a form is tried before a general one.
        reports: Whether the writing function also takes the node, the field name and the build, to add a note.
    """

    name: Word
    writes: Function | None
    reads: Function | None
    arguments: NonNegativeInt = 0
    result: str = "str"
    reports: bool = False
    takes: frozenset[str] = frozenset()
    narrow: bool = False


_RUNTIME = "promptwire_runtime.build.shape_filters"
_RESULTS = "promptwire_runtime.build.tool_results"


def _pair(name: str, arguments: int = 0, result: str = "str", takes: str = "") -> ShapeFilter:
    writes, reads = f"{_RUNTIME}:write_{name}", f"{_RUNTIME}:read_{name}"
    return ShapeFilter(name, writes, reads, arguments, result, takes=frozenset(takes.split()))


BUILTIN = {
    row.name: row
    for row in (
        _pair("json", takes="json arguments"),
        ShapeFilter("object_text", f"{_RUNTIME}:write_json", f"{_RUNTIME}:read_object_text"),
        _pair("not", result="bool", takes="bool"),
        ShapeFilter(
            "one", f"{_RUNTIME}:write_one", f"{_RUNTIME}:read_one", 0, "any", reports=True, narrow=True
        ),
        _pair("join", takes="strings instructions parts"),
        _pair("comma", takes="strings"),
        _pair("prefix", 1, takes="str"),
        _pair("format", 1, takes="str"),
        _pair("word", 2, takes="bool"),
        ShapeFilter(
            "alnum",
            "promptwire_runtime.build.shape_filters:write_alnum",
            "promptwire_runtime.build.shape_filters:read_alnum",
            1,
            reports=True,
        ),
        _pair("number_text", takes="int number"),
        _pair("list", result="list"),
        _pair("upper", result="any", takes="str strings"),
        _pair("enum", 1),
        ShapeFilter("keyed", f"{_RESULTS}:write_keyed", f"{_RESULTS}:read_keyed", 2, "object"),
        ShapeFilter("bytes", None, f"{_RUNTIME}:read_bytes", takes=frozenset({"str"})),
        ShapeFilter(
            "arguments",
            f"{_RESULTS}:write_arguments",
            f"{_RESULTS}:read_arguments",
            result="object",
            reports=True,
            takes=frozenset({"str"}),
        ),
        ShapeFilter(
            "python_types",
            "promptwire_runtime.build.parameter_types:write_python_types",
            "promptwire_runtime.build.parameter_types:read_python_types",
            result="object",
            reports=True,
            takes=frozenset({"object"}),
        ),
        _pair("segment"),
        _pair("path"),
    )
}
