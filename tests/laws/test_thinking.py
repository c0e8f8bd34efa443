"""Law: thinking that is off stays off, and thinking that is on stays on, whatever API says it, for every model of another.

What a body says is looked up here by its keys, apart from what the specs know of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import strategies as st

from promptwire import Built, PromptwireError, ReasoningOptions, Request
from tests.internals.runtime import replace
from tests.laws.specimens import base, has_limit
from tests.laws.strategies import law
from tests.laws.test_built_is_accepted import models
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES

# keys that turn thinking off or on, each with its word for off; they decide before the keys that say how much
SWITCHES = {
    "thinking.type": "disabled", "reasoningConfig.type": "disabled", "reasoningOptions.mode": "DISABLED",
    "reasoning.enabled": False, "parameters.enable_thinking": False, "chat_template_kwargs.enable_thinking": False,
    "chat_template_kwargs.thinking": False, "think": False,
}  # fmt: skip
# keys that say how much, each with its word for nothing; None where it has none
AMOUNTS = {
    "reasoning_effort": "none", "reasoning.effort": "none", "output_config.effort": None, "outputConfig.effort": None,
    "reasoningConfig.maxReasoningEffort": None, "reasoning_config": "none", "thinkingConfig.thinkingBudget": 0,
    "thinkingConfig.thinkingLevel": None, "generation_config.thinking_level": None, "thinking.budget_tokens": 0,
    "thinking.token_budget": 0, "parameters.thinking_budget": 0, "thinking_token_budget": 0, "reasoning.max_tokens": 0,
    "reasoning_budget_tokens": 0,
}  # fmt: skip
# the ways of each API to say that the model does not think, and that it does
BODIES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "anthropic_messages": (
        [{"thinking": {"type": "disabled"}}, {"thinking": {"type": "disabled"}, "output_config": {"effort": "high"}}],
        [{"thinking": {"type": "enabled", "budget_tokens": 2000}}, {"thinking": {"type": "adaptive"}}],
    ),
    "bedrock_converse": (
        [{"additionalModelRequestFields": each} for each in (
            {"thinking": {"type": "disabled"}}, {"reasoningConfig": {"type": "disabled"}},
            {"reasoning_config": "none"}, {"reasoning_effort": "none"}, {"reasoning": {"effort": "none"}},
        )],
        [{"additionalModelRequestFields": {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}}}],
    ),
    "cohere_chat": ([{"thinking": {"type": "disabled"}}], [{"thinking": {"type": "enabled", "token_budget": 9}}]),
    "compatible_chat": ([{"thinking": {"type": "disabled"}}], [{"thinking": {"type": "enabled"}}]),
    "dashscope_generation": (
        [{"parameters": {"enable_thinking": False}}, {"parameters": {"enable_thinking": False, "thinking_budget": 9}}],
        [{"parameters": {"enable_thinking": True}}, {"parameters": {"enable_thinking": True, "thinking_budget": 9}}],
    ),
    "deepseek_chat": ([{"thinking": {"type": "disabled"}}], [{"thinking": {"type": "enabled"}}, {"reasoning_effort": "low"}]),
    "gemini_generate": (
        [{"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}],
        [{"generationConfig": {"thinkingConfig": each}} for each in (
            {"thinkingBudget": -1}, {"thinkingBudget": 1}, {"thinkingLevel": "MINIMAL"}, {"thinkingLevel": "HIGH"},
        )],
    ),
    "llamacpp_chat": ([{"reasoning_budget_tokens": 0}], [{"reasoning_budget_tokens": 9}]),
    "ollama_chat": ([{"think": False}], [{"think": True}, {"think": "low"}]),
    "openai_chat": ([{"reasoning_effort": "none"}], [{"reasoning_effort": each} for each in ("minimal", "xhigh")]),
    "openai_responses": ([{"reasoning": {"effort": "none"}}], [{"reasoning": {"effort": "high"}}]),
    "openrouter_chat": (
        [{"reasoning": each} for each in ({"enabled": False}, {"effort": "none"}, {"max_tokens": 0})],
        [{"reasoning": {"enabled": True}}],
    ),
    "vllm_chat": ([{"thinking_token_budget": 0}], [{"thinking_token_budget": 9}]),
    "watsonx_chat": (
        [{"chat_template_kwargs": {key: False}} for key in ("thinking", "enable_thinking")],
        [{"chat_template_kwargs": {"enable_thinking": True}}],
    ),
    "yandex_completion": (
        [{"completionOptions": {"reasoningOptions": {"mode": "DISABLED"}}}],
        [{"completionOptions": {"reasoningOptions": {"mode": "ENABLED_HIDDEN"}}}],
    ),
}  # fmt: skip
WAYS = [(wire, said, more) for wire, ways in BODIES.items() for said, bodies in zip(("off", "on"), ways, strict=True) for more in bodies]  # fmt: skip
# the neutral ways
OFF = (ReasoningOptions(effort="none"), ReasoningOptions(mode="disabled"), ReasoningOptions(budget=0))


def merged(body: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return a body with more keys, also inside its objects."""
    inner = {key: merged(body[key], value) for key, value in more.items() if isinstance(body.get(key), dict)}
    return {**body, **more, **inner}


