"""Measure `promptwire serve` under load, and LiteLLM's proxy beside it: added latency, requests a second, memory.

    python -m tests.live.parallel_streams [NUMBER ...] [--litellm PROGRAM]

A server of ours streams words at a fixed pace, this process asks it directly and through each gateway, and every process
has the processor time that it used in its row. Both sides of the gateway speak plain HTTP/1.1 on sockets, so that they
leave the processors to what is measured. `--litellm` names the program of an installation of `litellm[proxy]`. Exits with
1 if an answer through promptwire is not whole, and says what came instead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

WORDS, PAUSE = 40, 0.02
_SECONDS = 300.0
# requests for whole answers: in all, and at once
_WHOLE, _AT_ONCE = 2000, 50
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_KEY = "sk-of-this-measurement"


# ---- the server behind


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    row = {"id": "a", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(row).encode() + b"\n\n"


def _json(body: dict[str, object]) -> bytes:
    data = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
        len(data),
        data,
    )


_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_WORD = _chunk(_event({"content": "word "}))
_END = _chunk(_event({}, "stop")) + _chunk(b"data: [DONE]\n\n") + _chunk(b"")
_ANSWER = _json(
    {
        "id": "a",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "word "}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
)
_MODELS = _json({"object": "list", "data": []})


class _Words(asyncio.Protocol):
    """Answers each request with a stream of words, or with a whole answer."""

    def __init__(self) -> None:
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, gap, body = self._read.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not gap or len(body) < int(length[1] if length else 0):
            return
        self._read = b""
        if not head.startswith(b"POST"):
            self._transport.write(_MODELS)
        elif json.loads(body).get("stream"):
            self._tell(0, asyncio.get_running_loop())
        else:
            self._transport.write(_ANSWER)

    def _tell(self, number: int, loop: asyncio.AbstractEventLoop) -> None:
        if self._transport.is_closing():
            return
        if number == WORDS:
            self._transport.write(_END)
            return
        self._transport.write(_WORD if number else _HEAD + _WORD)
        loop.call_later(PAUSE, self._tell, number + 1, loop)


async def _serve_words(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Words, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


# ---- the clients


@dataclass(frozen=True, slots=True)
class Got:
    """One answer: the seconds to its first piece and to its end, and what came."""

    first: float
    end: float
    data: bytes

    def is_whole(self, words: int) -> bool:
        """Whether all words came."""
        return self.data.startswith(b"HTTP/1.1 200") and self.data.count(b'word "') == words


class _Client(asyncio.Protocol):
    """Sends one request when it is connected, and reads to the end of the connection."""

    def __init__(self, request: bytes) -> None:
        self._request, self._data, self._first = request, bytearray(), 0.0
        self._began = time.monotonic()
        self.got: asyncio.Future[Got] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._first and b"word" in data:
            self._first = time.monotonic() - self._began
        if data.endswith(b"\r\n0\r\n\r\n"):
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.got.done():
            self.got.set_result(Got(self._first, time.monotonic() - self._began, bytes(self._data)))


async def _ask(port: int, path: str, *, streams: bool) -> Got:
    body = {
        "model": "m",
        "stream": streams,
        "max_tokens": 99,
        "messages": [{"role": "user", "content": "Hi"}],
    }
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer {_KEY}\r\n"
        f"connection: close\r\ncontent-length: {len(data)}\r\n\r\n"
    )
    began = time.monotonic()
    try:
        async with asyncio.timeout(_SECONDS):
            loop = asyncio.get_running_loop()
            _, client = await loop.create_connection(lambda: _Client(head.encode() + data), "127.0.0.1", port)
            return await client.got
    except OSError as error:
        return Got(0.0, time.monotonic() - began, repr(error).encode())


async def _ask_at_once(port: int, path: str, number: int) -> list[Got]:
    return await asyncio.gather(*[_ask(port, path, streams=True) for _ in range(number)])


async def _ask_in_turn(port: int, path: str) -> list[Got]:
    numbers, answers = iter(range(_WHOLE)), list[Got]()

    async def ask_next() -> None:
        for _ in numbers:
            answers.append(await _ask(port, path, streams=False))  # several take from the numbers

    await asyncio.gather(*[ask_next() for _ in range(_AT_ONCE)])
    return answers


# ---- the figures


def megabytes(process: int, name: str = "VmRSS") -> float:
    """Return the memory of a process and of its children on Linux."""
    lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    own = next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024
    return own + sum(megabytes(child, name) for child in _children(process))


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process and of its children on Linux."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(cpu_seconds, _children(process)))


def _children(process: int) -> list[int]:
    return [
        int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text("utf-8").split()
    ]


@dataclass(frozen=True, slots=True)
class Latency:
    """The seconds to the first piece and to the end: the median, and what 95 of 100 do not pass."""

    first: float
    late_first: float
    end: float
    late_end: float

    @classmethod
    def of(cls, rows: Sequence[Got]) -> Latency:
        """Return the latencies of some answers."""
        firsts, ends = sorted([row.first for row in rows]), sorted([row.end for row in rows])
        last = int(len(rows) * 0.95)
        return cls(statistics.median(firsts), firsts[last], statistics.median(ends), ends[last])

    def __str__(self) -> str:
        """Return the latencies as text."""
        return (
            f"first piece {self.first:.3f} s (95 %: {self.late_first:.3f}),"
            f" end {self.end:.3f} s (95 %: {self.late_end:.3f})"
        )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _count_broken(rows: Sequence[Got], words: int) -> int:
    broken = [row for row in rows if not row.is_whole(words)]
    for row in broken[:3]:
        _say(f"     not whole: {row.data[-300:]!r}")
    return len(broken)


class Measurement:
    """Asks the server behind, directly and through gateways."""

    def __init__(self, behind: int, words: int, numbers: Sequence[int]) -> None:
        """Measure the direct calls. `behind` is the port of the server of words, `words` its process."""
        self._words, self._numbers = words, numbers
        self._direct: dict[int, Latency] = {}
        for number in numbers:
            rows = asyncio.run(_ask_at_once(behind, "/v1/chat/completions", number))
            _count_broken(rows, WORDS)
            self._direct[number] = Latency.of(rows)
            _say(f"{number:>5} streams at once, directly: {self._direct[number]}")

    def _used(self, process: int) -> tuple[float, float, float]:
        """Return the processor time of a gateway, of the server behind, and of the clients."""
        return cpu_seconds(process), cpu_seconds(self._words), time.process_time()

    def measure(self, name: str, port: int, process: int, path: str) -> int:
        """Print the figures of a gateway; return how many answers were not whole."""
        start, broken = megabytes(process), 0
        for number in self._numbers:
            before = self._used(process)
            rows = asyncio.run(_ask_at_once(port, path, number))
            used = [(now - was) * 1000 / number for now, was in zip(self._used(process), before, strict=True)]
            broken += _count_broken(rows, WORDS)
            got, direct = Latency.of(rows), self._direct[number]
            _say(
                f"{number:>5} streams at once, {name} {path}: {got}; added {got.first - direct.first:.3f} s and"
                f" {got.end - direct.end:.3f} s; CPU a stream: gateway {used[0]:.2f} ms, server {used[1]:.2f} ms,"
                f" clients {used[2]:.2f} ms"
            )
        cpu, began = cpu_seconds(process), time.monotonic()
        rows = asyncio.run(_ask_in_turn(port, path))
        seconds, cpu = time.monotonic() - began, cpu_seconds(process) - cpu
        broken += _count_broken(rows, 1)
        _say(
            f"{_WHOLE} whole answers, {_AT_ONCE} at once, {name} {path}: {_WHOLE / seconds:.0f} requests a second,"
            f" median {Latency.of(rows).end * 1000:.0f} ms; CPU an answer {cpu / _WHOLE * 1000:.2f} ms"
        )
        most = megabytes(process, "VmHWM")
        _say(f"{name} {path}: {start:.0f} MB at the start, {most:.0f} MB at most; {broken} answers not whole")
        return broken


# ---- the processes


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def _running(port: int, *command: str) -> Generator[int]:
    """Run a server in a process of its own until the block ends; yield its id when it listens."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield process.pid
        finally:
            process.terminate()


