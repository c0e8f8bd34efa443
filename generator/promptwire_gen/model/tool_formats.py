"""The tool formats that several APIs share: where each writes the name and the parameters of a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ..spec.shapes import ConstantShape, Hole, Object, Shape

Form: TypeAlias = "Mapping[str, Form] | str"

# format -> the keys of a function tool; $NAME is a field of the tool, any other text a constant
TOOL_FORMATS: dict[str, dict[str, Any]] = {
    "openai": {"type": "function", "function": {"name": "$name", "parameters": "$parameters"}},
    "openai_responses": {"type": "function", "name": "$name", "parameters": "$parameters"},
    "anthropic": {"name": "$name", "input_schema": "$parameters"},
    "gemini": {"name": "$name", "parametersJsonSchema": "$parameters"},
    "bedrock": {"toolSpec": {"name": "$name", "inputSchema": {"json": "$parameters"}}},
}


def find_difference(form: Form, shape: Shape, where: tuple[str, ...] = ()) -> str | None:
    """Return how a shape differs from the form of a format, as `function.parameters is missing`; None if it does not.

    Keys that the form does not name, such as a description, may stand in the shape.
    """
    if isinstance(form, str):
        return None if _shown(shape) == form else f"{'.'.join(where)} is not {form}"
    if not isinstance(shape, Object):
        return f"{'.'.join(where) or 'the tool'} is no object"
    entries = {key: entry for entry in shape.fields for key in entry.spellings}
    for key, inner in form.items():
        path = (*where, key)
        if key not in entries:
            return f"{'.'.join(path)} is missing"
        difference = find_difference(inner, entries[key].shape, path)
        if difference is not None:
            return difference
    return None


def format_of(shape: Shape) -> str | None:
    """Return the known format of a shape; None if it has a form of its own."""
    return next((name for name, form in TOOL_FORMATS.items() if find_difference(form, shape) is None), None)


def describe_form(form: Form) -> str:
    """Return a form as it is written in a spec: `{type: function, name: $name}`."""
    if isinstance(form, str):
        return form
    return "{" + ", ".join([f"{key}: {describe_form(inner)}" for key, inner in form.items()]) + "}"


def _shown(shape: Shape) -> str | None:
    if isinstance(shape, Hole):
        return f"${'.'.join(shape.path)}"
    return str(shape.value) if isinstance(shape, ConstantShape) else None
