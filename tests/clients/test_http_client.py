"""The client of `promptwire.http`: answers, streams, tools, retries, limits and errors, without a network."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from promptwire import (
    Built,
    Options,
    Request,
    Tool,
    ToolChoice,
    anthropic_messages,
    aptix_responses,
    bedrock_converse,
    gemini_generate,
    onnx_genai,
    openai_chat,
    openai_responses,
    user,
    wire,
)
from promptwire.errors import AnswerError, InvalidRequest, SettingError
from promptwire.http import (
    ApiConnectionError,
    ApiStatusError,
    ApiTimeoutError,
    AsyncClient,
    Client,
    Outgoing,
    StepLimitError,
)
from promptwire.results import ConversationEncoder
from tests.answers import stream_bytes

QUESTION = Request("m", [user("How warm is Oslo?")], options=Options(max_tokens=50))
Answerer = Callable[[httpx.Request], httpx.Response]


def weather(city: str, days: int = 1) -> str:
    """The weather now.

    Args:
        city: Its name.
        days: How many.
    """
    return f"12 C in {city}, {days} d"


async def weather_later(city: str) -> dict[str, Any]:
    """The weather, later."""
    await asyncio.sleep(0)
    return {"warm": city == "Oslo"}


def said(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    }


def called(*calls: tuple[str, Any]) -> dict[str, Any]:
    rows = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for n, (name, arguments) in enumerate(calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": rows}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    }


def chunks(*deltas: dict[str, Any], finish: str = "stop") -> bytes:
    rows: list[Any] = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    rows.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return b"".join([b"data: " + json.dumps(row).encode() + b"\n\n" for row in rows]) + b"data: [DONE]\n\n"


@dataclass
class Api:
    """A recorded API: it answers with one response after another, and remembers what it was sent."""

    responses: list[Any]
    sent: list[httpx.Request]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        if isinstance(response, dict):
            return httpx.Response(200, json=response)
        if isinstance(response, bytes):
            return httpx.Response(200, content=response)
        if isinstance(response, httpx.Response):
            return httpx.Response(response.status_code, headers=response.headers, content=response.content)
        made: httpx.Response = response()
        return made

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.sent]


Both = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Both:
    """Call a method of a client, synchronous or not, on recorded responses: events if it streams, and the result."""

    def run(api: Api, method: str, *arguments: Any, wire: Any = openai_chat, **options: Any) -> Any:
        own = {name: options.pop(name) for name in ("max_steps", "tool_errors") if name in options}
        options = {"api_key": "sk-secret", **options}
        streams = "stream" in method
        if request.param == "sync":
            http = httpx.Client(transport=httpx.MockTransport(api))
            with Client(wire, http=http, **options) as client:
                made = getattr(client, method)(*arguments, **own)
                return (list(made), made.result()) if streams else made

        async def later() -> Any:
            http = httpx.AsyncClient(transport=httpx.MockTransport(api))
            async with AsyncClient(wire, http=http, **options) as client:
                made = getattr(client, method)(*arguments, **own)
                return ([event async for event in made], await made.result()) if streams else await made

        return asyncio.run(later())

    return run


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Wait no time, but note how long."""
    waited: list[float] = []

    async def later(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("promptwire_http.streams.sleep", waited.append)
    monkeypatch.setattr("promptwire_http.streams.anyio.sleep", later)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)
    return waited


def test_a_question_is_answered(call: Both) -> None:
    seen: list[Outgoing] = []
    api = Api([said("12 C.")], [])
    answer = call(api, "ask", QUESTION, on_send=seen.append)
    assert (answer.text, answer.finish, answer.usage.total) == ("12 C.", "stop", 13)
    (sent,) = api.sent
    built = openai_chat.build(QUESTION)
    assert (sent.method, str(sent.url), sent.content) == (built.method, built.url, built.json())
    assert sent.headers["authorization"] == "Bearer sk-secret"
    # the hook sees what is sent, without the key
    (shown,) = seen
    assert (shown.body, shown.attempt, shown.after) == (sent.content, 1, None)
    assert shown.headers["authorization"] == "Bearer $OPENAI_API_KEY" and "sk-secret" not in repr(shown)


