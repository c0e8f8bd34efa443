"""What memory a thousand dialects take: measured by what many add, since building a thousand lasts a minute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import copy_folders

FEW, MANY = 40, 240
# of 900 for 1 GB: the texts of their files take 200, and processes that make them as much again
MOST_KIB_A_SPEC = 450
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


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of a peak differs")
def test_a_thousand_dialects_fit_into_one_gigabyte(tmp_path: Path) -> None:
    project = copy_folders(tmp_path, "provider_specs", "templates")
    peaks: list[tuple[int, int]] = []
    for count in (FEW, MANY):
        for number in range(count):
            text = f"wire: many_{number}_chat\ntitle: Many {number}\nextends: openai_chat\n"
            (project / "provider_specs" / f"many_{number}_chat.yaml").write_text(text, "utf-8")
        peaks.append(peak(project))
    (few, before), (many, after) = peaks
    share = (after - before) / (many - few)
    print(f"{share:.0f} KiB a spec")
    assert share < MOST_KIB_A_SPEC
