"""One part of a written stream: its texts as far as events reported them, and the events that write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

from ..build.encoding import encoded
from ..errors import InvalidRequest
from ..model.parts import CustomToolCall, Part, Reasoning, Refusal, Text
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.policies import LENIENT
from ..wire_json.kinds import is_list, is_object
from .argument_text import Braces
from .buffers import EACH, json_object
from .event_writer import CutEvent, EventWriter
from .events import Event
from .json_differences import field_of, leaves, merged, missing
from .made_values import BETWEEN_THOUGHTS, made_id
from .part_state import TextState
from .written import WrittenEvents, WrittenKind, filled

_TEXTS = frozenset({"text", "reasoning", "refusal"})
_NOTHING = WrittenKind()


def text_of(part: Part) -> str:
    """Return the text of a part, as its events carry it."""
    if isinstance(part, Reasoning):
        return part.text or "".join(part.texts or part.summary or ())
    return part.text if isinstance(part, (Text, Refusal)) else ""


class StreamedPart:
    """A part of a written stream.

    event   the event that it began with
    kind    `text`, `reasoning`, `refusal` or `call`, or `part` for one that comes whole
    began   a message with what it began with, if that is known
    texts   its texts, or the arguments of a call, in the order in which they began
    json    the part as this API's JSON, as soon as it came whole; `node` is the part itself, and `is_own` says whether
            this API sent it
    values  the template values of its events, as soon as it is open
    is_ended     whether its end is written
    is_compared  whether a whole part was compared with it
    """

    __slots__ = (
        "_braces", "_out", "_remembered", "_rows", "_turn", "_written", "began", "event", "is_compared", "is_custom",
        "is_ended", "is_own", "json", "kind", "node", "texts", "values",
    )  # fmt: skip

    def __init__(self, event: Event, out: EventWriter) -> None:
        """Begin with an event."""
        self._out = out
        self.event = event
        self.kind = event.kind
        self.began: Message | None = event.data
        self.texts: list[TextState] = []
        self.json: dict[str, Any] | None = None
        self.node: Part | None = None
        self.values: dict[str, Any] = {}
        self.is_own = self.is_ended = self.is_compared = False
        # whether it is a call of a tool that takes free text
        self.is_custom = self.kind == "call" and any(
            isinstance(part, CustomToolCall) for part in (self.began.parts if self.began is not None else ())
        )
        # the text that is being written, how many of its pieces are written and how many of these the body has
        self._turn = -1
        self._written = self._remembered = 0
        # the bytes of a piece of it, cut
        self._rows: list[CutEvent] | None = None
        self._braces = Braces()
        if self.kind in _TEXTS:
            self.add(event)

    # what events report

    def add(self, event: Event) -> None:
        """Add a text that begins, or arguments."""
        text = self.texts[-1] if self.texts and event.kind == "arguments" else TextState(event)
        if not text.reported:
            self.texts.append(text)
        text.reported.append(event.text)

    def takes(self, event: Event) -> bool:
        """Take a piece of a text of this part. Return False if the event belongs to another part."""
        if self.kind != event.kind or self.kind not in _TEXTS or self.json is not None:
            return False
        if self.texts[-1].continues(event):
            self.texts[-1].reported.append(event.text)
        elif self.event.part is None or self.event.part != event.part:
            return False
        else:
            self.add(event)
        return True

    @property
    def text(self) -> str:
        """All that came so far."""
        return "".join([text.text for text in self.texts])

    @property
    def is_whole(self) -> bool:
        """Whether another part may follow. A call is whole once the braces of its arguments are closed."""
        return self.kind != "call" or self._braces.are_closed(self.texts[0].reported if self.texts else ())

    def own_piece(self, part: Part) -> Part:
        """Return a part with the text of this part alone, where parts before it hold the beginning."""
        text, own = text_of(part), self.text
        if text == own or not own or not text.endswith(own):
            return part
        if isinstance(part, (Text, Refusal)) or (isinstance(part, Reasoning) and part.text):
            return replace(part, text=own)
        if not isinstance(part, Reasoning):
            return part
        return replace(part, texts=(own,)) if part.texts else replace(part, summary=(own,))

    # events

    def open(self, candidate: int, calls: int, contents: int) -> None:
        """Write the events that begin it.

        Args:
            candidate: The number of its candidate.
            calls: How many calls stand before it.
            contents: How many other parts stand before it.
        """
        self.number(candidate, calls, contents)
        kind, title = self._kind(), self._out.target.wire.title
        if self.is_custom and "custom" not in self._out.target.written.kinds:
            self._note("custom_tool_call", f"{title} has no such calls: it becomes the call of a function")
        if kind.ids and not self.event.id:
            self._note("id", f"{title} asks for one of each call", "added")
        self._out.write(kind.open, self.values)
        self._write_values(kind.before, self.values["begun"])

    def write(self) -> None:
        """Write the pieces that came since."""
        for number in range(max(self._turn, 0), len(self.texts)):
            if number != self._turn:
                self._begin_text(number)
            for piece in self.texts[number].reported[self._written :]:
                self._write_piece(piece)

    def write_next(self, event: Event) -> bool:
        """Write a piece that continues the text of the last event. Return False if it is none, or cannot be cut."""
        if not self._written or self.json is not None or not self.texts[self._turn].continues(event):
            return False
        if self._rows is None:
            self._rows = self._out.cut(self._kind(self._turn).piece, self.values)
        if not (self._rows and self._out.write_text(self._rows, event.text)):
            return False
        self.texts[self._turn].reported.append(event.text)
        self._written += 1
        return True

    def _write_piece(self, piece: str) -> None:
        """Write a piece of the text that is being written."""
        self._remember()
        self._out.write(self._kind(self._turn).piece, {**self.values, "text": piece})
        self._written = self._remembered = self._written + 1
        self.values["first"] = None

    def end(self) -> Any:
        """Write its end, and return the whole part as this API's JSON."""
        kind, values = self._kind(), self.values
        if kind.empty and not self.text.strip():
            self.add(Event(kind="arguments", text=kind.empty))
            self.write()
        if self.texts:
            self._end_text()
        values["whole"] = self.text
        if self.kind == "call":
            self._end_call(kind)
        item = self._item()
        if self.json is not None:
            values["rest"] = self._out.target.rest(self.json, values["call"])
            exact = self.is_own or self.kind == "part"
            item = self.json if exact else merged(item, values["rest"]) if item else None
            self.complete()
        values["item"] = item
        self._out.write(kind.close, values)
        self.report_rest()
        self.is_ended = True
        return item

    def complete(self) -> None:
        """Write the values of a whole part that its own events did not hold."""
        target, whole = self._out.target, self.json or {}
        kind = self._kind() if target.is_listed else target.written.kinds.get("part", _NOTHING)
        grown = self._grown()
        lacking: Any = missing(self._rest(), grown) or {}
        # other keys tell the texts of a list of which nothing is written; without text and type, nobody can read it
        lacking = {
            key: whole[key]
            if is_list(value) and is_list(whole.get(key)) and not grown.get(key) and target.has_texts(key)
            else value
            for key, value in lacking.items()
        }
        self._write_values(kind.more, lacking)

    def report_rest(self) -> None:
        """Report the values of a whole part that no event of this API can hold."""
        if self.json is None:
            return
        why = f"no event of {self._out.target.wire.title} has a place for it"
        for path, value in leaves(missing(self._rest(), self._grown(), other=True)):
            self._out.losses.report(self._path, field_of(self.node, path, value), why)

    def number(self, candidate: int, calls: int, contents: int) -> None:
        """Give it a place in the answer, which its template values say."""
        values, event, place = self._out.values, self.event, calls + contents
        made = made_id(values["id"], candidate, place, event.name)
        begun = self._begun()
        # lists are written by events of their own
        began = {key: value for key, value in begun.items() if not is_list(value)}
        self.values = {
            **values,
            "candidate": candidate,
            "block": place,
            "call": calls,
            "content": contents,
            "inner": 0,
            "made": made,
            "given": begun.get("id"),
            "begun": begun,
            "began": began,
            "first": began,
            **_inside("part", self.json),
            "id_given": event.id or None,
            "call_id": event.id or f"call_{made}",
            "name": event.name,
        }

    @property
    def _path(self) -> str:
        return f"messages[{self.values['candidate']}]"

    def _note(self, field: str, why: str, action: str = "replaced") -> None:
        self._out.losses.note(self._path, field, why, action)

    def _kind(self, number: int = 0) -> WrittenKind:
        """Return the events of this part, or of one of its texts. Custom calls and thinking may have their own."""
        field = self.texts[number].event.name if self.kind == "reasoning" and self.texts else None
        return self._out.target.kind_of(self.kind, "custom" if self.is_custom else field)

    def _begin_text(self, number: int) -> None:
        """Write the end of a text, and the beginning of the next."""
        if number:
            self._end_text()
        self._turn, kind = number, self._kind(number)
        self._written = self._remembered = 0
        self._rows = None
        self.values["inner"] = sum([self._kind(before) is kind for before in range(number)])
        self._out.write(kind.begin, self.values)
        if number and self.kind == "reasoning" and not kind.begin and self._kind(number - 1) is kind:
            # two thoughts in one text
            self._out.write(kind.piece, {**self.values, "text": BETWEEN_THOUGHTS})

    def _end_text(self) -> None:
        self._remember()
        values = {**self.values, "whole": self.texts[self._turn].text}
        self._out.write(self._kind(self._turn).end, values)

    def _remember(self) -> None:
        """Add the pieces that were written since to the body, as one."""
        pieces = self.texts[self._turn].reported if self._turn >= 0 else []
        text = "".join(pieces[self._remembered : self._written])
        if text:
            self._out.remember(self._kind(self._turn).piece, {**self.values, "text": text})
        self._remembered = self._written

    def _item(self) -> Any:
        """Return the whole part as its texts make it."""
        rows: dict[WrittenKind, list[str]] = {} if self.texts else {self._kind(): [""]}
        for number, text in enumerate(self.texts):
            rows.setdefault(self._kind(number), []).append(text.text)
        items: list[Any] = [
            filled(kind.item, {**self.values, "whole": self._joined(texts), "wholes": texts})
            for kind, texts in rows.items()
        ]
        return reduce(merged, items)

    def _joined(self, texts: list[str]) -> str:
        return (BETWEEN_THOUGHTS if self.kind == "reasoning" else "").join(texts)

    def _end_call(self, kind: WrittenKind) -> None:
        """Decode the arguments for an API that takes an object; note pieces of arguments that are none."""
        text, target = self.text, self._out.target
        decodes = bool(target.stream.decoded) and not self.is_custom and bool(text.strip())
        if not (kind.json or decodes):
            return
        arguments = json_object(text.strip() or "{}")
        if arguments is None:
            why = f"{target.wire.title} takes arguments that are a JSON object, and these are none: {text[:80]!r}"
            if kind.json and self._out.losses.policies.loss == "raise":
                raise InvalidRequest(why, wire=target.wire.name, field="arguments")
            self._note("arguments", why, "replaced" if kind.json else "passed through")
        if kind.json:
            self.values["arguments"] = arguments or {}

    def _write_values(self, rows: Mapping[tuple[str, ...], WrittenEvents], json: Any) -> None:
        """Write the values for which there are events, each element of a list by itself."""
        for path, events in rows.items():
            for number, value in enumerate(_values(json, path)):
                self._out.write(events, {**self.values, **_inside("more", value), "inner": number})

    def _rest(self) -> dict[str, Any]:
        """Return what of the whole part other events do not report."""
        target, whole = self._out.target, self.json or {}
        if self.kind == "part" and target.is_listed:
            return whole
        return target.rest(whole, self.values["call"] if self.kind == "call" else None)

    def _grown(self) -> Any:
        """Return the part as a reader of the events has it."""
        self._remember()
        return self._out.part(self.values["candidate"], self.values["block"]) or {}

    def _begun(self) -> dict[str, Any]:
        """Return the JSON that the part began with."""
        target = self._out.target
        if self.began is None or not target.is_listed or self.kind == "part":
            return {}
        elements, _ = target.elements(self.began, LENIENT)
        return target.rest(elements[0]) if elements else {}


def _inside(name: str, value: Any) -> dict[str, Any]:
    """Return the template values for a value, for the keys of an object, and for its JSON text."""
    if not is_object(value):
        return {name: value}
    inside = {f"{name}.{key}": inner for key, inner in value.items()}
    return {name: value, f"{name}.json": encoded(value).decode(), **inside}


def _values(json: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values at a path; `[]` in the path means each element of a list."""
    if not path:
        if json:
            yield json
    elif path[0] == EACH:
        for element in json if is_list(json) else ():
            yield from _values(element, path[1:])
    elif isinstance(json, Mapping) and path[0] in json:
        yield from _values(json[path[0]], path[1:])
