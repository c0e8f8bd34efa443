"""The values of a node's field behind a rule's path, and which nodes a selector means."""

from __future__ import annotations

from ..model.request import ROLES
from ..reporting.spec_words import split_path
from ..typed import TYPE_CHECKING, TypeAlias
from ..wire_json.kinds import is_mapping
from .entries import parse_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.parts import PerWire
    from .entries import Entry

SplitPath: TypeAlias = "tuple[str, str, str]"
_DEEP_HEADS = frozenset({"part", "message", *ROLES})
_MOST_WORDS = 256
_SELECTIONS: dict[tuple[str, str], Callable[[object], bool]] = {}


def head(entry: str) -> str:
    """The first word of a path or entry: `reasoning` of `reasoning.effort=max`."""
    return split_path(parse_entry(entry).path)[0]


def is_deep(path: str) -> bool:
    """Tell whether a path goes into the messages; `tool` alone is a kind of tool, `tool.text` a part of such a role."""
    first, _, tail = split_path(path)
    return first in _DEEP_HEADS and (first != "tool" or bool(tail))


def field_values(node: Any, path: str, wire: str) -> list[Any]:
    """Find the values of a node's field: `name`, `vendor.clear_at`, or a key of its JSON, `format.grammar.syntax`.

    Keys of an option lead into its JSON, and into each element of its lists: `vendor.edits.type`.
    A key that a given object lacks has the value None, so that a rule can ask for it; of several keys between `|`,
    the first that is there counts.
    """
    field, _, key = path.partition(".")
    value = getattr(node, field, None)
    if field == "vendor":
        options: PerWire = value or {}
        return given_values(_behind(options.get(wire), key.split(".")))
    if field == "parts" and key:
        return given_values([getattr(part, key, None) for part in node.parts])
    if "|" in field:
        return [next(iter(given_values([getattr(node, name, None) for name in field.split("|")])), None)]
    if not key:
        return given_values([value])
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
        return [inner for element in value for inner in _behind(element, keys)]
    if not keys:
        return [value]
    return _behind(value[keys[0]], keys[1:]) if is_mapping(value) and keys[0] in value else []


def selection(selector: str, wire: str) -> Callable[[object], bool]:
    """Give the test whether a node has a field that the selector means; an empty list is as good as none."""
    test = _SELECTIONS.get((selector, wire))
    if test is None:
        test = _SELECTIONS[selector, wire] = _selects(parse_entry(selector), wire)
    return test


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
        answer = known.get(value)
        if answer is None:
            if len(known) >= _MOST_WORDS:
                known.clear()
            answer = known[value] = test(value)
        return answer

    return selects


def given_values(values: list[Any]) -> list[Any]:
    """Leave out what is None."""
    return [value for value in values if value is not None]
