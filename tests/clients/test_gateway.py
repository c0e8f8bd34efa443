"""`promptwire serve` before a recorded API: the official clients, errors, hostile requests, and what is sent on."""

from __future__ import annotations

import base64
import gzip
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import anthropic
import httpx
import openai
import pytest
import uvicorn
from google import genai
from google.genai import errors as gemini_errors, types as gemini

from promptwire import (
    SettingError,
    anthropic_messages,
    gemini_generate,
    llamacpp_chat,
    openai_chat,
    openai_responses,
)
from promptwire_http import gateway
from promptwire_http.gateway.failures import LOG

FRONTS = (anthropic_messages, openai_chat, openai_responses, gemini_generate)
USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n0000").decode()


def whole(message: dict[str, Any], finish: str = "stop") -> httpx.Response:
    body = {
        "id": "a1", "object": "chat.completion", "created": 1, "model": "behind", "usage": USAGE,
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
    }  # fmt: skip
    return httpx.Response(200, json=body)


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    row = {
        "id": "a1", "object": "chat.completion.chunk", "created": 1, "model": "behind",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more,
    }  # fmt: skip
    return b"data: " + json.dumps(row).encode() + b"\n\n"


def streamed(*deltas: dict[str, Any], finish: str = "stop") -> httpx.Response:
    last = (
        b"data: " + json.dumps({"id": "a1", "choices": [], "usage": USAGE}).encode() + b"\n\ndata: [DONE]\n\n"
    )
    return httpx.Response(200, content=b"".join([*map(chunk, deltas), chunk({}, finish), last]))


class Words(httpx.AsyncByteStream):
    """A stream without an end, which notes when it is closed."""

    def __init__(self) -> None:
        self.closed = threading.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        import asyncio

        while True:
            yield chunk({"content": "and "})
            await asyncio.sleep(0.01)

    async def aclose(self) -> None:
        self.closed.set()


class Behind:
    """The API behind: it answers as it is told, and remembers what it was sent."""

    def __init__(self) -> None:
        self.answer: Callable[[Any], httpx.Response] = self.usual
        self.sent: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        return self.answer(json.loads(request.content))

    def usual(self, body: Any) -> httpx.Response:
        """Call the tool if there is one and no result of it, else say a few words."""
        if body.get("tools") and all(message["role"] != "tool" for message in body["messages"]):
            pieces = {"tool_calls": [{"index": 0, **CALL}]}
            if body.get("stream"):
                return streamed(pieces, finish="tool_calls")
            return whole({"content": None, "tool_calls": [CALL]}, "tool_calls")
        if body.get("stream"):
            return streamed({"role": "assistant", "content": "12"}, {"content": " C."})
        return whole({"content": "12 C."})

    @property
    def body(self) -> Any:
        return json.loads(self.sent[-1].content)


@pytest.fixture(scope="module")
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
        claude=anthropic.Anthropic(api_key="sk-client", base_url=url, max_retries=0),
        gpt=openai.OpenAI(api_key="sk-client", base_url=f"{url}/v1", max_retries=0),
        gemini=genai.Client(api_key="sk-client", http_options=gemini.HttpOptions(base_url=url)),
    )
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def at(served: SimpleNamespace) -> SimpleNamespace:
    """The gateway, with an API behind that answers as usual."""
    served.behind.answer = served.behind.usual
    served.behind.sent.clear()
    return served


# ---- official clients


@pytest.mark.parametrize("stream", [False, True])
def test_an_anthropic_client_talks_and_calls_a_tool(at: SimpleNamespace, stream: bool) -> None:
    def ask(messages: list[Any], **more: Any) -> Any:
        arguments: dict[str, Any] = {"model": "claude", "max_tokens": 64, "messages": messages, **more}
        if not stream:
            return at.claude.messages.create(**arguments)
        with at.claude.messages.stream(**arguments) as events:
            return events.get_final_message()

    question = {"role": "user", "content": "How warm is Oslo?"}
    answer = ask([question], system="Be brief.")
    assert (answer.content[0].text, answer.stop_reason) == ("12 C.", "end_turn")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (9, 4)
    assert [message["role"] for message in at.behind.body["messages"]] == ["system", "user"]
    tools = [{"name": "weather", "description": "The weather.", "input_schema": SCHEMA}]
    (call,) = ask([question], tools=tools).content
    assert (call.type, call.name, call.input) == ("tool_use", "weather", {"city": "Oslo"})
    turn = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": call.id, "name": "weather", "input": call.input}],
    }
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "12"}]}
    assert ask([question, turn, result], tools=tools).content[0].text == "12 C."
    assert at.behind.body["messages"][-1] == {"role": "tool", "tool_call_id": call.id, "content": "12"}


