"""JSON Schema for annotations: plain ones directly, all others with pydantic if it is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import partial
from inspect import Parameter, cleandoc, getdoc, isroutine, signature
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from ..errors import InvalidRequest
from ..wire_json.kinds import class_of, is_list, is_object

JsonSchema = dict[str, Any]
_PLAIN: Mapping[Any, JsonSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    None: {"type": "null"},
    NoneType: {"type": "null"},
    list: {"type": "array"},
    dict: {"type": "object"},
    Any: {},
    object: {},
}
_LISTS = (list, Sequence, set, frozenset)
# keywords whose value is a schema or a list of schemas, and those whose value maps names to schemas
_WITH_SCHEMAS = ("items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties")
_WITH_NAMED_SCHEMAS = ("properties", "$defs", "definitions")


class NotPlain(Exception):
    """An annotation is not plain, so only a library can describe it."""

    def __init__(self, hint: Any) -> None:
        super().__init__(name_of(hint))


def name_of(hint: Any) -> str:
    """Return an annotation as it is written in code."""
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def schema_of_class(kind: type) -> JsonSchema:
    """Return the JSON Schema of a pydantic model, a TypedDict, a dataclass or any other class.

    Raises:
        InvalidRequest: no JSON Schema is known for the class.
    """
    own = getattr(kind, "model_json_schema", None)
    if own is not None:
        schema: JsonSchema = own()
        return schema
    try:
        return plain_schema(kind)
    except NotPlain as odd:
        return by_pydantic(kind, f"{kind.__name__}: no JSON Schema is known for {odd}")


def by_pydantic(kind: Any, problem: str) -> JsonSchema:
    """Return the JSON Schema from pydantic. Raises InvalidRequest if it is missing or cannot describe the type."""
    try:
        from pydantic import PydanticUserError, TypeAdapter
    except ImportError:
        raise InvalidRequest(f"{problem}; install pydantic, or pass a schema") from None
    try:
        schema: JsonSchema = TypeAdapter(kind).json_schema()
    except (PydanticUserError, NameError, RecursionError) as error:
        raise InvalidRequest(f"{problem}: {str(error).splitlines()[0]}") from None
    return schema


def plain_schema(hint: Any, within: tuple[Any, ...] = ()) -> JsonSchema:
    """Return the JSON Schema of an annotation. `within` are the classes that contain it. Raises NotPlain."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is None:
        return _of_class(hint, within)
    if origin is Annotated:
        return _annotated(inner[0], inner[1:], within)
    if origin is Literal:
        return _words(inner)
    if origin in (Union, UnionType):
        return {"anyOf": [plain_schema(member, within) for member in inner]}
    if origin in _LISTS:
        unique = {"uniqueItems": True} if origin in (set, frozenset) else {}
        return {"type": "array", "items": plain_schema(inner[0], within), **unique}
    if origin is tuple:
        return _tuple(inner, within)
    if origin in (dict, Mapping) and inner[0] is str:
        return {"type": "object", "additionalProperties": plain_schema(inner[1], within)}
    raise NotPlain(hint)


def _annotated(hint: Any, notes: tuple[Any, ...], within: tuple[Any, ...]) -> JsonSchema:
    """Return the schema with the texts of `Annotated` as description. Raises NotPlain for other metadata."""
    if not all(isinstance(note, str) for note in notes):
        raise NotPlain(Annotated[hint, *notes])
    return {**plain_schema(hint, within), "description": " ".join(notes)}


def _words(values: tuple[Any, ...]) -> JsonSchema:
    """Return the schema of a literal or enum, with the type of the values if they have one."""
    kinds: set[type[Any]] = {class_of(value) for value in values}
    if not kinds <= _PLAIN.keys():
        raise NotPlain(Literal[values])
    return {**(_PLAIN[kinds.pop()] if len(kinds) == 1 else {}), "enum": list(values)}


def _tuple(inner: tuple[Any, ...], within: tuple[Any, ...]) -> JsonSchema:
    if inner[1:] == (...,):
        return {"type": "array", "items": plain_schema(inner[0], within)}
    places = [plain_schema(place, within) for place in inner]
    return {"type": "array", "prefixItems": places, "minItems": len(places), "maxItems": len(places)}