@pytest.mark.parametrize("stream", [None, True])
def test_a_stream_gives_its_events_and_then_the_answer(call: Both, stream: bool | None) -> None:
    api = Api([chunks({"role": "assistant", "content": "12"}, {"content": " C."})], [])
    request = Request("m", QUESTION.messages, stream=stream)
    events, answer = call(api, "stream", request)
    assert [event.text for event in events if event.kind == "text"] == ["12", " C."]
    assert (answer.text, answer.finish, api.bodies[0]["stream"]) == ("12 C.", "stop", True)


def test_a_request_to_be_streamed_is_asked_whole(call: Both) -> None:
    api = Api([said("12 C.")], [])
    assert call(api, "ask", Request("m", QUESTION.messages, stream=True)).text == "12 C."
    assert "stream" not in api.bodies[0]


def test_an_agent_calls_functions_until_it_has_an_answer(call: Both) -> None:
    api = Api(
        [
            called(("weather", {"city": "Oslo", "days": 2}), ("weather_later", {"city": "Oslo"})),
            said("Warm."),
        ],
        [],
    )
    run = call(api, "run", QUESTION, [weather, weather_later])
    assert (run.text, len(run.answers), run.usage.total) == ("Warm.", 2, 20)
    assert [tool["function"]["name"] for tool in api.bodies[0]["tools"]] == ["weather", "weather_later"]
    assert [message["role"] for message in api.bodies[1]["messages"]] == ["user", "assistant", "tool", "tool"]
    assert [m["content"] for m in api.bodies[1]["messages"][2:]] == ["12 C in Oslo, 2 d", '{"warm":true}']
    assert [message.role for message in run.request.messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]


def test_an_agent_can_be_streamed(call: Both) -> None:
    function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
    calling = chunks(
        {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": function}]},
        finish="tool_calls",
    )
    api = Api([calling, chunks({"content": "Warm."})], [])
    events, run = call(api, "run_stream", QUESTION, [weather])
    kinds = [event.kind for event in events if event.kind in ("start", "call", "text")]
    assert kinds == ["start", "call", "start", "text"]
    results = [event.data for event in events if event.kind == "part" and event.data.role == "tool"]
    assert [result.parts[0].parts[0].text for result in results] == ["12 C in Oslo, 1 d"]
    assert (run.text, len(run.answers)) == ("Warm.", 2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, 'weather was not called: it needs the argument "city"; it takes city, days'),
        (
            {"city": "Oslo", "unit": "C"},
            'weather was not called: it has no argument "unit"; it takes city, days',
        ),
        ({"city": "Oslo", "days": "two"}, "weather was not called: days: the JSON is text, not int"),
    ],
)
def test_arguments_that_do_not_fit_are_told_to_the_model(call: Both, arguments: Any, told: str) -> None:
    api = Api([called(("weather", arguments)), said("Sorry.")], [])
    assert call(api, "run", QUESTION, [weather]).text == "Sorry."
    assert api.bodies[1]["messages"][-1]["content"] == told


def test_what_a_function_raises_is_told_or_raised(call: Both) -> None:
    def fails(city: str) -> str:
        """Fail."""
        raise LookupError(f"no {city}")

    tools = {"weather": fails}
    api = Api([called(("weather", {"city": "Oslo"})), said("Sorry.")], [])
    call(api, "run", QUESTION, tools)
    assert api.bodies[1]["messages"][-1]["content"] == "weather failed: LookupError: no Oslo"
    with pytest.raises(LookupError, match="no Oslo"):
        call(Api([called(("weather", {"city": "Oslo"}))], []), "run", QUESTION, tools, tool_errors="raise")


def test_a_tool_that_does_not_exist_is_told_to_the_model(call: Both) -> None:
    api = Api([called(("wether", {})), said("Sorry.")], [])
    call(api, "run", QUESTION, [weather])
    assert api.bodies[1]["messages"][-1]["content"] == "there is no tool 'wether'; the tools are weather"


