"""Forms of the URL, signatures and names that stand for the model: compiled, and built with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from promptwire import MissingField, Options, Refused, Request, SettingError, user
from promptwire_runtime.wire import Signing

from .compiled import load_wire

SPEC = """
wire: places_wire
title: Places
transport:
  method: POST
  url:
    - when: {stream: true, settings: {platform: vertex}}
      url: "https://${region}-host.example/v1/projects/${project}/locations/${region}/models/${model|path}:stream?alt=sse"
    - when: {settings: {platform: vertex}}
      url: "https://${region}-host.example/v1/projects/${project}/locations/${region}/models/${model|path}:generate"
    - when: {stream: true}
      url: "${base_url}/model/${model|segment}/converse-stream"
    - "${base_url}/model/${model|segment}/converse"
  headers: {content-type: application/json}
  auth:
    - {header: authorization, value: "Bearer ${api_key}", env: PLACES_KEY}
    - {header: x-goog, value: "${goog_key}", env: GOOG_KEY, when: {settings: {platform: [vertex]}}}
    - {sign: aws_sigv4, service: bedrock, region: "${region}", when: {settings: {platform: native}}}
  settings:
    platform: {default: native, choices: [native, vertex]}
    base_url: {default: "https://places.example"}
    region: {}
    project: {}
    base_model: {stands_for: model}
instructions: {native: false}
continuation: {mode: resend}
body:
  temperature?: $temperature
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts:
  text: {type: text, text: $text}
rules:
  - when: {model: ["big-*"]}
    reject: [temperature]
    because: it thinks
    source: the vendor's page, 2026-11
"""
VERTEX = {"platform": "vertex", "region": "eu", "project": "p-1"}


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield load_wire(tmp_path_factory.mktemp("places"), "places_wire", SPEC)
    del sys.modules["places_wire"]


def request(model: str | None = "m", stream: bool | None = None) -> Request:
    return Request(model, [user("hi")], stream=stream)


@pytest.mark.parametrize(
    ("stream", "settings", "url"),
    [
        (None, {"region": "eu"}, "https://places.example/model/a%2Fb%3A1@x%20%C3%BC/converse"),
        (False, {"region": "eu"}, "https://places.example/model/a%2Fb%3A1@x%20%C3%BC/converse"),
        (
            True,
            {"region": "eu", "base_url": "http://h:1"},
            "http://h:1/model/a%2Fb%3A1@x%20%C3%BC/converse-stream",
        ),
        (
            None,
            VERTEX,
            "https://eu-host.example/v1/projects/p-1/locations/eu/models/a/b%3A1@x%20%C3%BC:generate",
        ),
        (
            True,
            VERTEX,
            "https://eu-host.example/v1/projects/p-1/locations/eu/models/a/b%3A1@x%20%C3%BC:stream?alt=sse",
        ),
    ],
)
def test_first_form_that_holds_is_written(
    wire: Any, stream: bool | None, settings: dict[str, str], url: str
) -> None:
    built = wire.build(request("a/b:1@x ü", stream), settings=settings)
    assert built.url == url
    assert built.body == {"messages": [{"role": "user", "content": "hi"}]}
    assert built.notes == ()


def test_the_url_needs_the_model_and_its_settings(wire: Any) -> None:
    with pytest.raises(MissingField) as caught:
        wire.build(request(None))
    assert (caught.value.field, caught.value.wire) == ("model", "places_wire")
    omitted = wire.build(request(None), policies="verbatim", settings={"region": "eu"})
    assert [(note.action, note.field) for note in omitted.notes] == [("omitted", "model")]
    with pytest.raises(MissingField, match="the URL needs it"):
        _ = omitted.url
    with pytest.raises(
        SettingError, match=r"places_wire: the setting project is needed: settings=\{'project': \.\.\.\}"
    ):
        _ = wire.build(request(), settings={"platform": "vertex", "region": "eu"}).url


def test_a_setting_stands_for_the_model(wire: Any) -> None:
    hot = Request("prod-7", [user("hi")], options=Options(temperature=1))
    assert wire.build(hot).body == {"temperature": 1, "messages": [{"role": "user", "content": "hi"}]}
    with pytest.raises(Refused, match="it thinks"):
        wire.build(hot, settings={"base_model": "big-1"})
    big = Request("big-1", [user("hi")], options=Options(temperature=1))
    assert wire.build(big, settings={"base_model": "small"}).body["temperature"] == 1
    assert "base_model" not in wire.build(hot, settings={"base_model": "x", "region": "eu"}).url


def test_who_asks(wire: Any) -> None:
    def sent(settings: dict[str, str]) -> tuple[dict[str, str], Signing | None]:
        built = wire.build(request(), settings=settings)
        return {name: text for name, text in built.headers.items() if name != "content-type"}, built.signing

    signing = Signing("aws_sigv4", "bedrock", "eu")
    assert sent({"region": "eu"}) == ({}, signing)
    assert sent({"region": "eu", "goog_key": "g"}) == ({}, signing)
    assert sent({"region": "eu", "api_key": "k"}) == ({"authorization": "Bearer k"}, None)
    assert sent(VERTEX) == ({"authorization": "Bearer $PLACES_KEY"}, None)
    assert sent({**VERTEX, "goog_key": "g"}) == ({"x-goog": "g"}, None)
    assert sent({**VERTEX, "goog_key": "g", "api_key": "k"}) == ({"authorization": "Bearer k"}, None)


def test_curl_signs(wire: Any) -> None:
    assert wire.build(request(), settings={"region": "eu"}).curl() == (
        "curl -X POST https://places.example/model/m/converse \\\n"
        "  --aws-sigv4 aws:amz:eu:bedrock \\\n"
        '  --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \\\n'
        "  -H 'content-type: application/json' \\\n"
        """  --data '{"messages":[{"role":"user","content":"hi"}]}'"""
    )
