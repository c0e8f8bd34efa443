"""Laws of merged instructions: any number of steps, a stable order, one text on every path and every API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from hypothesis.strategies import SearchStrategy

import promptwire
from promptwire import Cache, Instruction, Message, Policies, Request, Text
from promptwire.context import (
    PRESETS,
    ContextPolicies,
    Merged,
    Pipeline,
    PlanMode,
    Section,
    layers_of,
    merge,
    put_section,
)
from tests.laws.specimens import least_options
from tests.laws.strategies import searching
from tests.laws.traces import module
from tests.strategies import texts

POLICIES = {
    **PRESETS,
    "substring": ContextPolicies(dedup="substring"),
    "substring, repeats kept": ContextPolicies(dedup="substring", repeats="keep"),
    "strict blanks": ContextPolicies(blank="keep", separators={"base>plan": "; ", "house": ""}),
    "own order": ContextPolicies(layer_order=("request", "house", "base"), separator="%s", repeats="keep"),
}
SOURCES = ("base", "plan", "dynamic", "request", "house", None)


def wordings() -> SearchStrategy[str]:
    """Texts that are often equal, contained in one another, or blank."""
    return st.sampled_from(("", " ", "\n", "a", "b", "a b", "a b c", "100%", "%s")) | texts()


def layers() -> SearchStrategy[tuple[Instruction, ...]]:
    """Layers of any source, some with a role or a cache mark."""
    cached = st.none() | st.none() | st.just(Cache())
    roles = st.none() | st.none() | st.sampled_from(("system", "developer"))
    layer = st.builds(Instruction, wordings(), roles, st.sampled_from(SOURCES), cache=cached)
    return st.lists(layer, max_size=5).map(tuple)


def settled(merged: Merged) -> tuple[Any, ...]:
    """Return the text of a merge, without its losses: those depend on the order of the steps."""
    return merged.layers, merged.text, merged.instructions, merged.origins


@pytest.mark.parametrize("name", POLICIES)
@searching(60)
@given(first=layers(), second=layers(), third=layers())
def test_merging_in_steps_is_merging_at_once(
    name: str, first: tuple[Instruction, ...], second: tuple[Instruction, ...], third: tuple[Instruction, ...]
) -> None:
    policies = POLICIES[name]
    at_once = settled(merge((*first, *second, *third), policies))
    left = merge(first, policies).merge(*second).merge(*third)
    right = merge((*first, *merge((*second, *third), policies).layers), policies)
    assert settled(left) == at_once
    assert settled(right) == at_once
    assert settled(merge(left.layers, policies)) == at_once


def absent_when_blank(layer: Instruction, policies: ContextPolicies) -> bool:
    """Whether spaces alone say nothing in this layer."""
    return not (policies.blank == "keep" and layer.source in ("base", "plan"))


@pytest.mark.parametrize("name", POLICIES)
@searching(60)
@given(given_layers=layers())
@example(given_layers=(Instruction(" ", source="base"), Instruction(" ", source="base")))
def test_the_order_is_stable_and_nothing_is_dropped_without_a_note(
    name: str, given_layers: tuple[Instruction, ...]
) -> None:
    policies = POLICIES[name]
    merged = merge(given_layers, policies)
    listed = [*policies.layer_order, *[each for each in SOURCES if each and each not in policies.layer_order]]
    last = len(policies.layer_order)
    places = [min(listed.index(each.source or "request"), last) for each in given_layers]
    in_order = [
        each
        for rank in range(last + 1)
        for each, place in zip(given_layers, places, strict=True)
        if place == rank
    ]
    remaining = iter(in_order)
    assert all(any(each is candidate for candidate in remaining) for each in merged.layers)
    gone = [each for each in given_layers if not any(each is kept for kept in merged.layers)]
    said = [
        each for each in gone if each.text and not (each.text.isspace() and absent_when_blank(each, policies))
    ]
    assert len(merged.dropped) == len(said)
    assert [each for each in said if each.text not in merged.text] == []
    if policies.repeats == "keep" and policies.dedup != "substring":
        assert said == []


@searching(100)
@given(base=wordings(), plan=wordings(), dynamic=st.lists(wordings(), max_size=3), request=wordings())
def test_the_text_is_the_one_that_plain_code_would_join(
    base: str, plan: str, dynamic: list[str], request: str
) -> None:
    expected, seen = "", set[str]()
    for separator, text in (
        ("\n", base),
        ("\n\n", plan),
        *[("\n", each) for each in dynamic],
        ("\n", request),
    ):
        if text.strip() and text not in seen:
            expected = expected + separator + text if expected else text
            seen.add(text)
    merged = merge(layers_of(base=base, plan=plan, dynamic=dynamic, request=request))
    assert merged.text == expected
    assert merged.instructions == (expected or None)
    pieces = [merged.text[each.start : each.end] for each in merged.origins]
    assert pieces == [layer.text for layer in merged.layers]


# ---- one text on every path and every API

# the system text is a piece of the one text that holds the conversation: tests/runtime/test_prompt_text.py
ONE_TEXT = ("bedrock_meta", "bedrock_titan")


def effective_texts(body: dict[str, Any]) -> list[str]:
    """Collect the blocks of system text: fields of its own first, then messages of its roles.

    An API that wants turns gets neighbouring system messages as blocks of one.
    """
    if isinstance(body.get("input"), dict):
        body = body["input"]
    fields = ("system", "instructions", "system_instruction", "systemInstruction", "preamble")
    found = [text for name in fields if name in body for text in _blocks(body[name])]
    for name, content in (
        *[(n, "content") for n in ("messages", "input", "contents")],
        ("chat_history", "message"),
    ):
        for item in body.get(name, ()):
            if isinstance(item, dict) and item.get("role") in ("system", "developer", "SYSTEM"):
                found += _blocks(item[content] if content in item else item["text"])
    return found


def _blocks(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in _blocks(each)]
    return _blocks(value["text"] if "text" in value else value["parts"])


def bodies(pipeline: Pipeline, request: Request) -> dict[str, list[str]]:
    """Build a request on every wire that takes system messages, or needs none; give the system texts."""
    prepared = pipeline.prepare(request).request
    needs_messages = any(each.role == "system" for each in prepared.messages)
    return {
        # where an API wants such messages is another law's business
        wire: effective_texts(
            module(wire)
            .build(replace(prepared, options=least_options(wire)), policies=Policies(refusals="ignore"))
            .body
        )
        for wire in promptwire.WIRES
        if wire not in ONE_TEXT
        if not needs_messages or module(wire).WIRE.capabilities["instructions"]["mid_conversation"] != "none"
    }


@pytest.mark.parametrize("name", POLICIES)
@searching(25)
@given(data=st.data())
def test_the_system_text_depends_neither_on_the_path_nor_on_the_api(name: str, data: st.DataObject) -> None:
    said = st.sampled_from(("a", "b", "a b", "a\n\nP\nb", "\u00e9 %s"))
    own = data.draw(st.none() | said, "a system message of the user")
    messages = [Message("user", (Text("Hello"),))]
    if own is not None:
        messages.insert(data.draw(st.integers(0, 1)), Message("system", (Text(own),)))
    request = Request("m", tuple(messages), instructions=data.draw(st.none() | said))
    agent: dict[str, Any] = {
        "base": data.draw(st.none() | said, "base"),
        "plan": data.draw(st.none() | st.just(PlanMode(text="P"))),
        "dynamic": [lambda _, text=text: text for text in data.draw(st.lists(said, max_size=2), "dynamic")],
        "static_memory": data.draw(st.none() | said, "memory"),
        "policies": POLICIES[name],
    }
    native = bodies(Pipeline(**agent, native=True), request)
    message = bodies(Pipeline(**agent, native=False), request)
    report = Pipeline(**agent).prepare(request).report
    expected = [text for text in (report.text, own) if text]
    assert {wire: found for wire, found in native.items() if found != expected} == {}
    assert {wire: found for wire, found in message.items() if found != expected} == {}
    assert "openai_chat" in native
    assert "openai_chat" in message


@pytest.mark.parametrize("name", POLICIES)
@searching(25)
@given(base=wordings(), plan=wordings(), memory=wordings(), request=wordings())
def test_the_messages_of_a_turn_may_be_given_to_the_next(
    name: str, base: str, plan: str, memory: str, request: str
) -> None:
    pipeline = Pipeline(
        base=base, plan=PlanMode(text=plan), static_memory=memory, native="unknown", policies=POLICIES[name]
    )
    first = pipeline.prepare(Request("m", (Message("user", (Text("Hello"),)),), instructions=request)).request
    again = pipeline.prepare(Request("m", first.messages, instructions=request)).request
    assert again == first


# ---- sections


@searching(100)
@given(text=wordings(), name=st.sampled_from(("memory", "notes")), one=wordings(), two=wordings())
def test_a_section_is_there_once(text: str, name: str, one: str, two: str) -> None:
    other = put_section(text, Section("other", "kept"))
    once = put_section(other, Section(name, one))
    assert put_section(once, Section(name, one)) == once
    assert put_section(once, Section(name, two)) == put_section(other, Section(name, two))
    assert put_section(once, Section(name, "")) == other
