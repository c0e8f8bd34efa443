"""Judge examples of streams, and streams that every wire must be able to write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..answers.events import Event
from ..answers.frame_bytes import FRAMED
from ..nodes.records import replace
from ..wire_json.places import short
from .faults import CaseFault
from .of_answers import counts_of, says_faults


def stream_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
    """Check that the events of a stream, cut anywhere, grow into the answer of its example, and are written again."""
    framed = FRAMED[cases["framing"]]()
    raw = b"".join([*[framed.frame(name, data) for name, data in row["events"]], framed.end()])
    events, answer = _streamed(module, [raw])
    found = [*says_faults(row, answer)]
    for event in events:
        if event.kind == "error":
            found.append(CaseFault((), f"an event tells an error: {event.text or event}"))
        elif event.kind == "unknown":
            found.append(
                CaseFault(("events",), f"no row of stream.events takes this event: {short(event.data)}")
            )
    if sum(event.kind == "start" for event in events) != 1:
        found.append(CaseFault(("events",), "callers hear of no start, or of more than one"))
    for name, chunks in _cut(raw).items():
        if _streamed(module, chunks) != (events, answer):
            found.append(CaseFault(("events",), f"cut into {name}, the stream is read as something else"))
    yield from found
    if not found:
        yield from _event_faults(events, answer)
        if module.read_answer(module.write_answer(answer)) != answer:
            yield CaseFault(
                ("events",), "the answer of this stream, written as a body and read again, is another one"
            )
    if not found and hasattr(module, "write_stream"):
        yield from _written_faults(module, events, answer)


def _cut(raw: bytes) -> dict[str, list[bytes]]:
    """Return a stream cut into bytes, and at places that are the same in each run."""
    places = [0, *[place for place in range(1, len(raw)) if place * 7919 % 23 < 3], len(raw)]
    pieces = [raw[start:end] for start, end in pairwise(places)]
    return {"single bytes": [raw[place : place + 1] for place in range(len(raw))], "pieces": pieces}


def _streamed(module: Any, chunks: Iterable[bytes]) -> tuple[list[Any], Any]:
    """Return the events of a stream, and its answer."""
    stream = module.stream()
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    return [*events, *stream.rest()], stream.close()


def _event_faults(events: Sequence[Any], answer: Any) -> Iterator[CaseFault]:
    """Check that callers hear of every text, every call and the counts of the answer while it comes."""
    # where candidates alternate, the first number of a place says whose event it is
    mine = [event for event in events if len(answer.candidates) < 2 or event.place[:1] == (0,)]
    for kind in ("text", "reasoning", "refusal"):
        heard, whole = "".join([event.text for event in mine if event.kind == kind]), getattr(answer, kind)
        if heard != (whole or ""):
            message = f"callers hear the {kind} {short(heard)}, and the answer has {short(whole)}"
            yield CaseFault(("says", kind), message, f"stream.text_paths.{kind} names where it grows")
    heard_calls = [(event.id, event.name) for event in mine if event.kind == "call"]
    if heard_calls != _calls(answer):
        message = (
            f"callers hear of the calls {short(heard_calls)}, and the answer has {short(_calls(answer))}"
        )
        yield CaseFault(("says", "calls"), message, "stream.call names where they are")
    if answer.usage is not None and all(event.kind != "usage" for event in events):
        message = "callers hear of no counts of tokens, and the answer has them"
        yield CaseFault(
            ("says", "usage"), message, "a step must lead to the counts, or to the object that holds them"
        )


def _calls(answer: Any) -> list[tuple[str | None, str]]:
    return [(call.id, call.name) for call in answer.calls]


def _written_faults(module: Any, events: Sequence[Any], answer: Any) -> Iterator[CaseFault]:
    """Check that the events, written as a stream of this API, say the same."""
    writer = module.write_stream(id="a1", model="m-1", usage=True, policies="lenient")
    _, again = _streamed(module, [*map(writer.feed, events), writer.close()])
    for (key, before), after in zip(_told(answer).items(), _told(again).values(), strict=True):
        if before != after:
            message = (
                f"written by stream.write and read again, {key} is {short(after)}, and was {short(before)}"
            )
            yield CaseFault(("says", key), message)


def _told(answer: Any) -> dict[str, Any]:
    """Return what a written stream must say of an answer. Some APIs require counts, and get zero for unknown ones."""
    usage = {name: count for name, count in counts_of(answer.usage).items() if count}
    return {"text": answer.text, "finish": answer.finish, "usage": usage, "calls": _calls(answer)}


_SAME_EVENTS = "stream.write must write the events that stream.events read"


def write_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
    """Check that a stream that this API could send is written, and read again as the same."""
    del row, cases
    if not hasattr(module, "write_stream"):
        return
    writer = module.write_stream(id="a1", model="m-1", policies="lenient")
    events = [
        Event(kind="text", text="Hi.", place=(0, 0)),
        Event(kind="call", id="call00001", name="f", place=(0, 1)),
        Event(kind="arguments", text="{}", place=(0, 1)),
    ]
    _, again = _streamed(module, [*map(writer.feed, events), writer.close()])
    if writer.notes:
        return
    found = {"text": again.text, "calls": [call.name for call in again.calls]}
    for key, wanted in (("text", "Hi."), ("calls", ["f"])):
        if found[key] != wanted:
            message = f"a written stream with the {key} {short(wanted)} is read with {short(found[key])}"
            yield CaseFault((), message, _SAME_EVENTS)


def head_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
    """Check that a written stream says the same of the whole answer as a written body does."""
    del row, cases
    if not hasattr(module, "write_stream"):
        return
    writer = module.write_stream(id="a1", model="m-1", policies="lenient")
    raw = writer.feed(Event(kind="text", text="Hi.", place=(0, 0)))
    _, again = _streamed(module, [raw + writer.close()])
    ended = tuple([replace(each, finish="stop") for each in again.candidates])
    body = module.write_answer(replace(again, id="a1", model="m-1", candidates=ended), policies="lenient")
    whole = module.read_answer(body)
    for key in ("id", "model", "finish"):
        wanted, read = getattr(whole, key), getattr(again, key)
        if wanted != read:
            message = (
                f"a written stream is read with the {key} {short(read)}, a written body with {short(wanted)}"
            )
            yield CaseFault((), message, _SAME_EVENTS)
