"""Packages of some wires: beside the installed promptwire, two at a time, and folders that need nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.checkout import ROOT, keep_compiled
from tests.internals.compiler import app

pytestmark = pytest.mark.slow

SPEC = """\
wire: {name}_chat
extends: compatible_chat
title: {title} Chat
docs: https://docs.{name}.example/chat
transport:
  auth:
    - {{header: x-{name}-key, value: "${{api_key}}", env: {upper}_API_KEY}}
  settings:
    base_url: {{default: "https://api.{name}.example/v1"}}
body:
  seed: null
  limit?: $seed
examples:
  - name: a question
    request: {{model: m-1, messages: [{{user: hi}}], options: {{seed: 9}}}}
    body: {{model: m-1, limit: 9, messages: [{{role: user, content: hi}}]}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two specs, from each of which a package was built."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "provider_specs").mkdir()
    keep_compiled(folder)
    for name in ("alpha", "beta"):
        text = SPEC.format(name=name, title=name.capitalize(), upper=name.upper())
        (folder / "provider_specs" / f"{name}_chat.yaml").write_text(text)
        code, output = run(
            folder, "build", "--package", f"{name}_llm", "--out", f"pkg_{name}", f"{name}_chat"
        )
        assert code == 0, output
    return folder


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    here = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(app, arguments)
    finally:
        os.chdir(here)
    return done.exit_code, done.output


def python(code: str, *path: Path, isolated: bool = False) -> str:
    places = [*path, *(() if isolated else (ROOT / "generated", ROOT / "runtime"))]
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": os.pathsep.join(map(str, places))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def install(package: Path, target: Path) -> None:
    """Install a package as its wheel would be, with its entry points."""
    name = package.name
    shutil.copytree(package, target / name)
    info = target / f"{name}-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    project = (package.parent / "pyproject.toml").read_text()
    points = project.partition('[project.entry-points."promptwire.wires"]\n')[2].partition("\n\n")[0]
    (info / "entry_points.txt").write_text(f"[promptwire.wires]\n{points}\n".replace('"', ""))


def test_a_package_holds_its_wires_and_those_that_they_extend(project: Path) -> None:
    package = project / "pkg_alpha" / "alpha_llm"
    assert sorted(path.name for path in package.iterdir()) == [
        "__init__.py",
        "_families",
        "alpha_chat",
        "compatible_chat",
        "openai_chat",
        "py.typed",
    ]
    code, output = run(project, "check", "--package", "alpha_llm", "--out", "pkg_alpha", "alpha_chat")
    assert (code, output.startswith("pkg_alpha/alpha_llm/ is current (")) == (0, True)


def test_two_packages_live_beside_promptwire(project: Path, tmp_path: Path) -> None:
    code = (
        "import json, promptwire\n"
        "from promptwire import Options, Request, user\n"
        "request = Request('m-1', [user('hi')], options=Options(seed=9))\n"
        "found = [name for name in promptwire.WIRES if name in ('alpha_chat', 'beta_chat', 'openai_chat')]\n"
        "built = [promptwire.wire(name).build(request, settings={'api_key': 'k'}) for name in found]\n"
        "print(json.dumps([[each.url, each.body.get('limit'), sorted(each.headers)[-1]] for each in built]))\n"
    )
    for name in ("alpha", "beta"):
        install(project / f"pkg_{name}" / f"{name}_llm", tmp_path)
    assert json.loads(python(code, tmp_path)) == [
        ["https://api.alpha.example/v1/chat/completions", 9, "x-alpha-key"],
        ["https://api.beta.example/v1/chat/completions", 9, "x-beta-key"],
        ["https://api.openai.com/v1/chat/completions", None, "content-type"],
    ]
    command = (
        "from promptwire_cli.views.generated import wire_module\nprint(wire_module('beta_chat').WIRE.title)"
    )
    assert python(command, tmp_path) == "Beta Chat\n"
    for path in tmp_path.glob("beta_llm*"):
        shutil.rmtree(path)
    assert [row[0] for row in json.loads(python(code, tmp_path))] == [
        "https://api.alpha.example/v1/chat/completions",
        "https://api.openai.com/v1/chat/completions",
    ]


def test_the_project_file_is_written_once(project: Path) -> None:
    path = project / "pkg_alpha" / "pyproject.toml"
    assert 'alpha_chat = "alpha_llm.alpha_chat"' in path.read_text()
    path.write_text(path.read_text() + "# mine\n")
    code, output = run(project, "build", "--package", "alpha_llm", "--out", "pkg_alpha", "alpha_chat")
    assert (code, output.splitlines()) == (
        0,
        ["pkg_alpha/alpha_llm/: 0 new, 0 changed, 0 removed, 29 unchanged"],
    )
    assert path.read_text().endswith("# mine\n")
    mine = path.rename(path.with_name("mine.toml"))
    path.symlink_to("absent.toml")
    assert run(project, "build", "--package", "alpha_llm", "--out", "pkg_alpha", "alpha_chat") == (
        code,
        output,
    )
    assert not path.exists()
    mine.replace(path)


def test_an_example_that_differs_stops_the_build(project: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(project, tmp_path / "project")
    spec = copied / "provider_specs" / "beta_chat.yaml"
    spec.write_text(spec.read_text().replace("limit: 9,", "limit: 8,"))
    code, output = run(copied, "build", "--package", "new_llm", "beta_chat")
    assert code == 2
    assert "provider_specs/beta_chat.yaml:16:31: example: beta_chat, a question: `body.limit`" in output
    assert not (copied / "new_llm").exists()


@pytest.mark.parametrize("name", ["class", "other_chat"])
def test_a_wire_whose_file_has_another_name_is_not_built(project: Path, tmp_path: Path, name: str) -> None:
    copied = shutil.copytree(project, tmp_path / "project")
    spec = copied / "provider_specs" / "beta_chat.yaml"
    spec.write_text(spec.read_text().replace("wire: beta_chat", f"wire: {name}"))
    code, output = run(copied, "build", "--package", "new_llm", name)
    assert code == 2
    assert f'wire is "{name}", and the file is named "beta_chat"' in output
    assert not (copied / "new_llm").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--package", "class", "alpha_chat"],
            '"class" cannot be the name of a package; use one such as acme_llm',
        ),
        (["--package", "promptwire", "alpha_chat"], '"promptwire" cannot be the name of a package'),
        (["--package", "json", "alpha_chat"], '"json" cannot be the name of a package'),
        (["--package", "alpha_llm"], "name the wires of the package, such as acme_chat"),
        (["--out", "x"], "--out goes with --package"),
        (["--package", "alpha_llm", "alfa_chat"], '"alfa_chat" is not a wire: did you mean "alpha_chat"?'),
    ],
)
def test_what_is_no_package_is_told(project: Path, arguments: list[str], said: str) -> None:
    code, output = run(project, "build", *arguments)
    assert code == 2
    assert said in output


