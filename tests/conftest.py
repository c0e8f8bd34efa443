"""Options of the test run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.searching import load_profile

# must run before test modules are imported, because they read the profile
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
        "--answers",
        metavar="PATH",
        default=os.environ.get("PROMPTWIRE_ANSWERS") or None,
        help="recorded answers and streams, one JSON object a line (default: $PROMPTWIRE_ANSWERS)",
    )
    parser.addoption(
        "--pairs",
        metavar="PATH",
        default=os.environ.get("PROMPTWIRE_PAIRS") or None,
        help="which recorded request follows which, one JSON object a line (default: $PROMPTWIRE_PAIRS)",
    )
    parser.addoption(
        "--bench",
        metavar="PATH",
        default=os.environ.get("PROMPTWIRE_BENCH") or None,
        help="a folder with workloads.py and adapters/hand.py to be measured against (default: $PROMPTWIRE_BENCH)",
    )
    parser.addoption(
        "--lingua",
        metavar="PATH",
        default=os.environ.get("PROMPTWIRE_LINGUA") or None,
        help="a node_modules folder with @braintrust/lingua, to be measured against (default: $PROMPTWIRE_LINGUA)",
    )


@pytest.fixture(scope="session")
def corpus(request: pytest.FixtureRequest) -> Path:
    """The file of recorded requests; without one, the tests that need it are skipped and say why."""
    return _recorded(request, "corpus", "requests")


@pytest.fixture(scope="session")
def recorded_answers(request: pytest.FixtureRequest) -> Path:
    """The file of recorded answers; without one, the tests that need it are skipped and say why."""
    return _recorded(request, "answers", "answers")


@pytest.fixture(scope="session")
def recorded_pairs(request: pytest.FixtureRequest) -> Path:
    """The file of recorded pairs; without one, the tests that need it are skipped and say why."""
    return _recorded(request, "pairs", "pairs")


def _recorded(request: pytest.FixtureRequest, option: str, what: str) -> Path:
    given = request.config.getoption(f"--{option}")
    if given is None:
        pytest.skip(f"no recorded {what}: give --{option} PATH, or set PROMPTWIRE_{option.upper()}")
    path = Path(given)
    if not path.is_file():
        pytest.fail(f"--{option}: no file at {path}")
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
