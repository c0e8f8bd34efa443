"""Requests that Google's own client sends for a call of generateContent: a witness for URL, headers and body.

The client runs over a mock transport, on AI Studio or on Vertex. The body's JSON goes through its types, which forbid
unknown fields, and through its converters, which refuse what the other platform alone takes.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import google.auth.credentials
import httpx
from google import genai
from google.genai import types

from tests.conformance.sdk_echo import Sent

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY: Final = "test-key"
_TOKEN: Final = "test-token"
# the client would make one for each of its own, and read all certificates of the system for it
_OTHER: Final = httpx.AsyncClient()
# keys of generationConfig and of the body that the client's one config spells otherwise
_NAMES: Final = {"modelConfig": "model_selection_config", "outputConfig": "generation_output_config"}
# the client writes these under their names of Python: protocol buffers take both
_FREE: Final = frozenset(
    {
        "args",
        "response",
        "parametersJsonSchema",
        "responseJsonSchema",
        "labels",
        "partMetadata",
        "customConfigs",
        "headers",
    }
)


def echo(model: str, body: Mapping[str, Any], *, stream: bool | None, **settings: Any) -> Sent:
    """Make the client's call that stands for a body, and return the request it sends, its body in camelCase.

    Raises:
        pydantic.ValidationError: a field that the client's types do not know, or a value of another type.
        ValueError: a field that this platform does not take.
    """
    caught: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        caught.append(request)
        return httpx.Response(400, json={"error": {"message": "caught"}})

    config = {**body.get("generationConfig", {}), **body}
    for name in ("generationConfig", "contents"):
        config.pop(name, None)
    config = {_NAMES.get(name, name): value for name, value in config.items()}
    with mock.patch.dict(os.environ), suppress(genai.errors.ClientError):
        for name in [name for name in os.environ if name.startswith(("GOOGLE_", "GEMINI_"))]:
            del os.environ[name]
        with httpx.Client(transport=httpx.MockTransport(answer)) as transport:
            models = _client(transport, settings).models
            call = models.generate_content_stream if stream else models.generate_content
            answered = call(
                model=model,
                contents=[types.Content.model_validate(each) for each in body["contents"]],
                config=types.GenerateContentConfig.model_validate(config),
            )
            list(answered if stream else ())
    (request,) = caught
    return Sent(
        method=request.method,
        url=str(request.url),
        headers=dict(request.headers),
        body=camel(json.loads(request.content)),
    )


def _client(transport: httpx.Client, settings: Mapping[str, Any]) -> genai.Client:
    headers = {
        "x-vertex-ai-llm-request-type": settings.get("request_type"),
        "x-vertex-ai-llm-shared-request-type": settings.get("shared_request_type"),
    }
    platform = settings.get("platform", "ai_studio")
    options = types.HttpOptions(
        httpx_client=transport,
        httpx_async_client=_OTHER,
        base_url=settings.get("base_url"),
        api_version=settings.get("api_version" if platform == "ai_studio" else "vertex_version"),
        headers={name: value for name, value in headers.items() if value},
    )
    if platform == "ai_studio":
        return genai.Client(api_key=settings.get("api_key", _KEY), http_options=options)
    if platform == "vertex_express":
        return genai.Client(vertexai=True, api_key=settings.get("api_key", _KEY), http_options=options)
    return genai.Client(
        vertexai=True,
        project=settings.get("project"),
        location=settings.get("location", "global"),
        credentials=_Token(settings.get("access_token", _TOKEN), settings.get("quota_project")),
        http_options=options,
    )


class _Token(google.auth.credentials.Credentials):
    """A token that is there already."""

    def __init__(self, token: str, quota_project: str | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.token = token
        self._quota_project_id = quota_project

    def refresh(self, request: Any) -> None:
        """Do nothing."""


def camel(value: Any, *, free: bool = False) -> Any:
    """Spell the keys of a body in camelCase, free JSON aside; empty objects of the client's making are kept."""
    if isinstance(value, list):
        return [camel(each, free=free) for each in value]
    if not isinstance(value, dict):
        return value
    if free:
        return value
    named = {_camel(name): each for name, each in value.items()}
    return {name: camel(each, free=name in _FREE) for name, each in named.items()}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)
