"""Streams that never end: leaving, cancelling and a time limit close the connection, which the server notices."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from promptwire import Event, Options, Request, openai_chat, user
from promptwire.errors import AnswerError
from promptwire.http import ApiTimeoutError, AsyncClient, Client

QUESTION = Request("m", [user("How warm is Oslo?")], options=Options(max_tokens=50))


class Endless:
    """A server on the loopback that streams words without an end, and notes when a client leaves."""

    def __init__(self) -> None:
        self.left = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        peer, _ = self._socket.accept()
        peer.recv(65536)
        word = b'data: {"choices": [{"index": 0, "delta": {"content": "and "}}]}\n\n'
        piece = f"{len(word):x}\r\n".encode() + word + b"\r\n"
        try:
            peer.sendall(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            while True:
                peer.sendall(piece)
                time.sleep(0.002)
        except OSError:
            self.left.set()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def endless() -> Iterator[Endless]:
    server = Endless()
    yield server
    server.close()


def texts(event: Event) -> bool:
    return event.kind == "text"


def test_leaving_a_stream_reaches_the_server(endless: Endless) -> None:
    with Client(openai_chat, base_url=endless.url, api_key="k") as client:
        with client.stream(QUESTION) as stream:
            assert next(filter(texts, stream)).text == "and "
        assert endless.left.wait(10)
        with pytest.raises(AnswerError, match="closed before its end"):
            stream.result()


def test_cancelling_a_task_reaches_the_server(endless: Endless) -> None:
    async def ask() -> None:
        async with AsyncClient(openai_chat, base_url=endless.url, api_key="k") as client:
            task = asyncio.create_task(client.stream(QUESTION).result())
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(endless.left.wait, 10)

    asyncio.run(ask())


def test_a_time_limit_ends_a_stream_that_never_ends(endless: Endless) -> None:
    with (
        Client(openai_chat, base_url=endless.url, api_key="k", limit=0.1) as client,
        pytest.raises(ApiTimeoutError, match=r"within 0\.1 seconds") as failed,
    ):
        client.stream(QUESTION).result()
    assert failed.value.answer is not None and failed.value.answer.text.startswith("and ")
    assert endless.left.wait(10)
