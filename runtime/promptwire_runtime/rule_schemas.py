"""Numbers of a request's strict schemas that APIs limit: optional parameters, parameters of several types, cycles."""

from __future__ import annotations

from .json_values import is_list, is_mapping
from .rule_paths import with_grouped
from .tools import Tool
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from .request import Request


_DEFINITIONS = ("$defs", "definitions")


def strict_schemas(request: Request) -> list[Any]:
    """List the schemas that an answer must follow to the letter: of strict tools, and of the response format."""
    tools = with_grouped(request.tools or ())
    found = [tool.parameters for tool in tools if isinstance(tool, Tool) and tool.strict is True]
    wanted = request.response_format
    return [*found, wanted.schema] if wanted is not None and wanted.schema is not None else found


def measured(schemas: Iterable[Any], what: str) -> int | bool:
    """Count `optional` parameters or `unions` of all schemas together, or tell whether one is `recursive`.

    A parameter counts where it is written: what stands behind a `$ref` does not count again.
    """
    if what == "recursive":
        return any(_is_recursive(schema) for schema in schemas)
    counts = _is_optional if what == "optional" else _is_union
    return sum(
        counts(name, each, schema)
        for every in schemas
        for schema in _objects(every)
        for name, each in schema["properties"].items()
    )


def _is_optional(name: Any, _: Any, schema: Any) -> bool:
    return name not in (schema.get("required") or ())


def _is_union(_: Any, each: Any, __: Any) -> bool:
    return is_mapping(each) and ("anyOf" in each or is_list(each.get("type")))


def _objects(schema: Any, above: tuple[int, ...] = ()) -> Iterator[Any]:
    """Give every object with properties, as they are counted: through properties, items and anyOf."""
    if not is_mapping(schema) or id(schema) in above:
        return
    below: list[Any] = [schema.get("items"), *(found if is_list(found := schema.get("anyOf")) else ())]
    properties = schema.get("properties")
    if is_mapping(properties):
        yield schema
        below += properties.values()
    for each in below:
        yield from _objects(each, (*above, id(schema)))


def _is_recursive(schema: Any) -> bool:
    """Tell whether a schema, or a definition that it refers to, refers to itself."""
    if not is_mapping(schema):
        return False
    held: dict[str, Any] = {"#": {word: each for word, each in schema.items() if word not in _DEFINITIONS}}
    for word in _DEFINITIONS:
        named = schema.get(word)
        for name, each in named.items() if is_mapping(named) else ():
            held[f"#/{word}/{name}"] = each
    if len(held) == 1:
        return "#" in _references(schema)
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
