"""Schemas of tools that no draft of JSON Schema allows, judged by a validator, and what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator, SchemaError

from promptwire import Options, Policies, Request, Tool, anthropic_messages, openai_chat, user
from promptwire.errors import Refused
from tests.internals.runtime import COUNTED, RARELY_COUNTED, adapt, invalid
from tests.laws.strategies import searching
from tests.notes import refused

TYPES: tuple[Any, ...] = (
    *("string", "str", "Int", "FLOAT", "any", "foo", None, 3, {}),
    *([], ["str", "null"], ["string", 3], ["str", {}], ["any", []], ["str", None]),
)
WORDS: dict[str, tuple[Any, ...]] = {
    "required": (["a"], [], [1], ["a", ["b"]], [{}], True, False, None, "a"),
    "enum": (["a"], [], None, "a"),
    "description": ("a", None, 1),
    "title": ("a", None),
    "format": ("date", None, {}),
    "pattern": ("a", None, 1),
    "minimum": (1, 1.5, None, "1", True),
    "maxLength": (1, 2.0, -1, 1.5, 1e400, None, "1", False),
    "additionalProperties": (True, {}, None, "no", []),
    "anyOf": ([{}], [], None, {}, ["string"]),
    "properties": ({}, [], None, {"a": None}, {"a": True}),
    "default": (None, 1),
}


def _words(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    words = {word: st.sampled_from(values) for word, values in WORDS.items()}
    nested = {"items": inner, "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2)}
    optional = {"type": st.sampled_from(TYPES), **words, **nested}
    return st.fixed_dictionaries({}, optional=optional)


schemas = st.recursive(st.just({"type": "string"}), _words, max_leaves=3)


def is_valid(schema: Any) -> bool:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


@searching(1000)
@given(schema=schemas)
def test_a_validator_finds_the_same(schema: dict[str, Any]) -> None:
    assert (invalid(schema) == 0) is is_valid(schema)


@searching(1000)
@given(schema=schemas)
def test_what_is_certain_is_corrected_and_the_rest_stays(schema: dict[str, Any]) -> None:
    before = repr(schema)
    adapted, edits = adapt(schema, lambda word, _value: "no" if word == "invalid" else "")
    assert repr(schema) == before and edits.loss == "none"
    assert invalid(adapted) <= invalid(schema)
    assert edits.rows or adapted is schema
    if is_valid(schema):
        assert adapted is schema


@searching(1000)
@given(
    schema=schemas,
    words=st.sets(st.sampled_from(sorted({*COUNTED, *RARELY_COUNTED, "keywords", "open", "root"}))),
)
def test_an_invalid_schema_is_adapted_to_anything_without_an_error(
    schema: dict[str, Any], words: set[str]
) -> None:
    adapted, edits = adapt(schema, lambda word, _value: "no" if word in words else "")
    assert edits.rows or adapted is schema
    assert all(RARELY_COUNTED[word](schema) >= 0 for word in RARELY_COUNTED)


MEANT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "names of types in programs": (
        {
            "a": {"type": "float"},
            "b": {"type": "Boolean"},
            "c": {"type": ["str", "null"]},
            "d": {"type": "any"},
        },
        {"a": {"type": "number"}, "b": {"type": "boolean"}, "c": {"type": ["string", "null"]}, "d": {}},
    ),
    "null as a type beside others": (
        {
            "a": {"type": ["string", None]},
            "b": {"oneOf": [{"type": "string"}, {"type": None}]},
            "c": {"type": None},
        },
        {"a": {"type": ["string", "null"]}, "b": {"oneOf": [{"type": "string"}, {"type": "null"}]}, "c": {}},
    ),
    "null says nothing, but as a value": (
        {"a": {"type": "string", "description": None, "enum": None, "default": None, "const": None}},
        {"a": {"type": "string", "default": None, "const": None}},
    ),
    "in lists and alternatives": (
        {
            "a": {"type": "array", "items": {"type": "list", "items": {}}},
            "b": {"anyOf": [{"type": "int"}, {}]},
        },
        {
            "a": {"type": "array", "items": {"type": "array", "items": {}}},
            "b": {"anyOf": [{"type": "integer"}, {}]},
        },
    ),
}


def asking(parameters: dict[str, Any]) -> Request:
    return Request(
        "claude-sonnet-4-5", [user("hi")], tools=[Tool("f", None, parameters)], options=Options(max_tokens=8)
    )


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_is_sent_with_a_note_for_each_change(name: str) -> None:
    given_, meant = MEANT[name]
    built = anthropic_messages.build(asking({"type": "object", "properties": given_}))
    assert built.body["tools"] == [{"name": "f", "input_schema": {"type": "object", "properties": meant}}]
    assert built.notes and all(note.action == "replaced" for note in built.notes)


def test_a_property_that_is_required_is_required_by_its_object() -> None:
    a, b = {"type": "string", "required": True}, {"type": "string", "required": False}
    built = anthropic_messages.build(
        asking({"type": "object", "properties": {"a": a, "b": b}, "required": ["b"]})
    )
    plain = {"type": "string"}
    assert built.body["tools"] == [
        {
            "name": "f",
            "input_schema": {
                "type": "object",
                "properties": {"a": plain, "b": plain},
                "required": ["b", "a"],
            },
        }
    ]
    assert [(note.path, note.field) for note in built.notes] == [
        ("tools[0]", "parameters.properties.a.required"),
        ("tools[0]", "parameters.properties.b.required"),
    ]


def test_a_list_of_names_may_be_a_tuple() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ("a",)}
    assert anthropic_messages.build(asking(schema)).body["tools"][0]["input_schema"] == schema


@pytest.mark.parametrize("place", ["items", "additionalProperties"])
def test_nothing_requires_what_is_no_property(place: str) -> None:
    inside = {"type": "array", place: {"type": "string", "required": True}}
    built = anthropic_messages.build(asking({"type": "object", "properties": {"a": inside}}))
    assert [note.why for note in built.notes] == [
        "left out: the schema of a tool is one of draft 2020-12",
    ]


@pytest.mark.parametrize("required", ["name", 5, {"name": True}])
def test_a_list_of_required_properties_is_not_guessed(required: Any) -> None:
    schema = {"type": "object", "required": required, "properties": {"a": {"type": "str", "required": True}}}
    with refused(Refused, "tools[0].tools.parameters.invalid"):
        anthropic_messages.build(asking(schema))


def test_a_schema_that_holds_itself_is_not_followed() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "float"}}}
    schema["properties"].update(a=schema, b=schema)
    for wire in (anthropic_messages, openai_chat):
        request = replace(asking(schema), model="gpt-4o") if wire is openai_chat else asking(schema)
        with refused(Refused, "tools[0].tools.parameters.invalid"):
            wire.build(request)


def test_what_is_not_certain_is_an_error() -> None:
    request = asking({"type": "object", "properties": {"a": {"type": "foo"}}})
    for wire in (anthropic_messages, openai_chat):
        for policies in ("strict", "portable"):
            if wire is openai_chat:
                request = Request("gpt-4o", request.messages, tools=request.tools)
            with pytest.raises(Refused, match=r"properties\.a\.type in the parameters of the tool"):
                wire.build(request, policies=policies)


def test_a_policy_keeps_the_schema_and_refuses_it() -> None:
    request = asking({"type": "object", "properties": {"a": {"type": "float"}}})
    with pytest.raises(Refused, match=r"properties\.a\.type in the parameters of the tool"):
        anthropic_messages.build(request, policies=Policies(schemas="keep"))


def test_an_error_names_the_first_places() -> None:
    names = "abcd"
    request = asking({"type": "object", "properties": {name: {"type": "foo"} for name in names}})
    first = "properties.a.type, properties.b.type, properties.c.type and more"
    with pytest.raises(Refused, match=first):
        anthropic_messages.build(request)
    nested = {"anyOf": [{}, {"items": {"type": "foo"}}]}
    with pytest.raises(Refused, match=r"properties\.a\.anyOf\[1\]\.items\.type in"):
        anthropic_messages.build(asking({"type": "object", "properties": {"a": nested}}))
