"""Tables of the passes, JSON Schema dialects and filters of shapes that specs may name; plugins extend them.

Generated code imports and calls their functions (`package.module:function`) directly, so their module is runtime code:
it may import the standard library and the public names of `promptwire_runtime`, but not the compiler. The functions are
pure: they do not change their arguments, except that a dialect owns its copy of the schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass as plain_dataclass, field
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, ConfigDict, NonNegativeInt
from pydantic.dataclasses import dataclass

from ..layout import MODEL, is_plain

# no value is converted, and functions are kept as they are
CONFIG = ConfigDict(strict=True, arbitrary_types_allowed=True)


def _match_any(fits: Callable[[str], Any], words: str) -> AfterValidator:
    def check(value: str) -> str:
        if not fits(value):
            raise ValueError(f"expected {words}")
        return value

    return AfterValidator(check)


def _is_inside(path: str) -> bool:
    """Return whether a path is one of the output folder, or of the runtime's model package."""
    return is_plain(path.removeprefix(MODEL))


Name: TypeAlias = Annotated[str, _match_any(re.compile("[a-z][a-z0-9_]*").fullmatch, "one lower-case word")]
Word: TypeAlias = Annotated[str, _match_any(re.compile("[a-z_]+").fullmatch, "a word of a to z and _")]
Line: TypeAlias = Annotated[str, _match_any(lambda text: text and text.isprintable(), "one line of text")]
Function: TypeAlias = Annotated[
    str,
    _match_any(
        re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII).fullmatch,
        "package.module:function",
    ),
]
FilePath: TypeAlias = Annotated[
    str, _match_any(_is_inside, "a path below the output folder with forward slashes, as words/all.txt")
]


@dataclass(frozen=True, slots=True, config=CONFIG)
class Pass:
    """A step over a request before it is written. A spec enables it by its name in `passes`.

    Attributes:
        function: Takes a Request and the Report of its build and returns a Request: the same, or a changed copy. None
            for built-in steps, which are part of the message loop.
        title: A description in one line.

    Do not repair messages whose `provenance.wire` is `report.wire.name`: the API has accepted them as they are.
    `report.note(action, node, field, why)` adds a note; `report.lost(node, field, why)` and
    `report.refused(field, value, why, node)` report values that cannot be sent, as an error or according to the
    policies. After `report.copied(node, [copy])`, notes give the place of the original for a copy.
    """

    name: Name
    function: Function | None
    title: Line


@dataclass(frozen=True, slots=True, config=CONFIG)
class SchemaDialect:
    """A dialect of JSON Schema. A spec names it in `tools`, for the parameters of every function tool.

    Attributes:
        function: Takes a copy of a schema; returns the schema for the API and the edits: pairs of a place in it
            (`properties.city.format`) and a reason, each of which becomes a note.
        title: A description of the supported schemas in one line.

    It is called once for each distinct schema and wire. A schema that fits is returned without edits.
    """

    name: Name
    function: Function
    title: Line


BUILTIN_PASSES = {
    row.name: row
    for row in (
        Pass("merge_neighbours", None, "consecutive messages of one role of the wire become one"),
        Pass("merge_speakers", None, "consecutive messages of one neutral role become one, results apart"),
        Pass("drop_blank_text", None, "text of messages that is nothing but white space is left out"),
        Pass(
            "pair_tools", None, "a call without a result behind it, or a result without its call, is refused"
        ),
        Pass("pair_tools_at_once", None, "as pair_tools, and the result stands in the very next turn"),
        Pass(
            "join_system_texts",
            "promptwire_runtime.passes.system_texts:join_system_texts",
            "several texts of a system or developer message become one",
        ),
    )
}


@plain_dataclass(frozen=True, slots=True)
class Offers:
    """The passes and dialects that specs can enable by name."""

    passes: Mapping[str, Pass] = field(default_factory=lambda: BUILTIN_PASSES)
    dialects: Mapping[str, SchemaDialect] = field(default_factory=dict[str, SchemaDialect])


BUILTIN_OFFERS = Offers()


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
_RESULTS = "promptwire_runtime.build.contents"


def _pair(name: str, arguments: int = 0, result: str = "str", takes: str = "") -> ShapeFilter:
    writes, reads = f"{_RUNTIME}:write_{name}", f"{_RUNTIME}:read_{name}"
    return ShapeFilter(name, writes, reads, arguments, result, takes=frozenset(takes.split()))


BUILTIN_FILTERS = {
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
            f"{_RUNTIME}:write_alnum",
            f"{_RUNTIME}:read_alnum",
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
