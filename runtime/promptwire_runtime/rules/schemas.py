"""What rules find in the schemas that an answer must follow to the letter: how much of something, and which words."""

from __future__ import annotations

from copy import deepcopy

from ..model.tools import Tool
from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record
from ..typed import TYPE_CHECKING
from .schema_counts import counted, is_recursive
from .schema_words import Words, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.request import Request

_MOST_SCHEMAS = 1024
# what was found in a schema, by its identity: the schema, a copy of what it said, and the facts
_KNOWN: dict[int, tuple[Any, Any, SchemaFacts]] = {}
_GREATEST = frozenset({"depth", "min_items"})
_COUNTED = frozenset({"optional", "unions", "recursive"})


@dataclass(frozen=True, eq=False, repr=False)
class SchemaFacts(Record):
    """What limits look at in one schema.

    optional, unions  parameters that may be missing, and parameters of several types: as APIs were seen to count, where
                      they stand, not where a `$ref` leads, and none of definitions
    recursive         whether it refers to itself
    words             what stands anywhere in it
    """

    optional: int
    unions: int
    recursive: bool
    words: Words


def strict_schemas(tools: Iterable[Any], request: Request, wire: str, *, implied: bool) -> list[SchemaFacts]:
    """Look into the schemas that an answer must follow to the letter: of strict tools, and of a strict response format.

    `implied` says that the API follows the schema of every response format so. A tool that was read from this very wire
    in an unusual shape goes out as it came: what the API makes of it is not known.
    """
    strict: list[Any] = [
        tool.parameters
        for tool in tools
        if isinstance(tool, Tool) and tool.strict is True and not _is_unusual(tool, wire)
    ]
    wanted = request.response_format
    if wanted is not None and wanted.schema is not None and (implied or wanted.strict is True):
        strict.append(wanted.schema)
    return list(map(facts_of, strict))


def _is_unusual(tool: Tool, wire: str) -> bool:
    kept = tool.kept
    return kept is not None and kept.shape is not None and kept.wire == wire


def values_of_schemas(word: str, schemas: list[SchemaFacts]) -> list[Any]:
    """Find the values of a word in some schemas: one number for all, or each word once."""
    values = [getattr(facts if word in _COUNTED else facts.words, word) for facts in schemas]
    if not values or isinstance(values[0], str):
        return values
    if isinstance(values[0], tuple):
        return list(dict.fromkeys(text for texts in values for text in texts))
    if isinstance(values[0], bool):
        return [any(values)]
    return [max(values) if word in _GREATEST else sum(values)]


def facts_of(schema: Any) -> SchemaFacts:
    """Look into a schema; one that still says the same is looked into once. What is no schema holds nothing."""
    known = _KNOWN.get(id(schema))
    try:
        if known is not None and known[0] is schema and known[1] == schema:
            return known[2]
        copied = deepcopy(schema)
    except (RecursionError, TypeError, ValueError):  # not to be compared or copied: looked into each time
        return _facts(schema)
    if len(_KNOWN) >= _MOST_SCHEMAS:
        _KNOWN.clear()
    facts = _facts(schema)
    _KNOWN[id(schema)] = (schema, copied, facts)
    return facts


def _facts(schema: Any) -> SchemaFacts:
    optional, unions, refers = counted(schema)
    return SchemaFacts(optional, unions, refers and is_recursive(schema), words_of(schema))
