"""Show one conversation as three requests, ask a real server on this machine with each, and run an agent.

Run with `make demo`, or `python -m tests.live.demo` where the project is installed. `make serve` keeps the server up.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import uvicorn
from rich.console import Console
from rich.table import Table
from rich.text import Text

from promptwire import (
    Options,
    Request,
    ResponseFormat,
    Tool,
    ToolCall,
    anthropic_messages,
    assistant,
    llamacpp_chat,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.http import Client
from tests.internals.clients import Gateway, application
from tests.pages import laid_out

from .conversation import TYPED_ITEM
from .server import ROUTES, LocalServer, Wire, local_server
from .tiny_model import RESULT_SENTENCE, write_tiny_model

APIS: dict[Wire, ModuleType] = {
    "chat": openai_chat,
    "responses": openai_responses,
    "messages": anthropic_messages,
}
# the model has random weights: the grammar of the format leaves it these sentences
SENTENCES = ["Tomorrow it will be 14 C in Oslo.", "It stays warm tomorrow.", "Tomorrow looks like today."]
FORMAT = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": SENTENCES}},
    "required": ["answer"],
    "additionalProperties": False,
}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
CONVERSATION = Request(
    "tiny",
    [
        user("How warm is Oslo?"),
        assistant(ToolCall("call_1", "weather", {"city": "Oslo"})),
        tool_result("call_1", "12 C"),
        assistant("It is 12 C.", extra=TYPED_ITEM),
        user("And tomorrow?"),
    ],
    instructions="Answer in one line.",
    tools=[Tool("weather", "The weather now.", CITY)],
    options=Options(max_tokens=48),
)
ANSWERS = """
Its answers through `promptwire serve`, which speaks all three APIs. The model is tiny and random, and the grammar of
the response format leaves it three sentences:"""
SERVED = """\
llama.cpp with a tiny model: {server}
promptwire serve before it:  {gateway}

Try, with .venv/bin in the PATH:

  promptwire ask llamacpp_chat -m tiny --base-url {server}/v1 "Hello"
  promptwire ask anthropic_messages -m tiny --base-url {gateway} "Hello"
  promptwire ask openai_chat -m tiny --base-url {gateway}/v1 --max-tokens 128 --tool tests.live.demo:weather "How warm is Oslo?"

Ctrl-C ends it."""
_COLUMN = 37
_SERVER_SECONDS = 600.0


def weather(city: Literal["Oslo"]) -> str:
    """The weather now."""
    return f"12 C in {city}"


def say(text: str = "") -> None:
    """Print one text."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def side_by_side(bodies: Mapping[str, Any]) -> None:
    """Print bodies in columns; lines that not all of them have are marked."""
    columns = {title: laid_out(body, width=_COLUMN).splitlines() for title, body in bodies.items()}
    common = set.intersection(*({line.strip(" ,") for line in lines} for lines in columns.values()))
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    texts: list[Text] = []
    for title, lines in columns.items():
        table.add_column(title, width=_COLUMN + 2, overflow="fold")
        text = Text()
        for line in lines:
            own = line.strip(" ,") not in common
            text.append(f"{'* ' if own else '  '}{line}\n", style="bold" if own else "dim")
        texts.append(text)
    table.add_row(*texts)
    screen = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    with screen.capture() as printed:
        screen.print(table)
    say("\n".join(line.rstrip() for line in printed.get().rstrip().splitlines()))


def prompts_of(server: LocalServer) -> dict[Wire, str]:
    """Send the three requests to the server's own three APIs, and return the prompts that it made of them."""
    prompts: dict[Wire, str] = {}
    for wire, api in APIS.items():
        prompts[wire] = server.render(ROUTES[wire], api.build(CONVERSATION).body)
    return prompts


