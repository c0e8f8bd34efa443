"""Marks: a text or number of its own in every leaf of a request, so that each can be found again."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from promptwire import ToolCall
from promptwire.parts import CustomToolCall


class Marks:
    """Puts a mark of its own into every leaf of a request, and remembers where each one went."""

    def __init__(self, wire: str, options: tuple[str, ...]) -> None:
        """Mark for one wire; every node that may is also given these options of that wire."""
        self.wire = wire
        self.options = options
        self.places: dict[str, str] = {}

    def text(self, path: str) -> str:
        """Make the next mark as text."""
        mark = f"mk{len(self.places):05}x"
        self.places[mark] = path
        return mark

    def key(self, path: str) -> str:
        """Make the next mark as the key of an object at this path."""
        mark = self.text(path)
        self.places[mark] = f"{path}.{mark}"
        return mark

    def number(self, path: str) -> int:
        """Make the next mark as a number."""
        number = 7_310_000_000 + len(self.places)
        self.places[str(number)] = path
        return number

    def plant(self, node: Any, path: str = "") -> Any:
        """Copy a neutral node with marks in it; memory, words that pick a shape, and bools stay away or as they are."""
        changes: dict[str, Any] = {}
        for each in fields(node):
            value = getattr(node, each.name)
            place = f"{path}.{each.name}" if path else each.name
            if each.name in ("kept", "provenance"):
                changes[each.name] = None
            elif each.name in ("vendor", "extra"):
                changes[each.name] = self._per_wire(value, place, each.name)
            elif each.init and (type(node).__name__, each.name) not in PICKING:
                changes[each.name] = self._field(each.name, value, place)
        if isinstance(node, (ToolCall, CustomToolCall)) and node.id is None:
            changes["id"] = self.text(f"{path}.id")
        return replace(node, **changes)

    def _field(self, name: str, value: Any, place: str) -> Any:
        if value is None:
            return self.text(place) if name in ("call_id", "item_id", "name") else None
        if name == "media_type":
            return f"{value.partition('/')[0]}/{self.text(place)}"
        if name == "arguments" and isinstance(value, str):
            return f'{{"{self.text(place)}": "{self.text(place)}"}}'
        if is_dataclass(value):
            return self.plant(value, place)
        if isinstance(value, tuple):
            return tuple(
                [
                    self.plant(item, f"{place}[{index}]")
                    if is_dataclass(item)
                    else self.json(item, f"{place}[{index}]")
                    for index, item in enumerate(value)
                ]
            )
        return self.json(value, place)

    def json(self, value: Any, place: str) -> Any:
        """Copy a JSON value with a mark for every key, text and number."""
        if isinstance(value, dict):
            keys = [self.key(place) for _ in value]
            return {
                key: self.json(inner, f"{place}.{key}")
                for key, inner in zip(keys, value.values(), strict=True)
            }
        if isinstance(value, list):
            return [self.json(inner, f"{place}[{index}]") for index, inner in enumerate(value)]
        if isinstance(value, str):
            return self.text(place)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self.number(place)
        return value

    def _per_wire(self, value: Any, place: str, name: str) -> Any:
        marked = {wire: self.json(inner, f"{place}.{wire}") for wire, inner in (value or {}).items()}
        if name == "vendor" and self.options:
            known = {option: self.text(f"{place}.{self.wire}.{option}") for option in self.options}
            marked[self.wire] = {**marked.get(self.wire, {}), **known}
        return marked or None


# fields whose words pick the shape, or that no wire writes
PICKING = {
    ("Message", "role"), ("ToolChoice", "mode"), ("ResponseFormat", "kind"), ("Opaque", "wire"), ("Opaque", "place"),
    ("HostedCall", "type"), ("HostedResult", "type"), ("HostedTool", "type"), ("ReasoningOptions", "mode"),
    ("ToolReference", "change"), ("Instruction", "role"), ("Instruction", "source"), ("Instruction", "stability"),
    ("Instruction", "trust"), ("Continuation", "wire"), ("Continuation", "kind"), ("Continuation", "unanswered"),
    ("Continuation", "start"), ("Continuation", "model"), ("Continuation", "account"), ("Continuation", "held"),
    ("Continuation", "expired"),
}  # fmt: skip
