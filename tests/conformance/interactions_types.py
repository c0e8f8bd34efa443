"""The types of the Interactions API in Google's SDK, read strictly: an independent witness for built bodies."""

from __future__ import annotations

from typing import Any

from google.genai._gaos.types import interactions as types

from tests.conformance.model_types import fields_of, findings


def problems(body: dict[str, Any]) -> list[str]:
    """Return what the SDK's types refuse in a body of a model, or of an agent."""
    kind: Any = types.CreateAgentInteraction if "agent" in body else types.CreateModelInteraction
    return findings(fields_of(kind), body)
