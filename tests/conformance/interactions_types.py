"""The types of the Interactions API in Google's SDK, read strictly: an independent witness for built bodies."""

from __future__ import annotations

from typing import Any, Final

from google.genai._gaos.types import interactions as types

from tests.conformance.model_types import fields_of, findings

# taken by the API, though no type has it: recorded 200 (vercel/ai issue 17937, 2026-07)
UNTYPED: Final = ("generation_config.top_k: unknown key",)


def problems(body: dict[str, Any]) -> list[str]:
    """Return what the SDK's types refuse in a body of a model, or of an agent."""
    kind: Any = types.CreateAgentInteraction if "agent" in body else types.CreateModelInteraction
    return [line for line in findings(fields_of(kind), body) if line not in UNTYPED]
