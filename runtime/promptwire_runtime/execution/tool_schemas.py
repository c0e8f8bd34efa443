"""Tools as a caller has them, a JSON array of schemas: as they are for one wire, or as tools of any API."""

from __future__ import annotations

from typing import Any

from ..loading.problems import Path, Problems
from ..loading.value_readers import Entry, make, read_fields
from ..model.parts import Opaque
from ..model.tools import AnyTool, CustomTool, HostedTool, Tool
from ..reporting.notes import Note
from ..wire_json.kinds import is_object
from .json_lists import read_objects, unknown_key
from .policies import ExecutionPolicies

_NAME = "tools_json"
# key of a schema -> field of the tool
_FUNCTION = {
    "name": "name",
    "description": "description",
    "parameters": "parameters",
    "input_schema": "parameters",
    "strict": "strict",
}
_CUSTOM = {"name": "name", "description": "description", "format": "format"}


def read_tools(text: str, policies: ExecutionPolicies, notes: list[Note]) -> tuple[AnyTool, ...]:
    """Read a JSON array of tools; raises LoadError where policies say so."""

    def raw(item: dict[str, Any], *_: object) -> AnyTool:
        return Opaque(policies.raw_wire, item, "tools")

    def neutral(item: dict[str, Any], path: Path, problems: Problems) -> AnyTool | None:
        return _neutral(item, path, problems, notes)

    return tuple(
        read_objects(_NAME, text, raw if policies.tool_schemas == "raw" else neutral, policies, notes)
    )


def name_of(tool: AnyTool) -> str | None:
    """Return the name by which a tool is chosen."""
    if not isinstance(tool, Opaque):
        return tool.name
    inner: Any = tool.value.get("function")
    name = inner.get("name") if is_object(inner) else tool.value.get("name")
    return name if isinstance(name, str) else None


def _neutral(item: dict[str, Any], path: Path, problems: Problems, notes: list[Note]) -> AnyTool | None:
    """Read the form of OpenAI Chat (nested), of OpenAI Responses (flat), or of Anthropic (`input_schema`)."""
    kind, inner = item.get("type"), item.get("function")
    if kind == "custom" and "input_schema" not in item:
        return _of_schemas(CustomTool, [(item, path)], _CUSTOM, problems, notes)
    if kind not in ("function", "custom", None):
        config = {key: value for key, value in item.items() if key not in ("type", "name")}
        return make(HostedTool, {"type": kind, "name": item.get("name"), "config": config}, path, problems)
    inside = [(inner, (*path, "function"))] if is_object(inner) else []
    return _of_schemas(Tool, [(item, path), *inside], _FUNCTION, problems, notes)


def _of_schemas(
    cls: type[Tool | CustomTool],
    schemas: list[tuple[dict[str, Any], Path]],
    names: dict[str, str],
    problems: Problems,
    notes: list[Note],
) -> AnyTool | None:
    """Build a tool of an object and the one inside it; the keys of either that no tool has are noted."""
    outer, path = schemas[0]
    rows = [
        (key, value, (*place, key))
        for schema, place in schemas
        for key, value in schema.items()
        if not (schema is outer and key in ("type", "function"))
    ]
    entries = [Entry(names[key], value, place) for key, value, place in rows if key in names]
    tool = read_fields(cls, entries, path, problems)
    if tool is not None:
        notes += [unknown_key(_NAME, place) for key, _, place in rows if key not in names]
    return tool
