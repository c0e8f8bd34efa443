"""The content of a stream's events, whatever their API: to compare a written stream with one read again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from promptwire import Answer, Event, Note, Part, Reasoning, Text
from promptwire.results import Usage
from tests.answers import module, read_stream
from tests.internals.runtime import (
    AnswerTable,
    PerWire,
    WrittenStream,
    text_of_written as text_of,
    without_memory,
)

TEXTS = ("text", "reasoning", "refusal")
BETWEEN_THOUGHTS = "\n\n"
ACROSS = ("openai_chat", "openai_responses", "anthropic_messages", "gemini_generate")
"""The wires that every stream is written on."""


def wires_of(wire: str) -> tuple[str, ...]:
    """Return the wires that a stream of one wire is written on: these four, and its own where its spec says how."""
    own = (wire,) if hasattr(module(wire), "write_stream") else ()
    return tuple(dict.fromkeys((*own, *ACROSS)))


@dataclass(slots=True)
class Said:
    """The content of a stream.

    parts   candidate -> its texts, joined, and its calls with their arguments as JSON
    finish  candidate -> why it ended
    """

    parts: dict[int, list[list[Any]]]
    finish: dict[int, str | None] = field(default_factory=dict)
    usage: Usage | None = None


def said(events: Iterable[Event]) -> Said:
    """Sum up events."""
    parts: dict[int, list[list[Any]]] = defaultdict(list)
    calls: dict[tuple[int, tuple[int, ...]], list[Any]] = {}
    whole = Said(parts)
    for event in events:
        place = (event.candidate, event.place)
        if event.kind in TEXTS:
            mine = parts[event.candidate]
            if not mine or mine[-1][0] != event.kind:
                mine.append([event.kind, ""])
            mine[-1][1] += event.text
        elif event.kind == "call":
            calls[place] = ["call", event.id or None, event.name, ""]
            parts[event.candidate].append(calls[place])
        elif event.kind == "arguments" and place in calls:
            calls[place][3] += event.text
        elif event.kind == "finish":
            whole.finish[event.candidate] = event.name
        elif event.kind == "usage":
            whole.usage = event.data
    for call in calls.values():
        call[3] = _decoded(call[3])
    return whole


def _decoded(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


def tables(wire: str) -> tuple[AnswerTable, WrittenStream]:
    """Return what a wire's answers are, and what it writes."""
    writer = module(wire).write_stream()
    return writer._target.answers, writer._target.written


def expected(events: Sequence[Event], wire: str) -> Said:
    """Return what of these events a wire can say, in its words."""
    answers, written = tables(wire)
    whole = said(_spaced(events, written))
    if answers.candidate is None:
        whole.parts = {0: whole.parts.get(0, [])}
        whole.finish = {0: whole.finish.get(0)}
    ids = _has_ids(written)
    for number, parts in whole.parts.items():
        has_refusals = module(wire).write_stream()._target.refuses
        said_so = [part if has_refusals or part[0] != "refusal" else ["text", *part[1:]] for part in parts]
        kept = [part for part in said_so if part[0] in written.kinds]
        for part in kept:
            if part[0] == "call" and not ids:
                part[1] = None
        # where a kind has no place, texts around it become one
        whole.parts[number] = [*_joined(kept)]
        finish = whole.finish.get(number) or "stop"
        calls = any(part[0] == "call" for part in kept)
        word = answers.word_for("tool_calls" if calls and finish == "stop" else finish, None, written.ends)
        meaning = None if word is None else answers.finish[word]
        whole.finish[number] = "tool_calls" if calls and meaning == "stop" else meaning
    return whole


def _spaced(events: Iterable[Event], written: WrittenStream) -> Iterator[Event]:
    """Yield events with a blank line between the thoughts of a part, where an API has one text for all of them."""
    kinds = written.kinds
    last: dict[int, Event] = {}
    for event in events:
        before = last.get(event.candidate)
        if event.kind in (*TEXTS, "call"):
            last[event.candidate] = event
        if event.kind == "reasoning" and before is not None and _follows(event, before):
            kind, other = (
                kinds.get(each.name or each.kind, kinds.get(each.kind)) for each in (event, before)
            )
            if kind is not None and kind is other and not kind.begin:
                yield replace(event, text=f"{BETWEEN_THOUGHTS}{event.text}")
                continue
        yield event


