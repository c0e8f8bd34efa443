"""Middleware around a call of a model: blocking and not, whole and streamed, and those that are shipped."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.trace import get_current_span

import promptwire
from promptwire import Answer, Options, Request, ToolCall, anthropic_messages, openai_chat, user
from promptwire.errors import ContextError, RequestError
from promptwire.http import (
    ApiConnectionError,
    ApiStatusError,
    AsyncClient,
    Client,
    ModelCall,
    cache,
    fallback,
    log,
    telemetry,
)

from .scripted import ScriptedApi, saying

QUESTION = Request("gpt-4o", [user("How warm is Oslo?")], options=Options(max_tokens=50, temperature=0.5))
Asks = Callable[..., Any]


def busy() -> httpx.Response:
    return httpx.Response(503, json={"error": {"message": "busy"}})


def wrong() -> httpx.Response:
    return httpx.Response(400, json={"error": {"message": "wrong", "type": "invalid_request_error"}})


def transport_of(apis: ScriptedApi | dict[str, ScriptedApi]) -> httpx.MockTransport:
    """Return the transport of one server, or of several by their hosts."""
    if isinstance(apis, ScriptedApi):
        return httpx.MockTransport(apis)
    return httpx.MockTransport(lambda sent: apis[sent.url.host](sent))


@pytest.fixture(params=["ask", "stream", "async ask", "async stream"])
def asks(request: pytest.FixtureRequest) -> Asks:
    """Ask in one of four ways; return the kinds of events, and the answer."""
    later, _, method = request.param.rpartition(" ")

    def ask(api: Any, *middleware: Any, question: Any = QUESTION, **options: Any) -> tuple[list[str], Answer]:
        terms: dict[str, Any] = {"api_key": "k", "retries": 0, "middleware": middleware, **options}
        if not later:
            client = Client(openai_chat, http=httpx.Client(transport=transport_of(api)), **terms)
            if method == "ask":
                return [], client.ask(question)
            with client.stream(question) as stream:
                kinds = [event.kind for event in stream]
            return kinds, stream.result()

        async def answer() -> tuple[list[str], Answer]:
            client = AsyncClient(openai_chat, http=httpx.AsyncClient(transport=transport_of(api)), **terms)
            if method == "ask":
                return [], await client.ask(question)
            async with client.stream(question) as stream:
                kinds = [event.kind async for event in stream]
            return kinds, await stream.result()

        return asyncio.run(answer())

    return ask


def hello(*texts: str) -> ScriptedApi:
    left = iter(texts)
    return ScriptedApi(lambda _: saying(next(left)))


# ---- the protocol


def test_middleware_sees_the_call_before_and_after(asks: Asks) -> None:
    seen: list[Any] = []

    def watch(call: ModelCall) -> Any:
        seen.append((call.request.model, call.built.wire.name, call.answer, call.attempts, call.seconds))
        answer = yield call
        seen.append((call.answer is answer, call.usage, call.attempts, call.error))
        assert call.api is openai_chat
        calls.append(call)
        return answer

    calls: list[ModelCall] = []
    kinds, answer = asks(hello("12 C."), watch)
    assert (answer.text, kinds.count("text")) == ("12 C.", 1 if kinds else 0)
    assert seen == [("gpt-4o", "openai_chat", None, 0, None), (True, answer.usage, 1, None)]
    assert calls[0].seconds is not None
    assert (calls[0].seconds_to_first is not None) is calls[0].streamed is bool(kinds)


def test_the_first_is_the_outermost(asks: Asks) -> None:
    log: list[str] = []

    def named(name: str) -> Any:
        def middleware(call: ModelCall) -> Any:
            log.append(f"+{name}")
            answer = yield call
            log.append(f"-{name}")
            return answer

        return middleware

    asks(hello("Hi."), named("a"), named("b"))
    assert log == ["+a", "+b", "-b", "-a"]


def test_a_request_may_be_changed_and_an_answer_replaced(asks: Asks) -> None:
    def change(call: ModelCall) -> Any:
        call.request = call.request.replace(instructions="Be brief.")
        yield call
        return saying("Another.")

    api = hello("12 C.")
    assert asks(api, change)[1].text == "Another."
    assert api.requests[0].instructions == "Be brief."


def test_a_call_may_be_answered_without_the_api_or_asked_twice(asks: Asks) -> None:
    def never(call: ModelCall) -> Any:
        return saying("Mine.")
        yield call

    def twice(call: ModelCall) -> Any:
        yield call
        return (yield call)

    api = hello("One.", "Two.")
    assert asks(api, never)[1].text == "Mine." and api.requests == []
    assert asks(api, twice)[1].text == "Two." and len(api.requests) == 2


def test_an_error_arrives_in_the_middleware(asks: Asks) -> None:
    caught: list[bool] = []

    def save(call: ModelCall) -> Any:
        try:
            return (yield call)
        except ApiStatusError as error:
            caught.append(call.error is error)
            return saying(f"Sorry: {error.error.message}")

    assert asks(ScriptedApi(lambda _: busy), save)[1].text == "Sorry: busy"
    assert caught == [True]


def test_a_request_that_cannot_be_built_arrives_too(asks: Asks) -> None:
    caught: list[str] = []

    def watch(call: ModelCall) -> Any:
        try:
            return (yield call)
        except RequestError as error:
            caught.append(type(error).__name__)
            raise

    odd = QUESTION.replace(model=None)
    with pytest.raises(RequestError):
        asks(hello(), watch, question=odd)
    assert caught == ["MissingField"]


def test_middleware_may_wait(asks: Asks) -> None:
    async def later(text: str) -> str:
        await asyncio.sleep(0)
        return text

    async def fail() -> None:
        raise LookupError("gone")

    def waiting(call: ModelCall) -> Any:
        word = yield later("12")
        with pytest.raises(LookupError, match="gone"):
            yield fail()
        answer = yield call
        return saying(f"{word} {answer.text}")

    assert asks(hello("C."), waiting)[1].text == "12 C."


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (lambda call: saying("x"), "is no generator function"),
        (lambda call: (yield 7), "yields int: yield the call, or an awaitable"),
        (lambda call: (yield call) and None, "returns NoneType, not the answer"),
        (3, "is int, not callable"),
    ],
)
def test_what_is_no_middleware_is_refused(asks: Asks, odd: Any, why: str) -> None:
    with pytest.raises(ContextError, match=f"middleware .*: {why}"):
        asks(hello("Hi."), odd)


def test_a_stream_that_is_left_ends_its_middleware() -> None:
    ended: list[str] = []

    def watch(call: ModelCall) -> Any:
        try:
            return (yield call)
        finally:
            ended.append("ended")

    client = Client(
        openai_chat, api_key="k", middleware=[watch], http=httpx.Client(transport=transport_of(hello("Hi.")))
    )
    with client.stream(QUESTION) as stream:
        next(iter(stream))
        assert ended == []
    assert ended == ["ended"]


def test_each_model_call_of_a_run_and_of_parse_goes_through(asks: Asks) -> None:
    seen: list[int] = []

    def watch(call: ModelCall) -> Any:
        seen.append(len(call.request.messages))
        return (yield call)

    def weather(city: str) -> str:
        return f"12 C in {city}"

    left = iter([saying(ToolCall("c1", "weather", {"city": "Oslo"})), saying("12 C."), saying('{"a": 1}')])
    api = ScriptedApi(lambda _: next(left))
    client = Client(
        openai_chat, api_key="k", middleware=[watch], http=httpx.Client(transport=transport_of(api))
    )
    assert client.run(QUESTION, [weather]).text == "12 C."
    assert client.parse(QUESTION, dict) == {"a": 1}
    assert seen == [1, 3, 1]


# ---- cache


@pytest.fixture(params=["mapping", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Return a place for answers."""
    return {} if request.param == "mapping" else tmp_path / "answers.db"


