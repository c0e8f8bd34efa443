"""The events that write a stream, as the compiler knows them: JSON with holes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..problems import did_you_mean, quote
from ..spec.answer_sections import StreamWriting, WrittenPart, WrittenWhole
from ..spec.fields import is_list, is_object
from ..spec.load import LoadedSpec
from ..spec.notation import Notation

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


# an event as the spec writes it: its data, or a list of its name and its data
WrittenEvents: TypeAlias = Sequence[Any]
_More: TypeAlias = Mapping[tuple[str, ...], WrittenEvents]


@dataclass(frozen=True, slots=True)
class WrittenPartModel:
    """The events of one kind of part, by moment.

    more   the path of a value in the whole part -> the events that say it
    before  the same for what a part began with
    item   the whole part
    empty  the text of one that came without any
    ids    whether every call must have an id, and `json` whether its arguments must be a JSON object
    """

    events: Mapping[str, WrittenEvents]
    more: _More
    before: _More
    item: Any
    empty: str
    ids: bool
    json: bool


@dataclass(frozen=True, slots=True)
class WrittenStreamModel:
    """All events that write the stream of one wire, by moment, and those of its parts by kind.

    every  keys of each event but those of an error
    """

    every: Mapping[str, Any]
    events: Mapping[str, WrittenEvents]
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
    work = _Templates(spec, notation)
    kinds: dict[str, WrittenPart | WrittenWhole] = {
        kind: part for kind in KINDS if (part := getattr(section, kind)) is not None
    }
    return WrittenStreamModel(
        every=work.checked(section.every, ("every",), _KNOWN),
        events={
            moment: work.checked([*getattr(section, moment)], (moment,), holes)
            for moment, holes in MOMENTS.items()
        },
        kinds={kind: work.part(kind, part) for kind, part in kinds.items()},
        ends=section.ends,
        usage_on_request=section.usage_on_request,
    )


@dataclass(slots=True)
class _Templates:
    spec: LoadedSpec
    notation: Notation

    def part(self, kind: str, part: WrittenPart | WrittenWhole) -> WrittenPartModel:
        """Return the events of one kind of part."""
        events = {
            moment: self.checked([*getattr(part, moment, ())], (kind, moment), holes)
            for moment, holes in _MOMENTS_OF_PARTS.items()
        }
        more = self._more(kind, "more", part.more)
        if isinstance(part, WrittenWhole):
            return WrittenPartModel(events, more, {}, None, "", ids=False, json=False)
        before = self._more(kind, "before", part.before)
        item = self.checked(part.item, (kind, "item"), _WHOLE)
        ids, json = [name in _holes([item, *events.values()]) for name in ("call_id", "arguments")]
        return WrittenPartModel(events, more, before, item, part.empty, ids=ids, json=json)

    def _more(self, kind: str, moment: str, rows: Mapping[str, Sequence[Any]]) -> _More:
        """Return the events that say single values, by their paths."""
        holes = (*_PART, "more", "inner", "part")
        return {
            tuple(path.replace("[]", ".[]").split(".")) if path else (): self.checked(
                [*templates], (kind, moment, path), holes
            )
            for path, templates in rows.items()
        }

    def checked(self, template: Any, place: tuple[str, ...], holes: Sequence[str]) -> Any:
        """Return a template, and report its unknown holes."""
        for name in _holes(template):
            # of these two, what is inside of an object
            whole, _, key = name.partition(".")
            if name not in holes and not (key and whole in ("more", "part") and whole in holes):
                hint = did_you_mean(name, holes) or f"the holes here are ${', $'.join(holes)}"
                message = f"{quote('$' + name)} is nothing that is known in stream.write.{'.'.join(place)}"
                span = self.spec.span_of(("stream", "write", *place))
                self.notation.problem(span, "unknown-hole", message, hint)
        return template


def _holes(template: Any) -> Iterator[str]:
    """Yield the names of the holes of a template."""
    if isinstance(template, str):
        _, hole, name = template.partition("$")
        if hole:
            yield name
    elif is_object(template) or is_list(template):
        for inner in template.values() if is_object(template) else template:
            yield from _holes(inner)
