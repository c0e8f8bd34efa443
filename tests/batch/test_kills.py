"""Killed processes: a batch goes on where it was, and nothing is lost or written twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from promptwire import batch
from tests.batch.lines import lines_of, numbered
from tests.batch.vendor import Vendor
from tests.checkout import ROOT
from tests.internals.clients import Chunk, ConvertedRow, convert_chunk, converted

pytestmark = pytest.mark.slow

JOB = batch.Job("anthropic_messages", model="claude-haiku-4-5")

# writes a batch with a checkpoint after each chunk, and kills itself at the n-th call of a function
WRITE = """
import os, signal, sys
from promptwire import batch
from promptwire_batch import ledger, shards, writing

folder, source, where, count = sys.argv[1:4] + [int(sys.argv[4])]
writing._SECONDS, writing._CHUNK_LINES = 0, 20

def dying(call):
    def called(*args, **kwargs):
        global count
        count -= 1
        if count == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    return called

owner, name = {
    "line": (shards.ShardWriter, "add"),
    "commit": (ledger.Ledger, "commit"),
    "manifest": (ledger, "replacing"),
}[where]
setattr(owner, name, dying(getattr(owner, name)))
batch.write([source], folder, batch.Job("anthropic_messages", model="claude-haiku-4-5"))
"""


def run(folder: Path, source: Path, where: str, count: int) -> int:
    """Run the writer in a process of its own; return its exit code."""
    command = [sys.executable, "-c", WRITE, str(folder), str(source), where, str(count)]
    return subprocess.run(command, cwd=ROOT, check=False, timeout=120).returncode


def test_a_killed_writer_goes_on_and_the_files_are_those_of_one_that_was_not(
    tmp_path: Path,
) -> None:
    source = numbered(tmp_path / "in.jsonl", 200)
    whole = batch.write([source], tmp_path / "whole", JOB)
    kills = [("line", 30), ("commit", 2), ("manifest", 2)]
    for where, count in kills:
        assert run(tmp_path / "out", source, where, count) == -signal.SIGKILL
    assert run(tmp_path / "out", source, "line", 10_000) == 0
    again = batch.status(tmp_path / "out", verify=True)
    assert again.broken == ()
    assert [(s.file, s.requests, s.sha256) for s in again.manifest.shards] == [
        (s.file, s.requests, s.sha256) for s in whole.shards
    ]
    assert [entry.name for entry in batch.entries(tmp_path / "out")] == [f"q-{i}" for i in range(200)]


def dying_once(flag: Path, job: batch.Job, chunk: Chunk) -> list[ConvertedRow]:
    """Convert a chunk, but kill the process the first time that the second chunk comes."""
    if chunk.number > 1 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return convert_chunk(job, chunk)


def dying(job: batch.Job, chunk: Chunk) -> list[ConvertedRow]:
    """Kill the process."""
    os.kill(os.getpid(), signal.SIGKILL)
    return []


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes import this module by its name."""
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.usefixtures("importable")
def test_a_killed_worker_loses_no_chunk(tmp_path: Path) -> None:
    lines = numbered(tmp_path / "in.jsonl", 40).read_bytes().splitlines(keepends=True)
    chunks = [Chunk("in.jsonl", start + 1, tuple(lines[start : start + 10])) for start in range(0, 40, 10)]
    found = converted(JOB, chunks, 2, partial(dying_once, tmp_path / "flag"))
    assert [row.name for _, rows in found for row in rows] == [f"q-{i}" for i in range(40)]
    assert (tmp_path / "flag").exists()


@pytest.mark.usefixtures("importable")
def test_lines_that_kill_every_worker_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        batch.BatchError, match=r"in\.jsonl:5 to 6: the process that converts these lines was killed"
    ):
        list(converted(JOB, [Chunk("in.jsonl", 5, (b"{}\n", b"{}\n"))], 2, dying))


def test_a_reader_and_a_retry_that_are_stopped_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, vendor, results = tmp_path / "out", Vendor(), tmp_path / "r.jsonl"
    manifest = batch.write([numbered(tmp_path / "in.jsonl", 30)], out, JOB)
    vendor.run(out / manifest.shards[0].file, results)

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.read(out, [results], progress=stop)
    assert batch.status(out).counts["succeeded"] == 0
    report = batch.read(out, [results])
    assert len((out / "results.jsonl").read_text().splitlines()) == report.succeeded == 15

    with monkeypatch.context() as patch:
        patch.setattr("promptwire_batch.ledger.Ledger.again", lambda *_: stop(0))
        with pytest.raises(KeyboardInterrupt):
            batch.retry(out)
    assert batch.status(out).manifest.round == 1
    manifest = batch.retry(out)
    assert manifest.round == 2
    sent = [row["custom_id"] for row in lines_of(out, manifest.current())]
    assert sent == [f"q-{i}" for i in range(30) if i % 10 in (2, 3, 5)]
