"""The request types of Mistral's SDK, read strictly: an independent witness for built bodies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mistralai.client.models import AgentsCompletionRequest, ChatCompletionRequest

from tests.conformance.model_types import Fields, fields_of, findings

FIELDS: Final[dict[str, Fields]] = {
    "mistral_chat": fields_of(ChatCompletionRequest),
    "mistral_agents": fields_of(AgentsCompletionRequest),
}


def problems(wire: str, body: dict[str, Any]) -> list[str]:
    """Return what the SDK's types refuse in a body, and ids of another form than the API generates and accepts."""
    found = findings(FIELDS[wire], body)
    for place, message in enumerate(body["messages"]):
        ids = {f"messages[{place}].tool_call_id": message.get("tool_call_id")}
        for index, called in enumerate(message.get("tool_calls") or ()):
            ids[f"messages[{place}].tool_calls[{index}].id"] = called.get("id")
        found += [
            f"{path}: {value!r} is not nine letters and digits"
            for path, value in ids.items()
            if isinstance(value, str) and not re.fullmatch("[A-Za-z0-9]{9}", value)
        ]
    return found


def without_defaults(found: Any, stated: Any, defaults: Mapping[str, object]) -> Any:
    """Take the defaults that the SDK's client writes out away, where the build states nothing."""
    if isinstance(found, dict) and isinstance(stated, dict):
        return {
            key: without_defaults(value, stated.get(key), defaults)
            for key, value in found.items()
            if key in stated or key not in defaults or value != defaults[key]
        }
    if isinstance(found, list) and isinstance(stated, list) and len(found) == len(stated):
        return [without_defaults(*pair, defaults) for pair in zip(found, stated, strict=True)]
    return found
