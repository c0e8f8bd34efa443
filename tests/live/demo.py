"""Show one conversation as three requests, then send all three to a real server on this machine.

Run with `make demo`, or `python -m tests.live.demo` where the project is installed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from promptwire import Built
from promptwire_runtime.answers.events import Event
from tests.pages import laid_out

from .agent import QUESTION, WIRES, run_agent, streaming, weather
from .conversation import build_all, request
from .server import ROUTES, LocalServer, Wire, generated_text, local_server
from .tiny_model import write_tiny_model

TITLES: dict[Wire, str] = {
    "chat": "OpenAI Chat Completions",
    "responses": "OpenAI Responses",
    "messages": "Anthropic Messages",
}


def say(text: str = "") -> None:
    """Print one text."""
    sys.stdout.write(text + "\n")


def show(number: int, title: str, built: Built[Any]) -> None:
    """Print one request: the first as curl, the others as URL and indented body."""
    say(f"\n{number}. {title}\n")
    if number == 1:
        say(built.curl())
    else:
        say(f"{built.method} {built.url}")
        for name, value in built.headers.items():
            say(f"{name}: {value}")
        say(laid_out(built.body))
    if built.notes:
        say()
    for note in built.notes:
        say(f"note: {note}")


def send(server: LocalServer) -> dict[Wire, str]:
    """Send all three requests, print the answers, and give the prompts that the server made of them."""
    prompts: dict[Wire, str] = {}
    for wire, built in build_all(request(), server.url).items():
        status, answer = server.post(ROUTES[wire], built.body, built.headers.items())
        text = generated_text(wire, answer) if status == 200 else json.dumps(answer)
        say(f"{status} from {ROUTES[wire]:<22} {text}")
        if status == 200:
            prompts[wire] = server.last_prompt()
    return prompts


def call_tools(server: LocalServer) -> bool:
    """Run one agent on all three APIs, streamed, and print what came; True when each called its tool and answered."""
    went_well = []
    for wire, module in WIRES.items():
        told: list[Event] = []
        answer = run_agent(module, QUESTION, streaming(server, wire, told), {"weather": weather})
        calls = "".join([event.name or event.text for event in told if event.kind in ("call", "arguments")])
        say(f"{ROUTES[wire]:<22} {calls} -> {weather('Oslo')} -> {answer.text}")
        went_well.append(calls.startswith("weather{") and bool(answer.text))
    return all(went_well)


def main() -> int:
    """Show, send, compare, go on; 0 when all were answered, rendered to the same prompt, and called their tool."""
    say(
        "One conversation (a system text, two tools, two parallel calls with their results, a last question),"
    )
    say("as each API expects it:")
    for number, (wire, built) in enumerate(build_all(request()).items(), start=1):
        show(number, TITLES[wire], built)
    say(
        "\nllama.cpp on this machine answers all three (its tiny model has random weights: words are noise):\n"
    )
    with tempfile.TemporaryDirectory(prefix="promptwire-demo-") as folder:
        model = write_tiny_model(Path(folder, "tiny.gguf"))
        with local_server(model) as server:
            prompts = send(server)
    same = len(prompts) == len(ROUTES) and len(set(prompts.values())) == 1
    if not same:
        say("\nThe three prompts differ:")
        for wire, prompt in prompts.items():
            say(f"--- {wire}\n{prompt}")
        return 1
    say(f"\nAll three rendered to the same prompt of {len(prompts['chat'])} characters.")
    say(
        "\nOne agent with a tool, the same function on all three APIs, each answer a stream (the grammar of the"
    )
    say("tool leaves the model no choice; what it says of the result is noise again):\n")
    with tempfile.TemporaryDirectory(prefix="promptwire-demo-") as folder:
        model = write_tiny_model(Path(folder, "calling.gguf"), calling=True)
        with local_server(model) as server:
            return 0 if call_tools(server) else 1


if __name__ == "__main__":
    sys.exit(main())
