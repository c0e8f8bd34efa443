"""Random conversations through the loop of an agent, on seven APIs and in all ways that it can be run.

Whatever the model does, no call stays without a result, no text comes twice, and no function that requires permission
runs without leave for the arguments that it gets.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from hypothesis import given, settings, strategies as st

from promptwire import (
    Instruction,
    Message,
    Options,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    anthropic_messages,
    bedrock_converse,
    cohere_chat,
    gemini_generate,
    mistral_chat,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.context import Pipeline, PlanMode
from promptwire.http import ApiStatusError, RunLimitError
from promptwire.toolkits import CollapsingConfig, InvocationFilter, Toolkit, Toolkits, ToolkitState, tool
from tests.clients.scripted import WAYS, ScriptedApi, run_with, saying
from tests.searching import examples

APIS = (
    openai_chat,
    openai_responses,
    anthropic_messages,
    gemini_generate,
    mistral_chat,
    cohere_chat,
    bedrock_converse,
)
BASE = "You help with files."
# of toolkits and plain functions, those that nobody has, and one that the caller runs
NAMES = ("Disk", "Mail", "read", "remove", "send", "broken", "clock", "nothing", "show")
GUARDED = ("remove", "send")
CUT = ("length", "filtered")

CALLS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(("fits", "odd"))), min_size=1, max_size=3)
STEPS: st.SearchStrategy[tuple[str, list[Any]]] = st.one_of(
    st.tuples(st.just("says"), st.just([])),
    st.tuples(st.just("calls"), CALLS),
    st.tuples(st.just("calls"), CALLS),
    st.tuples(st.sampled_from(CUT), CALLS),
    st.tuples(st.just("fails"), st.just([])),
)


@dataclass(frozen=True)
class Plan:
    """What is drawn for one conversation."""

    api: Any
    way: str
    turns: list[list[Any]]
    has_pipeline: bool
    has_developer: bool
    native: bool | None
    has_toolkits: bool
    deferral: str
    leaves: list[Any]
    changes: bool
    forced: bool
    most: int


PLANS = st.builds(
    Plan,
    api=st.sampled_from(APIS),
    way=st.sampled_from(WAYS),
    turns=st.lists(st.lists(STEPS, max_size=4), min_size=1, max_size=3),
    has_pipeline=st.booleans(),
    has_developer=st.booleans(),
    native=st.sampled_from((None, True, False)),
    has_toolkits=st.booleans(),
    deferral=st.sampled_from(("auto", "containers", "none")),
    leaves=st.lists(st.sampled_from((True, False, "not today")), min_size=1, max_size=4),
    changes=st.booleans(),
    forced=st.booleans(),
    most=st.integers(1, 4),
)


@dataclass
class World:
    """An application, what it was asked for leave, and what ran."""

    plan: Plan
    leaves: dict[tuple[str, str], bool] = field(default_factory=dict)
    ran: list[tuple[str, str]] = field(default_factory=list)
    asked: int = 0
    said: int = 0
    cut: set[str] = field(default_factory=set)

    def approve(self, call: Any) -> bool | str:
        answer: bool | str = self.plan.leaves[self.asked % len(self.plan.leaves)]
        self.asked += 1
        self.leaves[call.name, call.parsed_arguments["path"]] = answer is True
        return answer

    def run(self, name: str, path: str) -> str:
        self.ran.append((name, path))
        return f"{name} done"

    def functions(self) -> list[Any]:
        @tool("Read a file.", name="read")
        def read(path: str) -> str:
            return self.run("read", path)

        @tool("Delete a file.", name="remove", permission=True)
        def remove(path: str) -> str:
            return self.run("remove", path)

        class Sender:
            """An object that is called as a function."""

            async def __call__(self, path: str) -> str:
                """Send a file, later."""
                await asyncio.sleep(0)
                return run("send", path)

        run = self.run
        send = tool("Send a file.", name="send", permission=True)(Sender())

        @tool("Fail.", name="broken")
        def broken(path: str) -> str:
            self.run("broken", path)
            raise LookupError(path)

        return [read, remove, send, broken]

    def options(self) -> dict[str, Any]:
        plan = self.plan
        read, remove, send, broken = self.functions()
        if plan.way == "own":
            # without an event loop
            send = tool("Send a file.", name="send", permission=True)(lambda path: self.run("send", path))
        rename = InvocationFilter(
            name="rename",
            before=lambda call: call.replace(
                arguments={"path": f"{next(iter(call.parsed_arguments.values()), '')}!"}
            ),
        )
        options: dict[str, Any] = {"approve": self.approve, "max_steps": plan.most}
        options["filters"] = [rename] if plan.changes else []
        if plan.has_toolkits:
            kits = [
                Toolkit("Disk", "Files", [read, remove], system_prompt="Never twice."),
                Toolkit("Mail", "Mail", [send, broken]),
            ]
            options["toolkits"] = Toolkits(kits, CollapsingConfig(deferral=plan.deferral))
            options["tools"] = [clock]
        else:
            options["tools"] = [read, remove, send, broken, clock]
        if plan.has_pipeline:
            layers: Any = [BASE, Instruction("Be brief.", role="developer")] if plan.has_developer else BASE
            options["pipeline"] = Pipeline(
                base=layers,
                plan=PlanMode(text="Plan first."),
                filters=[lambda _: "Notes."],
                native=plan.native,
            )
        return options

    def answer(self, step: tuple[str, list[Any]]) -> Any:
        """Return what the server answers to the next request."""
        kind, calls = step
        self.said += 1
        if kind == "fails":
            return lambda: httpx.Response(500, json={"error": {"message": "no"}, "message": "no"})
        rows: list[ToolCall] = []
        for number, (name, fits) in enumerate(calls):
            path = f"p{self.said}_{number}"
            given: dict[str, Any] = {"path": path} if fits == "fits" else {"file": path}
            rows.append(ToolCall(f"call_{self.said}_{number}", name, given))
            if kind in CUT:
                self.cut.add(path)
        texts = [f"word {self.said}."] if self.said % 2 or not rows else []
        return saying(*texts, *rows, finish=kind if kind in CUT else None)


@tool("The time.", name="clock")
def clock() -> str:
    return "12:00"


def texts_of(messages: Iterable[Message]) -> list[str]:
    return [part.text for message in messages for part in message.parts if isinstance(part, Text)]


def check_closed(messages: Iterable[Message]) -> None:
    """Check that each call has its result, and each result its call, in the messages behind it."""
    calls: list[str | None] = []
    results: list[str | None] = []
    for message in messages:
        if message.role == "assistant":
            assert Counter(results) == Counter(calls)
        calls += [part.id or part.name for part in message.parts if isinstance(part, ToolCall)]
        results += [part.call_id or part.name for part in message.parts if isinstance(part, ToolResult)]
    assert Counter(results) == Counter(calls)


def check_once(texts: Iterable[str], prefix: str) -> None:
    """Check that no text that begins so comes twice, alone or inside another."""
    counted = Counter(line for text in texts for line in text.splitlines() if line.startswith(prefix))
    assert not [line for line, count in counted.items() if count > 1]


def check_sent(world: World, request: Request) -> None:
    check_closed(request.messages)
    texts = texts_of(request.messages)
    check_once(texts, "word ")
    check_once(texts, "question ")
    if world.plan.has_pipeline:
        whole = "\n".join([str(request.instructions or ""), *texts])
        assert (whole.count(BASE), whole.count("Plan first."), whole.count("Notes.")) == (1, 1, 1)
        assert whole.count("Be brief.") == world.plan.has_developer
        assert whole.count("Never twice.") <= 1


def converse(world: World) -> None:
    plan = world.plan
    left: list[Any] = []
    api = ScriptedApi(lambda _: world.answer(left.pop(0) if left else ("says", [])), plan.api)
    request = Request(
        "claude-haiku-4-5" if plan.api is anthropic_messages else "m",
        options=Options(max_tokens=50),
        tools=[Tool("show", "Show.", {"type": "object", "properties": {"path": {"type": "string"}}})],
        tool_choice=ToolChoice("required") if plan.forced else None,
    )
    state = ToolkitState()
    options = world.options()
    for number, steps in enumerate(plan.turns):
        left[:] = steps
        request = request.replace(messages=(*request.messages, user(f"question {number}")))
        try:
            given = {"state": state} if plan.has_toolkits else {}
            run = run_with(api, plan.way, request, **options, **given)
        except RunLimitError as limit:
            run = limit.run
        except (ApiStatusError, ConnectionError):
            # nothing of the turn is kept
            continue
        if run.pending:
            assert "show" in [call.name for call in run.pending]
            assert run.request.messages == request.messages or run.answers[:-1]
        request, state = run.request, run.session.state if run.session else state
        check_closed(request.messages)
    for sent in api.requests:
        check_sent(world, sent)
    for name, path in world.ran:
        assert name not in GUARDED or world.leaves[name, path]
        assert path.removesuffix("!") not in world.cut


@pytest.mark.slow
@settings(max_examples=examples(2000))
@given(PLANS)
def test_every_call_is_answered_and_nothing_runs_without_leave(plan: Plan) -> None:
    converse(World(plan))
