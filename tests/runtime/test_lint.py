"""Findings of the linter, each with its place in the user's body."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any, is_typeddict

import pytest

import promptwire
from tests.checkout import ROOT
from tests.internals.runtime import keys_of, type_problems
from tests.searching import TESTED_WIRES

HI = {"role": "user", "content": "hi"}
CHAT: dict[str, Any] = {"model": "gpt-4o", "messages": [HI]}
CLAUDE: dict[str, Any] = {"model": "claude-opus-4-7", "max_tokens": 9, "messages": [HI]}
GEMINI: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def found(wire: str, body: Any, url: str | None = None) -> list[tuple[str, str]]:
    return [(finding.what, finding.path) for finding in import_module(f"promptwire.{wire}").check(body, url)]


CASES: dict[str, tuple[str, Any, list[tuple[str, str]]]] = {
    "nothing": ("openai_chat", CHAT, []),
    "a key that is nearly another": (
        "openai_chat",
        {**CHAT, "temprature": 0.5},
        [("unknown key", "temprature")],
    ),
    "a value of a wrong type, and a key that nobody knows": (
        "openai_chat",
        {**CHAT, "temperature": "hot", "bogus_key": 1},
        [("wrong type", "temperature"), ("unknown key", "bogus_key")],
    ),
    "a number that Python refuses to write": (
        "openai_chat",
        {**CHAT, "tools": 10**5000, "user": -(10**5000)},
        [("wrong type", "tools"), ("wrong type", "user")],
    ),
    "text instead of messages that a body may lack": (
        "bedrock_converse",
        {"messages": "hi"},
        [("wrong type", "messages"), ("missing", "model")],
    ),
    "a part that is spelled wrongly": (
        "openai_chat",
        {**CHAT, "messages": [HI, HI, {"role": "user", "content": [{"type": "text", "txt": "hi"}]}]},
        [("unknown key", "messages[2].content[0].txt"), ("missing", "messages[2].content[0].text")],
    ),
    "a list where a word stands": (
        "gemini_generate",
        {**GEMINI, "generationConfig": {"thinkingConfig": {"thinkingLevel": ["LOW"]}}},
        [("wrong type", "generationConfig.thinkingConfig.thinkingLevel")],
    ),
    "a role that nobody has": (
        "openai_chat",
        {**CHAT, "messages": [HI, {"role": "usr", "content": "hi"}]},
        [("unknown value", "messages[1].role")],
    ),
    "content that is none": (
        "openai_chat",
        {**CHAT, "messages": [{"role": "user", "content": 5}]},
        [("wrong type", "messages[0].content")],
    ),
    "a key inside a tool": (
        "openai_chat",
        {**CHAT, "tools": [TOOL, {"type": "function", "function": {"nme": "g"}}]},
        [("unknown key", "tools[1].function.nme"), ("missing", "tools[1].function.name")],
    ),
    "a key beside those of a message that is understood": (
        "openai_chat",
        {**CHAT, "messages": [HI, {"role": "assistant", "content": "a", "refusl": "x"}]},
        [("unknown key", "messages[1].refusl")],
    ),
    "a call without a result": (
        "openai_chat",
        {**CHAT, "tools": [TOOL], "messages": [HI, {"role": "assistant", "tool_calls": [CALL]}, HI]},
        [("unpaired", "messages[1].tool_calls[0].id")],
    ),
    "a result without a call": (
        "anthropic_messages",
        {
            **CLAUDE,
            "messages": [
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]}
            ],
        },
        [("unpaired", "messages[0].content[0].tool_use_id")],
    ),
    "an option that the model refuses": (
        "anthropic_messages",
        {**CLAUDE, "temperature": 0.5},
        [("refused", "temperature")],
    ),
    "an option under another name": (
        "anthropic_messages",
        {**CLAUDE, "output_config": {"effort": "minimal"}},
        [("refused", "output_config.effort")],
    ),
    "more than there may be": (
        "openai_chat",
        {**CHAT, "stop": ["a", "b", "c", "d", "e"]},
        [("refused", "stop")],
    ),
    "the last message": (
        "anthropic_messages",
        {**CLAUDE, "messages": [HI, {"role": "assistant", "content": "and"}]},
        [("refused", "messages[1].role")],
    ),
    "a cache mark": (
        "anthropic_messages",
        {
            **CLAUDE,
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral", "ttl": "5m"}},
                        {"type": "text", "text": "b", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
                    ],
                }
            ],
        },
        [("refused", "messages[0].content[1]")],
    ),
    "a key that must be there": (
        "anthropic_messages",
        {"model": "claude-opus-4-7", "messages": [HI]},
        [("missing", "max_tokens")],
    ),
    "camel case, below a key": (
        "gemini_generate",
        {
            "contents": [{"role": "user", "parts": [{"text": "x"}]}],
            "generationConfig": {"topK": "a", "foo": 1},
        },
        [("wrong type", "generationConfig.topK"), ("unknown key", "generationConfig.foo")],
    ),
    "a range": (
        "gemini_generate",
        {"contents": [{"role": "user", "parts": [{"text": "x"}]}], "generationConfig": {"temperature": 3}},
        [("refused", "generationConfig.temperature")],
    ),
    "a value that stands elsewhere too": (
        "anthropic_messages",
        {
            "model": "claude-opus-4-7",
            "max_tokens": 9,
            "messages": [
                HI,
                {
                    "role": "assistant",
                    "content": [
                        {
                            "type": "tool_use",
                            "id": "t",
                            "name": "f",
                            "input": {"reasoning": {"effort": "minimal"}},
                        }
                    ],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "content": "r"}],
                },
            ],
            "output_config": {"effort": "minimal"},
        },
        [("refused", "output_config.effort")],
    ),
    "items that stand alone": (
        "openai_responses",
        {
            "model": "gpt-4o",
            "input": [HI, {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}],
        },
        [("unpaired", "input[1].call_id")],
    ),
    "a schema whose root lacks its type": (
        "anthropic_messages",
        {**CLAUDE, "tools": [{"name": "f", "input_schema": {"$defs": {"A": {"type": "object"}}}}]},
        [("refused", "tools[0]")],
    ),
    "a key of such an item": (
        "openai_responses",
        {
            "model": "gpt-4o",
            "input": [
                HI,
                {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}", "argumnts": 1},
                {"type": "function_call_output", "call_id": "c1", "output": "r"},
            ],
        },
        [("unknown key", "input[1].argumnts")],
    ),
    "a role that items do not have": (
        "openai_responses",
        {
            "model": "gpt-4o",
            "input": [HI, {"role": "tool", "content": [{"type": "input_text", "text": "x"}]}],
        },
        [("unknown value", "input[1].role")],
    ),
    "a word in small letters": (
        "gemini_generate",
        {
            "contents": [{"role": "user", "parts": [{"text": "x"}]}],
            "tools": [{"functionDeclarations": [{"name": "f", "description": "d"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "any"}},
        },
        [],
    ),
    "a body without messages": (
        "openai_chat",
        {"model": "gpt-4o", "mesages": [HI]},
        [("unreadable", ""), ("unknown key", "mesages"), ("missing", "messages")],
    ),
    "no body": ("openai_chat", [1], [("unreadable", "")]),
}


@pytest.mark.parametrize(("wire", "body", "expected"), CASES.values(), ids=CASES.keys())
def test_each_finding_has_its_place_in_the_body(
    wire: str, body: Any, expected: list[tuple[str, str]]
) -> None:
    assert found(wire, body) == expected


def test_a_slip_is_named_with_what_may_be_meant() -> None:
    (slip,) = promptwire.openai_chat.check({**CHAT, "temprature": 0.5})
    assert str(slip) == 'temprature: unknown key; did you mean "temperature"?'
    (wrong,) = promptwire.openai_chat.check({**CHAT, "temperature": "hot"})
    assert str(wrong) == 'temperature: must be a number, not the text "hot"'
    (role,) = promptwire.openai_chat.check({**CHAT, "messages": [{"role": "usr", "content": "hi"}]})
    assert role.reason == 'unknown value "usr"; did you mean "user"?'


def test_a_refusal_has_its_source() -> None:
    (refused,) = promptwire.anthropic_messages.check({**CLAUDE, "temperature": 0.5})
    assert refused.source.startswith("Anthropic's migration guide")
    assert str(refused).endswith(f"this model takes no sampling parameters ({refused.source})")


def test_the_url_names_model_and_settings() -> None:
    body = {
        "contents": [{"role": "user", "parts": [{"text": "x"}]}],
        "generationConfig": {"candidateCount": 9},
    }
    assert found("gemini_generate", body) == []
    url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
    assert found("gemini_generate", body, url) == [("refused", "generationConfig.candidateCount")]


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_the_types_of_a_wire_say_all_that_they_name(wire: str) -> None:
    types = import_module(f"promptwire.{wire}.types")
    kinds = [kind for kind in vars(types).values() if is_typeddict(kind)]
    assert types.Body in kinds
    assert all(keys_of(kind).types for kind in kinds)
    # a value that nothing takes is judged by all of them
    for kind in kinds:
        rows = list(type_problems({key: _Odd() for key in keys_of(kind).types}, kind))
        assert all(row.what in ("wrong type", "unknown value") for row in rows)


class _Odd:
    """No JSON."""


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_what_a_wire_builds_itself_has_no_findings(wire: str) -> None:
    cases = json.loads((ROOT / "generated" / "tests" / "cases" / f"{wire}.json").read_text("utf-8"))
    bodies = [row["body"] for row in cases["bodies"] if "body" in row]
    unknown = [
        (row, finding)
        for row in bodies
        for finding in import_module(f"promptwire.{wire}").check(row)
        # an example may show what only verbatim builds send
        if finding.what not in ("refused", "unpaired", "no place", "missing")
    ]
    assert bodies
    assert unknown == []


def test_a_part_of_another_api_is_told_all_types_that_there_are() -> None:
    """An optional key with fixed words, such as `detail`, says nothing about what a part is."""
    part = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    (found,) = import_module("promptwire.openai_responses").check(
        {"model": "gpt-5", "input": [{"role": "user", "content": [part]}]}
    )
    assert str(found) == (
        'input[0].content[0].type: must be one of "input_text", "input_image", "input_file", not "image_url"'
    )


def test_the_older_name_of_check_works_with_a_warning() -> None:
    body = {"model": "gpt-4o", "mesages": []}
    with pytest.warns(DeprecationWarning, match="openai_chat.lint is now check"):
        old = import_module("promptwire.openai_chat").lint(body)
    assert old == import_module("promptwire.openai_chat").check(body) != ()
