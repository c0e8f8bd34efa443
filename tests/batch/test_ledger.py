"""The ledger: no statement that is run for each request reads the whole table."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from promptwire import batch
from tests.batch.lines import request_line, write_lines
from tests.batch.vendor import Vendor
from tests.internals.clients import LEDGER

ROWS = 60
LITERAL = re.compile(r"x?'(?:[^']|'')*'|\b\d+\b")


def test_no_statement_of_a_row_reads_the_whole_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        base: sqlite3.Connection = opened(*args, **kwargs)
        base.set_trace_callback(said.append)
        return base

    opened = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", connect)
    # a third of the requests are there before
    source = write_lines(tmp_path / "in.jsonl", (request_line(f"q-{i}", f"t{i % 40}") for i in range(ROWS)))
    out, results = tmp_path / "out", tmp_path / "r.jsonl"
    job = batch.Job("anthropic_messages", model="claude-haiku-4-5", deduplicate=True)
    manifest = batch.write([source], out, job)
    Vendor().run(out / manifest.shards[0].file, results)
    batch.read(out, [results])
    batch.retry(out, missing=True)

    statements = [text for text in said if text.lstrip().startswith(("select", "update"))]
    counts = Counter(LITERAL.sub("?", text) for text in statements)
    often = {LITERAL.sub("?", text): text for text in statements if counts[LITERAL.sub("?", text)] >= 10}
    assert len(often) >= 4, counts
    base = opened(out / LEDGER)
    try:
        plans = {text: base.execute(f"explain query plan {text}").fetchall() for text in often.values()}
    finally:
        base.close()
    assert [text for text, plan in plans.items() if any("SCAN" in row[3] for row in plan)] == []


def test_one_call_at_a_time_changes_a_batch_and_others_may_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Any = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **kwargs: opened(*args, **kwargs, timeout=0))
    source = write_lines(tmp_path / "in.jsonl", [request_line("a", "Hi")])
    out, job = tmp_path / "out", batch.Job("openai_chat")
    seen: list[Any] = []

    def look(_: int) -> None:
        with pytest.raises(batch.BatchError, match="another call works on this batch; wait for its end"):
            batch.write([source], out, job)
        seen.append(batch.status(out).manifest.written)

    batch.write([source], out, job, progress=look)
    assert seen == [False]
    assert batch.status(out).manifest.written
