"""The values of a node's field behind a rule's path, and the nodes that a path selects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..model.parts import PerWire
from ..model.request import ROLES
from ..predicates.conditions import FieldCondition, FieldPath
from ..reporting.spec_words import kind_of
from ..wire_json.kinds import is_list, is_mapping
from .derived_fields import DERIVED

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
