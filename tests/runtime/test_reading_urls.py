"""Reading URLs: their form, and what is left over; an invalid URL is noted and never repeated."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from tests.examples import examples
from tests.internals.runtime import Shown, is_deferred, read_url
from tests.laws.traces import module
from tests.notes import changes
from tests.searching import TESTED_WIRES

BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def test_a_url_of_another_api_is_noted() -> None:
    reading = promptwire.openai_chat.read(BODY, "https://me:s3cret@host.example/v1/messages?key=s3cret")
    assert changes(reading.notes) == ["dropped url"]
    assert (reading.settings, reading.request.model) == ({}, "m")


def test_so_is_any_url_of_a_runtime_in_the_own_process() -> None:
    reading = promptwire.onnx_genai.read({"messages": BODY["messages"]}, "https://host.example/chat")
    assert changes(reading.notes) == ["dropped url"]


def test_a_url_of_the_wire_and_no_url_leave_no_note() -> None:
    assert promptwire.openai_chat.read(BODY).notes == ()
    assert promptwire.openai_chat.read(BODY, "http://localhost:1/v1/chat/completions?x=1").notes == ()


GOOGLE, GOOGLE_MODEL = "aiplatform.googleapis.com", "publishers/google/models/m:generateContent"
STUDIO = "https://generativelanguage.googleapis.com"
AZURE = "https://r.example"
HUB = "https://router.huggingface.co"
AT_AZURE = {"endpoint": AZURE}
VERTEX = {"platform": "vertex", "project": "p"}

# wire, URL, and what it says: the model, whether it streams, the settings that are not their defaults
SHOWN: list[tuple[str, str, str | None, bool | None, dict[str, Any]]] = [
    ("openai_chat", "https://api.openai.com/v1/chat/completions#x", None, None, {}),
    (
        "openai_chat",
        "https://me:pw@h.example/v1/chat/completions?x=1&key=s&y=2&&z",
        None,
        None,
        {"base_url": "https://h.example/v1", "query": "x=1&y=2&z"},
    ),
    ("gemini_generate", f"{STUDIO}/v1beta/models/m:generateContent", "m", None, {}),
    (
        "gemini_generate",
        f"{STUDIO}/v1/models/m:streamGenerateContent?x=1&alt=sse",
        "m",
        True,
        {"api_version": "v1", "query": "x=1"},
    ),
    # a parameter of the API with another value is not the caller's own
    ("gemini_generate", f"{STUDIO}/v1beta/models/m:streamGenerateContent?alt=json", "m", True, {}),
    ("gemini_generate", f"https://{GOOGLE}/v1beta1/projects/p/locations/global/{GOOGLE_MODEL}", "m", None, VERTEX),
    (
        "gemini_generate",
        f"https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/{GOOGLE_MODEL}",
        "m",
        None,
        {**VERTEX, "location": "eu", "vertex_version": "v1"},
    ),
    (
        "gemini_generate",
        f"https://asia-{GOOGLE}/v1beta1/projects/p/locations/asia/{GOOGLE_MODEL}",
        "m",
        None,
        {**VERTEX, "location": "asia"},
    ),
    # one setting in two places has one value
    (
        "gemini_generate",
        f"https://asia-{GOOGLE}/v1/projects/p/locations/eu/{GOOGLE_MODEL}",
        "m",
        None,
        {"base_url": f"https://asia-{GOOGLE}/v1/projects/p/locations/eu/publishers", "api_version": "google"},
    ),
    (
        "gemini_generate",
        f"https://aiplatform.asia.rep.googleapis.com/v1/projects/p/locations/asia/{GOOGLE_MODEL}",
        "m",
        None,
        {
            "base_url": "https://aiplatform.asia.rep.googleapis.com/v1/projects/p/locations/asia/publishers",
            "api_version": "google",
        },
    ),
    ("gemini_generate", f"https://{GOOGLE}/v1beta1/{GOOGLE_MODEL}", "m", None, {"platform": "vertex_express"}),
    ("azure_openai_chat", f"{AZURE}/openai/v1/chat/completions", None, None, AT_AZURE),
    (
        "azure_openai_chat",
        f"{AZURE}/openai/v1/chat/completions?api-version=preview",
        None,
        None,
        {**AT_AZURE, "api_version": "preview"},
    ),
    # what builds the same URL comes first, though another form knows more of its parameters
    (
        "azure_openai_chat",
        f"{AZURE}/openai/v1/chat/completions?x=1&api-version=preview&y=2",
        None,
        None,
        {**AT_AZURE, "query": "x=1&api-version=preview&y=2"},
    ),
    (
        "azure_openai_chat",
        f"{AZURE}/openai/deployments/d%2Fe/chat/completions?api-version=2024-10-21",
        "d/e",
        None,
        {**AT_AZURE, "api_version": "2024-10-21"},
    ),
    ("azure_openai_chat", f"{AZURE}/openai/deployments/d/chat/completions", "d", None, AT_AZURE),
    ("azure_openai_chat", f"{AZURE}/openai/deployments/d/chat/completions?api-version=", "d", None, AT_AZURE),
    ("azure_openai_chat", f"{AZURE}/models/chat/completions", None, None, {**AT_AZURE, "surface": "models"}),
    ("azure_openai_chat", f"{AZURE}/v1/chat/completions", None, None, {**AT_AZURE, "surface": "serverless"}),
    ("huggingface_chat", f"{HUB}/v1/chat/completions", None, None, {}),
    ("huggingface_chat", f"{HUB}/groq/openai/v1/chat/completions", None, None, {"provider": "groq"}),
    ("huggingface_chat", f"{HUB}/together/v1/chat/completions", None, None, {"provider": "together"}),
    (
        "huggingface_chat",
        f"{HUB}/hf-inference/models/org/m/v1/chat/completions",
        "org/m",
        None,
        {"provider": "hf-inference"},
    ),
    (
        "anthropic_bedrock",
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/a%3Ab/invoke-with-response-stream",
        "a:b",
        True,
        {"region": "eu-west-1"},
    ),
    (
        "anthropic_bedrock",
        "https://gate.example/x/model/a/invoke?y",
        "a",
        None,
        {"base_url": "https://gate.example/x", "endpoint": "own", "query": "y"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "url", "model", "stream", "settings"), SHOWN)
def test_what_a_url_says(
    wire: str, url: str, model: str | None, stream: bool | None, settings: dict[str, Any]
) -> None:
    assert read_url(getattr(promptwire, wire).WIRE, url) == Shown(model, stream, settings)


@pytest.mark.parametrize(
    ("wire", "url", "settings"),
    [
        ("openai_chat", "https://api.openai.com:443/v1/chat/completions", {}),
        ("openai_chat", "HTTPS://h.example:443/v1/chat/completions", {"base_url": "HTTPS://h.example/v1"}),
        ("openai_chat", "http://h.example:80/v1/chat/completions", {"base_url": "http://h.example/v1"}),
        ("openai_chat", "https://me:443@h.example:443/v1/chat/completions", {"base_url": "https://h.example/v1"}),
        ("openai_chat", "https://[::1]:443/v1/chat/completions", {"base_url": "https://[::1]/v1"}),
        # of the other scheme, longer, or in the path, it is another address
        ("openai_chat", "http://h.example:443/v1/chat/completions", {"base_url": "http://h.example:443/v1"}),
        ("openai_chat", "https://h.example:80/v1/chat/completions", {"base_url": "https://h.example:80/v1"}),
        ("openai_chat", "http://h.example:8080/v1/chat/completions", {"base_url": "http://h.example:8080/v1"}),
        ("openai_chat", "https://h.example/a:443/chat/completions", {"base_url": "https://h.example/a:443"}),
        ("anthropic_vertex", f"https://{GOOGLE}:443/v1/projects/p/locations/global/publishers/anthropic/models/m:rawPredict", {"project": "p"}),
        ("azure_openai_chat", f"{AZURE}:443/openai/v1/chat/completions?api-version=preview", {**AT_AZURE, "api_version": "preview"}),
        ("bedrock_titan", "https://bedrock-runtime.eu-west-1.amazonaws.com:443/model/m/invoke", {"region": "eu-west-1"}),
    ],
)  # fmt: skip
def test_the_default_port_of_a_scheme_says_nothing(wire: str, url: str, settings: dict[str, Any]) -> None:
    shown = read_url(getattr(promptwire, wire).WIRE, url)
    assert shown is not None
    assert shown.settings == settings


@pytest.mark.parametrize(
    ("wire", "url"),
    [
        ("openai_chat", "https://h.example/v1/messages"),
        ("openai_chat", "https://h.example/v1/chat/completions/x"),
        ("openai_chat", "/chat/completions"),
        ("gemini_generate", f"{STUDIO}/v1beta/models/a/m:generateContent"),
        ("anthropic_bedrock", "https://gate.example/model/%FF/invoke"),
        ("onnx_genai", "https://h.example/chat"),
    ],
)
def test_what_is_no_url_of_a_wire(wire: str, url: str) -> None:
    assert read_url(getattr(promptwire, wire).WIRE, url) is None


@pytest.mark.parametrize(
    ("wire", "url", "model"),
    [
        ("openai_chat", "https://h.example/v1/chat/completions?a=1\n", None),
        ("gemini_generate", f"{STUDIO}/v1/models/m:generateContent?a=1\n", "m"),
        ("gemini_generate", f"{STUDIO}/v1/models/m:streamGenerateContent?a=1\n", "m"),
        # several forms have such a URL
        ("azure_openai_chat", "https://h h.example/openai/v1/chat/completions?api-version=preview", None),
        ("anthropic_foundry", "https://a b.services.ai.azure.com/anthropic/v1/messages", None),
    ],
)
def test_settings_that_no_build_takes_are_left_out(wire: str, url: str, model: str | None) -> None:
    shown = read_url(getattr(promptwire, wire).WIRE, url)
    assert shown == Shown(model, True if "stream" in url else None, {}, refused=True)


def test_the_model_of_the_body_is_the_one_that_a_build_writes() -> None:
    url = f"{HUB}/hf-inference/models/org/m/v1/chat/completions"
    shown = read_url(promptwire.huggingface_chat.WIRE, url, "other")
    assert shown == Shown(None, None, {"base_url": f"{HUB}/hf-inference/models/org", "provider": "m"})


@pytest.mark.parametrize(
    ("conditions", "settings"),
    [
        # of several settings that a form may have the default is meant, else the first
        ({"platform": ("vertex", "ai_studio")}, {}),
        # what the URL does not show may be missing
        ({"platform": ("vertex", "vertex_express")}, {"platform": "vertex"}),
    ],
)
def test_what_only_conditions_say(conditions: dict[str, tuple[str, ...]], settings: dict[str, Any]) -> None:
    wire = promptwire.gemini_generate.WIRE.dialect(urls=(("${base_url}/x", None, conditions),))
    shown = read_url(wire, "https://h.example/x", "m")
    assert shown == Shown(None, None, {"base_url": "https://h.example", **settings})


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_a_body_with_its_url_is_read_as_directly_as_without(wire: str) -> None:
    read = module(wire).read
    for example in [row for row in examples() if row.wire == wire]:
        built = example.build()
        url = None if built.local else built.url
        alone, addressed = read(example.body).request, read(example.body, url).request
        assert is_deferred(addressed) == is_deferred(alone), example.name
