"""The state of the parts of an answer under way. Events say what the body holds and no event reported yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from json import dumps
from typing import Any

from ..build.wire import Wire
from ..model.parts import (
    CALLS,
    CustomToolCall,
    Part,
    ToolCall,
)
from ..model.request import Message
from ..nodes.records import construct
from ..wire_json.kinds import is_object
from .buffers import at, json_object, settled, value_at
from .candidate_ends import CandidateEnds
from .event_log import EventLog
from .event_paths import EventPaths
from .events import THINKING, Event
from .part_reader import PartReader, texts_of, thoughts_by_field
from .part_state import NO_TEXT, Numbers, PartState, TextState
from .stream_table import StreamTable
from .table import AnswerTable
from .vendor_options import VendorEvents

_AS_TEXT: frozenset[tuple[str, ...]] = frozenset()


class PartsState:
    """The parts of one streamed answer, which the steps of the accumulator change; appends events to a list.

    log        the events of the answer
    ends       why its candidates end
    options    the known keys of this one API
    whole      whether the answer came as a whole body, whose parts are reported already
    last       the text of the last event
    """

    def __init__(
        self,
        wire: Wire,
        table: StreamTable,
        answers: AnswerTable,
        read: Callable[[dict[str, Any]], Message | None],
        body: dict[str, Any],
        events: list[Event],
    ) -> None:
        """Start with nothing; the body grows."""
        self._table = table
        self._body = body
        self._events = events
        self._reader = PartReader(table, table.event_paths(answers), read, body)
        self.log = EventLog(table, answers, events)
        self.ends = CandidateEnds(wire, answers, table.part, body, self.log)
        self._is_listed, self._depth, self._many = self.log.is_listed, self.log.depth, self.log.many
        self._parts: dict[Numbers, PartState] = {}
        # the candidate, or the list of parts -> its parts, and those that are open
        self._groups: dict[Numbers, list[PartState]] = {}
        self._open: dict[Numbers, dict[Numbers, PartState]] = {}
        # the part of the last event
        self._now: Numbers | None = None
        # arguments that are held back
        self._waiting: list[TextState] = []
        self._thinking: set[tuple[Any, ...]] = set()
        # kind of a path -> the field of `Reasoning` that it is, on APIs that summarise thinking
        self._summed = THINKING if "summary" in table.text_paths.values() else {}
        self._ids: set[tuple[int, str | None]] = set()
        # calls whose last piece may be missing
        self._pieced = self._reader.paths.pieced if table.part else None
        self.options = VendorEvents(wire.name, answers, body)
        self.whole = False
        self.last = NO_TEXT

    def __call__(
        self, value: Any, paths: EventPaths, numbers: Numbers, *, grows: bool = False, ends: bool = False
    ) -> None:
        """Report the change of a value, as `OnEvent` describes it."""
        last = self.last
        is_next = grows and paths is last.paths and numbers == last.numbers and not last.is_behind
        if is_next and value and type(value) is str:
            # most pieces continue the text of the last event
            last.reported.append(value)
            self._events.append(last.event.again(value))
        elif ends:
            self._end(self._part(numbers))
        elif is_object(value):
            self._report_object(value, paths, numbers, grows=grows)
        elif paths.kind in ("finish", "detail", "blocked"):
            self.ends.take_word(paths.kind, value, numbers)
        elif paths.kind not in ("", "usage") and type(value) is str and (value or (grows and paths.of_call)):
            self._report_text(value, paths, numbers, grows=grows)

    @property
    def any_reported(self) -> bool:
        """Whether an event reported anything of a part."""
        texts = (text for part in self._parts.values() for text in part.texts.values())
        return any(part.is_ended for part in self._parts.values()) or any(text.reported for text in texts)

    def finished(self) -> list[Event]:
        """Return what was not reported of the candidates that end now, their options, and why they end."""
        ending = self.ends.end()
        if self._pieced is not None:
            # a prompt that was blocked has no candidate
            for numbers, (meaning, _) in ending.items():
                if meaning != "length" and len(numbers) >= self._depth - 1:
                    elements = at(self._body, self._table.part[:-1], numbers)
                    self._pieced.close(elements or [], numbers, self)
        before = len(self._events)
        for numbers in ending:
            self._end_all(numbers)
        fresh = self._events[before:]
        del self._events[before:]
        options = self.options.fresh([numbers for numbers in ending if numbers])
        return [*fresh, *options, *[self.ends.report(numbers, *why) for numbers, why in ending.items()]]

    def end_all(self, *, is_whole: bool) -> None:
        """Report all that no event reported at the end of the stream, and the options that came last.

        is_whole  whether the API said that the answer ended
        """
        if not self.whole:
            self._end_all(())
            self._events += self.options.fresh()
            self.ends.check(is_whole=is_whole)

    # parts

    def _part(self, numbers: Numbers) -> PartState:
        numbers = numbers[: self._depth]
        part = self._parts.get(numbers)
        if part is None:
            part = self._parts[numbers] = PartState(numbers)
            self._groups.setdefault(numbers[:1] if self._many else (), []).append(part)
        part.is_settled = False
        return part

    def _begin(self, numbers: Numbers) -> None:
        """Open the part at these numbers, and end the parts that are complete now."""
        numbers = numbers[: self._depth]
        if len(numbers) < self._depth or not self._table.part:
            return
        part, group = self._part(numbers), self._open.setdefault(numbers[:1], {})
        if part.is_ended or numbers in group:
            return
        if self._is_listed and not self._table.ends:
            groups = [group] if numbers[:-1] else [*self._open.values()]
            for other in [each for row in groups for each in row.values()]:
                self._end(other)
        group[numbers] = part

    def _end_all(self, above: Numbers) -> None:
        """Report what was not reported of the parts of a candidate or, without numbers, of all."""
        for part in self._group(above) if above else [*self._parts.values()]:
            self._end(part)

    def _group(self, numbers: Numbers) -> list[PartState]:
        """Return the parts of a candidate, or of the answer."""
        return self._groups.get(numbers[:1] if self._many else (), [])

    def _end(self, part: PartState) -> None:
        """Report what events did not report of a part that is complete."""
        if part.is_settled and at(self._body, self._table.part, part.numbers) is not None:
            # nothing of it came since
            return
        for text in part.texts.values():
            self._settle(text, part, is_whole=True)
        for numbers, known in part.calls.items():
            self._check_call(numbers, known, part)
        part.is_odd |= any(
            text.is_no_object or (not self._table.called and self._is_early(text, part))
            for text in part.texts.values()
        )
        json = at(self._body, self._table.part, part.numbers) if part.is_ended else None
        if is_object(json) and part.type not in (None, json.get("type")):
            self.log.problem(
                "part", f"it was of the type {part.type} and is now of {json.get('type')}", part.numbers
            )
        if part.is_odd or (self._table.part and not part.is_ended):
            self._report_part(part)
        part.is_settled, self.last = True, NO_TEXT

    def _report_part(self, part: PartState) -> None:
        """Report a part as a whole if its events did not report all of it, and what is wrong with these."""
        json, is_odd, is_ended = self._reader.json(part.numbers), part.is_odd, part.is_ended
        part.type = json.get("type") if is_object(json) else None
        part.is_ended, part.is_odd = True, False
        self._open.get(part.numbers[:1], {}).pop(part.numbers, None)
        is_lacking = not part.is_reported or self._reader.says_more(json)
        message = self._reader.message(json, part.numbers) if is_odd or is_lacking else None
        parts = () if message is None else message.parts
        if is_odd or (is_lacking and part.is_reported):
            self._check_part(part, parts)
        if parts and is_lacking and not is_ended and self._table.part:
            event = self.log.build("part", part.numbers, data=message)
            calls = [each for each in parts if isinstance(each, CALLS)]
            part.whole = [] if part.calls else [*calls]
            self.ends.take_parts(event.candidate, parts)
            self._events.append(event)

    # texts and calls

    def _report_text(self, value: str, paths: EventPaths, numbers: Numbers, *, grows: bool) -> None:
        part = self._part(numbers)
        text = part.texts.get((paths, numbers))
        if text is None:
            text = self._open_text(paths, numbers, part)
            if not grows and self._table.ends and value in part.get_reported(text.event.kind):
                text.is_silent = part.is_odd = True
        # a part that goes on behind its end may have become another one; the whole body repeats its texts
        part.is_odd |= part.is_ended and (grows or value != text.text)
        if text.is_silent:
            return
        if self._is_early(text, part) or not value:
            self._wait(text)
        elif self._mirrors(text, part, value):
            text.is_silent = part.is_odd = True
        elif not grows or text.is_behind:
            text.is_behind = True
            self._settle(text, part)
        else:
            self._say(text, part, value)

    def _open_text(self, paths: EventPaths, numbers: Numbers, part: PartState) -> TextState:
        """Return the state of a text that begins."""
        kind = paths.kind
        if (paths.outer, numbers) in self._thinking:
            kind = "reasoning"
        more = {"name": self._summed[kind]} if kind in self._summed else {}
        text = TextState(self.log.build("reasoning" if more else kind, numbers, **more), paths, numbers)
        part.is_odd |= self._is_listed and len(numbers) == self._depth and self._is_in_other(paths, numbers)
        part.is_odd |= self._is_in_doubt(text, part)
        part.texts[paths, numbers] = text
        behind = [other for other in self._group(numbers) if other.numbers > part.numbers]
        if self._is_listed and any(other.get_reported(text.event.kind) for other in behind):
            self.log.problem(text.event.kind, "it began behind one that follows it in the answer", numbers)
        return text

    def _is_in_doubt(self, text: TextState, part: PartState) -> bool:
        """Return whether a text comes under several keys, of which the answer has one, or thinking with other texts."""
        kind, name = text.event.kind, text.event.name
        others = [other for other in part.texts.values() if not (text.paths.of_call or other.paths.of_call)]
        if self._is_listed and any(
            (other.event.kind == "reasoning") != (kind == "reasoning") for other in others
        ):
            return True
        same = [other for other in others if (other.event.kind, other.event.name) == (kind, name)]
        return (self._is_listed or kind == "reasoning") and any(
            other.paths is not text.paths for other in same
        )

    def _is_in_other(self, paths: EventPaths, numbers: Numbers) -> bool:
        """Return whether the element of a text has a text of another kind, as each element has one kind."""
        outer = paths.outer
        element = None if outer is None else at(self._body, outer.path, numbers)
        if outer is None or not is_object(element):
            return False
        others = [
            key
            for key, other in outer.inner.items()
            if other.kind != paths.kind and (other.kind or other.inner)
        ]
        return not element.keys().isdisjoint(others)

    def _is_early(self, text: TextState, part: PartState) -> bool:
        """Return whether a text belongs to a call that was not reported: its name has not come, or the API runs it."""
        return text.paths.of_call and text.numbers not in part.calls

    def _mirrors(self, text: TextState, part: PartState, value: str) -> bool:
        """Return whether a text that begins is thinking that came under another key, as hosts send it twice."""
        if text.event.kind != "reasoning" or text.reported or self._is_listed:
            return False
        others = [other for other in part.texts.values() if other.paths is not text.paths]
        said = "".join(
            [piece for each in others if each.event.kind == "reasoning" for piece in each.reported]
        )
        if said and value not in said:
            self.log.problem(
                "reasoning", "the same thinking came under two keys, and they differ", text.numbers
            )
        return value in said

    def _settle(self, text: TextState, part: PartState, *, is_whole: bool = False) -> None:
        """Report the end of a text that was not reported, or that a whole text with another beginning replaced it."""
        if text.is_silent or self._is_early(text, part):
            return
        value, said = text.is_in(self._body), text.text
        if value is None:
            part.is_odd = part.is_odd or bool(said)
        elif value == said:
            text.is_behind = False
        elif value.startswith(said):
            text.is_behind = False
            if is_whole or value not in ("", "{}"):
                self._say(text, part, value[len(said) :])
        elif is_whole:
            self._replace(text, value)

    def _replace(self, text: TextState, value: str) -> None:
        """Report that a text is another one than was reported."""
        text.reported = [value]
        text.is_behind = False
        kind = text.event.kind
        self._events.append(
            construct(Event, **{**vars(text.event), "kind": "replaced", "name": kind, "text": value})
        )

    def _say(self, text: TextState, part: PartState, value: str) -> None:
        """Report a piece of a text."""
        event = text.event.again(value)
        if (began := self._enter(part)) is not None:
            event = construct(Event, **{**vars(event), "data": began})
        text.reported.append(value)
        self.last = text
        self._events.append(event)

    def _enter(self, part: PartState) -> Message | None:
        """Note that something of a part is reported. Return what it began with, if that says more than its events."""
        if self._now == part.numbers or not self._table.part:
            return None
        self._begin(part.numbers)
        self._now = part.numbers
        if part.is_reported or part.is_ended:
            return None
        part.is_reported = True
        json = self._reader.json(part.numbers) if self._is_listed else None
        is_more = self._reader.says_more(json)
        return self._reader.message(json, part.numbers) if is_more else None

    def _report_object(
        self, value: dict[str, Any], paths: EventPaths, numbers: Numbers, *, grows: bool
    ) -> None:
        thought = self._table.thought
        if paths.part:
            self._begin(numbers)
        if paths.calls:
            self._announce(value, numbers)
        if thought and all(value.get(key) == mark for key, mark in thought.items()):
            self._thinking.add((paths, numbers))
        if paths.kind == "usage":
            self.log.counts(settled(value, (), _AS_TEXT), numbers)
        elif paths.kind == "arguments" and value:
            self._report_arguments(paths, numbers, grows=grows)

    def _report_arguments(self, paths: EventPaths, numbers: Numbers, *, grows: bool) -> None:
        """Report arguments that came as an object; one that may grow is reported when the call is whole."""
        part = self._part(numbers)
        text = part.texts.get((paths, numbers)) or self._open_text(paths, numbers, part)
        self._wait(text)
        if not grows:
            self._settle(text, part)

    def _wait(self, text: TextState) -> None:
        """Hold a text back: its call has no name yet, or what follows may replace it."""
        if not text.is_behind:
            text.is_behind = True
            self._waiting.append(text)

    def _announce(self, value: Mapping[str, Any], numbers: Numbers) -> None:
        """Report a call once its name is known. Calls that the API runs itself are not reported as calls."""
        part = self._part(numbers)
        if numbers in part.calls:
            return
        kind = value.get("type")
        if self._table.called and kind not in (None, "", *self._table.called):
            return
        identity, name, custom = self._named(value)
        if not name:
            return
        # what may follow an empty object, or grow as an object, does not follow another call
        self._settle_waiting(is_whole=True)
        data = Message("assistant", (CustomToolCall(identity, name, ""),)) if custom else None
        began = self._enter(part)
        # an element of a list is a call or a text
        part.is_odd |= self._is_listed and any(not text.paths.of_call for text in part.texts.values())
        part.calls[numbers] = identity, name
        event = self.log.build("call", numbers, id=identity, name=name, data=began or data)
        self.ends.calling.add(event.candidate)
        if identity and (event.candidate, identity) in self._ids:
            self.log.problem("id", f"the call {name} has the id of another call: {identity!r}", numbers)
        self._ids.add((event.candidate, identity))
        if event.place[: self._many] in self.ends.finished:
            self.log.problem("finish", f"the call {name} came after the finish", numbers)
        self._events.append(event)
        self.last = NO_TEXT
        self._settle_waiting()

    def _settle_waiting(self, *, is_whole: bool = False) -> None:
        """Report the arguments that were held back, of calls that are reported."""
        waiting, self._waiting = self._waiting, []
        for text in waiting:
            part = self._part(text.numbers)
            self._settle(text, part, is_whole=is_whole)
            if text.is_behind:
                self._waiting.append(text)

    def _named(self, call: Any) -> tuple[str | None, str, bool]:
        """Return the id and the name of a call, and whether it is that of a custom tool."""
        _, id_path, name_path, *custom_path = self._table.call or ((), (), ())
        found, name, custom = value_at(call, id_path), value_at(call, name_path), False
        if not (type(name) is str and name) and custom_path:
            name, custom = value_at(call, custom_path[0]), True
        return found if type(found) is str else None, name if type(name) is str else "", custom

    # what is wrong

    def _check_call(self, numbers: Numbers, known: tuple[str | None, str], part: PartState) -> None:
        """Report a call that has another id or name now than its event said."""
        json = at(self._body, self._table.call[0], numbers)
        identity, name, _ = self._named(json)
        part.is_odd |= not name
        for word, old, new in (("id", known[0], identity), ("name", known[1], name)):
            if new and new != old:
                self._events.append(self.log.build("replaced", numbers, name=word, text=new))
        part.calls[numbers] = identity or known[0], name or known[1]

    def _check_part(self, part: PartState, parts: Sequence[Part]) -> None:
        """Report the texts and the calls of the answer that events did not report so."""
        for kind, value in texts_of(parts).items():
            said = part.get_reported(kind)
            if not said or value == said or (kind == "reasoning" and _tells_summary(part, parts)):
                continue
            text = next(text for text in reversed(part.texts.values()) if text.event.kind == kind)
            if value.startswith(said):
                self._say(text, part, value[len(said) :])
            else:
                why = f"events said {said[:200]!r}, and the answer has {value[:200]!r}"
                self.log.problem(kind, why, part.numbers)
        calls = [call for call in parts if isinstance(call, CALLS)]
        for text in part.texts.values():
            if text.is_no_object and text.numbers in part.calls:
                self._check_arguments(text, part, calls)
        names = sorted(call.name for call in calls)
        is_other = (
            calls != part.whole if part.whole else names != sorted(name for _, name in part.calls.values())
        )
        if is_other:
            self.log.problem("call", "the calls of the answer are not those of the events", part.numbers)

    def _check_arguments(self, text: TextState, part: PartState, calls: Sequence[Part]) -> None:
        """Report arguments that are not a JSON object, or that the answer has as one."""
        identity, name = part.calls[text.numbers]
        found = [call for call in calls if isinstance(call, ToolCall) and call.name == name]
        call = next((each for each in found if each.id == identity), found[0] if found else None)
        if call is None:
            return
        given = call.arguments
        whole = given if isinstance(given, str) else dumps(given, ensure_ascii=False, default=dict)
        if json_object(whole) is None:
            why = f"the arguments of the call {name} are not a JSON object: {whole[:200]!r}"
            self.log.problem("arguments", why, text.numbers)
        else:
            self._replace(text, whole)


def _tells_summary(part: PartState, parts: Sequence[Part]) -> bool:
    """Return whether events reported the thinking of a part and its summary, each as the answer has it."""
    told = thoughts_by_field(parts)
    is_all = len(part.get_reported("reasoning")) == sum(map(len, told.values()))
    return is_all and all(part.get_reported("reasoning", name) == text for name, text in told.items())
