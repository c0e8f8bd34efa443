"""The parts that the messages of a request hold, for rules about kinds that some models reject, and about numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from promptwire_text.conditions import WORDED_KINDS

from ..model.kind_words import PART_KINDS
from ..model.media import Document
from ..model.parts import ToolReference, ToolResult
from ..model.request import Message, Request
from ..nodes.plain import PICTURED, SHOWN, WORDED, is_worded
from ..predicates.conditions import FieldPath
from ..reporting.node_paths import lists_of
from ..wire_json.kinds import class_of
from .field_values import is_meant
from .tool_values import added_tools, with_grouped

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
    """Count the parts of a kind, also inside of others; their classes are looked at, because most parts hold none."""
    classes = [*map(class_of, parts)]
    holders = _HOLDERS.intersection(classes)
    inside = [part.parts for part in parts if class_of(part) in holders] if holders else ()
    return classes.count(PART_KINDS[kind]) + sum([_count(inner, kind) for inner in inside if inner])


def _inside(parts: tuple[Any, ...]) -> Iterator[Any]:
    for part in parts:
        yield part
        if "parts" in lists_of(part.__class__) and part.parts:
            yield from _inside(part.parts)
