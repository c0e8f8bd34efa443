"""Numbers of a request's strict schemas that APIs limit: optional parameters, parameters of several types, cycles."""

from __future__ import annotations

from .json_values import is_list, is_mapping
from .nodes import Node, dataclass
from .tools import Tool
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from .request import Request

    # optional parameters, parameters of several types, whether a reference was met
    Counts: TypeAlias = tuple[int, int, bool]

_DEFINITIONS = ("$defs", "definitions")
# where schemas stand in schemas; parameters are counted below the first three alone, as APIs were seen to count
_COUNTED = ("items", "anyOf")
_WALKED = ("oneOf", "allOf", "prefixItems", "additionalProperties", "not")
_INNER = frozenset({"properties", "$ref", *_COUNTED, *_WALKED})
_NOTHING = (0, 0, False)
# no API takes a schema that is nested as deep
_DEEPEST = 100


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measures(Node):
    """What limits look at: all schemas together.

    A parameter counts where it stands, not where a `$ref` leads; definitions do not count.
    """

    optional: int
    unions: int
    recursive: bool


def strict_schemas(tools: Iterable[Any], request: Request, *, implied: bool) -> list[Any]:
    """List the schemas that an answer must follow to the letter: of strict tools, and of a strict response format.

    `implied` says that the API follows the schema of every response format so.
    """
    found: list[Any] = [tool.parameters for tool in tools if isinstance(tool, Tool) and tool.strict is True]
    wanted = request.response_format
    if wanted is not None and wanted.schema is not None and (implied or wanted.strict is True):
        found.append(wanted.schema)
    return found


def measured(schemas: Iterable[Any]) -> Measures:
    """Measure schemas; what is no schema counts as nothing."""
    optional = unions = 0
    recursive = False
    for schema in schemas:
        more, several, refers = _counts(schema, {}, 0)
        optional += more
        unions += several
        recursive = recursive or (refers and _is_recursive(schema))
    return Measures(optional, unions, recursive)


def _counts(schema: Any, known: dict[int, Counts], depth: int) -> Counts:
    """Count the parameters in a schema, each shared object once looked at."""
    if not is_mapping(schema) or depth > _DEEPEST:
        return _NOTHING
    found = known.get(id(schema))
    if found is not None:
        return found
    # what holds itself ends here
    known[id(schema)] = _NOTHING
    properties = list(given.values()) if is_mapping(given := schema.get("properties")) else []
    optional = len(properties) - _present(given, schema.get("required")) if properties else 0
    unions = sum("anyOf" in each or type(each.get("type")) is list for each in properties if is_mapping(each))
    refers = "$ref" in schema
    inner = [each for each in properties if is_mapping(each) and not _INNER.isdisjoint(each)]
    for each in (*inner, *_below(schema, _COUNTED)):
        more, several, refer = _counts(each, known, depth + 1)
        optional, unions, refers = optional + more, unions + several, refers or refer
    refers = refers or any(_counts(each, known, depth + 1)[2] for each in _below(schema, _WALKED))
    found = known[id(schema)] = (optional, unions, refers)
    return found


def _below(schema: Any, words: tuple[str, ...]) -> list[Any]:
    """List the schemas under these words, whether a word holds one or several."""
    found: list[Any] = []
    for word in words:
        if word in schema:
            found += schema[word] if is_list(schema[word]) else [schema[word]]
    return found


def _present(properties: Any, required: Any) -> int:
    """Count the properties that are required."""
    words = {word for word in required if type(word) is str} if is_list(required) else set[str]()
    return sum(1 for name in properties if name in words)


def _is_recursive(schema: Any) -> bool:
    """Tell whether a schema, or a definition that it refers to, refers to itself."""
    held: dict[str, Any] = {"#": {word: each for word, each in schema.items() if word not in _DEFINITIONS}}
    for word in _DEFINITIONS:
        named = schema.get(word)
        for name, each in named.items() if is_mapping(named) else ():
            held[f"#/{word}/{name}"] = each
    leads = {name: _references(each) & held.keys() for name, each in held.items()}
    reached = set[str]()
    ahead = {"#"}
    while ahead:
        reached |= ahead
        ahead = {other for name in ahead for other in leads[name]} - reached
    # what refers to nothing unsettled is settled
    unsettled = reached
    while settled := {name for name in unsettled if not leads[name] & unsettled}:
        unsettled = unsettled - settled
    return bool(unsettled)


def _references(schema: Any) -> set[str]:
    """Give every `$ref` in a schema."""
    found = set[str]()
    waiting: list[Any] = [schema]
    seen = set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if is_list(each):
            waiting += each
        elif is_mapping(each):
            if type(reference := each.get("$ref")) is str:
                found.add(reference)
            waiting += each.values()
    return found
