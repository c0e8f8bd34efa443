"""The clients of the vendors' SDKs as a user makes them, all of them at one address.

An SDK is imported by the first test that needs it: together they take longer to import than most test modules to run.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from promptwire import Built
from tests.internals.runtime import Arguments

KEY: Final = "test-key"

# settings of ours that are arguments of a client's constructor
_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "anthropic_vertex": {"region": "region", "project": "project_id"},
    "gemini_generate": {"platform": "platform", "location": "location", "project": "project"},
    "gemini_interactions": {"platform": "platform", "location": "location", "project": "project"},
}


def called(sdk: str, built: Built[Any], arguments: Arguments, here: Callable[[str], str]) -> Any:
    """Make the client that sends to where `here` leads, call the method that the arguments name, and give its answer."""
    settings = {} if built.settings is None else built.settings
    names = _NAMES.get(built.wire.name, {})
    given = {ours: settings[name] for name, ours in names.items() if name in settings}
    client = client_of(sdk, built.wire.name, here(arguments.base_url), **given)
    answer = operator.attrgetter(arguments.call)(client)(**arguments)
    # some streams are sent by their first element
    return list(answer) if isinstance(answer, Iterator) else answer


def client_of(sdk: str, wire: str, base_url: str, **given: str) -> Any:
    """Make the client of an SDK that speaks a wire."""
    return (_WIRES.get((sdk, wire)) or _SDKS[sdk])(base_url, **given)


@cache
def _openai(base_url: str) -> Any:
    import openai

    return openai.OpenAI(base_url=base_url, api_key=KEY, max_retries=0)


@cache
def _anthropic(base_url: str) -> Any:
    import anthropic

    # with a timeout of its own, the client does not refuse long calls without streaming
    return anthropic.Anthropic(base_url=base_url, api_key=KEY, max_retries=0, timeout=60)


@cache
def _anthropic_bedrock(base_url: str) -> Any:
    import anthropic

    return anthropic.AnthropicBedrock(
        base_url=base_url, aws_region="us-east-1", aws_access_key="AKIATEST", aws_secret_key=KEY,
        max_retries=0, timeout=60,
    )  # fmt: skip


@cache
def _anthropic_vertex(base_url: str, region: str = "global", project_id: str = "") -> Any:
    import anthropic

    return anthropic.AnthropicVertex(
        base_url=base_url, region=region, project_id=project_id, access_token=KEY, max_retries=0, timeout=60
    )


@cache
def _anthropic_foundry(base_url: str) -> Any:
    import anthropic

    return anthropic.AnthropicFoundry(base_url=base_url, api_key=KEY, max_retries=0, timeout=60)


@cache
def _boto3(base_url: str) -> Any:
    import boto3
    from botocore.config import Config

    return boto3.client(
        "bedrock-runtime", endpoint_url=base_url, region_name="us-east-1", aws_access_key_id="AKIATEST",
        aws_secret_access_key=KEY, config=Config(retries={"max_attempts": 0}),
    )  # fmt: skip


def _token() -> Any:
    """Return credentials that have a token already."""
    from google.oauth2.credentials import Credentials

    return Credentials(token=KEY)  # type: ignore[no-untyped-call]


@cache
def _google(base_url: str, platform: str = "ai_studio", location: str = "global", project: str = "") -> Any:
    from google import genai
    from google.genai import types

    options = types.HttpOptions(base_url=base_url)
    if platform == "ai_studio":
        return genai.Client(api_key=KEY, http_options=options)
    if platform == "vertex_express":
        return genai.Client(vertexai=True, api_key=KEY, http_options=options)
    return genai.Client(
        vertexai=True, project=project, location=location, credentials=_token(), http_options=options
    )


@cache
def _mistral(base_url: str) -> Any:
    from mistralai.client import Mistral

    return Mistral(server_url=base_url, api_key=KEY)


@cache
def _cohere(base_url: str) -> Any:
    import cohere

    return cohere.ClientV2(base_url=base_url, api_key=KEY)


@cache
def _cohere_v1(base_url: str) -> Any:
    import cohere

    return cohere.Client(base_url=base_url, api_key=KEY)


_SDKS: Final[Mapping[str, Callable[..., Any]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "boto3": _boto3,
    "google-genai": _google,
    "mistralai": _mistral,
    "cohere": _cohere,
}
_WIRES: Final[Mapping[tuple[str, str], Callable[..., Any]]] = {
    ("anthropic", "anthropic_bedrock"): _anthropic_bedrock,
    ("anthropic", "anthropic_vertex"): _anthropic_vertex,
    ("anthropic", "anthropic_foundry"): _anthropic_foundry,
    ("cohere", "cohere_v1"): _cohere_v1,
}
