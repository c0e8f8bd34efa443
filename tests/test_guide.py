"""The guide to a new provider is what it says: its commands, taken from the page, run one after another."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import INPUTS, ROOT, SOURCE_ROOTS, copy_folders, keep_compiled

PAGE = (ROOT / "provider_specs" / "README.md").read_text("utf-8")
GUIDE = PAGE.partition("\n## Add a provider\n")[2].partition("\n## ")[0]
STEPS = re.findall(r"^(\d)\. ", GUIDE, re.MULTILINE)
BLOCKS = [
    re.sub("^   ", "", block, flags=re.MULTILINE)
    for block in re.findall(r"^ *```sh\n(.*?)^ *```$", GUIDE, re.DOTALL | re.MULTILINE)
]
# the commands of the page are this Python's
SHELL = """
set -eu
gen() { "$PYTHON" -m promptwire_gen "$@"; }
pytest() { "$PYTHON" -m pytest -q -p no:cacheprovider --import-mode=importlib "$@"; }
"""


def run(block: str, project: Path) -> subprocess.CompletedProcess[str]:
    """Run a block of the page in a project whose generated package is the one that is imported."""
    places = [project / name if name == "generated" else ROOT / name for name in SOURCE_ROOTS]
    variables = {
        "PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        ["/bin/bash", "-c", SHELL + block],
        cwd=project,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this project, built."""
    return keep_compiled(copy_folders(tmp_path_factory.mktemp("project"), *INPUTS, "generated"))


def test_every_step_has_its_commands() -> None:
    assert [str(number + 1) for number in range(len(BLOCKS))] == STEPS
    assert [block.split()[:2] for block in BLOCKS[1:4]] == [
        ["gen", "new"], ["gen", "build"], ["pytest", "generated/tests"],
    ]  # fmt: skip


@pytest.mark.slow
def test_the_commands_succeed_in_their_order(project: Path) -> None:
    outputs: list[str] = []
    for block in BLOCKS:
        done = run(block, project)
        assert (done.returncode, done.stderr) == (0, ""), block + done.stdout
        outputs.append(done.stdout)
    assert outputs[2].startswith("generated/: 8 new, ")
    assert " passed" in outputs[3]
    assert "https://api.example.com/v1/chat/completions" in outputs[4]
    assert "100 %" in outputs[5]
    assert outputs[6].startswith("generated/ is current ")
