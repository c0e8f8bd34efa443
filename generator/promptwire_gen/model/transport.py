"""Checks on the texts of the transport section: URL, headers and credentials."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..problems import Span, did_you_mean, quote
from ..spec.explain import Path, node_at
from ..spec.load import LoadedSpec
from ..spec.nodes import Scalar, part_of
from ..spec.notation import Notation
from .filters import ShapeFilter

_INSIDE = re.compile(r"\$\{[a-z_][a-z0-9_]*\}")
_DOLLAR = re.compile(r"\$(?:\{[^{}$]*\}?|[a-z0-9_$]*)")
_WHOLE = re.compile(r"\$[a-z_][a-z0-9_]*((?:\|[^|]*)*)")
_FILTER = re.compile(r"[a-z_]+")


def check_transport(spec: LoadedSpec, filters: Mapping[str, ShapeFilter], notation: Notation) -> None:
    """Check how holes are written and which filters they use; which settings they name is checked before."""
    transport = spec.model.transport
    _check_text(transport.url, spec, ("transport", "url"), notation)
    for index, auth in enumerate(transport.auth):
        _check_text(auth.value, spec, ("transport", "auth", index, "value"), notation)
    for header, value in transport.headers.items():
        path = ("transport", "headers", header)
        whole = _WHOLE.fullmatch(value)
        if whole is None:
            _check_text(value, spec, path, notation)
            continue
        for used in whole[1].split("|")[1:]:
            _check_filter(used, spec.span_of(path), filters, notation)


def _check_text(text: str, spec: LoadedSpec, path: Path, notation: Notation) -> None:
    """Refuse every $ that begins no ${setting}."""
    for found in _DOLLAR.finditer(text):
        if not _INSIDE.fullmatch(found[0]):
            node = node_at(spec.tree, path)
            span = part_of(node, found.span()) if isinstance(node, Scalar) else spec.span_of(path)
            hint = "write ${setting}; a $ of its own cannot be sent"
            notation.problem(span, "bad-hole", f"{quote(found[0])} is not a hole", hint)


def _check_filter(used: str, span: Span, filters: Mapping[str, ShapeFilter], notation: Notation) -> None:
    row = filters.get(used)
    plain = sorted(name for name, each in filters.items() if not each.arguments)
    if not _FILTER.fullmatch(used) or (row is not None and row.arguments):
        message = f"{quote(used)} takes arguments: in transport, a filter has none"
        notation.problem(span, "bad-filter", message, f"use one of {', '.join(plain)}")
    elif row is None:
        hint = did_you_mean(used, plain) or f"the filters are {', '.join(plain)}"
        notation.problem(span, "unknown-filter", f"{quote(used)} is not a filter", hint)