def test_an_equal_request_is_answered_from_the_cache(asks: Asks, store: Any) -> None:
    api = hello("One.", "Two.")
    first = asks(api, cache(store))
    # credentials do not count
    again = asks(api, cache(store), api_key="another")
    assert again == first and len(api.requests) == 1
    assert again[1].text == "One." and again[1].usage == first[1].usage
    other = asks(api, cache(store), question=QUESTION.replace(instructions="Be brief."))
    assert other[1].text == "Two." and len(api.requests) == 2


def test_other_hosts_and_headers_are_other_requests(asks: Asks) -> None:
    store: dict[str, bytes] = {}
    api = hello("One.", "Two.")
    asks(api, cache(store))
    assert asks(api, cache(store), base_url="https://other.example/v1")[1].text == "Two."
    assert len(store) == 2


def test_errors_and_answers_of_other_calls_are_not_kept(asks: Asks, store: Any) -> None:
    left: Any = iter([busy, saying("Fine.")])
    api = ScriptedApi(lambda _: next(left))
    with pytest.raises(ApiStatusError):
        asks(api, cache(store))
    assert asks(api, cache(store))[1].text == "Fine."
    assert asks(api, cache(store))[1].text == "Fine."


def test_the_answer_of_another_api_is_not_kept(asks: Asks) -> None:
    store: dict[str, bytes] = {}
    apis = servers(busy, saying("12 C."))
    assert asks(apis, cache(store), fallback(claude()))[1].text == "12 C."

    def second_opinion(call: ModelCall) -> Any:
        yield call
        return (yield call.on(claude()))

    assert asks(servers(saying("13 C."), saying("12 C.")), cache(store), second_opinion)[1].text == "12 C."
    assert store == {}


