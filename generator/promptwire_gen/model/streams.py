"""Checks of the section `stream` across its fields, and against the answer that a stream grows into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..problems import did_you_mean, make_hint, quote
from ..spec.answer_sections import (
    AnswerSection,
    StreamSection,
    StreamStep,
    StreamWriting,
    list_event_holes,
)
from ..spec.fields import EACH, JsonPath
from ..spec.load import LoadedSpec
from ..spec.nodes import Path
from ..spec.notation import Notation
from .answer_model import AnswerModel

# steps that tell callers each piece of a text
_GROWING = ("grow", "extend", "repeat")
_KNOWN = ("id", "model", "created", "created_at", "sequence", "usage", "candidate")
_PART = (*_KNOWN, "block", "content", "call", "made", "call_id", "id_given", "name")
_WHOLE = (*_PART, "whole", "arguments")
_END = (*_KNOWN, "finish", "finish.detail", "items", "body")
_ERROR = ("message", "type", "code", "word", "field", "status", "sequence")
_MORE = (*_PART, "more", "inner", "part")
# the moments of a written stream and of a part in it -> the holes of their events
_MOMENTS = {"start": _KNOWN, "finish": _END, "usage": _KNOWN, "end": _END, "error": _ERROR}
_MOMENTS_OF_PARTS = {
    "open": (*_PART, "began", "part"),
    "begin": (*_PART, "inner"),
    "piece": (*_PART, "inner", "text", "began", "first"),
    "end": (*_PART, "inner", "whole"),
    "close": (*_WHOLE, "item", "part", "rest"),
}


def check_stream(spec: LoadedSpec, answer: AnswerModel | None, notation: Notation) -> StreamSection | None:
    """Return the section `stream` and report what is wrong in it; None if the spec has no valid one."""
    stream = spec.model.stream
    if stream is None or "stream" in spec.invalid:
        return None
    if spec.model.answer is None and "answer" not in spec.invalid:
        message = "a stream grows into an answer, and the spec has none"
        notation.report(("stream",), "missing-key", message, "write answer: {body: ...}", at_key=True)
    if stream.envelope and (stream.by or "*" in stream.events):
        message = "the key of an envelope names each event"
        hint = 'leave out by and the row "*", or the envelope'
        notation.report(("stream", "envelope"), "bad-stream", message, hint, at_key=True)
    if not stream.events:
        message = "a stream without events says nothing"
        hint = 'write events: {"*": [{grow: delta.text, to: content}]}'
        notation.report(("stream", "events"), "missing-key", message, hint, at_key=True)
    check = _StepChecks(frozenset() if answer is None else answer.keys, notation)
    for name, steps in stream.events.items():
        check.check_steps(name, steps)
    if stream.write is not None:
        _check_writing(stream.write, spec.model.answer, notation)
    if answer is not None:
        _check_filled(stream, answer, notation)
    _check_growth(stream, notation)
    return stream


def _check_growth(stream: StreamSection, notation: Notation) -> None:
    """Reject texts that events only replace: callers would hear the first piece and no other."""
    rows = [
        (step.to.without_indices, step.how, ("stream", "events", name, index))
        for name, steps in stream.events.items()
        for index, step in enumerate(steps)
    ]
    reported: set[Path] = set()
    for kind, text in [(kind, path) for kind, paths in stream.text_paths.items() for path in paths]:
        over = [(target, how, path) for target, how, path in rows if text[: len(target)] == target]
        if any(how in _GROWING or not target for target, how, _ in over):
            continue
        inside = any(how in _GROWING and target[: len(text)] == text for target, how, _ in rows)
        for target, how, path in over if not inside else ():
            if path in reported:
                continue
            reported.add(path)
            message = f"each event replaces {quote(_join_path(target))}, so callers hear only the first piece of {kind}"
            hint = "write repeat where an event holds all that came so far, grow where it holds a piece"
            notation.report((*path, how), "bad-step", message, hint)


def _join_path(path: tuple[str, ...]) -> str:
    """Return a path as a spec writes it."""
    return ".".join(path).replace(f".{EACH}", EACH)


def _check_filled(stream: StreamSection, answer: AnswerModel, notation: Notation) -> None:
    """Reject a key of the answer's body that no event fills: streamed answers would silently lack it."""
    targets = [step.to for steps in stream.events.values() for step in steps]
    # an event without a row, and one whose value is the whole answer, fill all keys
    if not stream.events or stream.events.get("*") or () in targets:
        return
    filled = {target[0] for target in targets}
    for entry in answer.body.fields:
        if entry.shape.holes and filled.isdisjoint(entry.spellings) and entry.key not in stream.absent:
            message = f"no event of the stream fills {quote(entry.key)}, which an answer has"
            hint = f"add a step to stream.events, or name it in stream.absent: [{entry.key}]"
            notation.report(entry.span, "never-filled", message, hint)
    for index, name in enumerate(stream.absent):
        if name in filled or name not in answer.keys:
            why = "an event fills it" if name in filled else "answer.body has no such key"
            message = f"{quote(name)} is not absent: {why}"
            notation.report(("stream", "absent", index), "bad-value", message, "leave it out")


