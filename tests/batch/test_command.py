"""The command `promptwire batch`: its output, its exit codes, and one error in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.batch.lines import numbered
from tests.batch.vendor import Vendor
from tests.internals.commands import PROGRAM, app


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    """Run the command in this process; return its exit code and what it printed."""
    with pytest.raises(SystemExit) as ended:
        PROGRAM.run(lambda: app([*map(str, words)], prog_name="promptwire"))
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out + printed.err


def test_a_batch_from_its_requests_to_its_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out, results = numbered(tmp_path / "in.jsonl", 12), tmp_path / "out", tmp_path / "r.jsonl"
    write = ("batch", "write", source, "--to", "anthropic_messages", "--model", "claude-haiku-4-5", "-o", out)
    code, printed = run(capsys, *write)
    assert code == 0
    assert printed.startswith(
        "anthropic_messages for anthropic, round 1: written\n12 requests, 0 duplicates, 0 refused\n"
    )
    Vendor().run(out / "round-1" / "00001.json", results)
    assert run(capsys, "batch", "read", out, results) == (0, "6 succeeded, 3 retry, 2 fix, 0 give_up\n")
    code, printed = run(capsys, "batch", "status", out, "--list", "fix")
    assert [json.loads(line)["name"] for line in printed.splitlines()] == ["q-1", "q-11"]
    code, printed = run(capsys, "batch", "retry", out, "--missing", "--json")
    assert json.loads(printed)["round"] == 2
    code, printed = run(capsys, "batch", "status", out, "--verify", "--json")
    assert (code, json.loads(printed)["counts"]["pending"]) == (0, 4)


def test_mistakes_are_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = numbered(tmp_path / "in.jsonl", 1)
    missing = ("batch", "write", "nowhere.jsonl", "--to", "openai_chat", "-o", tmp_path / "a")
    assert run(capsys, *missing) == (2, "promptwire: nowhere.jsonl: No such file or directory\n")
    assert run(capsys, "batch", "status", tmp_path) == (
        2,
        f"promptwire: {tmp_path}: no batch was written here\n",
    )
    unknown = ("batch", "write", source, "--to", "ollama_chat", "-o", tmp_path / "b")
    assert run(capsys, *unknown) == (2, "promptwire: ollama_chat: batches are not supported for this API\n")
    (tmp_path / "in.jsonl").write_text("no json\n")
    code, printed = run(capsys, "batch", "write", source, "--to", "openai_chat", "-o", tmp_path / "c")
    assert code == 1
    assert "1  refused: not JSON" in printed
