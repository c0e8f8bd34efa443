"""Run the examples of compiled wires: build, read and compare each, in a process that imports the compiled modules.

The parent process sends the compiled files on stdin and reads the faults from stdout, both as JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, TypeAlias

from promptwire_cli.replay.json_values import is_list, is_object, shorten

from .compiled_modules import CompiledModules, module_name

Path: TypeAlias = tuple[str | int, ...]
Row: TypeAlias = Mapping[str, Any]
# streams that no spec states: every wire that writes streams must write these
PROBES: Mapping[str, Sequence[Row]] = {
    "writes": ({"name": "a text and a call"},),
    "heads": ({"name": "the id, model and finish"},),
}
_STEP = re.compile(r"[^.\[\]]+|\[\d+\]")
_UNKNOWN = re.compile(r'unknown key "([^"]+)"')
_PLACED = re.compile(r"([A-Za-z_$][\w$.\[\]-]*): (.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ExampleFault:
    """One fault of an example: `table` and `name` identify the example, `path` leads to the place inside it."""

    table: str
    name: str
    path: Path
    message: str
    hint: str | None = None


def faults_of(wire: str, cases: Row) -> Iterator[ExampleFault]:
    """Yield the faults of every example of a wire."""
    module = import_module(f"promptwire.{wire}")
    probes: Row = PROBES if hasattr(module, "write_stream") else dict.fromkeys(PROBES, ())
    tables = {**probes, **cases}
    for table, judge in _TABLES.items():
        for row in tables[table]:
            try:
                yield from [
                    ExampleFault(table, row["name"], path, message, hint)
                    for path, message, hint in judge(module, row, cases)
                ]
            except Exception as error:  # noqa: BLE001  # a defect of the builder is the fault to report
                message = f"the compiled module fails with this example: {type(error).__name__}: {error}"
                yield ExampleFault(table, row["name"], (), message)


_Fault: TypeAlias = tuple[Path, str, str | None]


def _body_faults(module: Any, row: Row, cases: Row) -> Iterator[_Fault]:
    """Check that an example is built, read, and built again, as it says."""
    package = import_module("promptwire_runtime")
    try:
        built = _built(package, module, row)
    except package.PromptwireError as error:
        yield from _refused(error)
        return
    found = [*_differences(row["body"], built.body, ("body",), "the example has", "the builder writes")]
    if not cases["local"]:
        headers = row.get("headers", {})
        sent = {name: text for name, text in built.headers.items() if name in headers}
        found += _differences(headers, sent, ("headers",), "the example has", "the builder writes")
        if built.url != row.get("url", built.url):
            found += _differences(row["url"], built.url, ("url",), "the example has", "the builder writes")
    yield from found
    if not found:
        yield from _read_faults(module, row, None if cases["local"] else built.url)


def _read_faults(module: Any, row: Row, url: str | None) -> Iterator[_Fault]:
    """Check that the body of an example is read whole, and built again from what was read."""
    reading = module.read(row["body"], url)
    for key in reading.unknown:
        message = f"`{key}` is not understood when this body is read: no shape has this key with this value"
        yield ("body", *_steps(key)), message, "add a key to the shape, or correct the example"
    again = module.build(reading.request, settings=reading.settings, policies="verbatim")
    yield from _differences(
        row["body"], again.body, ("body",), "the example has", "read and built again, it is"
    )
    if url is not None and again.url != url:
        yield ("url",), f"read and built again, the URL {url} is {again.url}", None


def _error_faults(module: Any, row: Row, cases: Row) -> Iterator[_Fault]:
    """Check that a request is refused as its example says."""
    del cases
    package = import_module("promptwire_runtime")
    try:
        built = _built(package, module, row)
    except package.PromptwireError as error:
        kind, field = type(error).__name__, getattr(error, "field", None)
        if kind != row["kind"]:
            yield (
                ("error", "kind"),
                f"the example says {row['kind']}, the builder raises {kind}: {_in_line(error)}",
                None,
            )
        elif row["field"] is not None and row["field"] != field:
            yield ("error", "field"), f"the example says {row['field']}, the error names {field}", None
        return
    message = f"the example says {row['kind']}, and the request is built: {shorten(built.body)}"
    yield ("error",), message, "write body: {...} in place of error, or a rule that refuses it"


def _answer_faults(module: Any, row: Row, cases: Row) -> Iterator[_Fault]:
    """Check that an answer says what its example says, is understood whole, and is written again."""
    del cases
    answer = module.read_answer(row["body"])
    yield from _says_faults(row, answer)
    written = module.write_answer(answer)
    yield from _differences(
        row["body"], written, ("body",), "the example has", "read and written again, it is"
    )
    for key in module.answer_coverage(answer).unknown:
        # the key of a whole answer, or of an object inside it
        owner, _, inner = key.partition(".")
        message = f"`{inner or owner}` is not understood when this answer is read: no shape has this key"
        yield ("body", *_steps(inner)), message, "add a key to the shape, or correct the example"


_ERROR_WORDS = ("kind", "message", "type", "code", "field")


def _error_answer_faults(module: Any, row: Row, cases: Row) -> Iterator[_Fault]:
    """Check that an error response says what its example says, is written again, and is what its words alone write."""
    del cases
    error = module.read_error(row["status"], row["body"])
    told = _told(error)
    if "retryable" in row["says"]:
        told["retryable"] = error.retryable
    found = [*_differences(row["says"], told, ("says",), "the example says", "the error has")]
    written = module.write_error(error)
    found += _differences(row["body"], written, ("body",), "the example has", "read and written again, it is")
    yield from found
    if not found:
        records = import_module("promptwire_runtime.nodes.records")
        again = module.read_error(row["status"], module.write_error(records.replace(error, raw=None)))
        # writing may add the API's type of this kind
        kept = {name: value for name, value in _told(again).items() if name in told}
        has, is_ = "the error has", "written by its shape and read again, it has"
        yield from _differences(_told(error), kept, ("says",), has, is_)


def _told(error: Any) -> dict[str, Any]:
    """Return what callers see of an error, without what is unknown."""
    return {name: value for name in _ERROR_WORDS if (value := getattr(error, name)) is not None}


def _stream_faults(module: Any, row: Row, cases: Row) -> Iterator[_Fault]:
    """Check that the events of a stream grow into the answer that its example says."""
    framed = import_module("promptwire_runtime.answers.frame_bytes").FRAMED[cases["framing"]]()
    raw = b"".join([*[framed.frame(name, data) for name, data in row["events"]], framed.end()])
    events, answer = _streamed(module, raw)
    found = [*_says_faults(row, answer)]
    found += [
        ((), f"an event tells an error: {event.text or event}", None)
        for event in events
        if event.kind == "error"
    ]
    found += [
        (("events",), f"no row of stream.events takes this event: {shorten(event.data)}", None)
        for event in events
        if event.kind == "unknown"
    ]
    yield from found
    if not found:
        yield from _event_faults(events, answer)
    if not found and hasattr(module, "write_stream"):
        yield from _written_faults(module, events, answer)


def _event_faults(events: Sequence[Any], answer: Any) -> Iterator[_Fault]:
    """Check that callers hear of every text, every call and the counts of the answer while it comes."""
    mine = [event for event in events if len(answer.candidates) < 2 or event.place[:1] == (0,)]
    for kind in ("text", "reasoning", "refusal"):
        heard = "".join([event.text for event in mine if event.kind == kind])
        if heard != (getattr(answer, kind) or ""):
            message = f"callers hear the {kind} {shorten(heard)}, and the answer has {shorten(getattr(answer, kind))}"
            yield ("says", kind), message, f"stream.text_paths.{kind} names where it grows"
    heard_calls = [(event.id, event.name) for event in mine if event.kind == "call"]
    calls = [(call.id, call.name) for call in answer.calls]
    if heard_calls != calls:
        message = f"callers hear of the calls {shorten(heard_calls)}, and the answer has {shorten(calls)}"
        yield ("says", "calls"), message, "stream.call names where they are"
    if answer.usage is not None and all(event.kind != "usage" for event in events):
        message = "callers hear of no counts of tokens, and the answer has them"
        yield ("says", "usage"), message, "a step must lead to the counts, or to the object that holds them"


def _written_faults(module: Any, events: Sequence[Any], answer: Any) -> Iterator[_Fault]:
    """Check that the events, written as a stream of this API, say the same."""
    writer = module.write_stream(id="a1", model="m-1", usage=True, policies="lenient")
    _, again = _streamed(module, b"".join([*[writer.feed(event) for event in events], writer.close()]))
    before, after = ({**_said(each), "id": None, "model": None} for each in (answer, again))
    for key in ("text", "finish", "usage"):
        if before.get(key) != after.get(key):
            message = f"written by stream.write and read again, {key} is {shorten(after.get(key))}"
            yield ("says", key), f"{message}, and was {shorten(before.get(key))}", None
    calls = [[(call.id, call.name) for call in each.calls] for each in (answer, again)]
    if calls[0] != calls[1]:
        yield (
            ("says", "calls"),
            f"written by stream.write and read again, the calls are {shorten(calls[1])}",
            None,
        )


_SAME_EVENTS = "stream.write must write the events that stream.events read"


def _write_faults(module: Any, row: Row, cases: Row) -> Iterator[_Fault]:
    """Check that a stream that this API could send is written, and read again as the same."""
    del row, cases
    events_module = import_module("promptwire_runtime.answers.events")
    event = events_module.Event
    writer = module.write_stream(id="a1", model="m-1", policies="lenient")
    events = [
        event(kind="text", text="Hi.", place=(0, 0)),
        event(kind="call", id="call00001", name="f", place=(0, 1)),
        event(kind="arguments", text="{}", place=(0, 1)),
    ]
    _, again = _streamed(module, b"".join([*[writer.feed(each) for each in events], writer.close()]))
    if writer.notes:
        return
    said = {"text": again.text, "calls": [call.name for call in again.calls]}
    for key, wanted in (("text", "Hi."), ("calls", ["f"])):
        if said[key] != wanted:
            message = f"a written stream with the {key} {shorten(wanted)} is read with {shorten(said[key])}"
            yield (), message, _SAME_EVENTS


def _head_faults(module: Any, row: Row, cases: Row) -> Iterator[_Fault]:
    """Check that a written stream says the same of the whole answer as a written body does."""
    del row, cases
    records = import_module("promptwire_runtime.nodes.records")
    event = import_module("promptwire_runtime.answers.events").Event
    writer = module.write_stream(id="a1", model="m-1", policies="lenient")
    raw = writer.feed(event(kind="text", text="Hi.", place=(0, 0)))
    _, again = _streamed(module, raw + writer.close())
    ended = tuple([records.replace(each, finish="stop") for each in again.candidates])
    body = module.write_answer(
        records.replace(again, id="a1", model="m-1", candidates=ended), policies="lenient"
    )
    whole = module.read_answer(body)
    for key in ("id", "model", "finish"):
        wanted, read = getattr(whole, key), getattr(again, key)
        if wanted != read:
            message = f"a written stream is read with the {key} {shorten(read)}, a written body with {shorten(wanted)}"
            yield (), message, _SAME_EVENTS


_TABLES: Mapping[str, Callable[[Any, Row, Row], Iterator[_Fault]]] = {
    "bodies": _body_faults,
    "errors": _error_faults,
    "answers": _answer_faults,
    "error_answers": _error_answer_faults,
    "streams": _stream_faults,
    "writes": _write_faults,
    "heads": _head_faults,
}


def _built(package: Any, module: Any, row: Row) -> Any:
    policies = package.Policies(**row.get("policies", {}))
    return module.build(package.load_request(row["request"]), settings=row.get("settings"), policies=policies)


def _in_line(error: Exception) -> str:
    """Return the text of an error in one line."""
    return "; ".join([line.strip() for line in str(error).splitlines()])


def _refused(error: Exception) -> Iterator[_Fault]:
    """Yield a fault for each line of an error that a request raises."""
    kind = type(error).__name__
    if kind != "LoadError":
        path = getattr(error, "path", None) or getattr(error, "field", None) or ""
        yield ("request", *_steps(str(path))), f"this request is not built: {kind}: {_in_line(error)}", None
        return
    for line in str(error).splitlines():
        placed = _PLACED.fullmatch(line)
        if placed is None:
            yield ("request",), line, None
        else:
            key = _UNKNOWN.match(placed[2])
            path = ("request", *_steps(placed[1]), *(() if key is None else (key[1],)))
            yield path, f"`{placed[1]}`: {placed[2]}", None


def _steps(path: str) -> Path:
    """Return the steps of a dotted path with numbers in brackets."""
    return tuple([int(step[1:-1]) if step[0] == "[" else step for step in _STEP.findall(path)])


def _streamed(module: Any, raw: bytes) -> tuple[list[Any], Any]:
    stream = module.stream()
    return [*stream.feed(raw), *stream.rest()], stream.close()


def _says_faults(row: Row, answer: Any) -> Iterator[_Fault]:
    # an example leaves out what is empty
    wanted = {key: value for key, value in row["says"].items() if value not in ("", [])}
    yield from _differences(wanted, _said(answer), ("says",), "the example says", "the answer has")


def _said(answer: Any) -> dict[str, Any]:
    """Return what callers see of an answer, without empty values."""
    calls = [
        {"id": call.id, "name": call.name, "arguments": getattr(call, "arguments", None)}
        for call in answer.calls
    ]
    usage: Any = answer.usage
    counts: dict[str, Any] = {} if usage is None else usage.__dict__
    names = ("id", "model", "text", "reasoning", "refusal", "finish")
    values = {name: getattr(answer, name) for name in names}
    values["calls"] = [{key: value for key, value in call.items() if value is not None} for call in calls]
    values["usage"] = {
        name: count for name, count in counts.items() if name != "raw" and count is not None
    } or None
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def _differences(expected: Any, got: Any, path: Path, has: str, is_: str) -> Iterator[_Fault]:
    """Yield the places where two JSON values differ; types of numbers count, the order of keys does not."""
    if is_object(expected) and is_object(got):
        for key in {**expected, **got}:
            if key in expected and key in got:
                yield from _differences(expected[key], got[key], (*path, key), has, is_)
            elif key in got:
                yield (
                    (*path, key),
                    f"`{_dotted((*path, key))}`: {has} nothing, {is_} {shorten(got[key])}",
                    None,
                )
            else:
                message = f"`{_dotted((*path, key))}`: {has} {shorten(expected[key])}, {is_} nothing"
                yield (*path, key), message, None
    elif is_list(expected) and is_list(got):
        for index, (wanted, value) in enumerate(zip(expected, got, strict=False)):
            yield from _differences(wanted, value, (*path, index), has, is_)
        if len(expected) != len(got):
            message = f"`{_dotted(path)}`: {has} {len(expected)} elements, {is_} {len(got)}: {shorten(got)}"
            yield (*path, min(len(expected), len(got))), message, None
    elif type(expected) is not type(got) or expected != got:
        yield path, f"`{_dotted(path)}`: {has} {shorten(expected)}, {is_} {shorten(got)}", None


def _dotted(path: Path) -> str:
    return "".join([f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]).removeprefix(".")


def main() -> None:
    """Judge the wires of an order, {files: {path: text}, cases: {wire: {...}}}: {wire: [fault, ...]}."""
    order = json.load(sys.stdin)
    modules = {module_name(path): text for path, text in order["files"].items()}
    finder = CompiledModules({name: (text, is_package) for (name, is_package), text in modules.items()})
    sys.meta_path.insert(0, finder)
    faults: dict[str, list[dict[str, Any]]] = {}
    for wire, cases in order["cases"].items():
        faults[wire] = [asdict(fault) for fault in faults_of(wire, cases)]
    json.dump(faults, sys.stdout)


if __name__ == "__main__":
    main()
