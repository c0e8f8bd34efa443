"""Recorded requests: every body comes back exactly, and no leaf of it is unaccounted for.

A line of the file is an object with `id`, `api`, `wire`, `url` and `body`; lines of other wires are passed over.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import promptwire
from promptwire_runtime.json_values import same

# shares are asked for where the body went to the API's own host; compatible hosts add keys of their own
UNDERSTOOD_APIS = ("openai_chat", "openai_responses", "anthropic")
LEAST_UNDERSTOOD = 0.99


@dataclass(frozen=True, slots=True)
class Outcome:
    """What reading one body and building it again gave; `leaves` are JSON leaves."""

    name: str
    api: str
    wire: str
    leaves: int
    understood: int
    kept: int
    reproduced: bool


def outcome(row: dict[str, Any]) -> Outcome:
    """Read one recorded body and build it again with nothing repaired or refused."""
    wire = importlib.import_module(f"promptwire.{row['wire']}")
    reading = wire.read(row["body"], row.get("url"))
    built = wire.build(reading.request, policies="verbatim")
    return Outcome(
        name=row["id"],
        api=row["api"],
        wire=row["wire"],
        leaves=reading.leaves,
        understood=reading.understood,
        kept=reading.kept,
        reproduced=same(built.body, row["body"]),
    )


@pytest.fixture(scope="module")
def outcomes(corpus: Path) -> list[Outcome]:
    with corpus.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    found = [outcome(row) for row in rows if row["wire"] in promptwire.WIRES]
    assert found, f"{corpus} holds no request of {', '.join(promptwire.WIRES)}"
    return found


def test_every_body_comes_back_exactly(outcomes: list[Outcome]) -> None:
    assert [each for each in outcomes if not each.reproduced] == []


def test_every_leaf_is_understood_or_kept(outcomes: list[Outcome]) -> None:
    assert [each for each in outcomes if each.understood + each.kept != each.leaves] == []


@pytest.mark.parametrize("api", UNDERSTOOD_APIS)
def test_bodies_are_understood(outcomes: list[Outcome], api: str) -> None:
    rows = [each for each in outcomes if each.api == api]
    leaves = sum(each.leaves for each in rows)
    assert leaves > 0
    share = sum(each.understood for each in rows) / leaves
    assert share >= LEAST_UNDERSTOOD, f"{share:.2%} of {leaves} leaves in {len(rows)} bodies"