def test_a_declared_tool_without_a_function_ends_the_run(call: Both) -> None:
    request = Request("m", QUESTION.messages, tools=[Tool("approve", "Ask a person.")])
    run = call(Api([called(("approve", {}))], []), "run", request, [weather])
    assert [call.name for call in run.answer.calls] == ["approve"]
    # the caller answers the call, and goes on
    assert [message.role for message in run.request.messages] == ["user"]


def test_a_call_of_the_apis_own_tool_that_waits_ends_the_run(call: Both) -> None:
    shell = {"type": "shell_call", "id": "sh_1", "call_id": "call_1", "action": {"commands": ["ls"]}}
    asked = {"type": "function_call", "call_id": "call_2", "name": "weather", "arguments": '{"city": "Oslo"}'}
    body = {"object": "response", "id": "r1", "status": "completed", "model": "m", "output": [shell, asked]}
    api = Api([httpx.Response(200, json=body)], [])
    run = call(api, "run", QUESTION, [weather], wire=openai_responses)
    assert ([each.type for each in run.answer.waiting], run.answer.finish) == (["shell_call"], "tool_calls")
    # the caller answers both calls, and goes on
    assert (len(api.sent), [message.role for message in run.request.messages]) == (1, ["user"])


def test_each_step_of_a_run_encodes_what_is_new(call: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    reused: list[int] = []
    encode = ConversationEncoder.encode

    def counted(self: ConversationEncoder, built: Built[Any]) -> bytes:
        content = encode(self, built)
        reused.append(self.reused)
        return content

    monkeypatch.setattr(ConversationEncoder, "encode", counted)
    seen: list[Outgoing] = []
    steps = [called(("weather", {"city": city})) for city in ("Oslo", "Rome")]
    api = Api([steps[0], httpx.Response(503), steps[1], said("Warm.")], [])
    call(api, "run", QUESTION, [weather], on_send=seen.append)
    assert [sent.content for sent in api.sent] == [sent.built.json() for sent in seen]
    # the tools and the question, then the first call and its result too; an attempt that failed is not encoded again
    assert len(api.sent) == 4
    assert [count > 0 for count in reused] == [False, True, True]
    assert reused[2] > reused[1]


def test_an_agent_stops_after_its_last_step(call: Both) -> None:
    api = Api([called(("weather", {"city": "Oslo"})) for _ in range(3)], [])
    with pytest.raises(StepLimitError, match="after 2 steps") as stopped:
        call(api, "run", QUESTION, [weather], max_steps=2)
    assert [message.role for message in stopped.value.request.messages] == [
        "user",
        *["assistant", "tool"] * 2,
    ]


def test_a_tool_that_must_be_called_is_called_once(call: Both) -> None:
    request = Request("m", QUESTION.messages, tool_choice=ToolChoice("required", parallel=False))
    api = Api([called(("weather", {"city": "Oslo"})), said("Warm.")], [])
    call(api, "run", request, [weather])
    assert [body.get("tool_choice") for body in api.bodies] == ["required", None]
    assert [body.get("parallel_tool_calls") for body in api.bodies] == [False, False]


def asks_now(**options: Any) -> None:
    Client(anthropic_messages, api_key="k", http=httpx.Client(**options)).ask(QUESTION)


def asks_later(**options: Any) -> None:
    asyncio.run(AsyncClient(anthropic_messages, api_key="k", http=httpx.AsyncClient(**options)).ask(QUESTION))


@pytest.mark.parametrize("asks", [asks_now, asks_later])
def test_a_client_that_follows_redirects_takes_no_key_elsewhere(asks: Callable[..., None]) -> None:
    api = Api([httpx.Response(307, headers={"location": "https://elsewhere.example/"})] * 2, [])
    with pytest.raises(ApiStatusError, match="redirected to https://elsewhere"):
        asks(transport=httpx.MockTransport(api), follow_redirects=True)
    assert [sent.url.host for sent in api.sent] == ["api.anthropic.com"]


BUSY = {"error": {"message": "Too many.", "type": "requests", "code": "rate_limit_exceeded"}}


def test_what_may_succeed_later_is_sent_again(call: Both, waits: list[float]) -> None:
    seen: list[Outgoing] = []
    api = Api(
        [
            httpx.Response(429, json=BUSY, headers={"retry-after": "7"}),
            httpx.ConnectError("refused"),
            said("12 C."),
        ],
        [],
    )
    assert call(api, "ask", QUESTION, on_send=seen.append).text == "12 C."
    # never before the stated time
    assert 7 <= waits[0] <= 7.7 and 0.7 < waits[1] <= 1
    assert [type(sent.after) for sent in seen] == [type(None), ApiStatusError, ApiConnectionError]


@pytest.mark.parametrize("text", ["0", "Wed, 21 Oct 2015 07:28:00 GMT", "0.01", "soon", "-5"])
def test_no_stated_wait_is_shorter_than_the_backoff(call: Both, waits: list[float], text: str) -> None:
    busy = httpx.Response(429, json=BUSY, headers={"retry-after": text})
    assert call(Api([busy, busy, said("12 C.")], []), "ask", QUESTION).text == "12 C."
    assert 0.37 < waits[0] <= 0.55 and 0.75 <= waits[1] <= 1.1


@pytest.mark.parametrize(
    ("responses", "options", "attempts"),
    [
        ([httpx.Response(429, json=BUSY)] * 3, {}, 3),
        ([httpx.Response(429, json=BUSY)], {"retries": 0}, 1),
        ([httpx.Response(429, json=BUSY, headers={"retry-after": "61"})], {}, 1),
        ([httpx.Response(429, json=BUSY, headers={"retry-after": "5"})], {"limit": 4}, 1),
        *[
            ([httpx.Response(429, json=BUSY, headers={"retry-after": text})], {}, 1)
            for text in ("20m", "3 hours", "1e9", "inf", "9" * 20)
        ],
        ([httpx.Response(429, json={"error": {"message": "Please try again in 20m."}})], {}, 1),
        ([httpx.Response(429, json=BUSY, headers={"x-should-retry": "false"})], {}, 1),
        ([httpx.Response(401, json={"error": {"message": "bad key sk"}})], {}, 1),
        ([httpx.Response(302, headers={"location": "http://elsewhere"})], {}, 1),
        ([{"error": {"message": "no such model", "code": 404}}], {}, 1),
    ],
)
def test_other_errors_are_raised(call: Both, responses: list[Any], options: Any, attempts: int) -> None:
    api = Api(list(responses), [])
    with pytest.raises(ApiStatusError) as failed:
        call(api, "ask", QUESTION, **options)
    assert (len(api.sent), failed.value.attempts) == (attempts, attempts)
    assert str(failed.value).startswith("openai_chat: https://api.openai.com/v1/chat/completions: ")


def test_a_status_error_has_what_the_api_said(call: Both) -> None:
    with pytest.raises(ApiStatusError) as failed:
        call(
            Api([httpx.Response(429, json=BUSY, headers={"retry-after": "70", "x-request-id": "r1"})], []),
            "ask",
            QUESTION,
        )
    error = failed.value.error
    assert (error.kind, error.message, error.status, error.wait) == ("rate_limit", "Too many.", 429, 70)
    assert failed.value.headers["x-request-id"] == "r1"


@pytest.mark.parametrize(
    ("problem", "kind", "attempts"),
    [
        (httpx.ConnectError("refused"), ApiConnectionError, 3),
        (httpx.ReadTimeout(""), ApiTimeoutError, 3),
        (httpx.RemoteProtocolError("closed"), ApiConnectionError, 3),
        (httpx.UnsupportedProtocol("ftp"), ApiConnectionError, 1),
    ],
)
def test_errors_of_the_network_are_errors_of_ours(
    call: Both, problem: Exception, kind: type[Exception], attempts: int
) -> None:
    api = Api([problem] * 3, [])
    with pytest.raises(ApiConnectionError) as failed:
        call(api, "ask", QUESTION)
    assert (type(failed.value), len(api.sent)) == (kind, attempts)


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (httpx.Response(200, text="<html>Welcome</html>"), "the answer is not JSON: '<html>Welcome</html>'"),
        (httpx.Response(200, content=b"\xff\xfe"), "the answer is not JSON"),
        (httpx.Response(200, content=b'{"choices": ' + b"[" * 100_000), "the answer is not JSON"),
    ],
)
def test_a_garbled_answer_is_an_error(call: Both, response: httpx.Response, text: str) -> None:
    with pytest.raises(AnswerError) as failed:
        call(Api([response], []), "ask", QUESTION)
    assert text in str(failed.value)


