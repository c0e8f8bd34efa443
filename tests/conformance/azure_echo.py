"""Requests that the official SDK sends to Azure: the Azure client for dated versions, the plain client for v1.

Microsoft and the SDK both say so: the Azure client always puts a version into the query and, for chat, the
deployment into the path; v1 wants neither, and takes the plain client with another base URL.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from unittest import mock

import httpx2
import openai

from tests.conformance.sdk_echo import Sent, without_noise

# the base URL of each surface that is not dated, and the version in its query
_SURFACES: Final = {
    "v1": ("/openai/v1", None),
    "preview": ("/openai/v1", "preview"),
    "models": ("/models", "2024-05-01-preview"),
    "serverless": ("/v1", None),
}


def azure_echo(api: str, body: Mapping[str, Any], settings: Mapping[str, Any]) -> Sent:
    """Make the SDK's call for a body and return the request it sends, headers without noise.

    Args:
        api: `chat` or `responses`.
        body: the body's fields as JSON values; what the SDK has no parameter for goes through `extra_body`.
        settings: ours: `endpoint`, `api_version`, `surface`, and one credential.
    """
    caught: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        caught.append(request)
        return httpx2.Response(400, json={"error": {"message": "caught"}})

    with mock.patch.dict(os.environ), suppress(openai.BadRequestError):
        for name in [name for name in os.environ if name.startswith(("OPENAI_", "AZURE_"))]:
            del os.environ[name]
        with httpx2.Client(transport=httpx2.MockTransport(answer)) as transport:
            client = _client(settings, transport)
            create: Any = client.chat.completions.create if api == "chat" else client.responses.create
            required = {key: body[key] for key in ("model", "messages", "stream") if key in body}
            create(**required, extra_body={key: value for key, value in body.items() if key not in required})
    (request,) = caught
    return Sent(
        method=request.method,
        url=str(request.url),
        headers=without_noise(request.headers),
        body=json.loads(request.content),
    )


def _client(settings: Mapping[str, Any], transport: httpx2.Client) -> openai.OpenAI:
    version = settings.get("api_version", "v1")
    surface = settings.get("surface", "openai")
    credential = {
        ours: settings[given]
        for given, ours in (("api_key", "api_key"), ("ad_token", "azure_ad_token"))
        if given in settings
    }
    if surface == "openai" and version not in _SURFACES:
        return openai.AzureOpenAI(
            azure_endpoint=settings["endpoint"],
            api_version=version,
            http_client=transport,
            max_retries=0,
            **credential,
        )
    base, query = _SURFACES[version if surface == "openai" else surface]
    return openai.OpenAI(
        base_url=settings["endpoint"] + base,
        api_key=next(iter(credential.values())),
        default_query=None if query is None else {"api-version": query},
        http_client=transport,
        max_retries=0,
    )


def in_the_plain_clients_words(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with a key as the plain client shows it: v1 takes a key as a bearer token, too."""
    shown = dict(headers)
    if "api-key" in shown:
        shown["authorization"] = f"Bearer {shown.pop('api-key')}"
    return shown
