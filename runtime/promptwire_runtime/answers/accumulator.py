"""Accumulate stream events into the response body that the API would have returned without streaming."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from ..wire_json.kinds import is_list, is_object
from .argument_text import ArgumentText
from .buffers import (
    EACH,
    IndexedList,
    TextBuffer,
    continues_element,
    continues_text,
    in_both_cases,
    index_of,
    keep_unnamed,
    settled,
)
from .call_pieces import JsonPieces, piece_of_call, slot_of_call
from .event_paths import EventPaths, OnEvent
from .stream_table import Above, Action, Around, EventFilter
from .whole_values import (
    counts_after,
    is_grown_text,
    join_bytes,
    merge_whole,
    move,
    paths_inside,
    put,
    repeat,
    report,
)

# keys that identify a thing are set, never concatenated
_NAMING = in_both_cases("role", "id", "type", "name", "index", "format")
_NO_TEXTS = (dict, int, float, bool)
Start: TypeAlias = tuple[dict[Any, Any], tuple[Any, ...]]
"""A container inside the body, and the list indices on the path to it."""


class AnswerAccumulator:
    """The response body accumulated so far.

    unfit  the values of the last event that no step could be applied to: a text or a list where steps want an object
    """

    __slots__ = ("body", "unfit")

    def __init__(self) -> None:
        self.body: dict[str, Any] = {}
        self.unfit: list[Any] = []

    def take(self, event: dict[str, Any], filter_: EventFilter, on_event: OnEvent) -> None:
        """Apply the steps of one event to the body."""
        body = self.body
        if self.unfit:
            self.unfit = []
        for key, target in filter_.plain:
            value = event.get(key)
            # chunks about filters alone have neither id nor time
            if value or (key in event and body.get(target) is None):
                body[target] = value
        if filter_.named is not None and not event.keys() <= filter_.named:
            keep_unnamed(body, event, filter_.named)
        self._take(event, filter_, ((event, None),), (body, ()), on_event)

    def _take(
        self, value: Any, filter_: EventFilter, around: Around, start: Start, on_event: OnEvent
    ) -> None:
        for action in filter_.actions:
            self._do(action, around, start, value, on_event)
        if filter_.keys and is_object(value):
            if len(value) == 1:
                # fast path: most deltas have one key
                for key in value:
                    for inside in filter_.inside.get(key, ()):
                        self._take_key(value[key], inside, around, start, on_event)
                return
            for key, inside in filter_.keys:
                if key in value:
                    self._take_key(value[key], inside, around, start, on_event)
        elif filter_.each is not None and is_list(value):
            self._take_each(value, filter_.each, around, start, on_event)
        elif value and not filter_.actions and (filter_.keys or filter_.each is not None):
            self.unfit.append(value)

    def _take_key(
        self, value: Any, filter_: EventFilter, around: Around, start: Start, on_event: OnEvent
    ) -> None:
        if not filter_.deep:
            for action in filter_.actions:
                if action.wants_object and value and not is_object(value):
                    self.unfit.append(value)
                else:
                    self._do(action, around, start, value, on_event)
            return
        if filter_.base and is_object(value):
            named = filter_.named
            if filter_.names.isdisjoint(value) and (named is None or value.keys() <= named):
                return
            start = _down(start, filter_.base, around)
            if named is not None and not value.keys() <= named:
                keep_unnamed(start[0], value, named)
        self._take(value, filter_, around, start, on_event)

    def _take_each(
        self, elements: list[Any], filter_: EventFilter, around: Around, start: Start, on_event: OnEvent
    ) -> None:
        for number, element in enumerate(elements):
            if is_object(element) and (filter_.actions or not filter_.names.isdisjoint(element)):
                near = ((element, number), *around)
                place = _down(start, filter_.base, near)
                if filter_.named is not None and not element.keys() <= filter_.named:
                    keep_unnamed(place[0], element, filter_.named)
                self._take(element, filter_, near, place, on_event)
            elif element and not is_object(element):
                self.unfit.append(element)

    def _do(self, action: Action, around: Around, start: Start, value: Any, on_event: OnEvent) -> None:
        """Apply a value to the target of a step."""
        if action.constants is not None:
            value = action.constants
        key = action.key
        if key is None:
            merge_whole(self.body, value, action.paths, on_event)
            return
        if action.asks:
            if action.outside:
                start = (self.body, ())
            elif action.before:
                start = _down(start, action.before, around)
            if not action.fits(start[0]):
                return
            if action.how == "move":
                value = start[0].pop(action.when)
        place, numbers = _down(start, action.above, around) if action.above else start
        if type(key) is not str:
            # an object may carry its own index
            near = ((value, None), *around) if is_object(value) else around
            number = key if isinstance(key, int) else _number(key, near, place)
            if action.how == "put" and isinstance(place, IndexedList):
                number = place.number_for(number, value)
            key, numbers = (number, ""), (*numbers, number)
        _APPLY[action.how](place, key, value, action.paths, numbers, on_event)

    def settled(self, decoded: frozenset[tuple[str, ...]]) -> dict[str, Any]:
        """Return the body as plain JSON. Text at the `decoded` paths is parsed as JSON."""
        body: dict[str, Any] = settled(self.body, (), decoded)
        return body


def _number(at: Any, around: Around, place: Any) -> int:
    """Return the index of an element, or the index of the last element if the event does not state one."""
    elements: IndexedList = place
    number: int | None = at.number(around)
    if number is None:
        return max(elements.next - 1, 0)
    return elements.now(number, around[-1][0]) if elements.moved else number


def _down(start: Start, above: Above, around: Around) -> Start:
    """Descend from a container along a path, and create missing containers."""
    place, numbers = start
    for name, kind in above:
        key = name
        if type(name) is not str:
            number = name if type(name) is int else _number(name, around, place)
            key, numbers = (number, ""), (*numbers, number)
        inner: Any = place.get(key)
        if type(inner) is not kind:
            inner = place[key] = _opened(inner, kind)
        place = inner
    return place, numbers


def _opened(value: Any, kind: type[dict[Any, Any]]) -> dict[Any, Any]:
    """Return a container of the given kind to replace a value; a plain list keeps its elements."""
    return _numbered(value) if kind is IndexedList and is_list(value) else kind()


def _numbered(elements: list[Any]) -> IndexedList:
    return IndexedList({(number, ""): element for number, element in enumerate(elements)})


def _typed(elements: list[Any]) -> IndexedList:
    """Number elements that came without numbers, each with its type, as the pieces that follow have both."""
    kinds = [element.get("type") if is_object(element) else "" for element in elements]
    return IndexedList(
        {
            (number, kind if type(kind) is str else ""): element
            for number, (kind, element) in enumerate(zip(kinds, elements, strict=True))
        }
    )


def _grow(
    place: Any, key: Any, value: Any, paths: EventPaths | None, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    old = place.get(key)
    if type(value) is str and key not in _NAMING:
        if type(old) is TextBuffer:
            old.append(value)
        elif paths is not None and paths.kind == "arguments":
            value = _argue(place, key, value)
        elif old and type(old) in _NO_TEXTS:
            return  # it came in place of a text, and is told when the answer is read
        elif is_list(old):
            # some hosts switch from a list of thinking chunks to bare text
            each = paths_inside(paths, EACH)
            _append(old, [{"type": "text", "text": value}] if value else [], each, numbers, on_event)
            return
        else:
            place[key] = TextBuffer([old, value] if type(old) is str else [value])
        if paths is not None:
            on_event(value, paths, numbers, grows=True)
    elif is_object(value):
        _grow_object(place, key, value, paths, numbers, on_event)
    elif is_list(value):
        _grow_list(place, key, value, paths, numbers, on_event)
    elif value not in (None, "") or old is None:
        place[key] = value


def _grow_object(
    place: Any,
    key: Any,
    value: dict[str, Any],
    paths: EventPaths | None,
    numbers: tuple[Any, ...],
    on_event: OnEvent,
) -> None:
    each = paths_inside(paths, EACH)
    if each is not None and each.calls:
        # some hosts send one call instead of a list of calls
        _grow_calls(place, key, [value], each, numbers, on_event)
        return
    old: Any = place.get(key)
    begins = not isinstance(old, dict) or isinstance(old, IndexedList)
    if begins:
        old = place[key] = {}
    if paths is not None and (begins or paths.again):
        on_event({**old, **value}, paths, numbers, grows=True)
    if not begins and paths is not None and paths.kind == "arguments":
        # hosts repeat an object of arguments with more of a text
        known = cast("dict[str, Any]", old)
        grown = [name for name, inner in value.items() if is_grown_text(known.get(name), inner)]
        known.update({name: value[name] for name in grown})
        value = {name: inner for name, inner in value.items() if name not in grown}
    # some hosts repeat the number of the element around an object inside of it
    repeated = "index" in value and type(key) is str and index_of(value) in numbers[-1:]
    for name, inner in value.items():
        if not repeated or name != "index":
            _grow(old, name, inner, paths_inside(paths, name), numbers, on_event)


def _argue(place: Any, key: Any, piece: str) -> str:
    """Append a piece of arguments, and return the text that it adds."""
    old = place.get(key)
    if isinstance(old, JsonPieces):
        old.append(piece)
        return piece
    if type(old) is not ArgumentText:
        old = place[key] = ArgumentText(None if is_list(old) else old)
    return old.add(piece)


def _merge(
    place: Any, key: Any, value: Any, paths: EventPaths | None, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    if not is_object(value):
        put(place, key, value, paths, numbers, on_event)
        return
    old = place.get(key)
    if not is_object(old):
        old = place[key] = {}
    elif paths is not None and paths.kind == "usage":
        value = counts_after(old, value)
    for name, inner in value.items():
        _merge(old, name, inner, None, numbers, on_event)
    if paths is not None:
        on_event(old, paths, numbers)


def _grow_list(
    place: Any,
    key: Any,
    value: list[Any],
    paths: EventPaths | None,
    numbers: tuple[Any, ...],
    on_event: OnEvent,
) -> None:
    old = place.get(key)
    inside = paths_inside(paths, EACH)
    if inside is not None and inside.calls:
        _grow_calls(place, key, value, inside, numbers, on_event)
        return
    if not isinstance(old, IndexedList):
        if not all(map(_is_numbered, value)):
            known = place[key] = old if is_list(old) else _texts(old)
            _append(known, value, paths_inside(paths, EACH), numbers, on_event)
            return
        if old is None or value:
            old = place[key] = _typed(old) if is_list(old) else IndexedList()
    for element in value:
        # the pieces of one element share an index and a type
        slot = _slot(cast("IndexedList", old), element)
        _grow(old, slot, element, paths_inside(paths, EACH), (*numbers, slot[0]), on_event)


def _grow_calls(
    place: Any, key: Any, value: list[Any], paths: EventPaths, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    """Append pieces of tool calls to the call with the same id or index, unless they begin a new call."""
    old = place.get(key)
    if not isinstance(old, IndexedList):
        old = place[key] = _numbered(old) if is_list(old) else IndexedList()
    for number, element in enumerate(value):
        from_end = len(value) - number if len(value) > 1 else 0
        slot = slot_of_call(old, element, paths, from_end) if is_object(element) else (old.next, "")
        piece = piece_of_call(old.get(slot), element, paths)
        if piece is not None or element is None:
            _grow(old, slot, piece, paths, (*numbers, slot[0]), on_event)


def _texts(old: Any) -> list[Any]:
    """Convert bare text to a list of text elements."""
    text = "".join(old) if isinstance(old, TextBuffer) else old
    return [{"type": "text", "text": text}] if type(text) is str and text else []


def _append(
    known: list[Any], value: list[Any], paths: EventPaths | None, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    """Append elements. An element whose type key holds text or a list continues the previous element of its type."""
    for element in value:
        last = known[-1] if known else None
        if is_object(last) and is_object(element) and continues_element(last, element):
            for name, inner in element.items():
                _grow(last, name, inner, paths_inside(paths, name), (*numbers, len(known) - 1), on_event)
            continue
        known.append(element)
        if paths is not None:
            report(element, paths, (*numbers, len(known) - 1), on_event)


def _is_numbered(element: Any) -> bool:
    return is_object(element) and index_of(element) is not None


def _slot(slots: IndexedList, element: Any) -> tuple[int, str]:
    """Return the slot of an element. Without a type, the element continues the last one with the same index.

    Without an index, it continues the last one if it is a piece of the same text.
    """
    if not _is_numbered(element):
        key, last = next(reversed(slots.items()), (None, None))
        is_piece = is_object(last) and is_object(element) and continues_element(last, element)
        return key if is_piece and key is not None else (slots.next, "")
    said, index = element.get("type"), index_of(element) or 0
    if type(said) is str:
        return index, said
    return index, slots.kind_of(index)


def _extend(
    place: Any, key: Any, value: Any, paths: EventPaths | None, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    old: list[Any] | None = place.get(key)
    if not is_list(old):
        old = place[key] = []
    inside = paths_inside(paths, EACH)
    pieced = None if inside is None else inside.pieced
    for piece in value if is_list(value) else [value]:
        element = piece
        if pieced is not None and is_object(piece):
            element = pieced.take(old, piece, numbers, on_event)
            if element is None:
                continue
        last = old[-1] if old else None
        if is_object(last) and is_object(element) and continues_text(last, element):
            _grow(
                last,
                "text",
                element["text"],
                paths_inside(inside, "text"),
                (*numbers, len(old) - 1),
                on_event,
            )
            continue
        if is_object(element) and type(element.get("type")) is str:
            _append(old, [dict(element)], inside, numbers, on_event)
            continue
        if type(element) is str:
            _append(old, _texts(element), inside, numbers, on_event)
            continue
        old.append(dict(element) if is_object(element) else element)
        if inside is not None:
            report(element, inside, (*numbers, len(old) - 1), on_event)
        if pieced is not None:
            pieced.begun(old, piece, numbers, on_event)


def _end(
    place: Any,
    key: Any,
    value: Any,  # noqa: ARG001
    paths: EventPaths | None,
    numbers: tuple[Any, ...],
    on_event: OnEvent,
) -> None:
    if paths is not None and key in place:
        on_event(place[key], paths, numbers, ends=True)


def ignore_event(
    value: Any, paths: EventPaths, numbers: tuple[Any, ...], *, grows: bool = False, ends: bool = False
) -> None:
    """Ignore the event."""


_APPLY: Mapping[str, Callable[..., None]] = {
    "put": put,
    "merge": _merge,
    "grow": _grow,
    "base64": join_bytes,
    "extend": _extend,
    "repeat": repeat,
    "move": move,
    "end": _end,
}
