"""The stream of a wire as data: `STREAM` of `templates/module/answers.py.j2`."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.streams import At, StreamModel, StreamStepModel
from ..python import Expression, call, literal, tuple_of


@dataclass(frozen=True, slots=True)
class StreamRows:
    """What a stream table is made of: its plain arguments, and the rows of its tables.

    events  the name of an event -> its steps
    text_paths  path -> kind of event
    """

    fields: tuple[tuple[str, Expression], ...]
    events: tuple[tuple[str, tuple[Expression, ...]], ...]
    text_paths: tuple[tuple[Expression, str], ...]


def stream_rows(stream: StreamModel) -> StreamRows:
    """Prepare the table of a stream."""
    fields: list[tuple[str, Expression]] = [("framing", literal(stream.framing))]
    if stream.by:
        fields.append(("by", literal(stream.by)))
    if stream.inside:
        fields.append(("inside", _path(stream.inside)))
    if stream.call is not None:
        fields.append(("call", tuple_of([_path(path) for path in stream.call])))
    if stream.part:
        fields.append(("part", _path(stream.part)))
    if stream.called:
        fields.append(("called", call("frozenset", literal(list(stream.called)))))
    if stream.thought:
        fields.append(("thought", literal(dict(stream.thought))))
    if stream.decoded:
        fields.append(("decoded", call("frozenset", tuple_of([_path(path) for path in stream.decoded]))))
    if stream.done:
        fields.append(("done", call("frozenset", literal(list(stream.done)))))
    if stream.fails:
        fields.append(("fails", call("frozenset", literal(list(stream.fails)))))
    events = [(name, tuple([_step(step) for step in steps])) for name, steps in stream.events.items()]
    return StreamRows(
        tuple(fields), tuple(events), tuple([(_path(path), kind) for path, kind in stream.text_paths.items()])
    )


def _step(step: StreamStepModel) -> Expression:
    conditions = {"when": step.when, "unless": step.unless}
    named = {word: literal(key) for word, key in conditions.items() if key}
    if step.constants:
        named["constants"] = literal(dict(step.constants))
    return call("Step", literal(step.how), _path(step.source), _path(step.target), **named)


def _path(path: tuple[str | int | At, ...]) -> Expression:
    return tuple_of([call("At", literal(p.key)) if isinstance(p, At) else literal(p) for p in path])
