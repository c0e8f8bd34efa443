"""The table of docs/another-api.md: how many examples of each spec another API can be asked, measured.

`UPDATE_GOLDEN=1` writes the table anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Final

import pytest

import promptwire
from promptwire import PromptwireError, Request
from tests.checkout import ROOT
from tests.laws.traces import address, module
from tests.test_corpus_portable import MODELS

pytestmark = pytest.mark.slow

PAGE: Final = ROOT / "docs" / "another-api.md"
_START, _END = "<!-- crossings: made by tests/test_crossing_table.py -->\n", "<!-- end of crossings -->\n"
_PRESETS: Final = ("strict", "portable", "lenient")


def examples_of(wire: str) -> list[Request]:
    """Return the requests that the examples of a spec are read as."""
    cases = json.loads((ROOT / "generated" / "tests" / "cases" / f"{wire}.json").read_text("utf-8"))
    return [module(wire).read(row["body"]).request for row in cases["bodies"]]


def builds(request: Request, wire: str, policies: str) -> bool:
    try:
        module(wire).build(request.replace(model=MODELS[wire]), policies=policies, settings=address(wire))
    except PromptwireError:
        return False
    return True


def percent(requests: list[Request], wire: str, policies: str) -> int:
    """Return how many of a hundred requests build."""
    return 100 * sum(builds(request, wire, policies) for request in requests) // len(requests)


def rows() -> Iterator[str]:
    """Yield the lines of the table: from each API to each other one, strict and portable."""
    titles = [promptwire.wire(wire).WIRE.title for wire in MODELS]
    yield f"| from, down; to, right | {' | '.join(titles)} |"
    yield f"|---|{'---|' * len(MODELS)}"
    for source, title in zip(MODELS, titles, strict=True):
        requests, cells = examples_of(source), list[str]()
        for wire in MODELS:
            strict, portable, lenient = [percent(requests, wire, preset) for preset in _PRESETS]
            assert lenient == 100 or wire == source, (source, wire, lenient)
            cells.append("" if wire == source else f"{strict} / {portable}")
        yield f"| {title} | {' | '.join(cells)} |"


def test_the_table_says_what_builds() -> None:
    table = "".join(f"{line}\n" for line in rows())
    before, _, rest = PAGE.read_text("utf-8").partition(_START)
    shown, _, after = rest.partition(_END)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        PAGE.write_text(before + _START + table + _END + after, "utf-8")
        shown = table
    assert shown == table
