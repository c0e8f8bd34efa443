"""The tables of passes and of JSON Schema dialects, to which plugins add rows.

Generated code imports their functions (`package.module:function`) and calls them straight. So their module is runtime
code: it imports the standard library and the public names of `promptwire_runtime`, never the compiler. They are pure:
same input, same output, and nothing that they are given is changed, a dialect's own copy of the schema aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Pass:
    """One step over a request before it is written; a spec switches it on by its name in `passes`.

    function  called with a Request and its BuildContext, gives a Request: the same, or a copy with what is different;
              None for the built-in steps, which are part of the loop over the messages
    title     what it does, in one line

    What was read from the very wire was accepted as it is: a message whose `provenance.wire` is `build.wire.name` is
    not repaired. `build.note(action, node, field, why)` leaves a note; `build.lost(node, field, why)` and
    `build.refused(field, value, why, node)` report what cannot be sent, as an error or as the policies say. After
    `build.copied(node, [copy])`, notes name a copy by the place of its original.
    """

    name: str
    function: str | None
    title: str


@dataclass(frozen=True, slots=True)
class SchemaDialect:
    """One dialect of JSON Schema; a spec names it in `tools`, for the parameters of every function tool.

    function  called with a copy of a schema, gives the schema as the API takes it, and its edits: pairs of where in the
              schema (`properties.city.format`) and why, each of which becomes a note
    title     what it leaves, in one line

    It is called once for each schema and wire, as long as the schema says the same. What fits comes back without edits.
    """

    name: str
    function: str
    title: str


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


@dataclass(frozen=True, slots=True)
class Offers:
    """What specs may switch on by name."""

    passes: Mapping[str, Pass] = field(default_factory=lambda: BUILTIN_PASSES)
    dialects: Mapping[str, SchemaDialect] = field(default_factory=dict[str, SchemaDialect])


BUILTIN_OFFERS = Offers()