@pytest.mark.parametrize("stream", [False, True])
def test_an_openai_client_talks_and_calls_a_tool(at: SimpleNamespace, stream: bool) -> None:
    def ask(messages: list[Any], **more: Any) -> Any:
        arguments: dict[str, Any] = {"model": "small", "messages": messages, **more}
        if not stream:
            return at.gpt.chat.completions.create(**arguments)
        with at.gpt.chat.completions.stream(**arguments) as events:
            return events.get_final_completion()

    question = {"role": "user", "content": "How warm is Oslo?"}
    answer = ask([question]).choices[0]
    assert (answer.message.content, answer.finish_reason) == ("12 C.", "stop")
    assert at.behind.body["model"] == "behind-small"
    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA, "strict": True}}]
    (call,) = ask([question], tools=tools).choices[0].message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Oslo"})


def test_the_usual_loop_over_chunks_meets_no_empty_choices(at: SimpleNamespace) -> None:
    rows = [
        *at.gpt.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}], stream=True)
    ]
    assert "".join([row.choices[0].delta.content or "" for row in rows]) == "12 C."
    assert at.behind.body["stream_options"] == {"include_usage": True}
    counted = at.gpt.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "Hi"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    assert [row.usage.total_tokens for row in counted if row.usage] == [13]


@pytest.mark.parametrize("stream", [False, True])
def test_a_responses_client_talks_and_calls_a_tool(at: SimpleNamespace, stream: bool) -> None:
    def ask(items: Any, **more: Any) -> Any:
        if not stream:
            return at.gpt.responses.create(model="m", input=items, **more)
        with at.gpt.responses.stream(model="m", input=items, **more) as events:
            return events.get_final_response()

    answer = ask("How warm is Oslo?", instructions="Be brief.")
    assert (answer.output_text, answer.status, answer.usage.total_tokens) == ("12 C.", "completed", 13)
    tools = [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}]
    (call,) = ask("How warm is Oslo?", tools=tools).output
    assert (call.type, call.name, json.loads(call.arguments)) == (
        "function_call",
        "weather",
        {"city": "Oslo"},
    )


def test_a_gemini_client_talks_and_calls_a_tool(at: SimpleNamespace) -> None:
    ask: dict[str, Any] = {"model": "gem", "contents": "How warm is Oslo?"}
    answer = at.gemini.models.generate_content(**ask)
    assert (answer.text, answer.usage_metadata.total_token_count) == ("12 C.", 13)
    assert "".join([row.text or "" for row in at.gemini.models.generate_content_stream(**ask)]) == "12 C."
    declared = gemini.FunctionDeclaration(name="weather", description="W.", parameters_json_schema=SCHEMA)
    config = gemini.GenerateContentConfig(tools=[gemini.Tool(function_declarations=[declared])])
    (call,) = at.gemini.models.generate_content(**ask, config=config).function_calls
    assert (call.name, call.args) == ("weather", {"city": "Oslo"})


def test_gemini_streams_without_a_framing_are_a_json_array(at: SimpleNamespace) -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    answer = httpx.post(f"{at.url}/v1beta/models/gem:streamGenerateContent", json=body)
    contents = [row["candidates"][0].get("content", {}) for row in answer.json()]
    assert "".join([part["text"] for content in contents for part in content.get("parts", [])]) == "12 C."


def test_pictures_are_passed_on(at: SimpleNamespace) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    content: Any = [{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}]
    at.claude.messages.create(model="c", max_tokens=9, messages=[{"role": "user", "content": content}])
    (picture, _) = at.behind.body["messages"][0]["content"]
    assert picture["image_url"]["url"] == f"data:image/png;base64,{PNG}"


# ---- keys, notes, lists