@dataclass(frozen=True, slots=True)
class _StepChecks:
    """Checks of the steps of events; `keys` are those of an answer's body, where they are known."""

    keys: frozenset[str]
    notation: Notation

    def check_steps(self, name: str, steps: Sequence[StreamStep]) -> None:
        """Check the steps of one event."""
        for index, step in enumerate(steps):
            path = ("stream", "events", name, index)
            if len(step.verbs) != 1 or (step.follows and index == 0):
                self._report_verbs(step, path)
                continue
            if step.follows:
                self._check_following(step, path)
            else:
                if step.source != step.source.without_indices:
                    message = "an event is taken whole: a path in it has no numbers"
                    hint = "write [] for each element of the list"
                    self._report((*path, step.how), message, hint)
                self._check_condition(step, path)
            self._check_target(step.to, path)

    def _report(self, path: Path, message: str, hint: str) -> None:
        self.notation.report(path, "bad-step", message, hint)

    def _report_verbs(self, step: StreamStep, path: Path) -> None:
        number = len(step.verbs)
        has = f"this has {number} of them" if number != 1 else f"{step.verbs[0]} has no step before it"
        message = f"a step is one of put, merge, grow, base64, extend, repeat, set, move and end, and {has}"
        self._report(path, message, 'write {grow: delta.text, to: "content[$index].text"}')

    def _check_following(self, step: StreamStep, path: Path) -> None:
        """Check a step that takes place when the step before it finds its value."""
        verb = step.verbs[0]
        for word in ("when", "unless"):
            if getattr(step, word) is not None:
                message = f"{verb} has no {word}: it takes place when the step before it finds its value"
                hint = f"leave out {word}"
                self.notation.report((*path, word), "bad-step", message, hint, at_key=True)
        if step.move is not None:
            hint = 'write {move: text, to: "content[$index].cited.text"}'
            self._check_key("move", step.move, step.to, path, hint)

    def _check_condition(self, step: StreamStep, path: Path) -> None:
        """Reject `when` and `unless` that no element can answer."""
        word, key = ("when", step.when) if step.when else ("unless", step.unless or "")
        hint = 'to choose an event by its own data, name its path as stream.inside and write a row "*/WORD"'
        if key:
            self._check_key(word, key, step.to, path, hint)

    def _check_key(self, word: str, key: str, target: JsonPath, path: Path, hint: str) -> None:
        """Reject a word that does not name one key of the element of a list."""
        if "." in key or all(isinstance(each, str) for each in target):
            message = f"{word} is one key of the list element that `to` leads to, and {quote(key)} is none"
            self._report((*path, word), message, hint)

    def _check_target(self, target: JsonPath, path: Path) -> None:
        """Check that a step leads to a key of the answer's body."""
        if target and self.keys and target[0] not in self.keys:
            first = str(target[0])
            hint = make_hint(first, sorted(self.keys), "keys")
            self._report((*path, "to"), f"{quote(first)} is not a key of answer.body", hint)


def _check_writing(writing: StreamWriting, answer: AnswerSection | None, notation: Notation) -> None:
    """Check that a written stream can tell of an error, and that all holes of its events are known."""
    place: Path = ("stream", "write")
    if not writing.error and answer is not None and answer.error is not None:
        message = "a written stream cannot tell of an error, and answer.error says that the API has some"
        hint = "write error: with the event of an error, such as {error: $message}"
        notation.report(place, "missing-key", message, hint)
    for path, template, holes in _list_templates(writing):
        for name in list_event_holes(template):
            # of these two, the keys of an object
            whole, _, key = name.partition(".")
            if name not in holes and not (key and whole in ("more", "part") and whole in holes):
                hint = did_you_mean(name, holes) or f"the holes here are ${', $'.join(holes)}"
                message = f"{quote('$' + name)} is nothing that is known in stream.write.{'.'.join(path)}"
                notation.report((*place, *path), "unknown-hole", message, hint)


def _list_templates(writing: StreamWriting) -> Iterator[tuple[tuple[str, ...], Any, Sequence[str]]]:
    """Yield the keys of a written stream that lead to events, with the events and the holes that these may have."""
    yield ("every",), writing.every, _KNOWN
    for moment, holes in _MOMENTS.items():
        yield (moment,), [*getattr(writing, moment)], holes
    for kind, part in writing.kinds.items():
        for moment, holes in _MOMENTS_OF_PARTS.items():
            yield (kind, moment), [*getattr(part, moment, ())], holes
        for moment in ("more", "before"):
            for path, events in getattr(part, moment, {}).items():
                yield (kind, moment, _join_path(path.without_indices)), [*events], _MORE
        yield (kind, "item"), getattr(part, "item", None), _WHOLE
