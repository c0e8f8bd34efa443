"""How an API takes an evaluation case is its own capability, and segments may bring their texts along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import openai_chat
from promptwire.errors import InvalidRequest, LoadError
from promptwire.prompts import Segment, as_request, convert, deliver, load_case
from tests.internals.runtime import text_of

CASE = [
    {"role": "system", "content": "Be strict."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi there"},
    {"role": "user", "content": "Help"},
]
TRANSCRIPT = "[System]: Be strict.\n[User]: Hello\n[Assistant]: Hi there\n[User]: Help"


class Agent:
    """The package of an API that takes one text, as far as prompts look at it."""

    class WIRE:
        """Its facts."""

        capabilities = {"delivery": "transcript"}  # noqa: RUF012  # as generated


def test_an_api_says_how_it_takes_a_case() -> None:
    agent: Any = Agent
    prompt = convert(CASE)
    (asked,) = as_request(prompt, channel=agent).messages
    assert text_of(asked) == TRANSCRIPT == prompt.question
    assert as_request(prompt, channel=openai_chat) == as_request(prompt)
    assert [row.role for row in deliver(prompt, channel=openai_chat).messages] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    loaded = load_case({"input_messages": CASE}, channel=agent)
    assert [text_of(message) for message in loaded.request.messages] == [TRANSCRIPT]


class NoApi:
    """What looks like the package of an API."""

    WIRE = 7


@pytest.mark.parametrize("channel", ["both", None, 7, object(), NoApi, "openai_chat"])
def test_a_channel_is_a_word_or_an_api(channel: Any) -> None:
    with pytest.raises(InvalidRequest, match="a channel is structured, transcript or an API"):
        deliver(convert(CASE), channel=channel)


# ---- segments


def test_a_segment_may_bring_its_text() -> None:
    segments = [
        {"type": "text", "value": "Review this:"},
        {"type": "file", "path": "src/code.js", "text": "let a = 1"},
        {"type": "file", "value": "rules.md", "path": "docs/x.rules.md", "text": "Two spaces."},
        {"type": "file", "value": "given.md"},
    ]
    prompt = convert(
        [{"role": "user", "content": segments}],
        files={"given.md": "G", "src/code.js": "another"},
        guideline_patterns=["**/*.rules.md"],
    )
    assert [row.content for row in prompt.chat_prompt or ()] == [
        "[[ ## Guidelines ## ]]\n\nTwo spaces.",
        "Review this:\n=== src/code.js ===\nlet a = 1\n<Attached: rules.md>\n=== given.md ===\nG",
    ]


def test_a_segment_of_a_file_of_cases(tmp_path: Path) -> None:
    case = tmp_path / "case.yaml"
    case.write_text(
        "input_messages:\n- role: user\n  content:\n  - {type: file, path: a.js, text: let a}\n  - {type: file, text: x}\n"
        "  - {type: text, value: x, text: y}\n  - {type: file, path: '', text: x}\n"
    )
    with pytest.raises(LoadError) as caught:
        load_case(case)
    assert [line.partition("case.yaml")[2] for line in str(caught.value).splitlines()] == [
        ':5:5: input_messages[0].content[1]: "value" is missing; expected the path of a file',
        ':6:28: input_messages[0].content[2]: unknown key "text"; expected type or value',
        ":7:18: input_messages[0].content[3]: the path of a file is empty",
    ]
    assert Segment("file", "a.js", "let a").path is None
