"""The loop of an agent on each API of the local server; its answers are streamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from promptwire import (
    Answer,
    Built,
    Event,
    Options,
    Request,
    Tool,
    anthropic_messages,
    execution,
    openai_chat,
    openai_responses,
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
) -> Answer:
    """Run the loop, with a function that sends a request and returns the body of its answer."""

    def ask(asked: Request) -> Answer:
        answer: Answer = wire.read_answer(send(wire.build(asked)))
        return answer

    return execution.run(ask, request, tools).answer


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
