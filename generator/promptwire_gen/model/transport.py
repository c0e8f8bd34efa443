"""Checks of texts in the transport section, and the neutral fields that the URL states."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..problems import Span, hint_of, quote
from ..spec.explain import Path, shorten_path
from ..spec.load import LoadedSpec
from ..spec.nodes import Scalar, node_at, part_of
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


def check_transport(spec: LoadedSpec, filters: Mapping[str, ShapeFilter], notation: Notation) -> None:
    """Check the syntax and filters of holes; the settings they name are checked earlier."""
    transport = spec.model.transport
    for index, form in enumerate(transport.url):
        path: Path = ("transport", "url", index, "url")
        _check_text(form.url, spec, path, filters, notation, reads=True)
        if not all(INSIDE.split(form.url)[3:-1:3]):
            message = f"{quote(form.url)} has two holes with nothing between them"
            hint = "put text between them: nothing tells where the first ends"
            notation.problem(_locate(spec, path), "bad-hole", message, hint)
    for index, auth in enumerate(transport.auth):
        for name, text in (("value", auth.value), ("region", auth.region)):
            if text is not None:
                _check_text(text, spec, ("transport", "auth", index, name), filters, notation)
    for header, value in transport.headers.items():
        path = ("transport", "headers", header)
        match = _WHOLE.fullmatch(value)
        if match is None:
            _check_text(value, spec, path, filters, notation)
            continue
        for filter_name in match[1].split("|")[1:]:
            _check_filter(filter_name, spec.span_of(path), filters, notation)


def check_address(spec: LoadedSpec, body: Body, notation: Notation) -> None:
    """Reject URL forms that would lose the model or the stream flag if the body has no key for it."""
    forms = spec.model.transport.url
    fields = find_url_fields(spec.model.transport)
    if "stream" not in fields and "stream" not in body.carried_request:
        _check_stream_headers(spec, notation)
    for index, form in enumerate(forms):
        span = _locate(spec, ("transport", "url", index, "url"))
        if "model" in fields and "model" not in body.carried_request and not names_model(form):
            hint = "write ${model|segment} in it, or model?: $model in the body"
            message = "neither this form of the URL nor the body has a place for the model"
            notation.problem(span, "lost-value", message, hint)
        if "stream" not in fields or "stream" in body.carried_request:
            continue
        if form.when.stream is not None:
            _check_told_apart(form, forms, span, notation)
            continue
        if not any(earlier.when.stream and _have_same_place(earlier, form) for earlier in forms[:index]):
            message = "a streamed request would be sent to this form like any other"
            hint = "put a form with the same settings and stream: true before it, or write stream?: $stream in the body"
            notation.problem(span, "lost-value", message, hint)


def _check_told_apart(
    form: UrlFormSpec, forms: Sequence[UrlFormSpec], span: Span, notation: Notation
) -> None:
    """Reject a URL for streams that is also the URL of other requests, because reading cannot tell them apart."""
    if form.when.stream and any(
        not other.when.stream and INSIDE.sub("${}", other.url) == INSIDE.sub("${}", form.url)
        for other in forms
    ):
        message = "a request without a stream has the same URL, so the stream flag is lost when it is read"
        hint = "write another URL, or stream?: $stream in the body"
        notation.problem(span, "lost-value", message, hint)


def _check_stream_headers(spec: LoadedSpec, notation: Notation) -> None:
    """Reject headers that ask for a stream if neither the URL nor the body has the flag: reading sees no headers."""
    if spec.model.transport.stream_headers:
        span = spec.key_span_of(("transport", "stream_headers"))
        message = "only headers ask for a stream, so every streamed request is refused"
        hint = "write stream?: $stream in the body, or a form of the URL with when: {stream: true}"
        notation.problem(span, "lost-value", message, hint)


def _have_same_place(streamed: UrlFormSpec, form: UrlFormSpec) -> bool:
    """Return whether a form with `stream` applies to every streamed request that would reach the other."""
    covered = streamed.when.model_copy(update={"stream": None}).covers(form.when)
    return covered and streamed.continued in (None, form.continued)


def _locate(spec: LoadedSpec, path: Path) -> Span:
    return spec.span_of(shorten_path(spec.tree, path))


def _check_text(
    text: str,
    spec: LoadedSpec,
    path: Path,
    filters: Mapping[str, ShapeFilter],
    notation: Notation,
    *,
    reads: bool = False,
) -> None:
    """Reject every $ that does not begin ${setting}, and every filter that does not fit."""
    path = shorten_path(spec.tree, path)
    for match in _DOLLAR.finditer(text):
        node = node_at(spec.tree, path)
        span = part_of(node, match.span()) if isinstance(node, Scalar) else spec.span_of(path)
        hole = _BRACED.fullmatch(match[0])
        if hole is None:
            hint = "write ${setting}; a $ of its own cannot be sent"
            notation.problem(span, "bad-hole", f"{quote(match[0])} is not a hole", hint)
            continue
        for filter_name in hole[1].split("|")[1:]:
            _check_filter(filter_name, span, filters, notation, reads=reads)


def _check_filter(
    filter_name: str,
    span: Span,
    filters: Mapping[str, ShapeFilter],
    notation: Notation,
    *,
    reads: bool = False,
) -> None:
    shape_filter = filters.get(filter_name)
    plain = sorted(name for name, shape_filter in filters.items() if not shape_filter.arguments)
    if "(" in filter_name or (shape_filter is not None and shape_filter.arguments):
        message = f"{quote(filter_name)} takes arguments: in transport, a filter has none"
        notation.problem(span, "bad-filter", message, f"use one of {', '.join(plain)}")
    elif shape_filter is None:
        hint = hint_of(filter_name, plain, "filters")
        notation.problem(span, "unknown-filter", f"{quote(filter_name)} is not a filter", hint)
    elif reads and shape_filter.reads is None:
        notation.problem(
            span, "one-way-filter", f"{quote(filter_name)} only writes: a URL is read as well",
            "use it in a header, or give the filter an inverse",
        )  # fmt: skip
