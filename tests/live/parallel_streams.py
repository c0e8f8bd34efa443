"""Measure `promptwire serve` with many streams at once: latency beside direct calls, and the memory of the gateway.

    python -m tests.live.parallel_streams [NUMBER [ROUNDS]]

A server of ours streams words at a fixed pace. It and `promptwire serve` run in processes of their own, and this one asks
both. Exits with 1 if a stream through the gateway is not whole, and says what came instead.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

WORDS, PAUSE = 40, 0.02
_SECONDS = 120.0


async def words() -> AsyncIterator[bytes]:
    """Yield the chunks of a streamed Chat Completions answer."""
    for number in range(WORDS + 1):
        delta = {"content": "word "} if number < WORDS else {}
        finish = None if number < WORDS else "stop"
        row = {"id": "a", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        yield b"data: " + json.dumps(row).encode() + b"\n\n"
        await asyncio.sleep(PAUSE)
    yield b"data: [DONE]\n\n"


async def answer(asked: Request) -> StreamingResponse:
    """Answer any request with the same stream."""
    await asked.body()
    return StreamingResponse(words(), media_type="text/event-stream")


def serve_words(port: int) -> None:
    """Run the server of words."""
    app = Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])
    uvicorn.run(app, host="127.0.0.1", port=port, log_config=None, access_log=False)


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Got:
    """One stream: the seconds to its first piece and to its end, and what came of it."""

    first: float
    end: float
    status: int
    text: bytes

    @property
    def is_whole(self) -> bool:
        """Whether all words came."""
        return self.status == 200 and self.text.count(b'word "') == WORDS


async def ask(client: httpx.AsyncClient, url: str) -> Got:
    """Ask for one stream."""
    body = {"model": "m", "stream": True, "max_tokens": 99, "messages": [{"role": "user", "content": "Hi"}]}
    began, first, text, status = time.monotonic(), 0.0, b"", 0
    try:
        async with client.stream("POST", url, json=body, timeout=_SECONDS) as got:
            status = got.status_code
            async for piece in got.aiter_bytes():
                first = first or time.monotonic() - began
                text += piece
    except httpx.HTTPError as error:
        text += repr(error).encode()
    return Got(first, time.monotonic() - began, status, text)


async def measure(number: int, url: str) -> int:
    """Ask many times at once, print the latencies and what is not whole; return how many are not."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:
        rows = await asyncio.gather(*[ask(client, url) for _ in range(number)])
    firsts, ends = sorted(row.first for row in rows), sorted(row.end for row in rows)
    last = int(number * 0.95)
    sys.stdout.write(
        f"{number:>4} streams of {url.partition('/v1')[2]:<18} first piece {statistics.median(firsts):.3f} s"
        f" (95 %: {firsts[last]:.3f}), end {statistics.median(ends):.3f} s (95 %: {ends[last]:.3f})\n"
    )
    broken = [row for row in rows if not row.is_whole]
    for row in broken:
        sys.stdout.write(f"     not whole: status {row.status}, {row.text[-300:]!r}\n")
    return len(broken)


def status_of(process: int, name: str) -> int:
    """Return a number of the status of a process on Linux."""
    lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process on Linux."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python in a process of its own until the block ends."""
    with subprocess.Popen([sys.executable, *arguments]) as process:
        try:
            yield process
        finally:
            process.terminate()


def wait_for(url: str) -> None:
    """Wait until a server answers."""
    while True:
        with suppress(httpx.ConnectError):
            httpx.get(url, trust_env=False)
            return
        time.sleep(0.05)


def main(number: int, rounds: int) -> int:
    """Measure direct calls and both APIs of the gateway; return 0 if all answers were whole."""
    behind, gateway = free_port(), free_port()
    direct, address = f"http://127.0.0.1:{behind}/v1", f"http://127.0.0.1:{gateway}/v1"
    command = ["serve", "--to", "compatible_chat", "--base-url", direct, "--port", str(gateway), "--quiet"]
    code = "from promptwire_cli import main; main()"
    with (
        running("-m", "tests.live.parallel_streams", "words", str(behind)),
        running("-c", code, *command) as process,
    ):
        wait_for(direct)
        wait_for(f"{address}/models")
        before, cpu = status_of(process.pid, "VmRSS"), cpu_seconds(process.pid)
        asyncio.run(measure(number, f"{direct}/chat/completions"))
        broken = asked = 0
        for _ in range(rounds):
            for path in ("messages", "chat/completions"):
                for count in (1, number):
                    broken += asyncio.run(measure(count, f"{address}/{path}"))
                    asked += count
        after, cpu = status_of(process.pid, "VmRSS"), cpu_seconds(process.pid) - cpu
    sys.stdout.write(
        f"{broken} of {asked} streams through the gateway were not whole; it used {cpu / asked * 1000:.1f} ms of"
        f" processor time a stream of {WORDS} pieces, and holds {after / 1024:.0f} MB (before: {before / 1024:.0f})\n"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["words"]:
        serve_words(int(sys.argv[2]))
    else:
        sys.exit(main(int((sys.argv[1:2] or ["200"])[0]), int((sys.argv[2:3] or ["1"])[0])))
