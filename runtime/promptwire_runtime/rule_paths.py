"""The values behind a rule's paths, such as `temperature`, `reasoning.effort`, `tools[strict=true].count`."""

from __future__ import annotations

from .json_values import is_mapping
from .options import OPTION_NAMES
from .parts import CustomToolResult, Part, ToolResult
from .rule_entries import parse_entry, split_path
from .typed import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .built import Built
    from .parts import PerWire
    from .request import Message, Request
    from .rule_entries import Entry

SplitPath: TypeAlias = "tuple[str, str, str]"
_SELECTIONS: dict[tuple[str, str], Callable[[object], bool]] = {}
_ACCESSORS: dict[tuple[str, str], Callable[[Request], list[Any]]] = {}


def kind_of(node: object) -> str:
    """Name the kind of a node in the spec's words: its class in snake case."""
    name = type(node).__name__
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name))


_TOOL_KINDS = {"tool": "function", "custom_tool": "custom", "tool_group": "group", "hosted_tool": "hosted"}


def spec_word(node: object) -> str:
    """Name a node as specs do: a tool by its kind in `unions.tool`, anything else by its class."""
    kind = kind_of(node)
    return _TOOL_KINDS.get(kind, kind)


def head(entry: str) -> str:
    """The first word of a path or entry: `reasoning` of `reasoning.effort=max`."""
    return split_path(parse_entry(entry).path)[0]


def accessor(path: str, wire: str) -> Callable[[Request], list[Any]]:
    """Give the function that finds the values of a path; of the messages it knows the first and the last.

    `wire` is the one whose vendor options count.
    """
    found = _ACCESSORS.get((path, wire))
    if found is None:
        found = _ACCESSORS[path, wire] = _accessor(path, wire)
    return found


def _accessor(path: str, wire: str) -> Callable[[Request], list[Any]]:
    first, _, tail = split_path(path)
    if first in OPTION_NAMES:
        counted = tail == "count"
        return lambda request: _counted([getattr(request.options, first)], counted=counted)
    if first in ("tool", "tools") and (tail or first == "tool"):
        return lambda request: [value for _, value in tool_values(request, path, wire)]
    if first == "last_message" and tail == "part":
        return lambda request: [kind_of(part) for message in request.messages[-1:] for part in message.parts]
    if first in ("first_message", "last_message"):
        ends = slice(1) if first == "first_message" else slice(-1, None)
        return lambda request: [
            value for message in request.messages[ends] for value in field_values(message, tail, wire)
        ]
    if first == "vendor":
        return lambda request: field_values(request, path, wire)
    if tail == "count":
        return lambda request: _counted([getattr(request, first, None)], counted=True)
    if tail:
        return lambda request: _given([getattr(getattr(request, first, None), tail, None)])
    return lambda request: [value] if (value := getattr(request, first, None)) not in (None, ()) else []


def node_of(path: str, request: Request) -> object:
    """Give the node whose value a path names, the request where it is no message and no option."""
    first = split_path(path)[0]
    if first in OPTION_NAMES:
        return request.options
    if first in ("first_message", "last_message") and request.messages:
        return request.messages[0 if first == "first_message" else -1]
    return request


def tool_values(request: Request, path: str, wire: str) -> list[tuple[object, Any]]:
    """Find the values of a path into the tools, each with its tool; a count with the request."""
    _, selector, tail = split_path(path)
    tools = with_grouped(request.tools or ())
    if selector:
        tools = list(filter(_selection(selector, wire), tools))
    if tail == "count":
        return [(request, len(tools))] if request.tools else []
    return values_of_tools(tools, path, wire)


def values_of_tools(tools: Iterable[Any], path: str, wire: str) -> list[tuple[object, Any]]:
    """Find the values of a path into some tools, each with its tool."""
    first, _, tail = split_path(path)
    if first == "tool":
        return [(tool, spec_word(tool)) for tool in tools]
    return [(tool, value) for tool in tools for value in field_values(tool, tail, wire)]


def with_grouped(tools: Iterable[Any]) -> list[Any]:
    """List tools, those in groups among them."""
    return [each for tool in tools for each in (tool, *getattr(tool, "tools", ()))]


