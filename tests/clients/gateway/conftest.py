"""A gateway on the loopback before a recorded API, and the official clients that ask it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import anthropic
import httpx
import openai
import pytest
import uvicorn
from google import genai
from google.genai import types as gemini

from promptwire import llamacpp_chat
from tests.internals.clients import gateway

from .behind import FRONTS, Behind
from .callers import CALLERS, KEY, Caller


@pytest.fixture(scope="package")
def served() -> Iterator[SimpleNamespace]:
    """A gateway on the loopback before a recorded API."""
    behind = Behind()
    made = gateway.Gateway(
        fronts=FRONTS, back=llamacpp_chat, settings={"base_url": "http://behind.example/v1"},
        models={"small": "behind-small", "*": "behind"}, max_body=100_000,
    )  # fmt: skip
    app = gateway.application(made, httpx.AsyncClient(transport=httpx.MockTransport(behind)))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    yield SimpleNamespace(
        behind=behind,
        url=url,
        claude=anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0),
        gpt=openai.OpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0),
        gemini=genai.Client(api_key=KEY, http_options=gemini.HttpOptions(base_url=url)),
    )
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def at(served: SimpleNamespace) -> SimpleNamespace:
    """The gateway, with an API behind that answers as usual."""
    served.behind.answer = served.behind.usual
    served.behind.sent.clear()
    return served


@pytest.fixture(params=CALLERS)
def caller(request: pytest.FixtureRequest, served: SimpleNamespace) -> Caller:
    """The official clients, blocking or asynchronous."""
    return CALLERS[request.param](served.url)


@pytest.fixture(params=[False, True], ids=["whole", "stream"])
def stream(request: pytest.FixtureRequest) -> bool:
    """Whether answers are streamed."""
    return bool(request.param)
