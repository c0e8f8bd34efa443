"""One judge for each wire that has a witness: what the vendor's own types refuse in a body."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.conformance import botocore_strict, google_protocol, mistral_types, strict_types

_ANY_MODEL: Final = "amazon.nova-pro-v1:0"  # Converse says the model in its URL


def _converse(body: dict[str, Any]) -> list[str]:
    """A body of either operation: streaming has members of its own."""
    return min((botocore_strict.problems(_ANY_MODEL, body, stream=each) for each in (False, True)), key=len)


_WITNESSES: Final[Mapping[str, Callable[[dict[str, Any]], list[str]]]] = {
    "openai_chat": lambda body: strict_types.problems("openai_chat", body),
    "openai_responses": lambda body: strict_types.problems("openai_responses", body),
    "anthropic_messages": lambda body: strict_types.problems(
        "anthropic_messages", body, api_version="2023-06-01"
    ),
    "gemini_generate": google_protocol.problems,
    "bedrock_converse": _converse,
    "mistral_chat": lambda body: mistral_types.problems("mistral_chat", body),
}
JUDGED: Final = tuple(_WITNESSES)
"""The wires that have a judge."""

WAIVED: Final[Mapping[str, Mapping[str, str]]] = {}


def judge(wire: str, body: dict[str, Any]) -> list[str]:
    """Say what the vendor's types refuse in a body of plain JSON, one line a finding; none when it is accepted.

    Raises:
        KeyError: the wire has no judge.
    """
    waived = WAIVED.get(wire, {})
    found = _WITNESSES[wire](body)
    return [line for line in found if not any(re.fullmatch(pattern, line) for pattern in waived)]
