"""Take events that differ from the last one in a piece of text only, as most events of a stream do."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..wire_json.copies import own_json
from ..wire_json.kinds import is_list, is_object
from .argument_text import ArgumentText
from .buffers import EACH, IndexedList, TextBuffer, at, in_both_cases
from .event_paths import OnEvent
from .expected_keys import expected_keys
from .framing import Frame
from .part_state import TextState
from .stream_table import EventFilter, Step, StreamTable

# keys whose text is set, never appended; in a call, a name or an id may begin another one
_NAMING = in_both_cases("role", "id", "type", "name", "index", "format")
_IN_CALL = in_both_cases("role", "type", "index")
_NUMBERS = (int, float, bool)
_SCALARS = (str, *_NUMBERS)
_NOTHING: tuple[Any, ...] = (None, "", [], {})
# of every event, these tell what it is
_TELLING = frozenset({"error", "object", "type"})


class NextPiece:
    """An event that added a piece to a text and changed nothing else.

    The steps of the API need not be applied to another event like it: its piece is added to the same text.
    """

    __slots__ = ("_body", "_buffer", "_free", "_key", "_last", "_name", "_piece", "_root", "_text", "_way")

    def __init__(
        self,
        frame: Frame,
        path: tuple[Any, ...],
        free: Mapping[str, str | None],
        text: TextState,
        buffer: TextBuffer | ArgumentText,
        body: dict[str, Any],
    ) -> None:
        """Remember an event.

        Args:
            frame: The event.
            path: The path of its piece.
            free: The keys of the event that may differ -> the key of the body that has their values, if any.
            text: The text.
            buffer: The text in the body.
            body: The body so far.
        """
        self._last = own_json(frame.data)
        self._name = frame.name
        self._root, self._way, self._key = path[0], path[:-1], path[-1]
        self._free = free
        self._piece = text.reported[-1]
        self._text = text
        self._body = body
        self._buffer = buffer

    def take(self, frame: Frame, on_event: OnEvent) -> bool:
        """Take an event. Return False if it differs from the remembered one in more than the piece."""
        data: dict[str, Any] = frame.data
        last = self._last
        if frame.name != self._name or data.keys() != last.keys():
            return False
        place: Any = data
        try:
            for key in self._way:
                place = place[key]
            piece = place[self._key]
            if type(piece) is not str or not piece or (self._text.paths.of_call and piece[0] == "{"):
                # an object may repeat the arguments that came
                return False
            place[self._key] = self._piece
        except (LookupError, TypeError):
            return False
        is_same = data == last or self._differs_only_beside(data)
        place[self._key] = piece
        if is_same:
            added = piece
            if type(self._buffer) is ArgumentText:
                added = self._buffer.add(piece)
            else:
                self._buffer.append(piece)
            on_event(added, self._text.paths, self._text.numbers, grows=True)
        return is_same

    def _differs_only_beside(self, data: dict[str, Any]) -> bool:
        """Return whether an event differs in keys that may differ, whose values the body then has."""
        last = self._last
        fresh: dict[str, Any] = {}
        for key, value in data.items():
            if value != last[key]:
                if key not in self._free or type(value) is not type(last[key]) or not value:
                    return False
                fresh[key] = value
        last.update(fresh)
        self._body.update([(target, fresh[key]) for key in fresh if (target := self._free[key]) is not None])
        return True


def next_piece(  # two events, what the first one grew, and the tables
    frame: Frame,
    last: Frame,
    filter_: EventFilter,
    text: TextState,
    body: dict[str, Any],
    table: StreamTable,
) -> NextPiece | None:
    """Remember the last event, if all that it did was to add a piece to a text, and an event may be like it."""
    data: dict[str, Any] = last.data
    if frame.name != last.name or frame.data.keys() != data.keys():
        return None
    path = _path_to(text.reported[-1], data, _IN_CALL if text.paths.of_call else _NAMING, is_top=True)
    buffer: Any = at(body, text.paths.path, text.numbers)
    if path is None or type(buffer) not in (TextBuffer, ArgumentText) or _is_moved(body, text):
        return None
    way = tuple([EACH if key == 0 else key for key in path])
    for step in table.plain_steps(data, table.name_of(data, last.name)):
        if not _is_repeatable(step, way, data):
            return None
    plain, fixed = dict(filter_.plain), _fixed_keys(table)
    kept = filter_.named is not None
    free: dict[str, str | None] = {
        key: plain.get(key, key if kept else None)
        for key, value in data.items()
        if key != path[0] and type(value) in _SCALARS and (key in plain or key not in fixed)
    }
    return NextPiece(last, path, free, text, buffer, body)


@cache
def _fixed_keys(table: StreamTable) -> frozenset[str]:
    """Return the keys of events that steps read, or that tell what an event is."""
    known = expected_keys(table)["*" if "*" in table.events else next(iter(table.events))].known
    return known.union(_TELLING, table.last, table.inside[:1])


def _path_to(
    piece: str, value: Any, naming: frozenset[str], *, is_top: bool = False
) -> tuple[Any, ...] | None:
    """Return the path of a piece of text in an event where nothing else grows; None if there is none."""
    if is_list(value):
        inside = _path_to(piece, value[0], naming) if len(value) == 1 else None
        return None if inside is None else (0, *inside)
    if not is_object(value):
        return () if value == piece else None
    found = [key for key, inner in value.items() if inner and type(inner) in (dict, list)]
    if not (is_top and found):
        # the texts at the top of an event are values of the answer, unless the piece is one of them
        found += [
            key
            for key, inner in value.items()
            if type(inner) is str and inner and key not in naming and (inner == piece or not is_top)
        ]
    inside = _path_to(piece, value[found[0]], naming) if len(found) == 1 else None
    return None if inside is None else (found[0], *inside)


def _is_repeatable(step: Step, way: tuple[Any, ...], data: Mapping[str, Any]) -> bool:
    """Return whether a step has the same effect twice, or adds the piece at the end of a way."""
    if not step.source:
        return False
    if way[: len(step.source)] == step.source:
        return step.how in ("grow", "extend")
    value: Any = data
    for key in step.source:
        if key != EACH:
            value = value.get(key) if is_object(value) else None
        elif is_list(value) and value:
            value = value[0]
    return value in _NOTHING or step.how == "put" or (step.how == "grow" and type(value) in _NUMBERS)


def _is_moved(body: Any, text: TextState) -> bool:
    """Return whether a list on the way to a text has elements that an event names by their ids."""
    path, numbers = text.paths.path, text.numbers
    for place, key in enumerate(path):
        if key == EACH:
            elements = at(body, path[:place], numbers)
            if isinstance(elements, IndexedList) and elements.moved:
                return True
    return False
