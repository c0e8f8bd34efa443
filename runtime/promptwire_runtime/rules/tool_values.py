"""The values of tools that rules look at: kinds, fields, numbers, and strict schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ..model.options import ToolChoice
from ..model.parts import Tool
from ..model.request import Request
from ..predicates.conditions import FieldCondition, FieldPath
from ..reporting.spec_words import spec_word
from ..schemas.counting import COUNTED, RARELY_COUNTED, counts, odd_names
from ..wire_json.kinds import class_of, is_list, is_mapping
from .field_values import field_values, is_meant
from .schemas import SchemaFacts, facts_of, strict_schemas, values_of_schemas

# each value with its tool; a number with the request
Rows: TypeAlias = list[tuple[object, Any]]


_FIELDS: dict[type, frozenset[str]] = {}
# the fields of a function that has nothing else
_OF_PLAIN = frozenset({"name", "description", "parameters"})


def _fields_of(cls: type) -> frozenset[str]:
    """Return the attribute names of a class; there are as many classes as kinds of tools."""
    names = _FIELDS.get(cls)
    if names is None:
        names = _FIELDS[cls] = frozenset(dir(cls))
    return names


class ToolsView:
    """The tools of one request, with a cache for values that several rules need.

    tools     all of them, those in groups among them
    uncommon  those that are no function with a name, a description and parameters alone
    """

    __slots__ = ("_chosen", "_fields", "_implied", "_schemas", "request", "tools", "uncommon", "wire")

    def __init__(self, request: Request, wire: str, *, implied: bool = False) -> None:
        """List the tools; `implied` is whether every response format is strict."""
        self.request = request
        self.wire = wire
        self._implied = implied
        self.tools = with_grouped(request.tools or ())
        self.uncommon = [tool for tool in self.tools if not (class_of(tool) is Tool and tool.is_plain)]
        self._chosen: dict[FieldCondition, list[Any]] = {}
        self._fields = frozenset[str]().union(*map(_fields_of, set(map(class_of, self.tools))))
        self._schemas: list[SchemaFacts] | None = None

    def chosen(self, where: FieldCondition | None) -> list[Any]:
        """Return the tools that a path selects."""
        if where is None:
            return self.tools
        if where.path.head == "shape":
            return [tool for tool in self.tools if where.means(_shape_of(tool, self.wire))]
        if where.path.head not in self._fields:
            return []
        tools = self._chosen.get(where)
        if tools is None:
            among = self.tools if where.path.head in _OF_PLAIN else self.uncommon
            tools = self._chosen[where] = [tool for tool in among if is_meant(tool, where, self.wire)]
        return tools

    def schemas(self) -> list[SchemaFacts]:
        """Return the facts of the strict schemas."""
        if self._schemas is None:
            self._schemas = strict_schemas(self.tools, self.request, self.wire, implied=self._implied)
        return self._schemas


def tool_values(path: FieldPath, view: ToolsView) -> Rows:
    """Return the values of a path into the tools, or into the strict schemas."""
    if path.head == "strict_schemas":
        return _schema_values(path.tail, view)
    tools = view.chosen(path.where)
    if path.tail == "count":
        return [(view.request, len(tools))] if view.tools else []
    if path.where is None and path.head == "tools" and path.keys[0] not in _OF_PLAIN:
        tools = view.uncommon
    return values_of_tools(tools, path, view.wire) if tools else []


def _schema_values(word: str, view: ToolsView) -> Rows:
    schemas = view.schemas()
    if not schemas:
        return []
    return [(view.request, value) for value in values_of_schemas(word, schemas)]


def values_of_tools(tools: Iterable[Any], path: FieldPath, wire: str) -> Rows:
    """Return the values of a path into some tools, each with its tool."""
    if path.head == "tool":
        return [(tool, spec_word(tool)) for tool in tools]
    if path.tail == "parameters.*":
        return [row for tool in tools for row in _keywords_of(tool)]
    if path.tail == "parameters.odd_names":
        return [(tool, name) for tool in tools for name in odd_names(getattr(tool, "parameters", None))]
    if path.keys[0] == "parameters" and len(path.keys) == 2 and not path.either:
        key = path.keys[1]
        if key in COUNTED:
            place = COUNTED.index(key)
            found = [(tool, counts(getattr(tool, "parameters", None))[place]) for tool in tools]
            return [row for row in found if row[1]]
        if key in RARELY_COUNTED:
            found = [(tool, RARELY_COUNTED[key](getattr(tool, "parameters", None))) for tool in tools]
            return [row for row in found if row[1]]
        schemas = [(tool, getattr(tool, "parameters", None)) for tool in tools]
        return [(tool, schema.get(key)) for tool, schema in schemas if is_mapping(schema)]
    # a tool that the path chose may lack the field, or the whole config with the key, that it needs
    lacking = [None] if path.where is not None and not path.tail.startswith("parameters.") else []
    return [
        (tool, value)
        for tool in tools
        for value in field_values(tool, path.keys, wire, path.either) or lacking
    ]


def _keywords_of(tool: Any) -> Rows:
    """Return the schema keywords in the parameters of a tool, each once."""
    if getattr(tool, "parameters", None) is None:
        return []
    return [(tool, word) for word in facts_of(tool.parameters).words.keywords]


def _shape_of(tool: Any, wire: str) -> str:
    """Return the shape in which a tool was read on this wire, unless it is the first one; else an empty text."""
    kept = getattr(tool, "kept", None)
    return kept.shape or "" if kept is not None and kept.wire == wire else ""


def chosen_entries(choice: ToolChoice) -> list[Mapping[str, Any]]:
    """Return the tools that a choice of hosted tools names, each with its `type`: one, or those in a list of them."""
    config = choice.config or {}
    listed = config.get("tools")
    if not is_list(listed):
        return [{"type": choice.type}]
    return [entry for entry in listed if is_mapping(entry)]


def chosen_kinds(choice: ToolChoice) -> list[str]:
    """Return the kinds of hosted tools that a choice names without a name."""
    kinds = [entry.get("type") for entry in chosen_entries(choice) if "name" not in entry]
    return [kind for kind in kinds if isinstance(kind, str)]


def is_of_kind(tool: Any, kind: str) -> bool:
    """Return whether a hosted tool is of a kind, whose versions may have longer words: web_search_preview."""
    own = getattr(tool, "type", None)
    return isinstance(own, str) and (own.startswith(kind) or kind.startswith(own))


def with_grouped(tools: Iterable[Any]) -> list[Any]:
    """Return tools with the tools inside groups."""
    return [member for tool in tools for member in (tool, *getattr(tool, "tools", ()))]


def added_tools(request: Request) -> list[Any]:
    """Return the tools that messages add, with the tools inside groups."""
    parts = [part for message in request.messages for part in message.parts]
    return with_grouped([tool for part in parts for tool in getattr(part, "tools", None) or ()])
