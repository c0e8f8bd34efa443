"""Parameters of the caller's own in the URL: written after those of the API, and read back from it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

import promptwire
from promptwire import Request, user
from promptwire.errors import SettingError

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


@pytest.mark.parametrize("query", ["a b", "a#b", "é=1"])
def test_what_cannot_stand_in_a_url_is_refused(query: str) -> None:
    with pytest.raises(SettingError, match="query must be a URL query string"):
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


CREDENTIALS = [
    "key", "Key", "apiKey", "API-Key", "x-api-key", "x-goog-api-key", "access_token", "access-token", "id_token",
    "client_secret", "Ocp-Apim-Subscription-Key", "X-Amz-Signature", "X-Amz-Credential", "k%65y", "code",
]  # fmt: skip


@pytest.mark.parametrize("name", CREDENTIALS)
def test_a_credential_in_a_url_is_not_repeated_and_hides_no_other_parameter(name: str) -> None:
    reading = promptwire.anthropic_messages.read(BODY, f"{ANTHROPIC}?beta=true&{name}=s3cret")
    assert reading.settings == {"query": "beta=true"}


def test_nor_is_a_password_before_the_host() -> None:
    reading = promptwire.openai_chat.read(BODY, "https://me:s3cret@host.example/v1/chat/completions")
    assert reading.settings == {"base_url": "https://host.example/v1"}


@pytest.mark.parametrize("name", CREDENTIALS)
def test_a_curl_command_shows_no_credential(name: str) -> None:
    request = Request("m", (user("hi"),), options=promptwire.Options(max_tokens=8))
    built = promptwire.anthropic_messages.build(request, settings={"query": f"beta=true&{name}=s3cret"})
    assert built.url == f"{ANTHROPIC}?beta=true&{name}=s3cret"
    shown = built.curl().splitlines()[0]
    assert shown.startswith(f"curl -X POST '{ANTHROPIC}?beta=true&{name}='\"$")
    assert "s3cret" not in built.curl()
    with pytest.raises(SettingError) as refused:
        url("anthropic_messages", f"{name}=s3cret and more")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("https://host.example/v1", "https://host.example/v1/chat/completions"),
        ("https://host.example/v1/", "https://host.example/v1/chat/completions"),
        ("http://localhost:8000//", "http://localhost:8000/chat/completions"),
    ],
)
def test_an_address_may_end_with_a_slash(given: str, sent: str) -> None:
    built = promptwire.openai_chat.build(Request("m", (user("hi"),)), settings={"base_url": given})
    assert built.url == sent


@pytest.mark.parametrize(
    "given", ["", "/", "https://host.example/v1?key=s3cret", "https://host.example/#x", "a b"]
)
def test_an_address_with_anything_behind_it_is_refused(given: str) -> None:
    built = promptwire.openai_chat.build(Request("m", (user("hi"),)), settings={"base_url": given})
    with pytest.raises(SettingError, match=r"openai_chat: base_url (must be an address|is empty)") as refused:
        _ = built.url
    assert "s3cret" not in str(refused.value)


def test_a_question_mark_before_the_parameters_is_no_second_one() -> None:
    assert url("anthropic_messages", "?beta=true") == f"{ANTHROPIC}?beta=true"


def test_a_runtime_in_the_own_process_has_none() -> None:
    with pytest.raises(SettingError, match='"query" is not a setting'):
        promptwire.onnx_genai.build(Request("m", (user("hi"),)), settings={"query": "a=1"})


def test_a_shell_fills_in_the_credentials_of_a_url_and_nothing_else() -> None:
    request = Request("m", (user("hi"),), options=promptwire.Options(max_tokens=8))
    built = promptwire.anthropic_messages.build(request, settings={"query": 'a=$HOME"`x`!&key=s3cret&b=!x'})
    address = built.curl().splitlines()[0].removeprefix("curl -X POST ").removesuffix(" \\")
    echo = f"KEY=filled; HOME=home; printf %s {address}"
    shown = subprocess.run(["/bin/sh", "-c", echo], capture_output=True, text=True, check=True).stdout
    assert shown == f'{ANTHROPIC}?a=$HOME"`x`!&key=filled&b=!x'
