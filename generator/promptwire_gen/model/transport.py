"""Checks of texts in the transport section, and the neutral fields that the URL states."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..problems import make_hint, quote
from ..spec.nodes import Path
from ..spec.notation import Notation
from ..spec.schema import TransportSection, UrlFormSpec
from .body_model import Body
from .offers import ShapeFilter

INSIDE = re.compile(r"\$\{([a-z_][a-z0-9_]*(?:\.[a-z]+)?)((?:\|[a-z_]+)*)\}")
_BRACED = re.compile(r"\$\{[a-z_][a-z0-9_]*(?:\.[a-z]+)?((?:\|[^{}|]*)*)\}")
_DOLLAR = re.compile(r"\$(?:\{[^{}$]*\}?|[a-z0-9_$]*)")
_WHOLE = re.compile(r"\$[a-z_][a-z0-9_]*((?:\|[^|]*)*)")


def find_url_fields(transport: TransportSection) -> frozenset[str]:
    """Return the neutral fields that some form of the URL states: `model`, `stream`."""
    fields: set[str] = set()
    for form in transport.url:
        if names_model(form):
            fields.add("model")
        if form.when.stream is not None:
            fields.add("stream")
    return frozenset(fields)


def names_model(form: UrlFormSpec) -> bool:
    """Return whether a form of the URL contains the model."""
    return any(hole == "model" for hole, _ in INSIDE.findall(form.url))


def check_transport(
    transport: TransportSection, filters: Mapping[str, ShapeFilter], notation: Notation
) -> None:
    """Check the syntax and filters of holes; the settings they name are checked earlier."""
    for index, form in enumerate(transport.url):
        path: Path = ("transport", "url", index, "url")
        _check_text(form.url, path, filters, notation, reads=True)
        if not all(INSIDE.split(form.url)[3:-1:3]):
            message = f"{quote(form.url)} has two holes with nothing between them"
            hint = "put text between them: nothing tells where the first ends"
            notation.report(path, "bad-hole", message, hint)
    for index, auth in enumerate(transport.auth):
        for name, text in (("value", auth.value), ("region", auth.region)):
            if text is not None:
                _check_text(text, ("transport", "auth", index, name), filters, notation)
    for header, value in transport.headers.items():
        path = ("transport", "headers", header)
        match = _WHOLE.fullmatch(value)
        if match is None:
            _check_text(value, path, filters, notation)
        else:
            _check_filters(match[1], path, filters, notation)


def check_address(transport: TransportSection, body: Body, notation: Notation) -> None:
    """Reject URL forms that would lose the model or the stream flag if the body has no key for it."""
    forms, fields = transport.url, find_url_fields(transport)
    if not {"stream"} & (fields | body.carried_request) and transport.stream_headers:
        # reading sees no headers
        message = "only headers ask for a stream, so every streamed request is refused"
        hint = "write stream?: $stream in the body, or a form of the URL with when: {stream: true}"
        notation.report(("transport", "stream_headers"), "lost-value", message, hint, at_key=True)
    for index, form in enumerate(forms):
        path: Path = ("transport", "url", index, "url")
        if "model" in fields and "model" not in body.carried_request and not names_model(form):
            hint = "write ${model|segment} in it, or model?: $model in the body"
            message = "neither this form of the URL nor the body has a place for the model"
            notation.report(path, "lost-value", message, hint)
        if "stream" not in fields or "stream" in body.carried_request:
            continue
        if form.when.stream is None and not any(
            earlier.when.stream and _have_same_place(earlier, form) for earlier in forms[:index]
        ):
            message = "a streamed request would be sent to this form like any other"
            hint = "put a form with the same settings and stream: true before it, or write stream?: $stream in the body"
            notation.report(path, "lost-value", message, hint)
        if form.when.stream and any(
            not other.when.stream and INSIDE.sub("${}", other.url) == INSIDE.sub("${}", form.url)
            for other in forms
        ):
            message = (
                "a request without a stream has the same URL, so the stream flag is lost when it is read"
            )
            hint = "write another URL, or stream?: $stream in the body"
            notation.report(path, "lost-value", message, hint)


def _have_same_place(streamed: UrlFormSpec, form: UrlFormSpec) -> bool:
    """Return whether a form with `stream` applies to every streamed request that would reach the other."""
    covered = streamed.when.model_copy(update={"stream": None}).covers(form.when)
    return covered and streamed.continued in (None, form.continued)


def _check_text(
    text: str, path: Path, filters: Mapping[str, ShapeFilter], notation: Notation, *, reads: bool = False
) -> None:
    """Reject every $ that does not begin ${setting}, and every filter that does not fit."""
    for match in _DOLLAR.finditer(text):
        hole = _BRACED.fullmatch(match[0])
        if hole is None:
            message, hint = (
                f"{quote(match[0])} is not a hole",
                "write ${setting}; a $ of its own cannot be sent",
            )
            notation.report(path, "bad-hole", message, hint, piece=match.span())
        else:
            _check_filters(hole[1], path, filters, notation, match.span(), reads=reads)


def _check_filters(
    names: str,
    path: Path,
    filters: Mapping[str, ShapeFilter],
    notation: Notation,
    piece: tuple[int, int] | None = None,
    *,
    reads: bool = False,
) -> None:
    """Reject the filters of a hole, `|first|second`, that do not exist, take arguments, or cannot be read back."""
    plain = sorted(name for name, shape_filter in filters.items() if not shape_filter.arguments)
    for name in names.split("|")[1:]:
        shape_filter = filters.get(name)
        if "(" in name or (shape_filter is not None and shape_filter.arguments):
            message = f"{quote(name)} takes arguments: in transport, a filter has none"
            notation.report(path, "bad-filter", message, f"use one of {', '.join(plain)}", piece=piece)
        elif shape_filter is None:
            hint = make_hint(name, plain, "filters")
            notation.report(path, "unknown-filter", f"{quote(name)} is not a filter", hint, piece=piece)
        elif reads and shape_filter.reads is None:
            message = f"{quote(name)} only writes: a URL is read as well"
            hint = "use it in a header, or give the filter an inverse"
            notation.report(path, "one-way-filter", message, hint, piece=piece)
