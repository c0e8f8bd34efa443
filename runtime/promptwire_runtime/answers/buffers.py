"""Buffers of a streamed answer: numbered lists, texts in pieces, and both as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, islice
from typing import Any, TypeAlias

from ..wire_json.characters import whole_value_of
from ..wire_json.codec import decode
from ..wire_json.kinds import is_list, is_object

EACH = "[]"
"""Any element of a list, in a path without numbers."""


Path: TypeAlias = tuple[str, ...]
NO_ELEMENTS: Mapping[tuple[int, str], Any] = {}


def in_both_cases(*keys: str) -> frozenset[str]:
    """Return keys as most APIs spell them, and as those do that begin each key with a capital letter."""
    return frozenset([*keys, *[key.capitalize() for key in keys]])


class IndexedList(dict[Any, Any]):
    """A list whose elements come with their numbers: (number, type) -> element, without a type where none is said.

    began  of calls: the number and the id that pieces came with -> the place of the call that they began
    moved  a number that a host used again -> the number of the element that it means now
    order  the numbers as the whole list of the API orders them; an element keeps the number that it came with
    """

    __slots__ = ("_counted", "_ids", "_kinds", "_most", "began", "moved", "order")

    def __init__(self, elements: Mapping[tuple[int, str], Any] = NO_ELEMENTS) -> None:
        """Hold these elements."""
        super().__init__(elements)
        self.began: dict[tuple[int | None, Any], tuple[int, str]] = {}
        self.moved: dict[int, int] = {}
        self.order: dict[int, int] = {}
        # the id of an element -> its number
        self._ids: dict[str, int] = {}
        self._kinds: dict[int, str] = {}
        self._most = -1
        self._counted = 0

    def ordered_keys(self) -> list[tuple[int, str]]:
        """Return the keys of the elements in the order of the API's whole list, or of their numbers."""
        keys: list[tuple[int, str]] = list(self)
        return sorted(keys, key=lambda key: self.order.get(key[0], key[0]))

    def now(self, number: int, event: Mapping[str, Any]) -> int:
        """Return the number of the element that an event means: of several with one number, the one whose id it has."""
        if number not in self.moved:
            return number
        for value in event.values():
            if type(value) is str and value in self._ids:
                return self._ids[value]
        while number in self.moved:
            number = self.moved[number]
        return number

    def number_for(self, number: int, element: Any) -> int:
        """Return the number for an element that begins or ends: a new one if another element has its number."""
        if not is_object(element):
            return number
        identity = element.get("id")
        if self.moved and type(identity) is str and identity in self._ids:
            known = self._ids[identity]
            if not _is_other(self.get((known, ""), element), element):
                return known
        old = self.get((number, ""))
        if is_object(old) and _is_other(old, element):
            self.moved[number] = number = self.next
        if type(identity) is str:
            self._ids[identity] = number
        return number

    def numbers_of(self, elements: Sequence[Any]) -> list[int]:
        """Return the numbers of the elements of a whole list.

        One that came has the same id, or else the same place and type, or else the same type.
        """
        free = {number: element for (number, _), element in self.items() if is_object(element)}
        known: dict[int, int] = {}
        for is_same, stays in ((_has_same_id, False), (_has_same_type, True), (_has_same_type, False)):
            for place, element in enumerate(elements):
                if place in known or not is_object(element):
                    continue
                keys = ([place] if place in free else []) if stays else free
                number = next((key for key in keys if is_same(free[key], element)), None)
                if number is not None:
                    known[place] = number
                    del free[number]
        fresh = count(self.next)
        return [known[place] if place in known else next(fresh) for place in range(len(elements))]

    def replace_all(self, elements: Mapping[int, Any]) -> None:
        """Replace the elements by others, number -> element, in the order of the API."""
        self.clear()
        self._counted = 0
        self.update({(number, ""): element for number, element in elements.items()})
        self.order = {number: place for place, number in enumerate(elements)}

    def kind_of(self, number: int) -> str:
        """Return the type of the last element that had a number; empty if there is none."""
        self._count()
        return self._kinds.get(number, "")

    @property
    def next(self) -> int:
        """The number behind all that came."""
        self._count()
        return self._most + 1

    def _count(self) -> None:
        """Look at what came since: elements are only added, so that each is looked at once."""
        fresh = [*islice(reversed(self), len(self) - self._counted)]
        for number, kind in reversed(fresh):
            self._kinds[number] = kind
            self._most = max(self._most, number)
        self._counted = len(self)


def _is_other(old: Mapping[str, Any], element: Mapping[str, Any]) -> bool:
    """Return whether two elements have different types, or are different calls.

    The ids of other elements are not compared, because some hosts change them from event to event.
    """
    keys = ["type", "call_id"]
    if "type" not in old and "type" in element and "role" in element:
        # pieces that were not announced, and a message
        keys.append("id")
    if ("name" in old or "function" in old) and "call_id" not in old:
        keys.append("id")
    return any(old.get(key) and element.get(key) and old[key] != element[key] for key in keys)


