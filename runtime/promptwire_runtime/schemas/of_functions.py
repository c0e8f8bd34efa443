"""A plain function as a tool: its name, what its docstring says, JSON Schema of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, getdoc, signature
from typing import Any, get_type_hints

from ..errors import InvalidRequest
from .docstrings import Described, described
from .of_types import JsonSchema, NotPlain, by_pydantic, plain_schema

_NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def tool_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Give name, description and parameters of the tool that a function is.

    Raises InvalidRequest for a function that cannot be called by the names of its parameters.
    """
    if isinstance(function, type):
        name = function.__name__
        raise InvalidRequest(
            f"{name} is a class: a tool is a function, or Tool(..., parameters={name})", field="tools"
        )
    name = getattr(function, "__name__", "<lambda>")
    if name == "<lambda>":
        kind = "a lambda" if hasattr(function, "__name__") else f"a {type(function).__name__}"
        raise InvalidRequest(f"a tool is called by its name: {kind} has none", field="tools")
    says = described(getdoc(function) or "")
    return {"name": name, "description": says.text or None, "parameters": _parameters(function, name, says)}


def _parameters(function: Callable[..., Any], name: str, says: Described) -> JsonSchema:
    try:
        rows: Mapping[str, Parameter] = signature(function).parameters
        hints = get_type_hints(function, include_extras=True)
    except (TypeError, ValueError, NameError) as error:
        raise InvalidRequest(f"{name}: its parameters are not known: {error}", field="tools") from None
    for row in rows.values():
        if row.kind not in _NAMED:
            shown = str(row).partition(":")[0]
            trouble = f"{name}: a model gives arguments by name, which {shown} does not take"
            raise InvalidRequest(f"{trouble}: give Tool({name!r}, ..., parameters=...)", field="tools")
    schema: JsonSchema = {"type": "object", "properties": {}, "required": []}
    for key, row in rows.items():
        try:
            place = plain_schema(hints.get(key, Any))
        except NotPlain as odd:
            schema = by_pydantic(function, f"{name}: no JSON Schema is known of {key}: {odd}")
            break
        if row.default is Parameter.empty:
            schema["required"].append(key)
        elif _is_plain(row.default):
            place["default"] = row.default
        schema["properties"][key] = place
    return _with_texts(schema, says.parameters)


def _with_texts(schema: JsonSchema, texts: Mapping[str, str]) -> JsonSchema:
    """Add what the docstring says of each parameter: it is nearer than what its class says of itself."""
    for key, place in schema.get("properties", {}).items():
        if key in texts:
            place["description"] = texts[key]
    return schema


def _is_plain(value: object) -> bool:
    return value is None or type(value) in (str, int, float, bool)
