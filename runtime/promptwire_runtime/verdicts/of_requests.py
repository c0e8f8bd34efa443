"""Judge examples of requests, refused ones too, and requests with values that an API cannot carry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import LoadError, NoPlace, PromptwireError
from ..loading import load_request
from ..nodes.records import replace
from ..read.result import without_memory
from ..reporting.policies import VERBATIM, policies_of
from ..wire_json.places import short
from .faults import CaseFault, count_faults, differing, steps

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


def body_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
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


def error_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
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


def loss_faults(module: Any, row: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[CaseFault]:
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
