"""Report a growing answer as neutral events: texts, calls, whole parts, token counts and finish reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from json import dumps
from typing import Any

from ..build.wire import Wire
from ..errors import PromptwireError
from ..model.parts import CustomToolCall, HostedCall, HostedResult, Part
from ..model.request import Message
from ..nodes.records import construct
from ..passes.pairing import waiting_calls
from ..wire_json.kinds import is_list, is_object
from .answer import Answer
from .answer_shapes import as_word
from .buffers import EACH, at, in_both_cases, settled, value_at
from .event_paths import EventPaths
from .events import THINKING, Event
from .stream_table import StreamTable
from .table import AnswerTable, read_counts
from .vendor_options import VendorEvents

Numbers = tuple[Any, ...]
# what every part has, and says nothing of it
_NAMING = in_both_cases("type", "role", "index")
_AS_TEXT: frozenset[tuple[str, ...]] = frozenset()


class WholeParts:
    """The parts of one stream.

    listed  whether parts stand in a list: there, one ends when the next begins, unless events say where it ends
    depth   how many numbers a part has
    now     those of the one in which something was told last
    hosted  candidate -> its hosted calls and their results that are whole
    """

    __slots__ = (
        "_body",
        "_ended",
        "_open",
        "_read",
        "_table",
        "_told",
        "_words",
        "depth",
        "hosted",
        "listed",
        "now",
    )

    def __init__(
        self,
        table: StreamTable,
        told: EventPaths,
        read: Callable[[dict[str, Any]], Answer],
        body: dict[str, Any],
    ) -> None:
        """Follow the parts of a body that grows."""
        self._table = table
        self._told = told.at(table.part) or told
        self._read = read
        self._body = body
        self.depth = table.part.count(EACH)
        self.listed = table.part[-1:] == (EACH,)
        self.now: Numbers | None = None
        # the open parts by what stands above them (one list, or one candidate), each with whether any event told of it
        self._open: dict[Numbers, dict[Numbers, bool]] = {}
        self._ended: set[Numbers] = set()
        self.hosted: dict[Any, list[Part]] = {}
        self._words = _NAMING.union(table.thought)

    def begin(self, numbers: Numbers) -> Iterator[Event]:
        """Open the part at these numbers, and yield the parts that are complete now."""
        numbers = numbers[: self.depth]
        if len(numbers) < self.depth or numbers in self._above(numbers) or numbers in self._ended:
            return
        if self.listed and not self._table.ends:
            yield from self.end_all(numbers[:-1])
        self._open.setdefault(numbers[:1], {})[numbers] = False

    def tell(self, numbers: Numbers) -> Message | None:
        """Mark a part as reported. Return what it began with the first time, if that says more than its events."""
        self.now = numbers[: self.depth]
        parts = self._above(self.now)
        if parts.get(self.now, True):
            return None
        parts[self.now] = True
        json = self._json(self.now) if self.listed else None
        return self._alone(json, self.now) if is_object(json) and self._says_more(json, self._told) else None

    def end(self, numbers: Numbers) -> Iterator[Event]:
        """Return a part that is complete, if its events did not report all of it."""
        if numbers in self._ended:
            return
        is_told = self._above(numbers).pop(numbers, False)
        self._ended.add(numbers)
        json = self._json(numbers)
        if is_told and not (is_object(json) and self._says_more(json, self._told)):
            return
        message = self._alone(json, numbers)
        if message is not None and message.parts:
            candidate = numbers[0] if self.depth > self.listed else 0
            part = numbers[-1] if self.listed else None
            if isinstance(message.parts[0], (HostedCall, HostedResult)):
                self.hosted.setdefault(candidate, []).extend(message.parts)
            yield construct(Event, kind="part", data=message, place=numbers, candidate=candidate, part=part)

    def end_all(self, above: Numbers = ()) -> Iterator[Event]:
        """Return all open parts of a list or a candidate as complete."""
        groups = [self._above(above)] if above else [*self._open.values()]
        for numbers in [each for group in groups for each in group]:
            yield from self.end(numbers)

    def _above(self, numbers: Numbers) -> dict[Numbers, bool]:
        """Return the open parts of the list or the candidate that a part stands in."""
        return self._open.get(numbers[:1], {})

    def _json(self, numbers: Numbers) -> Any:
        path = self._table.part
        return settled(at(self._body, path, numbers), path, self._table.decoded)

    def _called(self, json: Any) -> Any:
        """Return a part; a call without arguments, which has just begun, with empty ones."""
        keys = [key for key, below in self._told.inner.items() if below.kind == "arguments"]
        if (
            not (self._told.calls and is_object(json))
            or json.get("type") not in (*self._table.called,)
            or not json.keys().isdisjoint(keys)
        ):
            return json
        return {**json, **dict.fromkeys(keys[:1], "")}

    def _says_more(self, json: Mapping[str, Any], told: EventPaths) -> bool:
        """Return whether an object says anything that is not told where it grows."""
        called = self._table.called
        # calls that the API runs itself are reported without name and arguments
        hosted = told.calls and bool(called) and json.get("type") not in (None, *called)
        for key, value in json.items():
            if key not in self._words and value not in (None, "", [], {}):
                below = told.inner.get(key)
                if below is None or not self._is_told(value, below):
                    return True
                if hosted and (below.kind == "arguments" or not (below.kind or below.inner)):
                    return True
        return False

    def _is_told(self, value: Any, told: EventPaths) -> bool:
        if is_object(value):
            return told.kind == "arguments" or (bool(told.inner) and not self._says_more(value, told))
        if is_list(value):
            inside = told.inner.get(EACH)
            return inside is not None and all(self._is_told(element, inside) for element in value)
        return True

    def _alone(self, json: Any, numbers: Numbers) -> Message | None:
        """Read a part as the only one of an answer; None where it cannot be read."""
        try:
            return self._read(_around(self._body, self._table.part, numbers, self._called(json))).message
        except PromptwireError:
            return None


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


class EventReports:
    """Takes the reports of the accumulator of one stream, and appends events to a list.

    options    the known keys of this one API
    finishing  the numbers of the candidates that end with the event that is taken -> why, and the API's own words
    whole      whether the answer came as a whole body, whose parts are reported already
    """

    def __init__(
        self,
        wire: Wire,
        table: StreamTable,
        answers: AnswerTable,
        read: Callable[[dict[str, Any]], Answer],
        body: dict[str, Any],
        events: list[Event],
    ) -> None:
        """Start with nothing; the body grows."""
        self._table = table
        self._answers = answers
        self._wire = wire
        self._events = events
        self._announced: set[Numbers] = set()
        # candidates with calls that the caller answers
        self._calling: set[Any] = set()
        # texts that were reported, by the part and kind of the event, and parts that are thinking
        self._heard: dict[tuple[Any, ...], list[str]] = {}
        self._places: set[tuple[Any, ...]] = set()
        self._thinking: set[tuple[Any, ...]] = set()
        # kind of a path -> the field of `Reasoning` that it is, on APIs that summarise thinking
        self._summed = THINKING if "summary" in table.text_paths.values() else {}
        self._ends: dict[Numbers, dict[str, str]] = {}
        self._finished: set[Numbers] = set()
        # what was reported last, where, as which event, and the texts of its part
        self._last: tuple[EventPaths | None, Numbers, Event, list[str]] = (None, (), Event(kind="start"), [])
        paths = table.event_paths(answers)
        self._parts = WholeParts(table, paths, read, body) if table.part else None
        # calls whose last piece may be missing
        part = paths.at(table.part)
        self._pieced = None if part is None else part.pieced
        self._body = body
        # how many numbers a part has
        self._depth = table.part.count(EACH)
        self.options = VendorEvents(wire.name, answers, body)
        self.finishing: dict[Numbers, tuple[str, str]] = {}
        self.whole = False
        # whether the first number of a place is that of a candidate
        self._many = answers.candidate is not None

    def __call__(
        self, value: Any, paths: EventPaths, numbers: Numbers, *, grows: bool = False, ends: bool = False
    ) -> None:
        """Take a value that came, as `OnEvent` describes it."""
        if grows and paths is self._last[0] and numbers == self._last[1] and value:
            # most pieces are more of what was reported last
            self._last[3].append(value)
            self._events.append(self._last[2].again(value))
            return
        if ends:
            if self._parts is not None:
                self._events += self._parts.end(numbers)
        elif is_object(value):
            self._report_object(value, paths, numbers)
        elif paths.kind in ("finish", "detail", "blocked"):
            self._report_end(paths.kind, value, numbers)
        elif paths.kind not in ("", "usage") and type(value) is str and value:
            self._report_text(value, paths, numbers, grows=grows)

    def end_all(self) -> None:
        """Report all parts that are still open as whole, and the options that came last."""
        if not self.whole:
            self._events += self._parts.end_all() if self._parts else ()
            self._events += self.options.fresh()

    @property
    def all_finished(self) -> bool:
        """Whether the API said for each candidate that began why it ended."""
        if not self._finished or not self._many:
            return bool(self._finished)
        part = self._table.part
        began = at(self._body, part[: part.index(EACH)], ())
        return len(self._finished) >= len(began or ())

    def finished(self) -> list[Event]:
        """Return the parts of the candidates that end now, their options, and why they end."""
        ending, self.finishing = self.finishing, {}
        self._finished.update(ending)
        parts = self._parts
        if self._pieced is not None:
            # a prompt that was blocked has no candidate
            for numbers, (meaning, _) in ending.items():
                if meaning != "length" and len(numbers) >= self._depth - 1:
                    elements = at(self._body, self._table.part[:-1], numbers)
                    self._pieced.close(elements or [], numbers, self)
        whole = [event for numbers in ending for event in parts.end_all(numbers)] if parts else []
        options = self.options.fresh([numbers for numbers in ending if numbers])
        return [*whole, *options, *[self._finish(numbers, *why) for numbers, why in ending.items()]]

    def counts(self, counts: dict[str, Any], numbers: Numbers = ()) -> None:
        """Report counts of tokens."""
        self._events.append(
            construct(Event, kind="usage", data=read_counts(counts, self._answers), place=numbers)
        )

    def _report_text(self, value: str, paths: EventPaths, numbers: Numbers, *, grows: bool) -> None:
        kind = paths.kind
        if kind == "arguments" and self._table.called and numbers not in self._announced:
            # of a call that the API answers itself
            return
        if self._thinking and (paths.outer, numbers) in self._thinking:
            kind = "reasoning"
        if kind == "reasoning" and self._mirrors(value, numbers):
            return
        heard = self._heard.setdefault((kind, *numbers[: self._depth or None]), [])
        more = {} if kind not in self._summed else {"name": self._summed[kind]}
        if not grows and ((paths, numbers) in self._places or (self._table.ends and value in "".join(heard))):
            # what came in pieces, and comes again as a whole, is reported once
            return
        self._places.add((paths, numbers))
        heard.append(value)
        self._add("reasoning" if more else kind, numbers, value, **more)
        piece = self._events[-1]
        same = piece if piece.data is None else construct(Event, **{**vars(piece), "data": None})
        self._last = paths, numbers, same, heard

    def _mirrors(self, value: str, numbers: Numbers) -> bool:
        """Return whether the thinking that was reported last is this one under another key, as hosts send it twice."""
        told = self._events[-1:] if self._last[1] == numbers else []
        return bool(told) and (told[0].kind, told[0].text) == ("reasoning", value)

    def _report_object(self, value: dict[str, Any], paths: EventPaths, numbers: Numbers) -> None:
        thought = self._table.thought
        if paths.part and self._parts is not None:
            self._events += self._parts.begin(numbers)
        if paths.calls and numbers not in self._announced:
            self._announce(value, numbers)
        if thought and all(value.get(key) == mark for key, mark in thought.items()):
            self._thinking.add((paths, numbers))
        if paths.kind == "usage":
            self.counts(settled(value, (), _AS_TEXT), numbers)
        # arguments that come whole, of a call that the caller answers
        elif paths.kind == "arguments" and value and (not self._table.called or numbers in self._announced):
            heard = self._heard.setdefault(("arguments", *numbers), [])
            if not heard:
                heard.append(dumps(value, ensure_ascii=False))
                self._add("arguments", numbers, heard[0])

    def _add(self, kind: str, numbers: Numbers, text: str = "", **more: Any) -> None:
        """Append an event of a part."""
        parts = self._parts
        if parts is not None:
            if parts.now != numbers[: parts.depth]:
                self._events += parts.begin(numbers)
                more["data"] = parts.tell(numbers) or more.get("data")
            if parts.listed:
                more["part"] = numbers[parts.depth - 1]
        candidate = numbers[0] if self._many and numbers else 0
        self._events.append(
            construct(Event, kind=kind, text=text, place=numbers, candidate=candidate, **more)
        )

    def _report_end(self, kind: str, value: Any, numbers: Numbers) -> None:
        """Take a word that says why a candidate ended; the words of one event make one report."""
        word, words = as_word(value), self._ends.setdefault(numbers, {})
        if word is None or word in self._answers.unfinished or words.get(kind) == word:
            return
        words[kind] = word
        if "finish" not in words and kind != "blocked":
            return
        raw = ".".join([words[key] for key in ("finish", "detail", "blocked") if key in words])
        self.finishing[numbers] = "filtered" if kind == "blocked" else self._answers.meaning_of(raw), raw

    def _finish(self, numbers: Numbers, meaning: str, raw: str) -> Event:
        """Return the report of why a candidate ended."""
        candidate = numbers[0] if self._many and numbers else 0
        hosted = self._parts.hosted.get(candidate, ()) if self._parts else ()
        if meaning == "stop" and (candidate in self._calling or waiting_calls(hosted, self._wire)):
            # calls that end with `stop` are calls all the same
            meaning = "tool_calls"
        return construct(Event, kind="finish", text=raw, name=meaning, place=numbers, candidate=candidate)

    def _announce(self, value: dict[str, Any], numbers: Numbers) -> None:
        """Report a call once its name is known. Calls that the API runs itself are not reported as calls."""
        _, id_path, name_path, *custom_path = self._table.call or ((), (), ())
        kind = value.get("type")
        if self._table.called and kind not in (None, "", *self._table.called):
            return
        name, custom = value_at(value, name_path), False
        if not (type(name) is str and name) and custom_path:
            name, custom = value_at(value, custom_path[0]), True
        if type(name) is not str or not name:
            return
        self._announced.add(numbers)
        self._calling.add(numbers[0] if self._many and numbers else 0)
        found = value_at(value, id_path)
        identity = found if type(found) is str else None
        data = Message("assistant", (CustomToolCall(identity, name, ""),)) if custom else None
        self._add("call", numbers, id=identity, name=name, data=data)