def test_a_call_that_is_made_again_begins_anew(asks: Asks) -> None:
    def insist(call: ModelCall) -> Any:
        yield call
        call.request = call.request.replace(instructions="Be good.")
        answer = yield call
        assert call.source is call
        return answer

    store: dict[str, bytes] = {}
    asks(hello("Bad."), cache(store))
    for _ in range(2):
        assert asks(hello("Good."), insist, cache(store))[1].text == "Good."
    assert len(store) == 2
    left: Any = iter([busy, saying("Good.")])
    apis = servers(lambda: None, saying("Bad."))
    apis["api.openai.com"].respond = lambda _: next(left)
    assert asks(apis, insist, fallback(claude()))[1].text == "Good."


def test_what_one_cache_replays_no_other_one_asks_for(asks: Asks) -> None:
    store: dict[str, bytes] = {}
    api = hello("One.")
    asks(api, cache(store))
    assert asks(api, cache(store), cache({}))[1].text == "One."


def test_no_credential_is_in_the_cache(asks: Asks) -> None:
    store: dict[str, bytes] = {}
    asks(hello("One."), cache(store), api_key="sk-secret")
    assert "sk-secret" not in repr(store)


def test_a_file_of_answers_is_a_mapping(tmp_path: Path) -> None:
    from tests.internals.clients import SqliteStore

    kept = SqliteStore(tmp_path / "a.db")
    kept["a"] = b"1"
    kept["a"] = b"2"
    kept["b"] = b"3"
    assert (dict(kept), len(kept), "c" in kept) == ({"a": b"2", "b": b"3"}, 2, False)
    del kept["a"]
    with pytest.raises(KeyError):
        del kept["a"]
    assert list(SqliteStore(tmp_path / "a.db")) == ["b"]


# ---- log


def test_calls_are_logged_without_credentials(asks: Asks, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "promptwire"):
        asks(hello("12 C."), log(), api_key="sk-secret", question=QUESTION.replace(model="o3"))
    (record,) = caplog.records
    text = record.getMessage()
    assert text.startswith("openai_chat o3: stop, 3 in, 2 out, 0.")
    assert "note: dropped options.temperature" in text and "sk-secret" not in caplog.text
    assert "How warm" not in text


def test_content_is_logged_on_request(asks: Asks, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "mine"):
        asks(hello("12 C."), log("mine", level=logging.DEBUG, content=True), api_key="sk-secret")
    texts = [record.getMessage() for record in caplog.records]
    assert "How warm" in texts[0] and texts[2] == "12 C." and "sk-secret" not in caplog.text


def test_an_error_is_a_warning(asks: Asks, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ApiStatusError):
        asks(ScriptedApi(lambda _: busy), log())
    (record,) = caplog.records
    assert record.levelno == logging.WARNING and "busy" in record.getMessage()


def test_a_replayed_answer_is_logged_as_one(asks: Asks, caplog: pytest.LogCaptureFixture) -> None:
    store: dict[str, bytes] = {}
    asks(hello("12 C."), cache(store))
    with caplog.at_level(logging.INFO, "promptwire"):
        asks(hello(), log(), cache(store))
    assert ", replayed" in caplog.records[0].getMessage()


# ---- fallback


def claude(**options: Any) -> Client:
    return Client(anthropic_messages, api_key="k2", model="claude-haiku-4-5", **options)


def servers(first: Any, second: Any) -> dict[str, ScriptedApi]:
    return {
        "api.openai.com": ScriptedApi(lambda _: first),
        "api.anthropic.com": ScriptedApi(lambda _: second, anthropic_messages),
    }


