"""Names of models: exact, or the longest known prefix that ends at a boundary. For any other model, nothing is refused."""

from __future__ import annotations

import pytest

import promptwire
from promptwire import (
    Options,
    ReasoningOptions,
    Request,
    anthropic_messages,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.plugins import Rule
from tests.internals.runtime import Words, above, present


@pytest.mark.parametrize(
    ("wire", "model", "nearest"),
    [
        # names, their dated forms, variants, and what hosts write around them
        ("openai_chat", "gpt-5", ""),
        ("openai_chat", "gpt-5-2025-08-07", ""),
        ("openai_chat", "gpt-5-mini-2025-08-07", ""),
        ("openai_chat", "gpt-4-0125-preview", ""),
        ("openai_chat", "ft:gpt-4o:acme", ""),
        ("openai_chat", "GPT-4o", ""),
        ("openai_chat", "gpt-oss-20b", ""),
        ("openai_chat", "somebody-else", ""),
        ("anthropic_messages", "claude-sonnet-4-20250514", ""),
        ("anthropic_vertex", "claude-opus-4-8@20260301", ""),
        ("bedrock_converse", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", ""),
        ("openrouter_chat", "anthropic/claude-opus-5.5", ""),
        ("gemini_generate", "gemini-2.5-flash-preview-09-2025", ""),
        # a dot or a short number makes another version
        ("openai_chat", "gpt-5.7", "gpt-5.6-sol"),
        ("openai_chat", "gpt-6.3-sol", "gpt-6.2-astra"),
        ("openai_chat", "gpt-7", "gpt-6.2-astra"),
        ("anthropic_messages", "claude-opus-4-9", "claude-opus-4-8"),
        ("anthropic_messages", "claude-sonnet-4-9-20270101", "claude-sonnet-4-6"),
        ("anthropic_messages", "claude-sonnet-6", "claude-sonnet-5-5"),
        ("gemini_generate", "gemini-3.9-flash", "gemini-3.8-flash"),
        # as the API names it
        ("openrouter_chat", "anthropic/claude-opus-5.7", "claude-opus-5.5"),
        ("openrouter_chat", "openai/gpt-7", "openai/gpt-6.2-astra"),
        ("bedrock_converse", "us.anthropic.claude-opus-6", "claude-opus-5-5"),
    ],
)
def test_a_name_is_known_or_nearest_to_a_known_one(wire: str, model: str, nearest: str) -> None:
    assert promptwire.wire(wire).WIRE.profile(model).nearest_model == nearest


@pytest.mark.parametrize(
    ("wire", "model", "meant"),
    [
        # a fine-tuned model means its base model, whatever its maker called it
        ("openai_chat", "ft:gpt-4.1-mini-2025-04-14:org::id", "gpt-4.1"),
        ("openai_responses", "ft:gpt-4o-2024-08-06:acme:gpt-4-turbo-distilled:id", "gpt-4o"),
        ("openai_chat", "ft:o4-mini-2025-04-16:acme::id:ckpt-step-90", "o4-mini"),
        ("openai_chat", "ft:davinci-002:org::id", ""),
        # in upper case, and with hyphens in versions
        ("openai_chat", "GPT-4o", "gpt-4o"),
        ("openrouter_chat", "OpenAI/GPT-5", "openai/gpt-5"),
        ("anthropic_messages", "Claude-Opus-4-8", "claude-opus-4-8"),
        ("openai_chat", "gpt-5-2", "gpt-5.2"),
        ("openai_chat", "gpt-4-1106-preview", "gpt-4-1106-preview"),
        # what stands behind a version is no part of it
        ("anthropic_messages", "claude-opus-4-8[1m]", "claude-opus-4-8"),
        ("anthropic_messages", "claude-opus-4-8_fast", "claude-opus-4-8"),
        # of a very long name only the beginning is read
        ("anthropic_messages", "claude-opus-4-8" + "-a.b" * 250_000, "claude-opus-4-8"),
        # a name that the API gives no model of the family
        ("openai_chat", "openai/gpt-5", ""),
        ("openai_chat", "", ""),
        ("openai_chat", "İİ/gpt-5", ""),
    ],
)
def test_a_name_means_the_profile_that_it_begins_with(wire: str, model: str, meant: str) -> None:
    assert promptwire.wire(wire).WIRE.names_of(model)[1:] == ((meant,) if meant else ())


def test_a_fine_tuned_model_takes_what_its_base_model_takes() -> None:
    names = "gpt-4o-mini", "ft:gpt-4o-mini-2024-07-18:org::id"
    for field in ("reasoning.effort", "temperature", "stop"):
        base, tuned = (openai_chat.supports(name, field) for name in names)
        assert (tuned.answer, tuned.reason) == (base.answer, base.reason), field
    request = Request(names[1], user("Hi"), reasoning=ReasoningOptions(effort="high"))
    assert [(problem.what, problem.field) for problem in openai_chat.check(request)] == [
        ("refused", "reasoning.effort")
    ]


def test_an_unknown_model_is_refused_nothing_that_others_of_its_family_take() -> None:
    request = Request("gpt-5.7", user("Hi"), options=Options(temperature=0.5, max_tokens=9))
    built = openai_chat.build(request)
    # the spelling is the one that all models of its generation have
    assert (built.body["temperature"], built.body["max_completion_tokens"]) == (0.5, 9)
    assert [(note.action, note.field) for note in built.notes] == [("refused", "temperature")]
    assert (
        "gpt-5.7 is not a model that promptwire knows; this is a guess from gpt-5.6-sol" in built.notes[0].why
    )


def test_what_holds_for_a_whole_family_holds_for_its_unknown_models() -> None:
    request = Request("gpt-7", user("Hi"), reasoning=ReasoningOptions(effort="max"))
    assert [problem.what for problem in openai_chat.check(request)] == ["refused"]


def test_a_check_tells_what_the_nearest_model_refuses_as_a_doubt() -> None:
    request = Request("gpt-7", user("Hi"), options=Options(temperature=0.5))
    (doubt,) = openai_chat.check(request)
    assert (doubt.what, doubt.field, doubt.outcomes["strict"]) == (
        "doubt",
        "temperature",
        "sent, with a note",
    )
    (in_body,) = openai_chat.check(openai_chat.build(request).body)
    assert (in_body.what, in_body.path) == ("doubt", "temperature")
    assert openai_chat.check(request.replace(options=Options(seed=7))) == ()


def test_messages_of_an_unknown_model_are_looked_at() -> None:
    request = Request(
        "claude-fable-6", [user("Hi"), promptwire.assistant("Well,")], options=Options(max_tokens=9)
    )
    assert [(problem.what, problem.field) for problem in anthropic_messages.check(request)] == [
        ("doubt", "last_message.role")
    ]


def test_a_field_on_which_models_of_a_family_differ_is_unknown_for_a_new_one() -> None:
    found = openai_chat.supports("gpt-7", "temperature")
    assert (found.answer, found.source) == ("unknown", "")
    assert found.reason == (
        "gpt-7 is not a model that promptwire knows, and models differ in temperature; gpt-6.2-astra is the nearest "
        "one, whose answer is no"
    )
    assert openai_chat.supports("gpt-7", "seed").answer == "yes"
    assert openai_chat.supports("gpt-7", "top_k").answer == "no"


def test_a_verbatim_build_says_nothing_of_doubts() -> None:
    request = Request("gpt-7", user("Hi"), options=Options(temperature=0.5))
    assert openai_chat.build(request, policies="verbatim").notes == ()


def test_a_deployment_is_looked_up_as_the_model_that_it_serves() -> None:
    wire = promptwire.azure_openai_chat.WIRE
    assert wire.profile("my-deployment", {"base_model": "gpt-5.7"}).nearest_model == "gpt-5.6-sol"
    request = Request("my-deployment", user("Hi"), options=Options(stop=("x",)))
    settings = {"base_model": "gpt-5.7"}
    (doubt,) = promptwire.azure_openai_chat.check(request, settings=settings)
    assert (doubt.what, doubt.field) == ("doubt", "stop")
    assert "gpt-5.7 is not a model that promptwire knows" in doubt.reason


def test_an_unknown_field_names_the_model_that_is_served_and_the_nearest_answer_under_the_same_settings() -> (
    None
):
    served = promptwire.azure_openai_chat.supports(
        "my-deployment", "temperature", settings={"base_model": "gpt-7"}
    )
    assert served.reason.startswith("gpt-7 is not a model that promptwire knows")
    gemini = promptwire.gemini_generate
    for platform, answer in (("ai_studio", "no"), ("vertex", "yes"), ("ai_studio", "no")):
        settings = {"platform": platform} | ({"project": "p"} if platform == "vertex" else {})
        nearest = gemini.supports("gemini-3.8-flash", "top_logprobs", settings=settings)
        unknown = gemini.supports("gemini-3.9-flash", "top_logprobs", settings=settings)
        assert (nearest.answer, unknown.answer) == (answer, "unknown")
        assert unknown.reason.endswith(f"whose answer is {answer}")


def test_doubts_follow_the_settings_of_rules_for_the_nearest_model_alone() -> None:
    rule = Rule(
        model=Words("gpt-6.2-astra"),
        settings={"base_url": ("https://host.example",)},
        reject=(present("seed"),),
        because="measured",
    )
    wire = openai_responses.WIRE.dialect(load_rules=lambda: (rule,), deciding=("base_url",))
    request = Request("gpt-6.3-sol", user("Hi"), options=Options(seed=1))
    for url, count in (("https://other.example", 0), ("https://host.example", 1)):
        decision = wire.decide("gpt-6.3-sol", {"base_url": url})
        assert len(decision.doubts(request, wire.name)) == count


def test_a_fact_that_names_a_new_model_ends_the_doubts_about_its_field() -> None:
    model = Words("gpt-6.3-sol")
    rules = (
        *openai_responses.WIRE.rules,
        Rule(model=model, reject=(above("top_p", 1),), because="measured"),
        Rule(model=model, allow=(present("temperature"),), because="measured"),
    )
    wire = openai_responses.WIRE.dialect(load_rules=lambda: rules)
    decision = wire.decide("gpt-6.3-sol", None)
    request = Request(
        "gpt-6.3-sol",
        user("Hi"),
        options=Options(temperature=0.5, top_p=0.5, top_logprobs=2),
    )
    doubts = {str(check.condition.path) for check in decision.doubts(request, wire.name)}
    assert doubts == {"top_logprobs"}
    before = openai_responses.WIRE.decide("gpt-6.3-sol", None).doubts(request, wire.name)
    assert {str(check.condition.path) for check in before} == {"temperature", "top_p", "top_logprobs"}
