"""Every example of `gemini_generate` before two witnesses: Google's protocol buffers, and Google's own client.

The protocol buffers are those of the Developer API as their last release has them; `NEWER` lists the fields that came
after it. The client (google-genai) checks the rest, on both platforms: its types forbid unknown fields, its
converters refuse what the other platform alone takes, and what it sends is compared with what the build states.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from google.ai import generativelanguage_v1beta as protocol
from google.protobuf import json_format  # type: ignore[import-untyped]
from pydantic import ValidationError

from tests.conformance.google_echo import echo
from tests.conformance.sdk_echo import without_noise
from tests.examples import Example, examples

EXAMPLES: Final = [example for example in examples() if example.wire == "gemini_generate"]
_KEYS: Final = {"api_key": "test-key", "access_token": "test-token"}

# Message -> fields of the API that its protocol buffer does not have yet: new ones, and those of Vertex.
NEWER: Final[dict[str, frozenset[str]]] = {
    "GenerateContentRequest": frozenset(
        {"continuationToken", "labels", "modelArmorConfig", "outputConfig", "serviceTier", "store"}
    ),
    "GenerationConfig": frozenset(
        {"audioTimestamp", "audioTranscriptionConfig", "modelConfig", "routingConfig"}
    ),
    "ThinkingConfig": frozenset({"thinkingLevel"}),
    "ImageConfig": frozenset({"imageOutputOptions", "imageSize"}),
    "Part": frozenset(
        {
            "audioMetadata", "audioTranscription", "documentMetadata", "mediaProcessing", "mediaResolution",
            "speechMetadata", "spreadsheetMetadata", "toolCall", "toolResponse",
        }
    ),
    "Blob": frozenset({"displayName"}),
    "FunctionCall": frozenset({"partialArgs", "willContinue"}),
    "FunctionResponsePart": frozenset({"fileData"}),
    "ExecutableCode": frozenset({"id"}),
    "CodeExecutionResult": frozenset({"id"}),
    "Tool": frozenset({"enterpriseWebSearch", "exaAiSearch", "mcpServers", "parallelAiSearch", "retrieval"}),
    "ToolConfig": frozenset({"includeServerSideToolInvocations"}),
    "FunctionCallingConfig": frozenset({"streamFunctionCallArguments"}),
    "GoogleSearch": frozenset({"excludeDomains", "searchTypes"}),
    "GoogleMaps": frozenset({"groundingTypes"}),
    "FileSearch": frozenset({"fileSearchStoreNames", "metadataFilter", "topK"}),
}  # fmt: skip
_REQUEST: Final = protocol.GenerateContentRequest.pb(protocol.GenerateContentRequest()).DESCRIPTOR
_FREE: Final = ("Struct", "Value", "Duration", "Timestamp")


def _known(value: Any, message: Any, left_out: set[tuple[str, str]]) -> Any:
    """Leave out what is newer than a message's protocol buffer, and note it."""
    if isinstance(value, list):
        return [_known(each, message, left_out) for each in value]
    if (
        message is None
        or message.name in _FREE
        or message.GetOptions().map_entry
        or not isinstance(value, dict)
    ):
        return value
    fields = {field.json_name: field.message_type for field in message.fields}
    newer = NEWER.get(message.name, frozenset())
    left_out |= {(message.name, key) for key in value if key in newer}
    return {key: _known(each, fields.get(key), left_out) for key, each in value.items() if key not in newer}


