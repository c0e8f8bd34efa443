"""Where the values are that rules look at: in fields, in derived fields, and in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ..model.parts import RESULTS, Json, Part, PerWire, Text, ToolCall, ToolResult
from ..model.request import ROLES, Message, Request
from ..nodes.file_kinds import begins_as_text, is_base64, registered_type, type_of_bytes
from ..nodes.plain import is_empty_message
from ..predicates.conditions import FieldCondition, FieldPath
from ..predicates.words import BEGINNINGS
from ..reporting.report import Report
from ..reporting.spec_words import kind_of, kind_of_class
from ..wire_json.kinds import is_list, is_mapping, is_object

DATA_URL, NO_BASE64, TEXT = "data_url", "no_base64", "text/plain"
EMPTY, NO_JSON, NO_OBJECT = "empty", "no_json", "no_object"


def actual_type(part: Any) -> str | None:
    """Return the media type that the data of a part show, if its media type is another one.

    `data_url` stands for data that begin with `data:`, and `no_base64` for those that are none. Text shows itself where
    files of the media type begin otherwise.
    """
    data: str | None = getattr(part, "data", None)
    given: str | None = getattr(part, "media_type", None)
    if data is None or data.startswith(BEGINNINGS[given]):
        return None
    if data[:5].lower() == "data:":
        return DATA_URL
    if not is_base64(data):
        return NO_BASE64
    shown = type_of_bytes(data) or (TEXT if given in BEGINNINGS and begins_as_text(data) else None)
    return shown if given is not None and shown != registered_type(given) else None


def data_type(part: Any) -> str | None:
    """Return the media type of a part that is given as data."""
    return None if part.data is None else part.media_type


def empty(part: Any) -> bool | None:
    """Return whether a text says nothing and carries no signature, as the last piece of some answers does."""
    return True if isinstance(part, Text) and not part.text and part.signature is None else None


def error(part: Any) -> str | None:
    """Return what a failed result says; None for other results, and for a failed one with more than text."""
    if not (isinstance(part, ToolResult) and part.is_error):
        return None
    texts = [inner.text for inner in part.parts if isinstance(inner, Text)]
    return "\n".join(texts) if len(texts) == len(part.parts) else None


def error_part(part: Any) -> str | None:
    """Return the kind of the first part of a failed result that is no text; None for other results."""
    if not (isinstance(part, ToolResult) and part.is_error):
        return None
    return next((kind_of(inner) for inner in part.parts if not isinstance(inner, (Text, Json))), None)


def arguments_type(part: Any) -> str | None:
    """Return what arguments are that are text and no JSON object: `empty`, `no_json` or `no_object`."""
    text = part.arguments if isinstance(part, ToolCall) else None
    if type(text) is not str:
        return None
    if not text.strip():
        return EMPTY
    from ..wire_json.codec import decode_finite

    try:
        value = decode_finite(text)
    except (ValueError, RecursionError):
        return NO_JSON
    return None if is_object(value) else NO_OBJECT


# name of the field in rules -> how it is read
DERIVED: dict[str, Callable[[Any], str | bool | None]] = {
    "actual_type": actual_type,
    "arguments_type": arguments_type,
    "data_type": data_type,
    "empty": empty,
    "error": error,
    "error_part": error_part,
}


_DEEP_HEADS = frozenset({"part", "message", *ROLES})


def is_part_count(path: FieldPath) -> bool:
    """Return whether a path is the number of parts of a kind: `messages.image.count`, `user.document.count`."""
    return len(path.keys) == 2 and path.keys[1] == "count"


def is_deep(path: FieldPath) -> bool:
    """Return whether a path leads into messages; `tool` alone is a kind of tool, not a role.

    The number of parts of a kind (`user.image.count`) is counted once for a request.
    """
    if is_part_count(path):
        return False
    return path.head in _DEEP_HEADS and (path.head != "tool" or bool(path.keys))


def field_values(node: Any, keys: Sequence[str], wire: str, either: Sequence[str] = ()) -> list[Any]:
    """Return the values of a node's field: `name`, `vendor.clear_at`, or a key of its JSON, `format.grammar.syntax`.

    Keys of an option lead into its JSON, and into each element of its lists: `vendor.edits.type`.
    A key that a given object lacks has the value None, so that a rule can ask for it; of `either`, the first that is
    there counts. A star stands for the keys of all objects inside the JSON: `value.*`.
    Some fields are derived from others: `actual_type`.
    """
    field, *inner = keys
    if field in DERIVED:
        return given_values([DERIVED[field](node)])
    value = getattr(node, field, None)
    if field == "vendor":
        options: PerWire = value or {}
        return given_values(_behind(options.get(wire), inner))
    if field == "parts" and inner:
        return given_values([getattr(part, inner[0], None) for part in node.parts])
    if not (inner or either):
        return given_values([value])
    if inner == ["*"]:
        return list(_keys_inside(value))
    names = either or (inner.pop(),)
    for name in inner:
        value = value.get(name) if is_mapping(value) else None
    return [next((value[name] for name in names if name in value), None)] if is_mapping(value) else []


def _keys_inside(value: Any) -> Iterator[str]:
    """Yield the keys of the objects inside a JSON value, at any depth; its own keys are not among them."""
    stack = list(value.values()) if is_mapping(value) else list(value) if is_list(value) else []
    while stack:
        inner = stack.pop()
        if is_mapping(inner):
            yield from inner
            stack += inner.values()
        elif is_list(inner):
            stack += inner


def first_given(node: object, fields: Sequence[str]) -> Any:
    """Return the value of the first of several fields that is set, or None."""
    values = given_values([getattr(node, field, None) for field in fields])
    return values[0] if values else None


def _behind(value: Any, keys: list[str]) -> list[Any]:
    if type(value) in (list, tuple):
        return [inner for element in value for inner in _behind(element, keys)]
    if not keys:
        return [value]
    return _behind(value[keys[0]], keys[1:]) if is_mapping(value) and keys[0] in value else []


def is_meant(node: object, where: FieldCondition | None, wire: str) -> bool:
    """Return whether a node meets the condition in the brackets of a path; an empty list counts as not set."""
    if where is None:
        return True
    path = where.path
    if path.head == "part":
        return any(map(where.means, field_values(node, path.keys, wire)))
    if path.keys:
        values = field_values(node, (path.head, *path.keys), wire)
        return any(value != () and where.means(value) for value in values)
    value = getattr(node, path.head, None)
    if path.head == "parts" and where.operator:
        return any(where.means(kind_of(part)) for part in value or ())
    return value is not None and value != () and where.means(value)


def given_values(values: list[Any]) -> list[Any]:
    """Return the values that are not None."""
    return [value for value in values if value is not None]


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
    if len(field) == 1 and field[0] in _OF_MESSAGES:
        return _OF_MESSAGES[field[0]](kind, node) if speaks else []
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
    return [kind_of(node)] if path.tail == "part" else _of_part(path, field or path.keys, node, wire)


def chooses_parts(path: FieldPath) -> bool:
    """Return whether the brackets of a path choose the parts that it is about, not their messages."""
    return path.where is not None and path.where.path.head == "part"


def _of_part(path: FieldPath, field: Sequence[str], node: Any, wire: str) -> list[Any]:
    # a part that the brackets chose may lack the whole object with the key, that it needs
    lacking = [None] if len(field) > 1 and chooses_parts(path) else []
    return field_values(node, field, wire) or lacking


def may_concern(path: FieldPath, cls: type) -> bool:
    """Return whether `values_here` may find anything at a message or part of this class, whatever it holds."""
    speaks = hasattr(cls, "role") and hasattr(cls, "parts")
    if path.head in ("message", "part"):
        return speaks == (path.head == "message")
    of_message = len(path.keys) == 2 and path.keys[1] in _OF_MESSAGES
    if of_message or path.tail in ("after", "before", "count", "empty"):
        return speaks
    return not speaks and (not (path.keys[1:] or path.either) or path.keys[0] == kind_of_class(cls))


def _before_each(kind: str, message: Message) -> list[str]:
    """Return the kind of the part before each part of a kind in one message; `start` stands before the first."""
    kinds = ["start", *map(kind_of, message.parts)]
    return [before for before, current in pairwise(kinds) if current == kind]


def _alone(kind: str, message: Message) -> list[bool]:
    """Return whether a message holds nothing but parts of a kind; nothing for others."""
    return [True] if message.parts and all(kind_of(part) == kind for part in message.parts) else []


def _unnamed(kind: str, message: Message) -> list[bool]:
    """Return whether a part of a kind stands before a text of a message without an id; nothing for others."""
    if message.id is not None:
        return []
    kinds = [kind_of(part) for part in message.parts]
    return [True] if (kind, "text") in pairwise(kinds) else []


# name of a field that a message has for its parts of a kind -> how it is read
_OF_MESSAGES: dict[str, Callable[[str, Message], list[Any]]] = {
    "after": _before_each,
    "alone": _alone,
    "unnamed": _unnamed,
}


def watched_values(report: Report, path: FieldPath, node: Any, node_values: list[Any] | None) -> list[Any]:
    """Return the values of a path at a node once for each message of the right role that holds it.

    The role of a result is `tool`, also in a message of the user.
    """
    if path.head in ("message", "part"):
        return node_values or []
    values: list[Any] = []
    messages = report.request.messages
    # a node may stand in several messages
    for place in report.origins.paths(node):
        if not place.startswith("messages["):
            continue
        index, *inner = [int(piece[: piece.index("]")]) for piece in place.split("[")[1:]]
        index -= report.origins.hoisted_count
        if index < 0 or _speaker(messages[index], inner) != path.head:
            continue
        if is_meant(node if chooses_parts(path) else messages[index], path.where, report.wire.name):
            values += [_neighbour(report, index, inner, path.keys)] if node_values is None else node_values
    return values


def _neighbour(report: Report, index: int, inner: list[int], keys: tuple[str, ...]) -> str:
    """Return the message before or after one as its role and the kind of its nearer part, or `start` or `end`.

    Messages of which nothing is sent, for no other problem, are passed over as far as this is known: before a message.
    Behind a part stands the next one, by its kind alone, and behind the last one the next message.
    """
    *kind, side = keys
    messages = report.request.messages
    omitted = (report.omitted_messages or ()) if report.found is None else ()
    if kind and len(parts := messages[index].parts) > inner[0] + 1:
        return kind_of(parts[inner[0] + 1])
    step = -1 if side == "after" else 1
    other = index + step
    while 0 <= other < len(messages) and id(messages[other]) in omitted:
        other += step
    if not 0 <= other < len(messages):
        return "start" if side == "after" else "end"
    message = messages[other]
    nearer = message.parts[-1:] if side == "after" else message.parts[:1]
    return f"{message.role}.{''.join(map(kind_of, nearer))}"


def _speaker(message: Message, inner: list[int]) -> str:
    """Return the role of a part of a message; `tool` for parts inside a tool result."""
    if len(inner) > 1 and type(message.parts[inner[0]]) in RESULTS:
        return "tool"
    return message.role
