"""The law of prepared requests: preparing one again changes nothing, whatever path its system text takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import SearchStrategy

from promptwire import Cache, Instruction, Message, Options, Request, Text, Tool, dump_request
from promptwire.context import ContextPolicies, Draft, HistoryReduction, Pipeline, PlanMode
from tests.laws.strategies import searching
from tests.laws.test_instructions import POLICIES

NESTED = "<inner>\nx\n</inner>"
SAID = st.sampled_from(
    ("a", "b", "a b", "a\nb", "a\n\nP\nb", "P", "d", "a\n\nP\nd\nb", "%s", "\n", "x\n\n<notes>\ny\n</notes>")
)
TOOLS = (Tool("f"), Tool("f", "another"), Tool("g"))


def adding(name: str, text: str) -> Any:
    """A filter whose section has a name of its own."""

    def add(draft: Draft) -> Draft:
        return draft.with_section(name, text)

    return add


def blocks(policies: ContextPolicies) -> SearchStrategy[Any]:
    """Draw the instructions of a request or an agent: none, text, or layers of which some are separate blocks.

    Where one layer drops another that it contains, only text tells afterwards what was there.
    """
    if policies.dedup == "substring":
        return st.none() | SAID
    layer = st.builds(
        Instruction, SAID, st.none() | st.just("developer"), cache=st.none() | st.none() | st.just(Cache())
    )
    return st.none() | SAID | st.lists(SAID | layer, max_size=3).map(tuple)


def agents(policies: ContextPolicies) -> SearchStrategy[dict[str, Any]]:
    """Everything that a pipeline may add to a request."""
    memory = st.none() | st.sampled_from(("m", NESTED))
    return st.fixed_dictionaries(
        {
            "base": blocks(policies),
            "plan": st.none() | st.just(PlanMode(text="P")),
            "dynamic": st.lists(SAID, max_size=2).map(
                lambda texts: [lambda _, text=text: text for text in texts]
            ),
            "history": st.none() | st.just(HistoryReduction(max_messages=2)),
            "static_memory": memory,
            "current_plan": memory,
            "filters": st.lists(
                st.builds(adding, st.sampled_from(("notes", "more")), st.sampled_from(("n", ""))), max_size=2
            ),
            "defaults": st.none() | st.just(Request("m", tools=TOOLS[1:], options=Options(stop=("end",)))),
            "policies": st.just(policies),
        }
    )


def conversations() -> SearchStrategy[tuple[Message, ...]]:
    """Messages of the user among messages of the system that say what layers say, or more."""
    system = st.builds(
        lambda role, texts: Message(role, tuple(map(Text, texts))),
        st.sampled_from(("system", "developer")),
        st.lists(SAID, min_size=1, max_size=2),
    )
    said = st.builds(lambda text: Message("user", (Text(text),)), st.sampled_from(("Hello", "Bye")))
    return st.lists(st.one_of(said, said, system), max_size=4).map(
        lambda messages: (*messages, Message("user", (Text("Now"),)))
    )


@pytest.mark.parametrize("native", [True, False], ids=["native", "message"])
@pytest.mark.parametrize("name", POLICIES)
@searching(60)
@given(data=st.data())
def test_preparing_again_changes_nothing(name: str, native: bool, data: st.DataObject) -> None:
    pipeline = Pipeline(**data.draw(agents(POLICIES[name]), "agent"), native=native)
    request = Request(
        "m",
        data.draw(conversations(), "messages"),
        instructions=data.draw(blocks(POLICIES[name]), "instructions"),
        tools=data.draw(st.none() | st.just(TOOLS[:1])),
    )
    first = pipeline.prepare(request).request
    again = pipeline.prepare(first).request
    assert dump_request(again, kept=True) == dump_request(first, kept=True)
