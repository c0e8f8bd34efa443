"""The command as it is installed: what its extras bring, a terminal and a pipe, progress, completion.

PROMPTWIRE_COMMAND names an installed command, beside its Python; `CI=1 bash .ci/run doors` installs one from the wheel.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ.get("PROMPTWIRE_COMMAND", "")
pytestmark = pytest.mark.skipif(not COMMAND, reason="PROMPTWIRE_COMMAND names no command")
ROW = {
    "api": "openai_chat",
    "body": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.5},
}


def beside(name: str) -> str:
    """Return a command of the same environment."""
    return str(Path(COMMAND).parent / name)


def piped(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=False, timeout=300
    )


def on_terminal(*command: str) -> str:
    """Return what a command prints on a terminal."""
    ours, theirs = pty.openpty()
    shown = bytearray()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:
            # the end of a terminal is an error on Linux
            pass
    os.close(ours)
    return shown.decode()


def test_users_get_no_compiler() -> None:
    assert not Path(beside("gen")).exists()
    names = ("jinja2", "libcst", "ruff", "promptwire_gen")
    found = f"import importlib.util; print([n for n in {names} if importlib.util.find_spec(n)])"
    assert piped(beside("python"), "-c", found).stdout == "[]\n"


def test_tables_have_colours_on_a_terminal_only() -> None:
    assert "\x1b[" in on_terminal(COMMAND, "list")
    done = piped(COMMAND, "list")
    assert (done.returncode, "\x1b" in done.stdout, done.stderr) == (0, False, "")


def test_long_files_show_progress_on_a_terminal_only(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n" * 20_000)
    assert "checking" in on_terminal(COMMAND, "check", "openai_chat", str(path))
    done = piped(COMMAND, "check", "openai_chat", str(path))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [("promptwire pre", ["preview"]), ("promptwire list openai_", ["openai_chat", "openai_responses"])],
)
def test_shells_complete_commands_and_wires(words: str, expected: list[str]) -> None:
    known = {"_PROMPTWIRE_COMPLETE": "complete_bash", "COMP_WORDS": words}
    done = piped(COMMAND, **known, COMP_CWORD=str(words.count(" ")))
    assert done.stdout.split() == expected
    assert (
        "complete -o default -F _promptwire_completion promptwire"
        in piped(COMMAND, "--show-completion", "bash", SHELL="/bin/bash").stdout
    )


@pytest.mark.parametrize(
    "command", ["", "ask", "preview", "convert", "read", "lint", "list", "serve", "batch"]
)
def test_every_command_has_help(command: str) -> None:
    done = piped(COMMAND, *filter(None, [command]), "--help", COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: promptwire ") and max(map(len, done.stdout.splitlines())) <= 80
