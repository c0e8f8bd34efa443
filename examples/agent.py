"""An agent with a tool, the same on several APIs, streamed as it works.

    python examples/agent.py openai_chat=gpt-4o anthropic_messages=claude-sonnet-4-5
    python examples/agent.py llamacpp_chat=tiny --base-url http://127.0.0.1:8080/v1

Needs the extra `http`; keys come from the environment variables that the vendors' own clients read.
"""

from __future__ import annotations

import argparse
import sys
from typing import Literal

import promptwire
from promptwire import Event, Options, Request, user
from promptwire.http import Client

REQUEST = Request(
    None,
    [user("How warm is Oslo?")],
    instructions="Answer in one line.",
    options=Options(max_tokens=200),
    stream_usage=True,
)


def weather(city: Literal["Oslo", "Bergen"]) -> str:
    """The weather now.

    Args:
        city: Its name.
    """
    return f"12 C in {city}"


def show(event: Event) -> None:
    """Print text as it arrives, a call with its arguments, and the result of a function."""
    if event.kind in ("text", "arguments"):
        sys.stdout.write(event.text)
    elif event.kind == "call":
        sys.stdout.write(f"{event.name} ")
    elif event.kind == "part" and event.data.role == "tool":
        sys.stdout.write(f" -> {event.data.parts[0].parts[0].text} -> ")
    sys.stdout.flush()


def run(name: str, model: str, base_url: str | None = None) -> None:
    """Run the agent on one API."""
    with (
        Client(promptwire.wire(name), base_url=base_url, policies="portable") as client,
        client.run_stream(REQUEST.replace(model=model), [weather]) as stream,
    ):
        sys.stdout.write(f"{name}: ")
        for event in stream:
            show(event)
        usage = stream.result().usage
        sys.stdout.write(f"\n  {usage.input} tokens in, {usage.output} out\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("apis", nargs="+", metavar="WIRE=MODEL")
    parser.add_argument("--base-url")
    given = parser.parse_args()
    for api in given.apis:
        wire, _, model = api.partition("=")
        run(wire, model, given.base_url)
