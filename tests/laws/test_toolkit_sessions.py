"""Laws of toolkit sessions, whatever a model calls: visible tools, effective instructions, calls with their results.

A machine calls containers, functions that show, functions that do not and functions that nobody has, begins turns, expands,
collapses and changes the API, while a plain account of the policy says which instructions must be there.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from promptwire import (
    Answer,
    Options,
    Request,
    Tool,
    ToolCall,
    ToolResult,
    anthropic_messages,
    assistant,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.results import Candidate
from promptwire.toolkits import CollapsingConfig, Session, Toolkit, Toolkits, ToolkitState
from tests.internals.runtime import names_of
from tests.searching import examples


def function(name: str) -> Tool:
    return Tool(name, parameters={"type": "object", "properties": {}})


KITS = (
    Toolkit("A", "a", [function("a1"), function("a2")], system_prompt="RULES A"),
    Toolkit(
        "B",
        "b",
        [
            function("b1"),
            Toolkit("C", "c", [function("c1"), Toolkit("D", "d", [function("d1")])], system_prompt="RULES C"),
        ],
        system_prompt="RULES B",
    ),
    Toolkit("E", "e", [function("e1")], system_prompt=lambda: "RULES E", collapsed=False),
)
PATHS = {"A": "A", "B": "B", "C": "BC", "D": "BCD", "E": "E"}
FUNCTIONS = {"a1": "A", "a2": "A", "b1": "B", "c1": "BC", "d1": "BCD", "e1": "E"}
# every tool in the order in which it may show
ORDER = ["A", "a1", "a2", "B", "b1", "C", "c1", "D", "d1", "e1"]
TARGETS: tuple[tuple[Any, str], ...] = (
    (openai_chat, "gpt-4o"),
    (openai_responses, "gpt-5.6"),
    (anthropic_messages, "claude-sonnet-4-5"),
)


def flat(request: Request) -> list[Any]:
    """The tools of a request, those of groups among them."""
    return [tool for shown in request.tools or () for tool in getattr(shown, "tools", None) or (shown,)]


class Conversation(RuleBasedStateMachine):
    """One conversation, and the instructions that it must have."""

    @initialize(
        lifetime=st.sampled_from(["message_turn", "session", "while_expanded"]),
        results=st.sampled_from(["history", "ephemeral"]),
        order=st.sampled_from(["in_place", "grouped_sorted"]),
        activation=st.sampled_from(["expansion", "use"]),
        deferral=st.sampled_from(["auto", "containers", "none"]),
    )
    def begin(self, lifetime: str, results: str, order: str, activation: str, deferral: str) -> None:
        self.config = CollapsingConfig(
            prompt_lifetime=lifetime,
            function_result_lifetime=results,
            expanded_tool_order=order,
            activation=activation,
            deferral=deferral,
        )
        request = Request("gpt-5.6", user("Hello"), instructions="BASE", options=Options(max_tokens=9))
        self.session = Session(Toolkits(KITS, self.config), request)
        self.expanded: list[str] = []
        self.said: set[str] = set()
        self.active: list[str] = []
        self.calls = 0
        self.named = True

    # ---- the account

    def say(self, kit: str) -> None:
        self.said.add(kit)
        if kit not in self.active:
            self.active.append(kit)

    def opens(self, path: str) -> None:
        for kit in path:
            if kit not in self.expanded and (kit != "E" or path == "E"):
                self.expanded.append(kit)
                self.say(kit)

    def uses(self, path: str) -> None:
        contained = self.session.mode.word == "containers"
        for kit in path:
            if kit in self.said:
                if self.config.activation == "use":
                    self.say(kit)
            elif not (contained and kit in self.expanded):
                self.say(kit)
                if not contained and kit not in self.expanded:
                    self.expanded.append(kit)

    # ---- what happens

    @rule(
        names=st.lists(st.sampled_from([*PATHS, *FUNCTIONS, "gone"]), min_size=1, max_size=3),
        ids=st.booleans(),
    )
    def model_calls(self, names: list[str], ids: bool) -> None:
        calls = [
            ToolCall(f"c{self.calls + number}" if ids else None, name) for number, name in enumerate(names)
        ]
        self.calls += len(calls)
        self.named = self.named and ids
        answer = Answer(candidates=(Candidate(message=assistant("So:", *calls)),))
        shown = set(names_of(self.session.request.tools or ()))
        own = self.session.calls(answer)
        assert [call.name for call in own] == [name for name in names if name in FUNCTIONS and name in shown]
        self.session = self.session.after(answer, *[tool_result(call, "done") for call in own])
        for name in names:
            if name in FUNCTIONS and name in shown:
                self.uses(FUNCTIONS[name])
            elif name != "gone":
                self.opens(PATHS.get(name) or FUNCTIONS[name])

    @rule()
    def turn_begins(self) -> None:
        answer = Answer(candidates=(Candidate(message=assistant("Done.")),))
        self.session = self.session.after(answer).turn(user("And now?"))
        if self.config.lifetime == "message_turn":
            self.active = []

    @rule(name=st.sampled_from(list(PATHS)))
    def application_expands(self, name: str) -> None:
        self.session = self.session.expand(name)
        self.opens(PATHS[name])

    @rule(name=st.sampled_from(list(PATHS)))
    def application_collapses(self, name: str) -> None:
        self.session = self.session.collapse(name)
        self.expanded = [kit for kit in self.expanded if kit != name]
        if self.config.lifetime == "while_expanded":
            self.active = [kit for kit in self.active if kit != name]
            self.said.discard(name)

    @rule(api=st.sampled_from(TARGETS))
    def another_api_is_asked(self, api: tuple[Any, str]) -> None:
        self.session = self.session.on(*api)

    # ---- what holds

    @invariant()
    def tools_are_unique_and_stable(self) -> None:
        names = list(names_of(self.session.request.tools or ()))
        assert len(names) == len(set(names))
        again = Session(self.session.toolkits, self.session.bare, self.session.state, self.session.wire)
        fresh = Session(Toolkits(KITS, self.config), self.session.bare, self.session.state, self.session.wire)
        assert self.session.request == again.request == fresh.request
        if self.config.expanded_tool_order == "in_place" and self.session.mode.word == "containers":
            assert names == [name for name in ORDER if name in names]
        # a function shows where all around it are expanded, its container where it is not
        if self.session.mode.word == "containers":
            opened = {*self.expanded, "E"}
            assert {name for name in names if name in FUNCTIONS} == {
                name for name, path in FUNCTIONS.items() if opened.issuperset(path)
            }
            assert {name for name in names if name in PATHS} == {
                kit for kit, path in PATHS.items() if kit not in opened and opened.issuperset(path[:-1])
            }
        else:
            assert set(names) >= FUNCTIONS.keys()

    @invariant()
    def instructions_are_what_the_policy_says(self) -> None:
        # what is deferred by the API has its rules in the descriptions of its functions
        told = self.session.state.rules if self.session.mode.word == "native" else {}
        prompts = [f"RULES {kit}" for kit in self.active if kit != "D" and not told.get(kit)]
        assert self.session.request.instructions == "\n\n".join(["BASE", *prompts])
        assert self.session.bare.instructions == "BASE"

    @invariant()
    def deferred_functions_come_with_their_rules(self) -> None:
        for tool in flat(self.session.request):
            if isinstance(tool, Tool) and tool.deferred and tool.name != "d1":
                assert f"RULES {tool.name[0].upper()}" in (tool.description or "")

    @invariant()
    def calls_and_results_are_pairs(self) -> None:
        parts = [part for message in self.session.request.messages for part in message.parts]
        calls = [(part.id, part.name) for part in parts if isinstance(part, ToolCall)]
        results = [(part.call_id, part.name) for part in parts if isinstance(part, ToolResult)]
        assert calls == results
        known = [name for name in (name for _, name in calls) if name in PATHS]
        ephemeral = self.config.function_result_lifetime == "ephemeral"
        assert not (ephemeral and known and self.session.request.messages[-1].role == "user")

    @invariant()
    def the_state_survives_json(self) -> None:
        state = self.session.state
        assert ToolkitState.of_json(json.loads(json.dumps(state.to_json()))) == state

    @invariant()
    def every_wire_builds_it(self) -> None:
        # these three know no calls without ids
        if self.session.wire is not None and self.named:
            request = self.session.request
            built = self.session.wire.build(request, policies="lenient")
            assert len(built.body["tools"]) == len(request.tools or ())


TestConversation = pytest.mark.filterwarnings("error")(Conversation.TestCase)
TestConversation.settings = settings(stateful_step_count=12, max_examples=examples(60), deadline=None)
