"""Reading an object that fits no shape exactly as the nearest one.

Hosts leave out constants, send them as null or empty, and give arguments as an object where text is documented. A shape
is near when only that keeps an object from fitting it: the object is completed and read as the shape. Whatever was
assumed is listed in `deviations`, and form memory holds how the object was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import chain
from json import dumps, loads
from typing import Any

from ..errors import PromptwireError
from ..model.wire_memory import Swap
from ..nodes.records import replace
from ..wire_json.codec import decode, mended_object
from ..wire_json.kinds import count_leaves, is_list, is_object, json_kind, same
from .form_memory import kept_leaves

_ABSENT: Any = object()
# a larger number is not an id
_MOST_ID = 2**63
_MENDED = "the text is not the JSON of an object: the object that it means was read"
# what an assumption changed: the keys that lead to the value, what was done (as notes say it), and why
Assumption = tuple[tuple[str, ...], str, str]


class Expected:
    """One value that a shape requires.

    keys      the keys that lead to it, each with its other spellings
    constant  the constant that stands there, or the only word that a hole takes
    kind      of a hole: `json` for JSON as text, `object` for JSON, `text`, `id` for text that may be made up, `word`,
              `content` for the content of a result, `keyed` for that under a key, or empty for any other
    word      the key of a `keyed` content
    """

    __slots__ = ("constant", "keys", "kind", "word")

    def __init__(self, word: str) -> None:
        """Parse one word of a row: `type=function`, `flag==true`, `type:word=search`, `id:id`, `function.name`."""
        path, equals, constant = word.partition("=")
        path, _, self.kind = path.partition(":")
        self.keys = tuple([tuple(key.split("/")) for key in path.split(".")])
        self.word = constant
        self.constant: Any = _ABSENT
        if equals and self.kind != "keyed":
            self.constant = loads(constant[1:]) if constant.startswith("=") else constant


class _Completion:
    """An object that is completed until it fits a shape, with all that was assumed."""

    __slots__ = ("_given", "assumed", "broken", "evidence", "item", "key")

    def __init__(self, item: dict[str, Any], key: str | None, number: int) -> None:
        # an id that is made up depends on the object and on how much was assumed before it
        self._given = number, item
        self.item = dict(item)
        # the keys that identify the object: no value can be assumed for a hole there
        self.key = key
        self.assumed: list[Assumption] = []
        # arguments in text that is not a JSON object, such as one that was cut off
        self.broken: str | None = None
        # how many values of the shape the object has
        self.evidence = 0

    def fits(self, expected: Iterable[Expected]) -> bool:
        """Complete the object value by value; return whether nothing contradicts the shape."""
        return all(map(self._complete, expected)) and self.evidence > 0

    def _complete(self, expected: Expected) -> bool:
        holder = self.item
        *above, names = expected.keys
        for outer in above:
            key = next((name for name in outer if name in holder), None)
            inner = None if key is None else holder[key]
            if key is None or not is_object(inner):
                return False
            holder[key] = holder = dict(inner)
            self.evidence += 1
        key = next((name for name in names if name in holder), names[0])
        path = (*[outer[0] for outer in above], key)
        value = holder.get(key, _ABSENT)
        completed = self._fill_in(expected, value, path)
        if completed is _ABSENT:
            return False
        holder[key] = completed
        return True

    def _fill_in(self, expected: Expected, value: Any, path: tuple[str, ...]) -> Any:
        """Return the value that the shape takes; _ABSENT where there is none."""
        silent = value is _ABSENT or value is None or value == ""
        if expected.constant is not _ABSENT:
            return self._constant(expected.constant, value, path, silent=silent)
        self.evidence += not silent
        if expected.kind == "id" and (value is _ABSENT or value is None):
            made = _made_id(*self._given)
            self._assume(path, "added", f'it is {_state(value)}: "{made}" was assumed')
            return made
        if expected.kind in ("content", "keyed"):
            return self._content(expected, value, path)
        if expected.kind in ("json", "object"):
            return self._arguments(expected.kind, value, path, silent=silent)
        if value is None or (silent and path == (self.key,)):
            return _ABSENT
        if expected.kind in ("id", "text") and type(value) is int and abs(value) < _MOST_ID:
            self._assume(path, "replaced", "a number was read as text")
            return str(value)
        return value

    def _constant(self, constant: Any, value: Any, path: tuple[str, ...], *, silent: bool) -> Any:
        if same(constant, value):
            return value
        if not silent:
            return _ABSENT
        self._assume(path, "added", f"it is {_state(value)}: {dumps(constant)} was assumed")
        return constant

    def _content(self, expected: Expected, value: Any, path: tuple[str, ...]) -> Any:
        """Return the content of a result, with JSON that is no content as its text, under the key that it needs."""
        if value is _ABSENT or value is None:
            self._assume(path, "added", f"it is {_state(value)}: a result without content was assumed")
            text: Any = ""
        elif type(value) is str or is_list(value):
            text = value
        elif expected.kind == "keyed" and is_object(value):
            return value
        else:
            try:
                text = dumps(value, ensure_ascii=False, allow_nan=False)
            except (TypeError, ValueError, RecursionError):
                return _ABSENT
            self._assume(path, "replaced", f"{json_kind(value)} was read as JSON text")
        if expected.kind == "content":
            return text
        if text is value:
            self._assume(
                path, "replaced", f'{json_kind(value)} was read as the "{expected.word}" of an object'
            )
        return {expected.word: text}

    def _arguments(self, kind: str, value: Any, path: tuple[str, ...], *, silent: bool) -> Any:
        if silent and (kind == "object" or value != ""):
            self._assume(path, "added", f"it is {_state(value)}: no arguments were assumed")
            return {} if kind == "object" else "{}"
        if kind == "json" and (is_object(value) or is_list(value)):
            try:
                text = dumps(value, ensure_ascii=False, allow_nan=False)
            except (TypeError, ValueError, RecursionError):
                return _ABSENT
            self._assume(path, "replaced", f"{json_kind(value)} was read as JSON text")
            return text
        if kind == "json" and type(value) is str and (mended := mended_object(value)) is not None:
            self._assume(path, "replaced", _MENDED)
            return dumps(mended, ensure_ascii=False)
        if kind == "object" and type(value) is str:
            why = "JSON text was read as an object"
            try:
                decoded = decode(value)
            except (ValueError, RecursionError):
                decoded = None
            if not is_object(decoded):
                decoded, why = mended_object(value), _MENDED
            if is_object(decoded):
                self._assume(path, "replaced", why)
                return decoded
            self._assume(path, "passed through", "the text is not a JSON object: the arguments are this text")
            self.broken = value
            return {}
        return value

    def _assume(self, path: tuple[str, ...], action: str, why: str) -> None:
        self.assumed.append((path, action, why))


def _made_id(number: int, item: dict[str, Any]) -> str:
    """Make an id from an object, independent of the order of its keys."""
    try:
        seed = dumps(item, sort_keys=True)
    except (TypeError, ValueError, RecursionError):  # it is not JSON
        seed = repr(sorted(item, key=str))
    return f"call_{sha256(f'{number}:{seed}'.encode(errors='backslashreplace')).hexdigest()[:24]}"


def _state(value: Any) -> str:
    return "absent" if value is _ABSENT else "null" if value is None else "empty"


class _Read:
    """An object as one shape read it: the node, the assumptions, and the number of values that it does not hold."""

    __slots__ = ("assumed", "constants", "cost", "marks", "node", "shape")

    def __init__(
        self,
        shape: Any,
        node: Any,
        assumed: list[Assumption],
        marks: tuple[list[Any], list[Any]],
        constants: frozenset[Any],
    ) -> None:
        self.shape = shape
        self.node = node
        self.assumed = assumed
        # deviations and unread content inside the object
        self.marks = marks
        self.constants = constants
        kept = node.kept
        unread = 0 if kept is None else len(kept_leaves(kept))
        form = None if kept is None else kept.form
        unnamed = 0 if form is None else len(form.added) + sum(map(_count_absent, form.swapped))
        # an alternative that no build would choose is farther than one that builds write
        self.cost = (unread, unnamed, len(assumed), kept is not None and kept.shape is not None)


def _count_absent(swap: Swap) -> int:
    """Return the number of known keys of an object that a fresh build does not write."""
    return len(swap.read) if not swap.fresh and swap.field is None else 0


class Nearest:
    """Finds the nearest shape of an object among those that its place may hold.

    key    where an object says what it is
    cases  the text at that key -> the labels of the shapes that such an object may have
    """

    __slots__ = ("_cases", "_expected", "_key", "_others", "_shapes")

    def __init__(
        self,
        key: str | None,
        cases: Mapping[str, tuple[str, ...]],
        others: tuple[str, ...],
        shapes: Mapping[str, Any],
    ) -> None:
        """Store the shapes of one place; the requirements of each are parsed when they are first needed."""
        self._key = key
        self._cases = cases
        self._others = others
        self._shapes = shapes
        self._expected: dict[str, tuple[Expected, ...]] = {}

    def read(self, item: dict[str, Any], reader: Any) -> tuple[Any, Any] | None:
        """Read an object as the nearest shape, and note each assumption. Return None if no shape is nearest."""
        if not item:  # it has no value of any shape
            return None
        rows = [row for label in self._labels(item) if (row := self._as_shape(label, item, reader))]
        if not rows:
            return None
        best = min([row.cost for row in rows])
        # of shapes with the same constants the first is taken, as for an exact fit
        nearest = [row for row in rows if row.cost == best]
        if any(row.constants != nearest[0].constants for row in nearest):
            return None
        read = nearest[0]
        form = None if read.node.kept is None else read.node.kept.form
        unknown = {} if form is None else dict(form.added)
        if read.assumed and unknown and 2 * count_leaves(unknown) > count_leaves(item):
            # the shape names the lesser part of it
            return None
        reader.deviations += [(item, *row) for row in read.assumed]
        reader.deviations += read.marks[0]
        reader.unread += read.marks[1]
        return read.shape, read.node

    def names(self, label: str, word: str) -> bool:
        """Return whether a shape of results has this word at the key that says what an object is."""
        shape = self._shapes.get(label)
        near: list[str] = [] if shape is None else shape.near.split()
        return f"{self._key}={word}" in near and any(each.endswith(":content") for each in near)

    def _labels(self, item: dict[str, Any]) -> tuple[str, ...]:
        """Return the shapes that come into question, in the order in which they are tried."""
        word = None if self._key is None else item.get(self._key)
        if word is None or word == "":
            return tuple(dict.fromkeys([*chain(*self._cases.values()), *self._others]))
        return self._cases.get(word, self._others) if type(word) is str else self._others

    def _as_shape(self, label: str, item: dict[str, Any], reader: Any) -> _Read | None:
        shape = self._shapes.get(label)
        if shape is None or not shape.near:
            return None
        expected = self._expected.get(label)
        if expected is None:
            expected = self._expected[label] = tuple(map(Expected, shape.near.split()))
        completion = _Completion(item, self._key, len(reader.deviations))
        if not completion.fits(expected):
            return None
        before = len(reader.deviations), len(reader.unread)
        node = self._read(shape, label, completion, item, reader)
        marks = reader.deviations[before[0] :], reader.unread[before[1] :]
        del reader.deviations[before[0] :], reader.unread[before[1] :]
        if node is None:
            return None
        constants = frozenset(
            [(row.keys, str(row.constant)) for row in expected if row.constant is not _ABSENT]
        )
        return _Read(shape, node, completion.assumed, marks, constants)

    def _read(
        self, shape: Any, label: str, completion: _Completion, item: dict[str, Any], reader: Any
    ) -> Any:
        """Read the completed object, and remember how the original is written."""
        # only the model's own calls are cut off
        broken = completion.broken is not None and not reader.takes_cut_calls
        node = None if broken else shape.read(completion.item, reader)
        if node is None:
            return None
        variant = None if node.kept is None else node.kept.shape
        try:
            near = reader.remember(replace(node, kept=None), label, item, variant)
            # deriving the memory writes the node
            if not hasattr(near, "kept"):
                return None
            return near if completion.broken is None else replace(near, arguments=completion.broken)
        except PromptwireError:  # a node that this shape does not write
            return None
