"""Repairs of schemas and response formats: adapt them to the API, enforce them less, or ask for them in words."""

from __future__ import annotations

from collections.abc import Mapping

from ..build.adapted_schemas import adapted_request, is_about_schemas, translated_schema
from ..build.shape_filters import write_json
from ..errors import NoPlace
from ..model.options import ResponseFormat
from ..model.tools import Tool
from ..nodes.records import replace
from ..rules.held_parts import with_grouped
from ..rules.schemas import facts_of
from ..schemas.adapting import AdaptedSchema, adapt
from ..schemas.combining import constants_of, properties_of, type_of_constant
from ..schemas.correcting import describe_rest
from ..schemas.of_types import JsonSchema
from ..typed import TYPE_CHECKING, Any
from ..wire_json.kinds import is_list, is_mapping
from .changes import EditLog
from .registry import repair
from .turns import with_layer

if TYPE_CHECKING:
    from ..model.request import Request
    from .edits import RepairContext

# the policies `schemas` under which only losses are allowed that `adapt` allows
_NOT_ADAPTED = ("keep", "lossless")
_IMPLIED = "response_format.strict"


@repair("schemas", off="keep", refused="strict_schemas* tools.parameters*", rank=10)
def adapt_schemas(request: Request, log: EditLog) -> Request:
    """Return the request with schemas that the rules accept, as far as the policy `schemas` allows the loss."""
    return _adapted(request, log, "limit" if log.choice == "adapt" else "none")


@repair("schemas", off="keep lossless", refused="strict_schemas* tools.parameters*", rank=30)
def cut_schemas(request: Request, log: EditLog) -> Request:
    """Return the request with schemas that refer to themselves cut after some levels."""
    return _adapted(request, log, "depth")


def _adapted(request: Request, log: EditLog, most: str) -> Request:
    changed, adapted = adapted_request(request, log.context.wire, log.context.settings, most)
    for node in adapted:
        log.made(node.original, node.copy)
        for path, why in node.edits:
            log.add("replaced", node.copy, f"{node.field}.{path}" if path else node.field, why)
    return changed


@repair("schemas", off="keep lossless", missing="tool.parameters.*", no_place="tool.parameters.*")
def describe_parameters(request: Request, log: EditLog) -> Request:
    """Return the request with tools of whose parameters only types and descriptions are left."""
    asked = {id(node): node for node, _ in log.asked if isinstance(node, Tool)}
    for tool in asked.values():
        schema, edits = flat_parameters(
            dict(translated_schema(tool, log.context.wire.name) or tool.parameters or {}),
            f"{log.title} knows only the type and description of a parameter",
        )
        for path, why, _ in edits.rows:
            log.add("replaced", tool, f"parameters.{path}", why)
        copy = log.changed(tool, parameters=schema)
        request = replace(request, tools=_with_copy(request.tools or (), tool, copy, log))
    return request


@repair(
    "schemas",
    off="keep lossless",
    refused="strict_schemas* tools.parameters* tools.strict response_format.strict",
    no_place="response_format.strict",
    rank=20,
)
def loosen_schemas(request: Request, log: EditLog) -> Request:
    """Return the request with schemas not strict that the API does not accept as strict ones, alone or together.

    A format that need not be strict is strict on an API that knows no other.
    """
    context = log.context
    request = _with_loose_tools(request, context, log)
    form = request.response_format
    has_no_place = any(isinstance(problem, NoPlace) for problem in context.problems)
    is_implied = _IMPLIED in context.wire.defaults
    if form is None or form.strict is None or form.strict is is_implied:
        return request
    strict: bool | None = None
    if has_no_place:
        why = f"{log.title} knows no schemas but strict ones" if is_implied else _reasons(context)
        log.add("dropped", form, "strict", why)
    elif not is_implied and _refused(request, context):
        strict = False
        log.add("replaced", form, "strict", _unenforced(context))
    else:
        return request
    return replace(request, response_format=log.changed(form, strict=strict))


def _with_loose_tools(request: Request, context: RepairContext, log: EditLog) -> Request:
    for _ in with_grouped(request.tools or ()):
        tools = with_grouped(request.tools or ())
        strict = [tool for tool in tools if isinstance(tool, Tool) and tool.strict is True]
        if not strict or not _refused(request, context):
            break
        alone = [tool for tool in strict if _refused(_only(request, tool), context)]
        for tool in alone or [max(strict, key=_size)]:
            log.add("replaced", tool, "strict", _unenforced(context))
            copy = log.changed(tool, strict=False)
            request = replace(request, tools=_with_copy(request.tools or (), tool, copy, log))
    return request


def _reasons(context: RepairContext) -> str:
    """Return the reasons of the problems, each once."""
    return "; ".join(dict.fromkeys([problem.reason for problem in context.problems]))


def _unenforced(context: RepairContext) -> str:
    return f"false, so that the schema is not enforced: {_reasons(context)}"


def _only(request: Request, tool: Tool) -> Request:
    return replace(request, tools=(tool,), tool_choice=None, response_format=None)


def _refused(request: Request, context: RepairContext) -> frozenset[str]:
    """Return the words of strict schemas that the rules reject."""
    decision = context.wire.decide(request.model, context.settings)
    return decision.refused_schema_words(
        request, context.wire.name, implied=_IMPLIED in context.wire.defaults
    )


