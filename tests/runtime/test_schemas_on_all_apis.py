"""One's own pydantic models on every API: they build, the linter finds nothing, and answers are instances of them."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from pydantic import BaseModel

from promptwire import Options, PromptwireError, Request, ResponseFormat, Tool, openai_chat, user
from tests.laws.specimens import divided
from tests.runtime.schema_models import Person, Point, Zoo, drawn_models, field_models
from tests.searching import TESTED_WIRES

# a model that the rules of an API are about
MODELS = {
    "anthropic": "claude-haiku-4-5",
    "bedrock_meta": "us.meta.llama3-3-70b-instruct-v1:0",
    "bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "cohere": "command-a-03-2025",
    "deepseek": "deepseek-chat",
    "gemini": "gemini-2.5-flash",
    "groq": "openai/gpt-oss-120b",
    "mistral": "mistral-large-latest",
    "openrouter": "openai/gpt-4o",
    "xai": "grok-4.6",
}
SETTINGS = {"anthropic_vertex": {"project": "p", "region": "global"}}
WITHOUT_OPTIONS = ("aptix_responses",)
# the URL names the model
NAMED_IN_URL = ("anthropic_bedrock", "anthropic_vertex", "bedrock_converse")


def asking(wire: str, cls: type[BaseModel], *, strict: bool | None, tool: bool) -> Request:
    model = next((name for head, name in MODELS.items() if head in wire), "gpt-4o")
    return Request(
        model,
        [user("hi")],
        options=Options() if wire in WITHOUT_OPTIONS else Options(max_tokens=100),
        tools=[Tool("f", "Does f.", cls, strict=strict)] if tool else None,
        response_format=None if tool else ResponseFormat("json_schema", cls, "answer", strict=strict),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTED_WIRES)
def test_models_with_limits_unions_and_recursion_build_and_lint_clean(name: str) -> None:
    wire: Any = importlib.import_module(f"promptwire.{name}")
    models: list[type[BaseModel]] = [Point, Zoo, *field_models().values()]
    # a tool takes an object, and a model of a list is none
    for number, cls in divided(name, enumerate((*models, *drawn_models()[:4]))):
        strict = (True, None)[number % 2]
        tool = number % 3 == 0 and "tools" in wire.WIRE.capabilities["request"]
        request = asking(name, cls, strict=strict, tool=tool)
        built = wire.build(request, policies="portable", settings=SETTINGS.get(name))
        url = built.url if name in NAMED_IN_URL else None
        assert wire.check(built.body, url) == (), cls


def test_a_limit_that_is_only_described_still_holds_for_the_answer() -> None:
    """Answers are read with the caller's own class, whatever the API was sent."""
    said = {"role": "assistant", "content": json.dumps({"x": 999, "y": 0})}
    answer = openai_chat.read_answer({"choices": [{"index": 0, "message": said, "finish_reason": "stop"}]})
    with pytest.raises(PromptwireError, match="less than or equal to 180"):
        answer.data_as(Point)


def test_strict_notes_what_is_lossless_and_refuses_the_rest() -> None:
    built = openai_chat.build(
        Request(
            "gpt-4o", [user("hi")], response_format=ResponseFormat("json_schema", Person, "p", strict=True)
        )
    )
    assert {(note.action, note.path) for note in built.notes} == {("replaced", "response_format")}
    assert openai_chat.check(built.report.origins.caller_request) == ()
    loose = Request(
        "claude-haiku-4-5",
        [user("hi")],
        options=Options(max_tokens=9),
        response_format=ResponseFormat("json_schema", Point),
    )
    anthropic: Any = importlib.import_module("promptwire.anthropic_messages")
    with pytest.raises(PromptwireError, match="minimum"):
        anthropic.build(loose)
    assert anthropic.build(loose, policies="schemas=adapt").notes
    kept = anthropic.build(loose, policies="verbatim").body["output_config"]["format"]["schema"]
    assert kept["properties"]["x"]["minimum"] == -180


def test_the_same_schema_is_adapted_once() -> None:
    request = asking("anthropic_messages", Point, strict=None, tool=False)
    anthropic: Any = importlib.import_module("promptwire.anthropic_messages")
    schemas = [
        anthropic.build(request, policies="portable").body["output_config"]["format"]["schema"]
        for _ in range(2)
    ]
    assert schemas[0] is schemas[1]
    schemas[0]["properties"].clear()  # a caller may change the body; the next one is whole
    assert anthropic.build(request, policies="portable").body["output_config"]["format"]["schema"][
        "properties"
    ]
