"""A server on this machine: it keeps what clients send, and answers what it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Arrived:
    """One request as it arrived: path with query, header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        """Decode the content."""
        return json.loads(self.content)


class Loopback(ThreadingHTTPServer):
    """A server of one thread a connection. `content` and `content_type` are what it answers to everything."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.arrived: list[Arrived] = []
        self.answer(b'{"error": {"message": "caught"}}', status=400)

    def answer(self, content: bytes, content_type: str = "application/json", status: int = 200) -> None:
        """Set what is answered from now on."""
        self.content, self.content_type, self.status = content, content_type, status

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_port}"

    def here(self, url: str) -> str:
        """Return the same URL on this server."""
        return self.address + urlsplit(url)._replace(scheme="", netloc="").geturl()

    def last(self) -> Arrived:
        """Return the one request that has arrived since the last call."""
        (arrived,) = self.arrived
        self.arrived.clear()
        return arrived


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # an answer in one piece: of two, the client's system lets the second wait
    wbufsize = -1
    server: Loopback

    def do_POST(self) -> None:
        """Keep a request, and answer."""
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): text for name, text in self.headers.items()}
        self.server.arrived.append(Arrived(self.command, self.path, headers, content))
        self.send_response(self.server.status)
        self.send_header("content-type", self.server.content_type)
        self.send_header("content-length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the base
        """Print nothing."""


@contextmanager
def loopback() -> Generator[Loopback]:
    """Run a server until the block ends."""
    with Loopback() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()
