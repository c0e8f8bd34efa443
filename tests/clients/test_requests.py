"""Every example of every wire, sent by the SDKs that fit it: method, URL, headers and body are those of the build."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pytest

import promptwire
from promptwire import Built
from promptwire.errors import ClientError
from tests.answers import module
from tests.clients.loopback import Arrived, Loopback
from tests.clients.own_ways import READ, REFUSED, WAYS, expected
from tests.clients.sdks import called
from tests.examples import Example, examples


def clients(wire: str) -> Iterator[str]:
    """Name the clients of a wire."""
    table = module(wire).WIRE.clients
    yield from () if table is None else table()


ROWS: Final = [(client, example) for example in examples() for client in clients(example.wire)]
SENT: Final = [row for row in ROWS if str(row[1]) not in REFUSED]


def sent(client: str, built: Built[Any], server: Loopback) -> Arrived:
    """Let a client send a build to the server, which refuses it."""
    with warnings.catch_warnings():
        # deprecated models are a matter for their own tests
        warnings.simplefilter("ignore")
        with pytest.raises(Exception, match=r"caught|400"):
            called(client, built, built.kwargs_for(client), server.here)
    return server.last()


@pytest.mark.parametrize(("client", "example"), SENT, ids=str)
def test_the_client_sends_what_was_built(client: str, example: Example, server: Loopback) -> None:
    built = example.build()
    before = copy.deepcopy(built.body)
    arrived = sent(client, built, server)
    url = urlsplit(built.url)._replace(scheme="", netloc="").geturl()
    # some leave the colon in a model's name as it is
    assert (arrived.method, unquote(arrived.path)) == (built.method, unquote(url))
    read = READ.get(example.wire, lambda body: body)
    assert read(arrived.body) == expected(client, built.kwargs_for(client).call, built.body)
    secret = built.transport.sent().secret
    own = {name: text for name, text in built.headers.items() if name not in secret}
    assert own.items() <= arrived.headers.items()
    assert built.body == before


@pytest.mark.parametrize(("client", "example"), [row for row in ROWS if row not in SENT], ids=str)
def test_what_a_client_cannot_send_is_named(client: str, example: Example) -> None:
    with pytest.raises(ClientError) as caught:
        example.build().kwargs_for(client)
    error = caught.value
    assert (error.client, error.path) == REFUSED[str(example)]
    assert "httpx.request(**built.httpx())" in str(error)


def test_every_row_of_the_tables_is_needed() -> None:
    assert {str(example) for example in examples()} >= REFUSED.keys()
    idle = {(client, way) for (client, _), ways in WAYS.items() for way, _ in ways}
    for client, example in SENT:
        built = example.build()
        call = built.kwargs_for(client).call
        for way, _ in WAYS.get((client, call), ()):
            body = copy.deepcopy(built.body)
            way(body)
            if body != built.body:
                idle.discard((client, way))
    assert idle == set()


def test_which_wires_have_no_client() -> None:
    without = [wire for wire in promptwire.WIRES if not list(clients(wire))]
    assert without == [
        "bedrock_meta", "bedrock_titan", "cloudflare_run", "dashscope_generation", "ollama_chat", "ollama_generate",
        "onnx_genai", "perplexity_chat", "watsonx_chat", "xai_responses", "yandex_completion",
    ]  # fmt: skip
