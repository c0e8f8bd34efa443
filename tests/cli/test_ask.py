"""`promptwire ask --tool` and functions that require permission: it asks on a terminal, and refuses without one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from .conftest import Gen

TOOLS = """
from promptwire_runtime.toolkits import tool

ran = []

@tool("Delete a file for good.", name="remove", permission=True)
def delete(path: str) -> str:
    ran.append(path)
    return "gone"
"""
CALL = {
    "id": "c",
    "type": "function",
    "function": {"name": "remove", "arguments": '{"path": "\\u001b]0;a.txt"}'},
}


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """A recorded API that calls the function once; what it is told."""
    told: list[str] = []

    def api(request: httpx.Request) -> httpx.Response:
        last = json.loads(request.content)["messages"][-1]
        if last["role"] == "tool":
            told.append(last["content"])
        message = {"content": "Done."} if told else {"tool_calls": [CALL]}
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
        return httpx.Response(200, json={"choices": [choice]})

    def made(_: Any) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(api))

    monkeypatch.setattr("promptwire_http.client._make_http", made)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "guarded_tools.py").write_text(TOOLS)
    monkeypatch.delitem(sys.modules, "guarded_tools", raising=False)
    return told


ASK = (
    *("ask", "openai_chat", "-m", "m", "--setting", "api_key=k", "--tool", "guarded_tools:delete"),
    *("--no-stream", "Tidy up."),
)


def test_without_a_terminal_the_function_is_not_called(cli: Gen, results: list[str]) -> None:
    done = cli(*ASK)
    assert (done.exit_code, done.stdout) == (0, "Done.\n"), done.stderr
    assert results == [
        "remove was not called: permission was refused: there is no terminal to ask on",
    ]
    assert "remove was not called" in done.stderr
    assert sys.modules["guarded_tools"].ran == []


@pytest.mark.parametrize(
    ("typed", "told"),
    [("y\n", "gone"), ("n\n", "remove was not called: permission was refused"), ("\n", None)],
)
def test_a_terminal_is_asked(
    cli: Gen, results: list[str], monkeypatch: pytest.MonkeyPatch, typed: str, told: str | None
) -> None:
    monkeypatch.setattr("promptwire_cli.asking._has_terminal", lambda: True)
    done = cli(*ASK, stdin=typed)
    assert done.exit_code == 0 and done.stdout.endswith("Done.\n"), done.stderr
    assert results == [told or "remove was not called: permission was refused"]
    # nothing that the model says reaches the terminal as it is
    assert r'call remove with {"path": "\u001b]0;a.txt"}?' in done.stderr
    assert sys.modules["guarded_tools"].ran == (["\x1b]0;a.txt"] if told == "gone" else [])
