"""Every example of every wire, read from its body and built for the wires that have a judge."""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest

import promptwire
from promptwire import Request, user
from promptwire.plugins import Report
from tests.conformance.across import findings
from tests.conformance.judges import JUDGED, judge
from tests.examples import examples
from tests.laws.traces import module
from tests.searching import some_of

pytestmark = pytest.mark.slow

BODIES: Final = [(str(example), example.wire, example.body) for example in examples()]


def _read(wire: str, body: dict[str, Any]) -> Request:
    request: Request = module(wire).read(copy.deepcopy(body)).request
    return request


@pytest.mark.parametrize("to", JUDGED)
@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_an_example_crosses_or_says_why_not(wire: str, to: str) -> None:
    bodies = [(name, body) for name, own, body in BODIES if own == wire != to]
    # the targets divide the examples among them
    chosen = some_of(bodies, promptwire.WIRES.index(wire) + JUDGED.index(to), 3)
    assert [f"{name}: {line}" for name, body in chosen for line in findings(_read(wire, body), to)] == []


@pytest.mark.parametrize("to", JUDGED)
def test_a_lost_note_would_be_seen(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    request = _read(
        "openai_chat",
        {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi", "name": "ann"}]},
    )
    assert list(findings(request, to)) == []
    monkeypatch.setattr(Report, "lost", lambda *_: None)
    # these APIs have a key for the speaker's name
    carrying = {"huggingface_chat", "openai_chat", "deepseek_chat", "groq_chat", "llamacpp_chat", "vllm_chat"}
    lost = [] if to in carrying else ["strict: lost in silence: messages[0].name"]
    assert list(findings(request, to)) == lost


WRONG: Final[dict[str, dict[str, Any]]] = {
    "openai_chat": {"messages": [{"role": "user"}], "model": "m"},
    "openai_responses": {"input": [{"role": "user"}], "model": "m"},
    "anthropic_messages": {"messages": [{"role": "user", "content": "hi"}], "model": "m"},
    "gemini_generate": {"contents": [{"rolle": "user"}]},
    "gemini_interactions": {"input": [{"type": "user_input", "content": [{"type": "text"}]}], "model": "m"},
    "huggingface_chat": {"messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "low"},
    "ollama_chat": {"messages": [{"role": "bot", "content": "hi"}], "model": "m"},
    "bedrock_converse": {"messages": [{"role": "user"}]},
    "mistral_chat": {"messages": [{"role": "bot", "content": "hi"}], "model": "m"},
    "mistral_agents": {"messages": [{"role": "bot", "content": "hi"}], "agent_id": "ag_1"},
    "cohere_chat": {"messages": [{"role": "user"}], "model": "m"},
    "deepseek_chat": {"messages": [{"role": "user"}], "model": "m"},
    "groq_chat": {"messages": [{"role": "user"}], "model": "m"},
    "llamacpp_chat": {"messages": [{"role": "user", "text": "hi"}], "model": "m"},
    "vllm_chat": {"messages": "hi", "model": "m"},
}


@pytest.mark.parametrize("to", JUDGED)
def test_a_judge_bites(to: str) -> None:
    request = Request("m", [user("hi")], options=promptwire.Options(max_tokens=5))
    assert judge(to, module(to).build(request).body) == []
    assert judge(to, WRONG[to]) != []


def test_a_broken_build_would_be_seen() -> None:
    request = Request("m", [user("hi")], options=3)  # type: ignore[arg-type]
    for to in JUDGED:
        assert [line.partition(": ")[2][:5] for line in findings(request, to)] == ["broke", "broke"]
