"""Keys of callers: who has none is refused in the API that they speak, and none is passed on."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from promptwire import llamacpp_chat
from tests.internals.clients import gateway

from .behind import BODIES, FRONTS, STREAMED, Behind, check_error

KNOWN, OTHER = "a-key-of-someone-1", "a-key-of-someone-2"
PATHS: dict[str, Any] = {
    **BODIES,
    **STREAMED,
    "/v1/messages/count_tokens": BODIES["/v1/messages"],
    "/v1beta/models/m:countTokens": BODIES["/v1beta/models/m:generateContent"],
}
WAYS: dict[str, Any] = {
    "x-api-key": lambda key: {"headers": {"x-api-key": key}},
    "x-goog-api-key": lambda key: {"headers": {"x-goog-api-key": key}},
    "bearer": lambda key: {"headers": {"authorization": f"Bearer {key}"}},
    "url": lambda key: {"params": {"key": key}},
}


def ask(
    path: str, key: str | None = None, way: str = "bearer", host: str = "localhost"
) -> tuple[httpx.Response, Behind]:
    """Call a gateway with keys of callers and a key of its own."""
    behind = Behind()
    made = gateway.Gateway(
        fronts=FRONTS, back=llamacpp_chat, settings={"base_url": "http://behind.example/v1"}, key="sk-operator",
        models={"*": "behind"}, callers=tuple(gateway.Caller(gateway.digest_of(key)) for key in (OTHER, KNOWN)),
    )  # fmt: skip
    app = gateway.application(made, httpx.AsyncClient(transport=httpx.MockTransport(behind)))

    async def call() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{host}") as client:
            given = {} if key is None else WAYS[way](key)
            if path in PATHS:
                url = httpx.URL(path).copy_merge_params(given.pop("params", {}))
                return await client.post(url, json=PATHS[path], **given)
            return await client.get(path, **given)

    return asyncio.run(call()), behind


@pytest.mark.parametrize(
    "key", [None, "", "a-key-of-someone", KNOWN + "1", KNOWN[:-1], "sk-operator", "schlüssel"]
)
@pytest.mark.parametrize("path", PATHS)
def test_who_has_no_key_is_refused(path: str, key: str | None) -> None:
    answer, behind = ask(path, key, "bearer" if key is None or key.isascii() else "url")
    check_error(answer, path.replace("/count_tokens", ""), 401)
    assert behind.sent == []


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/m", "/v1beta/models", "/nowhere"])
def test_nothing_is_told_without_a_key(path: str) -> None:
    assert ask(path)[0].status_code == 401
    assert ask(path, KNOWN)[0].status_code == (404 if path == "/nowhere" else 200)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", PATHS)
def test_a_key_in_the_way_of_any_client_is_enough_and_is_not_passed_on(path: str, way: str) -> None:
    for key in (KNOWN, OTHER):
        answer, behind = ask(path, key, way)
        assert answer.status_code == 200
        for sent in behind.sent:
            assert sent.headers["authorization"] == "Bearer sk-operator"
            assert key not in repr((sent.url, sent.headers.raw, sent.content))


@pytest.mark.parametrize("host", ["localhost", "10.0.0.7:8000"])
def test_a_probe_needs_no_key_and_no_name(host: str) -> None:
    answer, behind = ask("/health", host=host)
    assert (answer.status_code, answer.json(), behind.sent) == (200, {"status": "ok"}, [])


@pytest.mark.parametrize("host", ["LOCALHOST", "LocalHost:8000", "127.0.0.1"])
def test_names_of_hosts_have_no_case(host: str) -> None:
    assert ask("/v1/models", KNOWN, host=host)[0].status_code == 200
    assert ask("/v1/models", KNOWN, host="localhost.example")[0].status_code == 421
