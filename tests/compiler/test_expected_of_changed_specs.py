"""Two readings of one spec: whatever line is left out, compiled builders report what the rest cannot carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings, strategies as st

from promptwire import load_request
from tests.internals.compiler import Expectation
from tests.laws.dropping import loaded
from tests.searching import examples
from tests.spec_texts import expectations_of, lower_alone, spec_pages

from .compiled import load_wire

WIRES = (
    "anthropic_messages",
    "bedrock_converse",
    "cohere_chat",
    "gemini_generate",
    "openai_chat",
    "openai_responses",
)


@cache
def pieces_of(wire: str) -> tuple[Sequence[str], Sequence[int]]:
    """Cut a spec, as far as requests go, into the lines of each key and element; also give which can be left out."""
    pages = [page.read_text("utf-8") for page in spec_pages()[wire] if page.stem in ("wire", "rules")]
    lines = [
        line for line in "\n".join(pages).splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    text = "\n".join(lines)
    starts = [*dict.fromkeys(_starts(yaml.compose(text, yaml.CSafeLoader)))]
    pieces = ["\n".join(lines[start:stop]) for start, stop in pairwise([*starts, len(lines)])]
    shapes = range(pieces.index("body:"), len(pieces))
    # without the line of a key alone what stands below it would be another key's
    return pieces, [index for index in shapes if not pieces[index].endswith(":")]


def _starts(node: yaml.Node | None) -> Iterator[int]:
    """Yield the lines on which keys begin, and elements of lists, each in one piece: few of its keys can be left out."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        for key, value in node.value:
            yield key.start_mark.line
            yield from _starts(value)
    elif isinstance(node, yaml.SequenceNode) and not node.flow_style:
        yield from (element.start_mark.line for element in node.value)


def disagreement(module: Any, expectation: Expectation) -> str:
    """Return how the notes of a builder differ from an expectation."""
    notes = module.build(load_request(expectation.request), policies="verbatim").notes
    # a message of which no part is sent
    dropped = [note for note in notes if note.action == "dropped" and note.field != "message"]
    found = {f"{note.path}.{note.field}".strip(".") for note in dropped}
    wanted = {*expectation.lost, *expectation.unused}
    return "" if found == wanted else f"{expectation.name}: {sorted(found ^ wanted)}"


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=examples(8))
@given(data=st.data())
def test_builders_report_what_a_changed_spec_cannot_carry(wire: str, data: st.DataObject) -> None:
    pieces, droppable = pieces_of(wire)
    dropped = data.draw(st.sampled_from(droppable))
    text = "\n".join([*pieces[:dropped], *pieces[dropped + 1 :]]) + "\nexamples: []\n"
    lowered = lower_alone({f"{wire}.yaml": text})
    assume(not lowered.problems)
    (model,) = lowered.wires
    module = loaded(model)
    expected = expectations_of(model)
    assert len(expected) > 10
    assert [said for each in expected if (said := disagreement(module, each))] == [], pieces[dropped]


def test_an_object_that_holds_only_the_fields_of_a_union_is_written_with_them(tmp_path: Path) -> None:
    spec = """
wire: union_chat
title: Union
transport: {method: POST, url: "https://union.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: union, choice: [auto]}
body:
  seed?: $seed
  tools?: $tools
  settings?: {choice?: {...: $tool_choice}}
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
unions:
  tool: {function: {name: $name}}
  tool_choice: {auto: {mode: AUTO}}
parts: {text: {type: text, text: $text}}
"""
    module = load_wire(tmp_path, "union_chat", spec)
    hello = {"messages": [{"user": "Hi"}]}
    said = {"messages": [{"role": "user", "content": "Hi"}]}
    chosen = {"tools": [{"name": "f"}], "tool_choice": "auto"}
    assert module.build(load_request(hello | {"options": {"seed": 1}})).body == {"seed": 1, **said}
    assert module.build(load_request(hello | chosen)).body == {
        "tools": [{"name": "f"}],
        "settings": {"choice": {"mode": "AUTO"}},
        **said,
    }
