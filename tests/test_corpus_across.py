"""Recorded requests, one of each shape, built for the wires that have a judge: whole, or with an error or notes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.across import GIVEN, findings
from tests.conformance.judges import JUDGED
from tests.examples import examples
from tests.internals.compiler import RecordedRow
from tests.laws.traces import module
from tests.recorded import requests_of
from tests.searching import some_of


def one_of_each_shape(corpus: Path) -> Iterator[RecordedRow]:
    """Yield the first row of each shape on each wire that there is."""
    seen: set[tuple[str, str]] = set()
    for row in requests_of(corpus):
        if (row.wire, row.shape) not in seen:
            seen.add((row.wire, row.shape))
            yield row


def crossed(
    name: str,
    wire: str,
    body: dict[str, Any],
    url: str | None,
    met: set[str],
    targets: Sequence[str] = JUDGED,
) -> Iterator[str]:
    """Read a body and build it for other wires that have a judge."""
    request = module(wire).read(body, url).request
    for to in targets:
        if to != wire:
            yield from (f"{wire} {name} -> {to}: {line}" for line in findings(request, to, met))


def test_a_recorded_body_crosses_or_says_why_not(corpus: Path) -> None:
    found: list[str] = []
    met: set[str] = set()
    rows = some_of(one_of_each_shape(corpus), share=6)
    for number, row in enumerate(rows):
        # the rows divide the targets among them
        targets = some_of(JUDGED, number, 4)
        found += crossed(row.name, row.wire, json.loads(row.line)["body"], row.url, met, targets)
    assert rows
    assert found == []
    # nothing is excused that never comes up; `test_across.py` crosses the examples one by one
    for example in reversed([*examples()]):
        if met == GIVEN.keys():
            break
        list(crossed(str(example), example.wire, copy.deepcopy(example.body), None, met))
    assert met == GIVEN.keys()


@pytest.mark.parametrize("to", JUDGED)
def test_a_broken_row_would_be_seen(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(module(to), "build", broken)
    wire = next(each for each in JUDGED if each != to)
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    body = {"model": "m", "input": "hi"} if wire == "openai_responses" else body
    assert [line for line in crossed("row", wire, body, None, set()) if f"-> {to}: " in line] == [
        f"{wire} row -> {to}: {policies}: broke: KeyError: 'oops'" for policies in ("strict", "lenient")
    ]
