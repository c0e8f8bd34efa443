"""Describe a plain function as a tool: name, description and JSON Schema of the parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import Parameter, getdoc, signature
from typing import Any, NamedTuple, get_type_hints

from ..errors import InvalidRequest
from .of_types import JsonSchema, NotPlain, by_pydantic, plain_schema

MARKS = "__promptwire_tool__"
"""The attribute of a function that holds what `@tool` said of it: a `FunctionMarks`."""

_NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
_SECTION = re.compile(
    r"(args|arguments|parameters|params|returns?|yields?|raises|examples?|notes?|attributes):?\s*",
    re.IGNORECASE,
)
_PARAMETERS = ("args", "arguments", "parameters", "params")
_GOOGLE = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_NUMPY = re.compile(r"\*{0,2}(\w+)\s*(?::.*)?")
_FIELD = re.compile(r":(\w+)(?:\s+([^:]*))?:\s*(.*)")


class ParsedDocstring(NamedTuple):
    """The text of a docstring without its sections, and the description of each parameter."""

    text: str
    parameters: dict[str, str]


def tool_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return name, description and parameters of the tool for a function, by what `@tool` stored on it.

    Raises:
        InvalidRequest: the function has no name, or has parameters that cannot be passed by name.
    """
    if isinstance(function, type):
        kind = function.__name__
        raise InvalidRequest(
            f"{kind} is a class; pass a function, or Tool(..., parameters={kind})", field="tools"
        )
    marks: Any = getattr(function, MARKS, None)
    name = str(getattr(marks, "name", None) or getattr(function, "__name__", "<lambda>"))
    if name == "<lambda>":
        kind = "a lambda" if hasattr(function, "__name__") else f"a {type(function).__name__}"
        raise InvalidRequest(f"a tool needs a name, but {kind} has none; use Tool(name, ...)", field="tools")
    docs = parse_docstring(getdoc(function) or "")
    text: str | None = getattr(marks, "description", None) or docs.text or None
    return {"name": name, "description": text, "parameters": _parameters(function, name, docs)}


def _parameters(function: Callable[..., Any], name: str, docs: ParsedDocstring) -> JsonSchema:
    try:
        rows: Mapping[str, Parameter] = signature(function).parameters
        hints = get_type_hints(function, include_extras=True)
    except (TypeError, ValueError, NameError) as error:
        raise InvalidRequest(f"{name}: its parameters cannot be inspected: {error}", field="tools") from None
    for row in rows.values():
        if row.kind not in _NAMED:
            shown = str(row).partition(":")[0]
            problem = f"{name}: models pass arguments by name, which {shown} does not accept"
            raise InvalidRequest(f"{problem}; use Tool({name!r}, ..., parameters=...)", field="tools")
    schema: JsonSchema = {"type": "object", "properties": {}, "required": []}
    for key, row in rows.items():
        try:
            place = plain_schema(hints.get(key, Any))
        except NotPlain as odd:
            schema = by_pydantic(function, f"{name}: no JSON Schema is known for {key}: {odd}")
            break
        if row.default is Parameter.empty:
            schema["required"].append(key)
        elif _is_plain(row.default):
            place["default"] = row.default
        schema["properties"][key] = place
    return _with_texts(schema, docs.parameters)


def _with_texts(schema: JsonSchema, texts: Mapping[str, str]) -> JsonSchema:
    """Add the descriptions from the docstring. They replace those from the classes of parameters."""
    for key, place in schema.get("properties", {}).items():
        if key in texts:
            place["description"] = texts[key]
    return schema


def _is_plain(value: object) -> bool:
    return value is None or type(value) in (str, int, float, bool)


def parse_docstring(docstring: str) -> ParsedDocstring:
    """Parse a docstring in the style of Google, NumPy or reStructuredText, after `inspect.cleandoc`."""
    text: list[str] = []
    parameters: dict[str, str] = {}
    lines = docstring.splitlines()
    place = 0
    while place < len(lines):
        line = lines[place]
        field = _FIELD.fullmatch(line)
        if field is not None:
            words = (field[2] or "").split()
            if field[1] in ("param", "parameter", "arg") and words:
                place = _row(lines, place + 1, words[-1], field[3], parameters)
                continue
            place = _skip(lines, place + 1)
        elif _is_head(lines, place):
            place = _section(lines, place, parameters)
        else:
            text.append(line)
            place += 1
    return ParsedDocstring("\n".join(text).strip(), parameters)


def _is_head(lines: list[str], place: int) -> bool:
    """Return whether a section starts here: with a colon in Google style, underlined in NumPy style."""
    line = lines[place]
    return _SECTION.fullmatch(line) is not None and (line.rstrip().endswith(":") or _underlined(lines, place))


def _underlined(lines: list[str], place: int) -> bool:
    return place + 1 < len(lines) and re.fullmatch(r"-{3,}\s*", lines[place + 1]) is not None


def _section(lines: list[str], place: int, parameters: dict[str, str]) -> int:
    """Read one section, and return the index of the line after it."""
    wanted = lines[place].strip().rstrip(":").lower() in _PARAMETERS
    numpy = _underlined(lines, place)
    place += 2 if numpy else 1
    indent = None
    while place < len(lines):
        line = lines[place]
        depth = len(line) - len(line.lstrip())
        if line.strip() and ((numpy and _is_head(lines, place)) or (not numpy and depth == 0)):
            return place
        indent = depth if indent is None and line.strip() else indent
        row = (_NUMPY if numpy else _GOOGLE).fullmatch(line.strip()) if depth == indent else None
        if row is not None and line.strip() and wanted:
            place = _row(lines, place + 1, row[1], "" if numpy else row[2], parameters)
        else:
            place += 1
    return place


def _row(lines: list[str], place: int, name: str, text: str, parameters: dict[str, str]) -> int:
    """Read the description of one parameter with its indented lines, and return the index of the next line."""
    depth = len(lines[place - 1]) - len(lines[place - 1].lstrip())
    pieces = [text]
    while place < len(lines) and (not lines[place].strip() or _depth(lines[place]) > depth):
        pieces.append(lines[place].strip())
        place += 1
    parameters[name] = " ".join(filter(None, pieces))
    return place


def _skip(lines: list[str], place: int) -> int:
    while place < len(lines) and lines[place].strip() and _depth(lines[place]) > 0:
        place += 1
    return place


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
