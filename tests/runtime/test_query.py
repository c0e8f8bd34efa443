"""Parameters of the caller's own in the URL: written after those of the API, and read back from it."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Request, SettingError, user

BODY: dict[str, Any] = {"model": "m", "max_tokens": 8, "messages": [{"role": "user", "content": "hi"}]}
ANTHROPIC = "https://api.anthropic.com/v1/messages"
GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent"


def url(wire: str, query: Any, **given: Any) -> str:
    request = Request("m", (user("hi"),), options=promptwire.Options(max_tokens=8), **given)
    built = getattr(promptwire, wire).build(request, settings={"query": query})
    assert f"curl -X POST '{built.url}'" in built.curl()
    text: str = built.url
    return text


@pytest.mark.parametrize("query", ["beta=true", "beta=true&trace=a%20b", "flag"])
def test_it_stands_behind_the_address(query: str) -> None:
    assert url("anthropic_messages", query) == f"{ANTHROPIC}?{query}"


def test_it_joins_the_parameters_of_the_api() -> None:
    assert url("gemini_generate", "alt2=x", stream=True) == f"{GEMINI}?alt=sse&alt2=x"


@pytest.mark.parametrize("query", ["a b", "a#b", "a\nb", "é=1"])
def test_what_cannot_stand_in_a_url_is_refused(query: str) -> None:
    with pytest.raises(SettingError, match="query is written as it stands in a URL"):
        url("anthropic_messages", query)


def test_it_is_read_and_written_again() -> None:
    reading = promptwire.anthropic_messages.read(BODY, f"{ANTHROPIC}?beta=true")
    assert reading.settings == {"query": "beta=true"}
    built = promptwire.anthropic_messages.build(reading.request, settings=reading.settings)
    assert (built.url, built.body) == (f"{ANTHROPIC}?beta=true", BODY)


def test_the_parameters_of_the_api_stay_its_own() -> None:
    address = (
        "https://east.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21&trace=1"
    )
    reading = promptwire.azure_openai_chat.read({"messages": BODY["messages"]}, address)
    assert reading.settings["query"] == "trace=1"
    assert reading.settings["api_version"] == "2024-10-21"
    assert promptwire.azure_openai_chat.build(reading.request, settings=reading.settings).url == address


@pytest.mark.parametrize("name", ["key", "access_token"])
def test_a_credential_in_a_url_is_not_repeated(name: str) -> None:
    reading = promptwire.anthropic_messages.read(BODY, f"{ANTHROPIC}?{name}=secret")
    assert "secret" not in str(reading.settings)


def test_a_runtime_in_the_own_process_has_none() -> None:
    with pytest.raises(SettingError, match='"query" is not a setting'):
        promptwire.onnx_genai.build(Request("m", (user("hi"),)), settings={"query": "a=1"})
