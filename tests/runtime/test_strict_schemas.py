"""Findings in strict schemas: for any schema, each finding once."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, strategies as st

from promptwire import Options, Request, ResponseFormat, Tool, anthropic_messages, openai_chat, user
from promptwire.errors import Refused
from tests.internals.runtime import counted, cyclic_references, facts_of, words_of
from tests.notes import refused

CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


def asking(schema: Any) -> Request:
    return Request(
        "gpt-4o",
        [user("hi")],
        response_format=ResponseFormat("json_schema", name="a", strict=True, schema=schema),
    )


def test_a_schema_that_was_changed_is_another_one() -> None:
    schema: dict[str, Any] = {**CLOSED, "properties": {"a": {"type": "string"}}}
    openai_chat.build(asking(schema))
    schema["properties"]["a"] = {"type": "string", "format": "uri"}
    with refused(Refused, "strict_schemas.formats"):
        openai_chat.build(asking(schema))
    schema["properties"]["a"] = {"type": "string"}
    openai_chat.build(asking(schema))


def test_a_schema_is_looked_into_once() -> None:
    schema = {**CLOSED}
    found = facts_of(schema)
    assert facts_of(schema) is found
    schema["title"] = "A"
    assert facts_of(schema) is not found
    assert "title" in facts_of(schema).words.keywords


def test_any_mapping_is_a_schema() -> None:
    held = MappingProxyType({**CLOSED, "properties": MappingProxyType({"a": {"format": "uri"}})})
    assert facts_of(held).words.formats == ("uri",)
    with refused(Refused, "strict_schemas.untyped"):
        openai_chat.build(asking(held))


def test_what_holds_itself_comes_to_an_end() -> None:
    schema: dict[str, Any] = {**CLOSED, "properties": {}}
    schema["properties"]["a"] = schema
    assert words_of(schema).properties == 1
    assert facts_of(schema).words.properties == 1


@pytest.mark.parametrize(
    ("schema", "recursive"),
    [
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, True),
        ({"properties": {"a": {"properties": {"b": {"$ref": "#/properties/a"}}}}}, True),
        ({"properties": {"a/b": {"items": {"$ref": "#/properties/a~1b"}}}}, True),
        ({"properties": {"a b": {"items": {"$ref": "#/properties/a%20b"}}}}, True),
        ({"anyOf": [{"type": "string"}, {"items": {"$ref": "#/anyOf/1"}}]}, True),
        ({"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}, False),
        ({"anyOf": [{"type": "string"}, {"items": {"$ref": "#/anyOf/0"}}]}, False),
        (
            {"anyOf": [{"$ref": "#/anyOf/7"}, {"$ref": "https://example.com/a"}, {"$ref": "#/no/where"}]},
            False,
        ),
    ],
)
def test_a_reference_may_lead_anywhere(schema: Any, recursive: bool) -> None:
    assert bool(cyclic_references(schema)) is recursive


def test_twenty_strict_tools_are_looked_at_together() -> None:
    tools = [
        Tool(f"t{i}", parameters={"type": "object", "additionalProperties": i > 9}, strict=True)
        for i in range(20)
    ]
    request = Request("claude-sonnet-4-5", [user("hi")], tools=tools, options=Options(max_tokens=9))
    with refused(Refused, "strict_schemas.open"):
        anthropic_messages.build(request)


JSON: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from(["object", "#", "array"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "required",
                    "$ref",
                    "$defs",
                    "items",
                    "anyOf",
                    "format",
                    "pattern",
                    "minItems",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_stands_for_a_schema_gives_numbers_and_words(schema: Any) -> None:
    words = words_of(schema)
    assert words.unrequired <= words.properties
    assert all(type(text) is str for text in (*words.formats, *words.patterns, *words.refs, words.root))
    optional, unions, refers = counted(schema)
    assert min(optional, unions) >= 0
    if refers:
        assert isinstance(cyclic_references(schema), frozenset)
    assert facts_of(schema).words.keywords == words.keywords