@contextmanager
def gateway(server: LocalServer) -> Iterator[str]:
    """Run `promptwire serve` for all three APIs before Chat Completions of the server; yield its address."""
    made = Gateway(fronts=tuple(APIS.values()), back=llamacpp_chat, settings={"base_url": f"{server.url}/v1"})
    running = uvicorn.Server(
        uvicorn.Config(application(made), host="127.0.0.1", port=0, log_config=None, access_log=False)
    )
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    running.should_exit = True
    thread.join(30)


def client(wire: Wire, address: str) -> Client:
    """Return a client for one API of a server."""
    base = address if wire == "messages" else f"{address}/v1"
    return Client(APIS[wire], base_url=base, api_key="local", policies="portable", timeout=_SERVER_SECONDS)


def ask_all(address: str) -> bool:
    """Ask with each API and a response format, and print the answers; return whether each is one of the sentences."""
    schema = ResponseFormat("json_schema", schema=FORMAT, name="reply", strict=True)
    request = CONVERSATION.replace(response_format=schema)
    good: list[bool] = []
    for wire in APIS:
        with client(wire, address) as asking:
            answer = asking.ask(request)
        sentence = answer.data["answer"]
        say(f"  {ROUTES[wire]:<22} {sentence}")
        good.append(sentence in SENTENCES)
    return all(good)


def run_agents(address: str) -> bool:
    """Run an agent with a tool on each API, streamed; return whether each called its tool and went on."""
    request = Request("tiny", [user("How warm is Oslo?")], options=Options(max_tokens=128))
    good: list[bool] = []
    for wire in APIS:
        told: list[str] = [f"  {ROUTES[wire]:<22} "]
        with client(wire, address) as asking, asking.run_stream(request, [weather]) as stream:
            for event in stream:
                if event.kind == "call":
                    told.append(f"{event.name} ")
                elif event.kind == "arguments":
                    told.append(event.text)
                elif event.kind == "part" and event.data.role == "tool":
                    told.append(f" -> {event.data.parts[0].parts[0].text} -> ")
                elif event.kind == "text":
                    told.append(event.text)
            run = stream.result()
        say("".join(told))
        good.append(len(run.answers) == 2 and run.text == RESULT_SENTENCE)
    return all(good)


def main() -> int:
    """Show, compare, ask, run; return 0 if all went well."""
    say("One conversation as three requests (* marks what not all of them have):\n")
    built = {api.WIRE.title: api.build(CONVERSATION) for api in APIS.values()}
    side_by_side({title: one.body for title, one in built.items()})
    for title, one in built.items():
        for note in one.notes:
            # the type of an item is for llama.cpp alone
            if "extra" in note.field:
                continue
            say(f"note, {title}: {note}")
    with tempfile.TemporaryDirectory(prefix="promptwire-demo-") as folder:
        with local_server(write_tiny_model(Path(folder, "tiny.gguf"))) as server:
            prompts = prompts_of(server)
        if len(set(prompts.values())) != 1:
            say("\nThe three prompts differ:")
            for wire, prompt in prompts.items():
                say(f"--- {wire}\n{prompt}")
            return 1
        say(f"\nllama.cpp on this machine renders all three to one prompt of {len(prompts['chat'])} letters.")
        with (
            local_server(write_tiny_model(Path(folder, "calling.gguf"), calling=True)) as server,
            gateway(server) as address,
        ):
            say(ANSWERS)
            good = ask_all(address)
            say("\nAn agent with a tool, streamed with `promptwire.http`: its call, the result, its answer.")
            good = run_agents(server.url) and good
            say("\nThe same through `promptwire serve`:")
            good = run_agents(address) and good
    return 0 if good else 1


def serve() -> int:
    """Keep the server and a gateway before it up until Ctrl-C."""
    with (
        tempfile.TemporaryDirectory(prefix="promptwire-demo-") as folder,
        local_server(write_tiny_model(Path(folder, "tiny.gguf"), calling=True)) as server,
        gateway(server) as address,
    ):
        say(SERVED.format(server=server.url, gateway=address))
        try:
            while True:
                time.sleep(1)
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(serve() if sys.argv[1:] == ["serve"] else main())
