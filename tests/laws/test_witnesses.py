"""Law: what a rule refuses in a request, `check` names in the body of that request.

The witnesses are the refused requests of all specs, each sent as it is (`verbatim`).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import promptwire
from promptwire import load_request
from tests.checkout import ROOT
from tests.laws.traces import address, module

# witnesses whose bodies are read as another request, which is accepted
READ_OTHERWISE = {
    (
        "bedrock_meta",
        "a conversation with a model without a known template",
    ): "a prompt without marks is one message",
    ("bedrock_titan", "a text that would be read as two messages"): "it is read as the two",
    ("bedrock_titan", "the assistant's message is not the last"): "a prompt without marks is one message",
    ("bedrock_titan", "instructions"): "the prompt lacks them",
    ("ollama_generate", "no earlier messages"): "a prompt without marks is one message",
    ("cohere_v1", "a result needs its call"): "its body repeats the call, as that of a single step does",
    (
        "aptix_responses",
        "a continuation takes no system message",
    ): "it is read as instructions, which a continuation leaves out",
}


def witnesses(wire: str) -> list[dict[str, Any]]:
    """Return the requests of a spec that a rule refuses on any day."""
    cases = json.loads((ROOT / "generated" / "tests" / "cases" / f"{wire}.json").read_text("utf-8"))
    return [row for row in cases["errors"] if row["kind"] == "Refused" and "day" not in row]


def found_in_body(wire: str, row: dict[str, Any]) -> tuple[Any, ...]:
    """Return the problems of the body of a refused request."""
    settings = {**address(wire), **(row.get("settings") or {})}
    built = module(wire).build(load_request(row["request"]), settings=settings, policies="verbatim")
    found: tuple[Any, ...] = module(wire).check(
        built.body, None if built.local else built.url, settings=settings
    )
    return found


@pytest.mark.parametrize("wire", sorted(promptwire.WIRES))
def test_a_body_that_a_rule_refuses_has_a_problem(wire: str) -> None:
    silent = {row["name"] for row in witnesses(wire) if not found_in_body(wire, row)}
    assert silent == {name for known, name in READ_OTHERWISE if known == wire}
