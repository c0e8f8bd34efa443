"""The request types of Mistral's SDK, read strictly: an independent witness for built bodies."""

from __future__ import annotations

import re
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