def _without_defaults(value: Any) -> Any:
    """Leave out what a protocol buffer does not write: empty text, false and zero."""
    if isinstance(value, list):
        return [_without_defaults(each) for each in value]
    if isinstance(value, dict):
        kept = {key: _without_defaults(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each != "" and each is not False}
    return value


def _parsed(body: Any) -> tuple[Any, set[tuple[str, str]]]:
    """Parse what the protocol buffers know of a body, and write it again; also what they do not know."""
    left_out: set[tuple[str, str]] = set()
    known = _known(body, _REQUEST, left_out)
    request = protocol.GenerateContentRequest.pb(protocol.GenerateContentRequest())
    json_format.ParseDict(known, request)
    again = json_format.MessageToDict(request)
    assert _without_defaults(again) == _without_defaults(known)
    return request, left_out


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_protocol_buffer_takes_the_body(example: Example) -> None:
    _parsed(example.build().body)


def test_everything_newer_is_used_and_still_unknown() -> None:
    used = {row for example in EXAMPLES for row in _parsed(example.build().body)[1]}
    assert used == {(message, field) for message, fields in NEWER.items() for field in fields}
    for name, fields in NEWER.items():
        message = _messages()[name]
        assert fields.isdisjoint(field.json_name for field in message.fields), name


def _messages() -> dict[str, Any]:
    """Every message that a request can hold, by name."""
    found: dict[str, Any] = {}
    stack = [_REQUEST]
    while stack:
        message = stack.pop()
        if message.name not in found:
            found[message.name] = message
            stack += [field.message_type for field in message.fields if field.message_type is not None]
    return found


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ({"contents": [{"role": "user", "parts": [{"txt": "hi"}]}]}, 'no field named "txt"'),
        ({"generationConfig": {"maxTokens": 5}}, 'no field named "maxTokens"'),
        ({"generationConfig": {"topK": "many"}}, "Failed to parse topK field"),
        ({"toolConfig": {"functionCallingConfig": {"mode": "SOME"}}}, "Invalid enum value SOME"),
        ({"contents": [{"role": "user", "parts": [{"text": "a", "inlineData": {}}]}]}, "oneof"),
    ],
)
def test_the_protocol_buffer_bites(edit: dict[str, Any], says: str) -> None:
    with pytest.raises(json_format.ParseError, match=says):
        _parsed({"contents": [{"role": "user", "parts": [{"text": "hi"}]}], **edit})


def _as_the_client_writes(body: Any) -> Any:
    """A body with what the client adds or writes otherwise: empty settings, the order of tools, times."""
    body = {"generationConfig": {}, **body}
    if "tools" in body:
        body["tools"] = sorted(body["tools"], key=repr)
    return _times(body)


def _times(value: Any) -> Any:
    if isinstance(value, list):
        return [_times(each) for each in value]
    if isinstance(value, dict):
        return {key: _times(each) for key, each in value.items()}
    return (
        value.removesuffix("+00:00") + "Z" if isinstance(value, str) and value.endswith("+00:00") else value
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_client_sends_what_the_build_states(example: Example) -> None:
    # the client's own default is v1, where fewer fields are stable; recorded traffic speaks v1beta
    given = {"api_version": "v1beta", **_KEYS, **(example.settings or {})}
    credential = "access_token" if given.get("platform") == "vertex" else "api_key"
    built = example.build(**{credential: given[credential]})
    sent = echo(example.request["model"], built.body, stream=example.request.get("stream"), **given)
    own = ("accept", "x-goog-api-client")
    headers = {name: value for name, value in without_noise(sent.headers).items() if name not in own}
    assert (sent.method, sent.url, headers) == (built.method, built.url, built.headers)
    assert _as_the_client_writes(sent.body) == _as_the_client_writes(built.body)


def test_the_client_bites() -> None:
    hello = [{"role": "user", "parts": [{"text": "hi"}]}]
    with pytest.raises(ValidationError, match="Extra inputs"):
        echo("m", {"contents": hello, "generationConfig": {"maxTokens": 5}}, stream=None)
    with pytest.raises(ValidationError, match="Extra inputs"):
        echo("m", {"contents": [{"role": "user", "parts": [{"txt": "hi"}]}]}, stream=None)
    with pytest.raises(ValueError, match="store parameter is only supported"):
        echo("m", {"contents": hello, "store": True}, stream=None, platform="vertex", project="p")
    with pytest.raises(ValueError, match="audio_timestamp parameter is only supported"):
        echo("m", {"contents": hello, "generationConfig": {"audioTimestamp": True}}, stream=None)
