"""Measure `promptwire batch write`: rows a second and memory over the rows, with one and more workers, and two kills.

    python -m tests.live.batch_throughput RECORDED.jsonl [--rows 1000000] [--workers 1 2] [--picture docs/throughput.svg]

The recorded OpenAI chat requests of the file are repeated with fresh ids, and written as a batch for Anthropic. The run with
the most workers has all rows and is killed after a third and after two thirds of them; the others have a tenth. Exits with
1 if a row is lost or written twice, or if a line differs from that of the same request elsewhere in the batch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

# bodies beyond this are mostly pictures
_MOST_LETTERS = 20_000
_PAUSE = 2.0
_MAIN = "from promptwire_cli import main; main()"
# of lines and their words, in light and dark
_COLORS = (("#5c6bc0", "#9fa8ff"), ("#b84a00", "#ffb74d"), ("#2e7d32", "#81c784"), ("#6a1b9a", "#ce93d8"))
_LIGHT = (
    ".paper { fill: #ffffff } .word { fill: #37474f } .axis { stroke: #78909c } .grid { stroke: #eceff1 }"
)
_DARK = ".paper { fill: #1b1e29 } .word { fill: #cfd8dc } .axis { stroke: #90a4ae } .grid { stroke: #37404f }"


@dataclass
class Run:
    """One run: what was seen of it, by seconds since its start."""

    workers: int
    rows: int
    # (seconds, rows written or refused, MB of memory of all its processes)
    seen: list[tuple[float, int, float]] = field(default_factory=list[tuple[float, int, float]])
    kills: list[int] = field(default_factory=list[int])

    @property
    def rate(self) -> float:
        """Rows a second over the whole run."""
        return self.rows / self.seen[-1][0]

    def rates(self) -> Iterator[tuple[int, float]]:
        """Yield rows and rows a second, about fifty times."""
        step = max(1, len(self.seen) // 50)
        marks = self.seen[::step]
        for (start, before, _), (end, after, _) in pairwise(marks):
            if after > before:
                yield after, (after - before) / (end - start)


def recorded_bodies(path: Path) -> list[Any]:
    """Return the OpenAI chat bodies of a file of recorded requests."""
    rows = [json.loads(line) for line in path.open(encoding="utf-8") if len(line) < _MOST_LETTERS]
    return [row["body"] for row in rows if row.get("wire") == "openai_chat"]


def write_rows(path: Path, bodies: list[Any], count: int) -> None:
    """Write lines of a batch file: the bodies again and again, each with an id of its own."""
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            row = {"custom_id": f"row-{number:09d}", "url": "/v1/chat/completions"}
            stream.write(json.dumps(row | {"body": bodies[number % len(bodies)]}) + "\n")


def measured(rows: Path, count: int, workers: int, folder: Path, kills: list[int]) -> Run:
    """Write a batch, killed when so many rows are done, and started again each time."""
    run = Run(workers, count)
    start = time.monotonic()
    command = [sys.executable, "-c", _MAIN, "batch", "write", str(rows), "--from", "openai_chat"]
    command += ["--to", "anthropic_messages", "--model", "claude-haiku-4-5", "--workers", str(workers)]
    while not run.seen or run.seen[-1][1] < count:
        process = subprocess.Popen(
            [*command, "-o", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None:
            time.sleep(_PAUSE)
            run.seen.append((time.monotonic() - start, done_in(folder), memory_of(process.pid)))
            if kills and run.seen[-1][1] >= kills[0]:
                run.kills.append(kills.pop(0))
                for each in (*children_of(process.pid), process.pid):
                    with suppress(ProcessLookupError):
                        os.kill(each, signal.SIGKILL)
        if process.returncode in (0, 1):
            run.seen.append((time.monotonic() - start, count, run.seen[-1][2]))
        elif process.returncode > 0:
            raise SystemExit(f"{' '.join(command)} ends with {process.returncode}")
    return run


def done_in(folder: Path) -> int:
    """Return how many rows of the input are written or refused, from the last commit."""
    ledger = folder / "ledger.sqlite"
    if not ledger.exists():
        return 0
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as base, suppress(sqlite3.Error):
        row = base.execute("select manifest from meta").fetchone()
        return int(json.loads(row[0])["position"][2]) if row else 0
    return 0


def children_of(process: int) -> list[int]:
    """Return the children of a process."""
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def memory_of(process: int) -> float:
    """Return the memory of a process and its children, in MB."""
    total = 0
    for each in (process, *children_of(process)):
        with suppress(OSError):
            found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{each}/status").read_text())
            total += int(found[1]) if found else 0
    return total / 1024


def check(folder: Path, count: int, kinds: int) -> str:
    """Compare the ids and digests of all lines with the input. Raises SystemExit if a row is lost, twice or different."""
    seen = bytearray(count)
    digests: dict[int, bytes] = {}
    different = 0
    for path in sorted(folder.glob("round-1/*")):
        for row in json.loads(path.read_bytes())["requests"]:
            number = int(row["custom_id"].removeprefix("row-"))
            seen[number] += 1
            digest = hashlib.sha256(json.dumps(row["params"]).encode()).digest()
            different += digests.setdefault(number % kinds, digest) != digest
    written = sum(map(bool, seen))
    refused = 0
    for line in (folder / "refused.jsonl").open(encoding="utf-8"):
        refused += 1
        seen[int(json.loads(line)["name"].removeprefix("row-"))] += 1
    lost, twice = seen.count(0), sum(each > 1 for each in seen)
    if lost or twice or different:
        raise SystemExit(f"{lost} rows are lost, {twice} there twice, {different} lines differ")
    return f"{written:,} written, {refused:,} refused, none lost, none twice, the lines of one request all the same"


def picture(runs: list[Run]) -> str:
    """Draw rows a second over the rows, one line a run, as SVG."""
    width, height, left, top = 640, 220, 70, 30
    most = max(rate for run in runs for _, rate in run.rates()) * 1.1
    rows = max(run.rows for run in runs)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 130} {top + height + 50}"'
        ' font-family="system-ui, sans-serif" font-size="13">',
        "  <title>Rows a second over the rows of a batch</title>",
        f"  <style>{style(_LIGHT, 0)} @media (prefers-color-scheme: dark) {{ {style(_DARK, 1)} }}</style>",
        f'  <rect class="paper" width="{left + width + 130}" height="{top + height + 50}" rx="8"/>',
        f'  <path class="axis" d="M{left} {top}V{top + height}H{left + width}" fill="none"/>',
        f'  <text class="word" x="{left}" y="{top - 10}">rows a second</text>',
        f'  <text class="word" x="{left + width}" y="{top + height + 38}" text-anchor="end">rows</text>',
    ]
    for part in range(1, 5):
        y, x = top + height * (1 - part / 4.4), left + width * part / 4
        lines.append(
            f'  <text class="word" x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{most * part / 4.4:,.0f}</text>'
        )
        lines.append(f'  <path class="grid" d="M{left} {y:.0f}h{width}"/>')
        lines.append(
            f'  <text class="word" x="{x:.0f}" y="{top + height + 18}" text-anchor="middle">{rows * part // 4:,}</text>'
        )
    for number, run in enumerate(runs[: len(_COLORS)]):
        marks = [(left + width * at / rows, top + height * (1 - rate / most)) for at, rate in run.rates()]
        way = "L".join(f"{x:.0f} {y:.0f}" for x, y in marks)
        lines.append(f'  <path class="way{number}" d="M{way}" fill="none" stroke-width="2"/>')
        word = "worker" if run.workers == 1 else "workers"
        x, y = marks[-1]
        lines.append(
            f'  <text class="name{number}" x="{x + 6:.0f}" y="{y + 4:.0f}">{run.workers} {word}</text>'
        )
        for kill in run.kills:
            x = left + width * kill / rows
            lines.append(
                f'  <path class="way{number}" d="M{x:.0f} {top}V{top + height}" stroke-dasharray="3 4"/>'
            )
            lines.append(f'  <text class="name{number}" x="{x + 4:.0f}" y="{top + 12}">killed</text>')
    return "\n".join([*lines, "</svg>", ""])


def style(common: str, scheme: int) -> str:
    """Return the rules of the picture: those of one scheme, and the colours of its lines and their names."""
    colors = enumerate(pair[scheme] for pair in _COLORS)
    ways = (f".way{at} {{ stroke: {color} }} .name{at} {{ fill: {color} }}" for at, color in colors)
    return " ".join([common, *ways])


def main() -> None:
    """Measure, check, and draw."""
    parser = argparse.ArgumentParser(prog="python -m tests.live.batch_throughput", description=__doc__)
    parser.add_argument("recorded", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    bodies = recorded_bodies(asked.recorded)
    runs: list[Run] = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for workers in sorted(asked.workers):
            last = workers == max(asked.workers)
            count = asked.rows if last else asked.rows // 10
            rows, folder = place / "in.jsonl", place / f"out-{workers}"
            write_rows(rows, bodies, count)
            runs.append(measured(rows, count, workers, folder, [count // 3, count * 2 // 3] if last else []))
            memory = [mb for _, _, mb in runs[-1].seen if mb]
            early, late = memory[: len(memory) // 4] or memory, memory[-len(memory) // 4 :]
            sys.stdout.write(
                f"{workers} workers: {count:,} rows ({rows.stat().st_size >> 20} MB), {runs[-1].rate:,.0f} a second,"
                f" {len(runs[-1].kills)} kills; memory {max(early):.0f} MB at first, {max(late):.0f} MB at the end;"
                f" {check(folder, count, len(bodies))}\n"
            )
            sys.stdout.flush()
    if asked.picture is not None:
        asked.picture.write_text(picture(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
