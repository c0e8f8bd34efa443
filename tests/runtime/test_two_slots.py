"""One kind of part in two slots: each shape lands where it belongs, also after an edit that memory cannot mend."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import Message, Reasoning, Request, assistant, openai_chat, user, vllm_chat
from promptwire.parts import Refusal


def _edited(answer: dict[str, Any], wire: Any, part: type[Reasoning | Refusal], text: str) -> dict[str, Any]:
    """Read a conversation, change the text of one part, build it again, and give the answer's message."""
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}, answer]}
    request: Request = wire.read(body).request
    first, last = request.messages
    parts = tuple(replace(each, text=text) if isinstance(each, part) else each for each in last.parts)
    changed: Message = replace(last, parts=parts)
    built: dict[str, Any] = wire.build(replace(request, messages=(first, changed))).body["messages"][1]
    return built


@pytest.mark.parametrize("wire", [openai_chat, vllm_chat], ids=lambda wire: wire.__name__.split(".")[-1])
def test_a_refusal_that_was_a_part_stays_one(wire: Any) -> None:
    answer = {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}
    expected = {"role": "assistant", "content": [{"type": "refusal", "refusal": "Never."}]}
    assert _edited(answer, wire, Refusal, "Never.") == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            {"role": "assistant", "reasoning": "Hm.", "content": "4"},
            {"role": "assistant", "reasoning": "Two.", "content": "4"},
        ),
        (
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Two."}]},
        ),
    ],
    ids=["a key", "a part"],
)
def test_thinking_goes_back_where_it_stood(answer: dict[str, Any], expected: dict[str, Any]) -> None:
    assert _edited(answer, vllm_chat, Reasoning, "Two.") == expected


def test_a_fresh_part_takes_the_usual_slot() -> None:
    request = Request("m", (user("hi"), assistant(Reasoning(text="Two."), "4")))
    built = vllm_chat.build(request).body["messages"][1]
    assert built == {"role": "assistant", "reasoning": "Two.", "content": "4"}
