"""Time and memory of a thousand dialects, computed from a few hundred, because building a thousand takes long."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import copy_folders

FEW, MANY = 40, 240
# of 900 for 1 GB: the texts of their files take 200, and processes that make them as much again
MOST_KIB_A_SPEC = 450
# of the CPU time in which the libraries of the compiler are loaded, which is 0.26 s where a thousand may take 60 s
MOST_LOADS_A_SPEC = 0.12
PEAK = """
import resource, sys
from pathlib import Path
from promptwire_gen.layout import find_layout
from promptwire_gen.lowering import lower_all
lowered = lower_all(find_layout(Path.cwd()).read_specs())
assert not lowered.problems
print(len(lowered.wires), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(project: Path) -> tuple[int, int]:
    """Make the models of all specs of a project: how many, and the memory of the process, in KiB."""
    run = subprocess.run(
        [sys.executable, "-c", PEAK], cwd=project, check=True, capture_output=True, text=True
    )
    wires, kib = map(int, run.stdout.split())
    return wires, kib


def add_dialects(project: Path, count: int) -> None:
    """Write dialects into a project that differ from their parent in name only."""
    for number in range(count):
        text = f"wire: many_{number}_chat\ntitle: Many {number}\nextends: openai_chat\n"
        (project / "provider_specs" / f"many_{number}_chat.yaml").write_text(text, "utf-8")


def cpu_seconds(project: Path, *arguments: str) -> float:
    """Run Python in a project; return the CPU time of it and of the processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=project, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of a peak differs")
def test_a_thousand_dialects_are_built_in_a_minute_of_cpu(tmp_path: Path) -> None:
    times: list[float] = []
    for count in (FEW, MANY):
        project = copy_folders(tmp_path / str(count), "provider_specs", "templates")
        add_dialects(project, count)
        times.append(cpu_seconds(project, "-m", "promptwire_gen", "build"))
    load = cpu_seconds(tmp_path, "-c", "import jinja2, libcst, pydantic, typer, yaml")
    share = (times[1] - times[0]) / (MANY - FEW) / load
    print(f"{times[0]:.1f} and {times[1]:.1f} s of CPU; {share:.3f} loads a spec")
    assert share < MOST_LOADS_A_SPEC


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of a peak differs")
def test_a_thousand_dialects_fit_into_one_gigabyte(tmp_path: Path) -> None:
    project = copy_folders(tmp_path, "provider_specs", "templates")
    peaks: list[tuple[int, int]] = []
    for count in (FEW, MANY):
        add_dialects(project, count)
        peaks.append(peak(project))
    (few, before), (many, after) = peaks
    share = (after - before) / (many - few)
    print(f"{share:.0f} KiB a spec")
    assert share < MOST_KIB_A_SPEC