def _has_same_id(old: Mapping[str, Any], element: Mapping[str, Any]) -> bool:
    return any(old.get(key) and old.get(key) == element.get(key) for key in ("id", "call_id"))


def _has_same_type(old: Mapping[str, Any], element: Mapping[str, Any]) -> bool:
    # pieces of an element that was not announced have no type
    return old.get("type") in (None, element.get("type"))


class TextBuffer(list[str]):
    """Text received in pieces."""

    __slots__ = ()

    def text(self) -> str:
        """Return the text so far."""
        return "".join(self)


def settled(value: Any, names: tuple[str, ...], decoded: frozenset[tuple[str, ...]]) -> Any:
    """Return a value as plain, unshared JSON. Text at the `decoded` paths is parsed as JSON."""
    if isinstance(value, TextBuffer):
        text = value.text()
        return _decoded(text) if names in decoded else text
    if isinstance(value, IndexedList):
        return [settled(value[key], (*names, EACH), decoded) for key in value.ordered_keys()]
    if is_object(value):
        return {key: settled(inner, (*names, key), decoded) for key, inner in value.items()}
    if is_list(value):
        return [settled(element, (*names, EACH), decoded) for element in value]
    return value


def _decoded(text: str) -> Any:
    """Parse JSON text; truncated JSON stays text."""
    try:
        return decode(text) if text else {}
    except (ValueError, RecursionError):
        return text


def value_at(item: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys; None where an object on the way lacks its key."""
    for key in path:
        item = item.get(key) if is_object(item) else None
    return item


def at(value: Any, path: tuple[str, ...], numbers: tuple[Any, ...]) -> Any:
    """Return the value at a path of the body; `numbers` holds the list indexes on the way."""
    rest = iter(numbers)
    for key in path:
        if key != EACH:
            value = value.get(key) if is_object(value) else None
            continue
        number = next(rest)
        if isinstance(value, IndexedList):
            found = value.get((number, ""))
            value = value.get((number, value.kind_of(number))) if found is None else found
        else:
            value = value[number] if is_list(value) and 0 <= number < len(value) else None
    return value


def index_of(element: Mapping[str, Any]) -> int | None:
    """Return the number that an element states; None if it states none."""
    index = element.get("index")
    return number_of(element.get("Index") if index is None else index)


def number_of(value: Any) -> int | None:
    """Return the number of an element, or a count: some hosts give it as text or with a fraction of zero."""
    if type(value) is int:
        return value
    # longer digits are no count, and Python refuses to convert some thousand of them
    if type(value) is str and value.isascii() and value.isdigit() and len(value) < 20:
        return int(value)
    return int(value) if type(value) is float and value.is_integer() else None


def json_object(text: str) -> dict[str, Any] | None:
    """Parse a JSON object; None if the text is not one or is truncated."""
    try:
        value = whole_value_of(text)
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) else None


def keep_unnamed(place: dict[Any, Any], item: Mapping[str, Any], named: frozenset[str]) -> None:
    """Merge the keys of an event that no step names: objects key by key, lists by appending elements."""
    for key, value in item.items():
        if key not in named:
            place[key] = _kept(place.get(key), value)


def _kept(old: Any, value: Any) -> Any:
    if value in (None, "", [], {}):
        return value if old is None else old
    if is_object(old) and is_object(value):
        return {**old, **{key: _kept(old.get(key), inner) for key, inner in value.items()}}
    if is_list(old) and is_list(value) and value[: len(old)] != old:
        return [*old, *value]
    return value


_BARE = frozenset({"text", "thought"})


def continues_text(last: dict[str, Any], element: dict[str, Any]) -> bool:
    """Return whether an element only adds text to the previous one: same kind, and no other keys in either."""
    return (
        bool(element.get("text"))
        and "text" in last
        and element.keys() <= _BARE
        and last.keys() <= _BARE
        and element.get("thought") == last.get("thought")
    )


def continues_element(last: dict[str, Any], element: dict[str, Any]) -> bool:
    """Return whether an element has the type of the previous one, and both hold their text or list under one key."""
    kind = element.get("type")
    if type(kind) is not str or last.get("type") != kind:
        return False
    if last.get("id") and element.get("id") and last["id"] != element["id"]:
        return False
    key = _content_key(kind, element)
    return key is not None and key == _content_key(kind, last)


def _content_key(kind: str, element: dict[str, Any]) -> str | None:
    """Return the key of an element's text or list.

    It is the element's type or the last word of that (`reasoning.summary`), `text` for a type of text such as
    `summary_text`, or the only key if that lists texts.
    """
    key = "text" if kind.endswith("_text") else kind.rpartition(".")[2]
    if isinstance(element.get(key), (str, list)):
        return key
    others = [name for name in element if name != "type"]
    inner: Any = element[others[0]] if len(others) == 1 else None
    is_texts = is_list(inner) and all(is_object(piece) and "text" in piece for piece in inner)
    return others[0] if is_texts else None


def leads_to(item: Any, path: Path) -> bool:
    """Return whether a path of keys leads to a value, up to the first list."""
    for key in path:
        if key == EACH:
            break
        if not is_object(item) or key not in item:
            return False
        item = item[key]
    return True