def test_another_client_is_asked_if_the_first_fails(asks: Asks) -> None:
    calls: list[ModelCall] = []

    def watch(call: ModelCall) -> Any:
        calls.append(call)
        return (yield call)

    apis = servers(busy, saying("12 C."))
    question = QUESTION.replace(options=Options(max_tokens=50, seed=7))
    assert asks(apis, watch, fallback(claude()), question=question)[1].text == "12 C."
    (call,) = calls
    assert apis["api.anthropic.com"].requests[0].model == "claude-haiku-4-5"
    assert [str(note) for note in call.notes] == [
        "replaced api: openai_chat failed (503 overloaded: busy); anthropic_messages is asked",
        "dropped options.seed: Anthropic Messages does not support it",
    ]
    assert call.source.api is anthropic_messages and call.attempts == 1


def test_an_error_of_the_request_is_not_asked_elsewhere(asks: Asks) -> None:
    apis = servers(wrong, saying("12 C."))
    with pytest.raises(ApiStatusError, match="wrong"):
        asks(apis, fallback(claude()))
    assert asks(apis, fallback(claude(), when=lambda error: True))[1].text == "12 C."


def test_the_last_error_is_raised(asks: Asks) -> None:
    full = {"type": "error", "error": {"type": "overloaded_error", "message": "full"}}
    apis = servers(busy, lambda: httpx.Response(529, json=full))
    with pytest.raises(ApiStatusError, match="full"):
        asks(apis, fallback(claude()))


def test_a_client_that_cannot_take_the_request_leaves_it_to_the_next(
    asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    keyless = Client(anthropic_messages, model="claude-haiku-4-5")
    apis = servers(busy, saying("12 C."))
    assert asks(apis, fallback(keyless, claude()))[1].text == "12 C."


@pytest.mark.parametrize("nested", [False, True])
def test_a_stream_that_broke_after_its_first_event_is_not_asked_again(nested: bool) -> None:
    first = b'data: {"choices": [{"index": 0, "delta": {"content": "12"}}]}\n\n'

    class Broken(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            yield first
            raise httpx.ReadError("gone")

    apis = servers(None, saying("12 C."))
    apis["api.openai.com"].respond = lambda _: httpx.Response(200, stream=Broken())
    apis["busy.example"] = ScriptedApi(lambda _: busy)
    breaking = Client(openai_chat, api_key="k")
    client = Client(
        openai_chat,
        api_key="k",
        base_url="https://busy.example/v1" if nested else None,
        retries=0,
        middleware=[fallback(claude()), *([fallback(breaking)] if nested else [])],
        http=httpx.Client(transport=transport_of(apis)),
    )
    with pytest.raises(ApiConnectionError, match="gone"):
        client.stream(QUESTION).result()
    assert apis["api.anthropic.com"].requests == []


def test_a_continuation_is_that_of_the_client_that_answered(asks: Asks) -> None:
    apis = servers(busy, saying(ToolCall("c1", "weather", {"city": "Oslo"})))
    left = iter([saying(ToolCall("c1", "weather", {"city": "Oslo"})), saying("12 C.")])
    apis["api.anthropic.com"].respond = lambda _: next(left)

    def weather(city: str) -> str:
        return f"12 C in {city}"

    client = Client(
        openai_chat,
        api_key="k",
        retries=0,
        middleware=[fallback(claude())],
        http=httpx.Client(transport=transport_of(apis)),
    )
    assert client.run(QUESTION, [weather]).text == "12 C."


# ---- cost


def test_the_cost_is_known_where_prices_are(asks: Asks) -> None:
    prices = pytest.importorskip("genai_prices")
    costs: list[Any] = []

    def watch(call: ModelCall) -> Any:
        answer = yield call
        costs.append(call.cost)
        return answer

    store: dict[str, bytes] = {}
    api = ScriptedApi(lambda _: replace(saying("12 C."), model="gpt-4o"))
    asks(api, watch, cache(store))
    asks(api, watch, cache(store))
    asks(api, watch, base_url="https://unknown.example/v1")
    asks(ScriptedApi(lambda _: replace(saying("12 C."), model="unknown-1")), watch)
    usage = prices.Usage(input_tokens=3, output_tokens=2)
    expected = prices.calc_price(usage, "gpt-4o", provider_id="openai").total_price
    assert expected > 0 and costs == [expected, 0, None, None]


# ---- telemetry


class Collected:
    """Spans and metrics in memory."""

    def __init__(self) -> None:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])

    def middleware(self, **options: Any) -> Any:
        return telemetry(tracer_provider=self.tracers, meter_provider=self.meters, **options)

    def spans(self) -> list[Any]:
        return list(self.exporter.get_finished_spans())

    def points(self) -> dict[str, list[Any]]:
        data: Any = self.reader.get_metrics_data()
        rows = data.resource_metrics[0].scope_metrics[0].metrics if data else []
        return {row.name: list(row.data.data_points) for row in rows}


