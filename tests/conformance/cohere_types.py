"""The request types of Cohere's SDK, read strictly, and what its clients send: independent witnesses for built bodies."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, get_type_hints

import cohere
import httpx
from cohere import raw_base_client
from cohere.v2 import raw_client

from tests.conformance.catching import catching, without
from tests.conformance.model_types import Fields, findings
from tests.conformance.sdk_echo import Sent

Body = dict[str, Any]

# what the docs of the SDK's methods say beside its types: key -> (least, most)
RANGES: Final[dict[str, tuple[float, float]]] = {
    "temperature": (0, float("inf")),
    "frequency_penalty": (0, 1),
    "presence_penalty": (0, 1),
    "k": (0, 500),
    "p": (0.01, 0.99),
    "priority": (0, float("inf")),
}
MOST_STOPS: Final = 5


def _fields(method: Callable[..., Any], names: Mapping[str, Any]) -> Fields:
    """The body's keys: the parameters of the SDK's method, and the flag that picks between its two methods."""
    hints = get_type_hints(method, dict(names), include_extras=True)
    rows = inspect.signature(method).parameters.values()
    own = [row for row in rows if row.name not in ("self", "accepts", "request_options")]
    fields = {row.name: (hints[row.name], row.default is inspect.Parameter.empty) for row in own}
    return {**fields, "stream": (bool, False)}


FIELDS: Final = _fields(raw_client.RawV2Client.chat, vars(raw_client))
FIELDS_OF_V1: Final = _fields(raw_base_client.RawBaseCohere.chat, vars(raw_base_client))


def problems(body: Body, fields: Fields = FIELDS) -> list[str]:
    """Return what the SDK's types, and the limits in its docs, refuse in a body."""
    found = findings(fields, body)
    for key, (least, most) in RANGES.items():
        if key in body and not least <= body[key] <= most:
            found.append(f"{key}: {body[key]!r} is not from {least} to {most}")
    if len(body.get("stop_sequences", [])) > MOST_STOPS:
        found.append(f"stop_sequences: more than {MOST_STOPS}")
    if body.get("thinking", {}).get("token_budget", 1) < 1:
        found.append("thinking.token_budget: not positive")
    return found


def sent(client: Callable[..., Any], body: Body, settings: Mapping[str, Any]) -> Sent:
    """Return what a client of the SDK sends for the call with a body's arguments."""
    arguments = without(body, "stream") | {name: settings[name] for name in settings if name == "accepts"}
    settings = {"base_url": "https://api.cohere.com", **without(settings, "accepts")}
    with catching(httpx) as (transport, caught), suppress(cohere.BadRequestError):
        made = client(**settings, httpx_client=transport)
        (list(made.chat_stream(**arguments)) if body.get("stream") else made.chat(**arguments))
    (request,) = caught
    own = [name for name in request.headers if name == "accept" or name.startswith("x-fern-")]
    return replace(request, headers=without(request.headers, *own))
