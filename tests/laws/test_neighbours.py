"""Rules about what stands beside what: a build finds all that is found where every message and part is looked at."""

from __future__ import annotations

from itertools import product
from types import ModuleType

import pytest

import promptwire
from promptwire import Image, Message, Reasoning, Request, Tool, ToolCall, assistant, system, user
from tests.internals.runtime import start
from tests.laws.traces import module
from tests.searching import some_of

pytestmark = pytest.mark.slow

PNG = Image(data="aGk=", media_type="image/png")
CALLS = [ToolCall(name, "f", {}) for name in ("a", "b")]
RESULT = promptwire.tool_result("a", "1")
MESSAGES = (
    user("hi"),
    user("see", PNG),
    user(*RESULT.parts, "and?"),
    user("and?", *RESULT.parts),
    RESULT,
    assistant("well"),
    assistant(CALLS[0]),
    assistant("now", *CALLS),
    assistant(CALLS[0], "so"),
    assistant(CALLS[0], Reasoning(text="hm"), CALLS[1]),
    assistant(Reasoning(text="hm"), "well"),
    assistant("well", Reasoning(text="hm", id="rs_1")),
    system("be brief"),
)
MODELS = {
    "anthropic_messages": ["claude-opus-4-5", "claude-opus-4-8"],
    "bedrock_converse": ["meta.llama3-1-70b-instruct-v1:0", "mistral.mistral-large-2402-v1:0"],
    "cohere_chat": ["command-a-03-2025"],
    "cohere_v1": ["command-a-03-2025"],
    "compatible_chat": ["kimi-k2.6"],
    "dashscope_generation": ["qwen-plus"],
    "gemini_generate": ["gemini-2.5-flash", "gemini-3-pro-preview"],
    "llamacpp_chat": ["Qwen3.5-35B-A3B", "Mistral-Small-3.2-24B"],
    "mistral_chat": ["mistral-large-latest"],
    "openai_responses": ["gpt-5", "gpt-4o"],
    "perplexity_chat": ["sonar"],
    "vllm_chat": ["Qwen/Qwen3.5-35B-A3B", "mistralai/Mistral-Small-3.2-24B"],
    "yandex_completion": ["yandexgpt"],
}
# hosts of a compatible API have rules of their own
SETTINGS = {"compatible_chat": {"base_url": "https://api.moonshot.ai/v1"}}


def is_about_neighbours(path: str) -> bool:
    return path.endswith((".after", ".before")) and not path.startswith("cache")


def looked_at_everywhere(wire: ModuleType, request: Request) -> set[tuple[str, str]]:
    """Return the problems that the rules find when they see every message and every part, whatever its neighbours."""
    context = start(wire.WIRE, request)
    context.configure(SETTINGS.get(wire.WIRE.name), "loss=note,refusals=send,repairs=off")
    for message in request.messages:
        for node in (message, *message.parts):
            context.rules.check_node(node)
    return {(note.path, note.field) for note in context.report.notes if is_about_neighbours(note.field)}


@pytest.mark.parametrize(
    ("wire", "model"), [(wire, model) for wire, models in MODELS.items() for model in models]
)
def test_no_neighbour_that_a_rule_refuses_is_passed_over(wire: str, model: str) -> None:
    package = module(wire)
    met: set[str] = set()
    ones, pairs, triples = (product(MESSAGES, repeat=count) for count in (1, 2, 3))
    for messages in (*ones, *pairs, *some_of(triples, list(MODELS).index(wire))):
        if messages[0].role == "system":
            # no message here, but one of the instructions
            continue
        request = Request(model, fresh(messages), tools=[Tool("f", "One.", {"type": "object"})])
        problems = package.check(request, settings=SETTINGS.get(wire))
        refused = {(problem.path, problem.field) for problem in problems if problem.what == "refused"}
        expected = looked_at_everywhere(package, request)
        assert {row for row in refused if is_about_neighbours(row[1])} == expected, messages
        met |= {field for _, field in expected}
    assert met


def fresh(messages: tuple[Message, ...]) -> list[Message]:
    """Each message as one of its own: the same node in two places is one node to the rules."""
    return [Message(message.role, message.parts) for message in messages]


def test_every_wire_with_such_rules_is_among_them() -> None:
    wires = {
        wire
        for wire in promptwire.WIRES
        for rule in module(wire).WIRE.rules
        for entry in rule.reject
        if is_about_neighbours(entry.path.text)
    }
    heirs = {wire for wire in wires if {wire, module(wire).WIRE.api} & MODELS.keys()}
    assert wires - heirs == set()