def added_tools(request: Request) -> list[Any]:
    """List the tools that messages bring along, those in groups among them."""
    parts = [part for message in request.messages for part in message.parts]
    return with_grouped([tool for part in parts for tool in getattr(part, "tools", None) or ()])


def field_values(node: Any, path: str, wire: str) -> list[Any]:
    """Find the values of a node's field: `name`, `vendor.clear_at`, or a key of a schema, `parameters.type`.

    A key that a given object lacks has the value None, so that a rule can ask for it.
    """
    field, _, key = path.partition(".")
    value = getattr(node, field, None)
    if field == "vendor":
        given: PerWire = value or {}
        return _given([given.get(wire, {}).get(key)])
    if key:
        return [value.get(key)] if is_mapping(value) else []
    return _given([value])


def _selection(selector: str, wire: str) -> Callable[[object], bool]:
    """Give the test whether a node has a field that the selector means; an empty list is as good as none."""
    found = _SELECTIONS.get((selector, wire))
    if found is None:
        found = _SELECTIONS[selector, wire] = _selects(parse_entry(selector), wire)
    return found


def _selects(entry: Entry, wire: str) -> Callable[[object], bool]:
    name, test = entry.path, entry.means
    if "." in name:
        return lambda node: any(value != () and test(value) for value in field_values(node, name, wire))
    return lambda node: (value := getattr(node, name, None)) is not None and value != () and test(value)


def values_here(path: SplitPath, node: Any, wire: str) -> list[Any] | None:
    """Find the values of a path into the messages at a node; None where only its place can tell."""
    first, _, tail = path
    speaks = hasattr(node, "role") and hasattr(node, "parts")
    if first == "message":
        return field_values(node, tail, wire) if speaks else []
    if first == "part":
        return [kind_of(node)] if isinstance(node, Part) else []
    if tail in ("after", "before"):
        return None if speaks else []
    kind, dot, field = tail.partition(".")
    if speaks != (tail == "count") or (dot and kind != kind_of(node)):
        return []
    if tail == "count":
        return [len(node.parts)]
    return [kind_of(node)] if tail == "part" else field_values(node, field if dot else tail, wire)


def watched_values(built: Built[Any], path: SplitPath, node: Any, found: list[Any] | None) -> list[Any]:
    """Keep the values of a path at a node, as often as it stands where the path says: in a message of that role.

    What a tool returned is `tool`, whoever's message the result stands in.
    """
    first, selector, tail = path
    if first in ("message", "part"):
        return found or []
    values: list[Any] = []
    messages = built.request.messages
    # a node may stand in several messages
    for place in built.paths(node):
        if not place.startswith("messages["):
            continue
        index, *inner = [int(piece[: piece.index("]")]) for piece in place.split("[")[1:]]
        if _speaker(messages[index], inner) != first:
            continue
        if not selector or _selection(selector, built.wire.name)(messages[index]):
            values += [_neighbour(built.request, index, tail)] if found is None else found
    return values


def _neighbour(request: Request, index: int, side: str) -> str:
    """Name the message before or after one: its role and the kind of its nearer part; `start` and `end` have none."""
    other = index - 1 if side == "after" else index + 1
    if not 0 <= other < len(request.messages):
        return "start" if side == "after" else "end"
    message = request.messages[other]
    nearer = message.parts[-1:] if side == "after" else message.parts[:1]
    return f"{message.role}.{''.join(map(kind_of, nearer))}"


def _speaker(message: Message, inner: list[int]) -> str:
    """Name the role of what stands in a message, at these indexes of parts inside parts."""
    if len(inner) > 1 and type(message.parts[inner[0]]) in (ToolResult, CustomToolResult):
        return "tool"
    return message.role


def _counted(values: list[Any], *, counted: bool) -> list[Any]:
    given = _given(values)
    if not counted:
        return given
    sized: list[Any] = [value for value in given if isinstance(value, (tuple, list)) or is_mapping(value)]
    return list(map(len, sized))


def _given(values: list[Any]) -> list[Any]:
    return [value for value in values if value is not None]
