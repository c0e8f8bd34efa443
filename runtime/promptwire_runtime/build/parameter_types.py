"""Convert JSON Schema of parameters to names with Python types, for APIs that take these instead, and back."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .context import BuildContext

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "List",
    "object": "Dict",
}
_WORDS = {
    **{word: kind for kind, word in _TYPES.items()},
    "list": "array",
    "dict": "object",
}
# the key that holds the schema of the elements
_INSIDE = {"array": "items", "object": "additionalProperties"}
_MOST_LEVELS = 16
# keywords that can be dropped without loss to the model
_UNUSED = frozenset({"title", "default", "$schema", "$id", "$comment"})


def write_python_types(
    schema: Mapping[str, Any], tool: object, field: str, build: BuildContext
) -> dict[str, Any]:
    """Write each property of a schema as its description, Python type, and whether it is required.

    Keywords that this form cannot express are reported as lost.
    """
    writer = _DefinitionWriter(tool, field, build)
    properties, required = schema.get("properties", {}), schema.get("required", [])
    known = {"type", "properties", "required"}
    # this form never allows other parameters
    known |= {"additionalProperties"} if schema.get("additionalProperties") is False else set()
    writer.report("", schema, known)
    if schema.get("type", "object") != "object":
        writer.lost("type", "the parameters of a function must be an object")
    if not is_object(properties) or not is_list(required):
        writer.lost("properties", "properties must be an object of schemas, and required a list of names")
        return {}
    for name in required:
        if name not in properties:
            writer.lost("required", f"it names {name!r}, which is not a property")
    return {
        name: writer.definition(f"properties.{name}", inner, required=name in required)
        for name, inner in properties.items()
    }


class _DefinitionWriter:
    """Writes the definitions of one tool, and reports what they cannot express."""

    __slots__ = ("build", "field", "tool")

    def __init__(self, tool: object, field: str, build: BuildContext) -> None:
        self.tool = tool
        self.field = field
        self.build = build

    def definition(self, path: str, schema: Any, *, required: bool) -> dict[str, Any]:
        """Write one parameter."""
        if not is_object(schema):
            self.lost(path, "a parameter must be a schema with a type")
            return {}
        word = self._type(path, schema, ("description",))
        written = {"description": schema["description"]} if "description" in schema else {}
        if word is not None:
            written["type"] = word
        return {**written, "required": required}

    def _type(
        self, path: str, schema: Mapping[str, Any], known: Iterable[str], levels: int = _MOST_LEVELS
    ) -> str | None:
        """Return the Python type of a schema; None, with a report, if there is none."""
        kind: Any = schema.get("type")
        word = _TYPES.get(kind) if type(kind) is str else None
        key = _INSIDE.get(kind, "") if word is not None else ""
        inner: Any = schema.get(key, True)
        anything = inner is True or inner == {}
        typed = is_object(inner) and not anything and levels > 0
        self.report(path, schema, ["type", *known, *([key] if anything or typed else [])])
        if word is None:
            self._without_type(f"{path}.type", schema)
        if not typed:
            return word
        element = self._type(f"{path}.{key}", schema[key], (), levels - 1)
        return None if element is None else f"{word}[{'str, ' if kind == 'object' else ''}{element}]"

    def _without_type(self, path: str, schema: Mapping[str, Any]) -> None:
        words = ", ".join(_TYPES)
        if "type" in schema:
            self.lost(path, f"the type of a parameter must be one of {words}")
        else:
            why = f"{self.build.wire.title} requires one of the types {words}"
            self.build.report.missing(self.tool, f"{self.field}.{path}", why)

    def report(self, path: str, schema: Mapping[str, Any], known: Iterable[str]) -> None:
        """Report the keywords of a schema that this form cannot express."""
        for keyword in sorted(schema.keys() - set(known)):
            inner = f"{path}.{keyword}" if path else keyword
            if keyword in _UNUSED:
                self.build.report.unused(self.tool, f"{self.field}.{inner}")
            else:
                self.lost(
                    inner,
                    "this API knows only the description and type of a parameter; put it into the description",
                )

    def lost(self, path: str, why: str) -> None:
        """Report a keyword that this form cannot express."""
        self.build.report.lost(self.tool, f"{self.field}.{path}", why)


def read_python_types(value: Any) -> dict[str, Any] | None:
    """Read definitions in this form as JSON Schema; None if one of them has another form."""
    if not is_object(value):
        return None
    properties = {name: _schema_of(definition) for name, definition in value.items()}
    if None in properties.values():
        return None
    required = [name for name, definition in value.items() if definition.get("required")]
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _schema_of(definition: Any) -> dict[str, Any] | None:
    if not is_object(definition) or not definition.keys() <= {"type", "description", "required"}:
        return None
    schema, description = _read_type(definition.get("type")), definition.get("description")
    if schema is None or type(definition.get("required", False)) is not bool:
        return None
    if description is None:
        return schema
    return {**schema, "description": description} if type(description) is str else None


def _read_type(text: Any, levels: int = _MOST_LEVELS) -> dict[str, Any] | None:
    """Read a Python type: a name, or a list or mapping of one."""
    if type(text) is not str:
        return None
    if text in _WORDS:
        return {"type": _WORDS[text]}
    for start, kind, key in (("list[", "array", "items"), ("dict[str,", "object", "additionalProperties")):
        if text[: len(start)].lower() == start and text.endswith("]") and levels > 0:
            inner = _read_type(text[len(start) : -1].strip(), levels - 1)
            return None if inner is None else {"type": kind, key: inner}
    return None
