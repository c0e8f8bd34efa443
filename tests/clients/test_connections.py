"""The client on real connections: reused, closed, cut and slow ones, odd framings of a stream, loops and proxies."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from promptwire import Request, openai_chat, user
from promptwire.errors import SettingError
from promptwire.http import (
    ApiConnectionError,
    ApiStatusError,
    ApiTimeoutError,
    AsyncClient,
    Client,
    Outgoing,
)

QUESTION = Request("m", [user("How warm is Oslo?")])
WHOLE = json.dumps(
    {"choices": [{"index": 0, "message": {"role": "assistant", "content": "12 C."}, "finish_reason": "stop"}]}
).encode()
# instead of an answer: close the connection, or wait until the client closes it
CLOSE, WAIT = b"", b"wait"


def response(content: bytes, status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(content) if length is None else length}"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def chunked(*pieces: bytes, **headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", "content-type: text/event-stream", "transfer-encoding: chunked"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    framed = [f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in (*pieces, b"")]
    return "\r\n".join([*lines, "", ""]).encode() + b"".join(framed)


Script = Sequence[bytes | Callable[[socket.socket], None]]


class Scripted:
    """A server that answers the requests of its first connection by the first script, and so on; the last repeats.

    A function in place of an answer gets the connection, which is closed behind it.
    """

    def __init__(self, *scripts: Script) -> None:
        self.asked = self.accepted = 0
        self.scripts = scripts
        self.left = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        number = 0
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            script = self.scripts[min(number, len(self.scripts) - 1)]
            threading.Thread(target=self._serve, args=(peer, script), daemon=True).start()
            self.accepted = number = number + 1

    def _serve(self, peer: socket.socket, script: Script) -> None:
        with peer:
            for answer in script:
                if not _read_request(peer):
                    return
                self.asked += 1
                if answer == WAIT:
                    while peer.recv(4096):
                        pass
                    self.left.set()
                    return
                if answer == CLOSE:
                    return
                if not isinstance(answer, bytes):
                    answer(peer)
                    return
                peer.sendall(answer)

    def close(self) -> None:
        self._socket.close()


def _read_request(peer: socket.socket) -> bool:
    data = b""
    while b"\r\n\r\n" not in data:
        more = peer.recv(65536)
        if not more:
            return False
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    found = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    while found and len(body) < int(found[1]):
        body += peer.recv(65536)
    return True


Serve = Callable[..., Scripted]


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[Scripted] = []

    def start(*scripts: Script) -> Scripted:
        servers.append(Scripted(*scripts))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


Asks = Callable[..., list[str]]


@pytest.fixture(params=["sync", "async"])
def asks(request: pytest.FixtureRequest) -> Asks:
    """Ask a server some times with one client, whole or streamed; the texts of its answers."""

    def run(server: Scripted, times: int = 1, *, stream: bool = False, **options: Any) -> list[str]:
        options = {"base_url": server.url, "api_key": "k", **options}
        if request.param == "sync":
            with Client(openai_chat, **options) as client:
                answers = [
                    client.stream(QUESTION).result() if stream else client.ask(QUESTION) for _ in range(times)
                ]
            return [answer.text for answer in answers]

        async def later() -> list[str]:
            async with AsyncClient(openai_chat, **options) as client:
                return [
                    (await (client.stream(QUESTION).result() if stream else client.ask(QUESTION))).text
                    for _ in range(times)
                ]

        return asyncio.run(later())

    return run


def test_an_idle_connection_that_the_server_closes_costs_no_attempt(serve: Serve, asks: Asks) -> None:
    seen: list[Outgoing] = []
    server = serve([response(WHOLE), CLOSE], [response(WHOLE)])
    assert asks(server, 2, retries=0, on_send=seen.append) == ["12 C."] * 2
    # the second request was sent twice, and is one attempt
    assert (server.asked, [sent.attempt for sent in seen]) == (3, [1, 1])


def works_and_dies(_: socket.socket) -> None:
    time.sleep(0.5)


def test_a_request_that_the_server_has_begun_is_not_sent_twice(serve: Serve, asks: Asks) -> None:
    server = serve([response(WHOLE), works_and_dies], [response(WHOLE)])
    with pytest.raises(ApiConnectionError, match="disconnected without sending a response"):
        asks(server, 2, retries=0)
    assert server.asked == 2


def test_a_new_connection_that_the_server_closes_is_an_attempt(serve: Serve, asks: Asks) -> None:
    server = serve([CLOSE])
    with pytest.raises(ApiConnectionError, match="disconnected without sending a response"):
        asks(server, retries=0)
    assert server.asked == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_body_that_is_cut_off_is_an_error(serve: Serve, asks: Asks, stream: bool) -> None:
    server = serve([response(WHOLE[:20], length=1000)])
    with pytest.raises(ApiConnectionError, match="peer closed connection"):
        asks(server, retries=0, stream=stream)


def test_a_server_that_says_nothing_is_left_after_the_timeout(serve: Serve, asks: Asks) -> None:
    server = serve([WAIT])
    with pytest.raises(ApiTimeoutError, match="the time limit passed"):
        asks(server, retries=0, timeout=0.2)
    assert server.left.wait(10)


ROWS = [
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "12"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {"content": " C."}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]


def events(end: bytes = b"\n", between: bytes = b"", extra: bytes = b"") -> bytes:
    rows = [json.dumps(row).encode() for row in ROWS] + [b"[DONE]"]
    return b"".join([between + b"data: " + row + extra + end + end for row in rows])


def one_by_one(content: bytes) -> list[bytes]:
    return [content[place : place + 1] for place in range(len(content))]


FRAMINGS = {
    "LF": chunked(events()),
    "CRLF": chunked(events(b"\r\n")),
    "CR": chunked(events(b"\r")),
    "byte by byte": chunked(*one_by_one(events(b"\r\n"))),
    "comments": chunked(events(between=b": keep-alive\n\n")),
    "byte order mark": chunked(b"\xef\xbb\xbf" + events()),
    "gzip": chunked(gzip.compress(events()), content_encoding="gzip"),
    "gzip in pieces": chunked(*one_by_one(gzip.compress(events())), content_encoding="gzip"),
    "long lines": chunked(events(extra=b" " * 2_000_000)),
    "without chunks": response(events(), content_type="text/event-stream"),
}


@pytest.mark.parametrize("framing", FRAMINGS)
def test_streams_are_read_in_every_framing(serve: Serve, asks: Asks, framing: str) -> None:
    assert asks(serve([FRAMINGS[framing]]), stream=True) == ["12 C."]


def test_a_redirect_is_not_followed_and_names_its_target(serve: Serve, asks: Asks) -> None:
    server = serve([response(b"", "307 Temporary Redirect", location="https://elsewhere.example/v1")])
    with pytest.raises(ApiStatusError, match=r"307.*https://elsewhere\.example/v1"):
        asks(server)
    assert server.asked == 1


def test_a_body_that_is_too_large_is_not_sent_again(serve: Serve, asks: Asks) -> None:
    server = serve([response(b"<html>nginx</html>", "413 Request Entity Too Large")])
    with pytest.raises(ApiStatusError, match="413 too_large"):
        asks(server)
    assert server.asked == 1


def test_a_date_in_retry_after_is_a_time_to_wait(serve: Serve, asks: Asks) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    server = serve([response(b'{"error": {"message": "busy"}}', "429 Too Many Requests", retry_after=later)])
    with pytest.raises(ApiStatusError) as failed:
        asks(server)
    assert 60 < (failed.value.error.wait or 0) <= 90
    assert server.asked == 1


def test_one_asynchronous_client_serves_several_event_loops(serve: Serve) -> None:
    client = AsyncClient(openai_chat, base_url=serve([response(WHOLE)] * 3).url, api_key="k", retries=0)

    async def ask() -> str:
        return (await client.ask(QUESTION)).text

    assert [asyncio.run(ask()) for _ in range(3)] == ["12 C."] * 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_has_connections_of_its_own(serve: Serve) -> None:
    server = serve([response(WHOLE)] * 3)
    with Client(openai_chat, base_url=server.url, api_key="k", retries=0) as client:
        assert client.ask(QUESTION).text == "12 C."
        child = os.fork()
        if not child:
            # the tests of the parent are not for the child
            os._exit(0 if client.ask(QUESTION).text == "12 C." else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert client.ask(QUESTION).text == "12 C."
    assert (server.asked, server.accepted) == (3, 2)


async def weather_later(city: str) -> str:
    """The weather, later."""
    await asyncio.sleep(0)
    return f"12 C in {city}"


def test_an_asynchronous_function_runs_where_a_loop_is_running(serve: Serve) -> None:
    function = {"name": "weather_later", "arguments": '{"city": "Oslo"}'}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    calls = json.dumps(
        {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    ).encode()
    server = serve([response(calls), response(WHOLE)])

    # a notebook has a running loop
    async def notebook() -> Any:
        with Client(openai_chat, base_url=server.url, api_key="k") as client:
            return client.run(QUESTION, [weather_later])

    run = asyncio.run(notebook())
    assert run.text == "12 C."
    assert run.request.messages[2].parts[0].parts[0].text == "12 C in Oslo"


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "ftp://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, kind: Any, proxy: str) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(SettingError, match="check HTTP_PROXY"):
        kind(openai_chat, api_key="k")


def test_proxies_of_the_environment_are_used(
    serve: Serve, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve([response(WHOLE)])
    monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
    monkeypatch.setenv("NO_PROXY", "")
    assert asks(proxy, base_url="http://api.example/v1") == ["12 C."]


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_no_proxy_gets_what_is_meant_for_this_machine(
    serve: Serve, asks: Asks, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, serve([]).url.removesuffix("/v1"))
    monkeypatch.setenv("NO_PROXY", "")
    assert asks(serve([response(WHOLE)])) == ["12 C."]


def test_requests_that_start_at_once_wait_for_no_connection_of_another(serve: Serve) -> None:
    server = serve([response(WHOLE)] * 100)

    async def ask_many() -> list[str]:
        async with AsyncClient(openai_chat, base_url=server.url, api_key="k", retries=0) as client:
            one = await client.ask(QUESTION)
            more = [await asyncio.gather(*[client.ask(QUESTION) for _ in range(20)]) for _ in range(2)]
            again = await client.ask(QUESTION)
            return [answer.text for answer in (one, *more[0], *more[1], again)]

    assert asyncio.run(ask_many()) == ["12 C."] * 42
    # one connection is kept for requests one after the other; of those at once, all but one have their own
    assert server.accepted == 1 + 2 * 19
