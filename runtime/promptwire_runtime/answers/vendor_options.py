"""Known keys of one API's own answers: reported as events of the kind `vendor`, and written into events of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import InvalidRequest
from ..nodes.records import construct
from ..wire_json.copies import beyond_bounds
from ..wire_json.kinds import is_list, is_object
from .buffers import EACH, IndexedList, at, settled
from .events import Event
from .stream_table import Step, StreamTable
from .table import AnswerTable
from .written import is_hole

_CARRIES = ("put", "merge", "grow", "extend", "repeat")


class VendorEvents:
    """Known keys of one wire, reported as events of the kind `vendor`, and what was reported so far."""

    __slots__ = ("_answers", "_body", "_told", "_wire")

    def __init__(self, wire: str, answers: AnswerTable, body: Mapping[str, Any]) -> None:
        """Start with nothing; the body grows."""
        self._wire = wire
        self._answers = answers
        self._body = body
        self._told: dict[tuple[int, ...], dict[str, Any]] = {}

    def fresh(self, ending: Sequence[tuple[Any, ...]] = ()) -> list[Event]:
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
    body: Mapping[str, Any], answers: AnswerTable, ending: Sequence[tuple[Any, ...]] = ()
) -> dict[tuple[int, ...], dict[str, Any]]:
    """Return the values under known keys of a body: `()`, or the number of a candidate -> name -> value."""
    found: dict[tuple[int, ...], dict[str, Any]] = {}
    for path, name in answers.options.items():
        places: list[tuple[int, ...]] = [()]
        if EACH in path and ending:
            places = [*ending]
        elif EACH in path:
            elements = at(body, path[: path.index(EACH)], ())
            numbers = (
                [key[0] for key in elements]
                if isinstance(elements, IndexedList)
                else range(len(elements) if is_list(elements) else 0)
            )
            places = [(number,) for number in numbers]
        for place in places:
            value = at(body, path, place)
            if value is not None:
                found.setdefault(place, {})[name] = settled(value, (), frozenset())
    return found


class VendorWriter:
    """Known keys of one wire that wait for an event which has a place for them."""

    __slots__ = ("_answers", "_left", "_stream", "_wire")

    def __init__(self, wire: str, stream: StreamTable, answers: AnswerTable) -> None:
        """Start with nothing."""
        self._wire = wire
        self._stream = stream
        self._answers = answers
        # the number of a candidate, or None for the answer -> its options
        self._left: dict[int | None, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Take the options of this wire from an event, and ignore those of other wires."""
        number = event.candidate if event.place else None
        options: Mapping[str, Any] = event.data.get(self._wire) or {}
        for name, value in options.items():
            trouble = beyond_bounds(value) if is_object(value) or is_list(value) else None
            if trouble is not None:
                raise InvalidRequest(
                    f"{self._wire}: {name} cannot be written: {trouble}", field=f"vendor.{name}"
                )
        self._left.setdefault(number, {}).update(options)

    @property
    def left(self) -> Iterator[tuple[str, str]]:
        """The options that no event had a place for: where they belong, as notes name it, and the name."""
        for number, row in self._left.items():
            place = "" if number is None else f"candidates[{number}]"
            yield from [(place, name) for name in row]

    def put(self, name: str | None, data: Any, template: Any, candidate: int) -> None:
        """Put options into the data of an event, where the reader of this wire looks for them.

        What the template takes from the caller of the stream (its time) stays as it is.
        """
        if not is_object(data) or not any(self._left.values()):
            return
        steps = self._stream.plain_steps(data, self._stream.name_of(data, name))
        for path, option in self._answers.options.items():
            row = self._left.get(candidate if EACH in path else None, {})
            source = _source(steps, path, template, self._answers.id_key) if option in row else None
            if source is not None and _set(data, template, source, row[option]):
                del row[option]


def _source(
    steps: tuple[Step, ...], path: tuple[str, ...], template: Any, id_key: str
) -> tuple[str, ...] | None:
    """Return the path in an event that is copied to a path of the body; None if there is none."""
    best: tuple[str, ...] = ()
    source: tuple[str, ...] | None = None
    for step in steps:
        target = tuple([key if isinstance(key, str) else EACH for key in step.target])
        if path[: len(target)] != target or step.how not in _CARRIES or step.constants is not None:
            continue
        if step.when or step.unless or not (target or _is_whole(template, step.source, id_key)):
            continue
        if source is None or len(target) > len(best):
            best, source = target, (*step.source, *path[len(target) :])
    return source


def _is_whole(template: Any, source: tuple[str, ...], id_key: str) -> bool:
    """Return whether a whole answer stands at a place of an event, not only some keys of it."""
    for key in source:
        template = template.get(key) if is_object(template) else None
    return is_object(template) and id_key in template


def _set(data: Any, template: Any, path: tuple[str, ...], value: Any) -> bool:
    """Set a value at a path, in the first element of lists; False where there is no such place."""
    *above, last = path
    for key in above:
        if key == EACH:
            data = data[0] if is_list(data) and data else None
            template = template[0] if is_list(template) and template else None
        else:
            data = data.setdefault(key, {}) if is_object(data) else None
            template = template.get(key) if is_object(template) else None
    if not is_object(data):
        return False
    if not (is_object(template) and (f"{last}?" in template or is_hole(template.get(last)))):
        data[last] = value
    return True