def test_a_call_is_a_span_and_metrics(asks: Asks) -> None:
    collected = Collected()
    kinds, _ = asks(hello("12 C."), collected.middleware())
    (span,) = collected.spans()
    assert (span.name, span.kind.name, span.status.status_code.name) == ("chat gpt-4o", "CLIENT", "UNSET")
    found = dict(span.attributes)
    assert (found.pop("gen_ai.response.time_to_first_chunk", None) is not None) is bool(kinds)
    assert found == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.request.max_tokens": 50,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.id": "a",
        "gen_ai.response.model": "m",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 2,
        "server.address": "api.openai.com",
        "server.port": 443,
        **({"gen_ai.request.stream": True} if kinds else {}),
    }
    points = collected.points()
    assert {
        point.attributes["gen_ai.token.type"]: point.sum for point in points["gen_ai.client.token.usage"]
    } == {
        "input": 3,
        "output": 2,
    }
    (duration,) = points["gen_ai.client.operation.duration"]
    assert duration.count == 1 and duration.sum > 0
    assert duration.attributes["gen_ai.provider.name"] == "openai" and "error.type" not in duration.attributes


def test_an_error_is_in_span_and_metrics(asks: Asks) -> None:
    collected = Collected()
    with pytest.raises(ApiStatusError):
        asks(ScriptedApi(lambda _: busy), collected.middleware())
    (span,) = collected.spans()
    assert (span.status.status_code.name, span.attributes["error.type"]) == ("ERROR", "503")
    (duration,) = collected.points()["gen_ai.client.operation.duration"]
    assert duration.attributes["error.type"] == "503"
    assert "gen_ai.client.token.usage" not in collected.points()


def weather(city: str) -> str:
    """The weather now."""
    # nothing is added to a span that has ended, or is not the current one
    get_current_span().add_event("looked")
    if city == "Nowhere":
        raise LookupError(city)
    return f"12 C in {city}"


async def weather_later(city: str) -> str:
    """The weather, later."""
    await asyncio.sleep(0)
    return weather(city)


class Station:
    """An object that is called as a function."""

    async def __call__(self, city: str) -> str:
        """Return the weather, later."""
        return await weather_later(city)


def promise_weather(city: str) -> Any:
    """Return an awaitable of the weather."""
    return weather_later(city)


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(
    "function",
    [weather, weather_later, Station(), partial(Station()), promise_weather, partial(promise_weather)],
    ids=["function", "async function", "async object", "partial", "awaitable", "partial of an awaitable"],
)
def test_functions_are_spans(later: bool, function: Any) -> None:
    collected = Collected()
    calls = [ToolCall("c1", "weather", {"city": "Oslo"}), ToolCall("c2", "weather", {"city": "Nowhere"})]
    left = iter([saying(*calls), saying("12 C.")])
    api = ScriptedApi(lambda _: next(left))
    terms: Any = {"api_key": "k", "middleware": [collected.middleware(content=True)]}
    with collected.tracers.get_tracer("test").start_as_current_span("mine") as parent:
        if later:
            http: Any = httpx.AsyncClient(transport=transport_of(api))
            run = asyncio.run(
                AsyncClient(openai_chat, http=http, **terms).run(QUESTION, {"weather": function})
            )
        else:
            client = Client(openai_chat, http=httpx.Client(transport=transport_of(api)), **terms)
            run = client.run(QUESTION, {"weather": function})
    assert run.text == "12 C."
    spans = [span for span in collected.spans() if span.name != "mine"]
    assert sorted(span.name for span in spans) == [*["chat gpt-4o"] * 2, *["execute_tool weather"] * 2]
    assert {span.context.trace_id for span in spans} == {parent.get_span_context().trace_id}
    good, bad = sorted(
        (span for span in spans if "tool" in span.name),
        key=lambda span: span.attributes["gen_ai.tool.call.id"],
    )
    assert dict(good.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": '{"city": "Oslo"}',
        "gen_ai.tool.call.result": "12 C in Oslo",
    }
    assert bad.attributes["error.type"] == "LookupError" and bad.status.status_code.name == "ERROR"
    assert [[event.name for event in span.events] for span in (good, bad)] == [
        ["looked"],
        ["looked", "exception"],
    ]


