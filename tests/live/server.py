"""llama.cpp's real HTTP server, inside this process and on the loopback interface only."""

from __future__ import annotations

import importlib
import json
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

Wire = Literal["chat", "responses", "messages"]

ROUTES: dict[Wire, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
}

START_SECONDS = 300.0
ANSWER_SECONDS = 300.0

# llama.cpp shows the rendered prompts in /slots only when this is set while the model is loaded.
SLOTS_DEBUG = "LLAMA_SERVER_SLOTS_DEBUG"

# A proxy named in the environment must not see loopback traffic.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ServerError(RuntimeError):
    """The server did not start, did not answer in time, or refused a body that had to be accepted."""


class _Engine(Protocol):
    """``xllamacpp.Server``, which comes without types. It stops when its last reference goes."""

    listening_address: str


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running server.

    Attributes:
        url: scheme, host and port, without a final slash.
    """

    url: str

    def post(self, path: str, body: object, headers: Iterable[tuple[str, str]] = ()) -> tuple[int, Any]:
        """Send ``body`` as JSON and return the HTTP status and the decoded JSON answer, errors included.

        Args:
            path: the path with its first slash.
            body: any JSON value.
            headers: ``(name, value)`` pairs sent besides the content type.

        Raises:
            ServerError: no answer within ``ANSWER_SECONDS``, or one that is not JSON.
        """
        return self._send(path, json.dumps(body).encode(), headers)

    def pieces(self, path: str, body: object, headers: Iterable[tuple[str, str]] = ()) -> Iterator[bytes]:
        """Send ``body`` as JSON and yield the bytes of the answer as they come.

        Raises:
            ServerError: no answer within ``ANSWER_SECONDS``, or a status that is not 200.
        """
        known = {"content-type": "application/json", **dict(headers)}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), known)
        try:
            with _OPENER.open(request, timeout=ANSWER_SECONDS) as answer:
                while piece := answer.read1():
                    yield piece
        except OSError as error:
            raise ServerError(f"{self.url}{path} gave no stream: {error}") from error

    def render(self, path: str, body: object, headers: Iterable[tuple[str, str]] = ()) -> str:
        """Send ``body`` and return the prompt that the server made of it.

        Raises:
            ServerError: as ``post``, or the status is not 200.
        """
        status, answer = self.post(path, body, headers)
        if status != 200:
            raise ServerError(f"{path} answered {status}: {json.dumps(answer)}")
        return self.last_prompt()

    def get(self, path: str) -> tuple[int, Any]:
        """The HTTP status and the decoded JSON answer of ``path``, errors included.

        Raises:
            ServerError: as ``post``.
        """
        return self._send(path, None, ())

    def last_prompt(self) -> str:
        """The prompt of the last accepted request, as the chat template rendered it; empty before the first.

        Raises:
            ServerError: as ``post``, or ``/slots`` shows no slot.
        """
        return str(self._slot().get("prompt", ""))

    def last_parameters(self) -> dict[str, Any]:
        """The sampling of the last accepted request, by llama.cpp's names (``max_tokens``, ``top_k``, ...).

        Raises:
            ServerError: as ``last_prompt``.
        """
        return dict(self._slot().get("params", {}))

    def _slot(self) -> dict[str, Any]:
        status, slots = self.get("/slots")
        if status != 200 or not slots:
            raise ServerError(f"/slots answered {status}: {json.dumps(slots)}")
        return dict(slots[0])

    def _send(self, path: str, data: bytes | None, headers: Iterable[tuple[str, str]]) -> tuple[int, Any]:
        request = urllib.request.Request(
            self.url + path, data, {"content-type": "application/json", **dict(headers)}
        )
        try:
            try:
                with _OPENER.open(request, timeout=ANSWER_SECONDS) as answer:
                    return answer.status, json.loads(answer.read())
            except urllib.error.HTTPError as refusal:
                with refusal:
                    return refusal.code, json.loads(refusal.read())
        except (OSError, ValueError) as error:
            raise ServerError(f"{self.url}{path} gave no JSON answer: {error}") from error


@contextmanager
def local_server(model: Path) -> Generator[LocalServer, None, None]:
    """Serve ``model`` on a free loopback port until the block ends.

    Args:
        model: a GGUF file; its own context length and chat template are used.

    Raises:
        ServerError: the server is not ready within ``START_SECONDS``.
    """
    if not model.is_file():
        raise ServerError(f"no model file at {model}")
    deadline = time.monotonic() + START_SECONDS
    engine = _start(model, deadline)
    try:
        server = LocalServer(engine.listening_address)
        _await_health(server, deadline)
        yield server
    finally:
        # Dropping the last reference is the only way to stop it.
        del engine


def _load(model: Path) -> _Engine:
    llama: Any = importlib.import_module("xllamacpp")
    parameters = llama.CommonParams()
    parameters.model.path = str(model)
    parameters.port = 0
    parameters.n_ctx = 0
    # One slot: the slot's prompt is then always the last request's.
    parameters.n_parallel = 1
    parameters.n_predict = 32
    parameters.use_jinja = True
    parameters.endpoint_slots = True
    parameters.warmup = False
    parameters.ui = False
    # Threads that spin for one another cost seconds on a busy machine; the model is too small to gain.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    # Errors only, on the standard error stream.
    parameters.verbosity = 1
    # Greedy choice: the same body gets the same answer.
    parameters.sampling.temp = 0.0
    engine: _Engine = llama.Server(parameters)
    return engine


def _start(model: Path, deadline: float) -> _Engine:
    """Load the model in a thread of its own, so that the wait for it has an end."""
    started: list[_Engine] = []
    failed: list[Exception] = []

    def load() -> None:
        try:
            started.append(_load(model))
        # The waiting thread reports any error.
        except Exception as error:
            failed.append(error)

    before = os.environ.get(SLOTS_DEBUG)
    os.environ[SLOTS_DEBUG] = "1"
    try:
        thread = threading.Thread(target=load, name="load-model", daemon=True)
        thread.start()
        thread.join(max(0.0, deadline - time.monotonic()))
    finally:
        if before is None:
            del os.environ[SLOTS_DEBUG]
        else:
            os.environ[SLOTS_DEBUG] = before
    if failed:
        raise ServerError(f"the server did not start with {model}: {failed[0]}") from failed[0]
    if not started:
        raise ServerError(f"the server did not load {model} within {START_SECONDS:g} seconds")
    return started[0]


def _await_health(server: LocalServer, deadline: float) -> None:
    problem = "never asked"
    while time.monotonic() < deadline:
        try:
            status, answer = server.get("/health")
        except ServerError as error:
            problem = str(error)
        else:
            if status == 200:
                return
            problem = f"/health answered {status}: {json.dumps(answer)}"
        time.sleep(0.02)
    raise ServerError(f"the server was not ready within {START_SECONDS:g} seconds: {problem}")


def generated_text(wire: Wire, answer: Any) -> str:
    """The text that a 200 answer of ``wire`` carries, its parts joined; empty when there is none."""
    if wire == "chat":
        return str(answer["choices"][0]["message"]["content"] or "")
    if wire == "responses":
        parts = [part for item in answer["output"] if item["type"] == "message" for part in item["content"]]
    else:
        parts = [part for part in answer["content"] if part["type"] == "text"]
    return "".join(part["text"] for part in parts)


def rendered_turns(prompt: str) -> list[tuple[str, str]]:
    """The ``(role, text)`` turns of a ChatML prompt, the opened assistant turn (text ``""``) last."""
    return [
        (role, text.removesuffix("<|im_end|>\n"))
        for role, text in re.findall(r"<\|im_start\|>(\w+)\n(.*?)(?=<\|im_start\|>|\Z)", prompt, re.DOTALL)
    ]


def user_text_before_results(turns: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Move a user turn that follows tool results before them, as the server does on ``/v1/messages``.

    There the results and the text share one user message; the server renders its text first.
    """
    moved: list[tuple[str, str]] = []
    for turn in turns:
        place = len(moved)
        while turn[0] == "user" and place and moved[place - 1][0] == "tool":
            place -= 1
        moved.insert(place, turn)
    return moved


def prompt_differences(prompts: dict[Wire, str]) -> dict[Wire, list[tuple[str, str]]]:
    """The turns of each wire whose prompt does not mean what the chat prompt means; empty when all agree.

    ``responses`` must equal ``chat`` to the character. ``messages`` must too, after
    ``user_text_before_results`` was applied to both; no other difference is allowed.
    """
    differing: dict[Wire, list[tuple[str, str]]] = {}
    chat = rendered_turns(prompts["chat"])
    if prompts["responses"] != prompts["chat"]:
        differing["responses"] = rendered_turns(prompts["responses"])
    messages = rendered_turns(prompts["messages"])
    if user_text_before_results(messages) != user_text_before_results(chat):
        differing["messages"] = messages
    return differing
