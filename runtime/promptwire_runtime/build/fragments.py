"""Encode the requests of one conversation: what stands where it stood in the request before is not encoded again."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_object
from .encoding import encoded

if TYPE_CHECKING:
    from typing import Any

    from .result import Built

_PLAIN = (int, float, bool, type(None))


class ConversationEncoder:
    """Encodes the requests of one conversation, one after the other.

    The elements of the lists of a body (messages, tools) are encoded once; the bytes of the next request are the join
    of old and new fragments, and identical to `built.json()`. The encoder holds the fragments of the last request
    alone, so that it needs about twice the memory of its body.

    Attributes:
        reused: How many bytes of the last request were encoded before.
    """

    __slots__ = ("_last", "_lists", "reused")

    def __init__(self) -> None:
        self._last: Any = None
        self._lists: dict[str, list[tuple[Any, bytes]]] = {}
        self.reused = 0

    def encode(self, built: Built[Any]) -> bytes:
        """Return the body of a request as compact UTF-8 JSON.

        Raises:
            InvalidRequest: the body cannot be written as JSON.
        """
        # a body that is encoded again may have been changed in between
        known = self._lists if built is not self._last else {}
        self.reused = 0
        lists: dict[str, list[tuple[Any, bytes]]] = {}
        pieces: list[bytes] = []
        before = b"{"
        body: dict[str, Any] = built.body
        for key, value in body.items():
            pieces += (before, encoded(key), b":")
            before = b","
            if is_list(value) and value:
                lists[key] = self._list(value, known.get(key, []))
                for _, fragment in lists[key]:
                    pieces += (b",", fragment)
                pieces[-2 * len(value)] = b"["
                pieces.append(b"]")
            else:
                pieces.append(encoded(value))
        self._lists, self._last = lists, built
        pieces.append(b"}" if pieces else b"{}")
        # one copy of all bytes
        return b"".join(pieces)

    def _list(self, values: list[Any], known: list[tuple[Any, bytes]]) -> list[tuple[Any, bytes]]:
        kept: list[tuple[Any, bytes]] = []
        for index, value in enumerate(values):
            if index < len(known) and _is_same(known[index][0], value):
                kept.append(known[index])
                self.reused += len(known[index][1])
            else:
                kept.append((_remembered(value), encoded(value)))
        return kept


class _Held:
    """A container as it was encoded: itself, and a copy of its contents.

    keys    the keys of an object; None for a list
    values  its values, or the elements of a list
    texts   whether all of them are texts, which are equal only if they are the same
    """

    __slots__ = ("keys", "original", "texts", "values")

    def __init__(self, original: Any, values: tuple[Any, ...]) -> None:
        self.original = original
        self.keys: tuple[str, ...] | None = tuple(original) if is_object(original) else None
        self.values = values
        self.texts = all(type(value) is str for value in values)


def _remembered(value: Any) -> Any:
    """Return what `_is_same` compares with.

    Contents are copied, so that a body that is changed later is not taken for the one that was encoded.
    """
    if is_object(value):
        return _Held(value, tuple(map(_remembered, value.values())))
    if is_list(value):
        return _Held(value, tuple(map(_remembered, value)))
    return value


def _is_same(kept: Any, value: Any) -> bool:
    """Return whether a value would be encoded as the remembered one was.

    A container that is the very same in two builds belongs to the request, and nodes of a request do not change.
    """
    if type(kept) is not _Held:
        if kept is value:
            return True
        if type(kept) is str:
            return type(value) is str and kept == value
        # 1, 1.0 and True are equal, and so are 0.0 and -0.0
        return type(kept) is type(value) and type(value) in _PLAIN and repr(kept) == repr(value)
    if value is kept.original:
        return True
    if type(value) is not type(kept.original):
        return False
    if kept.keys is not None:
        if tuple(value) != kept.keys:
            return False
        value = value.values()
    values = tuple(value)
    if kept.texts:
        return values == kept.values
    if len(values) != len(kept.values):
        return False
    return all(map(_is_same, kept.values, values))
