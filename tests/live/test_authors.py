"""A team with wires of its own, in a clean environment with only the wheel: what the page says, and packages that come and go.

PROMPTWIRE_PYTHON names the Python of that environment; `CI=1 bash .ci/run doors` makes one.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.pages import read_page
from tests.running_pages import run_text

PYTHON = os.environ.get("PROMPTWIRE_PYTHON", "")
MINUTES = 15
SPEC = """\
wire: {name}_chat
extends: compatible_chat
title: {name} Chat
docs: https://docs.{name}.example/chat
transport:
  settings:
    base_url: {{default: "https://api.{name}.example/v1"}}
body: {{seed: null, limit?: $seed}}
examples:
  - name: a question
    request: {{model: m-1, messages: [{{user: hi}}], options: {{seed: 9}}}}
    body: {{model: m-1, limit: 9, messages: [{{role: user, content: hi}}]}}
"""
LISTED = """
import json, promptwire
from promptwire import Options, Request, user

request = Request("m-1", [user("hi")], options=Options(seed=9))
found = [name for name in promptwire.WIRES if name in ("alpha_chat", "beta_chat", "openai_chat")]
print(json.dumps({name: promptwire.wire(name).build(request, settings={"api_key": "k"}).url for name in found}))
"""
pytestmark = pytest.mark.skipif(not PYTHON, reason="PROMPTWIRE_PYTHON names no environment")


def ran(*command: str, folder: Path) -> str:
    """Run the environment's Python in a folder; return what it prints."""
    environment = os.environ | {"PYTHONPATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [PYTHON, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder: Path) -> set[str]:
    """Return the files of the environment that installing changes."""
    (place,) = ran("-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).splitlines()
    return {
        str(path.relative_to(place)) for path in Path(place).rglob("*") if "__pycache__" not in path.parts
    }


def test_the_page_leads_to_a_package_of_a_wire_in_fifteen_minutes() -> None:
    began = time.monotonic()
    page = run_text("docs/own-wire.md", read_page("docs/own-wire.md"))
    assert (page.problems, page.differences) == ([], [])
    assert time.monotonic() - began < MINUTES * 60


def test_two_packages_come_and_go(tmp_path: Path) -> None:
    urls = {"openai_chat": "https://api.openai.com/v1/chat/completions"}
    # what an earlier run may have left
    ran("-m", "pip", "-qq", "uninstall", "--yes", "acme_llm", "alpha_llm", "beta_llm", folder=tmp_path)
    before = files(tmp_path)
    (tmp_path / "provider_specs").mkdir()
    for name in ("alpha", "beta"):
        (tmp_path / "provider_specs" / f"{name}_chat.yaml").write_text(SPEC.format(name=name))
        package = ("--package", f"{name}_llm", "--out", f"pkg_{name}", f"{name}_chat")
        ran("-m", "promptwire_gen", "build", *package, folder=tmp_path)
        ran("-m", "pip", "-qq", "install", f"./pkg_{name}", folder=tmp_path)
        urls[f"{name}_chat"] = f"https://api.{name}.example/v1/chat/completions"
        assert json.loads(ran("-c", LISTED, folder=tmp_path)) == urls
    assert "beta_chat" in ran("-c", "from promptwire_cli import main; main()", "list", folder=tmp_path)
    for name in ("alpha", "beta"):
        ran("-m", "pip", "-qq", "uninstall", "--yes", f"{name}_llm", folder=tmp_path)
        del urls[f"{name}_chat"]
        assert json.loads(ran("-c", LISTED, folder=tmp_path)) == urls
    assert files(tmp_path) == before
