"""Options of the test run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.searching import load_profile

# before any test module takes its settings from it
load_profile()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the paths of recorded requests, and of a benchmark of request builders."""
    parser.addoption(
        "--corpus",
        metavar="PATH",
        default=os.environ.get("PROMPTWIRE_CORPUS") or None,
        help="recorded requests, one JSON object a line (default: $PROMPTWIRE_CORPUS)",
    )
    parser.addoption(
        "--bench",
        metavar="PATH",
        default=os.environ.get("PROMPTWIRE_BENCH") or None,
        help="a folder with workloads.py and adapters/hand.py to be measured against (default: $PROMPTWIRE_BENCH)",
    )


@pytest.fixture(scope="session")
def corpus(request: pytest.FixtureRequest) -> Path:
    """The file of recorded requests; without one, the tests that need it are skipped and say why."""
    given = request.config.getoption("--corpus")
    if given is None:
        pytest.skip("no recorded requests: give --corpus PATH, or set PROMPTWIRE_CORPUS")
    path = Path(given)
    if not path.is_file():
        pytest.fail(f"--corpus: no file at {path}")
    return path


@pytest.fixture(scope="session")
def bench(request: pytest.FixtureRequest) -> Path:
    """The folder of the benchmark; without one, the tests that need it are skipped and say why."""
    given = request.config.getoption("--bench")
    if given is None:
        pytest.skip("no benchmark to measure against: give --bench PATH, or set PROMPTWIRE_BENCH")
    path = Path(given)
    if not (path / "workloads.py").is_file():
        pytest.fail(f"--bench: no workloads.py in {path}")
    return path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of recorded requests: they take longest, and workers should end together."""
    items.sort(key=lambda item: "corpus" not in getattr(item, "fixturenames", ()))
