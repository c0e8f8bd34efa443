"""Bodies and messages that a build writes exactly as they were read: nothing is built to see that.

Nearly all conversations consist of them: texts, images, calls and results, and keys whose values stand as they are.
Whatever has another key, or a value that may be written otherwise, is read by the functions of its wire and compared
with what a build writes.
"""

from __future__ import annotations

from collections import defaultdict
from json import loads
from typing import TYPE_CHECKING, Any

from ..build.shape_filters import read_upper, write_upper
from ..model.options import Continuation, ReasoningOptions, ToolChoice
from ..model.parts import Audio, Document, Image, Reasoning, Text, ToolCall, ToolResult, Video
from ..model.wire_memory import Form
from ..nodes.node import is_deferred
from ..wire_json.kinds import is_object
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


def _as_upper(value: Any) -> Any:
    """Read text, or texts, that stand in capitals."""
    read = read_upper(value)
    return read if read is not None and value == write_upper(read) else None


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
    "upper_strings": lambda value: _as_upper(value) if _class(value) is list else None,
    "upper_str": lambda value: _as_upper(value) if type(value) is str else None,
    # a key that is named, and may be written otherwise
    "never": lambda _: None,
    # instructions: a text, a list of layers, or both
    "text": lambda value: value if type(value) is str else None,
    "layers": lambda value: value if _class(value) is list else None,
}
# nodes of a request of which some keys of a body hold one field each
PARTIAL = {"tool_choice": ToolChoice, "reasoning": ReasoningOptions, "continuation": Continuation}
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
        elif count or not calls or (content is not None and content != []):
            return UNSURE
        elif self.content in item:
            # nothing stands there: null or an empty list
            absent = {key: value for key, value in item.items() if key in absent or key == self.content}
        return Form(absent=absent, listed=listed) if absent or listed else None

    def _absent(self, message: Message, item: dict[str, Any], words: MemoryWords) -> dict[str, Any] | None:
        """Return the keys of an item that no build writes, as they mean nothing; None where one may mean something."""
        absent: dict[str, Any] = {}
        if len(item) > 2:
            known = self.speaker, self.content, self.calls or self.content
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


class _Remembered:
    """What form memory holds of one object of a body; `rest` are the keys without a row."""

    __slots__ = ("absent", "inside", "renamed", "rest")

    def __init__(self) -> None:
        self.absent: dict[str, Any] = {}
        self.renamed: dict[str, str] = {}
        self.inside: dict[str, Form] = {}
        self.rest: dict[str, Any] = {}

    def form(self) -> Form | None:
        """Return the memory; None where nothing is remembered."""
        if not (self.absent or self.renamed or self.inside):
            return None
        return Form(absent=self.absent, renamed=self.renamed, inside=self.inside)


def _number(text: str) -> Any:
    """Return the number, or the boolean, that a text is in JSON; None for any other text."""
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return None
    return value if type(value) in (int, float, bool) else None


