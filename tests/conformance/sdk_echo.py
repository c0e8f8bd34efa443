"""Requests that the official SDKs send for a call: an independent witness for URL, headers and body.

Each call runs the vendor's own client over a mock transport, so the request is the SDK's to the last header
and no socket is opened. The client's environment variables are hidden for the call: only `settings` decide.
"""

from __future__ import annotations

import inspect
import json
import os
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import anthropic
import httpx
import httpx2
import openai

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CALL_SETTINGS: Final = frozenset({"betas", "user_profile_id", "workspace_id", "extra_headers", "extra_query"})
"""Settings of one call; the others are the client's: api_key, base_url, organization, default_headers ..."""

_NOISE: Final = frozenset({"accept-encoding", "connection", "content-length", "host", "user-agent"})
_API_KEY: Final = "test-key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request as the SDK sent it: header names in lower case, the body parsed from its JSON."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: dict[str, object]


def echo(wire: str, body: Mapping[str, object], **settings: object) -> Sent:
    """Make the SDK's call that stands for a body and return the request it sends.

    Fields that the SDK's method has no parameter for go through its `extra_body`, as the vendors advise. On
    `anthropic_messages` the beta client makes the call when `betas` is set or a field is known to it alone.

    Args:
        wire: a key of `_METHODS`; on the hosts of Anthropic's API the body holds `model` and `stream` as well.
        body: the body's fields as JSON values.
        settings: `CALL_SETTINGS`, or arguments of the client's constructor; `api_key` defaults to "test-key".

    Raises:
        KeyError: the wire has no SDK here.
        TypeError: the SDK refuses a setting, or a field that its method requires is missing.
    """
    http: Any = httpx if _is_earlier(wire) else httpx2
    caught: list[Any] = []

    def answer(request: object) -> object:
        caught.append(request)
        return http.Response(400, json={"error": {"message": "caught"}})

    call = {key: value for key, value in settings.items() if key in CALL_SETTINGS}
    key = {} if wire == "anthropic_vertex" else {"api_key": _API_KEY}
    options: dict[str, Any] = {**key, "max_retries": 0} | {
        key: value for key, value in settings.items() if key not in CALL_SETTINGS
    }
    with mock.patch.dict(os.environ), warnings.catch_warnings(), suppress(*_REFUSALS):
        for name in [name for name in os.environ if name.startswith(("OPENAI_", "ANTHROPIC_"))]:
            del os.environ[name]
        warnings.simplefilter("ignore")  # deprecated models are a matter for their own tests
        with http.Client(transport=http.MockTransport(answer)) as transport:
            create = _METHODS[wire]({**options, "http_client": transport}, {*body, *call})
            # Given a timeout, anthropic's client does not refuse long calls without streaming.
            create(**_arguments(create, body), **call, timeout=600)
    (request,) = caught
    return Sent(
        method=request.method,
        url=str(request.url),
        headers=dict(request.headers),
        body=json.loads(request.content),
    )


def _is_earlier(wire: str) -> bool:
    """Whether the client is Anthropic's of a version before 1, which speaks through an earlier httpx."""
    return wire.startswith("anthropic_") and anthropic.__version__.startswith("0.")


def without_noise(headers: Mapping[str, str]) -> dict[str, str]:
    """Drop the headers about the SDK and the connection, keep those about the call, names in lower case."""
    lowered = {name.lower(): value for name, value in headers.items()}
    return {
        name: value
        for name, value in lowered.items()
        if name not in _NOISE and not name.startswith("x-stainless-")
    }


def _arguments(create: Callable[..., object], body: Mapping[str, object]) -> dict[str, Any]:
    known = _parameters(create)
    arguments = {key: value for key, value in body.items() if key in known}
    return arguments | {"extra_body": {key: value for key, value in body.items() if key not in known}}


def _parameters(create: Callable[..., object]) -> frozenset[str]:
    """Return the names of a method's parameters that become fields of the body."""
    not_body = CALL_SETTINGS | {"extra_body", "timeout"}
    return frozenset(inspect.signature(create).parameters) - not_body


def _openai_chat(options: dict[str, Any], _: Iterable[str]) -> Callable[..., object]:
    return openai.OpenAI(**options).chat.completions.create


def _openai_responses(options: dict[str, Any], names: Iterable[str]) -> Callable[..., object]:
    """The plain method, or the beta one where the call says so."""
    client = openai.OpenAI(**options)
    create: Callable[..., object] = (
        client.beta.responses.create if "betas" in names else client.responses.create
    )
    return create


def _anthropic_messages(options: dict[str, Any], names: Iterable[str]) -> Callable[..., object]:
    return _messages_of(anthropic.Anthropic(**options), names)


def _anthropic_bedrock(options: dict[str, Any], names: Iterable[str]) -> Callable[..., object]:
    keys = {"aws_access_key": "AKIATEST", "aws_secret_key": "test"}
    given = options | keys if options["api_key"] is None else options
    return _messages_of(anthropic.AnthropicBedrock(**given), names)


def _anthropic_vertex(options: dict[str, Any], names: Iterable[str]) -> Callable[..., object]:
    return _messages_of(anthropic.AnthropicVertex(**options), names)


def _anthropic_foundry(options: dict[str, Any], names: Iterable[str]) -> Callable[..., object]:
    return _messages_of(anthropic.AnthropicFoundry(**options), names)


def _messages_of(client: Any, names: Iterable[str]) -> Callable[..., object]:
    """The plain method, or the beta one where the call needs it."""
    plain, beta = client.messages.create, client.beta.messages.create
    beta_only = {"betas"} | (_parameters(beta) - _parameters(plain))
    create: Callable[..., object] = plain if beta_only.isdisjoint(names) else beta
    return create


_METHODS: Final = {
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "anthropic_messages": _anthropic_messages,
    "anthropic_bedrock": _anthropic_bedrock,
    "anthropic_vertex": _anthropic_vertex,
    "anthropic_foundry": _anthropic_foundry,
}
WIRES: Final = frozenset(_METHODS)
"""The wires whose calls can be caught here."""

_REFUSALS: Final = (openai.BadRequestError, anthropic.BadRequestError)
