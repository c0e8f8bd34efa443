"""The events that write a stream, as the compiler knows them: JSON with holes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..problems import did_you_mean, quote
from ..spec.answer_sections import StreamWriting, WrittenPart, WrittenWhole
from ..spec.fields import is_list, is_object
from ..spec.load import LoadedSpec
from ..spec.notation import Notation

_HOLE = re.compile(r"([^$]*)\$([a-z_]+(?:\.[A-Za-z_]+)?)")
KINDS = ("text", "reasoning", "texts", "refusal", "call", "custom", "part")
_KNOWN = ("id", "model", "created", "created_at", "sequence", "usage", "candidate")
_PART = (*_KNOWN, "block", "content", "call", "made", "call_id", "id_given", "name")
_WHOLE = (*_PART, "whole", "arguments")
_END = (*_KNOWN, "finish", "finish.detail", "items", "body")
_ERROR = ("message", "type", "code", "word", "field", "status", "sequence")
# the moments of a stream, and the holes of their events
MOMENTS = {"start": _KNOWN, "finish": _END, "usage": _KNOWN, "end": _END, "error": _ERROR}
_MOMENTS_OF_PARTS = {
    "open": (*_PART, "began", "part"),
    "begin": (*_PART, "inner"),
    "piece": (*_PART, "inner", "text", "began", "first"),
    "end": (*_PART, "inner", "whole"),
    "close": (*_WHOLE, "item", "part", "rest"),
}


@dataclass(frozen=True, slots=True)
class EventHole:
    """A value that is put in, behind a text."""

    name: str
    before: str


@dataclass(frozen=True, slots=True)
class MaybeHole:
    """The value of a key that is left out if the hole has no value."""

    inner: Any


@dataclass(frozen=True, slots=True)
class WrittenEventModel:
    """One event: the name beside its data, if any, and the data with its holes."""

    name: str | None
    data: Any


_More: TypeAlias = Mapping[tuple[str, ...], tuple[WrittenEventModel, ...]]


@dataclass(frozen=True, slots=True)
class WrittenPartModel:
    """The events of one kind of part, by moment.

    more   the path of a value in the whole part -> the events that say it
    before  the same for what a part began with
    item   the whole part
    empty  the text of one that came without any
    ids    whether every call must have an id, and `json` whether its arguments must be a JSON object
    """

    events: Mapping[str, tuple[WrittenEventModel, ...]]
    more: _More
    before: _More
    item: Any
    empty: str
    ids: bool
    json: bool


@dataclass(frozen=True, slots=True)
class WrittenStreamModel:
    """All events that write the stream of one wire, by moment, and those of its parts by kind."""

    events: Mapping[str, tuple[WrittenEventModel, ...]]
    kinds: Mapping[str, WrittenPartModel]
    ends: tuple[str, ...]
    usage_on_request: bool = False


def written_stream(
    spec: LoadedSpec, section: StreamWriting | None, notation: Notation
) -> WrittenStreamModel | None:
    """Parse and check the part `write` of a stream; None where it has none."""
    if section is None:
        return None
    if not section.error and spec.model.answer is not None and spec.model.answer.error is not None:
        message = "a written stream cannot tell of an error, and answer.error says that the API has some"
        span = spec.span_of(("stream", "write"))
        notation.problem(
            span, "missing-key", message, "write error: with the event of an error, such as {error: $message}"
        )
    work = _Templates(spec, section.every, notation)
    kinds: dict[str, WrittenPart | WrittenWhole] = {
        kind: part for kind in KINDS if (part := getattr(section, kind)) is not None
    }
    return WrittenStreamModel(
        events={
            moment: tuple(work.events(getattr(section, moment), (moment,), holes))
            for moment, holes in MOMENTS.items()
        },
        kinds={kind: work.part(kind, part) for kind, part in kinds.items()},
        ends=section.ends,
        usage_on_request=section.usage_on_request,
    )


@dataclass(slots=True)
class _Templates:
    spec: LoadedSpec
    every: Mapping[str, Any]
    notation: Notation

    def part(self, kind: str, part: WrittenPart | WrittenWhole) -> WrittenPartModel:
        """Return the events of one kind of part."""
        events = {
            moment: tuple(self.events(getattr(part, moment, ()), (kind, moment), holes))
            for moment, holes in _MOMENTS_OF_PARTS.items()
        }
        more = self._more(kind, "more", part.more)
        if isinstance(part, WrittenWhole):
            return WrittenPartModel(events, more, {}, None, "", ids=False, json=False)
        before = self._more(kind, "before", part.before)
        item = None if part.item is None else self._value(part.item, (kind, "item"), _WHOLE)
        data = [event.data for rows in events.values() for event in rows]
        ids, json = [_holds([item, *data], name) for name in ("call_id", "arguments")]
        return WrittenPartModel(events, more, before, item, part.empty, ids=ids, json=json)

    def _more(self, kind: str, moment: str, rows: Mapping[str, Sequence[Any]]) -> _More:
        """Return the events that say single values, by their paths."""
        holes = (*_PART, "more", "inner", "part")
        return {
            tuple(path.replace("[]", ".[]").split(".")) if path else (): tuple(
                self.events(templates, (kind, moment, path), holes)
            )
            for path, templates in rows.items()
        }

    def events(
        self, templates: Sequence[Any], place: tuple[str, ...], holes: Sequence[str]
    ) -> Iterator[WrittenEventModel]:
        """Yield the events of one moment; those of an error stand alone."""
        for template in templates:
            name, data = template if is_list(template) else (None, template)
            if is_object(data) and place != ("error",):
                data = {**self.every, **data}
            yield WrittenEventModel(name, self._value(data, place, holes))

    def _value(self, value: Any, place: tuple[str, ...], holes: Sequence[str]) -> Any:
        if is_object(value):
            return {
                key.removesuffix("?"): MaybeHole(below) if key.endswith("?") else below
                for key, inner in value.items()
                for below in (self._value(inner, place, holes),)
            }
        if is_list(value):
            return [self._value(inner, place, holes) for inner in value]
        hole = _HOLE.fullmatch(value) if isinstance(value, str) else None
        if hole is None:
            return value
        before, name = hole.groups()
        # of these two, what is inside of an object
        whole, _, key = name.partition(".")
        if name not in holes and not (key and whole in ("more", "part") and whole in holes):
            hint = did_you_mean(name, holes) or f"the holes here are ${', $'.join(holes)}"
            message = f"{quote('$' + name)} is nothing that is known in stream.write.{'.'.join(place)}"
            span = self.spec.span_of(("stream", "write", *place))
            self.notation.problem(span, "unknown-hole", message, hint)
        return EventHole(name, before)


def _holds(value: Any, name: str) -> bool:
    """Return whether a template has a hole of this name."""
    if isinstance(value, EventHole):
        return value.name == name
    if isinstance(value, MaybeHole):
        return _holds(value.inner, name)
    below = value.values() if is_object(value) else value if is_list(value) else ()
    return any(_holds(inner, name) for inner in below)
