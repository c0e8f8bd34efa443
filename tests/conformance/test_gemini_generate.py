"""Every example of `gemini_generate` before two witnesses: Google's protocol buffers, and Google's own client.

The client (google-genai) checks the rest, on both platforms: its types forbid unknown fields, its
converters refuse what the other platform alone takes, and what it sends is compared with what the build states.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]
from pydantic import ValidationError

from tests.conformance.google_echo import echo
from tests.conformance.google_protocol import NEWER, messages, parsed
from tests.conformance.sdk_echo import without_noise
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("gemini_generate")
_KEYS: Final = {"api_key": "test-key", "access_token": "test-token"}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_protocol_buffer_takes_the_body(example: Example) -> None:
    parsed(example.build().body)


def test_everything_newer_is_used_and_still_unknown() -> None:
    used = {row for example in EXAMPLES for row in parsed(example.build().body)[1]}
    assert used == {(message, field) for message, fields in NEWER.items() for field in fields}
    for name, fields in NEWER.items():
        message = messages()[name]
        assert fields.isdisjoint(field.json_name for field in message.fields), name


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
        parsed({"contents": [{"role": "user", "parts": [{"text": "hi"}]}], **edit})


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
