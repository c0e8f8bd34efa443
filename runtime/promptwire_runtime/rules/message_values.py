"""The values of a rule's path into the messages: at a part, at a message, at a cache mark, and where they stand."""

from __future__ import annotations

from itertools import pairwise

from ..model.parts import CustomToolResult, Part, ToolResult
from ..reporting.spec_words import kind_of, kind_of_class
from ..typed import TYPE_CHECKING
from .entries import parse_entry
from .field_values import field_values, given_values, selection

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message, Request
    from ..reporting.report import Report
    from .field_values import SplitPath


class Marks:
    """The cache marks of one build so far: how many were sent, and the node of the last one."""

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = 0
        self.last: Any = None


def mark_values(path: SplitPath, node: Any, marks: Marks, request: Request) -> list[Any]:
    """Find the values of a path at a cache mark that is being sent; a time to live that none names is `default`."""
    _, selector, tail = path
    if tail == "count":
        return [marks.count]
    if tail == "ttl":
        return given_values([node.cache.ttl])
    # the request's own mark stands behind all others, wherever it is written
    if node is request or (selector and not parse_entry(selector).means(_ttl_of(node))):
        return []
    if tail == "after":
        return ["start" if marks.last is None else _ttl_of(marks.last)]
    return ["none" if request.cache is None else _ttl_of(request)]


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
    return [before for before, current in pairwise(kinds) if current == kind]


def watched_values(report: Report, path: SplitPath, node: Any, node_values: list[Any] | None) -> list[Any]:
    """Keep the values of a path at a node, as often as it stands where the path says: in a message of that role.

    What a tool returned is `tool`, whoever's message the result stands in.
    """
    first, selector, tail = path
    if first in ("message", "part"):
        return node_values or []
    values: list[Any] = []
    messages = report.request.messages
    # a node may stand in several messages
    for place in report.paths(node):
        if not place.startswith("messages["):
            continue
        index, *inner = [int(piece[: piece.index("]")]) for piece in place.split("[")[1:]]
        index -= report.hoisted
        if index < 0 or _speaker(messages[index], inner) != first:
            continue
        if not selector or selection(selector, report.wire.name)(messages[index]):
            values += [_neighbour(report.request, index, inner, tail)] if node_values is None else node_values
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
