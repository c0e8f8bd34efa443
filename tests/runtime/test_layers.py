"""Layers that are none, sections written by an earlier turn, and how a report prints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import Cache, Instruction, Message, Request, Text, user
from promptwire.context import (
    ContextPolicies,
    HistoryReduction,
    Pipeline,
    Section,
    context_policies_of,
    layers_of,
    merge,
)
from promptwire.errors import InvalidRequest, PolicyError
from tests.internals.runtime import Written, is_written, own_of_message
from tests.notes import changes

NOTES = "<notes>\none\n</notes>"


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        (("text",), "instructions: a layer is an Instruction, not str"),
        ((Instruction("a"), None), "instructions: a layer is an Instruction, not NoneType"),
    ],
)
def test_what_is_no_layer(layers: Any, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        merge(layers)
    assert (str(refused.value), refused.value.path) == (said, "instructions")


def test_what_no_source_takes() -> None:
    given: Any = ["a", 5]
    with pytest.raises(InvalidRequest) as refused:
        layers_of(plan=given)
    said = "instructions.plan: a layer is text or an Instruction, not int"
    assert (str(refused.value), refused.value.path) == (said, "instructions.plan")


def test_nothing_more_is_merged() -> None:
    merged = merge(layers_of(base="a"))
    assert merged.merge() is merged


def test_further_layers_join_what_is_there() -> None:
    notes = Section("notes", "one")
    merged = merge(layers_of(base=("a", "a"))).with_section(notes)
    more = merged.merge(Instruction("b"), Instruction("a"))
    assert (more.text, more.sections) == (f"a\nb\n\n{NOTES}", (notes,))
    assert changes(more.dropped) == [
        "dropped instructions.base[1].text",
        "dropped instructions.request[1].text",
    ]


def test_sections_stay_behind_further_layers() -> None:
    merged = merge(layers_of(base="a")).with_section(Section("notes", "one"))
    assert merged.merge(Instruction("b")).text == f"a\nb\n\n{NOTES}"


MARK = Cache("1h")


@pytest.mark.parametrize("own", [{"vendor": {"w": {"x": 1}}}, {"extra": {"w": {"x": 1}}}])
def test_a_layer_with_options_of_one_api_stays_alone(own: Any) -> None:
    layers = (Instruction("a"), Instruction("b", **own), Instruction("c"))
    assert merge(layers).instructions == layers


@pytest.mark.parametrize(
    ("layers", "instructions"),
    [
        ((), NOTES),
        (("a",), f"a\n\n{NOTES}"),
        ((Instruction("a", cache=MARK),), (Instruction("a", cache=MARK), Instruction(NOTES))),
        ((Instruction("a", "developer"),), (Instruction("a", "developer"), Instruction(NOTES))),
        (
            (Instruction("a", cache=MARK), Instruction("b", source="house")),
            (Instruction("a", cache=MARK), Instruction(f"b\n\n{NOTES}")),
        ),
    ],
)
def test_a_section_stands_behind_what_bears_a_mark(layers: Any, instructions: Any) -> None:
    merged = merge(layers_of(request=layers)).with_section(Section("notes", "one"))
    written = merged.instructions
    if isinstance(written, tuple):
        written = tuple(replace(layer, source=None) for layer in written[:-1]) + written[-1:]
    assert written == instructions


def test_white_space_that_a_section_leaves_is_no_words_of_the_request() -> None:
    layers = layers_of(base="  ", request=f" \n{NOTES}")
    merged = merge(layers, ContextPolicies(blank="keep")).with_section(Section("notes", "two"))
    assert merged.layers == layers[:1]
    assert merged.text == "  \n\n<notes>\ntwo\n</notes>"


@pytest.mark.parametrize(
    ("layers", "kept"),
    [
        ((Instruction("a"), Instruction("a", cache=MARK), Instruction("a")), (0, 1)),
        ((Instruction("a", cache=MARK), Instruction("a"), Instruction("a")), (0, 1)),
        ((Instruction("a"), Instruction("a", "developer"), Instruction("a", "developer")), (0, 1)),
        ((Instruction(""), Instruction("a"), Instruction(" ")), (1,)),
        ((Instruction(""),), ()),
    ],
)
def test_which_layers_say_the_same(layers: tuple[Instruction, ...], kept: tuple[int, ...]) -> None:
    assert merge(layers).layers == tuple(layers[index] for index in kept)


@pytest.mark.parametrize(
    ("given", "text", "said"),
    [
        ({"base": "a", "request": f"b\n\n{NOTES}"}, "a\nb\n\n<notes>\ntwo\n</notes>", ["request"]),
        ({"base": "a", "request": NOTES}, "a\n\n<notes>\ntwo\n</notes>", ["request"]),
        ({"base": f"a\n\n{NOTES}", "request": "b"}, f"a\n\n{NOTES}\nb\n\n<notes>\ntwo\n</notes>", []),
        ({"base": "a", "request": "b"}, "a\nb\n\n<notes>\ntwo\n</notes>", []),
    ],
)
def test_a_section_is_written_once(given: Any, text: str, said: list[str]) -> None:
    merged = merge(layers_of(**given)).with_section(Section("notes", "two"))
    assert merged.text == text
    why = "its section <notes> is written anew"
    assert [str(note) for note in merged.dropped] == [
        f"replaced instructions.{name}[0].text: {why}" for name in said
    ]
    assert merged.with_section(Section("notes", " ")).text == text.removesuffix("\n\n<notes>\ntwo\n</notes>")


@pytest.mark.parametrize(
    ("value", "shown"), [("none", '"none"'), (5, "int")]
)  # fmt: skip
def test_what_is_no_preset(value: Any, shown: str) -> None:
    with pytest.raises(PolicyError) as refused:
        context_policies_of(value)
    presets = (
        "standard, seed, design004, agentv, maf, meai, choices such as blank=keep, or ContextPolicies(...)"
    )
    assert str(refused.value) == f"{shown} is not a preset; use one of {presets}"


def test_a_message_that_was_written_remembers_layers() -> None:
    own = (Instruction("a"),)
    message = Message("developer", Text("b"), provenance=Written(own))
    assert (is_written(message), own_of_message(message)) == (True, own)
    assert (is_written(user("x")), own_of_message(user("x"))) == (False, ())


def test_how_a_report_prints() -> None:
    agent = Pipeline(base="Be brief.", history=HistoryReduction(max_messages=1))
    prepared = agent.prepare(Request("m", (user("1"), user("2")), instructions="In French."))
    lines = str(prepared.report).splitlines()
    said = ["base: 'Be brief.'", "request: 'In French.'", "history: 1 of 2 messages kept"]
    assert lines == said
    assert str(Pipeline(base="a").prepare(Request("m")).report) == "base: 'a'"