def test_the_key_of_a_client_is_passed_on_and_never_logged(
    at: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    at.claude.messages.create(model="c", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
    at.gpt.responses.create(model="c", input="Hi")
    at.gemini.models.generate_content(model="c", contents="Hi")
    httpx.post(
        f"{at.url}/v1beta/models/c:generateContent?key=sk-client",
        json={"contents": [{"parts": [{"text": "Hi"}]}]},
    )
    assert [sent.headers["authorization"] for sent in at.behind.sent] == ["Bearer sk-client"] * 4
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("promptwire")]
    assert "sk-client" not in "\n".join(ours)
    assert [line for line in ours if "gemini_generate -> llamacpp_chat behind: 200" in line]


def test_losses_are_noted_in_a_header_and_in_the_log(
    at: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, LOG.name)
    body = {
        "model": "c",
        "max_tokens": 9,
        "service_tier": "auto",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    answer = httpx.post(f"{at.url}/v1/messages", json=body)
    assert "dropped options.service_tier" in answer.headers[gateway.NOTES]
    assert "dropped options.service_tier" in caplog.text


def test_models_are_listed_for_each_client(at: SimpleNamespace) -> None:
    assert [model.id for model in at.gpt.models.list()] == ["small", "behind"]
    assert [model.id for model in at.claude.models.list()] == ["small", "behind"]
    assert [model.name for model in at.gemini.models.list()] == ["models/small", "models/behind"]
    assert at.gpt.models.retrieve("small").id == "small"


def test_tokens_are_estimated(at: SimpleNamespace) -> None:
    messages: Any = [{"role": "user", "content": "How warm is Oslo? " * 20}]
    count = at.claude.messages.count_tokens(model="c", messages=messages).input_tokens
    assert 80 < count < 150
    assert 80 < at.gemini.models.count_tokens(model="c", contents=messages[0]["content"]).total_tokens < 150
    assert at.behind.sent == []


# ---- errors


def told(status: int, message: str, **headers: str) -> Callable[[Any], httpx.Response]:
    body = {"error": {"message": message, "type": "requests", "code": None}}
    return lambda _: httpx.Response(status, json=body, headers=headers)


def test_a_rate_limit_is_one_for_every_client(at: SimpleNamespace) -> None:
    at.behind.answer = told(429, "Slow down.", **{"retry-after": "7"})
    with pytest.raises(anthropic.RateLimitError, match="Slow down") as claude:
        at.claude.messages.create(model="c", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
    assert claude.value.response.headers["retry-after"] == "7"
    assert claude.value.body["error"]["type"] == "rate_limit_error"
    for ask in (
        lambda: at.gpt.responses.create(model="c", input="Hi"),
        lambda: [
            *at.gpt.chat.completions.create(
                model="c", messages=[{"role": "user", "content": "Hi"}], stream=True
            )
        ],
    ):
        with pytest.raises(openai.RateLimitError, match="Slow down") as gpt:
            ask()
        assert gpt.value.type != "insufficient_quota"
    with pytest.raises(gemini_errors.ClientError, match="Slow down") as gem:
        at.gemini.models.generate_content(model="c", contents="Hi")
    assert (gem.value.code, gem.value.status) == (429, "RESOURCE_EXHAUSTED")


FAULTS: dict[str, tuple[Callable[[Any], httpx.Response], int]] = {
    "refused": (told(400, "bad value"), 400),
    "key": (told(401, "bad key"), 401),
    "unknown model": (told(404, "no such model"), 404),
    "broken": (told(500, "oops"), 500),
    "busy": (told(503, "busy"), 503),
    "elsewhere": (lambda _: httpx.Response(302, headers={"location": "http://evil.example"}), 502),
    "page": (lambda _: httpx.Response(200, text="<html>Welcome</html>"), 502),
    "other JSON": (lambda _: httpx.Response(200, json={"hello": 1}), 502),
    "no JSON": (lambda _: httpx.Response(200, content=b"\xff\x00"), 502),
    "empty": (lambda _: httpx.Response(200), 502),
}


def fails(error: Exception) -> Callable[[Any], httpx.Response]:
    def answer(_: Any) -> httpx.Response:
        raise error

    return answer


FAULTS["dead"] = fails(httpx.ConnectError("refused")), 502
FAULTS["slow"] = fails(httpx.ReadTimeout("")), 504
FAULTS["hung up"] = fails(httpx.RemoteProtocolError("closed")), 502

BODIES: dict[str, dict[str, Any]] = {
    "/v1/messages": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]},
    "/v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]},
    "/v1/responses": {"model": "m", "input": "Hi"},
    "/v1beta/models/m:generateContent": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
}


def check_error(answer: httpx.Response, path: str, status: int) -> None:
    """Check that an error is one of the API whose path it is."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["error"]["message"] and "Traceback" not in answer.text
    if path == "/v1/messages":
        assert body["type"] == "error" and body["error"]["type"].endswith(("_error", "_too_large"))
    elif path.startswith("/v1beta"):
        assert body["error"].get("status", "X").isupper()
    else:
        assert isinstance(body["error"].get("type", ""), str)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_behind_are_errors_of_the_clients_api(at: SimpleNamespace, fault: str) -> None:
    at.behind.answer, status = FAULTS[fault]
    for path, body in BODIES.items():
        check_error(httpx.post(at.url + path, json=body), path, status)
    for path in ("/v1/messages", "/v1/chat/completions", "/v1/responses"):
        answer = httpx.post(at.url + path, json={**BODIES[path], "stream": True})
        check_error(answer, path, status)


def test_a_stream_that_breaks_tells_it_in_the_clients_api(at: SimpleNamespace) -> None:
    at.behind.answer = lambda _: httpx.Response(200, content=chunk({"content": "12"}))
    with (
        pytest.raises(anthropic.APIError, match="broke off"),
        at.claude.messages.stream(**BODIES["/v1/messages"]) as events,
    ):
        events.get_final_message()
    with pytest.raises(openai.APIError, match="broke off"):
        [*at.gpt.chat.completions.create(**BODIES["/v1/chat/completions"], stream=True)]


def test_a_fault_of_the_gateway_itself_in_a_stream_is_told_too(
    at: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("sk-secret of the gateway")

    monkeypatch.setattr("promptwire_http.exchange.Exchange._chunk", fails)
    monkeypatch.setattr("promptwire_http.gateway.calls._first_events", nothing_yet)
    for path in ("/v1/messages", "/v1/chat/completions", "/v1/responses"):
        answer = httpx.post(at.url + path, json={**BODIES[path], "stream": True})
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (
            200,
            "text/event-stream",
        )
        assert "the gateway failed; its log says why" in answer.text and "sk-secret" not in answer.text
    assert "sk-secret of the gateway" in caplog.text


async def nothing_yet(_: Any) -> list[Any]:
    return []


def test_a_client_that_leaves_stops_the_stream_behind(at: SimpleNamespace) -> None:
    for path in ("/v1/messages", "/v1/chat/completions"):
        words = Words()
        at.behind.answer = lambda _, words=words: httpx.Response(200, stream=words)
        with httpx.stream("POST", at.url + path, json={**BODIES[path], "stream": True}) as answer:
            assert next(answer.iter_bytes())
        assert words.closed.wait(10)


# ---- hostile requests


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b'{"model": "m', {}, 400),
        (b"[]", {}, 400),
        (b"null", {}, 400),
        (b"", {}, 400),
        (b"\xff\xfe\x00", {}, 400),
        (b'{"model": ' + b"[" * 50_000, {}, 400),
        (b'{"messages": 7, "input": 7, "contents": 7, "model": "m"}', {}, 400),
        (b'{"messages": 7, "input": {"a": [1]}, "contents": {"parts": 2}, "model": 3}', {}, 400),
        (b'{"a": "' + b"x" * 200_000 + b'"}', {}, 413),
        (gzip.compress(b"{}", mtime=0), {"content-encoding": "gzip"}, 415),
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {"host": "evil.example"}, 421),
    ],
)
def test_what_no_client_sends_gets_an_error_of_the_api(
    at: SimpleNamespace, path: str, content: bytes, headers: dict[str, str], status: int
) -> None:
    sent = {
        "content-type": "application/json",
        "x-forwarded-host": "evil.example",
        "range": "bytes=0-",
        **headers,
    }
    check_error(httpx.post(at.url + path, content=content, headers=sent), path, status)
    assert at.behind.sent == []


def test_unknown_paths_and_methods_are_told(at: SimpleNamespace) -> None:
    answer = httpx.get(f"{at.url}/v1/messages", headers={"anthropic-version": "2023-06-01"})
    check_error(answer, "/v1/messages", 405)
    check_error(httpx.post(f"{at.url}/v1beta/models/m:embed", json={}), "/v1beta", 405)
    check_error(httpx.post(f"{at.url}/v1/embeddings", json={}), "/v1/chat/completions", 404)


def test_a_conversation_that_is_stored_elsewhere_is_refused(at: SimpleNamespace) -> None:
    with pytest.raises(openai.BadRequestError, match="send all its messages"):
        at.gpt.responses.create(model="m", input="And tomorrow?", previous_response_id="resp_1")
    assert at.behind.sent == []


def test_a_gateway_without_an_address_is_refused_at_once() -> None:
    from promptwire import compatible_chat

    with pytest.raises(SettingError, match="base_url"):
        gateway.Gateway(fronts=FRONTS, back=compatible_chat).check()


def test_a_gateway_starts_for_apis_whose_clients_need_settings() -> None:
    from promptwire import azure_openai_chat, compatible_chat

    # neither address is known here
    for front in (azure_openai_chat, compatible_chat):
        gateway.Gateway(fronts=(front,), back=llamacpp_chat, settings={"base_url": "http://a/v1"}).load()
