"""One server for all tests of clients, and none of the variables that clients look at."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.clients.loopback import Loopback, loopback

_LOOKED_AT = ("OPENAI_", "ANTHROPIC_", "AWS_", "AZURE_", "GOOGLE_", "GEMINI_", "MISTRAL_", "CO_", "COHERE_")


@pytest.fixture(scope="session")
def _server() -> Iterator[Loopback]:
    with loopback() as server:
        yield server


@pytest.fixture
def server(_server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """Return the server, with nothing arrived yet."""
    for name in os.environ:
        if name.startswith(_LOOKED_AT) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    _server.arrived.clear()
    _server.answer(b'{"error": {"message": "caught"}}', status=400)
    return _server
