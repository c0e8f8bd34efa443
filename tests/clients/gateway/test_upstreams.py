"""Several servers behind one gateway: names of models, fallbacks, callers, reports, and a configuration that changes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from promptwire import llamacpp_chat, openai_chat
from tests.internals.clients import LOG, gateway, reports

from .behind import BODIES, FRONTS, STREAMED, Behind, check_error, streamed, whole

FIRST, SECOND = "first.example", "second.example"
TEAM, OTHERS = "a-key-of-the-team-1", "a-key-of-others-22"
PATHS = {**BODIES, **STREAMED}


class Servers(Behind):
    """Two servers: the first one does what a test says, the second one answers."""

    def __init__(self) -> None:
        super().__init__()
        self.first: Callable[[], httpx.Response] = lambda: whole({"content": "from the first"})

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        if request.url.host == FIRST:
            return self.first()
        if json.loads(request.content).get("stream"):
            return streamed({"content": "from the second"})
        return whole({"content": "from the second"})

    @property
    def hosts(self) -> list[str]:
        return [request.url.host for request in self.sent]


def made(**given: Any) -> Any:
    first = gateway.Upstream(
        back=openai_chat, settings={"base_url": f"http://{FIRST}/v1"}, key="sk-operator", name="one"
    )
    second = gateway.Upstream(back=llamacpp_chat, settings={"base_url": f"http://{SECOND}/v1"}, name="two")
    models = {
        "m": gateway.ModelTarget(first, "gpt-4o", fallbacks=("small",)),
        "small": gateway.ModelTarget(second, "qwen3"),
        "lone": gateway.ModelTarget(first, "gpt-4o"),
    }
    return gateway.Gateway(**{
        "fronts": FRONTS, "back": openai_chat, "models": models, "only_listed": True,
        "callers": (
            gateway.Caller(gateway.digest_of(TEAM), "team"),
            gateway.Caller(gateway.digest_of(OTHERS), "others", frozenset({"small"}), 2),
        ),
        **given,
    })  # fmt: skip


def ask(
    app: Any, *calls: tuple[str, dict[str, Any] | None], key: str = TEAM, **headers: str
) -> list[httpx.Response]:
    """Make calls one after the other: a path with a body, or None for a GET."""

    async def inside() -> list[httpx.Response]:
        sent = {"authorization": f"Bearer {key}", **headers}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost", headers=sent
        ) as client:
            return [
                await (client.get(path) if body is None else client.post(path, json=body))
                for path, body in calls
            ]

    return asyncio.run(inside())


def served(servers: Servers, found: list[Any] | None = None, **given: Any) -> Any:
    http = httpx.AsyncClient(transport=httpx.MockTransport(servers))
    observers = (reports.write_text,) if found is None else (found.append,)
    return gateway.application(made(**given), http, observers)


def _raise(error: Exception) -> Any:
    raise error


FAILURES: dict[str, Callable[[], httpx.Response]] = {
    "overloaded": lambda: httpx.Response(
        503, json={"error": {"message": "Busy with sk-operator.", "type": "x"}}
    ),
    "rate limit": lambda: httpx.Response(429, json={"error": {"message": "Too many.", "type": "requests"}}),
    "a page": lambda: httpx.Response(502, text="<html>Bad gateway</html>"),
    "no connection": lambda: _raise(httpx.ConnectError("refused")),
    "silence": lambda: _raise(httpx.ReadTimeout("silent")),
    "not JSON": lambda: httpx.Response(200, text="Welcome"),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("path", PATHS)
def test_the_next_server_answers_where_the_first_fails(path: str, failure: str) -> None:
    servers, found = Servers(), list[Any]()
    servers.first = FAILURES[failure]
    (answer,) = ask(served(servers, found), (path, PATHS[path]))
    assert answer.status_code == 200 and "from the second" in answer.text
    assert servers.hosts == [FIRST, SECOND]
    assert servers.sent[0].headers["authorization"] == "Bearer sk-operator"
    assert "authorization" not in servers.sent[1].headers
    assert "replaced request.model: one failed: " in answer.headers[gateway.NOTES]
    assert "sk-operator" not in answer.headers[gateway.NOTES]
    (report,) = found
    assert (report.upstream, report.model_behind, report.status, report.caller) == (
        "two",
        "qwen3",
        200,
        "team",
    )


@pytest.mark.parametrize("path", PATHS)
def test_a_refusal_is_the_answer_and_no_reason_to_ask_another(path: str) -> None:
    servers = Servers()
    servers.first = lambda: httpx.Response(400, json={"error": {"message": "Bad tool.", "type": "x"}})
    (answer,) = ask(served(servers), (path, PATHS[path]))
    check_error(answer, path, 400)
    assert servers.hosts == [FIRST]


def test_the_key_of_a_client_goes_to_the_server_that_it_chose_alone() -> None:
    servers = Servers()
    servers.first = FAILURES["overloaded"]
    first = gateway.Upstream(back=openai_chat, settings={"base_url": f"http://{FIRST}/v1"})
    second = gateway.Upstream(back=llamacpp_chat, settings={"base_url": f"http://{SECOND}/v1"})
    models = {
        "m": gateway.ModelTarget(first, "gpt-4o", fallbacks=("n",)),
        "n": gateway.ModelTarget(second, "qwen3"),
    }
    ask(served(servers, models=models, callers=()), ("/v1/messages", BODIES["/v1/messages"]), key="sk-client")
    assert servers.sent[0].headers["authorization"] == "Bearer sk-client"
    assert servers.hosts == [FIRST, SECOND] and "authorization" not in servers.sent[1].headers


def test_the_key_of_a_client_goes_to_another_model_of_the_server_that_it_chose() -> None:
    servers = Servers()
    servers.first = FAILURES["overloaded"]
    first = gateway.Upstream(back=openai_chat, settings={"base_url": f"http://{FIRST}/v1"})
    models = {
        "m": gateway.ModelTarget(first, "gpt-4o", fallbacks=("n",)),
        "n": gateway.ModelTarget(first, "gpt-4o-mini"),
    }
    ask(served(servers, models=models, callers=()), ("/v1/messages", BODIES["/v1/messages"]), key="sk-client")
    assert [request.headers["authorization"] for request in servers.sent] == ["Bearer sk-client"] * 2


def test_notes_are_about_the_server_that_answered() -> None:
    servers = Servers()
    servers.first = FAILURES["overloaded"]
    body = {**BODIES["/v1/messages"], "top_k": 5}
    (answer,) = ask(served(servers), ("/v1/messages", body))
    # only the first server takes no `top_k`
    assert json.loads(servers.sent[1].content)["top_k"] == 5
    assert "one failed" in answer.headers[gateway.NOTES] and "top_k" not in answer.headers[gateway.NOTES]


def test_names_that_are_not_listed_are_not_served() -> None:
    servers = Servers()
    for path, body in BODIES.items():
        if "model" in body:
            (answer,) = ask(served(servers), (path, {**body, "model": "gpt-4o"}))
            check_error(answer, path, 404)
            assert "the models are m, small, lone" in answer.json()["error"]["message"]
    assert servers.sent == []


def test_a_caller_sees_and_asks_for_its_own_models() -> None:
    servers = Servers()
    app = served(servers)
    listed, asked, one, other = ask(
        app,
        ("/v1/models", None),
        ("/v1/chat/completions", BODIES["/v1/chat/completions"]),
        ("/v1/models/small", None),
        ("/v1/models/m", None),
        key=OTHERS,
    )
    assert [row["id"] for row in listed.json()["data"]] == ["small"]
    check_error(asked, "/v1/chat/completions", 404)
    assert (one.status_code, other.status_code, servers.sent) == (200, 404, [])


def test_a_caller_has_so_many_requests_a_minute_whatever_the_configuration_becomes() -> None:
    servers, found = Servers(), list[Any]()
    app = served(servers, found)
    call = ("/v1/messages", {**BODIES["/v1/messages"], "model": "small"})
    assert [answer.status_code for answer in ask(app, call, ("/v1/models", None), call, key=OTHERS)] == [
        200
    ] * 3
    app.serve(made())
    (refused,) = ask(app, call, key=OTHERS)
    check_error(refused, "/v1/messages", 429)
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert [answer.status_code for answer in ask(app, call)] == [200]
    assert [report.status for report in found] == [200, 200, 429, 200]


def test_a_configuration_that_changes_holds_from_the_next_request_on() -> None:
    servers = Servers()
    app = served(servers)
    call = ("/v1/messages", {**BODIES["/v1/messages"], "model": "lone"})
    assert "from the first" in ask(app, call)[0].text
    app.serve(made(models={"lone": gateway.ModelTarget(made().models["small"].upstream, "qwen3")}))
    assert "from the second" in ask(app, call)[0].text
    app.serve(made(callers=()))
    assert ask(app, call, key="anyone")[0].status_code == 200


def test_fallbacks_are_names_of_models() -> None:
    target = gateway.ModelTarget(made().models["m"].upstream, "gpt-4o", fallbacks=("none",))
    with pytest.raises(Exception, match="the model m falls back to none, which is not among the models"):
        made(models={"m": target}).check()


# ---- what is told to the operator


@pytest.mark.parametrize("given", ["run-7", "a" * 101, "x\ty", "", "a;b"])
def test_requests_have_ids(given: str) -> None:
    found = list[Any]()
    (answer,) = ask(
        served(Servers(), found), ("/v1/messages", BODIES["/v1/messages"]), **{"x-request-id": given}
    )
    assert answer.headers["x-request-id"] == found[0].request_id
    assert (found[0].request_id == given) == (given == "run-7")
    assert len(found[0].request_id) == (5 if given == "run-7" else 32)


def test_a_line_of_the_log_is_an_object(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, LOG.name)
    servers = Servers()
    servers.first = FAILURES["overloaded"]
    http = httpx.AsyncClient(transport=httpx.MockTransport(servers))
    app = gateway.application(made(), http, (reports.write_json,))
    odd = {**BODIES["/v1/messages"], "model": "x\n{}"}
    ask(app, ("/v1/messages", BODIES["/v1/messages"]), ("/v1/messages", odd), **{"x-request-id": "run-7"})
    ask(app, ("/v1/messages", BODIES["/v1/messages"]), key="nobody")
    ours = [record for record in caplog.records if record.name == LOG.name]
    rows = [json.loads(reports.JsonFormatter().format(record)) for record in ours]
    for row in rows:
        del row["time"], row["message"]
        row.pop("milliseconds", None)
    assert rows == [
        {
            "level": "info", "request_id": "run-7", "front": "anthropic_messages", "upstream": "two", "caller": "team",
            "model": "m", "model_behind": "qwen3", "status": 200, "input_tokens": 9, "output_tokens": 4,
            "notes": ["replaced request.model: one failed: Busy with $KEY."],
        },
        {
            "level": "info", "request_id": "run-7", "front": "anthropic_messages", "caller": "team", "model": "x\n{}",
            "status": 404, "error": "not_found: there is no model 'x\\n{}' for you here; the models are m, small, lone",
        },
        {
            "level": "info", "request_id": rows[2]["request_id"], "front": "anthropic_messages", "status": 401,
            "error": "auth: the key is missing or unknown; send one that the operator of this gateway gave you",
        },
    ]  # fmt: skip


def test_prometheus_reads_counts_and_times() -> None:
    app = served(Servers(), metrics=True)
    odd = {**BODIES["/v1/messages"], "model": "made-up-" + "x" * 50}
    streaming = {**STREAMED["/v1/messages"], "model": "small"}
    ask(app, ("/v1/messages", BODIES["/v1/messages"]), ("/v1/messages", odd), ("/v1/messages", streaming))
    (told,) = ask(app, ("/metrics", None), key="nobody", host="10.0.0.7:9000")
    assert told.headers["content-type"].startswith("text/plain")
    rows = dict(line.rsplit(" ", 1) for line in told.text.splitlines() if line[:1] != "#")
    front = 'front="anthropic_messages"'
    for labels, count in (
        ('model="m",status="200",upstream="one"', 1),
        ('model="other",status="404",upstream=""', 1),
    ):
        assert float(rows[f"promptwire_calls_total{{{front},{labels}}}"]) == count
    assert float(rows[f'promptwire_tokens_total{{direction="output",{front},model="m",upstream="one"}}']) == 4
    assert float(rows[f'promptwire_first_piece_seconds_count{{{front},model="small",upstream="two"}}']) == 1
    assert float(rows["promptwire_open_calls"]) == 0
    assert "made-up" not in told.text and TEAM not in told.text and "sk-operator" not in told.text


def test_metrics_are_told_where_they_are_wanted() -> None:
    assert ask(served(Servers()), ("/metrics", None))[0].status_code == 404


def test_a_gateway_is_ready_between_start_and_stop() -> None:
    app = served(Servers())

    async def inside() -> list[int]:
        found = list[int]()
        messages: asyncio.Queue[Any] = asyncio.Queue()
        started = asyncio.Event()

        async def send(message: Any) -> None:
            if message["type"] == "lifespan.startup.complete":
                started.set()

        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://10.0.0.7"
        ) as client:
            found.append((await client.get("/ready")).status_code)
            task = asyncio.create_task(
                app({"type": "lifespan", "asgi": {"version": "3.0"}}, messages.get, send)
            )
            messages.put_nowait({"type": "lifespan.startup"})
            await started.wait()
            found.append((await client.get("/ready")).status_code)
            messages.put_nowait({"type": "lifespan.shutdown"})
            await task
            found.append((await client.get("/ready")).status_code)
        return found

    assert asyncio.run(inside()) == [503, 200, 503]


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    servers = Servers()
    app = served(servers, body_seconds=0.05)

    async def dripping() -> AsyncIterator[bytes]:
        yield b'{"model": "m", '
        await asyncio.sleep(10)

    async def inside() -> httpx.Response:
        headers = {"authorization": f"Bearer {TEAM}", "content-type": "application/json"}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost"
        ) as client:
            return await client.post("/v1/messages", content=dripping(), headers=headers)

    answer = asyncio.run(inside())
    check_error(answer, "/v1/messages", 408)
    assert "the body did not arrive in 0.05 s" in answer.text and servers.sent == []


def test_a_guess_about_a_model_that_nobody_knows_is_noted() -> None:
    servers = Servers()
    upstream = gateway.Upstream(
        back=openai_chat, settings={"base_url": f"http://{FIRST}/v1"}, key="sk-operator", name="one"
    )
    models = {"new": gateway.ModelTarget(upstream, "gpt-7")}
    body = {
        "model": "new",
        "max_tokens": 9,
        "temperature": 0.5,
        "messages": [{"role": "user", "content": "Hi"}],
    }
    (answer,) = ask(served(servers, list[Any](), models=models), ("/v1/messages", body))
    assert answer.status_code == 200
    assert json.loads(servers.sent[0].content)["temperature"] == 0.5
    assert "this is a guess from gpt-6.2-astra" in answer.headers[gateway.NOTES]
