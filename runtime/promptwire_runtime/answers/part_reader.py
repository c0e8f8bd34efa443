"""Read one part of an answer under way, as the answer will have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import PromptwireError
from ..model.parts import Part, Refusal, Text
from ..model.request import Message
from ..wire_json.kinds import is_list, is_object
from .answer import text_of_thought, thoughts_in
from .buffers import EACH, at, in_both_cases, settled
from .event_paths import EventPaths
from .events import THINKING
from .part_state import Numbers
from .stream_table import StreamTable

# keys that every part has and that no event needs to report
_NAMING = in_both_cases("type", "role", "index")


class PartReader:
    """Reads parts of a body that grows.

    paths  the places in a part that events report
    """

    __slots__ = ("_body", "_read", "_table", "paths")

    def __init__(
        self,
        table: StreamTable,
        paths: EventPaths,
        read: Callable[[dict[str, Any]], Message | None],
        body: dict[str, Any],
    ) -> None:
        self.paths = paths.at(table.part) or paths
        self._table = table
        self._read = read
        self._body = body

    def json(self, numbers: Numbers) -> Any:
        """Return the JSON of a part so far."""
        path = self._table.part
        return settled(at(self._body, path, numbers), path, self._table.decoded)

    def _called(self, json: Any) -> Any:
        """Return a part; a call without arguments, which has just begun, with empty ones."""
        keys = [key for key, below in self.paths.inner.items() if below.kind == "arguments"]
        if (
            not (self.paths.calls and is_object(json))
            or json.get("type") not in (*self._table.called,)
            or not json.keys().isdisjoint(keys)
        ):
            return json
        return {**json, **dict.fromkeys(keys[:1], "")}

    def says_more(self, json: Any) -> bool:
        """Return whether a part has values that no event of its texts and calls reports."""
        return is_object(json) and self._says_more(json, self.paths)

    def _says_more(self, json: Mapping[str, Any], paths: EventPaths) -> bool:
        called = self._table.called
        # calls that the API runs itself are reported without name and arguments
        hosted = paths.calls and bool(called) and json.get("type") not in (None, *called)
        for key, value in json.items():
            if key in _NAMING or key in self._table.thought or value in (None, "", [], {}):
                continue
            below = paths.inner.get(key)
            if below is None or not self._is_reported(value, below):
                return True
            if hosted and (below.kind == "arguments" or not (below.kind or below.inner)):
                return True
        return False

    def _is_reported(self, value: Any, paths: EventPaths) -> bool:
        if is_object(value):
            return paths.kind == "arguments" or (bool(paths.inner) and not self._says_more(value, paths))
        if is_list(value):
            inside = paths.inner.get(EACH)
            return inside is not None and all(self._is_reported(element, inside) for element in value)
        return True

    def message(self, json: Any, numbers: Numbers) -> Message | None:
        """Read a part as the only one of an answer; None where it cannot be read."""
        try:
            return self._read(_around(self._body, self._table.part, numbers, self._called(json)))
        except PromptwireError:
            return None


def texts_of(parts: Sequence[Part]) -> dict[str, str]:
    """Return the texts of parts by the kind of event that reports them."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    refusals = [part.text for part in parts if isinstance(part, Refusal)]
    thoughts = map(text_of_thought, thoughts_in(parts))
    return {"text": "".join(texts), "refusal": "".join(refusals), "reasoning": "".join(thoughts)}


def thoughts_by_field(parts: Sequence[Part]) -> dict[str, str]:
    """Return the texts of thinking on an API that summarises it: field of `Reasoning` -> its texts, joined."""
    thoughts = thoughts_in(parts)
    return {
        name: "".join([text for part in thoughts for text in getattr(part, name) or ()])
        for name in THINKING.values()
    }


def _around(value: Any, path: tuple[str, ...], numbers: Numbers, json: Any) -> Any:
    """Return a body with one part only, and the words around it (model, role)."""
    if not path:
        return json
    key, *rest = path
    if key == EACH:
        return [_around(at(value, (key,), numbers), tuple(rest), numbers[1:], json)]
    value = value if is_object(value) else {}
    words = {name: word for name, word in value.items() if type(word) is str}
    return {**words, key: _around(value.get(key), tuple(rest), numbers, json)}
