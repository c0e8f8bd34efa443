"""What a model accepts, looked up without a build: values, the nearest ones, and what a setting breaks elsewhere."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import promptwire
from promptwire import Options, ReasoningOptions, Request, Tool, ToolChoice, user
from tests.searching import TESTED_WIRES

_TOOL = Tool("lookup", "Look a word up.", {"type": "object", "properties": {}})


@pytest.mark.parametrize(
    ("wire", "model", "field", "value", "nearest"),
    [
        # the next level below, else the next above
        ("openai_chat", "gpt-5", "reasoning.effort", "max", "high"),
        ("openai_chat", "gpt-6-astra", "reasoning.effort", "max", "xhigh"),
        ("openai_chat", "gpt-6-astra", "reasoning.effort", "minimal", "low"),
        # none turns reasoning off, and is near to no level
        ("openai_chat", "gpt-6-astra", "reasoning.effort", "none", None),
        ("openai_chat", "gpt-4o", "reasoning.effort", "low", None),
        ("openai_chat", "gpt-4o", "max_tokens", 1_000_000, 16384),
        ("openai_chat", "gpt-4o", "temperature", 3.0, 2),
        ("openai_chat", "gpt-4o", "temperature", 0.5, 0.5),
        ("openai_chat", "gpt-4o", "stop", ("a", "b", "c", "d", "e"), ("a", "b", "c", "d")),
        ("openai_chat", "gpt-4o", "user_id", "u" * 200, "u" * 128),
        ("openai_chat", "gpt-4o", "tool_choice.mode", "hosted", "auto"),
        # the body has no place for it
        ("openai_chat", "gpt-5", "reasoning.budget", 2048, None),
        ("anthropic_messages", "claude-opus-4-8", "seed", 7, None),
        ("gemini_generate", "gemini-2.5-flash", "reasoning.budget", 100_000, 24576),
    ],
)
def test_the_nearest_value_is_one_that_the_model_accepts(
    wire: str, model: str, field: str, value: Any, nearest: Any
) -> None:
    profile = promptwire.wire(wire).WIRE.profile(model)
    assert profile.nearest(field, value) == nearest
    assert profile.accepts(field, value) == (value == nearest)
    assert nearest is None or profile.accepts(field, nearest)


def test_a_value_is_looked_up_beside_the_others_of_a_request() -> None:
    profile = promptwire.openai_chat.WIRE.profile("gpt-5.1")
    thinking = Request("gpt-5.1", user("Hi"), reasoning=ReasoningOptions(effort="low"))
    assert profile.accepts("temperature", 0.5)
    assert not profile.accepts("temperature", 0.5, thinking)
    refusal = profile.refusal("temperature", 0.5, thinking)
    assert refusal is not None
    assert refusal.rule.because == "with an effort these models reason, and then take no sampling parameters"


def test_a_setting_is_looked_up_with_all_that_it_breaks() -> None:
    profile = promptwire.openai_chat.WIRE.profile("gpt-5.4")
    request = Request("gpt-5.4", user("Hi"), tools=[_TOOL], options=Options(temperature=0.5))
    assert profile.problems(request, "reasoning") == ()
    thinking = request.replace(reasoning=ReasoningOptions(effort="low"))
    broken = {found.condition.path.text for found in profile.problems(thinking, "reasoning")}
    assert broken == {"temperature", "tool"}
    broken = {problem.field for problem in promptwire.openai_chat.check(thinking)}
    assert broken == {"temperature", "tool"}


@pytest.mark.parametrize(
    ("wire", "model", "field", "values"),
    [
        ("openai_chat", "gpt-5", "reasoning.effort", ("minimal", "low", "medium", "high")),
        ("openai_chat", "gpt-5", "temperature", ("1",)),
        ("openai_chat", "gpt-4o", "temperature", ()),
        ("openai_chat", "gpt-4o", "reasoning.effort", ()),
        ("anthropic_messages", "claude-opus-4-8", "reasoning.mode", ("adaptive", "disabled")),
        ("cohere_chat", "command-a-03-2025", "tool_choice.mode", ("none", "required")),
    ],
)
def test_the_words_that_a_model_accepts(wire: str, model: str, field: str, values: tuple[str, ...]) -> None:
    assert promptwire.wire(wire).WIRE.profile(model).values(field) == values


def test_the_answer_about_a_field_has_its_words() -> None:
    assert promptwire.openai_chat.supports("gpt-5.1", "reasoning.effort").values == (
        "none",
        "low",
        "medium",
        "high",
    )


@pytest.mark.parametrize(
    ("settings", "lost"),
    [
        (ReasoningOptions(effort="low"), ""),
        (ReasoningOptions(budget=2048), ""),
        (ReasoningOptions(mode="adaptive", effort="low"), ""),
        (ReasoningOptions(mode="adaptive", budget=2048), "budget"),
        (ReasoningOptions(mode="enabled"), "kind"),
    ],
)
def test_reasoning_settings_that_an_api_cannot_write_together(settings: ReasoningOptions, lost: str) -> None:
    profile = promptwire.anthropic_messages.WIRE.profile("claude-haiku-4-5")
    assert profile.lost_setting(settings) == lost
    request = Request("claude-haiku-4-5", user("Hi"), reasoning=settings, options=Options(max_tokens=4096))
    unplaced = [
        problem.field
        for problem in promptwire.anthropic_messages.check(request)
        if problem.what == "no place"
    ]
    assert bool(unplaced) == bool(lost)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("reasoning", 5, "reasoning is an int, not ReasoningOptions or None"),
        ("tool_choice", True, "tool_choice is a bool, not ToolChoice or None"),
        ("response_format", {}, "response_format is a dict, not ResponseFormat or None"),
        ("messages", [1], r"messages\[0\] is an int, not Message"),
        ("tools", [1], r"tools\[0\] is an int, not Tool"),
        ("temperature", "hot", "temperature is a str, not float or None"),
    ],
)
def test_a_value_of_another_type_is_an_error_that_names_the_field(
    field: str, value: Any, message: str
) -> None:
    profile = promptwire.openai_chat.WIRE.profile("gpt-5")
    for look_up in (profile.accepts, profile.refusal, profile.nearest):
        with pytest.raises(promptwire.errors.InvalidRequest, match=message):
            look_up(field, value)


# field -> values to look up
_VALUES: dict[str, tuple[Any, ...]] = {
    "temperature": (0.0, 0.5, 1.0, 2.5),
    "top_p": (0.5, 0.95, 1.0),
    "top_k": (5,),
    "presence_penalty": (0.5, 3),
    "n": (1, 2, 9),
    "stop": (("x",), (" ",), tuple("abcdefghijklmnopqrstu")),
    "max_tokens": (8, 64001, 1_048_577),
    "service_tier": ("auto", "flex", "bogus"),
    "user_id": ("u" * 300,),
    "verbosity": ("low", "bogus"),
    "reasoning.effort": ("none", "minimal", "low", "xhigh", "max"),
    "reasoning.budget": (0, 500, 2048, 33000, -1),
    "reasoning.mode": ("enabled", "disabled", "adaptive"),
    "tool_choice.mode": ("auto", "none", "required"),
    "tool_choice.parallel": (True, False),
}
_MODELS = ("gpt-5.1", "claude-opus-4-8", "gemini-3-pro", "somebody-else")


def _request(model: str, field: str, value: Any) -> Request:
    head, _, name = field.partition(".")
    if head == "reasoning":
        return Request(model, user("?"), reasoning=ReasoningOptions(**{name: value}))
    if head == "tool_choice":
        return Request(model, user("?"), tools=[_TOOL], tool_choice=ToolChoice(**{name: value}))
    fields: dict[str, Any] = (
        {head: value} if head in ("user_id", "verbosity") else {"options": Options(**{head: value})}
    )
    return Request(model, user("?"), **fields)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_a_look_up_says_what_a_check_says(wire: str) -> None:
    api: Any = import_module(f"promptwire.{wire}")
    cases = [
        (model, field, value) for model in _MODELS for field, values in _VALUES.items() for value in values
    ]
    different = [
        case
        for case in cases
        if api.WIRE.profile(case[0]).accepts(*case[1:])
        == any(_is_about(problem.field, case[1]) for problem in api.check(_request(*case)))
    ]
    assert different == []


def _is_about(problem: str, field: str) -> bool:
    """Return whether a problem is about a field, a path into it, or the kind of reasoning that it makes."""
    kinds = ("kind", "reasoning.kind") if field.startswith("reasoning.") else ()
    return problem in (field, field.partition(".")[2], *kinds) or problem.startswith(f"{field}.")
