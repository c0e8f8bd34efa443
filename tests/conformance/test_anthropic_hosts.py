"""Anthropic's API on Bedrock, Vertex AI and Foundry: what the clients of Anthropic's SDK send, and its types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import unquote

import pytest
from botocore.credentials import Credentials

from promptwire import Built
from tests.conformance.sdk_echo import Sent, echo, without_noise
from tests.conformance.strict_types import problems
from tests.examples import Example, examples

HOSTS: Final = ("anthropic_bedrock", "anthropic_vertex", "anthropic_foundry")
ROWS: Final = [example for example in examples() if example.wire in HOSTS]
# what only the host's envelope puts into the body
ENVELOPE: Final = frozenset({"anthropic_version", "anthropic_beta", "user_profile_id"})
LATER: Final = "2026-10-21"
# the SDK's names of our settings
NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "anthropic_bedrock": {"region": "aws_region", "base_url": "base_url", "api_key": "api_key"},
    "anthropic_vertex": {
        "region": "region", "project": "project_id", "base_url": "base_url", "access_token": "access_token",
    },
    "anthropic_foundry": {"resource": "resource", "base_url": "base_url", "api_key": "api_key"},
}  # fmt: skip
DEFAULTS: Final[Mapping[str, Mapping[str, str | None]]] = {
    "anthropic_bedrock": {"aws_region": "us-east-1", "api_key": None},
    "anthropic_vertex": {"region": "global", "access_token": "token"},
    "anthropic_foundry": {},
}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace boto3's search for credentials with made-up keys for the SDK's signer."""

    def session(*, region: str, **_: object) -> SimpleNamespace:
        return SimpleNamespace(get_credentials=lambda: Credentials("AKIATEST", "test"), region_name=region)

    monkeypatch.setattr("anthropic.lib.aws._auth._get_session", session)


def _whole(example: Example, built: Built[Any]) -> dict[str, Any]:
    """The body as a caller of the SDK gives it: with model and stream flag, without what the SDK adds."""
    own = ENVELOPE - {"anthropic_version"}
    given = {name: value for name, value in example.request.items() if name in ("model", "stream")}
    return {**{key: value for key, value in built.body.items() if key not in own}, **given}


def _sent(example: Example, built: Built[Any]) -> Sent:
    settings = example.said()
    names = NAMES[example.wire]
    client: dict[str, Any] = {names[key]: value for key, value in settings.items() if key in names}
    if "auth_token" in settings:
        client |= {"azure_ad_token_provider": lambda: settings["auth_token"], "api_key": None}
    call: dict[str, Any] = {key: settings[key] for key in ("betas", "user_profile_id") if key in settings}
    given: dict[str, Any] = {**DEFAULTS[example.wire], **client, **call}
    return echo(example.wire, _whole(example, built), **given)


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_sdk_sends_the_same_url_and_body(example: Example) -> None:
    built = example.build()
    sent = _sent(example, built)
    body = dict(built.body)
    if example.wire == "anthropic_vertex":
        # the SDK sends the header, of which Vertex refuses some words: they stand in the body
        body.pop("anthropic_beta", None)
    # the SDK leaves the colon in a model's name as it is
    assert (sent.method, unquote(sent.url), sent.body) == (built.method, unquote(built.url), body)


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_sdk_sends_the_same_headers(example: Example) -> None:
    built = example.build()
    sent = without_noise(_sent(example, built).headers)
    stated = {"accept": "application/json"} | built.headers
    given = example.settings or {}
    if example.wire == "anthropic_bedrock":
        # betas stand in the body, where Amazon's page has them; the SDK sends the header as well
        sent.pop("anthropic-beta", None)
        if built.signing is not None:
            scope = re.search(r"/([^/]+)/([^/]+)/aws4_request", sent.pop("authorization"))
            assert scope is not None
            assert scope.groups() == (built.signing.region, built.signing.service)
            sent.pop("x-amz-date")
    elif example.wire == "anthropic_vertex":
        told = sent.pop("anthropic-beta", "").split(",")
        assert told == built.body.get("anthropic_beta", [""])
        # those that were measured to be read there stand in the header as well
        assert {*stated.pop("anthropic-beta", "").split(",")} - {""} <= {*told}
    if example.wire == "anthropic_vertex" and "access_token" not in given:
        assert stated.pop("authorization") == "Bearer $GOOGLE_OAUTH_ACCESS_TOKEN"
        assert sent.pop("authorization") == "Bearer token"
    elif example.wire == "anthropic_foundry":
        # the key goes out under two names, of which x-api-key is the documented one
        assert sent.pop("api-key", None) == sent.get("x-api-key")
        stated["anthropic-version"] = LATER
        if "api_key" not in given and "auth_token" not in given:
            assert stated.pop("x-api-key") == "$ANTHROPIC_FOUNDRY_API_KEY"
            assert sent.pop("x-api-key") == "test-key"
    assert sent == stated


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_types_of_the_api_accept_the_body(example: Example) -> None:
    built = example.build()
    body = {key: value for key, value in _whole(example, built).items() if key not in ENVELOPE}
    version = (example.settings or {}).get("api_version", "2023-06-01")
    assert problems("anthropic_messages", body, api_version=version) == []
