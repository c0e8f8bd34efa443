"""Bodies and messages that a build writes exactly as they were read: nothing is built to see that.

Nearly all conversations consist of them: texts, images, calls and results, and keys whose values stand as they are.
Whatever has another key, or a value that may be written otherwise, is read by the functions of its wire and compared
with what a build writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.parts import Image, Text, ToolCall, ToolResult
from ..wire_json.values import (
    as_bool,
    as_free,
    as_number,
    as_number_object,
    as_str,
    as_strings,
    as_text_object,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..model.request import Message


def _as_exact_int(value: Any) -> int | None:
    """Read a whole number that stands as one."""
    return value if type(value) is int else None


def _at_least(least: int) -> Callable[[Any], int | None]:
    return lambda value: value if type(value) is int and value >= least else None


def _as_given(value: Any) -> Any:
    return value


# type of a field -> what reads it from a value that a build writes again as it is
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "str": as_str,
    "int": _as_exact_int,
    "number": as_number,
    "bool": as_bool,
    "strings": as_strings,
    "object": as_free,
    "text_object": as_text_object,
    "number_object": as_number_object,
    "json": _as_given,
}
# `type` as type checkers do not narrow it: what a list or an object holds is any JSON
_class: Callable[[Any], type] = type
_PLAIN_KINDS = frozenset({Text, Image, ToolCall, ToolResult})


class PlainItem:
    """How a wire writes a message of one role that has nothing but plain parts.

    speaker  the key that says whose it is, and `word`, what stands there
    content  the key of its content
    calls    the key of its tool calls, which may be that of the content; empty where they are no part of it
    bare     whether one text stands without a list
    """

    __slots__ = ("bare", "calls", "content", "speaker", "word")

    def __init__(self, speaker: str, word: str, content: str, calls: str = "", *, bare: bool) -> None:
        self.speaker = speaker
        self.word = word
        self.content = content
        self.calls = calls
        self.bare = bare

    def holds(self, message: Message, item: Mapping[str, Any]) -> bool:
        """Return whether a build writes a message that was read from an item as that item."""
        if item.get(self.speaker) != self.word:
            return False
        parts = message.parts
        content: Any = item.get(self.content)
        if len(parts) == 1 and type(parts[0]) is Text:
            return len(item) == 2 and parts[0].is_plain and type(content) is (str if self.bare else list)
        kinds = set(map(type, parts))
        if not kinds <= _PLAIN_KINDS or (ToolResult in kinds and len(kinds) > 1):
            return False
        calls = 0
        for part in parts:
            # a part without memory is written as it was read
            if part.kept is not None or not (part.is_plain or type(part) is ToolCall):
                return False
            if type(part) is ToolCall:
                calls += 1
            elif calls and self.calls != self.content:
                return False
        if not calls or self.calls == self.content:
            return len(item) == 2 and _class(content) is list and len(parts) == len(content) > 0
        return self._has_calls(len(parts) - calls, calls, content, item)

    def _has_calls(self, texts: int, calls: int, content: Any, item: Mapping[str, Any]) -> bool:
        """Return the same of a message whose calls stand beside its content."""
        value: Any = item.get(self.calls)
        if _class(value) is not list or len(value) != calls:
            return False
        if not texts:
            return len(item) == 2
        return len(item) == 3 and type(content) is (str if self.bare and texts == 1 else list)


class PlainBody:
    """The keys of a body whose values are written as they were read.

    rows      key -> where its value goes (`options`, `vendor`, or empty for the request), the field, what reads it;
              of an object, the rows of its keys
    required  the keys that a build always writes
    named     the fields of the request that stand in the body, though a URL may say them as well
    """

    __slots__ = ("named", "required", "rows")

    def __init__(self, words: str, required: str) -> None:
        """Parse rows such as `temperature=options.temperature:number` or `stream_options.include_usage=...`."""
        self.rows: dict[str, Any] = {}
        named: set[str] = set()
        for word in words.split():
            path, _, target = word.partition("=")
            value, kind, least = [*target.split(":"), "", ""][:3]
            place, _, field = value.rpartition(".")
            convert = _at_least(int(least)) if least else _CONVERSIONS.get(kind, _as_given)
            outer, _, key = path.rpartition(".")
            rows = self.rows.setdefault(outer, {}) if outer else self.rows
            rows[key] = place, field, convert
            if not place:
                named.add(field)
        self.required = frozenset(required.split())
        self.named = named & {"model", "stream", "continuation"}

    def fields(self, body: dict[str, Any]) -> dict[str, dict[str, Any]] | None:
        """Return the values of a body by place and field; None where some key is not plain."""
        found: dict[str, dict[str, Any]] = {"": {}, "options": {}, "vendor": {}}
        return found if self.required <= body.keys() and _are_plain(body, self.rows, found) else None


def _are_plain(item: dict[str, Any], rows: dict[str, Any], found: dict[str, dict[str, Any]]) -> bool:
    """Read the keys of an object by their rows; return whether all of them have one, and a value that fits."""
    for key, value in item.items():
        row = rows.get(key)
        if row is None:
            return False
        if _class(row) is dict:
            if _class(value) is not dict or not value or not _are_plain(value, row, found):
                return False
            continue
        place, field, convert = row
        read = convert(value)
        if read is None:
            return False
        found[place][field] = read
    return True
