"""The first things that people type: a text, a name of an API, a model, a class for the answer."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, Field

import promptwire
from promptwire import Answer, Request, ResponseFormat, Text, openai_chat, user
from promptwire.errors import AnswerError, InvalidRequest, PromptwireError
from promptwire.http import AsyncClient, Client

from .loopback import Loopback
from .scripted import ScriptedApi, saying


class Forecast(BaseModel):
    """How it will be."""

    city: str
    degrees: int = Field(le=60)


@dataclass
class Plain:
    city: str
    degrees: int


def client_of(api: ScriptedApi, name: Any = openai_chat, **options: Any) -> Client:
    http = httpx.Client(transport=httpx.MockTransport(api))
    return Client(name, http=http, **{"api_key": "k", "retries": 0, **options})


def script(*answers: Answer) -> ScriptedApi:
    left = iter(answers)
    return ScriptedApi(lambda _: next(left))


def texts(request: Request) -> list[str]:
    return [part.text for message in request.messages for part in message.parts if isinstance(part, Text)]


def test_a_text_is_asked_with_the_model_of_the_client() -> None:
    api = script(*[saying("Hello.")] * 4)
    client = client_of(api, model="gpt-5.4")
    assert client.ask("hi").text == client.stream("hi").result().text == client.run("hi").text == "Hello."
    assert client.run_stream(Request(messages=[user("hi")])).result().text == "Hello."
    assert [(one.model, texts(one)) for one in api.requests] == [("gpt-5.4", ["hi"])] * 4


def test_the_model_of_a_request_counts_more() -> None:
    api = script(saying("Hello."))
    client_of(api, model="gpt-5.4").ask(Request("gpt-4o", [user("hi")]))
    assert api.requests[0].model == "gpt-4o"


def test_without_a_model_the_error_says_so() -> None:
    with pytest.raises(PromptwireError, match="model is missing"):
        client_of(script()).ask("hi")


@pytest.mark.parametrize("odd", [None, 7, [user("hi")]])
def test_other_questions_are_refused(odd: Any) -> None:
    with pytest.raises(InvalidRequest, match="ask with a Request or a text, not with"):
        client_of(script()).ask(odd)


@pytest.mark.parametrize(
    ("name", "wire", "model"),
    [
        ("openai_chat", "openai_chat", None),
        ("openai_chat/gpt-5.4", "openai_chat", "gpt-5.4"),
        ("mistral/mistral-large", "mistral_chat", "mistral-large"),
        ("ollama/hf.co/a/b:Q4", "ollama_chat", "hf.co/a/b:Q4"),
        ("perplexity/sonar", "perplexity_chat", "sonar"),
    ],
)
def test_an_api_has_a_name(name: str, wire: str, model: str | None) -> None:
    with Client(name, api_key="k" if "ollama" not in name else None) as client:
        assert client.api is promptwire.wire(wire)
    api = ScriptedApi(lambda _: saying("Hello."), promptwire.wire(wire))
    if model is not None:
        options = {} if "ollama" not in name else {"api_key": None}
        client_of(api, name, **options).ask("hi")
        assert api.requests[0].model == model


def test_a_name_of_several_apis_is_refused_with_them() -> None:
    with pytest.raises(InvalidRequest, match=r'one of "openai_chat/gpt-5\.4", "openai_responses/gpt-5\.4"'):
        Client("openai/gpt-5.4")
    with pytest.raises(PromptwireError, match=r'no wire is called "opnai_chat"; did you mean "openai_chat"'):
        Client("opnai_chat")


def test_a_client_builds_what_the_api_accepts() -> None:
    request = Request("o3", [user("hi")], options=promptwire.Options(temperature=0.2))
    sent: list[Any] = []
    client_of(script(saying("Hello.")), on_send=sent.append).ask(request)
    assert [note.field for note in sent[0].built.notes] == ["temperature"]
    with pytest.raises(PromptwireError, match="temperature"):
        client_of(script(), policies="strict").ask(request)


def test_a_class_is_a_response_format() -> None:
    request = Request("gpt-4o", [user("How?")], response_format=Forecast)
    assert request.response_format == ResponseFormat("json_schema", Forecast, "Forecast", strict=True)
    assert request.replace(response_format=Plain).response_format == ResponseFormat(
        "json_schema", Plain, "Plain", strict=True
    )


Parse = Callable[..., Any]


@pytest.fixture(params=["parse", "parse_stream", "async parse", "async parse_stream"])
def parse(request: pytest.FixtureRequest) -> Parse:
    """Ask for an object in one of four ways."""
    later, _, method = request.param.rpartition(" ")

    def run(api: ScriptedApi, kind: Any, **options: Any) -> Any:
        if not later:
            given = getattr(client_of(api, "openai_chat/gpt-4o"), method)("How?", kind, **options)
            return given.result() if "stream" in method else given

        async def answer() -> Any:
            http = httpx.AsyncClient(transport=httpx.MockTransport(api))
            client = AsyncClient("openai_chat/gpt-4o", api_key="k", http=http)
            given = getattr(client, method)("How?", kind, **options)
            return await (given.result() if "stream" in method else given)

        return asyncio.run(answer())

    return run


GOOD, HOT = '{"city": "Oslo", "degrees": 12}', '{"city": "Oslo", "degrees": 90}'


def test_an_answer_is_an_instance(parse: Parse) -> None:
    api = script(saying(GOOD))
    assert parse(api, Forecast) == Forecast(city="Oslo", degrees=12)
    assert api.bodies[0]["response_format"]["json_schema"]["name"] == "Forecast"
    assert parse(script(saying(GOOD)), Plain) == Plain("Oslo", 12)


def test_an_answer_that_does_not_fit_goes_back_with_the_reason(parse: Parse) -> None:
    api = script(saying(HOT), saying(GOOD))
    assert parse(api, Forecast).degrees == 12
    again = texts(api.requests[1])
    assert again[:2] == ["How?", HOT]
    assert "less than or equal to 60" in again[2] and again[2].endswith(
        "Answer again, with JSON that fits the schema and nothing else."
    )


@pytest.mark.parametrize(("retries", "asked"), [(0, 1), (2, 3)])
def test_the_last_answer_that_does_not_fit_is_an_error(parse: Parse, retries: int, asked: int) -> None:
    api = ScriptedApi(lambda _: saying("Sorry."))
    with pytest.raises(AnswerError, match=r"the answer is no JSON: .*'Sorry\.'"):
        parse(api, Forecast, retries=retries)
    assert len(api.requests) == asked


def test_a_refusal_is_not_asked_again(parse: Parse) -> None:
    api = ScriptedApi(lambda _: saying(promptwire.parts.Refusal("I cannot.")))
    with pytest.raises(AnswerError):
        parse(api, Forecast)
    assert len(api.requests) == 1


def test_what_is_no_class_needs_a_format() -> None:
    with pytest.raises(InvalidRequest, match=r"list\[int\] is no class"):
        client_of(script(), model="m").parse("How?", list[int])
    asked = Request("m", [user("How?")], response_format=ResponseFormat("json"))
    assert client_of(script(saying("[1, 2]"))).parse(asked, list[int]) == [1, 2]


def pieces(text: str, size: int) -> bytes:
    writer = openai_chat.write_stream(id="a", model="m", created=1)
    events = [promptwire.Event(kind="text", text=text[at : at + size]) for at in range(0, len(text), size)]
    return b"".join(
        [*map(writer.feed, events), writer.feed(promptwire.Event(kind="finish", name="stop")), writer.close()]
    )


def streamed(text: str, size: int) -> list[Any]:
    api = ScriptedApi(lambda _: httpx.Response(200, content=pieces(text, size)))
    with client_of(api, model="m").parse_stream("How?", dict) as stream:
        return [*stream, stream.result()]


def test_objects_arrive_in_parts() -> None:
    text = '{"city": "Oslo", "days": [{"sky": "a \\"b\\ud83d\\ude00\\\\"}, 12, true], "end": null}'
    seen = streamed(text, 1)
    assert seen[0] == {} and {"city": "Os"} in seen and {"city": "Oslo", "days": []} in seen
    assert {"city": "Oslo", "days": [{"sky": 'a "b'}]} in seen
    whole = {"city": "Oslo", "days": [{"sky": 'a "b\U0001f600\\'}, 12, True], "end": None}
    assert seen[-1] == seen[-2] == whole
    # a number counts when it is whole
    assert "1]" not in str(seen)
    for before, after in pairwise(seen):
        assert (
            str(after).isprintable() and len(str(before)) <= len(str(after)) and before.keys() <= after.keys()
        )


@pytest.mark.parametrize("size", [2, 3, 7, 1000])
def test_the_size_of_pieces_does_not_matter(size: int) -> None:
    assert streamed('{"a": [[1], {"b": "c"}]}', size)[-1] == {"a": [[1], {"b": "c"}]}


def test_objects_begin_anew_after_a_retry() -> None:
    left = iter([HOT, GOOD])
    api = ScriptedApi(lambda _: httpx.Response(200, content=pieces(next(left), 8)))
    stream = client_of(api, model="m").parse_stream("How?", Forecast)
    degrees = [one.get("degrees") for one in stream]
    assert 90 in degrees and degrees[-1] == 12 and stream.result() == Forecast(city="Oslo", degrees=12)


def test_the_client_names_itself() -> None:
    sent: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=openai_chat.write_answer(saying("Hello.")))

    def agent(**options: Any) -> str:
        http = httpx.Client(transport=httpx.MockTransport(respond), **options)
        Client(openai_chat, api_key="k", model="m", http=http).ask("hi")
        return sent[-1].headers["user-agent"]

    assert agent().startswith("promptwire/") and agent().endswith(f"python-httpx/{httpx.__version__}")
    assert agent(headers={"user-agent": "mine/1"}) == "mine/1"


@pytest.mark.parametrize("wire", ["openai_chat", "mistral_chat", "anthropic_messages", "groq_chat"])
def test_the_usage_of_a_stream_is_asked_for(wire: str) -> None:
    api = ScriptedApi(lambda _: saying("Hello."), promptwire.wire(wire))
    sent: list[Any] = []
    client = client_of(api, wire, model="m", on_send=sent.append)
    assert client.stream("hi").result().usage is not None
    asks = wire in ("openai_chat", "groq_chat")
    assert (api.bodies[0].get("stream_options") == {"include_usage": True}) is asks
    assert not [note for note in sent[0].built.notes if note.field == "stream_usage"]
    client.ask("hi")
    assert "stream_options" not in api.bodies[1]
    client.stream(Request("m", [user("hi")], stream_usage=False)).result()
    assert api.bodies[2].get("stream_options", {}).get("include_usage") is not True


@pytest.mark.parametrize(
    ("question", "piped", "said"), [("Sum up.", "Notes.", "Notes.\n\nSum up."), ("-", "Notes.", "Notes.")]
)
def test_text_on_standard_input_goes_before_the_question(
    server: Loopback, question: str, piped: str, said: str
) -> None:
    server.answer(json.dumps(openai_chat.write_answer(saying("Done."))).encode())
    command = [
        sys.executable,
        "-c",
        "from promptwire_cli import main; main()",
        "ask",
        "openai_chat",
        "-m",
        "m",
        "--no-stream",
    ]
    done = subprocess.run(
        [*command, "--base-url", f"{server.address}/v1", "--setting", "api_key=k", question],
        input=piped.encode(),
        capture_output=True,
        check=True,
        env=dict(os.environ),
    )
    assert done.stdout.decode() == "Done.\n"
    assert server.last().body["messages"] == [{"role": "user", "content": said}]
