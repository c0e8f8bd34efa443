"""Whether a model takes a field: yes, no or unknown, with what says so."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import promptwire
from promptwire import anthropic_messages, azure_openai_chat, gemini_generate, openai_chat
from promptwire.errors import InvalidRequest, SettingError
from promptwire.plugins import Rule
from tests.internals.runtime import FIELDS, above, below, one_of, present, supports, table_of
from tests.searching import TESTED_WIRES


@pytest.mark.parametrize(
    ("wire", "model", "field", "answer"),
    [
        ("anthropic_messages", "claude-opus-4-7", "top_k", "no"),
        ("anthropic_messages", "claude-haiku-4-5", "top_k", "yes"),
        ("anthropic_messages", "claude-opus-4-7", "seed", "no"),
        ("anthropic_messages", "claude-opus-4-7", "reasoning.budget", "no"),
        ("anthropic_messages", "claude-opus-4-7", "reasoning.effort", "yes"),
        ("anthropic_messages", "claude-opus-4-7", "image", "yes"),
        ("anthropic_messages", "claude-opus-4-7", "audio", "no"),
        # some rules judge it by model, and none has heard of this one
        ("anthropic_messages", "somebody-else", "top_k", "unknown"),
        # a field without a place has none for every model
        ("anthropic_messages", "somebody-else", "seed", "no"),
        # later rules take back what earlier ones refuse
        ("openai_chat", "gpt-5", "temperature", "no"),
        ("openai_chat", "gpt-5.1", "temperature", "yes"),
        ("openai_chat", "gpt-4o", "temperature", "yes"),
        # it needs what is itself refused
        ("openai_chat", "gpt-4o", "top_logprobs", "yes"),
        ("openai_chat", "gpt-5", "top_logprobs", "no"),
        ("openai_chat", "gpt-4o", "audio", "no"),
        ("openai_chat", "gpt-4o-audio-preview", "audio", "yes"),
        ("gemini_generate", "gemini-2.5-flash", "reasoning.effort", "no"),
        ("gemini_generate", "gemini-2.5-flash", "vendor.routing_config", "no"),
        # which values are taken is another question
        ("bedrock_converse", "amazon.nova-pro-v1:0", "service_tier", "yes"),
        ("gemini_generate", "gemini-2.5-flash", "service_tier", "yes"),
        ("groq_chat", "llama-3.3-70b-versatile", "n", "yes"),
        # nobody judges it by model
        ("ollama_chat", "whatever", "temperature", "yes"),
    ],
)
def test_a_field_is_taken_or_not(wire: str, model: str, field: str, answer: str) -> None:
    assert import_module(f"promptwire.{wire}").supports(model, field).answer == answer


def test_what_is_taken_of_a_field_that_is_refused_is_said() -> None:
    no = openai_chat.supports("gpt-5", "temperature")
    assert (no.answer, no.conditions) == (
        "no",
        ("of all temperatures these models take the one that they have anyway",),
    )
    assert openai_chat.supports("gpt-5", "top_p").conditions == ()


def test_a_value_that_is_taken_beside_something_else_is_no_answer() -> None:
    wire = openai_chat.WIRE.dialect(
        load_rules=lambda: (
            Rule(reject=(present("seed"),), because="no seeds"),
            Rule(given=(present("stop"),), allow=(one_of("seed", "1"),), because="one, beside stops"),
            Rule(allow=(one_of("seed", "7"),), because="seven, always"),
        )
    )
    answer = supports(wire, "m", "seed")
    assert (answer.answer, answer.reason, answer.conditions) == ("no", "no seeds", ("seven, always",))


def test_an_answer_says_why_who_says_so_and_when() -> None:
    no = anthropic_messages.supports("claude-opus-4-7", "top_k")
    assert no.reason == "this model takes no sampling parameters"
    assert no.source.startswith("Anthropic's migration guide")
    assert no.date == "2026-08"
    assert str(no) == f"no: this model takes no sampling parameters ({no.source})"
    lost = anthropic_messages.supports("claude-opus-4-7", "seed")
    assert (lost.reason, lost.source) == (
        "seed: Anthropic Messages does not support it",
        "the spec anthropic_messages",
    )


def test_what_is_refused_under_conditions_is_said() -> None:
    yes = openai_chat.supports("gpt-5.1", "temperature")
    assert yes.conditions == (
        "with an effort these models reason, and then take no sampling parameters",
        "the temperature goes from 0 to 2, top_p from 0 to 1",
    )


def test_later_rules_take_back_what_earlier_ones_ask_for() -> None:
    wire = openai_chat.WIRE.dialect(
        load_rules=lambda: (
            Rule(given=(one_of("stream", "true"),), reject=(present("seed"),), because="not in a stream"),
            Rule(reject=(below("seed", 0),), because="none below zero"),
            Rule(allow=(present("seed"),), because="whatever it is", source="the vendor's page, 2026-11"),
            Rule(reject=(above("seed", 9),), because="one digit"),
        )
    )
    answer = supports(wire, "m", "seed")
    assert (answer.answer, answer.reason, answer.conditions) == ("yes", "whatever it is", ("one digit",))
    assert (answer.source, answer.date) == ("the vendor's page, 2026-11", "2026-11")


def test_settings_decide() -> None:
    plain = gemini_generate.supports("gemini-2.5-flash", "vendor.routing_config")
    vertex = gemini_generate.supports(
        "gemini-2.5-flash", "vendor.routing_config", settings={"platform": "vertex", "project": "p"}
    )
    assert (plain.answer, vertex.answer) == ("no", "yes")
    with pytest.raises(SettingError):
        azure_openai_chat.supports("gpt-4o", "seed", settings={"resorce": "r"})


def test_a_field_that_no_request_has_is_an_error() -> None:
    with pytest.raises(InvalidRequest, match='did you mean "top_k"'):
        openai_chat.supports("gpt-4o", "topk")


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_every_field_has_an_answer(wire: str) -> None:
    module: Any = import_module(f"promptwire.{wire}")
    table = table_of(module.WIRE, "some-model")
    assert tuple(table) == FIELDS
    assert all(row.reason and row.answer in ("yes", "no", "unknown") for row in table.values())
    # where nobody knows, nobody is quoted
    assert [row for row in table.values() if (row.answer == "unknown") == bool(row.source)] == []


def test_the_limit_of_a_model_is_a_number() -> None:
    assert anthropic_messages.supports("claude-sonnet-4-5", "max_tokens").limit == 64000
    assert anthropic_messages.supports("claude-opus-4-8", "max_tokens").limit == 128000
    assert anthropic_messages.supports("claude-3-5-haiku-latest", "max_tokens").limit is None
    # a beta lifts it
    longer = {"betas": ["output-300k-2026-03-24"]}
    assert anthropic_messages.supports("claude-opus-4-8", "max_tokens", settings=longer).limit is None


@pytest.mark.parametrize(
    ("wire", "model", "field", "fix"),
    [
        ("anthropic_messages", "claude-opus-4-8", "seed", "drop"),
        ("openai_chat", "gpt-4o", "stop", "nearest"),
        ("bedrock_titan", "amazon.titan-text-express-v1", "tools", ""),
        ("ollama_chat", "llama3.2", "max_tokens", ""),
    ],
)
def test_what_portable_does_with_a_field(wire: str, model: str, field: str, fix: str) -> None:
    assert promptwire.wire(wire).supports(model, field).fix == fix


@pytest.mark.parametrize(
    ("wire", "model", "field", "limit"),
    [
        ("openai_chat", "gpt-4o", "max_tokens", 16384),
        ("openai_chat", "gpt-4o", "stop", 4),
        ("openai_chat", "gpt-4o", "tools", 128),
        ("cohere_chat", "command-a-vision-07-2025", "image", 20),
        ("bedrock_converse", "amazon.nova-pro-v1:0", "document", 5),
        ("mistral_chat", "pixtral-12b", "image", 8),
        ("mistral_chat", "mistral-large-latest", "image", None),
        ("openai_responses", "gpt-5.5", "image", 1500),
        ("anthropic_messages", "claude-sonnet-4-5", "image", 100),
        ("openrouter_chat", "anthropic/claude-opus-4.6", "image", 600),
        ("openai_chat", "gpt-4o", "user_id", 128),
        ("openai_chat", "gpt-4o", "tools.name", 64),
        ("anthropic_messages", "claude-sonnet-4-5", "tools.name", 128),
        ("cohere_v1", "command-r", "tools.name", None),
        ("mistral_chat", "mistral-large-latest", "tools.name", 64),
        ("openai_responses", "gpt-5.5", "tool_call.id", 64),
        ("bedrock_converse", "us.anthropic.claude-sonnet-4-6", "tool_call.id", 64),
        ("anthropic_messages", "claude-sonnet-4-5", "tool_call.id", None),
        ("openai_chat", "gpt-4o", "message.name", 64),
        ("openai_chat", "gpt-4o", "metadata.keys", 64),
        ("openai_chat", "gpt-4o", "metadata.values", 512),
        ("openai_chat", "gpt-5.1", "input_tokens", 272_000),
        ("openrouter_chat", "openai/gpt-5.5", "input_tokens", 922_000),
        ("bedrock_converse", "us.anthropic.claude-sonnet-4-6", "input_tokens", 1_000_000),
        ("groq_chat", "meta-llama/llama-4-scout-17b-16e-instruct", "input_tokens", 131_072),
        ("bedrock_converse", "us.meta.llama4-scout-17b-instruct-v1:0", "input_tokens", 10_485_760),
        ("mistral_chat", "mistral-large-latest", "input_tokens", None),
        ("anthropic_messages", "claude-sonnet-4-5", "request_bytes", 32_000_000),
        ("anthropic_bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "request_bytes", 20_000_000),
        ("anthropic_vertex", "claude-sonnet-4-5@20250929", "request_bytes", None),
        ("groq_chat", "openai/gpt-oss-20b", "request_bytes", None),
    ],
)
def test_a_limit_is_that_of_a_number_a_list_a_text_or_a_kind_of_part(
    wire: str, model: str, field: str, limit: float | None
) -> None:
    assert import_module(f"promptwire.{wire}").supports(model, field).limit == limit


def test_the_pattern_of_tool_names_is_a_condition_with_its_repair() -> None:
    found = openai_chat.supports("gpt-4o", "tools.name")
    assert found.conditions == (
        "OpenAI Chat Completions accepts tool names that match ^[a-zA-Z0-9_-]{1,64}$",
    )
    assert (found.answer, found.fix, found.source) == ("yes", "rename_tools", "the spec openai_chat")


def test_tokens_of_input_are_a_limit_or_unknown() -> None:
    known = openai_chat.supports("gpt-5.1", "input_tokens")
    assert (known.answer, known.reason, known.date) == (
        "yes",
        "`input_tokens` must be at most 272000",
        "2026-11",
    )
    assert "cline issue 5474" in known.source
    unknown = openai_chat.supports("gpt-5-pro", "input_tokens")
    reason = "no fact of OpenAI Chat Completions states a limit for this model"
    assert (unknown.answer, unknown.reason, unknown.source, unknown.limit) == ("unknown", reason, "", None)


def test_no_build_looks_at_a_limit_of_tokens() -> None:
    request = promptwire.Request("gpt-5.1", [promptwire.user("hi")])
    plan = openai_chat.WIRE.decide("gpt-5.1", {})._plan_of(request.given, request.turns)
    assert [checks.path.text for checks in plan.fields if checks.path.head == "input_tokens"] == []
    assert openai_chat.build(request).notes == ()
