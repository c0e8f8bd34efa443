"""Every example body of the wires of `strict_types`, as the generated tests hold it, has the vendor's own type."""

from __future__ import annotations

from typing import Final

import pytest

from tests.conformance.strict_types import WIRES, problems
from tests.examples import Example, examples

# wires whose vendor has another witness are judged in a module of their own
ROWS: Final = [example for example in examples() if example.wire in WIRES]

# Findings of the SDK's types where the spec is right: example -> (findings, why).
EXCEPTIONS: Final[dict[str, tuple[list[str], str]]] = {
    "openai_responses: ids of the caller's own messages": (
        [f"input[{place}].id: unknown key of EasyInputMessageParam" for place in range(3)],
        "an id on a message of the caller is accepted, and stored conversations come back with one",
    ),
    "openai_responses: a free-text call and its result": (
        [
            "input[0].status: unknown key of ResponseCustomToolCallParam",
            "input[2].status: unknown key of ResponseCustomToolCallOutputParam",
        ],
        "the API's own items have a status (ResponseCustomToolCallItem), and they go back as they came",
    ),
    "openai_responses: what a command-line agent says about itself": (
        ["client_metadata: unknown key of ResponseCreateParamsNonStreaming"],
        "the vendor's own agent sends it, and the API accepts it",
    ),
    "anthropic_messages: calls that the server checks for a command-line agent": (
        ["safeguards: unknown key of MessageCreateParamsNonStreaming"],
        "the vendor's own agent sends it, and the API accepts it",
    ),
    "openai_responses: agents that run at OpenAI": (
        ["multi_agent: unknown key of ResponseCreateParamsNonStreaming"],
        "it is a parameter of the beta client (beta.responses.create)",
    ),
}


def _found(example: Example) -> list[str]:
    version = None
    if example.wire == "anthropic_messages":
        version = (example.settings or {}).get("api_version", "2023-06-01")
    return problems(example.wire, example.build().body, api_version=version)


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_vendors_types_accept_the_body(example: Example) -> None:
    """An exception must still be refused, for exactly what it names, so that the list cannot rot."""
    findings, _ = EXCEPTIONS.get(str(example), ([], ""))
    assert _found(example) == findings


def test_every_exception_is_an_example() -> None:
    assert EXCEPTIONS.keys() <= {str(example) for example in ROWS}
