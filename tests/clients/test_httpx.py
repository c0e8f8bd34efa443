"""Every example of every wire with an address, sent by a real httpx client: what arrives is what was built."""

from __future__ import annotations

import ssl
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest

from promptwire import Request, anthropic_messages, bedrock_converse, ollama_chat, openai_chat, user
from promptwire.errors import InvalidRequest, SettingError
from tests.answers import Streamed, module, streams
from tests.clients.loopback import Loopback
from tests.examples import Example, examples

ROWS: Final = [example for example in examples() if not example.build().local]
REQUEST: Final = Request("m", [user("Grüße 🎈")])


# each call would read all certificates of the system anew
TLS: Final = ssl.create_default_context()


def here(arguments: dict[str, Any], server: Loopback) -> dict[str, Any]:
    """Send the same to the server on this machine."""
    return {**arguments, "url": server.here(arguments["url"]), "timeout": 30, "verify": TLS}


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_httpx_sends_what_was_built(example: Example, server: Loopback) -> None:
    built = example.build()
    assert httpx.request(**here(built.httpx(), server)).status_code == 400
    arrived = server.last()
    url = urlsplit(built.url)._replace(scheme="", netloc="").geturl()
    assert (arrived.method, arrived.path, arrived.content) == (built.method, url, built.json())
    assert built.transport.known_headers().items() <= arrived.headers.items()


def test_every_stream_comes_through(server: Loopback) -> None:
    for example in streams():
        server.answer(example.bytes(), "text/event-stream")
        assert _streamed(example, server) == _fed(example)


def _fed(example: Streamed) -> Any:
    stream = module(example.wire).stream()
    stream.feed(example.bytes())
    return stream.close()


def _streamed(example: Streamed, server: Loopback) -> Any:
    stream = module(example.wire).stream()
    arguments = here(openai_chat.build(REQUEST).httpx(), server)
    with httpx.stream(**arguments) as response:
        for chunk in response.iter_bytes(7):
            stream.feed(chunk)
    return stream.close()


@pytest.mark.parametrize(
    ("wire", "settings", "header", "text"),
    [
        (openai_chat, {"api_key": "sk"}, "authorization", "Bearer sk"),
        (openai_chat, {}, "authorization", None),
        (anthropic_messages, {}, "x-api-key", None),
        (anthropic_messages, {"api_key": "sk"}, "x-api-key", "sk"),
        (bedrock_converse, {}, "authorization", None),
        (bedrock_converse, {"api_key": "sk"}, "authorization", "Bearer sk"),
        (ollama_chat, {}, "authorization", None),
    ],
)
def test_a_name_of_a_variable_is_never_sent(
    wire: Any, settings: dict[str, str], header: str, text: str | None
) -> None:
    given = wire.build(REQUEST, settings=settings, policies="missing=omit").httpx()
    assert given["headers"].get(header) == text
    assert "$" not in str(given["headers"])
    assert given["headers"]["content-type"] == "application/json"


def test_what_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(SettingError, match="base_url is required"):
        module("compatible_chat").build(REQUEST).httpx()
    with pytest.raises(InvalidRequest, match="own process"):
        module("onnx_genai").build(REQUEST).httpx()
