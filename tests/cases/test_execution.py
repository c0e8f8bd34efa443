"""Calls of an agent as requests: every case of `execution/*.yaml`, whole bodies compared.

README.md in that folder is the table of requirements and cases; `UPDATE_GOLDEN=1` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from promptwire import PromptwireError, Text
from promptwire.execution import PRESETS, AgentExecuteRequest, Composed, ConversationContext, compose
from tests.cases.requirements import CaseFolder
from tests.internals.runtime import POLICY_CHOICES

FOLDER = CaseFolder("execution", ("calls", "policies", "hostile"), "Calls of an agent")
CASES = FOLDER.cases
CASE_KEYS = {
    "case", "shows", "context", "call", "rag", "usage", "stream", "policies", "previous", "expect",
}  # fmt: skip
WIRES = ("aptix_responses", "openai_responses", "anthropic_messages")
CONTEXT = {"model_name": "m", "system": "You plan.", "temperature": 0.5}
CALL = {"mode": "QA", "instruction": "Do it."}


def policies_of(case: Mapping[str, Any]) -> Any:
    """Return the policies of a case: a preset's name, or fields over a preset."""
    given = case.get("policies", "agn003")
    if isinstance(given, str):
        return given
    fields = dict(given)
    return replace(PRESETS[fields.pop("preset", "agn003")], **fields)


def composed(case: Mapping[str, Any]) -> Composed:
    """Compose the call of a case, behind those before it."""
    previous = None
    for earlier in case.get("previous", []):
        previous = _composed({**case, **earlier}, previous)
    return _composed(case, previous)


def _composed(case: Mapping[str, Any], previous: Composed | None) -> Composed:
    return compose(
        ConversationContext(**case.get("context", CONTEXT)),
        AgentExecuteRequest(**CALL | case.get("call", {})),
        rag_context_block=case.get("rag"),
        tool_usage_metadata_block=case.get("usage"),
        stream=case.get("stream"),
        policies=policies_of(case),
        previous=previous,
    )


def results_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome of a case: the bodies that it asks for, or their errors, and all notes."""
    call = composed(case)
    results: dict[str, Any] = {"notes": [str(note) for note in call.notes]}
    for wire in [wire for wire in WIRES if wire in case["expect"]]:
        try:
            built = import_module(f"promptwire.{wire}").build(call.request)
        except PromptwireError as error:
            results[wire] = str(error).partition("\n  policies=")[0]
        else:
            results[wire] = json.loads(built.json())
            results["notes"] += [f"{wire}: {note}" for note in built.notes]
    if "turn" in case["expect"]:
        results["turn"] = [
            [part.text for part in message.parts if isinstance(part, Text)] for message in call.turn
        ]
    return results


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    case = CASES[name]
    assert set(case) <= CASE_KEYS
    try:
        results = results_of(case)
    except PromptwireError as error:
        results = {"error": str(error).partition("\n  policies=")[0]}
    expected = case["expect"]
    assert results == (expected if "error" in expected else {"notes": []} | expected)


def test_every_requirement_is_shown_and_the_table_is_current() -> None:
    FOLDER.check()


def test_every_preset_and_every_choice_has_a_case() -> None:
    given = [case["policies"] for case in CASES.values() if "policies" in case]
    assert {preset for preset in given if isinstance(preset, str)} >= set(PRESETS)
    chosen = {
        (name, choice)
        for fields in given
        if isinstance(fields, dict)
        for name, choice in fields.items()
        if name in POLICY_CHOICES["execution"]
    }
    usual = PRESETS["agn003"]
    shown = chosen | {(name, getattr(usual, name)) for name in POLICY_CHOICES["execution"]}
    assert shown >= {
        (name, choice) for name, choices in POLICY_CHOICES["execution"].items() for choice in choices
    }