class Level:
    """The keys of one object of a body, and what reads their values.

    rows  key -> where its value is stored (`options`, `vendor`, a node, or empty for the request), the field, and what
          reads it; the level of an object; words that mean nothing; of another spelling, the key itself
    rest  the field that takes all other keys; empty where nothing does
    """

    __slots__ = ("rest", "rows")

    def __init__(self) -> None:
        self.rows: dict[str, Any] = {}
        self.rest = ""

    def add(self, path: list[str], row: Any) -> None:
        """Add the row of a key: the keys that lead to it, each with its other spellings, as in `user/user_id`."""
        name, *more = path[0].split("/")
        if name == "*":
            self.rest = row[1]
            return
        if len(path) > 1:
            self.rows.setdefault(name, Level()).add(path[1:], row)
        else:
            self.rows[name] = row
        for alias in more:
            self.rows[alias] = name

    def with_numbers(self, item: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[dict[str, Any], str]]]:
        """Read numbers and booleans that stand as text; return the object with them, and where they were."""
        changes: dict[str, Any] = {}
        places: list[tuple[dict[str, Any], str]] = []
        for key, value in item.items():
            row: Any = self.rows.get(key)
            row = self.rows[row] if type(row) is str else row
            if type(row) is Level and is_object(value):
                inner, below = row.with_numbers(value)
                if below:
                    changes[key] = inner
                    places += below
                continue
            rows: Any = row
            convert: Any = rows[2] if _class(rows) is tuple else None
            if convert is not None and type(value) is str and convert(value) is None:
                number = _number(value)
                if number is not None and convert(number) is not None:
                    changes[key] = number
                    places.append((item, key))
        return ({**item, **changes} if changes else item), places

    def read(self, item: dict[str, Any], found: dict[str, dict[str, Any]]) -> Form | None:
        """Read an object into the values by place and field, and return what form memory holds of it.

        None: nothing. UNSURE: some key has no row, or a value that may be written otherwise.
        """
        rows = self.rows
        remembered: _Remembered | None = None
        for key, value in item.items():
            row: Any = rows.get(key)
            if _class(row) is tuple and value is not None:
                place, field, convert = row
                read = convert(value)
                if read is None:
                    return UNSURE
                found[place][field] = read
                continue
            if remembered is None:
                remembered = _Remembered()
            if not self._is_known(key, value, item, found, remembered):
                return UNSURE
        if remembered is None:
            return None
        if remembered.rest:
            found[""][self.rest] = remembered.rest
        # an object without a value is not written at all
        return remembered.form() if len(remembered.absent) < len(item) else UNSURE

    def _is_known(
        self,
        key: str,
        value: Any,
        item: dict[str, Any],
        found: dict[str, dict[str, Any]],
        remembered: _Remembered,
    ) -> bool:
        """Read a key that is no field, or null; return whether it is known how it is written."""
        row: Any = self.rows.get(key)
        if row is None:
            remembered.rest[key] = value
            return bool(self.rest)
        if value is None or (_class(row) is frozenset and type(value) is str and value in row):
            remembered.absent[key] = value
            return True
        if type(row) is str:
            remembered.renamed[row] = key
            return row not in item and self._is_same_below(self.rows[row], value, found)
        # an object without a value is not written at all
        if type(row) is not Level or not is_object(value) or not value:
            return False
        below = row.read(value, found)
        if below is not None:
            remembered.inside[key] = below
        return below is not UNSURE

    def _is_same_below(self, row: Any, value: Any, found: dict[str, dict[str, Any]]) -> bool:
        """Read the value of a key in another spelling; return whether it is written as it stands."""
        if type(row) is Level:
            return is_object(value) and bool(value) and row.read(value, found) is None
        if _class(row) is not tuple:
            return False
        place, field, convert = row
        read = found[place][field] = convert(value)
        return read is not None


class PlainBody:
    """The keys of a body of which it is known how their values are written.

    level     the keys
    required  the keys that a build always writes
    grouped   the key that holds all functions of the list of tools, and its other spellings
    bare      whether instructions that are a single text stand without a list
    named     the fields of the request that stand in the body, though a URL may say them as well
    """

    __slots__ = ("bare", "grouped", "level", "named", "required")

    def __init__(self, words: str, required: str, grouped: str = "", *, bare: bool = False) -> None:
        """Parse rows such as `temperature=options.temperature:number` or `stream_options.include_usage=...`."""
        self.grouped = tuple(grouped.split())
        self.bare = bare
        self.level = Level()
        named: set[str] = set()
        for word in words.split():
            path, _, target = word.partition("=")
            value, kind, more = [*target.split(":"), "", ""][:3]
            place, _, field = value.rpartition(".")
            if kind == "word":
                self.level.add(path.split("."), frozenset(more.split("|")))
                continue
            self.level.add(path.split("."), (place, field, _conversion(kind, more)))
            if not place:
                named.add(field)
        self.required = frozenset(required.split())
        self.named = named & {"model", "stream", "continuation"}

    def read(self, body: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], Form | None]:
        """Return the values of a body by place and field, and what form memory holds of it.

        UNSURE: some key is not plain.
        """
        found: dict[str, dict[str, Any]] = defaultdict(dict)
        for key in self.required:
            if body.get(key) is None:
                return found, UNSURE
        return found, self.level.read(body, found)


def _conversion(kind: str, more: str) -> Callable[[Any], Any]:
    """Return what reads a value of a type, or None if it may be written otherwise."""
    if more:
        return _at_least(int(more))
    return _CONVERSIONS.get(kind, _as_given)


def is_written_back(parts: tuple[Part, ...] | None, content: Any, *, bare: bool) -> bool:
    """Return whether a build writes the parts inside a part as the JSON that they were read from.

    Args:
        parts: The parts.
        content: The JSON.
        bare: Whether a single text stands without a list.
    """
    if parts is None:
        return False
    if type(content) is str:
        return bare and len(parts) == 1 and type(parts[0]) is Text and parts[0].is_plain
    if _class(content) is not list or len(content) != len(parts) or not _are_written_alone(parts, len(parts)):
        return False
    return not (bare and len(parts) == 1 and type(parts[0]) is Text) or len(content[0]) > 2
