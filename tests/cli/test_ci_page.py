"""The workflow of docs/ci.md does what it says: its commands succeed in a project that has nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT, SOURCE_ROOTS, keep_compiled
from tests.pages import examples_of, read_page
from tests.running_pages import SHELL

PAGE = "docs/ci.md"


def workflow() -> list[str]:
    """Return the commands of the workflow, in order."""
    blocks = [example.block for example in examples_of(PAGE, read_page(PAGE))]
    (text,) = [block.code for block in blocks if block.file == ".github/workflows/prompts.yaml"]
    steps = yaml.safe_load(text)["jobs"]["prompts"]["steps"]
    return [step["run"] for step in steps if "run" in step]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed project with the spec and the recorded requests of the page."""
    folder = tmp_path_factory.mktemp("project")
    blocks = [example.block for example in examples_of(PAGE, read_page(PAGE))]
    (spec,) = [block.code for block in blocks if block.file == "provider_specs/acme_chat.yaml"]
    (folder / "provider_specs").mkdir()
    (folder / "provider_specs" / "acme_chat.yaml").write_text(spec)
    recorded = next(block.code for block in blocks if "recorded.jsonl <<" in block.code)
    keep_compiled(folder)
    made = run(f"gen build\n{recorded.partition('gen roundtrip')[0]}", folder)
    assert made.returncode == 0, made.stdout
    commit = "git -c user.name=a -c user.email=a@b commit -qm x"
    done = run(
        f"git init -q . && git add . && {commit} && git update-ref refs/remotes/origin/main HEAD", folder
    )
    assert done.returncode == 0, done.stdout
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/bash", "-ec", SHELL + command],
        cwd=folder,
        env=os.environ
        | {
            "PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in SOURCE_ROOTS),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_every_command_of_the_workflow_succeeds(project: Path) -> None:
    commands = workflow()
    assert commands[0].startswith("pip install ")
    assert len(commands) > 4
    for command in commands[1:]:
        done = run(command, project)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