def _size(tool: Tool) -> int:
    facts = facts_of(tool.parameters)
    return facts.words.properties + facts.optional + facts.unions


def _with_copy(tools: tuple[Any, ...], tool: Tool, copy: Tool, log: EditLog) -> tuple[Any, ...]:
    """Return tools with a copy in place of one of them, also inside groups."""
    changed: list[Any] = []
    for member in tools:
        grouped = getattr(member, "tools", None)
        if grouped and any(inner is tool for inner in with_grouped(grouped)):
            changed.append(log.changed(member, tools=_with_copy(grouped, tool, copy, log)))
        else:
            changed.append(copy if member is tool else member)
    return tuple(changed)


@repair(
    "answer_formats",
    refused="strict_schemas* response_format* !response_format.name !response_format.strict",
    no_place="response_format response_format.kind response_format.schema",
    invalid="response_format response_format.kind response_format.schema",
    rank=60,
)
def format_as_words(request: Request, log: EditLog) -> Request:
    """Replace the response format by instructions that describe it; nothing enforces the format then."""
    given = request.response_format
    words = "" if given is None else _words(given)
    about_schemas = any(is_about_schemas(problem.field) for problem in log.context.problems)
    keeps_schema = about_schemas and log.context.policies.schemas != "adapt"
    if not words or keeps_schema:
        return request
    why = f"{log.title} does not accept it here; the instructions ask for it, and nothing enforces it"
    log.add("replaced", request, "response_format", why)
    form = log.made(given, ResponseFormat("json")) if _has_json_mode(given, log.context) else None
    return replace(request, response_format=form, instructions=with_layer(request, words))


def _has_json_mode(given: ResponseFormat | None, context: RepairContext) -> bool:
    """Return whether JSON mode may stand for a schema: the API has formats, and lacks this kind."""
    is_object = (
        given is not None and given.kind == "json_schema" and (given.schema or {}).get("type") == "object"
    )
    return is_object and any(
        isinstance(problem, NoPlace) and problem.field == "kind" for problem in context.problems
    )


def _words(given: ResponseFormat) -> str:
    """Return the instructions for a format; empty if words cannot describe it."""
    only = "Write nothing before or after it, and no code fence."
    if given.kind == "json":
        return f"Answer with one JSON object. {only}"
    if given.kind in ("json_schema", "enum") and given.schema is not None:
        schema = write_json(given.schema)
        return f"Answer with one JSON value that matches this JSON Schema. {only}\n{schema}"
    return ""


_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})
# the key that holds the schema of the elements
_INSIDE = {"array": "items", "object": "additionalProperties"}
_KEPT = frozenset({"type", "description", "title", "default", *_INSIDE.values()})
_AT_ROOT = frozenset({"type", "properties", "required"})
_MOST_LEVELS = 16


def flat_parameters(schema: JsonSchema, why: str) -> AdaptedSchema:
    """Return parameters of which each says its type and description only, with an edit for each that said more."""
    whole, edits = adapt(schema, lambda word, value: why if _is_refused(word, value) else "")
    named = properties_of(whole)
    flat = {name: _flat(inner) for name, inner in named.items()}
    required = whole.get("required")
    known = [name for name in required if name in flat] if is_list(required) else []
    for name, inner in named.items():
        if flat[name] != inner:
            edits.add(f"properties.{name}", f"its schema is given in the description: {why}", "limit")
    for word in whole:
        if word not in _AT_ROOT:
            edits.add(word, f"left out: {why}", "limit")
    return {"type": "object", "properties": flat, "required": known}, edits


def _is_refused(word: str, value: Any) -> bool:
    if word == "root":
        return bool(value != "object")
    return word == "recursive" or (word == "keywords" and value in ("$ref", "$defs", "definitions", "allOf"))


def _flat(schema: Any) -> JsonSchema:
    """Return a schema with its type and description, and with all else in the description."""
    if not is_mapping(schema):
        return {"type": "string"}
    typed = _typed(schema, _MOST_LEVELS)
    text = {"description": schema["description"]} if "description" in schema else {}
    rest = {word: value for word, value in schema.items() if word not in _KEPT}
    for word in ("type", *_INSIDE.values()):
        if word in schema and schema[word] != typed.get(word):
            rest[word] = schema[word]
    return describe_rest({**typed, **text}, rest)


def _typed(schema: Mapping[str, Any], levels: int) -> JsonSchema:
    """Return the one type of a schema, with the type of its elements; text where it has none."""
    kind = _kind(schema)
    inner = schema.get(_INSIDE.get(kind, ""))
    if not is_mapping(inner) or not inner or levels == 0:
        return {"type": kind}
    return {"type": kind, _INSIDE[kind]: _typed(inner, levels - 1)}


def _kind(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type")
    members = schema.get("anyOf") or schema.get("oneOf")
    found = kinds if is_list(kinds) else [kinds]
    if is_list(members):
        found = [
            *found,
            *[_kind(member) for member in members if is_mapping(member) and member != {"type": "null"}],
        ]
    found = [*found, *map(type_of_constant, constants_of(schema) or ())]
    return next((kind for kind in found if kind in _TYPES), "string")
