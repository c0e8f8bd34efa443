"""Every example of every wire, sent by the SDKs that fit it: method, URL, headers and body are those of the build."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pytest

import promptwire
from promptwire import Built
from tests.answers import module
from tests.clients.loopback import Arrived, Loopback
from tests.clients.sdks import called
from tests.examples import Example, examples


def clients(wire: str) -> Iterator[str]:
    """Name the clients of a wire."""
    table = module(wire).WIRE.clients
    yield from () if table is None else table()


ROWS: Final = [(client, example) for example in examples() for client in clients(example.wire)]


def sent(client: str, built: Built[Any], server: Loopback) -> Arrived:
    """Let a client send a build to the server."""
    with warnings.catch_warnings():
        # deprecated models are a matter for their own tests
        warnings.simplefilter("ignore")
        # the server refuses every request
        with pytest.raises(Exception, match="caught|400"):
            called(client, built, built.kwargs_for(client), server.here)
    return server.last()


@pytest.mark.parametrize(("client", "example"), ROWS, ids=lambda value: str(value))
def test_the_client_sends_what_was_built(client: str, example: Example, server: Loopback) -> None:
    built = example.build()
    arrived = sent(client, built, server)
    url = urlsplit(built.url)._replace(scheme="", netloc="").geturl()
    assert (arrived.method, unquote(arrived.path), arrived.body) == (built.method, unquote(url), built.body)
    secret = built.context.sent().secret
    own = {name: text for name, text in built.headers.items() if name not in secret}
    assert own.items() <= arrived.headers.items()


def test_every_wire_with_an_address_of_its_vendor_has_a_client() -> None:
    without = [wire for wire in promptwire.WIRES if not list(clients(wire))]
    assert without == ["ollama_chat", "onnx_genai"]
