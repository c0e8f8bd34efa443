"""A changed spec is compiled, or each of its problems has a place; it never ends in a traceback."""

from __future__ import annotations

import pytest

from tests.compiler.changed_specs import changes, is_compiled, spec_texts
from tests.internals.compiler import as_text, lower_all
from tests.searching import TIMES

pytestmark = pytest.mark.slow

TEXTS = spec_texts()
# every so manieth change of each spec is tried in a usual run, and the files of every tenth of all
STEP = 4801
ODD = """
wire: odd_chat
title: Odd
transport: {method: POST, url: "https://odd.example/v1", settings: {}}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: odd, choice: [auto]}
body: {messages: $messages, seed?: $seed}
slots: {content: list}
messages: {user: {role: user, content: $content}, assistant: {role: assistant, content: $content}}
unions: {tool_choice: {auto: automatic}, tool: {function: {name: $name}}}
parts: {text: {type: text, text: $text}}
"""


@pytest.mark.parametrize("file", [pytest.param(file, marks=pytest.mark.search) for file in TEXTS])
def test_a_changed_spec_is_compiled_or_refused_at_a_place(file: str) -> None:
    every = list(changes(file, TEXTS[file]))
    first = sum(map(ord, file)) % min(STEP, len(every))
    for index, change in enumerate(every if TIMES else every[first::STEP]):
        is_compiled(change, TEXTS, files=not TIMES or index % 10 == 0)


def test_every_change_of_a_small_spec_is_compiled_or_refused_at_a_place() -> None:
    texts = {"odd_chat.yaml": ODD}
    outcomes = [is_compiled(change, texts) for change in changes("odd_chat.yaml", ODD)]
    assert len(outcomes) > 300
    assert 0.05 < sum(outcomes) / len(outcomes) < 0.95


SAID = {
    "a setting that a hole of the body names": (
        ("settings: {}", "seed?: $settings.name"),
        '"$settings.name" is not a field of the request',
    ),
    "settings without a name": (("settings: {}", "seed?: $settings"), '"$settings" is not a field'),
    "a setting of a broken section": (("settings: 1", "seed?: $settings.name"), "transport.settings must be"),
    "a union's shape without keys": (
        ("settings: {}", "seed?: {...: $tool_choice}"),
        '"auto" must be a mapping: its keys stand among others',
    ),
    "a rest of a number": (("settings: {}", "seed?: {...: $seed}"), '"$seed" is int, which has no keys'),
    "messages inside another value": (
        ("settings: {}", "seed?: {all: $messages}"),
        "holds $messages: both keys must be required",
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_what_is_said(case: str) -> None:
    (settings, key), said = SAID[case]
    text = ODD.replace("settings: {}", settings).replace("seed?: $seed", key)
    texts = {"odd_chat.yaml": text}
    problems = as_text(lower_all(texts).problems, texts)
    assert said in problems
    # one fault is one problem
    assert problems.count("odd_chat.yaml:") <= 2, problems
