"""A client without a network: what an SDK sends over it is caught."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from tests.conformance.sdk_echo import Sent, echo, without_noise
from tests.examples import Example


def openai_sends(example: Example, address: str) -> tuple[Sent, Sent]:
    """Return what OpenAI's client sends to a server of its API at this address, and what the build states."""
    settings = {"api_key": "test-key", "base_url": address, **(example.settings or {})}
    built = example.build(**settings)
    sent = echo("openai_chat", built.body, **settings)
    headers = {"accept": "application/json"} | without_noise(built.headers)
    stated = Sent(method=built.method, url=built.url, headers=headers, body=built.body)
    return replace(sent, headers=without_noise(sent.headers)), stated


def without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return a mapping without some names."""
    return {name: value for name, value in row.items() if name not in names}


@contextmanager
def catching(httpx: Any) -> Iterator[tuple[Any, list[Sent]]]:
    """Yield a client that answers every request with status 400, and the list that its requests go to.

    Args:
        httpx: the module that the SDK is built on, `httpx` or `httpx2`; its client is closed at the end.

    The environment is empty in between, so that no variable decides anything.
    """
    caught: list[Sent] = []

    def answer(request: Any) -> Any:
        headers = without_noise(dict(request.headers))
        caught.append(
            Sent(
                method=request.method,
                url=str(request.url),
                headers=headers,
                body=json.loads(request.content),
            )
        )
        return httpx.Response(400, json={"error": {"message": "caught"}})

    with (
        mock.patch.dict(os.environ, clear=True),
        httpx.Client(transport=httpx.MockTransport(answer)) as client,
    ):
        yield client, caught
