"""Encode the requests of one conversation; values that did not change since the last one are not encoded again."""

from __future__ import annotations

from operator import is_
from typing import Any

from ..errors import InvalidRequest
from ..wire_json.kinds import is_list, is_object
from .encoding import encoded
from .result import Built

# the place of a list -> its elements, and each of them as JSON behind its comma
_Lists = dict[tuple[str, ...], tuple[list[Any], list[bytes]]]

# the fields that a body has as lists, besides the messages
_LISTED = ("instructions", "tools", "vendor", "extra", "kept")


class ConversationEncoder:
    """Encodes the requests of one conversation, one after the other.

    The elements of the lists of a body (messages, tools) are encoded once; the bytes of the next request are the join
    of old and new fragments, and identical to `built.json()`. The next request is the last one with more messages, as
    `request.replace(messages=(*request.messages, ...))` and `after` make it; any other is encoded from the beginning.
    A body may be changed before it is encoded, and not after that. The encoder holds the last request alone, so that it
    needs about twice the memory of its body.
    """

    __slots__ = ("_kept", "_known", "_last", "_lists")

    def __init__(self) -> None:
        self._last: Built[Any] | None = None
        self._known: _Lists = {}
        self._lists: _Lists = {}
        self._kept: list[list[bytes]] = []

    @property
    def reused(self) -> int:
        """The number of bytes of the last request that were encoded for an earlier one."""
        return sum(sum(map(len, fragments)) for fragments in self._kept)

    def encode(self, built: Built[Any]) -> bytes:
        """Return the body of a request as compact UTF-8 JSON.

        Raises:
            InvalidRequest: the body cannot be written as JSON.
        """
        self._known = self._lists if _goes_on(self._last, built) else {}
        self._lists, self._last, self._kept = {}, built, []
        pieces: list[bytes] = []
        try:
            self._write(built.body, (), pieces)
        except InvalidRequest:
            # the error names the place in the whole body
            return encoded(built.body)
        # one copy of all bytes
        return b"".join(pieces)

    def _write(self, value: dict[str, Any], place: tuple[str, ...], pieces: list[bytes]) -> None:
        """Write the body, or an object in it, with the elements of its lists as fragments."""
        before = b"{"
        # the values up to the next list, which are encoded together
        values: dict[str, Any] = {}
        for key, inner in value.items():
            if is_list(inner) and inner:
                values[key] = []
                pieces += (before, encoded(values)[1:-2])
                pieces += self._fragments(inner, (*place, key))
                before, values = b"],", {}
            elif not place and is_object(inner) and any(map(is_list, inner.values())):
                values[key] = {}
                pieces += (before, encoded(values)[1:-3])
                self._write(inner, (key,), pieces)
                before, values = b",", {}
            else:
                values[key] = inner
        if values or before == b"{":
            pieces += (before, encoded(values)[1:])
        else:
            # the last value was a list (`],`) or an object with lists (`,`)
            pieces.append(before.replace(b",", b"}"))

    def _fragments(self, values: list[Any], place: tuple[str, ...]) -> list[bytes]:
        """Return the elements of a list as JSON, each but the first behind its comma."""
        known, fragments = self._known.get(place, ([], []))
        same = _count_equal(known, values)
        kept = fragments[:same]
        self._kept.append(kept)
        fragments = kept + [
            b"," + encoded(values[index]) if index else encoded(values[index])
            for index in range(same, len(values))
        ]
        self._lists[place] = ([*values], fragments)
        return fragments


def _goes_on(last: Built[Any] | None, built: Built[Any]) -> bool:
    """Return whether a request is the last one with more messages, so that equal elements are written alike.

    Elements of other nodes may be equal and not the same (`1` and `True`), and a body that is encoded again may have
    changed.
    """
    if last is None or last is built or last.wire is not built.wire:
        return False
    before, after = last.report.origins.caller_request, built.report.origins.caller_request
    return (
        len(before.messages) <= len(after.messages)
        and all(map(is_, before.messages, after.messages))
        and all(_is_same(getattr(before, field), getattr(after, field)) for field in _LISTED)
    )


def _is_same(before: object, after: object) -> bool:
    return before is after or (type(before) is type(after) is str and before == after)


def _count_equal(before: list[Any], after: list[Any]) -> int:
    """Return how many elements at the beginning of two lists are equal."""
    same = min(len(before), len(after))
    if before[:same] == after[:same]:
        return same
    return next(index for index, each in enumerate(before) if each != after[index])
