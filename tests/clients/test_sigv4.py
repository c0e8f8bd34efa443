"""A build signed with botocore's signer equals the request that botocore's own client signs for the same call."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

import boto3
import botocore.auth
import httpx
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from promptwire import Built
from tests.clients.loopback import Loopback
from tests.examples import Example, examples

ROWS: Final = [
    example
    for example in examples()
    if example.wire in ("bedrock_converse", "anthropic_bedrock") and example.build().signing is not None
]
CREDENTIALS: Final = Credentials("AKIATEST", "secret", "token")
NOW: Final = dt.datetime(2026, 11, 24, 12, 0, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the signer's clock."""
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: NOW)


def signed(built: Built[Any]) -> dict[str, str]:
    """Sign a build as the guide shows it."""
    assert built.signing is not None
    request = AWSRequest(built.method, built.url, headers=built.httpx()["headers"], data=built.json())
    SigV4Auth(CREDENTIALS, built.signing.service, built.signing.region).add_auth(request)
    return dict(request.headers)


class _Caught(Exception):
    """The request that botocore's client was about to send."""

    def __init__(self, request: Any) -> None:
        super().__init__("caught")
        self.request = request


def own(built: Built[Any]) -> Any:
    """Let botocore's client make and sign the same call, and catch it."""
    assert built.signing is not None
    arguments = built.kwargs_for("boto3")
    client: Any = boto3.client(
        "bedrock-runtime",
        endpoint_url=arguments.base_url,
        region_name=built.signing.region,
        aws_access_key_id=CREDENTIALS.access_key,
        aws_secret_access_key=CREDENTIALS.secret_key,
        aws_session_token=CREDENTIALS.token,
    )

    def catch(request: Any, **_: object) -> None:
        raise _Caught(request)

    client.meta.events.register("before-send.bedrock-runtime.*", catch)
    with pytest.raises(_Caught) as caught:
        getattr(client, arguments.call)(**arguments)
    return caught.value.request


def as_text(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return headers as text, names in lower case."""
    return {
        name.lower(): value.decode() if isinstance(value, bytes) else str(value)
        for name, value in headers.items()
    }


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_signature_is_that_of_botocores_own_call(
    example: Example, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = example.build()
    theirs = own(built)
    # the client's body has its keys in another order; its hash is part of what is signed
    monkeypatch.setattr(type(built), "json", lambda _: theirs.body)
    ours, headers = as_text(signed(built)), as_text(theirs.headers)
    assert (built.method, built.url) == (theirs.method, theirs.url)
    assert ours["x-amz-date"] == headers["x-amz-date"] == "20261124T120000Z"
    assert ours["x-amz-security-token"] == headers["x-amz-security-token"]
    assert ours["authorization"] == headers["authorization"]


def test_a_signed_build_is_sent(server: Loopback) -> None:
    built = ROWS[0].build()
    sent = {**built.httpx(), "headers": signed(built), "url": server.here(built.url)}
    httpx.request(**sent)
    arrived = server.last()
    assert arrived.content == built.json()
    assert arrived.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIATEST/20261124/")
