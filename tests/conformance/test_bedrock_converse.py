"""Every Converse example keeps to AWS's service model, and botocore sends the same URL and body."""

from __future__ import annotations

import copy
import re
from typing import Any, Final

import pytest

from promptwire import Request, bedrock_converse, user
from tests.conformance.botocore_strict import echo, problems
from tests.conformance.edits import edited
from tests.examples import Example, of_wire

WIRE: Final = "bedrock_converse"
ROWS: Final = of_wire(WIRE)


def _streams(example: Example) -> bool:
    return example.request.get("stream") is True


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_service_model_accepts_the_body(example: Example) -> None:
    assert problems(example.request["model"], example.build().body, stream=_streams(example)) == []


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_botocore_sends_what_the_build_states(example: Example) -> None:
    built = example.build()
    settings = example.settings or {}
    sent = echo(
        example.request["model"],
        built.body,
        stream=_streams(example),
        region=settings.get("region", "us-east-1"),
        endpoint=settings.get("base_url"),
        token=settings.get("api_key"),
    )
    assert (sent.method, sent.url, sent.body) == (built.method, built.url, built.body)
    assert sent.headers["content-type"] == built.headers["content-type"]
    if built.signing is None:
        assert sent.headers["authorization"] == built.headers["authorization"]
    else:
        scope = re.search(r"Credential=\w+/\d{8}/([^/]+)/([^/]+)/aws4_request", sent.headers["authorization"])
        assert scope is not None
        assert scope.groups() == (built.signing.region, built.signing.service)
        assert "authorization" not in built.headers


# one full body; each row changes one place of it, and the finding must name that place
FULL: Final[dict[str, Any]] = {
    "inferenceConfig": {"maxTokens": 1, "temperature": 1, "topP": 0.5, "stopSequences": ["END"]},
    "additionalModelRequestFields": {"top_k": 1},
    "requestMetadata": {"team": "red"},
    "serviceTier": {"type": "flex"},
    "toolConfig": {
        "tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}],
        "toolChoice": {"auto": {}},
    },
    "messages": [
        {
            "role": "user",
            "content": [{"text": "hi"}, {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}],
        }
    ],
}
WRONG: Final[list[tuple[str, Any, str]]] = [
    ("inferenceConfig.maxTokens", 0, "inferenceConfig.maxTokens: 0 is less than 1"),
    ("inferenceConfig.maxTokens", 1.5, "inferenceConfig.maxTokens: float is not integer"),
    ("inferenceConfig.maxTokens", True, "inferenceConfig.maxTokens: bool is not integer"),
    ("inferenceConfig.temperature", 1.5, "inferenceConfig.temperature: 1.5 is more than 1"),
    ("inferenceConfig.stopSequences", [""], "inferenceConfig.stopSequences[0]: 0 is less than 1"),
    ("inferenceConfig.top_k", 1, "inferenceConfig.top_k: unknown key of InferenceConfiguration"),
    ("additionalModelRequestFields.top_k", {1}, "additionalModelRequestFields: is not JSON"),
    ("requestMetadata", {}, "requestMetadata: 0 is less than 1"),
    ("requestMetadata.team", "*", "requestMetadata.team: '*' does not match the pattern of RequestMetadataValueString"),
    ("serviceTier.type", "auto", "serviceTier.type: 'auto' is none of priority, default, flex, reserved"),
    ("toolConfig.tools", [], "toolConfig.tools: 0 is less than 1"),
    ("toolConfig.tools.0.toolSpec.name", "a b", "toolConfig.tools[0].toolSpec.name: 'a b' does not match the pattern of ToolName"),
    ("toolConfig.tools.0.toolSpec", {}, "toolConfig.tools[0].toolSpec.name: missing, ToolSpecification requires it"),
    ("toolConfig.toolChoice.any", {}, "toolConfig.toolChoice: 2 members, ToolChoice holds exactly one"),
    ("messages.0.role", "tool", "messages[0].role: 'tool' is none of user, assistant, system"),
    ("messages.0.content", "hi", "messages[0].content: str is not list"),
    ("messages.0.content.0.type", "text", "messages[0].content[0]: 2 members, ContentBlock holds exactly one"),
    ("messages.0.content.1.image.source.bytes", "?", "messages[0].content[1].image.source.bytes: is not base64"),
    ("messages.0.content.1.image.source.bytes", "", "messages[0].content[1].image.source.bytes: 0 is less than 1"),
    ("modelId", "m", "modelId: stands in the URL, not in the body"),
]  # fmt: skip


def test_a_full_body_is_accepted() -> None:
    assert problems("amazon.nova-pro-v1:0", FULL) == []


@pytest.mark.parametrize(("place", "value", "finding"), WRONG)
def test_one_wrong_place_is_named(place: str, value: object, finding: str) -> None:
    assert finding in problems("amazon.nova-pro-v1:0", edited(FULL, place, value))


def test_a_model_id_has_a_pattern() -> None:
    assert problems("a b", {}) == ["modelId: 'a b' does not match the pattern of ConversationalModelId"]


def test_streaming_has_members_of_its_own() -> None:
    body = {"guardrailConfig": {"streamProcessingMode": "async"}}
    assert problems("m", body, stream=True) == []
    assert problems("m", body) == [
        "guardrailConfig.streamProcessingMode: unknown key of GuardrailConfiguration"
    ]


def test_what_a_caller_gave_is_not_changed_by_moves() -> None:
    mine: dict[str, Any] = {"inferenceConfig": {"mode": "deep"}}
    vendor = {"bedrock_converse": {"additional_model_request_fields": mine}}
    request = Request("m", [user("hi")], vendor=vendor)
    before = copy.deepcopy(mine)
    assert bedrock_converse.build(request).body["additionalModelRequestFields"] == before
    assert mine == before
