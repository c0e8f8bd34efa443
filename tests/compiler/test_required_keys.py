"""Keys without `?` stand in every body: what they need is asked for, what they hold beside it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import Instruction, Options, ReasoningOptions, Request, user
from promptwire.errors import MissingField, NoPlace
from tests.internals.compiler import lower_all

from .compiled import load_wire

SPEC = """
wire: required_chat
title: Required
transport: {method: POST, url: "https://required.example", settings: {zone: {default: z}}}
instructions: {native: false}
continuation: {mode: resend}
body:
  BODY
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts: {text: {type: text, text: $text}}
"""
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any] | str]] = {
    "an option": ("seed: $seed", {"options": Options(seed=1)}, {"seed": 1}),
    "no option": ("seed: $seed", {}, "seed"),
    "a list": ("stop: $stop", {"options": Options(stop=["a"])}, {"stop": ["a"]}),
    "no list": ("stop: $stop", {}, "stop"),
    "a field": ("kind: $user_id", {"user_id": "u"}, {"kind": "u"}),
    "no field": ("kind: $user_id", {}, "user_id"),
    "a constant inside": ("config: {seed?: $seed, kind: fixed}", {}, {"config": {"kind": "fixed"}}),
    "and an option beside it": (
        "config: {seed?: $seed, kind: fixed}", {"options": Options(seed=1)}, {"config": {"kind": "fixed", "seed": 1}},
    ),
    "required inside": (
        "config: {max: $max_tokens, top_k?: $top_k}", {"options": Options(max_tokens=3)}, {"config": {"max": 3}},
    ),
    "both inside": (
        "config: {max: $max_tokens, top_k?: $top_k}",
        {"options": Options(max_tokens=3, top_k=2)},
        {"config": {"max": 3, "top_k": 2}},
    ),
    "missing inside": ("config: {max: $max_tokens, top_k?: $top_k}", {}, "max_tokens"),
    "deep inside": ("a: {b: {c: $seed}, d?: $top_k}", {"options": Options(seed=1)}, {"a": {"b": {"c": 1}}}),
    "missing deep inside": ("a: {b: {c: $seed}, d?: $top_k}", {}, "seed"),
    "a setting beside it": (
        "meta: {tier: $service_tier, zone: $settings.zone}",
        {"options": Options(service_tier="t")},
        {"meta": {"tier": "t", "zone": "z"}},
    ),
    "the second form": (
        "r?: {or: [$reasoning.budget, $reasoning.effort]}", {"reasoning": ReasoningOptions(effort="low")}, {"r": "low"},
    ),
    "the first form": (
        "r?: {or: [$reasoning.budget, $reasoning.effort]}", {"reasoning": ReasoningOptions(budget=5)}, {"r": 5},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "fields", "made"), CASES.values(), ids=CASES)
def test_a_required_key(
    tmp_path: Path, body: str, fields: dict[str, Any], made: dict[str, Any] | str
) -> None:
    module = load_wire(tmp_path, "required_chat", SPEC.replace("BODY", body))
    request = Request(None, [user("hi")], **fields)
    if isinstance(made, str):
        with pytest.raises(MissingField, match=f"{made} is missing"):
            module.build(request)
    else:
        assert module.build(request).body == {**made, "messages": [{"role": "user", "content": "hi"}]}


def test_a_first_message_of_blocks_is_always_a_list(tmp_path: Path) -> None:
    first = "instructions: {native: false, placement: first_message, role: system, several: parts}"
    spec = SPEC.replace("instructions: {native: false}", first).replace("BODY", "model: $model")
    spec = spec.replace(
        "messages:\n  user", 'messages:\n  system: {role: system, content: "$content[]"}\n  user'
    )
    spec = spec.replace("parts:", "unions: {instruction: {layer: {kind: layer, said: $text}}}\nparts:")
    module = load_wire(tmp_path, "required_chat", spec)
    layer = Instruction("Be terse.")
    for given, texts in (
        ("Be terse.", ["Be terse."]),
        ([layer], ["Be terse."]),
        ([layer, Instruction("Be kind.")], ["Be terse.", "Be kind."]),
    ):
        body = module.build(Request("m", [user("hi")], instructions=given)).body
        system = {"role": "system", "content": [{"kind": "layer", "said": text} for text in texts]}
        assert body == {"model": "m", "messages": [system, {"role": "user", "content": "hi"}]}
        assert module.build(module.read(body).request).body == body


def test_what_two_forms_of_one_key_hold_is_not_sent_by_halves(tmp_path: Path) -> None:
    spec = SPEC.replace("BODY", "r?: {or: [$reasoning.budget, $reasoning.effort]}")
    module = load_wire(tmp_path, "required_chat", spec)
    both = Request(None, [user("hi")], reasoning=ReasoningOptions(budget=5, effort="low"))
    with pytest.raises(NoPlace, match="another form of the same key is written"):
        module.build(both)


# a change of the spec, and what is said of it
REFUSED = {
    "a first message of blocks, and of text": (
        ("instructions: {native: false}", "instructions: {native: false, placement: first_message, role: system}"),
        ("messages:\n  user", 'messages:\n  system: {role: system, content: "$content[]"}\n  developer: {role: developer, content: $content}\n  user'),
        "instructions are written as {role: developer, content: ...}, and messages.developer is another shape",
    ),
    "a first message with a name": (
        ("instructions: {native: false}", "instructions: {native: false, placement: first_message, role: system}"),
        ("messages:\n  user", "messages:\n  system: {role: system, name: i, content: $content}\n  user"),
        "instructions are written as {role: system, content: ...}, and messages.system is another shape",
    ),
    "text of another form": (
        ("slots:", "passes: [merge_neighbours]\nslots:"),
        ("{type: text, text: $text}", "{kind: text, text: $text}"),
        "messages are joined as lists, and text alone is no {type: ..., text: $text} in them",
    ),
    "two keys of content": (
        ("slots:", "passes: [merge_neighbours]\nslots:"),
        ("user: {role: user, content: $content}", "user: {role: user, parts: $content}"),
        'messages are joined under one key, and their content stands under "parts" and "content"',
    ),
    "a role that depends on a field": (
        ("slots:", "rules:\n  - {when: {given: [stream]}, set: {instructions.role: developer}, because: b, source: its docs}\nslots:"),
        ("BODY", "stream?: $stream"),
        "instructions.role is set for a model or a setting, whatever else is given",
    ),
    "a name that depends on a field": (
        ("slots:", "rules:\n  - {when: {given: [stream]}, rename: {stream: flow}, because: b, source: its docs}\nslots:"),
        ("BODY", "stream|flow?: $stream"),
        '"stream" is renamed for a model or a setting, whatever is given',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second", "said"), REFUSED.values(), ids=REFUSED)
def test_what_the_builder_could_not_keep_is_refused(
    first: tuple[str, str], second: tuple[str, str], said: str
) -> None:
    spec = SPEC.replace(*first).replace(*second).replace("BODY", "model?: $model")
    assert said in [problem.message for problem in lower_all({"required_chat.yaml": spec}).problems]


def test_tools_are_left_out_of_a_plain_request_as_of_any_other(tmp_path: Path) -> None:
    from promptwire import Tool

    rule = 'rules:\n  - {when: {model: ["m*"]}, set: {tools: omit}, because: it has none, source: its docs}\nslots:'
    spec = SPEC.replace("slots:", rule).replace("BODY", "model: $model\n  tools?: $tools\n  stream?: $stream")
    spec = spec.replace("parts:", "unions: {tool: {function: {name: $name}}}\nparts:").replace(
        "continuation:", "tools: {format: x, choice: []}\ncontinuation:"
    )
    module = load_wire(tmp_path, "required_chat", spec)
    rows: list[dict[str, Any]] = [{}, {"stream": True}, {}]
    for fields in rows:
        built = module.build(Request("m1", [user("hi")], tools=[Tool("f")], **fields))
        assert "tools" not in built.body
        assert [str(note) for note in built.notes] == ["dropped tools: it has none"]
    assert module.build(Request("other", [user("hi")], tools=[Tool("f")])).body["tools"] == [{"name": "f"}]
