"""Judge the modules of a wire by the cases of its spec: examples of requests, answers, errors and streams, and losses.

`gen build` judges compiled modules before it writes them, and the generated tests judge those that were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from .answers.events import Event
from .answers.frame_bytes import FRAMED
from .api import answer_coverage
from .errors import LoadError, NoPlace, PromptwireError
from .loading import load_request
from .nodes.records import replace
from .read.result import without_memory
from .reporting.day import on_day
from .reporting.policies import VERBATIM, policies_of
from .wire_json.places import Path, differences, short

__all__ = ["PROBES", "CaseFault", "faults_of", "rows_of"]

Row: TypeAlias = Mapping[str, Any]
# a key that no API has takes a body off the short way
_UNHEARD_OF = "a key of no API"
# only a value that has no place is an error
_RAISING = replace(VERBATIM, loss="raise")
_UNKNOWN = re.compile(r'unknown key "([^"]+)"')
_PLACED = re.compile(r"([A-Za-z_$][\w$.\[\]-]*): (.+)", re.DOTALL)
_EXAMPLE, _BUILDER, _AGAIN = "the example has", "the builder writes", "read and built again, it is"


def _built(module: Any, row: Mapping[str, Any]) -> Any:
    policies = policies_of(row.get("policies", {}))
    return module.build(load_request(row["request"]), settings=row.get("settings"), policies=policies)


def body_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
    """Check that an example is built, read, and built again, as it says."""
    try:
        built = _built(module, row)
    except PromptwireError as error:
        yield from _refused(error)
        return
    found = [*differing(row["body"], built.body, ("body",), _EXAMPLE, _BUILDER)]
    if not cases["local"]:
        headers = row.get("headers", {})
        sent = {name: text for name, text in built.headers.items() if name in headers}
        found += differing(headers, sent, ("headers",), _EXAMPLE, _BUILDER)
        if built.url != row.get("url", built.url):
            found += differing(row["url"], built.url, ("url",), _EXAMPLE, _BUILDER)
    elif not built.local:
        found.append(CaseFault((), "this request is for a local model, and the builder gives it an address"))
    yield from found
    if not found:
        yield from _read_faults(module, row["body"], None if cases["local"] else built.url)


def _read_faults(module: Any, body: Any, url: str | None) -> Iterator[CaseFault]:
    """Check that a body is read whole, and built again from what was read, also with a key that no API has."""
    reading = module.read(body, url)
    for key in reading.unknown:
        message = f"`{key}` is not understood when this body is read: no shape has this key with this value"
        yield CaseFault(("body", *steps(key)), message, "add a key to the shape, or correct the example")
    yield from count_faults(reading)
    again = module.build(reading.request, settings=reading.settings, policies="verbatim")
    yield from differing(body, again.body, ("body",), _EXAMPLE, _AGAIN)
    if url is not None and again.url != url:
        yield CaseFault(("url",), f"read and built again, the URL {url} is {again.url}")
    if module.read(again.body, url).request != reading.request:
        yield CaseFault(("body",), "read, built and read again, it is another request")
    odd = {**body, _UNHEARD_OF: 1}
    around = module.read(odd, url).request
    if without_memory(around) != without_memory(reading.request):
        yield CaseFault(("body",), "with a key that no API has, it is read as another request")
    odd_again = module.build(around, settings=reading.settings, policies="verbatim").body
    yield from differing(odd, odd_again, ("body",), "with a key that no API has, the body has", _AGAIN)


def error_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
    """Check that a request is refused as its example says."""
    del cases
    try:
        built = _built(module, row)
    except PromptwireError as error:
        kind, field = type(error).__name__, getattr(error, "field", None)
        if kind != row["kind"]:
            message = f"the example says {row['kind']}, the builder raises {kind}: {in_line(error)}"
            yield CaseFault(("error", "kind"), message)
        elif row["field"] is not None and row["field"] != field:
            yield CaseFault(("error", "field"), f"the example says {row['field']}, the error names {field}")
        return
    message = f"the example says {row['kind']}, and the request is built: {short(built.body)}"
    yield CaseFault(("error",), message, "write body: {...} in place of error, or a rule that refuses it")


def loss_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
    """Check that a build names every value that the API cannot carry, in notes and in its error."""
    del cases
    request = load_request(row["request"])
    notes = module.build(request, policies="verbatim").notes
    # a message of which nothing is sent is named by its parts
    dropped = [note for note in notes if note.action == "dropped" and note.field != "message"]
    wanted = sorted([*row["lost"], *row["unused"]])
    yield from differing(wanted, _places(dropped), ("notes",), "the shapes lack", "the notes name")
    problems: Sequence[Any] = ()
    try:
        module.build(request, policies=_RAISING)
    except NoPlace as error:
        problems = error.problems
    yield from differing(row["lost"], _places(problems), ("problems",), "the shapes lack", "the error names")


def _places(found: Iterable[Any]) -> list[str]:
    """Return the places of notes or problems, sorted and once each."""
    return sorted({".".join(filter(None, (each.path, each.field))) for each in found})


def _refused(error: PromptwireError) -> Iterator[CaseFault]:
    """Yield a fault for each line of an error that a request raises."""
    if not isinstance(error, LoadError):
        path = getattr(error, "path", None) or getattr(error, "field", None) or ""
        message = f"this request is not built: {type(error).__name__}: {in_line(error)}"
        yield CaseFault(("request", *steps(str(path))), message)
        return
    for line in str(error).splitlines():
        placed = _PLACED.fullmatch(line)
        if placed is None:
            yield CaseFault(("request",), line)
        else:
            key = _UNKNOWN.match(placed[2])
            path = ("request", *steps(placed[1]), *(() if key is None else (key[1],)))
            yield CaseFault(path, f"`{placed[1]}`: {placed[2]}")


def in_line(error: Exception) -> str:
    """Return the text of an error in one line."""
    return "; ".join([line.strip() for line in str(error).splitlines()])


_STEP = re.compile(r"[^.\[\]]+|\[\d+\]")


class CaseFault(NamedTuple):
    """A difference between a case and the modules. `path` leads to the place inside the case."""

    path: Path
    message: str
    hint: str | None = None


def differing(expected: Any, got: Any, path: Path, has: str, is_: str) -> Iterator[CaseFault]:
    """Yield a fault for each place where two JSON values differ; `has` and `is_` say whose values they are."""
    for place, wanted, value in differences(expected, got, path):
        yield CaseFault(place, f"`{_dotted(place)}`: {has} {wanted}, {is_} {value}")


def _dotted(path: Path) -> str:
    return "".join([f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]).removeprefix(".")


def count_faults(counted: Any) -> Iterator[CaseFault]:
    """Yield a fault if a reading, all of whose keys are known, did not understand each value."""
    if not counted.unknown and (counted.understood, counted.kept) != (counted.leaves, 0):
        yield CaseFault(
            ("body",),
            f"{counted.understood} of its {counted.leaves} values are understood, {counted.kept} kept",
        )


def steps(path: str) -> Path:
    """Return the steps of a dotted path with numbers in brackets."""
    return tuple([int(step[1:-1]) if step[0] == "[" else step for step in _STEP.findall(path)])


_WRITTEN = "read and written again, it is"


def answer_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
    """Check that an answer says what its example says, is understood whole, and is written again."""
    del cases
    answer = module.read_answer(row["body"])
    yield from says_faults(row, answer)
    written = module.write_answer(answer)
    yield from differing(row["body"], written, ("body",), _EXAMPLE, _WRITTEN)
    coverage = answer_coverage(module, answer)
    for key in coverage.unknown:
        # the key of a whole answer, or of an object inside it
        owner, _, inner = key.partition(".")
        message = f"`{inner or owner}` is not understood when this answer is read: no shape has this key"
        yield CaseFault(("body", *steps(inner)), message, "add a key to the shape, or correct the example")
    yield from count_faults(coverage)


_ERROR_WORDS = ("kind", "message", "type", "code", "field")


def error_answer_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
    """Check that an error response says what its example says, and is written again, also from its words alone."""
    del cases
    error = module.read_error(row["status"], row["body"])
    words = _words_of(error)
    retryable = {"retryable": error.retryable} if "retryable" in row["says"] else {}
    found = [*differing(row["says"], words | retryable, ("says",), "the example says", "the error has")]
    written = module.write_error(error)
    found += differing(row["body"], written, ("body",), _EXAMPLE, _WRITTEN)
    yield from found
    if not found:
        again = module.read_error(row["status"], module.write_error(replace(error, raw=None)))
        # writing may add the API's type of this kind
        kept = {name: value for name, value in _words_of(again).items() if name in words}
        has, is_ = "the error has", "written by its shape and read again, it has"
        yield from differing(words, kept, ("says",), has, is_)


def _words_of(error: Any) -> dict[str, Any]:
    """Return what callers see of an error, without what is unknown."""
    return {name: value for name in _ERROR_WORDS if (value := getattr(error, name)) is not None}


def says_faults(row: Mapping[str, Any], answer: Any) -> Iterator[CaseFault]:
    """Check that an answer says what an example says of it."""
    # an example leaves out what is empty
    wanted = {key: value for key, value in row["says"].items() if value not in ("", [])}
    yield from differing(wanted, content(answer), ("says",), "the example says", "the answer has")


def counts_of(usage: object) -> dict[str, Any]:
    """Return the counts of tokens by name; none for an answer without usage."""
    return {} if usage is None else {name: count for name, count in vars(usage).items() if name != "raw"}


def content(answer: Any) -> dict[str, Any]:
    """Return what callers see of an answer, without empty values."""
    calls = [
        {"id": call.id, "name": call.name, "arguments": getattr(call, "arguments", None)}
        for call in answer.calls
    ]
    values = {
        name: getattr(answer, name) for name in ("id", "model", "text", "reasoning", "refusal", "finish")
    }
    values["calls"] = [{key: value for key, value in call.items() if value is not None} for call in calls]
    counts = counts_of(answer.usage)
    values["usage"] = {name: count for name, count in counts.items() if count is not None} or None
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def stream_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
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


def write_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
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


def head_faults(module: Any, row: Row, cases: Row) -> Iterator[CaseFault]:
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


# streams that no spec states: every wire that writes streams must write these
PROBES: Mapping[str, tuple[Row, ...]] = {
    "writes": ({"name": "a text and a call"},),
    "heads": ({"name": "the id, model and finish"},),
}
_JUDGES: Mapping[str, Callable[[Any, Row, Row], Iterator[CaseFault]]] = {
    "bodies": body_faults,
    "errors": error_faults,
    "losses": loss_faults,
    "answers": answer_faults,
    "error_answers": error_answer_faults,
    "streams": stream_faults,
    "writes": write_faults,
    "heads": head_faults,
}


def rows_of(cases: Row) -> Iterator[tuple[str, Row]]:
    """Yield every case of a wire with the name of its table."""
    probes: Row = {} if cases["framing"] is None else PROBES
    for table in _JUDGES:
        for row in {**probes, **cases}.get(table, ()):
            yield table, row


def faults_of(module: Any, table: str, row: Row, cases: Row) -> list[CaseFault]:
    """Return the faults of one case.

    Args:
        module: The module of the wire, such as `promptwire.openai_chat`.
        table: The name of the case's table.
        row: The case.
        cases: All cases of the wire, and what they have in common.
    """
    try:
        with on_day(row.get("day")):
            return [*_JUDGES[table](module, row, cases)]
    except Exception as error:  # noqa: BLE001  # a defect of the modules is the fault to report
        return [
            CaseFault((), f"the modules of the wire fail with this case: {type(error).__name__}: {error}")
        ]
