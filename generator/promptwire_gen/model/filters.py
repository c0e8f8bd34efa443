"""The table of shape filters. A plugin adds rows; the runtime holds the functions that generated code calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShapeFilter:
    """One filter: the functions that write and read, each as `module:function`.

    reads        None for a filter that only writes; a shape that is read may not use it
    arguments    how many arguments it takes
    result       the JSON type that it writes (`str`, `bool`, `any`)
    reports      whether writing also takes the node, the name of its field and the build, to leave a note
    """

    name: str
    writes: str
    reads: str | None
    arguments: int = 0
    result: str = "str"
    reports: bool = False


_RUNTIME = "promptwire_runtime.filters"
_RESULTS = "promptwire_runtime.results"


def _pair(name: str, arguments: int = 0, result: str = "str") -> ShapeFilter:
    return ShapeFilter(name, f"{_RUNTIME}:write_{name}", f"{_RUNTIME}:read_{name}", arguments, result)


BUILTIN = {
    row.name: row
    for row in (
        _pair("json"),
        ShapeFilter("object_text", f"{_RUNTIME}:write_json", f"{_RUNTIME}:read_object_text"),
        _pair("not", result="bool"),
        ShapeFilter("one", f"{_RUNTIME}:write_one", f"{_RUNTIME}:read_one", 0, "any", reports=True),
        _pair("join"),
        _pair("comma"),
        _pair("prefix", 1),
        _pair("format", 1),
        _pair("word", 2),
        ShapeFilter(
            "alnum",
            "promptwire_runtime.call_ids:write_alnum",
            "promptwire_runtime.call_ids:read_alnum",
            1,
            reports=True,
        ),
        _pair("list", result="list"),
        _pair("upper", result="any"),
        _pair("enum", 1),
        ShapeFilter("keyed", f"{_RESULTS}:write_keyed", f"{_RESULTS}:read_keyed", 2, "object"),
        _pair("segment"),
        _pair("path"),
    )
}
