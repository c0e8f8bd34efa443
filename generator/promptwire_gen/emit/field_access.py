"""Access to the value of a hole in generated code, and its conversion to and from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from ..model.filters import ShapeFilter
from ..model.neutral import DOTTED, OPTIONS, REQUEST, Kind, NeutralField
from ..model.offers import SchemaDialect
from ..spec.shapes import Hole
from .conditions import both, conditional, contains, equals, has_type, is_given, is_one_of
from .imports import DIALECT, function_name
from .python import Expression, at, attribute, bound, call, interpolation, item, literal, name

_JSON = NeutralField("json")
_UNION_TYPES = {"tool_choice", "response_format", "reasoning"}
# neutral types that are copied into a body -> the function that copies them
_COPIED = {"strings": "list", "text_object": "dict", "number_object": "dict"}


@dataclass(slots=True)
class FieldAccess:
    """The holes of one node: `subject` is its variable, `kind` its kind; `kind` is None for the request."""

    subject: str
    kind: Kind | None
    filters: Mapping[str, ShapeFilter]
    content: str = "tool"
    collapses: bool = False
    marks: bool = False
    keyed: bool = False
    called: bool = False
    dialect: SchemaDialect | None = None

    @classmethod
    def like(cls, access: FieldAccess) -> Self:
        """Return the same place; a subclass finds some values elsewhere."""
        return cls(**{field.name: getattr(access, field.name) for field in fields(FieldAccess)})

    def value(self, hole: Hole) -> Expression:
        """Return the neutral value as an expression."""
        head = hole.path[0]
        if head == "vendor":
            return item(name("vendor"), hole.path[1])
        if head == "settings":
            return call("build.body_setting", literal(hole.path[1]))
        if self.kind is not None:
            value = attribute(name(self.subject), "parts" if head == "content" else head)
            if self.called and head == "name":
                return name("name")
            if self.keyed and head == "content" and hole.listed:
                return call("unkeyed", value)
            return value
        if head in DOTTED:
            return attribute(name(head), hole.path[1]) if len(hole.path) == 2 else name(head)
        return attribute(name("options" if head in OPTIONS else "request"), head)

    def type_of(self, hole: Hole) -> str:
        """Return the neutral type."""
        return self._field_of(hole).type

    def least(self, hole: Hole) -> int | None:
        """Return the least value that the neutral field may have."""
        return self._field_of(hole).least

    def _field_of(self, hole: Hole) -> NeutralField:
        head = hole.path[0]
        if head in ("vendor", "settings"):
            return _JSON
        if self.kind is not None:
            return self.kind.fields[head]
        if head in DOTTED and len(hole.path) == 2:
            return DOTTED[head].fields[hole.path[1]]
        return OPTIONS.get(head) or REQUEST[head]

    def guarded(self, value: Expression, hole: Hole) -> Expression:
        """Return the test whether the guard of a hole accepts a value: a word, a pattern, or an object."""
        guard = hole.guard or "*"
        if hole.wants_object and self.type_of(hole) == "json":
            return call("is_mapping", value)
        if "*" not in guard:
            return is_one_of(value, [literal(word) for word in guard.split("|")])
        return call("fits", value, literal(guard))

    def given(self, hole: Hole, *, required: bool = False) -> Expression | None:
        """Return the test whether the value is there; None when it always is."""
        head = hole.path[0]
        if head == "vendor":
            return contains(hole.path[1], name("vendor"))
        if self.kind is not None and self.kind.fields[head].always:
            listed = self.type_of(hole) in ("parts", "tools")
            return self.value(hole) if listed and not required else None
        if self.kind is None and len(hole.path) == 1:
            if head in ("tools", "messages", "instructions"):
                return self.value(hole)
            if head in ("tool_choice", "reasoning"):
                return is_given(attribute(name(head), "mode" if head == "tool_choice" else "kind"))
        return is_given(self.value(hole))

    def field(self, hole: Hole) -> Expression:
        """Return the name of a hole's field, as a caller finds it in the request."""
        if hole.path[0] != "vendor":
            return literal(hole.name)
        wire = attribute(attribute(name("build"), "wire"), "name")
        return interpolation(["vendor.", "." + ".".join(hole.path[1:])], [wire])

    def written(self, hole: Hole) -> Expression:
        """Return the JSON value."""
        value = self.value(hole)
        kind = self.type_of(hole)
        if self.dialect is not None and hole.path == ("parameters",):
            dialect = literal(self.dialect.name)
            value = call("adapted", name(self.subject), dialect, name(DIALECT), name("build"))
        if kind == "tools":
            value = call("build.writers.tools", value, name("build"))
        if kind == "parts" and not is_keyed(hole):
            return self._content(hole, value)
        if hole.filters:
            return self._filtered(hole, value)
        if hole.path[0] == "vendor":
            return call("own_json", value)
        if kind in _COPIED:
            return call(_COPIED[kind], value)
        if kind == "cache":
            return call("build.writers.cache", call("build.mark", name(self.subject)), name("build"))
        if kind == "arguments":
            return conditional(has_type(value, "str"), call("write_object", value), value)
        if kind in _UNION_TYPES:
            return call(f"build.writers.{kind}", value, name("build"))
        return value

    def _filtered(self, hole: Hole, value: Expression) -> Expression:
        """Return the JSON value that the hole's filters make."""
        for used in hole.filters:
            row = self.filters[used.name]
            if row.writes is None:
                continue
            if is_keyed(hole):
                writes = function_name(row.writes)
                return call(writes, name(self.subject), name("build"), *map(literal, used.arguments))
            arguments: list[Expression] = [value, *map(literal, used.arguments)]
            if row.reports:
                arguments += [name(self.subject), self.field(hole), name("build")]
            value = call(function_name(row.writes), *arguments)
        return value

    def _content(self, hole: Hole, value: Expression) -> Expression:
        """Return the content of a part: a list, or text where it is plain or joined."""
        content: Expression = call(
            "write_contents", literal(self.content), value, name("build"), literal(not hole.listed)
        )
        if hole.filters:
            content = call("joined_text", content)
        return content if hole.listed or not self.collapses else _short_text(value, content)


def is_keyed(hole: Hole) -> bool:
    """Return whether a hole writes the content of a tool result as an object."""
    return any(used.name == "keyed" for used in hole.filters)


def _short_text(parts: Expression, otherwise: Expression) -> Expression:
    """`first.text` when one plain text is all there is."""
    first = name("first")
    single = equals(call("len", bound("parts", parts)), literal(1))
    is_text = has_type(bound("first", at(name("parts"), 0)), "Text")
    test = both(single, is_text, attribute(first, "is_plain"))
    return conditional(test, attribute(first, "text"), otherwise)


JSON_TYPES = {
    "str": ("str",),
    "int": ("int",),
    "number": ("int", "float"),
    "bool": ("bool",),
    "strings": ("list",),
    "object": ("dict",),
    "text_object": ("dict",),
    "number_object": ("dict",),
    "arguments": ("dict",),
    "cache": ("dict",),
    "tools": ("list",),
}
