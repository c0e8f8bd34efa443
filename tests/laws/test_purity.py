"""Law 1: nothing that is given is changed, and the same input gives the same bytes everywhere."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import promptwire
from promptwire import Built, PromptwireError, Reading, Request
from tests.laws.fitting import fitting
from tests.laws.specimens import Specimen, divided, specimens
from tests.laws.strategies import damaged, law
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES, some_of
from tests.strategies import requests


def result(wire: str, request: Request, policies: str) -> tuple[Any, ...]:
    """Build a request and give everything that a caller can see of it, or the error."""
    try:
        built: Built[Any] = module(wire).build(request, policies=policies, settings=address(wire))
        body = (built.json(), built.notes, built.digest, repr(built))
        return body if built.local else (*body, built.url, built.headers, built.curl())
    except PromptwireError as error:
        return (type(error), str(error))


@pytest.mark.parametrize("wire", TESTED_WIRES)
@pytest.mark.parametrize("policies", ["strict", "lenient", "verbatim"])
@law(15, dialect=8)
def test_building_changes_nothing(wire: str, policies: str, data: st.DataObject) -> None:
    request = data.draw(requests(memory=True) | fitting(wire), "request")
    before, twin = repr(request), copy.deepcopy(request)
    first = result(wire, request, policies)
    assert (repr(request), request) == (before, twin)
    assert result(wire, request, policies) == first
    assert result(wire, twin, policies) == first


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(24)
def test_reading_changes_nothing(wire: str, data: st.DataObject) -> None:
    body = data.draw(damaged(wire), "body")
    before = json.dumps(body)
    try:
        first: Reading = module(wire).read(body)
    except PromptwireError:
        assert json.dumps(body) == before
        return
    counts = (first.leaves, first.understood, first.kept, list(first.unknown), first.notes)
    module(wire).build(first.request, policies="verbatim").json()
    assert json.dumps(body) == before
    second: Reading = module(wire).read(copy.deepcopy(body))
    assert second.request == first.request
    assert (second.leaves, second.understood, second.kept, list(second.unknown), second.notes) == counts


def chosen(wire: str) -> list[Specimen]:
    """Return the nodes to build under two hash seeds: every eighth part in a usual run, and all other nodes."""
    every = divided(wire, specimens(wire))
    parts = [specimen for specimen in every if ".parts[" in specimen.path]
    others = [specimen for specimen in every if ".parts[" not in specimen.path]
    return [*others, *some_of(parts, promptwire.WIRES.index(wire), 8)]


_EVERYWHERE = """
import hashlib, sys
import promptwire
from tests.laws.strategies import example_bodies
from tests.laws.test_purity import chosen, result
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES, some_of

for wire in sys.argv[1:]:
    for specimen in chosen(wire):
        found = repr([result(wire, specimen.around(specimen.node), policies) for policies in ("lenient", "strict")])
        print(wire, hashlib.sha256(found.encode()).hexdigest(), specimen.name)
    for body in some_of(example_bodies(wire), promptwire.WIRES.index(wire), 3):
        reading = module(wire).read(body)
        print(wire, reading.understood, reading.kept, list(reading.unknown), repr(reading.request), reading.notes)
"""


@pytest.mark.slow
def test_the_same_bytes_under_any_hash_seed(tmp_path: Any) -> None:
    root = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([root, *(each for each in sys.path if each)])
    # all wires at once: starting takes longer than building
    command = [sys.executable, "-c", _EVERYWHERE, *promptwire.WIRES]
    found: list[list[str]] = []
    for number in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": number, "PYTHONPATH": paths}
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        found.append(done.stdout.splitlines())
    assert {line.partition(" ")[0] for line in found[0]} >= set(promptwire.WIRES)
    assert found[0] == found[1]
