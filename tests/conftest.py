"""Options of the test run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.searching import load_profile

# must run before test modules are imported, because they read the profile
load_profile()

# whole folders that are slow: vendors' SDKs and servers, processes, and tests of tests
_SLOW_FOLDERS = ("clients", "fuzz", "live", "mutants", "plugins", "sdk_types", "typing")

# option -> what stands at the path that it gives; the environment may name each: $PROMPTWIRE_CORPUS
_PATHS = {
    "corpus": "recorded requests, one JSON object a line",
    "answers": "recorded answers and streams, one JSON object a line",
    "pairs": "which recorded request follows which, one JSON object a line",
    "bench": "a folder with workloads.py and adapters/hand.py to be measured against",
    "lingua": "a node_modules folder with @braintrust/lingua, to be measured against",
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out slow folders where slow tests are: importing their modules takes long, too."""
    return True if config.option.markexpr == "not slow" and _in_slow_folder(collection_path) else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of slow folders, so that other expressions of markers choose them, too."""
    if _in_slow_folder(item.path):
        item.add_marker("slow")


def _in_slow_folder(path: Path) -> bool:
    return any(path.is_relative_to(Path(__file__).parent / folder) for folder in _SLOW_FOLDERS)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the paths of recorded requests, and of a benchmark of request builders."""
    for name, what in _PATHS.items():
        variable = f"PROMPTWIRE_{name.upper()}"
        given = os.environ.get(variable) or None
        parser.addoption(f"--{name}", metavar="PATH", default=given, help=f"{what} (default: ${variable})")


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
