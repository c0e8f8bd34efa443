"""Schemas of pydantic models as the rules of the APIs accept them, beside what the vendors' own helpers make of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from anthropic.lib._parse._transform import transform_schema
from google.genai import Client, _transformers as google_transformers, types as google_types
from hypothesis import given, settings, strategies as st
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel

from promptwire import (
    Request,
    ResponseFormat,
    Tool,
    anthropic_messages,
    cohere_chat,
    gemini_generate,
    openai_chat,
    user,
)
from promptwire.plugins import Kept
from tests.internals.runtime import SchemaEdits
from tests.runtime.schema_models import WHOLE_MODELS, drawn_models, field_models

Json = dict[str, Any]


@cache
def models() -> tuple[tuple[type[BaseModel], Json], ...]:
    """Return all models with their schemas."""
    every = (*WHOLE_MODELS, *field_models().values(), *drawn_models())
    return tuple([(model, model.model_json_schema()) for model in every])


def as_accepted(wire: Any, model: str, schema: Json) -> tuple[Json, SchemaEdits]:
    """Adapt the schema of a strict response format to the rules of a wire."""
    request = Request(
        model, [user("hi")], response_format=ResponseFormat("json_schema", schema, "a", strict=True)
    )
    decision = wire.WIRE.decide(model, {})
    adapted: tuple[Json, SchemaEdits]
    adapted = decision.adapted_schema(schema, request, wire.WIRE.name, strict=True)
    return adapted


def differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """Return where two schemas differ: the keyword, and on which side it stands."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        rows: list[str] = []
        for word in {**ours, **theirs}:
            if word in ours and word in theirs:
                rows += differences(ours[word], theirs[word], word)
            else:
                rows.append(f"{'+' if word in ours else '-'}{path if path == '$defs' else word}")
        return rows
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [row for pair in zip(ours, theirs, strict=True) for row in differences(*pair, path)]
    return [] if ours == theirs and type(ours) is type(theirs) else [f"={path}"]


# `+` stands only in ours, `-` only in the helper's, `=` differs
OPENAI_DIFFERS = {
    "+default": "the helper leaves out defaults that are null; the API accepts them (recorded 200)",
    "=additionalProperties": "the helper keeps dictionaries and open objects, which the API refuses",
    "+anyOf": "alternatives: the helper keeps oneOf, which the API refuses",
    "-oneOf": "alternatives: the helper keeps oneOf, which the API refuses",
    "+description": "a limit that the API refuses: the helper keeps it",
    "-uniqueItems": "a limit that the API refuses: the helper keeps it",
    "-propertyNames": "a limit that the API refuses: the helper keeps it",
    "-format": "a format that the API refuses: the helper keeps it",
    "-pattern": "a pattern that the API refuses: the helper keeps it",
    "+items": "a list without items, which the API refuses: the helper keeps it",
    "-prefixItems": "a list without items, which the API refuses: the helper keeps it",
    "-$defs": "definitions to which nothing refers any more",
}
ANTHROPIC_DIFFERS = {
    "+type": "the helper leaves out the type of constants; the API accepts it (recorded 200)",
    "+pattern": "the helper describes patterns; the API accepts them (Anthropic's page on structured outputs)",
    "+default": "the helper describes defaults; the API accepts them (Anthropic's page on structured outputs)",
    "+examples": "the helper describes all words that it does not know",
    "+deprecated": "the helper describes all words that it does not know",
    "+discriminator": "the helper describes all words that it does not know",
    "+propertyNames": "the helper describes all words that it does not know",
    "+prefixItems": "the helper describes all words that it does not know",
    "-description": "words that the helper describes and the API accepts, see above",
    "=description": "words that the helper describes and the API accepts, see above",
    "+description": "the helper leaves out texts beside a reference; the API accepts them (recorded 200)",
    "-properties": "the helper adds empty properties to dictionaries",
    "-$defs": "recursion: the helper keeps it, the API refuses it",
    "-$ref": "recursion: the helper keeps it, the API refuses it",
    "+additionalProperties": "recursion: the helper keeps it, the API refuses it",
    "+properties": "recursion: the helper keeps it, the API refuses it",
    "+required": "recursion: the helper keeps it, the API refuses it",
    "+title": "recursion: the helper keeps it, the API refuses it",
}


# the dialect of OpenAPI that `parameters` takes
GOOGLE_DIFFERS = {
    "-nullable": "the helper writes nullable; ours is anyOf with null, which `Schema` accepts as well",
    "+anyOf": "the helper writes nullable; ours is anyOf with null, which `Schema` accepts as well",
    "-type": "the helper writes nullable; ours is anyOf with null, which `Schema` accepts as well",
    "-properties": "the helper writes nullable; ours is anyOf with null, which `Schema` accepts as well",
    "-required": "the helper writes nullable; ours is anyOf with null, which `Schema` accepts as well",
    "-title": "the helper writes nullable; ours is anyOf with null, which `Schema` accepts as well",
    "+default": "the helper leaves out defaults that are null",
    "+type": "recursion: the helper leaves an empty schema, ours goes one level down",
    "+title": "recursion: the helper leaves an empty schema, ours goes one level down",
    "+required": "recursion: the helper leaves an empty schema, ours goes one level down",
    "+properties": "recursion: the helper leaves an empty schema, ours goes one level down",
    "=description": "a text beside a reference: the helper replaces it by that of the definition",
    "-description": "a text beside a reference: the helper replaces it by that of the definition",
    "+description": "a limit inside additionalProperties, which the helper does not look at",
    "-exclusiveMinimum": "a limit inside additionalProperties, which the helper does not look at",
    "-exclusiveMaximum": "a limit inside additionalProperties, which the helper does not look at",
    "-multipleOf": "a limit inside additionalProperties, which the helper does not look at",
    "-property_ordering": "a limit inside additionalProperties, which the helper does not look at",
}


