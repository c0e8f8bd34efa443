"""Track the parts of a growing answer, and return each part when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import PromptwireError
from ..model.request import Message
from ..nodes.light_dataclasses import construct
from ..wire_json.kinds import is_list, is_object
from .answer import Answer
from .buffers import EACH, IndexedList, settled
from .event_paths import EventPaths
from .events import Event
from .stream_table import StreamTable
from .table import AnswerTable

Numbers = tuple[Any, ...]
# what every part has, and says nothing of it
_NAMING = frozenset({"type", "role", "index"})


class _Begun:
    """An open part: the JSON that it began with, if that says more than its events, and its message."""

    __slots__ = ("json", "message", "told")

    def __init__(self) -> None:
        self.json: Any = None
        self.message: Message | None = None
        # whether any event told of it
        self.told = False


class WholeParts:
    """The parts of one stream.

    listed  whether parts stand in a list: there, one ends when the next begins, unless events say where it ends
    depth   how many numbers a part has
    now     those of the one in which something was told last
    """

    __slots__ = ("_body", "_ended", "_open", "_read", "_table", "_told", "_words", "depth", "listed", "now")

    def __init__(
        self,
        table: StreamTable,
        told: EventPaths,
        read: Callable[[dict[str, Any]], Answer],
        body: dict[str, Any],
    ) -> None:
        """Follow the parts of a body that grows."""
        self._table = table
        self._told = told.at(table.part) or told
        self._read = read
        self._body = body
        self.depth = table.part.count(EACH)
        self.listed = table.part[-1:] == (EACH,)
        self.now: Numbers | None = None
        # the open parts by what stands above them: one list, or one candidate
        self._open: dict[Numbers, dict[Numbers, _Begun]] = {}
        self._ended: set[Numbers] = set()
        self._words = _NAMING.union(table.thought or ())

    def begin(self, numbers: Numbers) -> Iterator[Event]:
        """Open the part at these numbers, and yield the parts that are complete now."""
        numbers = numbers[: self.depth]
        if len(numbers) < self.depth or numbers in self._above(numbers) or numbers in self._ended:
            return
        if self.listed and not self._table.ends:
            yield from self.end_all(numbers[:-1])
        self._open.setdefault(numbers[:1], {})[numbers] = _Begun()

    def tell(self, numbers: Numbers) -> Message | None:
        """Mark a part as reported. Return what it began with the first time, if that says more than its events."""
        self.now = numbers[: self.depth]
        begun = self._above(self.now).get(self.now)
        if begun is None or begun.told:
            return None
        begun.told = True
        if self.listed:
            json = self._json(self.now)
            if is_object(json) and self._says_more(json, self._told):
                begun.json, begun.message = json, self._alone(self._called(json))
        return begun.message

    def end(self, numbers: Numbers) -> Iterator[Event]:
        """Return a part that is complete, if its events did not report all of it."""
        if numbers in self._ended:
            return
        begun = self._above(numbers).pop(numbers, None) or _Begun()
        self._ended.add(numbers)
        json = self._json(numbers)
        if begun.told and not (is_object(json) and self._says_more(json, self._told)):
            return
        message = begun.message if begun.message is not None and json == begun.json else self._alone(json)
        if message is not None and message.parts:
            candidate = numbers[0] if self.depth > self.listed else 0
            part = numbers[-1] if self.listed else None
            yield construct(Event, kind="part", data=message, place=numbers, candidate=candidate, part=part)

    def end_all(self, above: Numbers = ()) -> Iterator[Event]:
        """Return all open parts of a list or a candidate as complete."""
        groups = [self._above(above)] if above else [*self._open.values()]
        for numbers in [each for group in groups for each in group if each[: len(above)] == above]:
            yield from self.end(numbers)

    def _above(self, numbers: Numbers) -> dict[Numbers, _Begun]:
        """Return the open parts of the list or the candidate that a part stands in."""
        return self._open.get(numbers[:1], {})

    def _json(self, numbers: Numbers) -> Any:
        path = self._table.part
        return settled(at(self._body, path, numbers), path, self._table.decoded)

    def _called(self, json: dict[str, Any]) -> dict[str, Any]:
        """Return a call that has just begun, with empty arguments."""
        keys = [key for key, below in self._told.inner.items() if below.kind == "arguments"]
        if (
            not self._told.calls
            or json.get("type") not in (*self._table.called,)
            or not json.keys().isdisjoint(keys)
        ):
            return json
        return {**json, **dict.fromkeys(keys[:1], "")}

    def _says_more(self, json: Mapping[str, Any], told: EventPaths) -> bool:
        """Return whether an object says anything that is not told where it grows."""
        called = self._table.called
        # of what the API runs itself, neither name nor arguments are told
        hosted = told.calls and bool(called) and json.get("type") not in (None, *called)
        for key, value in json.items():
            if key not in self._words and value not in (None, "", [], {}):
                below = told.inner.get(key)
                if below is None or not self._is_told(value, below):
                    return True
                if hosted and (below.kind == "arguments" or not (below.kind or below.inner)):
                    return True
        return False

    def _is_told(self, value: Any, told: EventPaths) -> bool:
        if is_object(value):
            return told.kind == "arguments" or (bool(told.inner) and not self._says_more(value, told))
        if is_list(value):
            inside = told.inner.get(EACH)
            return inside is not None and all(self._is_told(element, inside) for element in value)
        return True

    def _alone(self, json: Any) -> Message | None:
        """Read a part as the only one of an answer; None where it cannot be read."""
        try:
            return self._read(_around(self._body, self._table.part, json)).message
        except PromptwireError:
            return None


def at(value: Any, path: tuple[str, ...], numbers: Numbers) -> Any:
    """Return the value at a path of the body; `numbers` holds the list indexes on the way."""
    rest = iter(numbers)
    for key in path:
        if key != EACH:
            value = value.get(key) if is_object(value) else None
            continue
        number = next(rest)
        if isinstance(value, IndexedList):
            value = value.get((number, ""))
        else:
            value = value[number] if is_list(value) and 0 <= number < len(value) else None
    return value


def _around(value: Any, path: tuple[str, ...], json: Any) -> Any:
    """Return a body with one part only, and the words around it (model, role)."""
    if not path:
        return json
    key, *rest = path
    if key == EACH:
        inner = next(iter(value.values() if isinstance(value, IndexedList) else value or ()), None)
        return [_around(inner, tuple(rest), json)]
    words = {name: word for name, word in value.items() if type(word) is str} if is_object(value) else {}
    inner = value.get(key) if is_object(value) else None
    return {**words, key: _around(inner, tuple(rest), json)}


class VendorEvents:
    """Known keys of one wire, reported as events of the kind `vendor`, and what was reported so far."""

    __slots__ = ("_answers", "_body", "_told", "_wire")

    def __init__(self, wire: str, answers: AnswerTable, body: Mapping[str, Any]) -> None:
        """Start with nothing; the body grows."""
        self._wire = wire
        self._answers = answers
        self._body = body
        self._told: dict[tuple[int, ...], dict[str, Any]] = {}

    def fresh(self, ending: Sequence[Numbers] = ()) -> list[Event]:
        """Return events for the answer and for each candidate of which more is known than was reported.

        ending  the candidates that end now; without any, all candidates are looked at
        """
        events: list[Event] = []
        for place, known in options_in(self._body, self._answers, ending).items():
            if known != self._told.get(place):
                self._told[place] = known
                data, candidate = {self._wire: known}, place[0] if place else 0
                events.append(construct(Event, kind="vendor", data=data, place=place, candidate=candidate))
        return events


def options_in(
    body: Mapping[str, Any], answers: AnswerTable, ending: Sequence[Numbers] = ()
) -> dict[tuple[int, ...], dict[str, Any]]:
    """Return the values under known keys of a body: `()`, or the number of a candidate -> name -> value."""
    found: dict[tuple[int, ...], dict[str, Any]] = {}
    for path, name in answers.options.items():
        places: list[tuple[int, ...]] = [()]
        if EACH in path and ending:
            places = [place[:1] for place in ending]
        elif EACH in path:
            elements = at(body, path[: path.index(EACH)], ())
            numbers = (
                [key[0] for key in elements]
                if isinstance(elements, IndexedList)
                else range(len(elements or ()))
            )
            places = [(number,) for number in numbers]
        for place in places:
            value = at(body, path, place)
            if value is not None:
                found.setdefault(place, {})[name] = settled(value, (), frozenset())
    return found
