"""`promptwire ask` and a streaming tool loop, as a new user tries them: only with what the pages say, on a real server.

PROMPTWIRE_COMMAND names an installed command to try; without it, the one of this checkout runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .server import LocalServer
from .tiny_model import HELLO_SENTENCE, RESULT_SENTENCE

TOOL = '''
from typing import Literal

def weather(city: Literal["Oslo"]) -> str:
    """The weather now."""
    return f"12 C in {city}"
'''
MINUTES = 2


def promptwire(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, without any key in the environment."""
    command = os.environ.get("PROMPTWIRE_COMMAND")
    start = [command] if command else [sys.executable, "-c", "from promptwire_cli import main; main()"]
    environment = {name: text for name, text in os.environ.items() if not name.endswith("_KEY")}
    return subprocess.run(
        [*start, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_first_answer_takes_less_than_two_minutes(server: LocalServer, tmp_path: Path) -> None:
    began = time.monotonic()
    asked = ["ask", "llamacpp_chat", "-m", "tiny", "--base-url", f"{server.url}/v1", "--max-tokens", "8"]
    done = promptwire(*asked, "How warm is Oslo?", folder=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, HELLO_SENTENCE), done.stderr
    assert time.monotonic() - began < MINUTES * 60
    assert "How warm is Oslo?" in server.last_prompt()


@pytest.mark.parametrize(("wire", "base"), [("openai_chat", "/v1"), ("anthropic_messages", "")])
def test_a_function_is_called_while_the_answer_streams(
    server: LocalServer, tmp_path: Path, wire: str, base: str
) -> None:
    (tmp_path / "tools_of_mine.py").write_text(TOOL)
    asked = [
        "ask",
        wire,
        "-m",
        "tiny",
        "--base-url",
        server.url + base,
        "--setting",
        "api_key=k",
        "--max-tokens",
        "128",
    ]
    done = promptwire(*asked, "--tool", "tools_of_mine:weather", "How warm is Oslo?", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    call, _, result = done.stderr.splitlines()[0].partition(" -> ")
    assert (call.replace(" ", ""), result) == ('weather{"city":"Oslo"}', "12 C in Oslo")
    assert done.stdout.strip() == RESULT_SENTENCE


def test_the_answer_as_json_has_the_whole_conversation(server: LocalServer, tmp_path: Path) -> None:
    asked = [
        "ask",
        "llamacpp_chat",
        "-m",
        "tiny",
        "--base-url",
        f"{server.url}/v1",
        "--max-tokens",
        "2",
        "--json",
    ]
    answer = json.loads(promptwire(*asked, "Hello", "--system", "Be brief.", folder=tmp_path).stdout)
    assert [*answer["messages"][0]] == ["user"] and answer["usage"]["output"] == 2
    assert answer["finish"] == "length"


def test_what_goes_wrong_is_one_line_that_helps(server: LocalServer, tmp_path: Path) -> None:
    asked = ["ask", "openai_chat", "--base-url", f"{server.url}/v1"]
    for arguments, text in (
        (["Hello"], "name the model with --model"),
        (["-m", "tiny"], "give a QUESTION"),
        (["-m", "tiny", "Hello", "--tool", "no_such:thing"], "no_such:thing cannot be imported"),
        (["-m", "tiny", "Hello", "--image", "notes.txt"], "notes.txt is not named like an image"),
        (["-m", "tiny", "Hello", "--image", "https://example.com/a.png"], "image input is not supported"),
    ):
        done = promptwire(*asked, *arguments, folder=tmp_path)
        assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr
    done = promptwire("ask", "compatible_chat", "-m", "m", "Hello", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "promptwire: compatible_chat: the setting base_url is required; pass --setting base_url=VALUE\n",
    )
    dead = promptwire(
        "ask", "openai_chat", "-m", "m", "--base-url", "http://127.0.0.1:9/v1", "Hi", folder=tmp_path
    )
    assert dead.returncode == 2 and "the connection failed" in dead.stderr
