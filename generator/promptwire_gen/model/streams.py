"""Compiled model of an API's streamed answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..problems import hint_of, quote
from ..spec.answer_sections import StreamCall, StreamExample, StreamStep
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from .answer_model import AnswerModel
from .written_streams import WrittenStreamModel, written_stream

_PIECE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)(\[(?:\$([A-Za-z_]+)|([0-9]))?\])?")
_VERBS = ("put", "merge", "grow", "extend", "repeat", "set", "move", "end")
# steps that have no path in the event: the step before them does
_FOLLOWING = ("set", "move")
# steps that tell callers each piece of a text
_GROWING = ("grow", "extend", "repeat")
EACH = "[]"


@dataclass(frozen=True, slots=True)
class ModelPath:
    """A place in a list, by the number that stands under a key of the event."""

    key: str


@dataclass(frozen=True, slots=True)
class StreamStepModel:
    """The effect of an event: `put`, `merge`, `grow`, `extend` or `repeat` a value, or `end` a part.

    Constants are merged. `move` takes the value under the key `when`.
    """

    how: str
    source: tuple[str, ...]
    target: tuple[str | int | ModelPath, ...]
    when: str = ""
    unless: str = ""
    constants: Mapping[str, str | int | float | bool] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class StreamModel:
    """The stream of one wire.

    text_paths  the path of a text, without numbers -> the kind of event that its growing is
    envelope  whether each event is an object whose key names it
    call   the path of one call, and inside it those of its id and name, and of the name of a tool that takes free
           text where that is another; `called` its types
    last   keys, and their values, that mark the last event
    part   the path of one part
    inside  the path of the word that says what an event brings
    thought  keys, and their values, that mark an object whose text is thinking
    pieces  the keys of arguments that come in pieces
    write  the events that write a stream
    """

    framing: str
    by: str
    envelope: bool
    inside: tuple[str, ...]
    done: tuple[str, ...]
    fails: tuple[str, ...]
    events: Mapping[str, tuple[StreamStepModel, ...]]
    text_paths: Mapping[tuple[str, ...], str]
    call: tuple[tuple[str, ...], ...] | None
    last: Mapping[str, bool | str]
    part: tuple[str, ...]
    called: tuple[str, ...]
    thought: Mapping[str, bool | str]
    decoded: tuple[tuple[str, ...], ...]
    pieces: Mapping[str, str | tuple[str, ...]]
    write: WrittenStreamModel | None
    examples: tuple[StreamExample, ...] = field(compare=False)


def stream_model(spec: LoadedSpec, answer: AnswerModel | None, notation: Notation) -> StreamModel | None:
    """Parse and check the section, which grows into `answer`; None where a spec has none."""
    stream = spec.model.stream
    if stream is None or "stream" in spec.invalid:
        return None
    if spec.model.answer is None and "answer" not in spec.invalid:
        message = "a stream grows into an answer, and the spec has none"
        notation.problem(spec.key_span_of(("stream",)), "missing-key", message, "write answer: {body: ...}")
    if stream.envelope and (stream.by or "*" in stream.events):
        message = "the key of an envelope names each event"
        hint = 'leave out by and the row "*", or the envelope'
        notation.problem(spec.key_span_of(("stream", "envelope")), "bad-stream", message, hint)
    if not stream.events:
        message = "a stream without events says nothing"
        hint = 'write events: {"*": [{grow: delta.text, to: content}]}'
        notation.problem(spec.key_span_of(("stream", "events")), "missing-key", message, hint)
    check = _Steps(spec, frozenset() if answer is None else frozenset(answer.keys), notation)
    call = stream.call
    model = StreamModel(
        framing=stream.framing,
        by=stream.by or "",
        envelope=stream.envelope,
        inside=_names(stream.inside or ""),
        done=stream.done,
        fails=stream.fails,
        events={name: tuple(check.steps(name, steps)) for name, steps in stream.events.items()},
        text_paths={_names(path): kind for kind, paths in stream.text_paths.items() for path in paths},
        call=None if call is None else _call(call),
        last=stream.last,
        part=_names(stream.part or ""),
        called=() if call is None else call.types,
        thought=stream.thought,
        decoded=tuple([_names(path) for path in stream.decoded]),
        pieces={} if call is None or call.pieces is None else call.pieces.model_dump(),
        write=written_stream(spec, stream.write, notation),
        examples=stream.examples,
    )
    if answer is not None:
        _check_filled(model, answer, spec, notation)
    _check_heard(model, spec, notation)
    return model


def _check_heard(stream: StreamModel, spec: LoadedSpec, notation: Notation) -> None:
    """Reject texts that events only replace: callers would hear the first piece and no other."""
    rows = [
        (_numberless(step), step.how, ("stream", "events", name, index))
        for name, steps in stream.events.items()
        for index, step in enumerate(steps)
    ]
    reported: set[tuple[str | int, ...]] = set()
    for text, kind in stream.text_paths.items():
        over = [(target, how, path) for target, how, path in rows if text[: len(target)] == target]
        if any(how in _GROWING or not target for target, how, _ in over):
            continue
        inside = any(how in _GROWING and target[: len(text)] == text for target, how, _ in rows)
        for target, how, path in over if not inside else ():
            if path in reported:
                continue
            reported.add(path)
            message = f"each event replaces {quote(_dotted(target))}, so callers hear only the first piece of {kind}"
            hint = "write repeat where an event holds all that came so far, grow where it holds a piece"
            notation.problem(spec.span_of((*path, how)), "bad-step", message, hint)


def _numberless(step: StreamStepModel) -> tuple[str, ...]:
    return tuple([key if isinstance(key, str) else EACH for key in step.target])


def _dotted(path: tuple[str, ...]) -> str:
    """Return a path as a spec writes it."""
    return ".".join(path).replace(f".{EACH}", EACH)


def _check_filled(stream: StreamModel, answer: AnswerModel, spec: LoadedSpec, notation: Notation) -> None:
    """Reject a key of the answer's body that no event fills: streamed answers would silently lack it."""
    targets = [step.target for steps in stream.events.values() for step in steps]
    # an event without a row, and one whose value is the whole answer, fill all keys
    if not stream.events or stream.events.get("*") or () in targets:
        return
    filled = {target[0] for target in targets}
    absent = () if spec.model.stream is None else spec.model.stream.absent
    for entry in answer.body.fields:
        if entry.shape.holes and filled.isdisjoint(entry.spellings) and entry.key not in absent:
            message = f"no event of the stream fills {quote(entry.key)}, which an answer has"
            hint = f"add a step to stream.events, or name it in stream.absent: [{entry.key}]"
            notation.problem(entry.span, "never-filled", message, hint)
    for index, name in enumerate(absent):
        if name in filled or name not in answer.keys:
            why = "an event fills it" if name in filled else "answer.body has no such key"
            message = f"{quote(name)} is not absent: {why}"
            notation.problem(spec.span_of(("stream", "absent", index)), "bad-value", message, "leave it out")


