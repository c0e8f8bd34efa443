"""Time of `gen check` for all specs, and of a cached build, in units of loading the libraries of the compiler."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.checkout import copy_folders

from .measuring import rounds_until

CHECK, BUILD = (("-m", "promptwire_gen", command) for command in ("check", "build"))
LOAD = ("-c", "import jinja2, libcst, pydantic, typer, yaml")
# loading takes 0.26 s where a check with nothing remembered takes 2.8 s on two cores; a build may take 5 s
MOST_COLD, MOST_REMEMBERED = 12.0, 1.5


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """All specs, the templates, and what they generate."""
    return copy_folders(tmp_path, "provider_specs", "templates", "generated")


def seconds(project: Path, *arguments: str) -> float:
    """Run Python in the project; how long it takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=project, check=True, capture_output=True)
    return time.perf_counter() - start


def medians(rounds: list[tuple[float, float]]) -> tuple[float, float]:
    """The middle of the first and of the second ratios."""
    return statistics.median([cold for cold, _ in rounds]), statistics.median([warm for _, warm in rounds])


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="the bounds are those of two cores")
def test_a_check_of_all_specs_takes_a_few_times_what_loading_its_libraries_takes(project: Path) -> None:
    # a check compiles anew each time, a build only this time
    seconds(project, *BUILD)

    def measure() -> tuple[float, float]:
        load = seconds(project, *LOAD)
        return seconds(project, *CHECK) / load, seconds(project, *BUILD) / load

    def fine(rounds: list[tuple[float, float]]) -> bool:
        cold, remembered = medians(rounds)
        return cold < MOST_COLD and remembered < MOST_REMEMBERED

    rounds = rounds_until(fine, measure, least=3)
    print(
        "in units of loading its libraries: gen check {:.2f}, gen build again {:.2f}".format(*medians(rounds))
    )
    assert fine(rounds)