def compared(
    accepted: Callable[[Json], Json], theirs: Callable[[type[BaseModel]], Json]
) -> tuple[int, set[str]]:
    """Compare our schemas with a helper's; return how many are equal, and the differences."""
    equal, found = 0, set[str]()
    for cls, schema in models():
        try:
            expected = theirs(cls)
        except ValueError:  # the helper refuses parts without a type
            continue
        rows = differences(accepted(schema), expected)
        equal, found = equal + (not rows), found | set(rows)
    return equal, found


def test_openai_helper_makes_the_same_but_for_what_the_api_refuses() -> None:
    equal, found = compared(
        lambda schema: as_accepted(openai_chat, "gpt-4o", schema)[0], to_strict_json_schema
    )
    assert found == set(OPENAI_DIFFERS)
    assert equal >= 60


def test_anthropic_helper_makes_the_same_but_for_what_the_api_accepts() -> None:
    equal, found = compared(
        lambda schema: as_accepted(anthropic_messages, "claude-haiku-4-5", schema)[0], transform_schema
    )
    assert found == set(ANTHROPIC_DIFFERS)
    assert equal >= 45


@cache
def google_client() -> Any:
    """Return google-genai's client of Vertex AI; it sends nothing here."""
    client: Any = Client(api_key="no-key", vertexai=True)
    return client


def as_google_accepts(schema: Json) -> Json:
    """Adapt the schema of a tool to the dialect of OpenAPI that `parameters` of Gemini takes."""
    shape = Kept(wire="gemini_generate", shape="openapi")
    tool = Tool("f", parameters=schema, kept=shape)
    request = Request("gemini-2.5-pro", [user("hi")], tools=[tool])
    decision = gemini_generate.WIRE.decide(request.model, {})
    adapted: Json = decision.adapted_schema(schema, request, "gemini_generate", tool, strict=False)[0]
    return adapted


def from_google(cls: type[BaseModel]) -> Json:
    """Return what google-genai makes of a model."""
    made: Any = google_transformers.t_schema(google_client()._api_client, cls)
    dumped: Json = json.loads(made.model_dump_json(exclude_none=True, by_alias=True))
    return dumped


def plain(value: Any, key: str = "") -> Any:
    """Write types in small letters and numbers as floats; leave out the order of properties, which ours keeps anyway."""
    if isinstance(value, dict):
        return {name: plain(inner, name) for name, inner in value.items() if name != "propertyOrdering"}
    if isinstance(value, list):
        return [plain(inner, key) for inner in value]
    if key == "type" and isinstance(value, str):
        return value.lower()
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def test_google_helper_makes_the_same_but_for_what_the_api_refuses() -> None:
    equal, found = compared(
        lambda schema: plain(as_google_accepts(schema)), lambda cls: plain(from_google(cls))
    )
    assert found == set(GOOGLE_DIFFERS)
    assert equal >= 45


def test_google_types_accept_what_was_adapted() -> None:
    """Unless a value of an enum is no text, which `Schema` cannot say and the API refuses only in some models."""
    accepted, refused = 0, list[str]()
    for cls, schema in models():
        adapted = as_google_accepts(schema)
        try:
            google_types.Schema.model_validate(adapted)
        except ValueError as error:
            refused += [f"{cls.__name__}: {row}" for row in _problems(error)]
        else:
            accepted += 1
    assert [row for row in refused if "enum" not in row] == []
    assert (accepted >= 95, len(models()) >= 100) == (True, True)


def _problems(error: Any) -> list[str]:
    return [f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in error.errors()]


STRICT_WIRES = (
    (openai_chat, "gpt-4o"),
    (anthropic_messages, "claude-haiku-4-5"),
    (cohere_chat, "command-a-03-2025"),
)


@pytest.mark.parametrize(("wire", "model"), STRICT_WIRES)
def test_the_linter_finds_nothing_in_what_was_adapted(wire: Any, model: str) -> None:
    """Unless values that no answer can have any more are lost, which no edit repairs."""
    for cls, given_schema in models():
        schema, edits = as_accepted(wire, model, given_schema)
        request = Request(
            model, [user("hi")], response_format=ResponseFormat("json_schema", schema, "a", strict=True)
        )
        refused = wire.WIRE.decide(model, {}).refused_schema_words(request, wire.WIRE.name, implied=True)
        assert not refused or edits.loss == "meaning", (cls, refused)


@pytest.mark.parametrize(("wire", "model"), STRICT_WIRES)
@given(schema=st.recursive(st.one_of(st.just({}), st.fixed_dictionaries({"type": st.sampled_from(["string", "null"])})), lambda inner: st.one_of(
    st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"type": st.just("array"), "items": inner, "minItems": st.integers(0, 3)}),
    st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("ab"), inner)}),
    st.fixed_dictionaries({"$ref": st.sampled_from(["#", "#/$defs/x", "#/$defs/y", "#/properties/p"]), "title": st.just("t")}),
), max_leaves=6))  # fmt: skip
@settings(max_examples=40)
def test_any_schema_is_adapted_to_one_that_is_accepted(wire: Any, model: str, schema: Json) -> None:
    whole = {
        "type": "object",
        "properties": {"p": schema},
        "$defs": {"x": schema, "y": {"type": "integer", "minimum": 0}},
    }
    changed, edits = as_accepted(wire, model, whole)
    again, more = as_accepted(wire, model, changed)
    if edits.loss != "meaning":
        assert again == changed and more.rows == []
