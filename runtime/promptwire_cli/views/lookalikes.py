"""Guess the API of a body that its wire does not understand: the wire that understands most of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from .generated import answer_coverage, answering_module, has_answers, wire_module, wire_names

_LEAST_SHARE = 0.8
_MOST_SHOWN = 6


def looks_like(body: Mapping[str, Any], besides: str) -> str:
    """Return which other API's request or answer a body looks like; empty if none.

    Args:
        body: The decoded body.
        besides: The wire that does not understand it.
    """
    rows: list[tuple[float, str, str]] = []
    for name in wire_names():
        # a dialect is only named if it understands more than its API
        if name != besides and getattr(wire_module(name).WIRE, "api", name) == name:
            rows += [(share, what, name) for what, share in _shares(name, body)]
    best = max([share for share, _, _ in rows], default=0.0)
    if best < _LEAST_SHARE:
        return ""
    likely = [(what, name) for share, what, name in rows if share == best]
    kind = likely[0][0]
    names = [name for what, name in likely if what == kind][:_MOST_SHOWN]
    return f"It looks like {kind} of {' or '.join(names)}."


def _shares(name: str, body: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Return the share of leaves that a wire understands, as a request and as an answer."""
    # a guess never fails
    with suppress(Exception):
        reading = wire_module(name).read(body)
        yield "a request", reading.understood / max(reading.leaves, 1)
    if not has_answers(name):
        return
    module = answering_module(name)
    with suppress(Exception):
        coverage = answer_coverage(module, module.read_answer(body))
        yield "an answer", coverage.understood / max(coverage.leaves, 1)
