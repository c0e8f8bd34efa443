"""An answer that grows: the steps of a stream's events, applied to the body that the API would have given at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias, cast

from ..wire_json.kinds import is_list, is_object
from .grown import EACH, Pieces, Slots, settled

# a key, a number in a list, or `At`, which finds the number in the event
Path: TypeAlias = tuple[Any, ...]
# what names a thing is said once, or again and again: it never grows
_NAMING = frozenset({"role", "id", "type", "name", "index", "format"})


class Told(Protocol):
    """Is told of every value that comes."""

    def __call__(
        self, names: tuple[str, ...], numbers: tuple[Any, ...], value: Any, *, grows: bool = False
    ) -> None:
        """Take the path without numbers, the numbers, and the value: a whole one, or a piece of one that grows."""
        ...


class At:
    """A place in a list, by the number that stands under a key of the event."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key


class Step:
    """What one event does to the answer.

    how     `put`: the value replaces what is there; `merge`: the values of an object do; `grow`: text is appended,
            objects and lists are merged; `extend`: elements are added to a list, text to the text before it
    source  where the value stands in the event; `[]` is each element of a list
    target  where it goes
    when    a key that the element of a list must have for it, and `unless` one that it must not have
    """

    __slots__ = ("how", "source", "target", "unless", "when")

    def __init__(self, how: str, source: Path, target: Path, *, when: str = "", unless: str = "") -> None:
        self.how = how
        self.source = source
        self.target = target
        self.when = when
        self.unless = unless

    def apply(self, event: Any, body: Growing, tell: Told) -> None:
        """Do it, for every value of the source that is there."""
        for value, numbers in _values(event, self.source, (event,)):
            body.step(self, numbers, value, tell)


