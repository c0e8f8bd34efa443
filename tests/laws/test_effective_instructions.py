"""One effective text at any time: a prepared request that goes on says what a new conversation would say.

Each turn may have another agent, phase of plan mode, path and policies; the request goes on from the one that was
prepared for the turn before, or is the same conversation written anew. Both must come to the same request.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import SearchStrategy

from promptwire import (
    Answer,
    Cache,
    Instruction,
    Message,
    Request,
    Text,
    assistant,
    dump_request,
    load_request,
    user,
)
from promptwire.context import PHASES, Filter, Pipeline, PlanMode, Prepared
from promptwire.results import Candidate
from tests.internals.runtime import InstructionsLike, is_written
from tests.laws.strategies import searching
from tests.laws.test_instructions import POLICIES
from tests.laws.test_prepared_again import blocks, conversations

SAID = st.sampled_from(("a", "b", "a b", "a\nb", "P", "d", "Plan mode is off.", ""))
OWN = st.sampled_from(("r", "a", "a\nb", "s", "r s", "r\ns", "r\n\ns", "%r", "\n", ""))
ANSWER = Answer(candidates=(Candidate(message=assistant("Done.")),))


def pipelines() -> SearchStrategy[Pipeline]:
    """Agents that differ in what they say, on which path, and by which policies."""
    return st.sampled_from(sorted(POLICIES)).flatmap(
        lambda name: st.builds(
            Pipeline,
            base=blocks(POLICIES[name]),
            plan=st.none() | st.builds(PlanMode, text=SAID, exit_text=st.none() | SAID),
            dynamic=st.lists(SAID, max_size=2).map(
                lambda texts: [lambda _, text=text: text for text in texts]
            ),
            filters=st.lists(SAID, max_size=1).map(
                lambda texts: [Filter("notes", lambda _, text=text: text) for text in texts]
            ),
            native=st.sampled_from((None, True, False)),
            policies=st.just(POLICIES[name]),
        )
    )


TURNS = st.lists(
    st.tuples(pipelines(), st.sampled_from(PHASES), st.sampled_from(("nothing", "stored", "own", "system"))),
    min_size=1,
    max_size=6,
)


def history_of(request: Request) -> tuple[Message, ...]:
    """The conversation without the messages that a pipeline wrote."""
    return tuple([message for message in request.messages if not is_written(message)])


def same(prepared: Prepared, new: Prepared) -> None:
    assert dump_request(prepared.request) == dump_request(new.request)
    assert prepared.report.text == new.report.text


def own_words() -> SearchStrategy[Any]:
    """Draw the request's own instructions: none, text, or layers."""
    layer = st.builds(Instruction, OWN, st.none() | st.just("developer"), cache=st.none() | st.just(Cache()))
    return st.none() | OWN | st.lists(OWN | layer, max_size=3).map(tuple)


@searching(150)
@given(messages=conversations(), said=own_words(), turns=TURNS)
def test_each_turn_says_what_a_new_conversation_would_say(
    messages: tuple[Message, ...], said: InstructionsLike | None, turns: list[tuple[Pipeline, str, str]]
) -> None:
    request = Request("m", messages, instructions=said)
    for number, (pipeline, phase, change) in enumerate(turns):
        if change == "own":
            said = f"own words {number}"
            new: Any = Request("m", request.messages, instructions=said)
            request = new
        elif change == "system":
            later = Message("system", (Text(f"later {number}"),))
            request = Request("m", (*request.messages, later), instructions=request.instructions)
        elif change == "stored":
            request = load_request(dump_request(request))
        prepared = pipeline.prepare(request, plan_phase=phase)
        fresh = Request("m", history_of(request), instructions=said)
        same(prepared, pipeline.prepare(fresh, plan_phase=phase))
        request = prepared.request.after(ANSWER, user(f"Question {number}"))


@pytest.mark.parametrize("native", [True, False], ids=["native", "message"])
def test_plan_mode_is_left(native: bool) -> None:
    agent = Pipeline(base="B", plan=PlanMode(text="P", exit_text="over"), native=native)
    request = Request("m", [user("Hi")], instructions="R")
    texts: list[str] = []
    for phase in ("entered", "active", "left", "over", "reentered"):
        prepared = agent.prepare(request, plan_phase=phase)
        texts.append(prepared.report.text)
        request = prepared.request.after(ANSWER, user("Go on"))
    assert texts == ["B\n\nP\nR", "B\n\nP\nR", "B\n\nover\nR", "B\nR", "B\n\nP\nR"]


@pytest.mark.parametrize("native", [True, False], ids=["native", "message"])
def test_a_provider_says_something_else(native: bool) -> None:
    words = iter(("one", "two", "", "three"))
    agent = Pipeline(base="B", dynamic=[lambda _: next(words)], native=native)
    request = Request("m", [user("Hi")], instructions="R")
    texts: list[str] = []
    for _ in range(4):
        prepared = agent.prepare(request)
        texts.append(prepared.report.text)
        request = prepared.request.after(ANSWER, user("Go on"))
    assert texts == ["B\none\nR", "B\ntwo\nR", "B\nR", "B\nthree\nR"]


def test_plan_mode_is_left_though_the_request_was_stored_in_between() -> None:
    agent = Pipeline(base="B", plan=PlanMode(text="P", exit_text="over"))
    prepared = agent.prepare(Request("m", [user("Hi")], instructions="R"))
    stored = load_request(dump_request(prepared.request))
    assert agent.prepare(stored, plan_phase="left").request.instructions == "B\n\nover\nR"
    assert agent.prepare(stored, plan_phase="over").request.instructions == "B\nR"
