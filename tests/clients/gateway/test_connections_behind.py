"""The connections of the gateway to the servers behind it, before servers of single bytes."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from promptwire import Request, openai_chat, user
from promptwire.http import ApiConnectionError, ApiStatusError, ApiTimeoutError, AsyncClient
from tests.internals.clients import ManyConnections, connections

BODY = json.dumps(
    {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
    len(BODY),
    BODY,
)
Answer = Callable[[int, int], Awaitable[bytes | None]]


class Server:
    """A server that answers the requests of each connection; None closes it without an answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.connections = answer, 0
        self.requests: list[tuple[bytes, bytes]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        connection, turn = self.connections, 0
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = next(
                int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
            )
            self.requests.append((head, await reader.readexactly(length)))
            turn += 1
            answer = await self.answer(connection, turn)
            if answer is None:
                break
            writer.write(answer)
        writer.close()

    async def ask(self, *texts: str, credential: str = "", **options: Any) -> list[str]:
        """Ask in turn on the same connections; return the texts of the answers."""
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 24)
        port = server.sockets[0].getsockname()[1]
        http = ManyConnections()
        base_url = f"http://{credential}127.0.0.1:{port}/v1"
        try:
            client = AsyncClient(
                openai_chat, api_key="sk-a", base_url=base_url, http=http, retries=0, **options
            )
            return [(await client.ask(Request("m", user(text)))).text for text in texts]
        finally:
            await http.aclose()
            server.close()


async def answers(_: int, __: int) -> bytes | None:
    return ANSWER


def test_a_connection_is_kept_for_the_next_request() -> None:
    server = Server(answers)
    assert asyncio.run(server.ask("one", "two")) == ["Hi", "Hi"]
    assert (server.connections, len(server.requests)) == (1, 2)
    head = server.requests[0][0].lower()
    assert head.startswith(b"post /v1/chat/completions http/1.1\r\n")
    assert b"\r\nauthorization: bearer sk-a\r\n" in head
    assert b"\r\nuser-agent: promptwire/" in head


def test_a_request_on_a_connection_that_was_closed_at_that_moment_is_sent_once_more() -> None:
    async def closes_second(connection: int, turn: int) -> bytes | None:
        return None if (connection, turn) == (1, 2) else ANSWER

    server = Server(closes_second)
    assert asyncio.run(server.ask("one", "two")) == ["Hi", "Hi"]
    assert (server.connections, len(server.requests)) == (2, 3)


@pytest.mark.parametrize("turn_that_ends", [1, 2], ids=["new connection", "kept connection, after a while"])
def test_a_request_that_the_server_may_have_worked_on_is_not_sent_again(turn_that_ends: int) -> None:
    async def ends(_: int, turn: int) -> bytes | None:
        if turn == turn_that_ends:
            await asyncio.sleep(0.3 * (turn - 1))
            return None
        return ANSWER

    server = Server(ends)
    with pytest.raises(ApiConnectionError):
        asyncio.run(server.ask("one", "two"))
    assert len(server.requests) == turn_that_ends


def test_redirects_are_not_followed() -> None:
    async def redirects(_: int, __: int) -> bytes | None:
        return b"HTTP/1.1 307 Elsewhere\r\nlocation: http://other.example/\r\ncontent-length: 0\r\n\r\n"

    with pytest.raises(ApiStatusError, match=r"redirected to http://other\.example/"):
        asyncio.run(Server(redirects).ask("one"))


def test_a_user_in_the_address_is_sent_as_a_header() -> None:
    server = Server(answers)
    asyncio.run(server.ask("one", credential="ana:p%40ss@"))
    head = server.requests[0][0]
    assert b"\r\nAuthorization: Basic YW5hOnBAc3M=\r\n" in head.replace(b"authorization", b"Authorization")
    assert b"Bearer" not in head


def test_a_silent_server_and_one_that_is_not_there_are_told_apart() -> None:
    async def sleeps(_: int, __: int) -> bytes | None:
        await asyncio.sleep(5)
        return None

    with pytest.raises(ApiTimeoutError):
        asyncio.run(Server(sleeps).ask("one", timeout=0.1))
    with pytest.raises(ApiConnectionError, match="the connection failed"):
        asyncio.run(
            AsyncClient(
                openai_chat, api_key="k", base_url="http://127.0.0.1:9/v1", http=ManyConnections(), retries=0
            ).ask(Request("m", user("one")))
        )


def test_a_chunk_whose_length_is_no_number_ends_with_the_time_limit() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"

    async def damages(_: int, __: int) -> bytes | None:
        # the length is wrong in what arrives later, as behind a proxy that dies
        asyncio.get_running_loop().call_later(0.05, later[0].write, b"zz\r\nxx")
        return head + b"1\r\n{\r\n"

    class Damaged(Server):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            later.append(writer)
            with suppress(asyncio.IncompleteReadError):
                await super().serve(reader, writer)

    later: list[asyncio.StreamWriter] = []
    with pytest.raises(ApiTimeoutError):
        asyncio.run(asyncio.wait_for(Damaged(damages).ask("one", timeout=0.5), 10))


def test_an_error_of_the_network_does_not_repeat_the_address() -> None:
    async def talks(_: int, __: int) -> bytes | None:
        return b"no HTTP at all\r\n\r\n"

    with pytest.raises(ApiConnectionError) as caught:
        asyncio.run(Server(talks).ask("one", settings={"query": "sig=s3cret"}))
    assert "Bad status line" in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_a_head_that_never_ends_takes_no_longer_than_a_silence() -> None:
    async def run() -> None:
        left = asyncio.Event()

        async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n")
            with suppress(ConnectionError):
                while not writer.is_closing():
                    writer.write(b"x-more: a\r\n")
                    await writer.drain()
                    await asyncio.sleep(0.02)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            left.set()

        server = await asyncio.start_server(drip, "127.0.0.1", 0)
        http = ManyConnections()
        base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        client = AsyncClient(openai_chat, api_key="k", base_url=base_url, http=http, retries=0, timeout=0.2)
        with pytest.raises(ApiTimeoutError):
            await client.ask(Request("m", user("one")))
        await left.wait()
        await http.aclose()
        server.close()

    asyncio.run(asyncio.wait_for(run(), 20))


def test_large_requests_arrive_whole_and_compressed_answers_are_read(
    recwarn: pytest.WarningsRecorder,
) -> None:
    packed = gzip.compress(BODY)
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)

    async def compresses(_: int, __: int) -> bytes | None:
        return head + packed

    server = Server(compresses)
    text = "x" * 3_000_000
    assert asyncio.run(server.ask(text)) == ["Hi"]
    assert json.loads(server.requests[0][1])["messages"][0]["content"] == text
    assert [str(one.message) for one in recwarn] == []


def test_cookies_of_one_call_are_not_sent_with_the_next() -> None:
    async def sets(_: int, __: int) -> bytes | None:
        return ANSWER.replace(b"\r\n\r\n", b"\r\nset-cookie: a=b\r\n\r\n", 1)

    server = Server(sets)
    asyncio.run(server.ask("one", "two"))
    assert b"cookie" not in server.requests[1][0].lower()


@pytest.mark.parametrize(
    ("name", "is_many"),
    [("NO_PROXY", True), ("no_proxy", True), ("HTTPS_PROXY", False), ("all_proxy", False)],
)
def test_a_proxy_of_the_environment_needs_other_connections(
    name: str, is_many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for known in os.environ:
        if known.lower().endswith("_proxy"):
            monkeypatch.delenv(known)
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert isinstance(connections(), ManyConnections) is is_many