def _of_class(kind: Any, within: tuple[Any, ...]) -> JsonSchema:
    try:
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
    except TypeError:
        raise NotPlain(kind) from None
    if not isinstance(kind, type) or kind in within:
        raise NotPlain(kind)
    if issubclass(kind, Enum):
        return _words(tuple(member.value for member in kind))
    declared = cast("type[Any]", kind)
    rows = members(declared)
    if rows is None:
        raise NotPlain(kind)
    below = (*within, declared)
    schema: JsonSchema = {
        "type": "object",
        "properties": {name: plain_schema(hint, below) for name, (hint, _) in rows.items()},
        "required": [name for name, (_, required) in rows.items() if required],
    }
    # the docstring of a dataclass without one is its signature
    text = kind.__doc__ if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(") else None
    return {**schema, "description": cleandoc(text)} if text else schema


def members(kind: type) -> dict[str, tuple[Any, bool]] | None:
    """Return member -> annotation and whether it is required, for a TypedDict or dataclass; None for other classes."""
    if is_typeddict(kind):
        required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
        hints = get_type_hints(kind, include_extras=True)
        return {name: _presence(hint, required=name in required) for name, hint in hints.items()}
    if not is_dataclass(kind):
        return None
    hints = get_type_hints(kind, include_extras=True)
    taken = [field for field in fields(kind) if field.init]
    return {
        field.name: (hints[field.name], field.default is MISSING and field.default_factory is MISSING)
        for field in taken
    }


def _presence(hint: Any, *, required: bool) -> tuple[Any, bool]:
    """Return the annotation of a TypedDict member without Required and NotRequired, and whether it is required."""
    while get_origin(hint) in (Required, NotRequired):
        required = get_origin(hint) is Required
        hint = get_args(hint)[0]
    return hint, required


def close_schema(schema: Any, *, requires_all: bool) -> Any:
    """Return a copy of a schema with `additionalProperties: false` in every object that does not have the keyword.

    Args:
        schema: JSON Schema.
        requires_all: Whether to require every declared key, as strict schemas must, also keys with a default.
    """
    if is_list(schema):
        return [close_schema(member, requires_all=requires_all) for member in schema]
    if not is_object(schema):
        return schema
    changed = {
        key: close_schema(schema[key], requires_all=requires_all) for key in _WITH_SCHEMAS if key in schema
    }
    for key in _WITH_NAMED_SCHEMAS:
        named = cast("Mapping[str, Any]", schema.get(key, {}))
        if named:
            changed[key] = {
                name: close_schema(inner, requires_all=requires_all) for name, inner in named.items()
            }
    if "properties" in schema:
        changed.setdefault("additionalProperties", False)
        if requires_all:
            changed["required"] = [*schema["properties"]]
    return schema | changed


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


def inner_function(function: Any) -> Any:
    """Return the function inside of partial functions, and of an object that is called the method `__call__`."""
    while isinstance(function, partial):
        function = function.func
    return function if isroutine(function) or isinstance(function, type) else function.__call__


def tool_of(function: Callable[..., Any], name: str | None = None) -> dict[str, Any]:
    """Return name, description and parameters of the tool for a function, by what `@tool` stored on it.

    Args:
        function: A function, or an object that is called as one.
        name: The name; by default that of the function.

    Raises:
        InvalidRequest: the function has no name, or has parameters that cannot be passed by name.
    """
    if isinstance(function, type):
        kind = function.__name__
        raise InvalidRequest(
            f"{kind} is a class; pass a function, or Tool(..., parameters={kind})", field="tools"
        )
    inner = inner_function(function)
    marks: Any = getattr(function, MARKS, None) or getattr(inner, MARKS, None)
    name = name or str(getattr(marks, "name", None) or getattr(function, "__name__", "<lambda>"))
    if name == "<lambda>":
        kind = "a lambda" if hasattr(function, "__name__") else f"a {type(function).__name__}"
        raise InvalidRequest(f"a tool needs a name, but {kind} has none; use Tool(name, ...)", field="tools")
    docs = parse_docstring(getdoc(inner) or "")
    text: str | None = getattr(marks, "description", None) or docs.text or None
    return {"name": name, "description": text, "parameters": _parameters(function, name, docs)}


def _parameters(function: Callable[..., Any], name: str, docs: ParsedDocstring) -> JsonSchema:
    try:
        rows: Mapping[str, Parameter] = signature(function).parameters
        hints = get_type_hints(inner_function(function), include_extras=True)
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
