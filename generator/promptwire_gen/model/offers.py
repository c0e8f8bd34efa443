"""Tables of passes and JSON Schema dialects, which plugins extend.

Generated code imports and calls their functions (`package.module:function`) directly, so their module is runtime code:
it may import the standard library and the public names of `promptwire_runtime`, but not the compiler. The functions are
pure: they do not change their arguments, except that a dialect owns its copy of the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass as plain_dataclass, field

from pydantic.dataclasses import dataclass

from .plugin_values import CONFIG, Function, Line, Name


@dataclass(frozen=True, slots=True, config=CONFIG)
class Pass:
    """A step over a request before it is written. A spec enables it by its name in `passes`.

    Attributes:
        function: Takes a Request and its BuildContext and returns a Request: the same, or a changed copy. None for
            built-in steps, which are part of the message loop.
        title: A description in one line.

    Do not repair messages whose `provenance.wire` is `build.wire.name`: the API has accepted them as they are.
    `build.note(action, node, field, why)` adds a note; `build.lost(node, field, why)` and `build.refused(field,
    value, why, node)` report values that cannot be sent, as an error or according to the policies. After
    `build.copied(node, [copy])`, notes give the place of the original for a copy.
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
    )
}


@plain_dataclass(frozen=True, slots=True)
class Offers:
    """The passes and dialects that specs can enable by name."""

    passes: Mapping[str, Pass] = field(default_factory=lambda: BUILTIN_PASSES)
    dialects: Mapping[str, SchemaDialect] = field(default_factory=dict[str, SchemaDialect])


BUILTIN_OFFERS = Offers()