def test_a_vendored_folder_needs_nothing_else(project: Path, tmp_path: Path) -> None:
    code, output = run(project, "vendor", "beta_chat", "--out", str(tmp_path / "acme" / "llm"))
    assert (code, output.rpartition("; ")[2]) == (0, "import llm.beta_chat and llm.promptwire_runtime\n")
    used = (
        "import json, sys\n"
        "from acme.llm import beta_chat\n"
        "from acme.llm.promptwire_runtime import Cache, Options, Request, Text, user, tool_result\n"
        "request = Request('m-1', [user(Text('hi', cache=Cache()))], options=Options(seed=9))\n"
        "built = beta_chat.build(request, policies='portable')\n"
        "again = beta_chat.build(beta_chat.read(built.body).request).body\n"
        "print(json.dumps([built.body, again == built.body, len(beta_chat.check(request)), len(beta_chat.check({}))]))\n"
        "print([name for name in sys.modules if name.startswith('promptwire')])\n"
    )
    printed = python(used, tmp_path, isolated=True).splitlines()
    body = {"model": "m-1", "messages": [{"role": "user", "content": "hi"}], "limit": 9}
    result = json.loads(printed[0])
    assert (result[0], result[1:3], printed[1]) == (body, [True, 1], "[]")
    assert not any(
        (tmp_path / "acme" / "llm" / "promptwire_runtime" / name).exists() for name in ("context", "toolkits")
    )
