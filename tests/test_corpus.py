"""Recorded requests: every body comes back exactly, and no leaf of it is unaccounted for.

A line of the file is an object with `id`, `api`, `wire`, `url` and `body`, read as `gen roundtrip` reads it; lines of
other wires are passed over.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from promptwire import Policies, Request
from promptwire.errors import Refused
from tests.internals.compiler import RecordedRow
from tests.internals.runtime import same
from tests.recorded import requests_of

# shares are asked for where the body went to the API's own host; compatible hosts add keys of their own
UNDERSTOOD_APIS = ("openai_chat", "openai_responses", "anthropic")
LEAST_UNDERSTOOD = 0.99
# what a setting of the caller says and neither body nor URL does
SETTINGS = {"vertex_gemini": {"platform": "vertex"}}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of reading one body and building it again; `leaves` are JSON leaves."""

    name: str
    api: str
    wire: str
    leaves: int
    understood: int
    kept: int
    reproduced: bool
    refused: str


def outcome(row: RecordedRow) -> Outcome:
    """Read one recorded body and build it again with nothing repaired or refused."""
    wire = importlib.import_module(f"promptwire.{row.wire}")
    reading = wire.read(json.loads(row.line)["body"], row.url)
    built = wire.build(reading.request, policies="verbatim")
    return Outcome(
        name=row.name,
        api=row.api,
        wire=row.wire,
        leaves=reading.leaves,
        understood=reading.understood,
        kept=reading.kept,
        reproduced=same(built.body, row.body),
        refused=_refusal(wire, row, reading.request),
    )


def _refusal(wire: ModuleType, row: RecordedRow, request: Request) -> str:
    """Return why a strict build refuses a request by a rule; empty if it does not."""
    try:
        wire.build(request, settings=SETTINGS.get(row.api), policies=Policies(loss="note", missing="omit"))
    except Refused as error:
        return f"{row.name}: {error}"
    return ""


@pytest.fixture(scope="module")
def outcomes(corpus: Path) -> list[Outcome]:
    return [outcome(row) for row in requests_of(corpus)]


def test_every_body_comes_back_exactly(outcomes: list[Outcome]) -> None:
    assert [each for each in outcomes if not each.reproduced] == []


def test_every_leaf_is_understood_or_kept(outcomes: list[Outcome]) -> None:
    assert [each for each in outcomes if each.understood + each.kept != each.leaves] == []


@pytest.mark.parametrize("api", UNDERSTOOD_APIS)
def test_bodies_are_understood(outcomes: list[Outcome], api: str) -> None:
    rows = [each for each in outcomes if each.api == api]
    leaves = sum(each.leaves for each in rows)
    assert leaves > 0, f"the recordings hold no request to {api}"
    share = sum(each.understood for each in rows) / leaves
    assert share >= LEAST_UNDERSTOOD, f"{share:.2%} of {leaves} leaves in {len(rows)} bodies"


def test_what_an_api_accepted_is_refused_by_no_rule(outcomes: list[Outcome]) -> None:
    assert [each.refused for each in outcomes if each.refused] == []
