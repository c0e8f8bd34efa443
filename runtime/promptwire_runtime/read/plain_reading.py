"""Bodies and messages that a build writes exactly as they were read: nothing is built to see that.

Nearly all conversations consist of them: texts, images, calls and results, and keys whose values stand as they are.
Whatever has another key, or a value that may be written otherwise, is read by the functions of its wire and compared
with what a build writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.parts import Audio, Document, Image, Reasoning, Text, ToolCall, ToolResult, Video
from ..model.wire_memory import Form
from ..nodes.node import is_deferred
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
    from collections.abc import Callable

    from ..model.parts import Part
    from ..model.request import Message
    from .form_memory import MemoryWords


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
_PLAIN_KINDS = frozenset({Text, Image, Document, Audio, Video, Reasoning, ToolCall, ToolResult})
# what a message may have beside its role and parts
_FIELDS = ("name", "id", "status", "phase", "vendor")
# a memory that is not known without writing the node
UNSURE = Form()


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

    def memory(self, message: Message, item: dict[str, Any], words: MemoryWords) -> Form | None:
        """Return how an item differs from what a build writes for the message that was read from it.

        None: a build writes the item. UNSURE: that is not known without writing the message.
        """
        if item.get(self.speaker) != self.word:
            return UNSURE
        parts = message.parts
        content: Any = item.get(self.content)
        absent = self._absent(message, item, words)
        calls = self._number_of_calls(item)
        if absent is None or calls is None:
            return UNSURE
        listed: dict[str, tuple[dict[str, Any], str]] = {}
        count = len(parts) - calls
        if _class(content) is list and content:
            if len(content) != count or not _are_written_alone(parts, count):
                return UNSURE
            if (
                count == 1
                and self.bare
                and type(parts[0]) is Text
                and not self._is_list(parts[0], content, listed)
            ):
                return UNSURE
        elif type(content) is str:
            if not self.bare or count != 1 or type(parts[0]) is not Text or not parts[0].is_plain:
                return UNSURE
        elif count or not calls:
            return UNSURE
        elif self.content in item:
            # nothing stands there: null or an empty list
            absent = {key: value for key, value in item.items() if key in absent or key == self.content}
        return Form(absent=absent, listed=listed) if absent or listed else None

    def _absent(self, message: Message, item: dict[str, Any], words: MemoryWords) -> dict[str, Any] | None:
        """Return the keys of an item that no build writes, as they mean nothing; None where one may mean something."""
        absent: dict[str, Any] = {}
        if len(item) > 2:
            known = self.speaker, self.content, self.calls
            for key, value in item.items():
                if key in known:
                    continue
                if key not in words.keys or not (value is None or words.explain(value)):
                    return None
                absent[key] = value
            if absent and any(map(message.__getattribute__, _FIELDS)):
                return None
        return absent

    def _number_of_calls(self, item: dict[str, Any]) -> int | None:
        """Return how many calls stand beside the content; None where that is no list, or an empty one."""
        if not self.calls or self.calls == self.content or self.calls not in item:
            return 0
        calls: Any = item[self.calls]
        return len(calls) or None if _class(calls) is list else None

    def _is_list(self, part: Text, content: list[Any], listed: dict[str, tuple[dict[str, Any], str]]) -> bool:
        """Return whether it is known how the list of a single text is written, and note it where that is bare text."""
        if is_deferred(part) or part.kept is not None or not part.text:
            return False
        element = content[0]
        if len(element) == 2 and "type" in element:
            (key,) = element.keys() - {"type"}
            listed[self.content] = {"type": element["type"]}, key
        return True


def _are_written_alone(parts: tuple[Part, ...], count: int) -> bool:
    """Return whether each part is one element of the list that it was read from, whatever stands beside it."""
    kinds = set(map(type, parts[:count]))
    return kinds <= _PLAIN_KINDS and not (ToolResult in kinds and len(kinds) > 1)


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
