"""The table of shape filters. A plugin adds rows; the runtime holds the functions that generated code calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShapeFilter:
    """One filter: the functions that write and read, each as `module:function`.

    reads        None for a filter that only writes; a shape that is read may not use it
    arguments    how many arguments it takes
    result       the JSON type that it writes (`str`, `bool`, `any`)
    """

    name: str
    writes: str
    reads: str | None
    arguments: int = 0
    result: str = "str"


_RUNTIME = "promptwire_runtime.filters"


def _pair(name: str, arguments: int = 0, result: str = "str") -> ShapeFilter:
    return ShapeFilter(name, f"{_RUNTIME}:write_{name}", f"{_RUNTIME}:read_{name}", arguments, result)


BUILTIN = {
    row.name: row
    for row in (
        _pair("json"),
        _pair("not", result="bool"),
        _pair("one", result="any"),
        _pair("join"),
        _pair("comma"),
        _pair("prefix", 1),
        _pair("format", 1),
        _pair("word", 2),
        _pair("segment"),
        _pair("path"),
    )
}
