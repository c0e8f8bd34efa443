"""What rules find in the tools of a request: kinds, fields, numbers, and schemas followed to the letter."""

from __future__ import annotations

from ..reporting.spec_words import spec_word, split_path
from ..typed import TYPE_CHECKING, TypeAlias
from ..wire_json.kinds import class_of
from .entries import parse_entry
from .field_values import field_values, selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..model.request import Request
    from .schemas import SchemaFacts

    # each value with its tool; a number with the request
    ToolReader: TypeAlias = Callable[["ToolsView"], list[tuple[object, Any]]]


_FIELDS: dict[type, frozenset[str]] = {}


def _fields_of(cls: type) -> frozenset[str]:
    """Name what objects of a class have; there are as many classes as kinds of tools."""
    names = _FIELDS.get(cls)
    if names is None:
        names = _FIELDS[cls] = frozenset(dir(cls))
    return names


class ToolsView:
    """The tools of one request, looked at by several rules: what two of them need is found once."""

    __slots__ = ("_chosen", "_fields", "_implied", "_schemas", "_wire", "request", "tools")

    def __init__(self, request: Request, wire: str, *, implied: bool = False) -> None:
        """List the tools, those in groups among them; `implied` is whether every response format is strict."""
        self.request = request
        self._wire = wire
        self._implied = implied
        self.tools = with_grouped(request.tools or ())
        self._chosen: dict[str, list[Any]] = {}
        self._fields = frozenset[str]().union(*map(_fields_of, set(map(class_of, self.tools))))
        self._schemas: list[SchemaFacts] | None = None

    def chosen(self, selector: str, field: str, test: Callable[[object], bool]) -> list[Any]:
        """List the tools that brackets mean by a field; most requests have functions, and no tool with that field."""
        if field not in self._fields:
            return []
        tools = self._chosen.get(selector)
        if tools is None:
            tools = self._chosen[selector] = list(filter(test, self.tools))
        return tools

    def schemas(self) -> list[SchemaFacts]:
        """Look into the schemas that are followed to the letter; empty where there is none."""
        if self._schemas is None:
            from .schemas import strict_schemas

            self._schemas = strict_schemas(self.tools, self.request, self._wire, implied=self._implied)
        return self._schemas


def tool_reader(path: str, wire: str) -> ToolReader:
    """Give the function that finds the values of a path into the tools."""
    first, selector, tail = split_path(path)
    if first == "strict_schemas":
        return _schema_reader(tail)
    if first == "tool":
        return lambda view: values_of_tools(view.tools, path, wire)
    test = selection(selector, wire) if selector else None
    field = split_path(parse_entry(selector).path)[0] if selector else ""

    def some(view: ToolsView) -> list[Any]:
        return view.tools if test is None else view.chosen(selector, field, test)

    if tail == "count":
        return lambda view: [(view.request, len(some(view)))] if view.tools else []
    return lambda view: values_of_tools(tools, path, wire) if (tools := some(view)) else []


def _schema_reader(word: str) -> ToolReader:
    reader: list[Callable[[list[SchemaFacts]], list[Any]]] = []

    def read(view: ToolsView) -> list[tuple[object, Any]]:
        schemas = view.schemas()
        if schemas and not reader:
            from .schemas import reader_of

            reader.append(reader_of(word))
        return [(view.request, value) for value in reader[0](schemas)] if schemas else []

    return read


def values_of_tools(tools: Iterable[Any], path: str, wire: str) -> list[tuple[object, Any]]:
    """Find the values of a path into some tools, each with its tool."""
    first, selector, tail = split_path(path)
    if first == "tool":
        return [(tool, spec_word(tool)) for tool in tools]
    # a tool that the brackets chose may lack the field, or the whole config with the key, that it needs
    lacking = [None] if selector and not tail.startswith("parameters.") else []
    return [(tool, value) for tool in tools for value in field_values(tool, tail, wire) or lacking]


def with_grouped(tools: Iterable[Any]) -> list[Any]:
    """List tools, those in groups among them."""
    return [member for tool in tools for member in (tool, *getattr(tool, "tools", ()))]


def added_tools(request: Request) -> list[Any]:
    """List the tools that messages bring along, those in groups among them."""
    parts = [part for message in request.messages for part in message.parts]
    return with_grouped([tool for part in parts for tool in getattr(part, "tools", None) or ()])
