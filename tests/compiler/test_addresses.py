"""Forms of the URL, signatures and names that stand for the model: compiled, and built with."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st

from promptwire import Options, Request, user
from promptwire.errors import InvalidRequest, MissingField, NoPlace, Refused, SettingError
from promptwire.plugins import Signing
from tests.internals.runtime import leads_elsewhere

from .compiled import load_wire, wire_of

SPEC = """
wire: places_wire
title: Places
transport:
  method: POST
  url:
    - when: {stream: true, settings: {platform: vertex}}
      url: "https://${region}-host.example/v1/projects/${project|segment}/locations/${region}/models/${model|path}:stream?alt=sse"
    - when: {settings: {platform: vertex}}
      url: "https://${region}-host.example/v1/projects/${project|segment}/locations/${region}/models/${model|path}:generate"
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


wire = wire_of("places_wire", SPEC)


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
    assert [(note.action, note.field) for note in omitted.notes] == [("missing", "model")]
    with pytest.raises(MissingField, match="the URL needs it"):
        _ = omitted.url
    with pytest.raises(
        SettingError,
        match=r"places_wire: the setting project is required; pass settings=\{'project': \.\.\.\}",
    ) as named:
        _ = wire.build(request(), settings={"platform": "vertex", "region": "eu"}).url
    assert named.value.missing == "project"


def test_only_the_signature_needs_the_region(wire: Any) -> None:
    built = wire.build(request())
    assert built.url == "https://places.example/model/m/converse"
    with pytest.raises(SettingError, match="the setting region is required"):
        _ = built.signing
    with pytest.raises(InvalidRequest, match="model is an int, not str or None"):
        _ = wire.build(Request(cast("Any", 10**5000), [user("hi")])).url
    with pytest.raises(InvalidRequest, match="the text cannot be encoded in a URL"):
        _ = wire.build(request("\ud800")).url


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


# what a URL cannot hold is a lone surrogate
anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.sampled_from(
    [
        "a/b",
        "org/model:free",
        "m@2026",
        "x y",
        "%2F",
        "a?b#c",
        "ü/é",
        "models/x",
        ":stream",
        "a&b=c",
        "//",
        ".x",
    ]
)
odd_names = anything.filter(lambda name: not leads_elsewhere(name))
regions = st.from_regex(r"[a-z]{1,6}(-[a-z0-9]{1,5})?", fullmatch=True)
hosts = st.sampled_from(["http://h:1", "https://gate.example/v1/model", "https://places.example/x"])


def has_no_controls(text: str) -> bool:
    return not any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in text)


@st.composite
def places(draw: st.DrawFn) -> dict[str, str]:
    if draw(st.booleans()):
        return {
            "platform": "vertex",
            "region": draw(regions),
            "project": draw(odd_names.filter(has_no_controls)),
        }
    return {"base_url": draw(hosts)} if draw(st.booleans()) else {}


@pytest.mark.slow
@given(model=odd_names, stream=st.sampled_from([None, False, True]), chosen=places())
def test_what_a_url_says_is_read_back(
    wire: Any, model: str, stream: bool | None, chosen: dict[str, str]
) -> None:
    built = wire.build(request(model, stream), settings=chosen)
    reading = wire.read(built.body, built.url)
    assert (reading.request.model, reading.request.stream) == (model, stream or None)
    assert (reading.settings, reading.request.kept) == (chosen, None)
    assert wire.build(reading.request, settings=reading.settings).url == built.url
    assert (reading.leaves, reading.understood, reading.kept) == (2, 2, 0)


@pytest.mark.parametrize(
    ("url", "model", "stream", "found"),
    [
        ("https://places.example/model/a:1/converse", "a:1", None, {}),
        ("https://places.example/model/a/converse-stream?debug=1", "a", True, {"query": "debug=1"}),
        ("https://gate/model/a%2Fb/converse", "a/b", None, {"base_url": "https://gate"}),
        (
            "https://eu-host.example/v1/projects/p/locations/eu/models/m:stream?x=1&alt=sse",
            "m",
            True,
            {**VERTEX, "project": "p", "query": "x=1"},
        ),
        (
            "https://eu-host.example/v1/projects/p/locations/eu/models/m:stream?alt=json",
            "m",
            True,
            {**VERTEX, "project": "p"},
        ),
        # what fits no form whole is not guessed
        ("https://eu-host.example/v1/projects/p/locations/us/models/m:generate", None, None, {}),
        ("https://places.example/model/%FF/converse", None, None, {}),
        ("https://places.example/other", None, None, {}),
        ("", None, None, {}),
    ],
)
def test_urls_of_others_are_read_as_far_as_they_fit(
    wire: Any, url: str, model: str | None, stream: bool | None, found: dict[str, str]
) -> None:
    reading = wire.read({"messages": [{"role": "user", "content": "hi"}]}, url)
    assert (reading.request.model, reading.request.stream, reading.settings) == (model, stream, found)
    assert reading.request.messages[0].provenance.model == model


def test_parameters_that_no_form_knows_come_back(wire: Any) -> None:
    url = "https://places.example/model/a/converse?debug=1"
    reading = wire.read({"messages": []}, url)
    assert wire.build(reading.request, settings=reading.settings).url == url


BODY_HAS_BOTH = (
    SPEC.replace("places_wire", "both_wire")
    .replace("body:\n", "body:\n  model: $model\n  stream?: $stream\n")
    .replace("https://places.example", "https://both.example")
)


both = wire_of("both_wire", BODY_HAS_BOTH)


@pytest.mark.parametrize("own", [{}, {"model": "other"}, {"stream": False}, {"model": "m", "stream": True}])
def test_the_body_comes_back_as_it_was(both: Any, own: dict[str, Any]) -> None:
    body = {**own, "messages": [{"role": "user", "content": "hi"}]}
    reading = both.read(body, "https://both.example/model/m/converse-stream")
    assert (reading.request.model, reading.request.stream) == (own.get("model", "m"), own.get("stream", True))
    assert both.build(reading.request, policies="verbatim", settings=reading.settings).body == body
    assert (reading.leaves, reading.understood) == (len(own) + 2, len(own) + 2)


NO_MODEL = """
wire: mute_wire
title: Mute
transport: {method: POST, url: "https://mute.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
body: {messages: $messages}
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts:
  text: {type: text, text: $text}
"""


def test_a_model_without_a_place_is_never_lost_silently(tmp_path: Path) -> None:
    mute = load_wire(tmp_path, "mute_wire", NO_MODEL)
    with pytest.raises(NoPlace) as caught:
        mute.build(request("m"))
    assert caught.value.field == "model"
    assert [(note.action, note.field) for note in mute.build(request("m"), policies="lenient").notes] == [
        ("dropped", "model")
    ]
    assert mute.build(request(None)).body == {"messages": [{"role": "user", "content": "hi"}]}