def _call(call: StreamCall) -> tuple[tuple[str, ...], ...]:
    custom = () if call.custom is None else (_names(call.custom),)
    return (_names(call.at), _names(call.id or ""), _names(call.name), *custom)


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of events; `keys` are those of a body, where they are known."""

    spec: LoadedSpec
    keys: frozenset[str]
    notation: Notation

    def steps(self, name: str, steps: Sequence[StreamStep]) -> Iterator[StreamStepModel]:
        """Cut the paths of the steps of one event."""
        for index, step in enumerate(steps):
            path = ("stream", "events", name, index)
            verbs = [verb for verb in _VERBS if getattr(step, verb) is not None]
            if len(verbs) != 1 or (verbs[0] in _FOLLOWING and index == 0):
                has = (
                    f"this has {len(verbs)} of them"
                    if len(verbs) != 1
                    else f"{verbs[0]} has no step before it"
                )
                message = f"a step is one of put, merge, grow, extend, repeat, set, move and end, and {has}"
                hint = 'write {grow: delta.text, to: "content[$index].text"}'
                self.notation.problem(self.spec.span_of(path), "bad-step", message, hint)
                continue
            if verbs[0] in _FOLLOWING:
                yield self._following(step, _source(steps[:index]), path)
                continue
            said = _path(getattr(step, verbs[0]))
            source = tuple([piece for piece in said if isinstance(piece, str)])
            if len(source) < len(said):
                message = "an event is taken whole: a path in it has no numbers"
                span = self.spec.span_of((*path, verbs[0]))
                self.notation.problem(span, "bad-step", message, "write [] for each element of the list")
            target = self._target(step, path)
            self._check_condition(step, target, path)
            yield StreamStepModel(verbs[0], source, target, step.when or "", step.unless or "")

    def _following(
        self, step: StreamStep, source: tuple[str, ...], path: tuple[str | int, ...]
    ) -> StreamStepModel:
        """Return a step that takes place when the step before it finds its value."""
        target, verb = self._target(step, path), "set" if step.move is None else "move"
        for word in ("when", "unless"):
            if getattr(step, word) is not None:
                message = f"{verb} has no {word}: it takes place when the step before it finds its value"
                span = self.spec.key_span_of((*path, word))
                self.notation.problem(span, "bad-step", message, f"leave out {word}")
        if step.move is None:
            return StreamStepModel("merge", source, target, constants=step.set or {})
        self._check_key(
            "move", step.move, target, path, 'write {move: text, to: "content[$index].cited.text"}'
        )
        return StreamStepModel("move", source, target, when=step.move)

    def _check_condition(
        self, step: StreamStep, target: Sequence[str | int | ModelPath], path: tuple[str | int, ...]
    ) -> None:
        """Reject `when` and `unless` that no element can answer."""
        word, key = ("when", step.when) if step.when else ("unless", step.unless or "")
        hint = 'to choose an event by its own data, name its path as stream.inside and write a row "*/WORD"'
        if key:
            self._check_key(word, key, target, path, hint)

    def _check_key(
        self,
        word: str,
        key: str,
        target: Sequence[str | int | ModelPath],
        path: tuple[str | int, ...],
        hint: str,
    ) -> None:
        """Reject a word that does not name one key of the element of a list."""
        if "." in key or all(isinstance(each, str) for each in target):
            message = f"{word} is one key of the list element that `to` leads to, and {quote(key)} is none"
            self.notation.problem(self.spec.span_of((*path, word)), "bad-step", message, hint)

    def _target(self, step: StreamStep, path: tuple[str | int, ...]) -> tuple[str | int | ModelPath, ...]:
        target = _path(step.to)
        if target and self.keys and target[0] not in self.keys:
            first = str(target[0])
            hint = hint_of(first, sorted(self.keys), "keys")
            message = f"{quote(first)} is not a key of answer.body"
            self.notation.problem(self.spec.span_of((*path, "to")), "bad-step", message, hint)
        return target


def _source(steps: Sequence[StreamStep]) -> tuple[str, ...]:
    """Return the path of the value in its event that the last of some steps takes."""
    said = [getattr(step, verb) for step in steps for verb in _VERBS if verb not in _FOLLOWING]
    return _names(next((path for path in reversed(said) if path is not None), ""))


def _path(text: str) -> tuple[str | int | ModelPath, ...]:
    """Cut a path: keys, places in lists, and `[]` for each element."""
    pieces: list[str | int | ModelPath] = []
    for key, listed, number, digit in _PIECE.findall(text):
        pieces.append(key)
        if listed:
            pieces.append(ModelPath(number) if number else int(digit) if digit else EACH)
    return tuple(pieces)


def _names(text: str) -> tuple[str, ...]:
    """Cut a path without numbers."""
    return tuple([piece if isinstance(piece, str) else EACH for piece in _path(text)])
