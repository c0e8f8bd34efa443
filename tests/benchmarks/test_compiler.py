"""What `gen check` of all specs costs, in units of loading the libraries that it needs."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from promptwire_gen.layout import CACHE
from tests.checkout import copy_folders

CHECK = ("-m", "promptwire_gen", "check")
LOAD = ("-c", "import jinja2, libcst, pydantic, typer, yaml")
ROUNDS = 5
# loading takes 0.4 s where a check with nothing remembered may take 2 s on two cores, and one that is remembered 0.6 s
MOST_COLD, MOST_REMEMBERED = 5.0, 1.5


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """All specs, the templates, and what they generate."""
    return copy_folders(tmp_path, "provider_specs", "templates", "generated")


def seconds(project: Path, *arguments: str) -> float:
    """Run Python in the project; how long it takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=project, check=True, capture_output=True)
    return time.perf_counter() - start


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="the bounds are those of two cores")
def test_a_check_of_all_specs_takes_a_few_times_what_loading_its_libraries_takes(project: Path) -> None:
    cold: list[float] = []
    remembered: list[float] = []
    for _ in range(ROUNDS):
        shutil.rmtree(project / CACHE, ignore_errors=True)
        load = seconds(project, *LOAD)
        cold.append(seconds(project, *CHECK) / load)
        remembered.append(seconds(project, *CHECK) / load)
    ratios = statistics.median(cold), statistics.median(remembered)
    print("gen check in units of loading its libraries: {:.2f}, remembered {:.2f}".format(*ratios))
    assert ratios[0] < MOST_COLD
    assert ratios[1] < MOST_REMEMBERED