def test_a_function_that_is_awaited_runs_in_the_task() -> None:
    threads: list[bool] = []

    class Here:
        """An object that is called as a function."""

        async def __call__(self, city: str) -> str:
            """Return the weather."""
            threads.append(threading.current_thread() is threading.main_thread())
            return weather(city)

    left = iter([saying(ToolCall("c1", "weather", {"city": "Oslo"})), saying("12 C.")])
    http = httpx.AsyncClient(transport=transport_of(ScriptedApi(lambda _: next(left))))
    run = asyncio.run(AsyncClient(openai_chat, api_key="k", http=http).run(QUESTION, {"weather": Here()}))
    assert (run.text, threads) == ("12 C.", [True])


def test_content_is_there_on_request_alone(asks: Asks) -> None:
    question = QUESTION.replace(instructions="Be brief.", tools=[weather])
    silent, telling = Collected(), Collected()
    asks(hello("12 C."), silent.middleware(), question=question)
    asks(hello("12 C."), telling.middleware(content=True), question=question)
    assert not [name for name in silent.spans()[0].attributes if "messages" in name or "instructions" in name]
    found = telling.spans()[0].attributes
    assert json.loads(found["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "How warm is Oslo?"}]}
    ]
    assert json.loads(found["gen_ai.system_instructions"]) == [{"type": "text", "content": "Be brief."}]
    assert json.loads(found["gen_ai.output.messages"]) == [
        {"role": "assistant", "parts": [{"type": "text", "content": "12 C."}], "finish_reason": "stop"}
    ]
    assert json.loads(found["gen_ai.tool.definitions"])[0]["name"] == "weather"


def test_the_error_of_a_function_is_content_too() -> None:
    silent, telling = Collected(), Collected()
    failing = ToolCall("c1", "weather", {"city": "Nowhere"})
    api = ScriptedApi(lambda asked: saying("Sorry." if len(asked.messages) > 1 else failing))
    for collected, options in ((silent, {}), (telling, {"content": True})):
        http = httpx.Client(transport=transport_of(api))
        client = Client(openai_chat, api_key="k", http=http, middleware=[collected.middleware(**options)])
        client.run(QUESTION, [weather])
        (span,) = [span for span in collected.spans() if "tool" in span.name]
        assert (span.status.status_code.name, span.attributes["error.type"]) == ("ERROR", "LookupError")
    assert not [span for span in silent.spans() if "Nowhere" in span.to_json()]
    assert [span for span in telling.spans() if "LookupError: Nowhere" in (span.status.description or "")]


VERTEX = {"region": "eu-west-1", "project": "p"}


@pytest.mark.parametrize(
    ("wire", "needed", "provider"),
    [
        ("anthropic_messages", {}, "anthropic"),
        ("gemini_generate", {}, "gcp.gemini"),
        ("mistral_chat", {}, "mistral_ai"),
        ("bedrock_converse", {"region": "eu-west-1"}, "aws.bedrock"),
        ("cohere_chat", {}, "cohere"),
        ("xai_chat", {}, "x_ai"),
        ("azure_openai_responses", {"endpoint": "https://x.test"}, "azure.ai.openai"),
        ("anthropic_vertex", VERTEX, "gcp.vertex_ai"),
        ("watsonx_chat", {"base_url": "https://x.test", "api_version": "2024-05-31"}, "ibm.watsonx.ai"),
        ("deepseek_chat", {}, "deepseek"),
    ],
)
def test_providers_have_the_names_of_the_conventions(
    wire: str, needed: dict[str, str], provider: str
) -> None:
    collected, module = Collected(), promptwire.wire(wire)
    api = ScriptedApi(lambda _: saying("12 C."), module)
    http = httpx.Client(transport=transport_of(api))
    client = Client(wire, api_key="k", settings=needed, middleware=[collected.middleware()], http=http)
    client.ask(QUESTION)
    assert collected.spans()[0].attributes["gen_ai.provider.name"] == provider
