"""Pieces of calls: the call that each belongs to, and arguments that come as JSON paths and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import dumps
from typing import Any

from ..errors import AnswerError
from ..wire_json.codec import decode
from ..wire_json.kinds import is_list, is_object
from .buffers import IndexedList, TextBuffer, index_of, json_object, value_at
from .event_paths import EventPaths, OnEvent

Segments = tuple[str | int, ...]
_SEGMENT = re.compile(r"""\.?([^.\[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPED = re.compile(r"\\(.)")
# elements of a list that no piece names are null; a larger gap is not an argument
_MOST_MISSING = 1000
_LARGEST_EXACT = 2**53
_CLOSING: Mapping[type, str] = {str: "}", int: "]"}


class JsonPieces(TextBuffer):
    """The JSON text of an object whose values come in order, each with its path.

    Text at one path may come in several pieces, so a value is closed when the next path comes.
    """

    __slots__ = ("_at", "_keys", "_quoted", "is_open")

    def __init__(self) -> None:
        """Begin with the brace that opens the object."""
        super().__init__(["{"])
        self.is_open = True
        self._at: Segments = ()
        self._quoted = False
        # the keys that each open object has so far
        self._keys: list[set[str]] = [set()]

    def add(self, path: str, value: Any) -> str:
        """Append a value at a path, and return the JSON text that was appended."""
        segments = _segments(path)
        if segments == self._at and self._quoted and isinstance(value, str):
            text = _inner_text(value)
        else:
            text = self._move(segments, path) + self._begun(value)
        self.append(text)
        return text

    def close(self) -> str:
        """Close the object, and return the JSON text that was appended."""
        text = self._closed(0) + "}"
        self.is_open = False
        self.append(text)
        return text

    def complete(self, whole: dict[str, Any]) -> str:
        """Take the whole object, and return the JSON text that was appended.

        Raises AnswerError if it differs from the pieces before it.
        """
        if not self._at:
            self.is_open = False
            self.append(dumps(whole, ensure_ascii=False)[1:])
            return self[-1]
        text = self.close()
        if decode("".join(self)) != whole:
            raise AnswerError("the whole arguments of a call differ from the pieces before them")
        return text

    def _begun(self, value: Any) -> str:
        self._quoted = isinstance(value, str)
        if self._quoted:
            return f'"{_inner_text(value)}'
        if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_EXACT:
            # clients convert each number to a float
            return str(int(value))
        return dumps(value)

    def _closed(self, depth: int) -> str:
        """Return the text that closes the last value, and the containers below a depth."""
        text = '"' if self._quoted else ""
        self._quoted = False
        for segment in reversed(self._at[depth + 1 :]):
            text += _CLOSING[type(segment)]
        del self._keys[depth + 1 :]
        return text

    def _move(self, segments: Segments, path: str) -> str:
        """Return the text between the last value and the one at a path."""
        shared = 0
        while shared < min(len(segments), len(self._at)) and segments[shared] == self._at[shared]:
            shared += 1
        if shared == len(segments) or (self._at and shared == len(self._at)):
            raise _misplaced(path)
        before = self._at[shared] if self._at else ""
        segment = segments[shared]
        if type(segment) is not type(before):
            raise _misplaced(path)
        text = self._closed(shared) + ("," if self._at else "")
        first = before + 1 if isinstance(before, int) else 0
        text += self._entry(segment, first, shared, path)
        for depth in range(shared + 1, len(segments)):
            self._keys.append(set())
            text += ("{" if isinstance(segments[depth], str) else "[") + self._entry(
                segments[depth], 0, depth, path
            )
        self._at = segments
        return text

    def _entry(self, segment: str | int, first: int, depth: int, path: str) -> str:
        """Return what stands before a value in its container: its key, or null for each missing element."""
        if isinstance(segment, int):
            if not 0 <= segment - first <= _MOST_MISSING:
                raise _misplaced(path)
            return "null," * (segment - first)
        if segment in self._keys[depth]:
            raise _misplaced(path)
        self._keys[depth].add(segment)
        return f"{dumps(segment, ensure_ascii=False)}:"


def _inner_text(value: str) -> str:
    return dumps(value, ensure_ascii=False)[1:-1]


def _misplaced(path: str) -> AnswerError:
    return AnswerError(f"a piece of the arguments at {path[:200]} does not follow the pieces before it")


def _segments(path: str) -> Segments:
    """Split a JSON path (RFC 9535) into keys and indices."""
    rest = path.removeprefix("$")
    found: list[str | int] = []
    place = 0
    while place < len(rest):
        match = _SEGMENT.match(rest, place)
        if match is None:
            break
        name, index, single, double = match.groups()
        quoted = single if double is None else double
        text = name if quoted is None else _ESCAPED.sub(r"\1", quoted)
        found.append(text if index is None else int(index))
        place = match.end()
    if place < len(rest) or not found or isinstance(found[0], int):
        raise AnswerError(f"a piece of the arguments has a path that is not understood: {path[:200]!r}")
    return tuple(found)


class PiecedCalls:
    """Calls whose arguments may come in pieces, as the elements of one list.

    key    the key of an element under which the call is
    words  the keys of a call and of its pieces, as `StreamTable.pieces` describes them
    """

    __slots__ = ("_into", "_paths", "_words", "key")

    def __init__(self, key: str, paths: EventPaths, words: Mapping[str, Any]) -> None:
        self.key = key
        self._paths = paths
        self._words = words
        self._into: str = paths.arguments[0][0]

    def take(
        self, elements: list[Any], element: dict[str, Any], numbers: tuple[Any, ...], on_event: OnEvent
    ) -> dict[str, Any] | None:
        """Take an element. Return the new element to append, or None if it continued the last one.

        Args:
            elements: The list so far.
            element: The element that came.
            numbers: The place of the list.
            on_event: The function that reports what came.
        """
        call, last = element.get(self.key), self._last(elements)
        if not is_object(call):
            if last is not None:
                self.close(elements, numbers, on_event)
            return element
        if last is not None and self._continues(elements[-1], call):
            self._add(elements[-1], element, (*numbers, len(elements) - 1), on_event)
            return None
        if last is not None:
            self.close(elements, numbers, on_event)
        if not call and self._is_of_pieces(elements):
            # the mark of an end that came before
            return None
        return self._opened(element, call)

    def begun(
        self, elements: list[Any], element: dict[str, Any], numbers: tuple[Any, ...], on_event: OnEvent
    ) -> None:
        """Report the pieces that came with a call, once its element is reported."""
        if self._last(elements) is None:
            return
        place = (*numbers, len(elements) - 1)
        self._report("{", place, on_event)
        self._take_pieces(elements[-1], element[self.key], place, on_event)

    def close(self, elements: list[Any], numbers: tuple[Any, ...], on_event: OnEvent) -> None:
        """Close the last call of a list if its arguments are open."""
        last = self._last(elements)
        if last is not None:
            self._report(last.close(), (*numbers, len(elements) - 1), on_event)

    def _last(self, elements: list[Any]) -> JsonPieces | None:
        """Return the open arguments of the last element."""
        arguments = value_at(elements[-1], (self.key, self._into)) if elements else None
        return arguments if isinstance(arguments, JsonPieces) and arguments.is_open else None

    def _is_of_pieces(self, elements: list[Any]) -> bool:
        return bool(elements) and isinstance(value_at(elements[-1], (self.key, self._into)), JsonPieces)

    def _continues(self, last: dict[str, Any], call: dict[str, Any]) -> bool:
        """Return whether a call has no other name and no other id than the open call."""
        for path in (self._paths.id, *self._paths.names):
            known, named = value_at(last[self.key], path), value_at(call, path)
            if named and known and named != known:
                return False
        return True

    def _opened(self, element: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
        """Return an element whose arguments can grow, unless they came whole."""
        words = self._words
        if call.get(self._into) or not (call.get(words["more"]) or call.get(words["list"])):
            return element
        names = (words["more"], words["list"])
        known = {key: value for key, value in call.items() if key not in names}
        return {**element, self.key: {**known, self._into: JsonPieces()}}

    def _add(
        self, last: dict[str, Any], element: dict[str, Any], place: tuple[Any, ...], on_event: OnEvent
    ) -> None:
        """Add what an element says about the open call."""
        call = element[self.key]
        last.update({key: value for key, value in element.items() if key != self.key})
        names = (self._words["more"], self._words["list"], self._into)
        last[self.key].update({key: value for key, value in call.items() if key not in names and value})
        arguments: JsonPieces = last[self.key][self._into]
        if is_object(whole := call.get(self._into)) and whole:
            self._report(arguments.complete(whole), place, on_event)
        else:
            self._take_pieces(last, call, place, on_event)

    def _take_pieces(
        self, last: dict[str, Any], call: dict[str, Any], place: tuple[Any, ...], on_event: OnEvent
    ) -> None:
        arguments: JsonPieces = last[self.key][self._into]
        pieces = call.get(self._words["list"])
        for piece in pieces if is_list(pieces) else [pieces] if pieces else ():
            path, value = self._piece(piece)
            if path:
                self._report(arguments.add(path, value), place, on_event)
        if not call.get(self._words["more"]):
            self._report(arguments.close(), place, on_event)

    def _piece(self, piece: Any) -> tuple[str, Any]:
        """Return the path and the value of a piece; no path if it has no value."""
        words = self._words
        path = piece.get(words["path"]) if is_object(piece) else None
        if not isinstance(path, str):
            raise AnswerError(f"a piece of the arguments has no path: {str(piece)[:200]}")
        for key in words["values"]:
            if piece.get(key) is not None:
                return path, piece[key]
        if words["empty"] in piece:
            return path, None
        unknown = sorted(piece.keys() - {words["path"], words["more"]} - {*words["values"]})
        if unknown:
            raise AnswerError(f"a piece of the arguments at {path[:200]} has an unknown value: {unknown[0]}")
        return "", None

    def _report(self, text: str, place: tuple[Any, ...], on_event: OnEvent) -> None:
        paths = self._paths.inner.get(self._into)
        if paths is not None and text:
            on_event(text, paths, place, grows=True)


def slot_of_call(
    calls: IndexedList, piece: dict[str, Any], paths: EventPaths, from_end: int = 0
) -> tuple[int, str]:
    """Return the place of a call that a piece belongs to, or the next where it begins a call.

    Hosts leave out the number of a piece, give it as text, or give the same to all calls. Of several pieces in one
    list that name no call, the last belongs to the last call: `from_end` counts from there.
    """
    index, said = index_of(piece), value_at(piece, paths.id)
    # a list or an object is no id
    identity = said if isinstance(said, (str, int, float)) else None
    named = next((name for path in paths.names if (name := value_at(piece, path))), None)
    slot = calls.began.get((index, identity)) if identity else None
    if from_end and index is None and not identity and not named and (calls.next - from_end, "") in calls:
        slot = (calls.next - from_end, "")
    elif slot is None:
        slot = calls.began.get((index, None))
        if slot is None or _begins(calls[slot], piece, identity, named, paths):
            slot = (calls.next if index is None or (index, "") in calls else index, "")
    calls.began[index, identity or None] = calls.began[index, None] = calls.began[None, None] = slot
    if identity:
        calls.began[None, identity] = slot
    return slot


def _begins(call: Any, piece: dict[str, Any], identity: Any, named: Any, paths: EventPaths) -> bool:
    """Return whether a piece begins another call than the one that came under its number."""
    known, name = value_at(call, paths.id), next((n for p in paths.names if (n := value_at(call, p))), None)
    came = next((text for path in paths.arguments if (text := value_at(call, path))), None)
    if identity and known:
        # a host gives each piece of a call another id
        return named not in (None, name) or _is_whole(came)
    if identity or not named or not name or (known and named != name and not _is_whole(came)):
        return False
    more = any(value_at(piece, path) for path in paths.arguments)
    return named != name or (more and came is not None and _is_whole(came))


def piece_of_call(call: Any, piece: Any, paths: EventPaths) -> Any:
    """Return what a piece adds to a call, with the whole name; None where it repeats the arguments."""
    if not is_object(call) or not is_object(piece):
        return piece
    if _repeats_arguments(call, piece, paths):
        return None
    known = value_at(call, paths.id)
    if known and type(known) is str and len(paths.id) == 1 and piece.get(paths.id[0]) not in (None, known):
        # hosts give each piece of a call another id (vllm-project/vllm issue 23522)
        piece = {**piece, paths.id[0]: known}
    for *above, key in paths.names:
        outer, known = value_at(piece, above), value_at(call, (*above, key))
        name = outer.get(key) if is_object(outer) else None
        if not isinstance(name, str) or not isinstance(known, str) or not known or name.startswith(known):
            continue
        if name and not any(
            _is_whole(value_at(call, path)) for path in paths.arguments if value_at(call, path)
        ):
            # continuedev/continue PR 5849, 2025-05; NVIDIA-NeMo/Switchyard PR 785, 2026-09
            whole = {**outer, key: known + name}
            piece = {**piece, above[0]: whole} if above else whole
    return piece


def _repeats_arguments(call: Any, piece: dict[str, Any], paths: EventPaths) -> bool:
    """Return whether a piece is the whole object of arguments that came before it, which some hosts send at the end."""
    for path in paths.arguments:
        text, came = value_at(piece, path), value_at(call, path)
        if (
            isinstance(text, str)
            and text.startswith("{")
            and text.endswith("}")
            and isinstance(came, TextBuffer)
        ):
            return text == "".join(came) and json_object(text) is not None
    return False


def _is_whole(arguments: Any) -> bool:
    """Return whether the arguments of a call are complete JSON."""
    if not isinstance(arguments, (str, TextBuffer)):
        return True
    # the last piece that is not blank, or the last letter of a text
    last = next((piece for piece in reversed(arguments) if piece.strip()), "")
    if not last.rstrip().endswith(("}", "]", '"')):
        return False
    try:
        decode("".join(arguments))
    except (ValueError, RecursionError):
        return False
    return True
