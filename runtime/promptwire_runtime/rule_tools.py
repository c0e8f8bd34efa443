"""What rules find in the tools of a request: kinds, fields, numbers, and schemas followed to the letter."""

from __future__ import annotations

from .rule_entries import split_path
from .rule_paths import field_values, selection, spec_word
from .typed import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .request import Request
    from .rule_schemas import Measures

    # each value with its tool; a number with the request
    ToolReader: TypeAlias = Callable[["ToolsLook"], list[tuple[object, Any]]]


class ToolsLook:
    """The tools of one request, looked at by several rules: what two of them need is found once."""

    __slots__ = ("_chosen", "_implied", "_measures", "request", "tools")

    def __init__(self, request: Request, *, implied: bool = False) -> None:
        """List the tools, those in groups among them; `implied` is whether every response format is strict."""
        self.request = request
        self._implied = implied
        self.tools = with_grouped(request.tools or ())
        self._chosen: dict[str, list[Any]] = {}
        self._measures: list[Measures] | None = None

    def chosen(self, selector: str, test: Callable[[object], bool]) -> list[Any]:
        """List the tools that brackets mean."""
        found = self._chosen.get(selector)
        if found is None:
            found = self._chosen[selector] = list(filter(test, self.tools))
        return found

    def measures(self) -> list[Measures]:
        """Measure the schemas that are followed to the letter; empty where there is none."""
        if self._measures is None:
            from .rule_schemas import measured, strict_schemas

            schemas = strict_schemas(self.tools, self.request, implied=self._implied)
            self._measures = [measured(schemas)] if schemas else []
        return self._measures


def tool_reader(path: str, wire: str) -> ToolReader:
    """Give the function that finds the values of a path into the tools."""
    first, selector, tail = split_path(path)
    if first == "strict_schemas":
        return lambda look: [(look.request, getattr(each, tail)) for each in look.measures()]
    if first == "tool":
        return lambda look: values_of_tools(look.tools, path, wire)
    test = selection(selector, wire) if selector else None

    def some(look: ToolsLook) -> list[Any]:
        return look.tools if test is None else look.chosen(selector, test)

    if tail == "count":
        return lambda look: [(look.request, len(some(look)))] if look.tools else []
    return lambda look: values_of_tools(tools, path, wire) if (tools := some(look)) else []


def values_of_tools(tools: Iterable[Any], path: str, wire: str) -> list[tuple[object, Any]]:
    """Find the values of a path into some tools, each with its tool."""
    first, selector, tail = split_path(path)
    if first == "tool":
        return [(tool, spec_word(tool)) for tool in tools]
    # a tool that the brackets chose may lack the field that it needs
    lacking = [None] if selector and "." not in tail else []
    return [(tool, value) for tool in tools for value in field_values(tool, tail, wire) or lacking]


def with_grouped(tools: Iterable[Any]) -> list[Any]:
    """List tools, those in groups among them."""
    return [each for tool in tools for each in (tool, *getattr(tool, "tools", ()))]


def added_tools(request: Request) -> list[Any]:
    """List the tools that messages bring along, those in groups among them."""
    parts = [part for message in request.messages for part in message.parts]
    return with_grouped([tool for part in parts for tool in getattr(part, "tools", None) or ()])