def test_content_that_cannot_be_decompressed_is_an_error(call: Both) -> None:
    cut = gzip.compress(b"{}")[:10] + b"\xff" * 20
    stream = httpx.ByteStream(cut)
    with pytest.raises(ApiConnectionError):
        call(
            Api([lambda: httpx.Response(200, headers={"content-encoding": "gzip"}, stream=stream)], []),
            "ask",
            QUESTION,
        )


def test_a_stream_that_breaks_off_keeps_what_came(call: Both) -> None:
    first = chunks({"content": "12"}).partition(b"\n\n")[0] + b"\n\n"
    with pytest.raises(AnswerError, match="broke off") as failed:
        call(Api([first], []), "stream", QUESTION)
    answer = failed.value.answer  # type: ignore[attr-defined]
    assert answer.text == "12"


def test_a_stream_in_place_of_a_whole_answer_is_read(call: Both) -> None:
    content = chunks({"role": "assistant", "content": "12"}, {"content": " C."})
    answer = call(Api([content], []), "ask", QUESTION)
    assert (answer.text, answer.finish) == ("12 C.", "stop")
    with pytest.raises(AnswerError, match="broke off"):
        call(Api([content.partition(b"\n\n")[0] + b"\n\n"], []), "ask", QUESTION)
    told = b'data: {"error": {"message": "overloaded", "code": 503}}\n\n'
    with pytest.raises(ApiStatusError, match="overloaded"):
        call(Api([told], []), "ask", QUESTION, retries=0)


