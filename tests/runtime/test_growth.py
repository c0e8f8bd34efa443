"""Four times as much runs about four times as many lines: nothing that a caller gives many of is compared each with each.

`tests/benchmarks/test_growth.py` measures the same work in time, which a busy machine changes; lines it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import promptwire
from promptwire import (
    Cache,
    HostedTool,
    Message,
    Options,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    tool_result,
    user,
)
from tests.benchmarks import by_hand, workloads
from tests.counting import lines_run
from tests.growing import GROWING
from tests.laws.specimens import least_options
from tests.searching import TESTED_WIRES

# linear work runs 4 times as many lines for 4 times as much, quadratic work 16 times
MOST = 5.0
# of the size that is measured in time
SHARE = 20
WIRES: dict[str, tuple[Callable[[Request], Any], str]] = {
    "openai_chat": (by_hand.openai_chat, "gpt-4o"),
    "anthropic_messages": (by_hand.anthropic_messages, "claude-sonnet-4-5"),
}
# a model of each API that takes all of the workloads
MODELS = {
    "openai_chat": "gpt-4o",
    "openai_responses": "gpt-4o",
    "anthropic_messages": "claude-sonnet-4-5",
    "gemini_generate": "gemini-2.5-flash",
    "bedrock_converse": "anthropic.claude-3-5-sonnet-20240620-v1:0",
    "mistral_chat": "mistral-large-latest",
    "cohere_chat": "command-a-03-2025",
    "groq_chat": "llama-3.3-70b-versatile",
    "xai_chat": "grok-4",
    "openrouter_chat": "openai/gpt-4o",
}


@pytest.mark.parametrize("case", GROWING)
def test_four_times_as_much_runs_four_times_as_many_lines(case: str) -> None:
    count, work = GROWING[case]
    few, many = [lines_run(work(times * count // SHARE)) for times in (1, 4)]
    assert many < MOST * few


@pytest.mark.parametrize(
    "make", [workloads.chat, lambda model, n: workloads.agent(model, n // 10)], ids=["text", "tools"]
)
@pytest.mark.parametrize("wire", WIRES)
def test_a_message_costs_the_same_in_a_long_conversation(
    wire: str, make: Callable[[str, int], Request]
) -> None:
    build = getattr(promptwire, wire).build
    small, large = (make(WIRES[wire][1], count) for count in (100, 1000))
    costs = [lines_run(partial(build, one)) / len(one.messages) for one in (small, large)]
    assert costs[1] < 1.1 * costs[0]


def noted(model: str, count: int) -> Request:
    """Make a conversation of which every message is noted: its mark is one too many, its name means nothing."""
    turns = [
        Message(role, (Text(f"turn {index}", cache=Cache()),), name="somebody")
        for index in range(count // 2)
        for role in ("user", "assistant")
    ]
    return Request(model, turns, options=Options(max_tokens=8))


@pytest.mark.parametrize("wire", WIRES)
def test_a_note_costs_the_same_in_a_long_conversation(wire: str) -> None:
    build = getattr(promptwire, wire).build
    small, large = (noted(WIRES[wire][1], count) for count in (40, 400))

    def notes(request: Request) -> int:
        return len(build(request, policies="lenient").notes)

    costs = [lines_run(partial(notes, one)) / len(one.messages) for one in (small, large)]
    assert notes(large) >= 400
    assert costs[1] < 1.1 * costs[0]


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_settings_cost_little_more_than_a_look_at_each(wire: str) -> None:
    module = getattr(promptwire, wire)
    request = Request("m", [promptwire.user("hi")], options=least_options(wire))
    free = [name for name, each in module.WIRE.settings.items() if not each.choices and not each.listed]
    settings = dict.fromkeys(free, "given")
    # what the first build makes and keeps is no cost of the others
    module.build(request)
    module.build(request, settings=settings)
    bare = lines_run(lambda: module.build(request))
    given = lines_run(lambda: module.build(request, settings=settings))
    assert given - bare < 40 + 10 * len(settings)


@pytest.mark.parametrize("workload", workloads.WORKLOADS)
@pytest.mark.parametrize("wire", WIRES)
def test_a_build_runs_few_times_the_lines_of_code_written_by_hand(wire: str, workload: str) -> None:
    by_hand_build, model = WIRES[wire]
    build = getattr(promptwire, wire).build
    request = workloads.WORKLOADS[workload](model)
    build(request)
    ours, other = lines_run(lambda: build(request)), lines_run(lambda: by_hand_build(request))
    assert ours < 3 * other


@pytest.mark.parametrize("workload", workloads.WORKLOADS)
@pytest.mark.parametrize("wire", MODELS)
def test_a_plain_conversation_costs_about_the_same_on_each_api(wire: str, workload: str) -> None:
    """Facts about other models, or about what a request does not hold, cost it nothing."""
    build = getattr(promptwire, wire).build
    request = workloads.WORKLOADS[workload](MODELS[wire])
    build(request)
    ours, other = lines_run(lambda: build(request)), lines_run(lambda: by_hand.openai_chat(request))
    assert ours < 4 * other


@pytest.mark.parametrize(
    ("wire", "hosted"),
    [
        ("anthropic_messages", HostedTool("web_search_20250305", "web_search")),
        ("openai_responses", HostedTool("web_search")),
    ],
)
def test_a_tool_of_the_api_does_not_make_the_functions_beside_it_dear(wire: str, hosted: HostedTool) -> None:
    build = getattr(promptwire, wire).build
    request = workloads.agent(MODELS[wire])
    beside = request.replace(tools=[*(request.tools or ()), hosted])
    # schemas are looked through once: each turn of a conversation has the same tools
    build(beside)
    assert lines_run(partial(build, beside)) < 2.5 * lines_run(partial(build, request))


@pytest.mark.parametrize("wire", ["anthropic_messages", "anthropic_vertex"])
def test_the_repair_of_a_limit_costs_a_few_builds(wire: str) -> None:
    build = getattr(promptwire, wire).build
    given = workloads.chat("claude-sonnet-4-5", 200)
    lacking = given.replace(options=given.options.replace(max_tokens=None))
    strict = lines_run(partial(build, given))
    assert lines_run(partial(build, lacking, policies="portable")) < 4 * strict


def talk(model: str, answer: Callable[[ToolCall], Message]) -> Request:
    """Make a conversation of an agent that calls a tool in each of many turns."""
    calls = [ToolCall(f"call_{index}", "look", {"path": f"/{index}"}) for index in range(50)]
    turns = [message for call in calls for message in (assistant("I look.", call), answer(call))]
    return Request(
        model,
        [user("Go."), *turns],
        tools=[Tool("look", "Looks.", {"type": "object"})],
        options=Options(max_tokens=8),
    )


@pytest.mark.parametrize("wire", WIRES)
def test_results_of_calls_cost_little_more_than_results_of_ids(wire: str) -> None:
    build = partial(getattr(promptwire, wire).build, policies="portable")
    ids, calls, failed = [
        lines_run(partial(build, talk(WIRES[wire][1], answer)))
        for answer in (
            lambda call: tool_result(call.id, "12 C"),
            lambda call: tool_result(call, "12 C"),
            lambda call: Message("tool", [ToolResult(call.id, "no", item_id="a")]),
        )
    ]
    # a name that repeats that of the call costs nothing, and what else a result has is noted
    assert (calls < 1.1 * ids, failed < 3.5 * ids) == (True, True)
