"""Hosts that keep the connection open behind an answer: silent, with pings for ever, or closing late."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from promptwire import Answer, openai_chat
from promptwire.errors import AnswerError
from promptwire.http import ApiConnectionError, ApiStatusError, ApiTimeoutError, AsyncClient, Client
from tests.clients.test_connections import CLOSE, QUESTION, ROWS, WHOLE, Scripted, response

END = b"data: [DONE]\n\n"
PING = b": ping\n\n"
USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}}
STARTED = b"content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
# seconds after which a server that is not left gives up
PATIENCE = 30.0


def row(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


SAID = [row(value) for value in ROWS]


def chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


class Held:
    """Sends pieces of a body, and then keeps the connection open until the client leaves."""

    def __init__(self, *pieces: bytes | float, pings: bool = False, status: str = "200 OK") -> None:
        self.pieces, self.pings, self.status = pieces, pings, status
        self.gave_up = False

    def __call__(self, peer: socket.socket) -> None:
        peer.sendall(f"HTTP/1.1 {self.status}\r\n".encode() + STARTED)
        rests = threading.Event()
        for piece in self.pieces:
            if isinstance(piece, float):
                rests.wait(piece)
            else:
                peer.sendall(chunk(piece))
        self.gave_up = not (self._pinged(peer) if self.pings else self._left(peer))

    @staticmethod
    def _left(peer: socket.socket) -> bool:
        peer.settimeout(PATIENCE)
        try:
            return not peer.recv(1)
        except TimeoutError:
            return False
        except OSError:
            return True

    @staticmethod
    def _pinged(peer: socket.socket) -> bool:
        rests = threading.Event()
        try:
            for _ in range(int(PATIENCE / 0.02)):
                peer.sendall(chunk(PING))
                rests.wait(0.02)
        except OSError:
            return True
        return False


Asks = Callable[..., Answer]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptwire_http.exchange._AFTER_FINISH", 0.5)
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["sync", "async"])
def asks(request: pytest.FixtureRequest) -> Iterator[Asks]:
    """Ask a server that answers by a script, whole or streamed; the last answer."""
    servers: list[Scripted] = []

    def ask(*script: Any, stream: bool = True, times: int = 1, **options: Any) -> Answer:
        servers.append(Scripted(script, [CLOSE]))
        options = {"base_url": servers[-1].url, "api_key": "k", "retries": 0, **options}
        if request.param == "sync":
            with Client(openai_chat, **options) as client:
                method: Any = (
                    (lambda: client.stream(QUESTION).result()) if stream else lambda: client.ask(QUESTION)
                )
                answer: Answer = [method() for _ in range(times)][-1]
                return answer

        async def later() -> Answer:
            async with AsyncClient(openai_chat, **options) as client:
                answers = [
                    await (client.stream(QUESTION).result() if stream else client.ask(QUESTION))
                    for _ in range(times)
                ]
            return answers[-1]

        return asyncio.run(later())

    yield ask
    for server in servers:
        server.close()


@pytest.mark.parametrize("pings", [False, True])
@pytest.mark.parametrize("end", [[END], []], ids=["marked", "not marked"])
def test_a_stream_ends_when_the_api_says_so(asks: Asks, end: list[bytes], pings: bool) -> None:
    held = Held(*SAID, row(USAGE), *end, pings=pings)
    answer = asks(held)
    assert (answer.text, answer.finish, held.gave_up) == ("12 C.", "stop", False)
    assert answer.usage is not None and answer.usage.total == 13


def test_counts_that_come_a_little_later_are_read(asks: Asks) -> None:
    held = Held(*SAID, 0.1, row(USAGE), pings=True)
    answer = asks(held)
    assert answer.usage is not None and answer.usage.total == 13


def test_an_error_in_a_stream_that_stays_open_is_raised(asks: Asks) -> None:
    held = Held(
        SAID[0], row({"error": {"message": "Busy.", "type": "server_error", "code": 503}}), pings=True
    )
    with pytest.raises(ApiStatusError, match="Busy"):
        asks(held)
    assert not held.gave_up


@pytest.mark.parametrize("pings", [False, True])
def test_a_whole_answer_is_read_when_it_is_whole(asks: Asks, pings: bool) -> None:
    held = Held(WHOLE[:40], 0.05, WHOLE[40:], pings=pings)
    assert asks(held, stream=False).text == "12 C."
    assert not held.gave_up


@pytest.mark.parametrize("pings", [False, True])
def test_a_stream_in_place_of_a_whole_answer_ends_when_the_api_says_so(asks: Asks, pings: bool) -> None:
    held = Held(*SAID, END, pings=pings)
    answer = asks(held, stream=False)
    assert (answer.text, answer.finish, held.gave_up) == ("12 C.", "stop", False)


@pytest.mark.parametrize("pings", [False, True])
def test_a_whole_answer_in_place_of_a_stream_is_read_when_it_is_whole(asks: Asks, pings: bool) -> None:
    held = Held(WHOLE[:40], 0.05, WHOLE[40:], pings=pings)
    assert asks(held).text == "12 C."
    assert not held.gave_up


def test_an_error_in_place_of_a_stream_is_raised_when_it_is_whole(asks: Asks) -> None:
    held = Held(b'{"error": {"message": "No such model.", "code": 404}}')
    with pytest.raises(ApiStatusError, match="No such model"):
        asks(held)
    assert not held.gave_up


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("pings", [False, True])
@pytest.mark.parametrize("body", [b'{"error": {"message": "No such model."}}', b"No such model."])
def test_an_error_whose_body_does_not_end_is_raised(
    asks: Asks, body: bytes, pings: bool, stream: bool
) -> None:
    held = Held(body, pings=pings, status="404 Not Found")
    with pytest.raises(ApiStatusError, match="404 not_found: No such model"):
        asks(held, stream=stream)
    assert not held.gave_up


def test_an_error_whose_body_breaks_off_is_raised(asks: Asks) -> None:
    def breaks_off(peer: socket.socket) -> None:
        peer.sendall(b"HTTP/1.1 404 Not Found\r\n" + STARTED + chunk(b"No such model."))

    with pytest.raises(ApiStatusError, match="404 not_found: No such model"):
        asks(breaks_off)


def cut_off(peer: socket.socket) -> None:
    """Send a finished answer, and close the connection inside of the body."""
    peer.sendall(b"HTTP/1.1 200 OK\r\n" + STARTED + b"".join(map(chunk, SAID)))


def test_a_connection_that_breaks_behind_the_finish_costs_nothing(asks: Asks) -> None:
    assert asks(cut_off).text == "12 C."


def late_end(peer: socket.socket) -> None:
    """Send an answer whose body ends a little later, and answer the next request on the same connection."""
    peer.sendall(b"HTTP/1.1 200 OK\r\n" + STARTED + b"".join(map(chunk, [*SAID, END])))
    threading.Event().wait(0.05)
    peer.sendall(chunk(b""))
    peer.recv(65536)
    peer.sendall(response(b"".join([*SAID, END]), content_type="text/event-stream"))


def test_a_body_that_ends_a_little_later_keeps_its_connection(asks: Asks) -> None:
    # another connection is closed without an answer
    assert asks(late_end, times=2).text == "12 C."


@pytest.mark.parametrize(
    "held",
    [
        Held(SAID[0]),
        Held(SAID[0], pings=True),
        Held(0.4, SAID[0], pings=True),
    ],
    ids=["silent", "pings", "late"],
)
def test_a_limit_ends_an_answer_that_is_not_finished(asks: Asks, held: Held) -> None:
    with pytest.raises(ApiTimeoutError, match="no complete answer within"):
        asks(held, limit=0.5)


def dripping(peer: socket.socket) -> None:
    """Send headers without an end."""
    peer.sendall(b"HTTP/1.1 200 OK\r\n")
    with suppress(OSError):
        for _ in range(int(PATIENCE / 0.05)):
            peer.sendall(b"x-more: a\r\n")
            threading.Event().wait(0.05)


def test_a_limit_ends_headers_that_drip(asks: Asks) -> None:
    with pytest.raises(ApiTimeoutError, match="no complete answer within"):
        asks(dripping, limit=0.5)


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_is_compressed_twice_is_not_unpacked(asks: Asks, stream: bool) -> None:
    def compressed(peer: socket.socket) -> None:
        body = gzip.compress(gzip.compress(WHOLE))
        peer.sendall(response(body).replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip, gzip\r\n\r\n", 1))

    with pytest.raises(ApiConnectionError, match="compressed more than once"):
        asks(compressed, stream=stream)


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_without_an_end_is_given_up(
    asks: Asks, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("promptwire_http.exchange.MOST_BYTES", 10_000)
    piece = SAID[0] if stream else b" " * 400
    with pytest.raises(AnswerError, match="larger than 10,000 bytes"):
        asks(Held(*[piece] * 500), stream=stream)
