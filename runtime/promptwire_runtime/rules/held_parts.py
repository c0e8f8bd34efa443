"""The parts, calls and tools of a request that rules look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from promptwire_text.conditions import WORDED_KINDS

from ..model.calls import HostedCall
from ..model.kind_words import PART_KINDS
from ..model.media import Document
from ..model.options import ToolChoice
from ..model.parts import CALLS, Opaque, Tool, ToolReference, ToolResult
from ..model.reasoning import Compaction
from ..model.request import Message, Request
from ..model.text import Text
from ..model.tools import ToolGroup
from ..nodes.plain import PICTURED, SHOWN, WORDED, is_blank, is_worded
from ..predicates.conditions import FieldCondition, FieldPath
from ..reporting.node_paths import lists_of
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
    if path.tail == "config.keys":
        return [(tool, key) for tool in tools for key in getattr(tool, "config", None) or ()]
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
    may_lack = path.where is not None and not path.tail.startswith("parameters.")
    return [
        (tool, value)
        for tool in tools
        for value in field_values(tool, path.keys, wire, path.either)
        or ([None] if may_lack and hasattr(tool, path.keys[0]) else ())
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


# classes of parts that hold parts
_HOLDERS = frozenset([cls for cls in PART_KINDS.values() if "parts" in lists_of(cls)])


def unusual_turns(request: Request) -> int:
    """Return the bits of `Request.turns`; messages that have more than parts are looked into."""
    turns = request.turns
    if turns & SHOWN and all(map(_has_worded_parts, request.messages)):
        return turns & ~(PICTURED | SHOWN)
    return turns


def _has_worded_parts(message: Message) -> bool:
    if message.fast_path or message.id is not None:
        return message.fast_path in WORDED
    return all(map(is_worded, message.parts))


def held_parts(request: Request) -> Iterator[Any]:
    """Yield the parts of the messages that are sent, and the parts inside of results and documents.

    Messages of nothing but texts, calls and results of texts are left out.
    """
    for message in sent_messages(request):
        if message.fast_path not in WORDED:
            yield from _inside(message.parts)


def count_rows(path: FieldPath, request: Request) -> list[tuple[object, Any]]:
    """Return how many parts of a kind the request holds, or each message of a role, with the node that holds them.

    Of a role, brackets may choose messages by their parts: `assistant[parts.arguments].reasoning.count`.
    """
    kind = path.keys[0]
    left_out = frozenset[str]() if kind in WORDED_KINDS else WORDED
    if path.head == "messages":
        shown = [message for message in sent_messages(request) if message.fast_path not in left_out]
        return [(request, sum([_count(message.parts, kind) for message in shown]))]
    return [
        (message, 0 if message.fast_path in left_out else _count(message.parts, kind))
        for message in sent_messages(request)
        if message.role == path.head and is_meant(message, path.where, "")
    ]


def repeated_documents(request: Request) -> list[tuple[object, Any]]:
    """Return the documents whose name an earlier document of the request has, with this name."""
    known: set[str] = set()
    rows: list[tuple[object, Any]] = []
    for part in held_parts(request):
        name = (part.filename or part.title) if class_of(part) is Document else None
        if name in known:
            rows.append((part, name))
        elif name is not None:
            known.add(name)
    return rows


def repeated_items(request: Request) -> list[tuple[object, Any]]:
    """Return the messages and parts that are sent with the id of an item which stands before them, with this id."""
    known: set[str] = set()
    rows: list[tuple[object, Any]] = []
    held = len(request.messages) - len(sent_messages(request))
    for index, message in enumerate(request.messages):
        for node in (message, *message.parts):
            item = item_id(node)
            if item in known and index >= held:
                rows.append((node, item))
            elif item is not None:
                known.add(item)
    return rows


def compacted_items(request: Request) -> list[tuple[object, Any]]:
    """Return the last hosted call of each type before the last compaction, if none behind it has this type."""
    parts: list[Any] = [part for message in sent_messages(request) for part in message.parts]
    places = [place for place, part in enumerate(parts) if class_of(part) is Compaction]
    if not places:
        return []
    before, behind = parts[: places[-1]], parts[places[-1] :]
    repeated = {part.type for part in behind if class_of(part) is HostedCall}
    calls: dict[str, Any] = {part.type: part for part in before if class_of(part) is HostedCall}
    return [(call, name) for name, call in calls.items() if name not in repeated]


def unknown_references(request: Request) -> list[tuple[object, Any]]:
    """Return the references inside results to tools that the request does not have, each with the name."""
    shown = [message.parts for message in sent_messages(request) if message.fast_path not in WORDED]
    results: list[Any] = [part for parts in shown for part in parts if class_of(part) is ToolResult]
    rows = [
        (part, part.name) for result in results for part in result.parts if class_of(part) is ToolReference
    ]
    if not rows:
        return []
    tools = [*with_grouped(request.tools or ()), *added_tools(request)]
    names = {getattr(tool, "name", None) for tool in tools}
    # a set of tools without a name may hold any
    return [] if None in names else [row for row in rows if row[1] not in names]


def item_id(node: Any) -> str | None:
    """Return the id that a message or part has as an item; that of a call is another one."""
    item: str | None = getattr(node, "item_id" if hasattr(node, "item_id") else "id", None)
    return item


def sent_messages(request: Request) -> tuple[Message, ...]:
    """Return the messages without those that the server of a continued conversation has."""
    known = request.continuation
    return request.messages if known is None else request.messages[max(known.start, 0) :]


def _count(parts: tuple[Any, ...], kind: str) -> int:
    """Count the parts of a kind, also inside of others; their classes are looked at, because most parts hold none.

    Blank text says nothing, and does not count.
    """
    classes = [*map(class_of, _without_blank(parts) if kind == "text" else parts)]
    holders = _HOLDERS.intersection(classes)
    inside = [part.parts for part in parts if class_of(part) in holders] if holders else ()
    return classes.count(PART_KINDS[kind]) + sum([_count(inner, kind) for inner in inside if inner])


def _without_blank(parts: tuple[Any, ...]) -> list[Any]:
    return [part for part in parts if class_of(part) is not Text or not is_blank(part.text)]


def _inside(parts: tuple[Any, ...]) -> Iterator[Any]:
    for part in parts:
        yield part
        if "parts" in lists_of(part.__class__) and part.parts:
            yield from _inside(part.parts)


def repeated_calls(request: Request) -> list[tuple[Any, str]]:
    """Return each call whose id an earlier call has, with where that stands.

    That is `answer` if the earlier call stands in the same answer, whose messages follow each other, else `request`.
    """
    # nearly every request has each id once, which is found out in a third of the time
    answers = [message for message in request.messages if message.role == "assistant"]
    calls = [message.parts for message in answers if message.fast_path != "text"]
    ids = [part.id for parts in calls for part in parts if isinstance(part, CALLS)]
    if len({*ids}) == len(ids):
        return []
    known: dict[str, int] = {}
    rows: list[tuple[Any, str]] = []
    answer = 0
    before = ""
    for message in request.messages:
        if message.role == "assistant":
            answer += before != "assistant"
            for part in message.parts:
                if isinstance(part, CALLS) and part.id is not None:
                    if part.id in known:
                        rows.append((part, "answer" if known[part.id] == answer else "request"))
                    known[part.id] = answer
        before = message.role
    return rows


def ungrouped_calls(request: Request) -> list[tuple[Any, str]]:
    """Return the calls of functions that only a group has, and whose options do not say which, each with its name."""
    tools = request.tools or ()
    inner = [(tool, member) for tool in tools if isinstance(tool, ToolGroup) for member in tool.tools]
    groups = {member.name: group.name for group, member in inner if not isinstance(member, Opaque)}
    if not groups:
        return []
    alone = {getattr(tool, "name", None) for tool in tools if not isinstance(tool, ToolGroup)}
    calls = [part for message in sent_messages(request) for part in message.parts if isinstance(part, CALLS)]
    return [
        (call, groups[call.name])
        for call in calls
        if call.name in groups
        and call.name not in alone
        and not _says_one_of({*groups.values()}, call.vendor)
    ]


def _says_one_of(names: set[str], vendor: Mapping[str, Mapping[str, Any]] | None) -> bool:
    """Return whether an option of any API is one of these names."""
    return any(
        value in names
        for options in (vendor or {}).values()
        for value in options.values()
        if type(value) is str
    )


# the last key of a path about calls -> the calls that it means, each with a value
CALL_ROWS = {"repeated": repeated_calls, "ungrouped": ungrouped_calls}
