"""The events that write a stream, as data: `WRITTEN` of `templates/module/answers.py.j2`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.written_streams import (
    EventHole,
    MaybeHole,
    WrittenEventModel,
    WrittenPartModel,
    WrittenStreamModel,
)
from ...spec.fields import is_list, is_object
from ..python import Expression, call, literal, tuple_of

Rows = tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """What the table is made of: its arguments, and those of each kind of part."""

    kinds: tuple[tuple[str, Rows], ...]
    fields: Rows


def written_rows(stream: WrittenStreamModel, parent: WrittenStreamModel | None) -> WrittenRows:
    """Prepare the table; of a dialect, only what differs from its parent."""
    above = WrittenStreamModel({}, {}, ()) if parent is None else parent
    events = {moment: rows for moment, rows in stream.events.items() if above.events.get(moment) != rows}
    fields = list(_moments(events, parent))
    if stream.ends != above.ends:
        fields.append(("ends", tuple_of([literal(word) for word in stream.ends])))
    kinds = {kind: part for kind, part in stream.kinds.items() if above.kinds.get(kind) != part}
    return WrittenRows(tuple([(kind, tuple(_part(part))) for kind, part in kinds.items()]), tuple(fields))


def names_of(rows: WrittenRows) -> set[str]:
    """The names of the runtime that the code of the table needs."""
    names = {"WrittenKind"} if rows.kinds else set[str]()
    text = " ".join([value.text for _, row in (*rows.kinds, ("", rows.fields)) for _, value in row])
    return names | {name for name in ("Hole", "Maybe", "WrittenEvent") if f"{name}(" in text}


def _part(part: WrittenPartModel) -> Iterator[tuple[str, Expression]]:
    yield from _moments(part.events)
    for moment, said in (("before", part.before), ("more", part.more)):
        rows = [
            f"{tuple_of([literal(key) for key in path]).text}: {_events(events).text}"
            for path, events in said.items()
        ]
        if rows:
            yield moment, Expression(f"{{{', '.join(rows)}}}")
    if part.item is not None:
        yield "item", _template(part.item)
    if part.empty:
        yield "empty", literal(part.empty)
    if part.ids:
        yield "ids", literal(part.ids)
    if part.json:
        yield "json", literal(part.json)


def _moments(
    events: Mapping[str, Sequence[WrittenEventModel]], parent: WrittenStreamModel | None = None
) -> Iterator[tuple[str, Expression]]:
    for moment, rows in events.items():
        # of a dialect, none may be what its parent has
        if rows or parent is not None:
            yield moment, _events(rows)


def _events(events: Sequence[WrittenEventModel]) -> Expression:
    return tuple_of([_event(event) for event in events])


def _event(event: WrittenEventModel) -> Expression:
    data = _template(event.data)
    return (
        call("WrittenEvent", data) if event.name is None else call("WrittenEvent", data, literal(event.name))
    )


def _template(value: Any) -> Expression:
    if isinstance(value, EventHole):
        return call("Hole", *[literal(text) for text in (value.name, value.before) if text])
    if isinstance(value, MaybeHole):
        return call("Maybe", _template(value.inner))
    if is_object(value):
        entries = [f"{literal(key).text}: {_template(inner).text}" for key, inner in value.items()]
        return Expression(f"{{{', '.join(entries)}}}")
    if is_list(value):
        return Expression(f"[{', '.join([_template(inner).text for inner in value])}]")
    return literal(value)
