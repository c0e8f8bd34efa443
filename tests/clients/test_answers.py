"""Every example of an answer, read from what the SDKs make of it: the same answer as from its JSON."""

from __future__ import annotations

import json
import warnings
from typing import Any, Final

import pytest

from promptwire import (
    BodyError,
    Built,
    Options,
    Request,
    bedrock_converse,
    gemini_generate,
    openai_chat,
    tool_result,
    user,
)
from tests.answers import answers, module
from tests.clients.loopback import Loopback
from tests.clients.sdks import called
from tests.clients.test_requests import clients
from tests.laws.traces import address

ROWS: Final = [(client, *row) for row in answers() for client in clients(row[0])]
REQUEST: Final = Request("m", [user("Hi")], options=Options(max_tokens=9))
# what some wires cannot do without
SETTINGS: Final = {
    "endpoint": "https://h.example",
    "base_url": "https://h.example",
    "project": "p",
    "resource": "r",
}


def build(wire: str) -> Built[Any]:
    """Build a small request for a wire."""
    known = module(wire).WIRE.settings
    needed = {name: text for name, text in SETTINGS.items() if name in known and not known[name].default}
    if needed.keys() & module(wire).WIRE.address_only:
        needed = address(wire)
    built: Built[Any] = module(wire).build(REQUEST, settings=needed, policies="lenient")
    return built


def given(client: str, wire: str, body: dict[str, Any], server: Loopback) -> Any:
    """Return what a client makes of an answer of the server."""
    server.answer(json.dumps(body).encode())
    built = build(wire)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return called(client, built, built.kwargs_for(client), server.here)


@pytest.mark.parametrize(("client", "wire", "name", "body"), ROWS, ids=lambda value: str(value)[:40])
def test_an_answer_of_a_client_is_the_answer_of_its_json(
    client: str, wire: str, name: str, body: dict[str, Any], server: Loopback
) -> None:
    answer = given(client, wire, body, server)
    if "StreamingBody" in str(answer):
        # boto3's invoke_model gives the bytes of the body
        answer = json.loads(answer["body"].read())
    read, expected = module(wire).read_answer(answer), module(wire).read_answer(body)
    assert (read, read.usage) == (expected, expected.usage)


def test_bytes_of_boto3_are_base64_again(server: Loopback) -> None:
    content = [{"reasoningContent": {"redactedContent": "3q2+7w=="}}, {"text": "Hi"}]
    body = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
    }
    answer = given("boto3", "bedrock_converse", body, server)
    assert (
        answer["output"]["message"]["content"][0]["reasoningContent"]["redactedContent"]
        == b"\xde\xad\xbe\xef"
    )
    assert bedrock_converse.read_answer(answer) == bedrock_converse.read_answer(body)
    # what was given is not changed
    assert "ResponseMetadata" in answer


def test_objects_of_older_kinds_and_what_is_none() -> None:
    body: dict[str, Any] = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}}]}

    class Dumped:
        def to_dict(self) -> dict[str, Any]:
            return body

    class Older:
        def dict(self) -> dict[str, Any]:
            return body

    for answer in (Dumped(), Older()):
        assert openai_chat.read_answer(answer) == openai_chat.read_answer(body)
    for none in ([], "text", None, 1, object()):
        with pytest.raises(BodyError, match="not an object"):
            openai_chat.read_answer(none)
    deep: Any = {"sdkHttpResponse": {}}
    for _ in range(100_000):
        deep = {"sdkHttpResponse": {}, "candidates": [deep]}
    with pytest.raises(BodyError, match="cannot be read"):
        gemini_generate.read_answer(deep)


def test_a_dict_that_the_client_of_gemini_makes_has_the_same_finish_and_counts() -> None:
    types = pytest.importorskip("google.genai.types")
    call = {"functionCall": {"name": "f", "args": {"x_y": 1}}, "thoughtSignature": "aGk="}
    counts = {
        "promptTokenCount": 10,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 2,
        "toolUsePromptTokenCount": 3,
        "cachedContentTokenCount": 4,
        "totalTokenCount": 20,
    }
    said = {
        "candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": counts,
    }
    answer = gemini_generate.read_answer(said)
    assert answer.usage is not None
    assert (answer.usage.input, answer.usage.output, answer.usage.cache_read) == (13, 7, 4)
    response = types.GenerateContentResponse.model_validate(said)
    for spelled in (response.to_json_dict(), response.model_dump(), response.model_dump(mode="json")):
        read = gemini_generate.read_answer(spelled)
        assert read.usage is not None
        assert (read.finish, read.finish_raw) == ("tool_calls", "STOP")
        for name in ("input", "output", "cache_read", "reasoning", "total"):
            assert getattr(read.usage, name) == getattr(answer.usage, name)
        (part,) = read.calls
        assert (part.name, part.parsed_arguments) == ("f", {"x_y": 1})
        following = REQUEST.replace(model="gemini-3-pro").after(read, tool_result(part, "ok"))
        built = gemini_generate.build(following).json()
        assert b'"aGk="' in built
