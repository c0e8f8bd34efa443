"""A whole part as one wire's JSON, and what of it the events of a stream have not said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..build.wire import Wire
from ..build.writers import Writers
from ..model.calls import ToolCall
from ..model.parts import Part
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.notes import Note
from ..reporting.policies import Policies
from ..wire_json.kinds import is_list, is_object
from .answer_writer import items_of
from .buffers import EACH, in_both_cases
from .event_paths import EventPaths
from .stream_table import StreamTable
from .table import AnswerTable

Path = tuple[Any, ...]
# what every element has, and says nothing of it
NAMING = in_both_cases("type", "role", "index", "object")


class PartJson:
    """Writes parts of answers as the JSON that one wire has for them."""

    __slots__ = ("_answers", "_naming", "_path", "_wire", "_writers", "told")

    def __init__(self, wire: Wire, writers: Writers, answers: AnswerTable, stream: StreamTable) -> None:
        self._wire = wire
        self._writers = writers
        self._answers = answers
        self._path = stream.part
        self._naming = NAMING.union(stream.thought)
        self.told = stream.event_paths(answers).at(stream.part) or stream.event_paths(answers)

    @property
    def listed(self) -> bool:
        """Whether parts of this wire stand in a list."""
        return self._path[-1:] == (EACH,)

    def is_own(self, message: Message) -> bool:
        """Return whether a message is this wire's own."""
        return message.provenance is not None and message.provenance.wire == self._wire.name

    def write(self, message: Message, policies: Policies) -> tuple[list[dict[str, Any]], list[Note]]:
        """Write a message that holds one part: its elements, or the message that they stand in; and what is noted.

        Raises NoPlace for what this wire cannot say, unless the policies say to note it.
        """
        own = self.is_own(message)
        items, notes = self._items(message if own else _untold(message), policies, own=own)
        if self.listed and not self._answers.flat:
            key = self._path[-2]
            items = [element for item in items if is_list(item.get(key)) for element in item[key]]
        return [item for item in items if is_object(item)], notes

    def _items(self, message: Message, policies: Policies, *, own: bool) -> tuple[list[Any], list[Note]]:
        items, notes = items_of(message, self._wire, self._writers, self._answers, policies, own=own)
        return [self._answers.as_answer(item) if is_object(item) else item for item in items], notes

    def rest(self, json: Mapping[str, Any], call: int | None = None) -> dict[str, Any]:
        """Return an element without the texts, calls and empty values that other events report.

        call  the number of the call that it is the only one of, where calls stand in a list of the message
        """
        always = self._answers.always
        rest = _rest(json, self.told, self._naming)
        rest = {key: value for key, value in rest.items() if key not in always or always[key] != value}
        before: list[Any] = [{}] * (call or 0)
        for key, inner in rest.items() if before and not self.listed else ():
            below = self.told.inner.get(key)
            if below is not None and EACH in below.inner and is_list(inner):
                rest[key] = [*before, *inner]
        return rest

    def with_whole_lists(
        self, lacking: Mapping[str, Any], json: Mapping[str, Any], grown: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return what a message lacks, with whole elements of lists of which nothing is written yet.

        Other keys tell the texts of such elements; without their text and type, nobody can read them.
        """
        return {
            key: json[key]
            if is_list(value) and is_list(json.get(key)) and not grown.get(key) and self._has_texts(key)
            else value
            for key, value in lacking.items()
        }

    def _has_texts(self, key: str) -> bool:
        """Return whether events tell the texts of a list of a message, and no calls."""
        inside = None if self.listed else self.told.at((key, EACH))
        return inside is not None and not inside.calls


def _untold(message: Message) -> Message:
    """Return a message whose calls lack what their events report: a made-up id, and arguments."""
    parts = [
        replace(part, id=part.name if part.id is None else part.id, arguments={}, kept=None)
        if isinstance(part, ToolCall)
        else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))


def _rest(json: Mapping[str, Any], told: EventPaths, naming: frozenset[str]) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for key, value in json.items():
        below = told.inner.get(key)
        left = value if below is None else _left(value, below, naming)
        if key not in naming and left not in (None, "", [], {}):
            rest[key] = left
    return rest


def _left(value: Any, told: EventPaths, naming: frozenset[str]) -> Any:
    if is_object(value):
        return _rest(value, told, naming) if told.inner else None
    inside = told.inner.get(EACH)
    if is_list(value) and inside is not None:
        # an element of which no event tells anything stays whole
        rows = [
            element
            if is_object(element) and (inside.inner.keys().isdisjoint(element) or _is_sealed(element, inside))
            else _left(element, inside, naming)
            for element in value
        ]
        return [row or {} for row in rows] if any(rows) else None
    return None


def _is_sealed(element: dict[str, Any], told: EventPaths) -> bool:
    """Return whether the text of an element is signed, so that the two belong together."""
    return bool(element.get("signature")) and "signature" not in told.inner


def missing(whole: Any, grown: Any, *, other: bool = False) -> Any:
    """Return the parts of an object that the accumulated answer lacks (or, with `other`, differ); else None."""
    if is_object(whole) and is_object(grown):
        rows = {key: missing(value, grown.get(key), other=other) for key, value in whole.items()}
        return {key: row for key, row in rows.items() if row is not None} or None
    if is_list(whole) and is_list(grown) and any(map(is_object, whole)):
        lacks: list[Any] = []
        for number, element in enumerate(whole):
            there = grown[number] if number < len(grown) else None
            row = missing(element, there, other=other)
            # what is there grows by its number only
            numbered = is_object(there) and "index" in there
            if row and (there is None or numbered or other):
                lacks.append({"index": number, **row} if numbered else row)
        return lacks or None
    if whole == grown or whole in (None, "", [], {}):
        return None
    return whole if other or grown in (None, "", [], {}) else None


def field_of(part: Part | None, path: Path, value: Any) -> str:
    """Return the neutral name of a value of a part; its path in the API's JSON if no field holds it."""
    names = () if part is None else (*type(part).__slots__, "signature")
    return next((name for name in names if getattr(part, name, None) == value), ".".join(path))


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the leaves of a value: the path without list indices, and the value."""
    if is_object(value) and value:
        inside = [
            leaf for key, inner in value.items() if key not in NAMING for leaf in leaves(inner, (*path, key))
        ]
        yield from inside or [(path, value)]
    elif is_list(value) and any(map(is_object, value)):
        for inner in value:
            yield from leaves(inner, path)
    elif value not in (None, "", {}):
        yield path, value


def merged(value: Any, other: Any) -> Any:
    """Return an object overridden by the values of another; lists are merged element by element."""
    if is_list(value) and is_list(other) and len(other) <= len(value):
        return [*map(merged, value, other), *value[len(other) :]]
    if not (is_object(value) and is_object(other)):
        return other
    return {**value, **{key: merged(value.get(key), inner) for key, inner in other.items()}}
