"""Bodies that a build writes exactly as they were read: nothing is built to see that.

Whatever has another key, or a value that may be written otherwise, is read by the functions of its wire and compared
with what a build writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from json import loads
from typing import Any

from ..build.shape_filters import read_upper, write_upper
from ..model.options import Continuation, ReasoningOptions, ToolChoice
from ..model.wire_memory import Form, make_form, make_swap
from ..wire_json.kinds import is_object
from ..wire_json.values import (
    EMPTY,
    as_bool,
    as_free,
    as_number,
    as_number_object,
    as_str,
    as_strings,
    as_text_object,
)


def _as_exact_int(value: Any) -> int | None:
    """Read a whole number that is not text."""
    return value if type(value) is int else None


def _at_least(least: int) -> Callable[[Any], int | None]:
    return lambda value: value if type(value) is int and value >= least else None


def _as_upper(value: Any) -> Any:
    """Read text, or texts, in capitals."""
    read = read_upper(value)
    return read if read is not None and value == write_upper(read) else None


# type of a field -> what reads it from a value that a build writes again as it is
_CONVERSIONS: dict[str, Callable[[Any], Any] | None] = {
    "str": as_str,
    "int": _as_exact_int,
    "number": as_number,
    "bool": as_bool,
    "strings": as_strings,
    "object": as_free,
    "text_object": as_text_object,
    "number_object": as_number_object,
    # as it stands
    "json": None,
    "upper_strings": lambda value: _as_upper(value) if _class(value) is list else None,
    "upper_str": lambda value: _as_upper(value) if type(value) is str else None,
    # a key that is named, and may be written otherwise
    "never": lambda _: None,
    # instructions: a text, a list of layers, or both
    "text": lambda value: value if type(value) is str else None,
    "layers": lambda value: value if _class(value) is list else None,
}
# type of a field -> the class of values that are read unchanged
_STORED = {"str": str, "int": int, "number": int, "bool": bool, "object": dict, "text": str}
# nodes of a request of which some keys of a body hold one field each
PARTIAL = {"tool_choice": ToolChoice, "reasoning": ReasoningOptions, "continuation": Continuation}
# `type` as type checkers do not narrow it: what a list or an object holds is any JSON
_class: Callable[[Any], type] = type
# a memory that is not known without writing the node
UNSURE = Form()


class _Remembered:
    """The form memory of one object of a body; `rest` are the keys without a row."""

    __slots__ = ("absent", "inside", "names", "rest")

    def __init__(self) -> None:
        self.absent: dict[str, Any] = {}
        self.names: dict[str, tuple[str, ...]] = {}
        self.inside: dict[str, Form] = {}
        self.rest: dict[str, Any] = {}

    def form(self) -> Form | None:
        """Return the memory; None where nothing is remembered."""
        if not (self.absent or self.names or self.inside):
            return None
        swapped = (make_swap({}, self.absent),) if self.absent else ()
        return make_form(swapped, self.names, {}, self.inside)


def _number(text: str) -> Any:
    """Return the number, or the boolean, that a text is in JSON; None for any other text."""
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return None
    return value if type(value) in (int, float, bool) else None


class Level:
    """The keys of one object of a body, and what reads their values.

    rows  key -> where its value is stored (`options`, `vendor`, a node, or empty for the request), the field, what
          reads it, and the class of values that are stored as they stand; the level of an object; words that mean
          nothing; of another spelling, the key itself
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
        """Read numbers and booleans that are stated as text. Return the object with them, and their places."""
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
                place, field, convert, stored = row
                read = value if convert is None or _class(value) is stored else convert(value)
                if read is None:
                    return UNSURE
                found[place][field] = read
            elif _class(row) is not Level or _class(value) is not dict or not value:
                remembered = remembered or _Remembered()
                if not self._is_known(key, value, item, found, remembered):
                    return UNSURE
            else:
                below: Form | None = row.read(value, found)
                if below is UNSURE:
                    return below
                if below is not None:
                    remembered = remembered or _Remembered()
                    remembered.inside[key] = below
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
        """Read a key that is not a field, or null. Return whether it is known how a build writes it."""
        row: Any = self.rows.get(key)
        if row is None:
            remembered.rest[key] = value
            return bool(self.rest)
        if value is None or (_class(row) is frozenset and type(value) is str and value in row):
            remembered.absent[key] = value
            return True
        if type(row) is str:
            remembered.names[row] = (key,)
            return row not in item and self._is_same_below(self.rows[row], value, found)
        # an object without a value is not written at all
        if type(row) is not Level or value != {}:
            return False
        if row.rest:
            found[""].setdefault(row.rest, EMPTY)
        remembered.absent[key] = value
        return True

    def _is_same_below(self, row: Any, value: Any, found: dict[str, dict[str, Any]]) -> bool:
        """Read the value of a key in another spelling. Return whether a build writes it unchanged."""
        if type(row) is Level:
            return is_object(value) and bool(value) and row.read(value, found) is None
        if _class(row) is not tuple:
            return False
        place, field, convert, _ = row
        read = found[place][field] = value if convert is None else convert(value)
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
            stored = None if more else _STORED.get(kind)
            self.level.add(path.split("."), (place, field, _conversion(kind, more), stored))
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


def _conversion(kind: str, more: str) -> Callable[[Any], Any] | None:
    """Return the function that reads a value of a type, or None if the value is read unchanged."""
    return _at_least(int(more)) if more else _CONVERSIONS.get(kind)
