"""The values behind a rule's paths, such as `temperature`, `reasoning.effort`, `tools[strict=true].count`."""

from __future__ import annotations

from itertools import pairwise

from ..model.options import OPTION_NAMES
from ..model.parts import CustomToolResult, Part, Text, ToolResult
from ..model.request import ROLES
from ..typed import TYPE_CHECKING, TypeAlias
from ..wire_json.kinds import is_mapping
from .entries import parse_entry, split_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..build.context import BuildContext
    from ..model.parts import PerWire
    from ..model.request import Message, Request
    from .entries import Entry

SplitPath: TypeAlias = "tuple[str, str, str]"
_DEEP_HEADS = frozenset({"part", "message", *ROLES})
# all that messages say, or instructions and messages
TEXT_PATHS = ("messages.text", "conversation.text")
_MOST_WORDS = 256
# by the name of a class
_KINDS: dict[str, str] = {}
_INSIDE = ("count", "keys", "values")
_SELECTIONS: dict[tuple[str, str], Callable[[object], bool]] = {}
_ACCESSORS: dict[tuple[str, str], Callable[[Request], list[Any]]] = {}


def kind_of(node: object) -> str:
    """Name the kind of a node in the spec's words: its class in snake case."""
    return kind_of_class(type(node))


def kind_of_class(cls: type) -> str:
    """Name the kind of the nodes of a class."""
    name = cls.__name__
    found = _KINDS.get(name)
    if found is None:
        letters = ["_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name)]
        found = _KINDS[name] = "".join(letters)
    return found


_TOOL_KINDS = {"tool": "function", "custom_tool": "custom", "tool_group": "group", "hosted_tool": "hosted"}


def spec_word(node: object) -> str:
    """Name a node as specs do: a tool by its kind in `unions.tool`, anything else by its class."""
    kind = kind_of(node)
    return _TOOL_KINDS.get(kind, kind)


def head(entry: str) -> str:
    """The first word of a path or entry: `reasoning` of `reasoning.effort=max`."""
    return split_path(parse_entry(entry).path)[0]


def is_deep(path: str) -> bool:
    """Tell whether a path goes into the messages; `tool` alone is a kind of tool, `tool.text` a part of such a role."""
    first, _, tail = split_path(path)
    return first in _DEEP_HEADS and (first != "tool" or bool(tail))


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
        return lambda request: _looked_into(getattr(request.options, first), tail)
    if first == "strict_schemas" or (first in ("tool", "tools") and (tail or first == "tool")):
        from .tool_values import ToolsLook, tool_reader

        read = tool_reader(path, wire)
        return lambda request: [value for _, value in read(ToolsLook(request, wire))]
    if first == "last_message" and tail == "part":
        return lambda request: [kind_of(part) for message in request.messages[-1:] for part in message.parts]
    if first == "last_message" and tail == "text":
        return lambda request: [_text_at_end(message) for message in request.messages[-1:]]
    if first in ("first_message", "last_message"):
        ends = slice(1) if first == "first_message" else slice(-1, None)
        return lambda request: [
            value for message in request.messages[ends] for value in field_values(message, tail, wire)
        ]
    if path in TEXT_PATHS:
        from .texts import all_text

        return lambda request: _given([all_text(request, instructions=first == "conversation")])
    if first == "vendor":
        return lambda request: field_values(request, path, wire) if request.vendor else []
    if tail in _INSIDE:
        return lambda request: _looked_into(getattr(request, first, None), tail)
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


def field_values(node: Any, path: str, wire: str) -> list[Any]:
    """Find the values of a node's field: `name`, `vendor.clear_at`, or a key of its JSON, `format.grammar.syntax`.

    Keys of an option lead into its JSON, and into each element of its lists: `vendor.edits.type`.
    A key that a given object lacks has the value None, so that a rule can ask for it; of several keys between `|`,
    the first that is there counts.
    """
    field, _, key = path.partition(".")
    value = getattr(node, field, None)
    if field == "vendor":
        given: PerWire = value or {}
        return _given(_behind(given.get(wire), key.split(".")))
    if field == "parts" and key:
        return _given([getattr(part, key, None) for part in node.parts])
    if not key:
        return _given([value])
    if "." not in key and "|" not in key:
        return [value.get(key)] if is_mapping(value) else []
    *outer, last = key.split(".")
    for name in outer:
        value = value.get(name) if is_mapping(value) else None
    return [value.get(_first_key(value, last))] if is_mapping(value) else []


def _first_key(value: Mapping[str, Any], keys: str) -> str:
    return next((key for key in keys.split("|") if key in value), "")


def _behind(value: Any, keys: list[str]) -> list[Any]:
    if type(value) in (list, tuple):
        return [found for each in value for found in _behind(each, keys)]
    if not keys:
        return [value]
    return _behind(value[keys[0]], keys[1:]) if is_mapping(value) and keys[0] in value else []


def selection(selector: str, wire: str) -> Callable[[object], bool]:
    """Give the test whether a node has a field that the selector means; an empty list is as good as none."""
    found = _SELECTIONS.get((selector, wire))
    if found is None:
        found = _SELECTIONS[selector, wire] = _selects(parse_entry(selector), wire)
    return found


def _selects(entry: Entry, wire: str) -> Callable[[object], bool]:
    name, test = entry.path, entry.means
    if "." in name:
        return lambda node: any(value != () and test(value) for value in field_values(node, name, wire))
    # there are few kinds of tools and roles, and each is asked about by several rules
    known: dict[str, bool] = {}

    def selects(node: object) -> bool:
        value = getattr(node, name, None)
        if type(value) is not str:
            return value is not None and value != () and test(value)
        found = known.get(value)
        if found is None:
            if len(known) >= _MOST_WORDS:
                known.clear()
            found = known[value] = test(value)
        return found

    return selects


def mark_values(path: SplitPath, node: Any, build: BuildContext) -> list[Any]:
    """Find the values of a path at a cache mark that is being sent; a time to live that none names is `default`."""
    _, selector, tail = path
    if tail == "count":
        return [build.marks]
    if tail == "ttl":
        return _given([node.cache.ttl])
    # the request's own mark stands behind all others, wherever it is written
    if node is build.request or (selector and not parse_entry(selector).means(_ttl_of(node))):
        return []
    if tail == "after":
        return ["start" if build.last_mark is None else _ttl_of(build.last_mark)]
    return ["none" if build.request.cache is None else _ttl_of(build.request)]


def _ttl_of(marked: Any) -> str:
    return marked.cache.ttl or "default"


def values_here(path: SplitPath, node: Any, wire: str) -> list[Any] | None:
    """Find the values of a path into the messages at a node; None where only its place can tell."""
    first, selector, tail = path
    speaks = hasattr(node, "role") and hasattr(node, "parts")
    if first == "message":
        return field_values(node, tail, wire) if speaks else []
    if first == "part":
        return [kind_of(node)] if isinstance(node, Part) else []
    if tail in ("after", "before"):
        # where a node stands is dear to find out
        meant = speaks and node.role == first and (not selector or selection(selector, wire)(node))
        return None if meant else []
    kind, dot, field = tail.partition(".")
    if field == "after":
        return _before_each(kind, node.parts) if speaks else []
    if field == "before":
        return None if kind == kind_of(node) else []
    if speaks != (tail == "count") or (dot and kind != kind_of(node)):
        return []
    if tail == "count":
        return [len(node.parts)]
    return [kind_of(node)] if tail == "part" else field_values(node, field if dot else tail, wire)


def may_concern(path: SplitPath, cls: type) -> bool:
    """Tell whether `values_here` may find anything at a message or part of this class, whatever it holds."""
    first, _, tail = path
    speaks = hasattr(cls, "role") and hasattr(cls, "parts")
    kind, dot, field = tail.partition(".")
    if first in ("message", "part"):
        return speaks == (first == "message")
    if tail in ("after", "before", "count") or field == "after":
        return speaks
    return not speaks and (not dot or kind == kind_of_class(cls))


def _before_each(kind: str, parts: tuple[Part, ...]) -> list[str]:
    """Name the kind of the part before each part of a kind, in one message; before the first is `start`."""
    kinds = ["start", *map(kind_of, parts)]
    return [before for before, each in pairwise(kinds) if each == kind]


def watched_values(build: BuildContext, path: SplitPath, node: Any, found: list[Any] | None) -> list[Any]:
    """Keep the values of a path at a node, as often as it stands where the path says: in a message of that role.

    What a tool returned is `tool`, whoever's message the result stands in.
    """
    first, selector, tail = path
    if first in ("message", "part"):
        return found or []
    values: list[Any] = []
    messages = build.request.messages
    # a node may stand in several messages
    for place in build.paths(node):
        if not place.startswith("messages["):
            continue
        index, *inner = [int(piece[: piece.index("]")]) for piece in place.split("[")[1:]]
        index -= build.lifted
        if index < 0 or _speaker(messages[index], inner) != first:
            continue
        if not selector or selection(selector, build.wire.name)(messages[index]):
            values += [_neighbour(build.request, index, inner, tail)] if found is None else found
    return values


def _neighbour(request: Request, index: int, inner: list[int], tail: str) -> str:
    """Name the message before or after one: its role and the kind of its nearer part; `start` and `end` have none.

    Behind a part stands the next one, by its kind alone, and behind the last one the next message.
    """
    kind, _, side = tail.rpartition(".")
    if kind and len(parts := request.messages[index].parts) > inner[0] + 1:
        return kind_of(parts[inner[0] + 1])
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


def _looked_into(value: Any, what: str) -> list[Any]:
    """Give the value of an option itself, or its `count`, `keys` or `values`."""
    if what not in _INSIDE:
        return _given([value])
    if what != "count":
        return list(getattr(value, what)()) if is_mapping(value) else []
    return list(map(len, [value] if type(value) in (tuple, list) or is_mapping(value) else []))


def _text_at_end(message: Message) -> str | None:
    """Give the text that a message ends with; None where it ends with anything else."""
    last = message.parts[-1] if message.parts else None
    return last.text if type(last) is Text else None


def _given(values: list[Any]) -> list[Any]:
    return [value for value in values if value is not None]
