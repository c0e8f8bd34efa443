"""The fields of requests that `supports` knows."""

from __future__ import annotations

from promptwire_text.words import nearest

from ..errors import InvalidRequest
from ..model.options import OPTION_NAMES
from ..rules.field_places import MEDIA
from ..rules.rule import COUNTED_BY_APIS

# the API's own options aside
FIELDS = (
    *COUNTED_BY_APIS,
    *OPTION_NAMES,
    "instructions",
    "tools",
    "tools.name",
    "tool_call.id",
    "tool_choice",
    "tool_choice.parallel",
    "response_format",
    "message.name",
    "reasoning.effort",
    "reasoning.budget",
    "reasoning.summary",
    "metadata",
    "metadata.keys",
    "metadata.values",
    "user_id",
    "stream",
    "stream_usage",
    "include",
    "verbosity",
    "modalities",
    "cache",
    *MEDIA,
)
_KNOWN = frozenset(FIELDS)


def check_field(field: str, wire: str) -> None:
    """Raise InvalidRequest for a field that no request has; `vendor.NAME` is an option of the API `wire`."""
    if field in _KNOWN or field.startswith("vendor."):
        return
    near = nearest(field, FIELDS)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(FIELDS)}, or vendor.NAME"
    raise InvalidRequest(f'"{field}" is not a field of requests; {hint}', wire=wire, field=field)
