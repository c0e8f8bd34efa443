"""Recorded requests that an API refused: we refuse them as well, or say why not.

The file is `rejected.jsonl` beside the recorded requests; a line is an object with `id`, `api`, `wire`, `url`, `body`
and the API's own `error_message`.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from promptwire import RequestError
from tests.internals.compiler import RecordedRow
from tests.recorded import requests_of

# the API's message -> why such a request is built all the same
BUILT = {
    r"invalid input error": "the server does not say what it refuses",
}


def _refusal(row: RecordedRow) -> RequestError | None:
    wire = importlib.import_module(f"promptwire.{row.wire}")
    try:
        wire.build(wire.read(json.loads(row.line)["body"], row.url).request)
    except RequestError as error:
        return error
    return None


def _is_kept(row: RecordedRow) -> bool:
    """Return whether something of a body has no shape here: it goes back to its own API as it came."""
    wire = importlib.import_module(f"promptwire.{row.wire}")
    return bool(wire.read(json.loads(row.line)["body"], row.url).kept)


@pytest.fixture(scope="module")
def rows(corpus: Path) -> list[tuple[RecordedRow, str]]:
    path = corpus.with_name("rejected.jsonl")
    if not path.is_file():
        pytest.skip(f"no refused requests: there is no {path.name} beside {corpus.name}")
    said = {
        each["id"]: each["error_message"] for each in map(json.loads, path.read_text("utf-8").splitlines())
    }
    return [(row, said[row.name]) for row in requests_of(path)]


def test_what_an_api_refused_is_refused_or_has_a_reason(rows: list[tuple[RecordedRow, str]]) -> None:
    unexplained = [
        f"{row.name} ({row.wire}): {said[:160]}"
        for row, said in rows
        if _refusal(row) is None and not _is_kept(row) and not any(re.search(each, said) for each in BUILT)
    ]
    assert unexplained == []


def test_every_reason_is_needed(rows: list[tuple[RecordedRow, str]]) -> None:
    used = Counter(
        pattern
        for row, said in rows
        for pattern in BUILT
        if re.search(pattern, said) and _refusal(row) is None
    )
    assert BUILT.keys() == used.keys()
