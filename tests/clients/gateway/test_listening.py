"""The server of `promptwire serve`: requests that never end, many connections, and none that could be opened."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest

from promptwire import llamacpp_chat
from tests.internals.clients import gateway
from tests.internals.commands import ExhaustionLog, make_server

from .behind import BODIES, FRONTS, Behind

HALF = b"POST /v1/messages HTTP/1.1\r\nhost: 127"
BODY = json.dumps(BODIES["/v1/messages"]).encode()
HEAD = (
    b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n" % len(BODY)
)


@asynccontextmanager
async def listening(**limits: Any) -> AsyncGenerator[int]:
    """Serve in this event loop; yield the port."""
    made = gateway.Gateway(
        fronts=FRONTS, back=llamacpp_chat, settings={"base_url": "http://behind.example/v1"},
        body_seconds=limits.pop("seconds", 60.0),
    )  # fmt: skip
    app = gateway.application(made, httpx.AsyncClient(transport=httpx.MockTransport(Behind())))
    server = make_server(app, "127.0.0.1", 0, **{"connections": None, "descriptors": None, **limits})
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await running


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Ask on a connection that stays open; return the status line."""
    writer.write(HEAD + BODY)
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
    await reader.readexactly(int(fields[b"content-length"]))
    return head.partition(b"\r\n")[0]


async def sends_nothing(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
    """Open a connection only."""


async def sends_half(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send half of a head."""
    writer.write(HALF)


async def drips(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send one letter after the other of a header without an end."""
    writer.write(HALF)
    with suppress(ConnectionError):
        while not writer.is_closing():
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(0.01)


async def asks_first(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send half of a head after a request that was answered."""
    assert await ask(reader, writer) == b"HTTP/1.1 200 OK"
    writer.write(HALF)


@pytest.mark.parametrize("begin", [sends_nothing, sends_half, drips, asks_first])
def test_a_connection_whose_head_never_ends_is_closed(
    begin: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> None:
    async def run() -> bytes:
        async with listening(seconds=0.2) as port, asyncio.timeout(30):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            sending = asyncio.ensure_future(begin(reader, writer))
            rest = b""
            with suppress(ConnectionError):
                await asyncio.wait([sending], timeout=0 if begin is drips else None)
                rest = await reader.read()
            writer.close()
            await sending
            return rest

    assert asyncio.run(run()) == b""


def test_a_body_that_never_ends_is_refused_and_its_connection_closed() -> None:
    async def run() -> bytes:
        async with listening(seconds=0.2) as port, asyncio.timeout(30):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD + BODY[:-1])
            try:
                return await reader.read()
            finally:
                writer.close()

    answer = asyncio.run(run())
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert (
        json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"] == "the body did not arrive in 0.2 s"
    )


def test_a_connection_is_kept_while_it_is_used() -> None:
    async def run() -> list[bytes]:
        async with listening(seconds=0.2) as port, asyncio.timeout(30):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            answers: list[bytes] = []
            for _ in range(4):
                answers.append(await ask(reader, writer))
                await asyncio.sleep(0.1)
            writer.close()
            return answers

    assert asyncio.run(run()) == [b"HTTP/1.1 200 OK"] * 4


@pytest.mark.parametrize(
    ("limits", "served"),
    [
        ({"connections": 3}, 2),
        ({"descriptors": 38}, 2),
        ({"connections": 99, "descriptors": 38}, 4),
        ({}, 4),
    ],
    ids=["connections", "descriptors", "connections before descriptors", "no limit"],
)
def test_connections_beyond_the_limit_are_told_so(limits: dict[str, int], served: int) -> None:
    async def run() -> list[bytes]:
        async with listening(**limits) as port, asyncio.timeout(30):
            answers: list[bytes] = []
            opened: list[asyncio.StreamWriter] = []
            for _ in range(4):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(HEAD + BODY)
                opened.append(writer)
                answers.append((await reader.readuntil(b"\r\n"))[9:12])
            for writer in opened:
                writer.close()
            return answers

    answers = asyncio.run(run())
    assert answers[:served] == [b"200"] * served
    assert answers[served:] == [b"503"] * (4 - served)


def test_descriptors_that_run_out_are_one_line(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(ExhaustionLog())
        for code in (errno.EMFILE, errno.ENFILE, errno.EMFILE):
            error = OSError(code, "Too many open files")
            loop.call_exception_handler(
                {"message": "socket.accept() out of system resource", "exception": error}
            )
        loop.call_exception_handler(
            {"message": "something else", "exception": OSError(errno.EIO, "bad disk")}
        )

    caplog.set_level(logging.INFO)
    asyncio.run(run())
    ours, other = [record for record in caplog.records if record.name in ("promptwire.serve", "asyncio")]
    assert (
        ours.getMessage().startswith("Too many open files: new connections wait;") and ours.exc_info is None
    )
    assert other.getMessage() == "something else" and other.exc_info is not None
