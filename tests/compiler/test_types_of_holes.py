"""A filter, or text around a hole, writes some types only; no field is written under two keys."""

from __future__ import annotations

import pytest

from tests.internals.compiler import lower_all

SPEC = """
wire: typed_chat
title: Typed
transport: {method: POST, url: "https://typed.example"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: typed, choice: []}
body:
  model: $model
  BODY
  tools?: $tools
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
unions: {tool: {function: {name: $name, parameters?: PARAMETERS}}}
parts: {text: {type: text, text: $text}}
"""


def problems(body: str = "seed?: $seed", parameters: str = "$parameters") -> list[str]:
    text = SPEC.replace("BODY", body).replace("PARAMETERS", parameters)
    return [problem.message for problem in lower_all({"typed_chat.yaml": text}).problems]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("stream?: $stream|comma", '"comma" writes strings, not bool'),
        ("seed?: $seed|not", '"not" writes bool, not int'),
        ("temperature?: $temperature|json", '"json" writes arguments or json, not number'),
        ("max?: $max_tokens|prefix(a)", '"prefix" writes str, not int'),
        ("effort?: $reasoning.budget|upper", '"upper" writes str or strings, not int'),
        ('stop?: "s:${stop}"', '"${stop}" is strings: text with holes is read back as text'),
        ("a?: $seed\n  b?: $seed", '"$seed" is written under "a" already'),
        ("a?: {x?: $top_p}\n  b?: {or: [$top_p, $top_k]}", '"$top_p" is written under "a" already'),
    ],
)
def test_what_could_not_be_written_is_refused(body: str, said: str) -> None:
    assert problems(body) == [said]


def test_so_is_what_a_tool_holds() -> None:
    said = ['"upper" writes str or strings, not object']
    assert problems(parameters="$parameters|upper") == said


@pytest.mark.parametrize(
    "body",
    [
        "stop?: $stop|comma",
        "effort?: $reasoning.effort|upper",
        "a?: $seed\n  b?: =$seed",
        'user?: "u-${user_id}"',
        "own?: $vendor.own|comma",
        "logprobs?: $logprobs|not",
    ],
)
def test_what_fits_compiles(body: str) -> None:
    assert problems(body) == []


def test_operators_the_wrong_way_round_are_named() -> None:
    rule = 'rules:\n  - {reject: {seed: ">2"}, because: b, source: its docs}\nslots:'
    text = SPEC.replace("BODY", "seed?: $seed").replace("PARAMETERS", "$parameters").replace("slots:", rule)
    (problem,) = lower_all({"typed_chat.yaml": text}).problems
    assert (problem.message, problem.hint) == ('"=>" is not an operator', "write seed>=2")
