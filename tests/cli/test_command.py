"""The command itself: help, a missing extra, interruption, start-up."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import promptwire_cli
import promptwire_gen

from .conftest import Gen

ROOTS = [str(Path(package.__file__ or "").parents[1]) for package in (promptwire_gen, promptwire_cli)]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([*ROOTS, os.environ.get("PYTHONPATH", "")])}
AUTHORS = ("new", "build", "check", "codemod", "diff", "list", "show", "schema", "verify", "roundtrip")
USERS = ("ask", "preview", "read", "list")


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, with the compiler on its path."""
    return subprocess.run(
        [sys.executable, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("program", "command"),
    [*[("gen", command) for command in AUTHORS], *[("promptwire", command) for command in USERS]],
)
def test_every_command_has_a_purpose_and_an_example(gen: Gen, cli: Gen, program: str, command: str) -> None:
    run = gen if program == "gen" else cli
    lines = [line.strip() for line in run(command, "--help").stdout.splitlines()]
    assert lines[0].startswith(f"Usage: {program} {command}")
    assert lines[2].endswith(".")
    assert lines[-1].startswith(f"Example: {program} {command}")
    # the purpose stands whole in the list of commands
    assert re.search(rf"\n  {command} +{re.escape(lines[2])}\n", run("--help").stdout)


def test_the_old_names_still_work_and_are_not_listed(gen: Gen) -> None:
    listed = gen("--help").stdout
    for command in ("preview", "read", "lint"):
        assert f"  {command} " not in listed
        assert gen(command, "--help").exit_code == 0


def test_a_command_that_moved_names_its_new_place(cli: Gen) -> None:
    result = cli("roundtrip", "rows.jsonl", "--to", "openai_chat", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "promptwire: roundtrip is a command of promptwire-gen now; run gen roundtrip FILE.jsonl...\n"
    )
    assert "roundtrip" not in cli("--help").stdout


def test_the_version_is_one_line(gen: Gen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptwire_gen.installed.version", {"promptwire": "9.8.7"}.__getitem__)
    result = gen("--version")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "promptwire 9.8.7\n", "")


def test_a_checkout_that_is_not_installed_has_no_version(gen: Gen, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("promptwire_gen.installed.version", version)
    assert gen("--version").stdout == "promptwire (a checkout that is not installed)\n"


def test_a_mistyped_command_gets_the_nearest_name(gen: Gen) -> None:
    result = gen("biuld")
    assert result.exit_code == 2
    assert "Did you mean 'build'?" in result.stderr


NEEDS = "gen needs the compiler: pip install promptwire-gen\n"
# `gen check` in which looking for the project imports a module
LOOKING = """
import sys, promptwire_gen.layout
def find_layout(start=None):
    import {0}
promptwire_gen.layout.find_layout = find_layout
sys.argv = ["gen", "check"]
from promptwire_gen.cli import main
main()
"""


@pytest.mark.parametrize("arguments", [(), ("--help",), ("check",)])
def test_without_any_package_the_answer_says_what_to_install(arguments: tuple[str, ...]) -> None:
    # -S leaves out everything that is installed
    result = python("-S", "-m", "promptwire_gen", *arguments)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", NEEDS)


def test_without_one_package_of_the_extra_the_answer_is_the_same() -> None:
    result = python("-c", f"import sys; sys.modules['yaml'] = None\n{LOOKING.format('yaml')}")
    assert (result.returncode, result.stdout, result.stderr) == (2, "", NEEDS)


def test_a_pyyaml_without_libyaml_is_named_with_its_mend() -> None:
    # PyYAML imports this module if it was built with libyaml
    code = "import sys; sys.modules['yaml.cyaml'] = None\n"
    code += "sys.argv = ['gen', 'show', 'openai_chat', 'body']\nfrom promptwire_gen.cli import main\nmain()"
    result = python("-c", code)
    expected = "this PyYAML was built without libyaml, and its parser in Python refuses valid YAML such as {user: Why?}; "
    expected += "install one with libyaml: pip install --force-reinstall --only-binary PyYAML PyYAML\n"
    place, _, text = result.stderr.partition(": this")
    assert (result.returncode, result.stdout, "this" + text) == (2, "", expected)
    assert re.fullmatch(r"gen: cannot read [\w/]+\.yaml", place)


def test_another_missing_module_is_shown_as_it_is() -> None:
    result = python("-c", LOOKING.format("no_such_thing"))
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'no_such_thing'"


def test_help_needs_neither_rich_nor_the_compiler() -> None:
    code = (
        "import sys, promptwire_gen.cli as c\n"
        "heavy = {'rich', 'yaml', 'libcst', 'jinja2', 'pydantic', 'promptwire', 'promptwire_runtime'}\n"
        "try: c.main()\n"
        "finally: print(sorted({name.partition('.')[0] for name in sys.modules} & heavy))"
    )
    result = python("-c", code, "--help")
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1] == "[]"


def test_a_pipe_that_closes_early_ends_quietly() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "promptwire_gen", "--help"],
        env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


def test_ctrl_c_ends_with_130_and_without_a_word() -> None:
    code = (
        "import promptwire_gen.layout as l, signal, time, sys; sys.argv[0] = 'gen'\n"
        # a shell starts what runs in its background with the signal ignored
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def wait(start=None): print('ready', flush=True); time.sleep(60)\n"
        "l.find_layout = wait\n"
        "from promptwire_gen.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "check"], env=ENVIRONMENT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=300) == ("", "")
    assert process.returncode == 130
