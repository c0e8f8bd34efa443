"""Batches on Ray with killed workers and a killed driver: nothing is lost or written twice (`CI=1 bash .ci/run ray`)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from promptwire import batch, data
from tests.data.lines import ENGINE, JOB, digests, line, source

pytestmark = ENGINE
FILES, ROWS = 4, 3_000

# a driver of its own, so that it can be killed; Ray's workers end with it
DRIVER = """
import sys
from promptwire import batch, data

folder, *sources = sys.argv[1:]
job = batch.Job("anthropic_messages", model="claude-haiku-4-5")
data.write_files(sources, folder, job, workers=2, engine="ray")
"""


def workers() -> Iterator[int]:
    """Yield the processes that write a file now."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::_write" in path.read_bytes():
                yield int(path.parent.name)
        except OSError:
            continue


def wait_for(condition: Callable[[], Any]) -> Any:
    """Wait until a condition holds, and return it."""
    for _ in range(1_200):
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it never happened")


def test_killed_workers_and_a_killed_driver_lose_and_double_nothing(tmp_path: Path) -> None:
    sources = [str(source(tmp_path / f"{number}.jsonl", ROWS)) for number in range(FILES)]
    out = tmp_path / "out"
    command = [sys.executable, "-c", DRIVER, str(out), *sources]

    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: any(out.glob("*/ledger.sqlite")))
        killed = next(iter(wait_for(lambda: list(workers()))))
        os.kill(killed, signal.SIGKILL)
        # the task of the killed worker runs again, in another process
        wait_for(lambda: killed not in workers() and any(workers()))
    finally:
        driver.kill()
        driver.wait()
    wait_for(lambda: not any(workers()))
    assert subprocess.run(command, check=False, timeout=300).returncode == 0

    data.write_files(sources, tmp_path / "whole", JOB)
    assert digests(out) == digests(tmp_path / "whole")
    assert sum(1 for folder in out.iterdir() for _ in batch.entries(folder)) == FILES * ROWS


def test_a_dataset_is_converted_and_checked(tmp_path: Path) -> None:
    ray: Any = import_module("ray")
    ray.init(num_cpus=2, include_dashboard=False, ignore_reinit_error=True)
    try:
        lines = ray.data.from_items([{"line": line(number)} for number in range(50)])
        converted = lines.map_batches(data.Convert(JOB), batch_format="pyarrow")
        converted.write_parquet(str(tmp_path / "rows"))
        rows = sorted(ray.data.read_parquet(str(tmp_path / "rows")).take_all(), key=lambda row: row["id"])
    finally:
        ray.shutdown()
    assert [row["id"] for row in rows] == sorted(f"q-{number}" for number in range(50))
    assert all(row["line"] and not row["why"] for row in rows)


def test_an_unknown_engine_is_named(tmp_path: Path) -> None:
    with pytest.raises(batch.BatchError, match="engine: 'spark' is unknown; choose one of processes, ray"):
        data.write_files([], tmp_path, JOB, engine="spark")