def _values(item: Any, source: Path, around: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Find the values at a path, each with the objects around it, the nearest last."""
    if not source:
        yield item, around
    elif source[0] == EACH:
        for place, element in enumerate(item if is_list(item) else ()):
            if is_object(element):
                yield from _values(element, source[1:], (*around, {"index": place, **element}))
    elif is_object(item) and source[0] in item:
        yield from _values(item[source[0]], source[1:], around)


class Growing:
    """The body so far."""

    __slots__ = ("body",)

    def __init__(self) -> None:
        self.body: dict[str, Any] = {}

    def step(self, step: Step, around: tuple[Any, ...], value: Any, tell: Told) -> None:
        """Apply a value to the place that the target of a step means."""
        target = step.target
        names: tuple[str, ...] = ()
        numbers: tuple[Any, ...] = ()
        if not target:
            _merge_whole(self.body, value, tell)
            return
        place: dict[Any, Any] = self.body
        *above, last = target
        for piece, following in zip(above, target[1:], strict=True):
            key, names, numbers = _named(piece, around, names, numbers)
            inner: Any = place.get(key)
            listed = not isinstance(following, str)
            if not isinstance(inner, dict) or isinstance(inner, Slots) is not listed:
                inner = place[key] = _opened(inner, listed=listed)
            place = cast("dict[Any, Any]", inner)
            if isinstance(piece, At) and ((step.when and step.when not in place) or step.unless in place):
                return
        key, names, numbers = _named(last, around, names, numbers)
        _APPLY[step.how](place, key, value, names, numbers, tell)

    def settled(self, decoded: frozenset[tuple[str, ...]]) -> dict[str, Any]:
        """Give the body as plain JSON; text at the `decoded` paths is JSON itself."""
        body: dict[str, Any] = settled(self.body, (), decoded)
        return body


def _named(
    piece: Any, around: tuple[Any, ...], names: tuple[str, ...], numbers: tuple[Any, ...]
) -> tuple[Any, tuple[str, ...], tuple[Any, ...]]:
    """Give the key of one piece of a path, and the path with it."""
    if isinstance(piece, str):
        return piece, (*names, piece), numbers
    if isinstance(piece, int):
        return (piece, ""), (*names, EACH), (*numbers, piece)
    number = next((item[piece.key] for item in reversed(around) if type(item.get(piece.key)) is int), 0)
    return (number, ""), (*names, EACH), (*numbers, number)


def _opened(value: Any, *, listed: bool) -> dict[Any, Any]:
    """Give what further keys can be put into, in place of what was there."""
    if not listed:
        return {}
    return _numbered(value) if is_list(value) else Slots()


def _numbered(elements: list[Any]) -> Slots:
    return Slots({(number, ""): element for number, element in enumerate(elements)})


def _put(
    place: Any, key: Any, value: Any, names: tuple[str, ...], numbers: tuple[Any, ...], tell: Told
) -> None:
    # null and empty text say nothing of what is known already
    if value in (None, "") and place.get(key) is not None:
        return
    place[key] = value
    _tell(value, names, numbers, tell)


def _grow(
    place: Any, key: Any, value: Any, names: tuple[str, ...], numbers: tuple[Any, ...], tell: Told
) -> None:
    old = place.get(key)
    if is_object(value):
        if not isinstance(old, dict) or isinstance(old, Slots):
            old = place[key] = {}
        tell(names, numbers, {**old, **value})
        for name, inner in value.items():
            _grow(old, name, inner, (*names, name), numbers, tell)
    elif is_list(value):
        _grow_list(place, key, value, names, numbers, tell)
    elif type(value) is str and key not in _NAMING:
        if isinstance(old, Pieces):
            old.append(value)
        elif is_list(old):
            # some hosts go over from a list of thoughts to bare text
            _append(old, [{"type": "text", "text": value}] if value else [], names, numbers, _nobody)
        else:
            place[key] = Pieces([old, value] if type(old) is str else [value])
        tell(names, numbers, value, grows=True)
    elif value not in (None, "") or old is None:
        place[key] = value


def _merge(
    place: Any, key: Any, value: Any, names: tuple[str, ...], numbers: tuple[Any, ...], tell: Told
) -> None:
    if not is_object(value):
        _put(place, key, value, names, numbers, tell)
        return
    old = place.get(key)
    if not is_object(old):
        old = place[key] = {}
    for name, inner in value.items():
        _merge(old, name, inner, (*names, name), numbers, _nobody)
    tell(names, numbers, old)


def _grow_list(
    place: Any, key: Any, value: list[Any], names: tuple[str, ...], numbers: tuple[Any, ...], tell: Told
) -> None:
    old = place.get(key)
    if not isinstance(old, Slots):
        if not all(map(_is_numbered, value)):
            known = place[key] = old if is_list(old) else _texts(old)
            _append(known, value, names, numbers, tell)
            return
        if old is None or value:
            old = place[key] = _numbered(old) if is_list(old) else Slots()
    for element in value:
        # pieces of one element have one number, and are of one type
        slot = _slot(cast("Slots", old), element)
        _grow(old, slot, element, (*names, EACH), (*numbers, slot[0]), tell)


def _texts(old: Any) -> list[Any]:
    """Give bare text as what stands in a list of elements."""
    text = "".join(old) if isinstance(old, Pieces) else old
    return [{"type": "text", "text": text}] if type(text) is str and text else []


def _append(
    known: list[Any], value: list[Any], names: tuple[str, ...], numbers: tuple[Any, ...], tell: Told
) -> None:
    """Add elements; one of nothing but text or a list under the name of its type continues the one before."""
    for element in value:
        last = known[-1] if known else None
        if is_object(last) and is_object(element) and _goes_on(last, element):
            for name, inner in element.items():
                _grow(last, name, inner, (*names, EACH, name), (*numbers, len(known) - 1), tell)
            continue
        known.append(element)
        _tell(element, (*names, EACH), (*numbers, len(known) - 1), tell)


def _goes_on(last: dict[str, Any], element: dict[str, Any]) -> bool:
    kind = element.get("type")
    if type(kind) is not str or last.get("type") != kind:
        return False
    return isinstance(element.get(kind), (str, list)) and isinstance(last.get(kind), (str, list))


def _is_numbered(element: Any) -> bool:
    return is_object(element) and type(element.get("index")) is int


def _slot(slots: Slots, element: Any) -> tuple[int, str]:
    """Give the place of an element; one that does not say its type continues the last of its number."""
    if not _is_numbered(element):
        return 1 + max((number for number, _ in slots), default=-1), ""
    said, index = element.get("type"), element["index"]
    if type(said) is str:
        return index, said
    return index, next((kind for number, kind in reversed(slots) if number == index), "")


def _extend(
    place: Any, key: Any, value: Any, names: tuple[str, ...], numbers: tuple[Any, ...], tell: Told
) -> None:
    old: list[Any] | None = place.get(key)
    if not is_list(old):
        old = place[key] = []
    elements: list[Any] = value if is_list(value) else [value]
    for element in elements:
        last = old[-1] if old else None
        if is_object(last) and is_object(element) and _continues(last, element):
            _grow(last, "text", element["text"], (*names, EACH, "text"), (*numbers, len(old) - 1), tell)
            continue
        old.append(dict(element) if is_object(element) else element)
        _tell(element, (*names, EACH), (*numbers, len(old) - 1), tell)


def _continues(last: dict[str, Any], element: dict[str, Any]) -> bool:
    """Tell whether an element is more text of the one before: of the same kind, and neither carries a mark."""
    bare = ("text", "thought")
    return (
        bool(element.get("text"))
        and "text" in last
        and element.keys() | last.keys() <= set(bare)
        and element.get("thought") == last.get("thought")
    )


def _tell(value: Any, names: tuple[str, ...], numbers: tuple[Any, ...], tell: Told) -> None:
    """Tell of a value that came whole, and of what is inside."""
    if value in (None, ""):
        return
    tell(names, numbers, value)
    if is_object(value):
        for name, inner in value.items():
            _tell(inner, (*names, name), numbers, tell)
    elif is_list(value):
        for number, element in enumerate(value):
            _tell(element, (*names, EACH), (*numbers, number), tell)


def _merge_whole(body: dict[str, Any], value: Any, tell: Told) -> None:
    """Put the keys of a whole body over those that are there; an empty list says less than one that has grown."""
    for key, inner in value.items() if is_object(value) else ():
        if inner == [] and body.get(key):
            continue
        if inner is not None or body.get(key) is None:
            body[key] = inner
            _tell(inner, (key,), (), tell)


def _nobody(*_: object, **__: object) -> None:
    """Tell nobody."""


_APPLY: Mapping[str, Callable[..., None]] = {"put": _put, "merge": _merge, "grow": _grow, "extend": _extend}
