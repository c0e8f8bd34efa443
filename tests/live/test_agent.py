"""The loop of an agent: the README's own, on a real server, streamed, and with recorded answers on other APIs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from promptwire import (
    Built,
    Event,
    Request,
    bedrock_converse,
    cohere_chat,
    gemini_generate,
    mistral_chat,
    ollama_chat,
)

from .agent import QUESTION, WIRES, run_agent, streaming, weather
from .server import LocalServer, Wire
from .tiny_model import RESULT_SENTENCE


@pytest.mark.parametrize("wire", list(WIRES))
def test_an_agent_calls_its_tool_and_answers(server: LocalServer, wire: Wire) -> None:
    told: list[Event] = []
    answer = run_agent(WIRES[wire], QUESTION, streaming(server, wire, told), {"weather": weather})
    calls = [event.name for event in told if event.kind == "call"]
    arguments = "".join([event.text for event in told if event.kind == "arguments"])
    assert (calls, re.sub(r"\s", "", arguments)) == (["weather"], '{"city":"Oslo"}')
    assert answer.text == RESULT_SENTENCE and not answer.calls
    # the second request brought call and result
    assert "<tool_call>" in server.last_prompt() and "12 C in Oslo" in server.last_prompt()


ARGUMENTS = {"city": "Oslo"}
TEXT = "12 C."
GEMINI_CALL = {"functionCall": {"name": "weather", "args": ARGUMENTS}, "thoughtSignature": "CikB"}
CONVERSE_CALL = {"toolUse": {"toolUseId": "tooluse_1", "name": "weather", "input": ARGUMENTS}}
CHAT_CALL = {
    "id": "FI5qQGzDE",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
}
OLLAMA_CALL = {"function": {"name": "weather", "arguments": ARGUMENTS}}
SENT: dict[Any, tuple[list[Any], list[Any]]] = {
    gemini_generate: (
        [
            {"candidates": [{"content": {"role": "model", "parts": [GEMINI_CALL]}, "finishReason": "STOP"}]},
            {"candidates": [{"content": {"role": "model", "parts": [{"text": TEXT}]}, "finishReason": "STOP"}]},
        ],
        [
            {"role": "model", "parts": [GEMINI_CALL]},
            {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"output": "12 C in Oslo"}}}]},
        ],
    ),
    bedrock_converse: (
        [
            {"output": {"message": {"role": "assistant", "content": [CONVERSE_CALL]}}, "stopReason": "tool_use"},
            {"output": {"message": {"role": "assistant", "content": [{"text": TEXT}]}}, "stopReason": "end_turn"},
        ],
        [
            {"role": "assistant", "content": [CONVERSE_CALL]},
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "12 C in Oslo"}]}}],
            },
        ],
    ),
    mistral_chat: (
        [
            {"choices": [{"message": {"role": "assistant", "content": "", "tool_calls": [CHAT_CALL]}, "finish_reason": "tool_calls"}]},
            {"choices": [{"message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}]},
        ],
        [
            {"role": "assistant", "content": "", "tool_calls": [CHAT_CALL]},
            {"role": "tool", "tool_call_id": "FI5qQGzDE", "name": "weather", "content": "12 C in Oslo"},
        ],
    ),
    cohere_chat: (
        [
            {"message": {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CHAT_CALL]}, "finish_reason": "TOOL_CALL"},
            {"message": {"role": "assistant", "content": [{"type": "text", "text": TEXT}]}, "finish_reason": "COMPLETE"},
        ],
        [
            {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CHAT_CALL]},
            {"role": "tool", "tool_call_id": "FI5qQGzDE", "content": "12 C in Oslo"},
        ],
    ),
    ollama_chat: (
        [
            {"message": {"role": "assistant", "content": "", "tool_calls": [OLLAMA_CALL]}, "done": True, "done_reason": "stop"},
            {"message": {"role": "assistant", "content": TEXT}, "done": True, "done_reason": "stop"},
        ],
        [
            {"role": "assistant", "content": "", "tool_calls": [OLLAMA_CALL]},
            {"role": "tool", "tool_name": "weather", "content": "12 C in Oslo"},
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("wire", SENT, ids=lambda wire: wire.__name__.rpartition(".")[2])
def test_the_same_loop_goes_on_other_apis(wire: Any) -> None:
    recorded, wanted = SENT[wire]
    answers, bodies = iter(recorded), list[dict[str, Any]]()

    def send(built: Built[Any]) -> Any:
        bodies.append(built.body)
        return next(answers)

    request = Request("some-model", QUESTION.messages, tools=QUESTION.tools)
    answer = run_agent(wire, request, send, {"weather": weather})
    assert (answer.text, answer.finish) == (TEXT, "stop")
    asked, went_on = [body.get("messages") or body["contents"] for body in bodies]
    assert went_on == [*asked, *wanted]