@cache
def reasoning_of(way: int) -> ReasoningOptions:
    """Return the settings that are read from a body of an API that says whether the model thinks."""
    wire, _, more = WAYS[way]
    body = module(wire).build(base(wire), settings=address(wire)).body
    reading: ReasoningOptions | None = module(wire).read(merged(body, more)).request.reasoning
    assert reading is not None, WAYS[way]
    return reading


def keys(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of each key of a body, those of objects last."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield f"{path}.{key}", inner
        yield from keys(inner, f"{path}.{key}")


def says(body: Any) -> str | None:
    """Return whether a body turns thinking off or on; None where it says nothing of it."""
    for table in (SWITCHES, AMOUNTS):
        said = {
            "off" if value == off else "on"
            for path, value in keys(body)
            for key, off in table.items()
            if path.endswith(f".{key}") and not isinstance(value, dict)
        }
        if said:
            return "on" if "on" in said else "off"
    return None


def asked(wire: str, model: str, reasoning: ReasoningOptions | None) -> Request:
    """Return the smallest request of an API for a model, with an answer that is long enough for a budget."""
    request = replace(base(wire), model=model, reasoning=reasoning)
    if has_limit(wire):
        request = replace(request, options=replace(request.options, max_tokens=4000))
    return request


def built(wire: str, model: str, reasoning: ReasoningOptions | None, policies: str) -> Built[Any] | None:
    """Return what is built; None where it is refused."""
    try:
        sent: Built[Any] = module(wire).build(
            asked(wire, model, reasoning), settings=address(wire), policies=policies
        )
    except PromptwireError:
        return None
    return sent


@cache
def can_say_off(wire: str, model: str) -> bool:
    """Return whether one of the neutral ways to turn thinking off is taken as it is."""
    found = [built(wire, model, each, "strict") for each in OFF]
    return any(each is not None and says(each.body) == "off" for each in found)


@cache
def ways(wire: str) -> st.SearchStrategy[tuple[str, int]]:
    """Draw a model of an API that does not refuse every request, and a way to say whether it thinks."""
    usual = [model for model in models(wire) if built(wire, model, None, "strict") is not None]
    return st.tuples(st.sampled_from(usual), st.integers(0, len(WAYS) - 1))


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(250, dialect=60)
def test_no_repair_turns_thinking_on_or_off(wire: str, data: st.DataObject) -> None:
    model, way = data.draw(ways(wire))
    sent = built(wire, model, reasoning_of(way), data.draw(st.sampled_from(("portable", "lenient"))))
    assert sent is not None, f"{WAYS[way]} is refused for {model}"
    said = says(sent.body)
    if said is None:
        notes = [str(note) for note in sent.notes if "reasoning" in f"{note.path}.{note.field}"]
        assert notes, f"{WAYS[way]} is gone for {model} without a note"
        if WAYS[way][1] == "off":
            assert not can_say_off(wire, model), f"{WAYS[way]} could be said to {model}"
            assert any("may think all the same" in note for note in notes)
    else:
        assert said == WAYS[way][1], f"{WAYS[way]} became {sent.body} for {model}"


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(100, dialect=30)
def test_strict_says_it_or_names_it(wire: str, data: st.DataObject) -> None:
    model, way = data.draw(ways(wire))
    problems = module(wire).check(asked(wire, model, reasoning_of(way)), settings=address(wire))
    sent = built(wire, model, reasoning_of(way), "strict")
    if sent is None:
        assert any("reasoning" in f"{problem.path}.{problem.field}" for problem in problems), WAYS[way]
    else:
        assert says(sent.body) == WAYS[way][1], f"{WAYS[way]} became {sent.body} for {model}"
