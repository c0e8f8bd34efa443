"""Chat prompts, guidelines and evaluation cases: every case of `prompts/*.yaml`, compared whole.

README.md in that folder is the table of requirements and cases; `UPDATE_GOLDEN=1` writes it anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import pytest

from promptwire import PromptwireError, Request, dump_request, load_request
from promptwire.context import PRESETS, ContextPolicies
from promptwire.prompts import Case, ChatMessage, ProviderRequest, as_request, deliver, load_case, matches
from tests.cases.requirements import CaseFolder
from tests.internals.runtime import POLICY_CHOICES

FOLDER = CaseFolder(
    "prompts",
    ("conversion", "guidelines", "files", "provider", "transcripts", "presets", "loading"),
    "Prompts of evaluation cases",
)
CASES = FOLDER.cases
CASE_KEYS = {"case", "shows", "policies", "evaluation", "text", "choose", "provider", "patterns", "expect"}


def policies_of(case: Mapping[str, Any]) -> Any:
    """Return the policies of a case: a preset's name, fields, or none."""
    given = case.get("policies")
    return ContextPolicies(**given) if isinstance(given, dict) else given


def said(messages: Iterable[ChatMessage] | None) -> Any:
    """Write messages as the cases do."""
    if messages is None:
        return None
    return [
        {each.role: each.content} | ({"tool_call_id": each.tool_call_id} if each.tool_call_id else {})
        for each in messages
    ]


def chat_messages(words: list[dict[str, str]]) -> list[ChatMessage]:
    return [ChatMessage(role, content) for each in words for role, content in each.items()]


def bodies(request: Request, wires: Iterable[str]) -> dict[str, Any]:
    """Build a request on wires; what one refuses is its error's text."""
    found: dict[str, Any] = {}
    policies = "strict" if request.model else "verbatim"
    for wire in wires:
        try:
            found[wire] = import_module(f"promptwire.{wire}").build(request, policies=policies).body
        except PromptwireError as error:
            found[wire] = str(error)
    return found


def from_evaluation(case: Mapping[str, Any]) -> dict[str, Any]:
    source = case["text"] if "text" in case else case["evaluation"]
    found: Case = load_case(source, id=case.get("choose"), policies=policies_of(case))
    results: dict[str, Any] = {
        "id": found.id,
        "chat_prompt": said(found.prompt.chat_prompt),
        "question": found.prompt.question,
        "guidelines": list(found.prompt.guidelines),
        "metadata": dict(found.metadata),
        "notes": list(map(str, found.notes)),
    }
    if "request" in case["expect"]:
        results["request"] = dump_request(found.request)
    if "bodies" in case["expect"]:
        results["bodies"] = bodies(found.request, case["expect"]["bodies"])
    return results


def from_provider(case: Mapping[str, Any]) -> dict[str, Any]:
    words = dict(case["provider"])
    given = {name: words.pop(name) for name in ("channel", "requires_user_message") if name in words}
    if "chat_prompt" in words:
        words["chat_prompt"] = chat_messages(words["chat_prompt"])
    request, policies = ProviderRequest(**words), policies_of(case) or "standard"
    found = deliver(request, policies, **given)
    results: dict[str, Any] = {"messages": said(found.messages), "notes": list(map(str, found.notes))}
    if "bodies" in case["expect"]:
        channel = given.get("channel", "structured")
        results["bodies"] = bodies(
            as_request(request, policies=policies, channel=channel), case["expect"]["bodies"]
        )
    return results


def expected_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what is usually empty; metadata of the input come out as they went in."""
    expected = dict(case["expect"])
    if "error" not in expected and "provider" not in case:
        given = case.get("evaluation", {})
        metadata = dict(given.get("metadata", {}))
        if "systemPrompt" in metadata:
            metadata["system_prompt"] = metadata.pop("systemPrompt")
        usual: dict[str, Any] = {"id": None, "guidelines": [], "metadata": metadata, "notes": []}
        expected = usual | expected
    if "request" in expected:
        expected["request"] = dump_request(load_request(expected["request"]))
    return expected


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "patterns" not in case])
def test_case(name: str) -> None:
    case = CASES[name]
    assert set(case) <= CASE_KEYS
    try:
        found = from_provider(case) if "provider" in case else from_evaluation(case)
    except PromptwireError as error:
        found = {"error": str(error)}
    assert found == expected_of(case)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "patterns" in case])
def test_patterns(name: str) -> None:
    for pattern, paths in CASES[name]["patterns"].items():
        meant = {path: matches(path, [pattern]) for path in (*paths["meant"], *paths["others"])}
        assert meant == dict.fromkeys(paths["meant"], True) | dict.fromkeys(paths["others"], False), pattern


def test_every_requirement_is_shown_and_the_table_is_current() -> None:
    FOLDER.check()


def test_every_preset_and_every_choice_has_a_case() -> None:
    given = [case["policies"] for case in CASES.values() if "policies" in case]
    assert {each for each in given if isinstance(each, str)} == set(PRESETS) - {"standard"}
    fields = [each for each in given if isinstance(each, dict)] + [{}]
    chosen = [each for each in fields if each.get("guideline_reference") != "omit" or len(each) == 1]
    resolved = [ContextPolicies(**each) for each in chosen] + [PRESETS[name] for name in PRESETS]
    shown = {(name, getattr(each, name)) for each in resolved for name in POLICY_CHOICES["prompts"]}
    assert shown == {
        (name, choice) for name, choices in POLICY_CHOICES["prompts"].items() for choice in choices
    }