def _follows(event: Event, before: Event) -> bool:
    """Return whether an event begins another text of the part that the one before told."""
    is_same_part = event.part is not None and (event.kind, event.part) == (before.kind, before.part)
    return is_same_part and (event.place, event.name) != (before.place, before.name)


def _has_ids(written: WrittenStream) -> bool:
    """Whether calls of an API have ids: where they have none, what was called tells the pair."""
    call = written.kinds.get("call")
    return call is not None and bool(
        {"call_id", "id_given"} & set(_holes([call.open, call.piece, call.item]))
    )


def _holes(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value.partition("$")[2]
    elif isinstance(value, Mapping):
        yield from _holes([*cast("Mapping[str, Any]", value).values()])
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[Any]", value):
            yield from _holes(item)


def _joined(parts: list[list[Any]]) -> list[list[Any]]:
    joined: list[list[Any]] = []
    for part in parts:
        if joined and part[0] in TEXTS and joined[-1][0] == part[0]:
            joined[-1][1] += part[1]
        else:
            joined.append(part)
    return joined


def written(events: Iterable[Event], wire: str, notes: list[Note] | None = None) -> bytes:
    """Write events as a stream of a wire."""
    writer = module(wire).write_stream(id="a1", model="m-1", policies="lenient", notes=notes, usage=True)
    return b"".join([*[writer.feed(event) for event in events], writer.close()])


def written_again(events: Iterable[Event], wire: str) -> list[Event]:
    """Write events as a stream of a wire, and read that."""
    return read_stream(wire, [written(events, wire)])[0]


def differences(events: Sequence[Event], again: Sequence[Event], wire: str) -> list[Any]:
    """Return what a wire could have said of these events, and what is read again in its place."""
    wanted, found = expected(events, wire), said(again)
    rows: list[Any] = []
    for number, parts in wanted.parts.items():
        others = found.parts.get(number, [])
        for part, other in zip(parts, others, strict=False):
            if part[0] == other[0] == "call" and part[1] is None:
                # an id was made, where the API asks for one
                part[1] = other[1]
        if parts != others:
            rows.append((number, parts, others))
        if wanted.finish.get(number) != found.finish.get(number):
            rows.append((number, wanted.finish.get(number), found.finish.get(number)))
    usage = wanted.usage
    # some hosts count more from a cache, or of thinking, than in all
    contradicts = usage is not None and (
        (usage.cache_read or 0) > (usage.input or 0) or (usage.reasoning or 0) > (usage.output or 0)
    )
    for count in tables(wire)[0].counts if usage is not None and not contradicts else ():
        known = getattr(wanted.usage, count)
        if known is not None and known != getattr(found.usage, count, None):
            rows.append((count, wanted.usage, found.usage))
    return rows


def parts_said(answer: Answer) -> list[Any]:
    """Return what every message of an answer says, without memory of its form and what only numbers or names it.

    Thinking is encrypted anew wherever some APIs say it again; text that is empty says nothing.
    """
    return [
        [_said_of(part) for part in message.parts if part not in (Text(""), Reasoning(text=""))]
        + [(message.phase, options_of(message.vendor))]
        for message in map(without_memory, answer.messages)
    ]


def _said_of(part: Part) -> tuple[str, dict[str, Any]]:
    names = [
        name for name in (*type(part).__slots__, "signature", "extra") if name not in ("is_plain", "kept")
    ]
    fields = {name: getattr(part, name) for name in names}
    if isinstance(part, Reasoning):
        fields = {
            **fields, "encrypted": part.encrypted is not None,
            "text": text_of(part), "texts": None, "summary": None,
        }  # fmt: skip
    fields["vendor"] = options_of(part.vendor)
    kind = type(part).__name__
    return kind, {name: value for name, value in fields.items() if value not in (None, (), [], {}, "", "{}")}


def options_of(vendor: PerWire | None) -> dict[str, Any]:
    """Return the known keys of one API, without those that only number or name a part."""
    rows = [row for known in (vendor or {}).values() for row in known.items()]
    return {key: value for key, value in rows if key not in ("index", "type", "created_at")}
