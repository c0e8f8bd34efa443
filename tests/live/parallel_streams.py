"""Measure `promptwire serve` with many streams at once: latency beside direct calls, and the memory of the gateway.

    python -m tests.live.parallel_streams [NUMBER]

A server of ours streams words at a fixed pace, `promptwire serve` runs in a process of its own, and this process asks
both. Exits with 1 if an answer is not whole.
"""

from __future__ import annotations

import asyncio
import json
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

WORDS, PAUSE = 40, 0.02
TEXT = "word " * WORDS
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


def server_behind() -> str:
    """Start the server of words in a thread; return its base URL."""
    app = Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


async def ask(client: httpx.AsyncClient, url: str) -> tuple[float, float, int]:
    """Return the seconds to the first piece and to the end of one stream, and how many words came."""
    body = {"model": "m", "stream": True, "max_tokens": 99, "messages": [{"role": "user", "content": "Hi"}]}
    began, first, text = time.monotonic(), 0.0, b""
    async with client.stream("POST", url, json=body, timeout=_SECONDS) as got:
        async for piece in got.aiter_bytes():
            first = first or time.monotonic() - began
            text += piece
    return first, time.monotonic() - began, text.count(b'word "')


async def measure(number: int, url: str) -> bool:
    """Ask many times at once and print the latencies; return whether every answer was whole."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:
        rows = await asyncio.gather(*[ask(client, url) for _ in range(number)])
    firsts, ends = sorted(row[0] for row in rows), sorted(row[1] for row in rows)
    last = int(number * 0.95)
    sys.stdout.write(
        f"{number:>4} streams of {url.partition('/v1')[2]:<18} first piece {statistics.median(firsts):.3f} s"
        f" (95 %: {firsts[last]:.3f}), end {statistics.median(ends):.3f} s (95 %: {ends[last]:.3f})\n"
    )
    return all(row[2] == WORDS for row in rows)


def megabytes(process: int) -> float:
    """Return the resident memory of a process on Linux."""
    lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def main(number: int) -> int:
    """Measure direct calls and both APIs of the gateway; return 0 if all answers were whole."""
    behind, port = server_behind(), free_port()
    command = ["serve", "--to", "compatible_chat", "--base-url", behind, "--port", str(port), "--quiet"]
    code = "from promptwire_cli import main; main()"
    with subprocess.Popen([sys.executable, "-c", code, *command]) as gateway:
        try:
            address = f"http://127.0.0.1:{port}/v1"
            while True:
                try:
                    httpx.get(f"{address}/models", trust_env=False)
                    break
                except httpx.ConnectError:
                    time.sleep(0.05)
            before = megabytes(gateway.pid)
            whole = [asyncio.run(measure(number, f"{behind}/chat/completions"))]
            for path in ("messages", "chat/completions"):
                whole += [asyncio.run(measure(count, f"{address}/{path}")) for count in (1, number)]
            after = megabytes(gateway.pid)
        finally:
            gateway.terminate()
    sys.stdout.write(f"the gateway holds {before:.0f} MB before, {after:.0f} MB after\n")
    return 0 if all(whole) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
