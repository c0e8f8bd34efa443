"""The values of a rule's path into messages: of parts, messages, cache marks and their neighbours."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..model.parts import RESULTS, Part
from ..model.request import Message, Request
from ..nodes.plain import is_empty_message
from ..predicates.conditions import FieldPath
from ..reporting.report import Report
from ..reporting.spec_words import kind_of, kind_of_class
from .field_values import field_values, first_given, given_values, is_meant


class Marks:
    """The cache marks of one build so far: how many were sent, and the node of the last one."""

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = 0
        self.last: Any = None


def mark_values(path: FieldPath, node: Any, marks: Marks, request: Request) -> list[Any]:
    """Return the values of a path at a cache mark that is being sent; `default` stands for a missing time to live."""
    if path.tail == "count":
        return [marks.count]
    if path.tail == "ttl":
        return given_values([node.cache.ttl])
    # the request's own mark stands behind all others, wherever it is written
    if node is request or (path.where is not None and not path.where.means(_ttl_of(node))):
        return []
    if path.tail == "after":
        return ["start" if marks.last is None else _ttl_of(marks.last)]
    return ["none" if request.cache is None else _ttl_of(request)]


def _ttl_of(marked: Any) -> str:
    return marked.cache.ttl or "default"


def values_here(path: FieldPath, node: Any, wire: str) -> list[Any] | None:
    """Return the values of a path into the messages at a node; None if they depend on the position of the node."""
    speaks = hasattr(node, "role") and hasattr(node, "parts")
    if path.head == "message":
        return field_values(node, path.keys, wire) if speaks else []
    if path.head == "part":
        return [kind_of(node)] if isinstance(node, Part) else []
    kind, *field = path.keys
    if not field and kind in ("after", "before"):
        # finding the position of a node is expensive
        return None if speaks and node.role == path.head and is_meant(node, path.where, wire) else []
    if field == ["after"]:
        return _before_each(kind, node.parts) if speaks else []
    if field == ["before"]:
        return None if kind == kind_of(node) else []
    if path.tail == "empty":
        return [True] if speaks and is_empty_message(node) else []
    if speaks != (path.tail == "count") or ((field or path.either) and kind != kind_of(node)):
        return []
    if path.either:
        return [first_given(node, path.either)]
    if path.tail == "count":
        return [len(node.parts)]
    return [kind_of(node)] if path.tail == "part" else field_values(node, field or path.keys, wire)


def may_concern(path: FieldPath, cls: type) -> bool:
    """Return whether `values_here` may find anything at a message or part of this class, whatever it holds."""
    speaks = hasattr(cls, "role") and hasattr(cls, "parts")
    if path.head in ("message", "part"):
        return speaks == (path.head == "message")
    if path.tail in ("after", "before", "count", "empty") or path.keys[1:] == ("after",):
        return speaks
    return not speaks and (not (path.keys[1:] or path.either) or path.keys[0] == kind_of_class(cls))


def _before_each(kind: str, parts: tuple[Part, ...]) -> list[str]:
    """Return the kind of the part before each part of a kind in one message; `start` stands before the first."""
    kinds = ["start", *map(kind_of, parts)]
    return [before for before, current in pairwise(kinds) if current == kind]


def watched_values(report: Report, path: FieldPath, node: Any, node_values: list[Any] | None) -> list[Any]:
    """Return the values of a path at a node once for each message of the right role that holds it.

    The role of a result is `tool`, also in a message of the user.
    """
    if path.head in ("message", "part"):
        return node_values or []
    values: list[Any] = []
    messages = report.request.messages
    # a node may stand in several messages
    for place in report.paths(node):
        if not place.startswith("messages["):
            continue
        index, *inner = [int(piece[: piece.index("]")]) for piece in place.split("[")[1:]]
        index -= report.hoisted_count
        if index < 0 or _speaker(messages[index], inner) != path.head:
            continue
        if is_meant(messages[index], path.where, report.wire.name):
            values += (
                [_neighbour(report.request, index, inner, path.keys)] if node_values is None else node_values
            )
    return values


def _neighbour(request: Request, index: int, inner: list[int], keys: tuple[str, ...]) -> str:
    """Return the message before or after one as its role and the kind of its nearer part, or `start` or `end`.

    Behind a part stands the next one, by its kind alone, and behind the last one the next message.
    """
    *kind, side = keys
    if kind and len(parts := request.messages[index].parts) > inner[0] + 1:
        return kind_of(parts[inner[0] + 1])
    other = index - 1 if side == "after" else index + 1
    if not 0 <= other < len(request.messages):
        return "start" if side == "after" else "end"
    message = request.messages[other]
    nearer = message.parts[-1:] if side == "after" else message.parts[:1]
    return f"{message.role}.{''.join(map(kind_of, nearer))}"


def _speaker(message: Message, inner: list[int]) -> str:
    """Return the role of a part of a message; `tool` for parts inside a tool result."""
    if len(inner) > 1 and type(message.parts[inner[0]]) in RESULTS:
        return "tool"
    return message.role
