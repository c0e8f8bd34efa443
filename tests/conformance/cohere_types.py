"""The request types of Cohere's SDK, read strictly: an independent witness for built bodies."""

from __future__ import annotations

import inspect
from typing import Any, Final, get_type_hints

from cohere.v2 import raw_client

from tests.conformance.model_types import Fields, findings

Body = dict[str, Any]

# what the docs of the SDK's method say beside its types: key -> (least, most)
RANGES: Final[dict[str, tuple[float, float]]] = {
    "temperature": (0, float("inf")),
    "frequency_penalty": (0, 1),
    "presence_penalty": (0, 1),
    "k": (0, 500),
    "p": (0.01, 0.99),
    "priority": (0, float("inf")),
}
MOST_STOPS: Final = 5


def _fields() -> Fields:
    """The body's keys: the parameters of the SDK's method, and the flag that picks between its two methods."""
    method = raw_client.RawV2Client.chat
    hints = get_type_hints(method, dict(vars(raw_client)), include_extras=True)
    rows = inspect.signature(method).parameters.values()
    own = [row for row in rows if row.name not in ("self", "request_options")]
    fields = {row.name: (hints[row.name], row.default is inspect.Parameter.empty) for row in own}
    return {**fields, "stream": (bool, False)}


FIELDS: Final = _fields()


def problems(body: Body) -> list[str]:
    """Return what the SDK's types, and the limits in its docs, refuse in a body."""
    found = findings(FIELDS, body)
    for key, (least, most) in RANGES.items():
        if key in body and not least <= body[key] <= most:
            found.append(f"{key}: {body[key]!r} is not from {least} to {most}")
    if len(body.get("stop_sequences", [])) > MOST_STOPS:
        found.append(f"stop_sequences: more than {MOST_STOPS}")
    if body.get("thinking", {}).get("token_budget", 1) < 1:
        found.append("thinking.token_budget: not positive")
    return found