def _configure_litellm(folder: str, base_url: str) -> str:
    """Write the configuration of LiteLLM's proxy: one model, and nothing beside it."""
    parameters = {"model": "openai/m", "api_base": base_url, "api_key": _KEY}
    models = {
        "model_list": [{"model_name": "m", "litellm_params": parameters}],
        "general_settings": {"master_key": _KEY},
    }
    file = Path(folder, "litellm.yaml")
    file.write_text(json.dumps(models), "utf-8")
    return str(file)


def main(numbers: Sequence[int], litellm: str | None) -> int:
    """Measure direct calls and the gateways; return 0 if all answers of promptwire were whole."""
    behind, port = _free_port(), _free_port()
    base_url, python = f"http://127.0.0.1:{behind}/v1", sys.executable
    served = ["serve", "--to", "compatible_chat", "--base-url", base_url, "--port", str(port), "--quiet"]
    with _running(behind, python, "-m", "tests.live.parallel_streams", "--words", str(behind)) as words:
        measurement = Measurement(behind, words, numbers)
        broken = 0
        for path in ("/v1/messages", "/v1/chat/completions"):
            # each with a start of its own: its first stream is the first one of the gateway
            with _running(port, python, "-c", "from promptwire_cli import main; main()", *served) as process:
                broken += measurement.measure("promptwire", port, process, path)
        if litellm is not None:
            with tempfile.TemporaryDirectory() as folder:
                file, port = _configure_litellm(folder, base_url), _free_port()
                with _running(port, litellm, "--config", file, "--port", str(port)) as process:
                    # for Messages, it asks another API than the one behind
                    measurement.measure("litellm", port, process, "/v1/chat/completions")
    return 1 if broken else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.live.parallel_streams")
    parser.add_argument("numbers", nargs="*", type=int, default=[1, 200, 1000])
    parser.add_argument("--litellm", metavar="PROGRAM")
    parser.add_argument("--words", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.words is not None:
        asyncio.run(_serve_words(given.words))
    else:
        sys.exit(main(given.numbers, given.litellm))
