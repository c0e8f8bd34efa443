"""`kwargs_for`: the arguments for a client, and the error where the client does not fit."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from promptwire import (
    Built,
    Image,
    Options,
    Request,
    anthropic_bedrock,
    anthropic_messages,
    azure_openai_chat,
    bedrock_converse,
    gemini_generate,
    mistral_chat,
    mistral_conversations,
    onnx_genai,
    openai_chat,
    user,
)
from promptwire.errors import ClientError
from promptwire.openai_chat.clients import CLIENTS
from promptwire.parts import image_data
from tests.imports import loaded
from tests.internals.runtime import Arguments

REQUEST = Request("some-model", [user("Hi")], options=Options(max_tokens=5, top_k=3))


def arguments(wire: Any, client: str, request: Request = REQUEST, **settings: Any) -> Arguments:
    """Return the arguments for a client."""
    given: Arguments = wire.build(request, settings=settings, policies="lenient").kwargs_for(client)
    return given


def test_the_arguments_and_the_method() -> None:
    given = arguments(openai_chat, "openai", project="p", query="trace=a%20b", api_key="sk-secret")
    assert given == {
        "model": "some-model",
        "max_completion_tokens": 5,
        "messages": [{"role": "user", "content": "Hi"}],
        "extra_headers": {"openai-project": "p"},
        "extra_query": {"trace": "a b"},
    }
    assert (given.call, given.base_url) == ("chat.completions.create", "https://api.openai.com/v1")


def test_keys_without_an_argument_and_headers_of_the_request_go_along() -> None:
    given = arguments(anthropic_messages, "anthropic")
    assert given["extra_body"] == {"top_k": 3}
    assert given["extra_headers"] == {"anthropic-version": "2023-06-01"}
    betas = anthropic_messages.build(REQUEST, settings={"betas": ["a", "b"]}).kwargs_for("anthropic")
    assert betas["extra_headers"]["anthropic-beta"] == "a,b"


def test_what_the_url_says_is_an_argument() -> None:
    streamed = Request("a:b/c", [user("Hi")], options=Options(max_tokens=5), stream=True)
    given = arguments(anthropic_bedrock, "anthropic", streamed)
    assert (given["model"], given["stream"]) == ("a:b/c", True)
    given = arguments(anthropic_bedrock, "boto3", streamed)
    assert given.call == "invoke_model_with_response_stream"
    assert given.keys() == {"modelId", "body", "contentType"}
    assert given["body"] == anthropic_bedrock.build(streamed).json()
    dated = arguments(azure_openai_chat, "openai", endpoint="https://h.example", api_version="2024-10-21")
    assert dated["extra_query"] == {"api-version": "2024-10-21"}
    assert dated.base_url == "https://h.example/openai/deployments/some-model"


def test_bytes_are_raw_where_the_client_encodes_them() -> None:
    data = base64.b64encode(b"\x89PNG\xff").decode()
    built: Built[Any] = bedrock_converse.build(Request("m", [user("Look", image_data(data, "image/png"))]))
    given = built.kwargs_for("boto3")
    assert given["messages"][0]["content"][1]["image"]["source"] == {"bytes": b"\x89PNG\xff"}
    assert built.body["messages"][0]["content"][1]["image"]["source"] == {"bytes": data}


def test_one_config_in_snake_case_for_google() -> None:
    assert gemini_generate.build(REQUEST).kwargs_for("google-genai") == {
        "model": "some-model",
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "config": {"http_options": {"api_version": "v1beta"}, "top_k": 3, "max_output_tokens": 5},
    }
    unknown = Request("m", [user("Hi")], vendor={"gemini_generate": {"speed": 1}})
    built: Built[Any] = gemini_generate.build(unknown, policies="lenient")
    built.body["generationConfig"] = {"newOne": 2}
    options = built.kwargs_for("google-genai")["config"]["http_options"]
    assert options["extra_body"] == {"generationConfig": {"newOne": 2}}


def test_a_conversation_that_goes_on_is_another_method() -> None:
    built = mistral_conversations.build(
        mistral_conversations.read(
            {"inputs": "Hi", "stream": True}, "https://api.mistral.ai/v1/conversations/conv_1"
        ).request
    )
    given = built.kwargs_for("mistralai")
    assert given.call == "beta.conversations.append_stream"
    assert given["conversation_id"] == "conv_1"
    assert "stream" not in given


@pytest.mark.parametrize(
    ("wire", "client", "settings", "path", "text"),
    [
        (
            openai_chat,
            "anthropic",
            {},
            "",
            "is not a client of OpenAI Chat Completions: use openai; or send",
        ),
        (onnx_genai, "openai", {}, "", "no client is known for it; pass it built.body"),
        (mistral_chat, "mistralai", {"query": "a=1"}, "query", "takes no URL parameters"),
        (openai_chat, "openai", {"query": "a=1&a=2"}, "query", "sends a URL parameter only once"),
        (anthropic_bedrock, "boto3", {"query": "a=1"}, "query", "takes no URL parameters"),
    ],
)
def test_what_does_not_fit_is_named(
    wire: Any, client: str, settings: dict[str, Any], path: str, text: str
) -> None:
    with pytest.raises(ClientError) as caught:
        arguments(wire, client, **settings)
    error = caught.value
    assert text in str(error)
    assert (error.wire, error.client, error.path) == (wire.WIRE.name, client, path)


def test_keys_that_no_argument_takes_are_named() -> None:
    built: Built[Any] = bedrock_converse.build(REQUEST, policies="lenient")
    built.body["newOne"] = 1
    with pytest.raises(
        ClientError, match="bedrock_converse: newOne: the client boto3 has no argument for it"
    ):
        built.kwargs_for("boto3")
    built = bedrock_converse.build(Request("m", [user("Look", Image(data="??", media_type="image/png"))]))
    with pytest.raises(ClientError, match="takes bytes, and this is not valid base64"):
        built.kwargs_for("boto3")


def test_what_a_clients_types_would_lose_is_named_at_any_depth() -> None:
    built: Built[Any] = mistral_chat.build(Request("m", [user("Hi")]))
    built.body["messages"][0]["extra"] = {"a": 1}
    with pytest.raises(
        ClientError, match=r"messages\[0\].extra: the client mistralai drops or changes it"
    ) as caught:
        built.kwargs_for("mistralai")
    assert caught.value.path == "messages[0].extra"
    built.body["messages"] = [{"role": "nobody"}]
    with pytest.raises(ClientError, match="the types of mistralai reject it"):
        built.kwargs_for("mistralai")


def test_a_client_that_is_asked_for_its_types_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mistralai.client.models", None)
    with pytest.raises(ClientError, match="install mistralai"):
        arguments(mistral_chat, "mistralai")


def test_no_client_is_loaded_for_arguments() -> None:
    code = (
        "from promptwire import *; from promptwire import openai_chat; "
        "openai_chat.build(Request('m', [user('Hi')])).kwargs_for('openai')"
    )
    (names,) = loaded(code)
    assert "promptwire.openai_chat.clients" in names
    assert [name for name in names if name.split(".")[0] in ("openai", "httpx", "pydantic")] == []


def test_the_table_says_its_version() -> None:
    assert CLIENTS["openai"].version.startswith("openai ")


@pytest.mark.parametrize("client", [None, 5, ["openai"], {}])
def test_a_client_is_named_by_text(client: Any) -> None:
    with pytest.raises(ClientError, match="client must be the name of a package, not"):
        openai_chat.build(REQUEST, policies="lenient").kwargs_for(client)
