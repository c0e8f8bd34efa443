"""Two readings of one spec: whatever line is left out, compiled builders and claims agree about what is sent."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from promptwire_gen.expected.cases import expectations
from promptwire_gen.expected.expectation import Expectation
from promptwire_gen.lowering import lower_all
from promptwire_runtime import PromptwireError, load_request
from promptwire_runtime.wire_json.kinds import same
from tests.searching import examples
from tests.spec_texts import spec_text

from .compiled import load_wire

WIRES = (
    "anthropic_messages",
    "bedrock_converse",
    "cohere_chat",
    "gemini_generate",
    "openai_chat",
    "openai_responses",
)


def without_examples(wire: str) -> list[str]:
    lines = spec_text(wire, examples=False).splitlines()[:-1]
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def pieces_of(lines: list[str]) -> list[str]:
    """The lines of a spec, but each rule in one piece: few of its lines can be left out alone."""
    start = lines.index("rules:") + 1
    pieces = lines[:start]
    inside = True
    for line in lines[start:]:
        inside = inside and line.startswith(" ")
        if inside and not line.startswith("  - "):
            pieces[-1] += f"\n{line}"
        else:
            pieces.append(line)
    return pieces


def disagreement(module: Any, claim: Expectation) -> str:
    """What a builder makes of a claim, where it is something else."""
    try:
        found = module.build(load_request(claim.request)).body
    except PromptwireError as error:
        said = (type(error).__name__, getattr(error, "field", None))
        if claim.lost:
            return "" if said[0] == "NoPlace" and said[1] in claim.lost else f"{claim.name}: {error}"
        return "" if said == (claim.error, claim.field) else f"{claim.name}: {error}"
    return "" if claim.body is not None and same(found, dict(claim.body)) else f"{claim.name}: {found}"


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=examples(8))
@given(data=st.data())
def test_builders_and_claims_agree(wire: str, data: st.DataObject) -> None:
    pieces = pieces_of(without_examples(wire))
    first = pieces.index("body:")
    dropped = data.draw(st.integers(first, len(pieces) - 1).map(lambda index: pieces[index]))
    text = "\n".join([piece for piece in pieces if piece != dropped]) + "\nexamples: []\n"
    lowered = lower_all({f"{wire}.yaml": text})
    assume(not lowered.problems)
    with TemporaryDirectory() as folder:
        module = load_wire(Path(folder), wire, text)
    plain, *others = expectations(lowered.wires[0])
    # without the shape of text there is nothing to say
    assume(plain.body is not None)
    assert len(others) > 20
    assert [said for claim in (plain, *others) if (said := disagreement(module, claim))] == [], dropped


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
