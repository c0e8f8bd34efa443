"""Bodies: damaged ones of the examples, and of recorded requests where a file of them is given."""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import promptwire
from promptwire import Built, PromptwireError, Reading
from tests.examples import examples
from tests.internals.runtime import as_value, bag, leaves, same
from tests.laws.traces import module
from tests.recorded import requests_of

from .json_damage import PLAIN, any_value, damaged
from .target import Target, Turn, WrongOutcome
from .text_damage import damaged_text

_URLS = 0.1
_ELSEWHERE = 0.1
# counting what was understood costs as much as reading and building
_COUNTED = 0.25


@dataclass(frozen=True, slots=True)
class Sent:
    """A body that is read as one wire's, with the URL that it went to, and the wire that it is moved to.

    counted  whether its leaves are counted
    """

    wire: str
    body: Any
    url: str | None
    to: str | None
    counted: bool


def target(corpus: Path | None) -> Target:
    """Make the target; `corpus` holds recorded requests, one JSON object a line."""
    return Target("bodies", lambda turn, random: _draw(turn, random, corpus), _check, share=4)


@cache
def _seeds(corpus: Path | None) -> tuple[tuple[str, bytes, str | None], ...]:
    """Return wire, body as bytes to copy it from, and URL, of the examples and of recorded requests."""
    rows = [(each.wire, each.body, _url_of(each.build)) for each in examples()]
    if corpus is not None:
        rows += [(row.wire, row.body, row.url) for row in requests_of(corpus)]
    return tuple([(wire, marshal.dumps(body), url) for wire, body, url in rows])


def _url_of(build: Callable[[], Built[Any]]) -> str | None:
    try:
        return build().url
    except PromptwireError:  # it needs a setting, or runs in the process of its caller
        return None


def _draw(turn: Turn, random: Random, corpus: Path | None) -> Sent:
    wire, body, url = random.choice(_seeds(corpus))
    given = damaged(random, marshal.loads(body))  # noqa: S302  # our own bytes
    # now and then any value, or a body of another wire
    if random.random() < 0.02:
        given = any_value(random) if random.random() < 0.5 else random.choice(PLAIN)
    wire = random.choice(promptwire.WIRES) if random.random() < 0.03 else wire
    to = random.choice(promptwire.WIRES) if random.random() < _ELSEWHERE else None
    if random.random() >= _URLS:
        url = None
    elif url is not None and random.random() < 0.7:
        url = damaged_text(random, url)
    return Sent(wire, given, url, to, random.random() < _COUNTED)


def _check(sent: Sent) -> bool:
    try:
        reading: Reading = module(sent.wire).read(sent.body, sent.url)
    except PromptwireError:
        return False
    if sent.counted and reading.understood + reading.kept != reading.leaves:
        raise WrongOutcome("the counts of a reading do not add up", sent.wire)
    # an error of ours would be one too many: whatever was read can be written
    built: Built[Any] = module(sent.wire).build(reading.request, policies="verbatim")
    if not same(built.body, sent.body):
        raise WrongOutcome(f"{sent.wire}: a body does not come back", _short(built.body))
    if sent.counted:
        _build_strictly(reading, sent)
    if sent.to is not None:
        _move(reading, sent.to)
        module(sent.wire).check(sent.body, sent.url)
    return True


def _build_strictly(reading: Reading, sent: Sent) -> None:
    """Build the body anew as rules ask for it: what is left out is told."""
    try:
        built: Built[Any] = module(sent.wire).build(reading.request)
    except PromptwireError:
        return
    lost = bag(leaves(sent.body), as_value) - bag(leaves(built.body), as_value)
    if lost and all(note.action == "passed through" for note in built.notes):
        raise WrongOutcome(f"{sent.wire}: a strict build loses {_short([*lost][:3])}", _short(built.body))


def _move(reading: Reading, wire: str) -> None:
    for policies in ("strict", "lenient"):
        try:
            built: Built[Any] = module(wire).build(reading.request, policies=policies)
            built.json()
        except PromptwireError:
            continue


def _short(value: Any) -> str:
    try:
        return json.dumps(value)[:2000]
    except (ValueError, TypeError, RecursionError):
        return "which cannot be shown"