def test_an_error_in_a_stream_is_a_status_error(call: Both) -> None:
    first = chunks({"content": "12"}).partition(b"\n\n")[0] + b"\n\n"
    told = b'data: {"error": {"message": "overloaded", "type": "server_error", "code": 503}}\n\n'
    with pytest.raises(ApiStatusError, match="overloaded") as failed:
        call(Api([first + told], []), "stream", QUESTION)
    assert failed.value.error.retryable and failed.value.answer is not None
    assert failed.value.answer.text == "12"


def test_the_key_comes_from_the_environment_unless_one_is_given(
    call: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of-the-environment")
    for options, header in (
        ({}, {"x-api-key": "of-the-environment"}),
        ({"api_key": "k"}, {"x-api-key": "k"}),
        ({"settings": {"auth_token": "t"}}, {"authorization": "Bearer t"}),
    ):
        api = Api([{"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"}], [])
        call(api, "ask", QUESTION, wire=anthropic_messages, **{"api_key": None, **options})
        assert header.items() <= dict(api.sent[0].headers).items()
        assert ("x-api-key" in api.sent[0].headers) == ("x-api-key" in header)


KEYLESS = (
    "anthropic_messages",
    "cohere_chat",
    "gemini_generate",
    "openai_chat",
    "watsonx_chat",
    "yandex_completion",
)


@pytest.mark.parametrize("method", ["ask", "stream"])
@pytest.mark.parametrize("name", KEYLESS)
def test_without_a_key_nothing_is_sent(
    call: Both, monkeypatch: pytest.MonkeyPatch, name: str, method: str
) -> None:
    module = wire(name)
    for variable in module.WIRE.secrets.values():
        monkeypatch.delenv(variable, raising=False)
    api = Api([], [])
    with pytest.raises(SettingError, match=f"{name}: there is no credential") as failed:
        call(api, method, QUESTION, wire=module, api_key=None, policies="lenient")
    assert api.sent == [] and failed.value.missing in module.WIRE.secrets
    for setting, variable in module.WIRE.secrets.items():
        assert f"{setting!r}: ..." in str(failed.value) and f"${variable}" in str(failed.value)


@pytest.mark.parametrize(
    ("api", "options"),
    [
        (openai_chat, {"base_url": "https://proxy.example/v1"}),
        (openai_chat, {"base_url": "http://127.0.0.1:9/v1"}),
        (openai_chat, {"environment": False}),
        (wire("llamacpp_chat"), {}),
    ],
)
def test_a_host_that_may_need_no_key_is_asked_without_one(call: Both, api: Any, options: Any) -> None:
    assert call(Api([said("12 C.")], []), "ask", QUESTION, wire=api, api_key=None, **options).text == "12 C."


@pytest.mark.parametrize("own", [{"auth": ("me", "secret")}, {"headers": {"Authorization": "Bearer k"}}])
def test_an_own_client_may_bring_the_key(own: Any) -> None:
    http = httpx.Client(transport=httpx.MockTransport(Api([said("12 C.")], [])), **own)
    assert Client(openai_chat, http=http).ask(QUESTION).text == "12 C."


def test_a_client_does_not_show_its_key() -> None:
    with Client(openai_chat, api_key="sk-secret") as client:
        assert "openai_chat" in repr(vars(client)) and "sk-secret" not in repr(vars(client))


def test_a_key_that_is_not_ascii_is_refused_before_anything_is_sent(call: Both) -> None:
    api = Api([said("12 C.")], [])
    for key in ("schlüssel", "\u0142"):
        with pytest.raises(SettingError, match="the header authorization must be ASCII"):
            call(api, "ask", QUESTION, api_key=key)
    assert api.sent == []


def test_bedrock_is_signed(call: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "output": {"message": {"role": "assistant", "content": [{"text": "12 C."}]}},
        "stopReason": "end_turn",
    }
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    api = Api([answer, answer], [])
    assert call(api, "ask", QUESTION, wire=bedrock_converse, api_key=None).text == "12 C."
    assert api.sent[0].headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIATEST/")
    call(api, "ask", QUESTION, wire=bedrock_converse, api_key="k")
    assert api.sent[1].headers["authorization"] == "Bearer k"
    monkeypatch.setattr("botocore.session.Session.get_credentials", lambda *_: None)
    with pytest.raises(SettingError, match="no AWS credentials"):
        call(api, "ask", QUESTION, wire=bedrock_converse, api_key=None)


@pytest.mark.parametrize(
    ("model", "read"), [("us.openai.gpt-5.6-sol", 4995), ("us.amazon.nova-pro-v1:0", 9988)]
)
def test_a_stream_is_counted_as_the_model_that_was_asked_counts(call: Both, model: str, read: int) -> None:
    counts = {"inputTokens": 4995, "outputTokens": 19, "totalTokens": 10007, "cacheWriteInputTokens": 4993}
    content = stream_bytes(
        "aws_event_stream",
        [("messageStop", {"stopReason": "end_turn"}), ("metadata", {"usage": counts})],
    )
    _, answer = call(
        Api([content], []), "stream", Request(model, QUESTION.messages), wire=bedrock_converse, api_key="k"
    )
    assert answer.usage.input == read


def test_other_apis_stream_from_another_url(call: Both) -> None:
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "12 C."}]}, "finishReason": "STOP"}]
    }
    api = Api([b"data: " + json.dumps(answer).encode() + b"\n\n"], [])
    events, result = call(api, "stream", QUESTION, wire=gemini_generate)
    assert result.text == "12 C." and any(event.kind == "text" for event in events)
    assert api.sent[0].url.path.endswith(":streamGenerateContent")


def test_what_no_client_can_do_is_refused_at_once() -> None:
    for api in (aptix_responses, onnx_genai):
        with pytest.raises(InvalidRequest, match=r"does not describe answers|own process"):
            Client(api)
    with Client(openai_chat) as client:
        with pytest.raises(InvalidRequest, match="max_steps is 0"):
            client.run(QUESTION, [weather], max_steps=0)
        with pytest.raises(InvalidRequest, match="two functions are named 'weather'"):
            client.run(QUESTION, [weather, weather])
        with pytest.raises(InvalidRequest, match="tell or raise"):
            client.run(QUESTION, [weather], tool_errors="ignore")
        with pytest.raises(InvalidRequest, match="tools are a list, not function"):
            client.run(QUESTION, weather)  # type: ignore[arg-type]
