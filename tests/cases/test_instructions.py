"""Layers of instructions and the context pipeline: every case of `instructions/*.yaml`, compared whole.

Each case runs twice: with functions that answer at once, and with functions that must be awaited. README.md in that
folder is the table of requirements and cases; `UPDATE_GOLDEN=1` writes it anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from promptwire import Instruction, Message, PromptwireError, Request, dump_request, load_request
from promptwire.context import (
    PRESETS,
    ContextPolicies,
    Draft,
    Filter,
    HistoryReduction,
    Outcome,
    Pipeline,
    PlanMode,
    Prepared,
    next_phase,
)
from tests.cases.requirements import CaseFolder
from tests.internals.runtime import text_of

_LAWS = "tests/laws/test_instructions.py: "
# what no case shows
ELSEWHERE = {
    "C-43": (
        f"{_LAWS}merging in steps is merging at once",
        f"{_LAWS}the order is stable and nothing is dropped without a note",
        f"{_LAWS}the text is the one that plain code would join",
        f"{_LAWS}the system text depends neither on the path nor on the api",
    )
}
FOLDER = CaseFolder(
    "instructions",
    ("layers", "plan", "paths", "duplicates", "history", "filters", "options"),
    "Instructions and context",
    ELSEWHERE,
)
CASES = FOLDER.cases
CASE_KEYS = {
    "case",
    "shows",
    "policies",
    "agent",
    "request",
    "then",
    "again",
    "turns",
    "plan_phase",
    "answer",
    "next_call",
    "expect",
}


@dataclass
class Agent:
    """A pipeline made of a case's words; its functions answer at once, or must be awaited."""

    waiting: bool
    told: list[str] = field(default_factory=list[str])

    def pipeline(self, words: Mapping[str, Any], policies: Any) -> Pipeline:
        given = dict(words)
        if "plan" in given:
            given["plan"] = PlanMode(**given["plan"])
        if "history" in given:
            history = dict(given["history"])
            if "summarize" in history:
                history["summarize"] = self.summarizer(history["summarize"])
            given["history"] = HistoryReduction(**history)
        if "defaults" in given:
            given["defaults"] = load_request(given["defaults"])
        if "scope" in given:
            given["scope"] = self.scope(given["scope"])
        if isinstance(given.get("base"), list):
            given["base"] = [
                layer if isinstance(layer, str) else load_layer(layer) for layer in given["base"]
            ]
        given["dynamic"] = [self.provider(each) for each in given.get("dynamic", ())]
        given["filters"] = [
            self.filter(each) if "name" in each else each.get("number", each.get("text"))
            for each in given.get("filters", ())
        ]
        chosen = ContextPolicies(**policies) if isinstance(policies, dict) else policies
        return Pipeline(**given, policies=chosen)

    def answering(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        async def awaited(*arguments: Any) -> Any:
            await asyncio.sleep(0)
            return function(*arguments)

        chosen = awaited if self.waiting else function
        chosen.__name__ = name
        return chosen

    def provider(self, says: Any) -> Callable[..., Any]:
        return self.answering("provider", lambda _: failing(says))

    def summarizer(self, says: Any) -> Callable[..., Any]:
        def summarize(dropped: tuple[Message, ...], before: str | None) -> str:
            text: str = failing(says)
            return text.format(dropped=len(dropped), before=before)

        return self.answering("summarize", summarize)

    def scope(self, names: list[Any]) -> Callable[..., Any]:
        calls = count()
        visible = names if names and isinstance(names[0], list) else [names]

        def choose(request: Request) -> list[Any]:
            wanted = visible[min(next(calls), len(visible) - 1)]
            return [tool for tool in request.tools or () if getattr(tool, "name", None) in wanted]

        return self.answering("choose", choose)

    def filter(self, words: Mapping[str, Any]) -> Filter:
        def apply(draft: Draft) -> Any:
            if "replaces" in words:
                return draft.with_text(words["replaces"].format(text=draft.text))
            if "keeps" in words:
                return draft.with_messages(draft.messages[-words["keeps"] :])
            return (
                words["gives"] if "gives" in words else failing(words if "fails" in words else words["says"])
            )

        def tell(outcome: Outcome) -> None:
            failing({"fails": words["fails_afterwards"]} if "fails_afterwards" in words else None)
            self.told.append(f"{words['name']} {text_of(outcome.answer[0])}")

        return Filter(words["name"], self.answering("apply", apply), self.answering("tell", tell))


def failing(says: Any) -> Any:
    if isinstance(says, dict):
        raise ValueError(says["fails"])  # noqa: TRY004  # it stands for any failure
    return says


def load_layer(words: Mapping[str, Any]) -> Instruction:
    layers = load_request({"instructions": [words]}).instructions
    assert isinstance(layers, tuple)
    return layers[0]


def load_messages(words: list[Any]) -> tuple[Message, ...]:
    return load_request({"messages": words}).messages


class Run:
    """One case, run in one of the two ways."""

    def __init__(self, case: Mapping[str, Any], agent: Agent) -> None:
        self.case = case
        self.agent = agent
        self.pipeline = self.agent.pipeline(case.get("agent", {}), case.get("policies", "standard"))

    def call(self, method: str, *arguments: Any, **more: Any) -> Any:
        if self.agent.waiting:
            return asyncio.run(getattr(self.pipeline, f"{method}_async")(*arguments, **more))
        return getattr(self.pipeline, method)(*arguments, **more)

    def results(self, wanted: list[str]) -> dict[str, Any]:
        """Return what a case wants to know."""
        if wanted == ["path"]:
            return {"path": self.pipeline.path}
        request = load_request(self.case.get("request", {}))
        if wanted == ["turns"]:
            return {"turns": self.turns(request)}
        phase = self.case.get("plan_phase", "active")
        first: Prepared = self.call("prepare", request, plan_phase=phase)
        last = first
        if "then" in self.case:
            fed_back = first.request.messages + load_messages(self.case["then"])
            last = self.call("prepare", Request(request.model, fed_back), plan_phase=phase)
        if self.case.get("again"):
            last = self.call("prepare", first.request, plan_phase=phase)
        if "next_call" in self.case:
            last = self.call("next_call", first, *load_messages(self.case["next_call"]))
        if "answer" in self.case:
            self.call("post_invoke", last, *load_messages(self.case["answer"]))
        return {name: getattr(self, f"say_{name}")(first, last) for name in wanted}

    def turns(self, request: Request) -> list[dict[str, str]]:
        phase, found = "off", []
        for active in self.case["turns"]:
            phase = next_phase(phase, active)
            found.append({phase: self.call("prepare", request, plan_phase=phase).report.text})
        return found

    def say_first(self, first: Prepared, last: Prepared) -> Any:
        return dump_sent(first.request)

    def say_request(self, first: Prepared, last: Prepared) -> Any:
        return dump_sent(last.request)

    def say_notes(self, first: Prepared, last: Prepared) -> Any:
        return [str(note) for note in last.report.notes]

    def say_stages(self, first: Prepared, last: Prepared) -> Any:
        return list(last.report.stages)

    def say_origins(self, first: Prepared, last: Prepared) -> Any:
        text = last.report.text
        return [{each.source: text[each.start : each.end]} for each in last.report.origins]

    def say_reduction(self, first: Prepared, last: Prepared) -> Any:
        found = last.report.reduction
        if found is None:
            return None
        names = (
            "because",
            "dropped",
            "before",
            "after",
            "tokens_before",
            "tokens_after",
            "reached",
            "summary",
        )
        said = {name: getattr(found, name) for name in names}
        return {
            name: list(value) if name == "dropped" else value
            for name, value in said.items()
            if value is not None
        }

    def say_bodies(self, first: Prepared, last: Prepared) -> Any:
        wires = self.case["expect"]["bodies"]
        return {wire: import_module(f"promptwire.{wire}").build(last.request).body for wire in wires}


def dump_sent(request: Request) -> dict[str, Any]:
    """Dump what is sent of a request, without the request's own layers that only the next turn needs."""
    data: dict[str, Any] = dump_request(request)
    if "written" in data.get("instructions", ()):
        data["instructions"] = data["instructions"]["written"]
    for message in data.get("messages", ()):
        message.pop("provenance", None)
    return data


@pytest.mark.parametrize("waiting", [False, True], ids=["at once", "awaited"])
@pytest.mark.parametrize("name", CASES)
def test_case(name: str, waiting: bool) -> None:
    case = CASES[name]
    assert set(case) <= CASE_KEYS
    expected = {
        key: dump_request(load_request(value)) if key in ("request", "first") else value
        for key, value in case["expect"].items()
    }
    agent = Agent(waiting)
    try:
        found = Run(case, agent).results([key for key in expected if key not in ("error", "told")])
    except PromptwireError as error:
        found = {"error": str(error)}
    if "told" in expected:
        found["told"] = agent.told
    assert found == expected


def test_every_requirement_is_shown_and_the_table_is_current() -> None:
    FOLDER.check()


def test_every_preset_has_a_case() -> None:
    named = {case["policies"] for case in CASES.values() if isinstance(case.get("policies"), str)}
    assert named == set(PRESETS) - {"standard"}
