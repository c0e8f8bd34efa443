"""Toolkits on a real server: a forced call of a container, its expansion, a forced call of a function, on three wires."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Options, Request, Tool, ToolChoice, assistant, user
from promptwire.parts import ToolGroup
from promptwire.toolkits import Member, Session, Toolkit, Toolkits

from .agent import CITY, WIRES, streaming, weather
from .server import LocalServer, Wire

SKY = Toolkit(
    "Sky",
    "The sky",
    [Member(Tool("weather", "The weather now.", CITY), weather)],
    function_result="Ask for one city.",
    system_prompt="Degrees are Celsius.",
)


def asked(server: LocalServer, name: Wire, session: Session) -> Any:
    """Send what the session sees, and read the answer that streams back."""
    wire = WIRES[name]
    return wire.read_answer(streaming(server, name, [])(wire.build(session.request, policies="lenient")))


def shown(session: Session) -> list[str]:
    return [tool.name for tool in session.request.tools or () if isinstance(tool, (Tool, ToolGroup))]


@pytest.mark.parametrize("name", list(WIRES))
def test_a_container_is_called_expanded_and_its_function_called(server: LocalServer, name: Wire) -> None:
    request = Request(
        "tiny",
        user("How warm is Oslo?"),
        instructions="You help.",
        options=Options(max_tokens=128, temperature=0),
        tool_choice=ToolChoice("required"),
        stream=True,
    )
    session = Session(Toolkits([SKY]), request, wire=WIRES[name])
    assert shown(session) == ["Sky"]
    answer = asked(server, name, session)
    assert [call.name for call in answer.calls] == ["Sky"]
    assert session.calls(answer) == ()
    # the little model calls a tool when it is spoken to, and Anthropic's user turn ends with its results
    between = [assistant("It is open.")] if name == "messages" else []
    session = session.after(answer, *between, user("Go on."))
    assert (shown(session), session.request.instructions) == (
        ["weather"],
        "You help.\n\nDegrees are Celsius.",
    )
    answer = asked(server, name, session)
    assert [call.name for call in session.calls(answer)] == ["weather"]
    prompt = server.last_prompt()
    assert "Ask for one city." in prompt and "Degrees are Celsius." in prompt
    session = session.after(answer, *[session.run(call) for call in session.calls(answer)])
    session = session.changed(tool_choice=None)
    answer = asked(server, name, session)
    assert "12 C in Oslo" in server.last_prompt()
    assert session.after(answer).turn(user("And now?")).request.instructions == "You help."
