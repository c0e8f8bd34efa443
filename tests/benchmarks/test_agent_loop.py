"""One more turn of a long agent loop, from the answer's body to the bytes of the next request, beside `json.dumps` of it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import promptwire
from promptwire import Built, Request, Tool, tool_result
from promptwire.results import ConversationEncoder

from . import workloads
from .measuring import rounds_until, side_by_side

MODELS = {
    "openai_chat": "gpt-4o",
    "openai_responses": "gpt-4o",
    "anthropic_messages": "claude-sonnet-4-5",
    "gemini_generate": "gemini-2.5-flash",
    "bedrock_converse": "anthropic.claude-3-5-sonnet-20240620-v1:0",
    "mistral_chat": "mistral-large-latest",
}
# the most that the next turn may cost, in times of `json.dumps` of its body
MOST_BYTES = 0.25
MOST_TURN = 1.3


def calling(wire: Any, name: str) -> dict[str, Any]:
    """The body of an answer that calls a tool."""
    call = {"id": "callnext1", "type": "function", "function": {"name": name, "arguments": '{"n":1}'}}
    message = {"role": "assistant", "content": "Let me look.", "tool_calls": [call]}
    answer = promptwire.openai_chat.read_answer(
        {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
    )
    written: dict[str, Any] = wire.write_answer(answer, policies="lenient")
    return written


@pytest.mark.parametrize("name", MODELS)
def test_the_next_turn_costs_less_than_encoding_all_of_it_again(name: str) -> None:
    wire, request = promptwire.wire(name), workloads.agent(MODELS[name])
    names = [tool.name for tool in request.tools or () if isinstance(tool, Tool)]
    body = calling(wire, names[0])
    prepared = ConversationEncoder()
    prepared.encode(wire.build(request))

    def next_request(_: object) -> Request:
        return request.after(wire.read_answer(body), tool_result("callnext1", "12 C"))

    def encoded(built: Built[Any]) -> bytes:
        return copy.copy(prepared).encode(built)

    def dumped(built: Built[Any]) -> bytes:
        return json.dumps(built.body, ensure_ascii=False, separators=(",", ":")).encode()

    built = wire.build(next_request(None))
    assert encoded(built) == dumped(built)

    def measure() -> tuple[float, float, float]:
        bytes_ = side_by_side(encoded, dumped, built)
        turn = side_by_side(lambda _: encoded(wire.build(next_request(None))), lambda _: dumped(built), None)
        return bytes_.ratio, turn.ratio, turn.other

    found = rounds_until(
        lambda found: any(each[0] < MOST_BYTES and each[1] < MOST_TURN for each in found), measure, least=1
    )
    bytes_, turn, dumps = min(found, key=lambda each: each[1])
    print(
        f"{name}: {len(request.messages)} messages, {len(built.json()) / 1000:.0f} kB: bytes of the next turn "
        f"{bytes_:.2f} times json.dumps ({dumps * 1e6:.0f} µs), with reading and building {turn:.2f}"
    )
    assert (bytes_ < MOST_BYTES, turn < MOST_TURN) == (True, True)
