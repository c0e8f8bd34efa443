"""Pipelines beside their cases: what functions are shown, which mistakes are found at once, who must await."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from promptwire import Cache, Instruction, Request, assistant, dump_request, load_request, system, user
from promptwire.context import PRESETS, Draft, Outcome, Pipeline, layers_of, merge
from promptwire.errors import ContextError, InvalidRequest, LoadError

REQUEST = Request("m", (user("hi"),), instructions="R")


@pytest.mark.parametrize("properties", [{"id": 1}, {}, None])
def test_what_functions_are_shown(properties: Any) -> None:
    seen: list[Any] = []

    def provider(draft: Draft) -> str:
        seen.append(draft)
        return "D"

    class Notes:
        def __call__(self, draft: Draft) -> None:
            seen.append(draft)

        def post_invoke(self, outcome: Outcome) -> None:
            seen.append(outcome)

    agent = Pipeline(base="B", dynamic=iter([provider]), filters=iter([Notes()]))
    calls = [agent.prepare(REQUEST, properties=properties) for _ in range(2)]
    for prepared in calls:
        agent.post_invoke(prepared, assistant("yes"))
    bare, given = Request("m", (user("hi"),)), properties or {}
    assert seen == [
        *2
        * [
            Draft(bare, merge(layers_of(base="B")), given),
            Draft(bare, merge(layers_of(base="B", dynamic="D", request="R")), given),
        ],
        *[Outcome(prepared.request, (assistant("yes"),), None, given) for prepared in calls],
    ]
    assert [prepared.properties for prepared in calls] == [given, given]


def test_what_a_pipeline_is_made_of() -> None:
    agent = Pipeline(base=("B", Instruction("C", source="house")), policies="maf")
    assert agent.fixed == (Instruction("B", source="base"), Instruction("C", source="house"))
    assert (agent.policies, agent.dynamic, agent.in_order, agent.path) == (PRESETS["maf"], (), (), "native")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"base": 5}, InvalidRequest, "layers are a list, not int"),
        ({"base": [5]}, InvalidRequest, "instructions.base: a layer is text or an Instruction, not int"),
        ({"dynamic": 5}, InvalidRequest, "dynamic layers are a list, not int"),
        ({"dynamic": [len, "D"]}, ContextError, "dynamic layer 2: is str, not callable"),
        ({"filters": 5}, InvalidRequest, "filters are a list, not int"),
        ({"current_plan": 5}, ContextError, "filter current_plan: is int, not callable"),
        ({"defaults": REQUEST}, ContextError, "defaults: messages belong to a request of their own"),
    ],
)
def test_mistakes_are_found_before_any_request(given: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as refused:
        Pipeline(**given)
    assert str(refused.value) == said


class Later:
    """A service whose every answer must be awaited."""

    name = "later"

    async def __call__(self, _given: Any) -> None:
        """Change nothing."""

    async def post_invoke(self, _outcome: Outcome) -> None:
        """Listen."""


def two_calls(agent: Pipeline) -> None:
    plain = Pipeline().prepare(REQUEST)
    agent.next_call(plain, assistant("yes"))


@pytest.mark.parametrize(
    ("given", "call", "said"),
    [
        ({"dynamic": [Later()]}, lambda agent: agent.prepare(REQUEST), "dynamic layer 1 (Later): is asynchronous; await prepare_async"),
        ({"filters": [Later()]}, lambda agent: agent.prepare(REQUEST), "filter later: is asynchronous; await prepare_async"),
        ({"scope": Later()}, two_calls, "scope: is asynchronous; await next_call_async"),
        (
            {"filters": [Later()]},
            lambda agent: agent.post_invoke(Pipeline().prepare(REQUEST)),
            "filter later, post_invoke: is asynchronous; await post_invoke_async",
        ),
    ],
)  # fmt: skip
def test_what_must_be_awaited_says_how(given: Any, call: Callable[[Pipeline], Any], said: str) -> None:
    with pytest.raises(ContextError) as refused:
        call(Pipeline(**given))
    assert str(refused.value) == said


AT_THE_START = Pipeline(base="B", native=False)


@pytest.mark.parametrize(("instructions", "text"), [(None, "X\nR"), ("S", "X\nS")])
def test_another_agent_knows_what_the_request_said(instructions: str | None, text: str) -> None:
    first = AT_THE_START.prepare(REQUEST).request
    other = Pipeline(base="X", native=False)
    messages = other.prepare(replace(first, instructions=instructions)).request.messages
    assert [replace(message, provenance=None) for message in messages] == [system(text), user("hi")]


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    "agent", [AT_THE_START, Pipeline(base="B"), Pipeline(base=("B", Instruction("C", "developer")))]
)
def test_a_request_is_stored_with_its_own_layers(agent: Pipeline, kept: bool) -> None:
    first = agent.prepare(REQUEST).request
    stored = load_request(dump_request(first, kept=kept))
    assert (stored, dump_request(stored, kept=kept)) == (first, dump_request(first, kept=kept))
    assert agent.prepare(stored).request == first
    other = Pipeline(base="X").prepare(stored).request
    assert other.instructions == "X\nR"
    assert [message.role for message in other.messages] == ["user"]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"instructions": {"written": "B", "own": "R"}}, "instructions.own: expected a list of texts and mappings"),
        ({"instructions": {"written": 3, "own": []}}, "instructions.written: expected text or a list of texts"),
        ({"instructions": {"written": "B", "mine": []}}, 'instructions: unknown key "mine"'),
        (
            {"messages": [{"system": "B", "provenance": {"wire": "promptwire.context", "own": [3]}}]},
            "messages[0].provenance.own[0]: expected text or a",
        ),
        (
            {"messages": [{"system": "B", "provenance": {"wire": "promptwire.context", "own": [], "x": 1}}]},
            'messages[0].provenance: unknown key "x"',
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_stored_layers_is_named(request_: Any, said: str) -> None:
    with pytest.raises(LoadError) as refused:
        load_request(request_)
    assert said in str(refused.value)


@pytest.mark.parametrize("instructions", ["R", None])
def test_what_system_messages_say_is_no_part_of_the_text(instructions: str | None) -> None:
    base = (Instruction("B", cache=Cache()), Instruction("A", "developer"), "C")
    messages = (system("A"), system("C\nmore"), user("hi"))
    agent = Pipeline(base=base, current_plan="P")
    first = agent.prepare(Request("m", messages, instructions=instructions))
    own = "C\nR\n\n" if instructions else ""
    plan = Instruction(f"{own}<current_plan>\nP\n</current_plan>")
    assert first.request.instructions == (Instruction("B", source="base", cache=Cache()), plan)
    again = agent.prepare(first.request)
    assert (again.request, again.report.text) == (first.request, first.report.text)


def test_a_system_message_that_came_later_says_it_instead() -> None:
    agent = Pipeline(base="B")
    first = agent.prepare(REQUEST).request
    later = agent.prepare(replace(first, messages=(system("B"), user("hi"))))
    assert (first.instructions, later.request.instructions) == ("B\nR", "R")


def test_sections_are_no_words_of_the_request() -> None:
    messages = (system("B\nmore"), user("hi"))
    request = Request("m", messages, instructions="<notes>\none\n</notes>")
    prepared = Pipeline(base="B").prepare(request)
    assert prepared.request == request
    said = "dropped instructions.base[0].text: messages[0] says the same, and more"
    assert [str(note) for note in prepared.report.notes] == [said]


def test_a_call_without_a_scope_sees_what_was_added() -> None:
    agent = Pipeline()
    call = agent.next_call(agent.prepare(REQUEST), assistant("yes"))
    assert call.request == call.unscoped == replace(REQUEST, messages=(user("hi"), assistant("yes")))
