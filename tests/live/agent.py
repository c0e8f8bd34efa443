"""The loop of an agent, as the README has it, on each API of the local server; its answers are streamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from promptwire import (
    Built,
    Event,
    Options,
    Request,
    Tool,
    anthropic_messages,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)

from .server import ROUTES, LocalServer, Wire

WIRES: dict[Wire, ModuleType] = {
    "chat": openai_chat,
    "responses": openai_responses,
    "messages": anthropic_messages,
}
# a schema with one value: the grammar that the server makes of it leaves the model no choice
CITY = {"type": "object", "properties": {"city": {"type": "string", "enum": ["Oslo"]}}, "required": ["city"]}
QUESTION = Request(
    "tiny",
    [user("How warm is Oslo?")],
    tools=[Tool("weather", "The weather now.", {**CITY, "additionalProperties": False})],
    options=Options(max_tokens=128),
    stream=True,
)


def weather(city: str) -> str:
    """The tool."""
    return f"12 C in {city}"


def run_agent(
    wire: ModuleType,
    request: Request,
    send: Callable[[Built[Any]], Any],
    tools: Mapping[str, Callable[..., str]],
) -> Any:
    """Ask, call the tools, and go on until the model asks for none."""
    answer: Any = wire.read_answer(send(wire.build(request)))
    while answer.calls:
        results = [tool_result(call, tools[call.name](**call.parsed_arguments)) for call in answer.calls]
        request = request.after(answer, *results)
        answer = wire.read_answer(send(wire.build(request)))
    return answer


def streaming(server: LocalServer, wire: Wire, told: list[Event]) -> Callable[[Built[Any]], Any]:
    """Return what sends a request to the server, reads the stream of its answer, and gives the body that it grew to.

    All events of the streams go to ``told``.
    """

    def send(built: Built[Any]) -> Any:
        stream = WIRES[wire].stream()
        for chunk in server.pieces(ROUTES[wire], built.body, built.headers.items()):
            told.extend(stream.feed(chunk))
        return stream.close().raw

    return send
