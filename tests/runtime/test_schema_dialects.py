"""Schemas as the APIs accept them: what is changed, what is not, and what the vendors' own helpers make of them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import promptwire
from promptwire import RequestError
from tests.internals.runtime import adapt, facts_of
from tests.searching import TESTED_WIRES

Json = dict[str, Any]
OBJECT: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED: Json = {**OBJECT, "required": ["a"], "additionalProperties": False}


def refusing(**words: Any) -> Callable[[str, Any], str]:
    """Refuse some values of some words; True refuses every value."""

    def refusal(word: str, value: Any) -> str:
        refused = words.get(word, ())
        return "no" if refused is True or (refused is not True and value in refused) else ""

    return refusal


def adapted_field(schema: Json, root: Json | None = None, **words: Any) -> tuple[Json, list[tuple[str, str]]]:
    """Adapt one property of an object; return it, and place and loss of each edit."""
    whole = {"type": "object", "properties": {"a": schema}, **(root or {})}
    changed, edits = adapt(whole, refusing(**words))
    return changed["properties"]["a"], [
        (path.removeprefix("properties.a."), loss) for path, _, loss in edits.rows
    ]


CASES: dict[str, tuple[Json, Json, Json, list[tuple[str, str]]]] = {
    "a limit goes into the description": (
        {"type": "integer", "minimum": 0, "maximum": 9},
        {"keywords": ("minimum",)},
        {"type": "integer", "maximum": 9, "description": "{minimum: 0}"},
        [("minimum", "limit")],
    ),
    "a description keeps its text": (
        {"type": "integer", "description": "Age", "minimum": 0, "maximum": 9},
        {"keywords": ("minimum", "maximum")},
        {"type": "integer", "description": "Age\n\n{minimum: 0, maximum: 9}"},
        [("minimum", "limit"), ("maximum", "limit")],
    ),
    "a format": (
        {"type": "string", "format": "iri"},
        {"formats": ("iri",)},
        {"type": "string", "description": "{format: iri}"},
        [("format", "limit")],
    ),
    "a format that is accepted": ({"type": "string", "format": "date"}, {"formats": ("iri",)}, {}, []),
    "a pattern": (
        {"type": "string", "pattern": "(?=a)"},
        {"patterns": ("(?=a)",)},
        {"type": "string", "description": "{pattern: (?=a)}"},
        [("pattern", "limit")],
    ),
    "a least number of items": (
        {"type": "array", "minItems": 2},
        {"min_items": (2,)},
        {"type": "array", "description": "{minItems: 2}"},
        [("minItems", "limit")],
    ),
    "a constant": ({"const": 3, "title": "N"}, {"keywords": ("const",)}, {"enum": [3], "title": "N"}, [("const", "none")]),
    "a constant without a type": ({"const": "x"}, {"untyped": True}, {"type": "string", "const": "x"}, [("type", "none")]),
    "constants of several types are left": ({"enum": ["x", 1]}, {"untyped": True}, {}, []),
    "anything": ({}, {"untyped": True}, {}, [("properties.a", "meaning")]),
    "words that say nothing": (
        {"type": "string", "$comment": "x", "title": "T"},
        {"keywords": ("$comment", "title")},
        {"type": "string", "description": "{title: T}"},
        [("$comment", "none"), ("title", "none")],
    ),
    "alternatives with a telling constant": (
        {
            "oneOf": [
                {"type": "object", "properties": {"k": {"const": 1}}, "required": ["k"]},
                {"type": "object", "properties": {"k": {"const": 2}}, "required": ["k"]},
            ]
        },
        {"keywords": ("oneOf",)},
        {
            "anyOf": [
                {"type": "object", "properties": {"k": {"const": 1}}, "required": ["k"]},
                {"type": "object", "properties": {"k": {"const": 2}}, "required": ["k"]},
            ]
        },
        [("oneOf", "none")],
    ),
    "alternatives of several types": (
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"keywords": ("oneOf",)},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        [("oneOf", "none")],
    ),
    "alternatives that share values": (
        {"oneOf": [{"type": "number"}, {"type": "integer"}]},
        {"keywords": ("oneOf",)},
        {"anyOf": [{"type": "number"}, {"type": "integer"}]},
        [("oneOf", "limit")],
    ),
    "allOf of one": (
        {"allOf": [{"type": "string"}], "description": "x"},
        {"keywords": ("allOf",)},
        {"type": "string", "description": "x"},
        [("allOf", "none")],
    ),
    "allOf of several": (
        {"allOf": [{"type": "integer", "minimum": 0}, {"maximum": 9, "minimum": 1}]},
        {"keywords": ("allOf",)},
        {"type": "integer", "minimum": 1, "maximum": 9},
        [("allOf", "none")],
    ),
    "allOf that contradicts itself": (
        {"allOf": [{"type": "integer"}, {"type": "string"}]},
        {"keywords": ("allOf",)},
        {"type": "integer"},
        [("allOf", "limit")],
    ),
    "an open object": (
        OBJECT,
        {"open": True},
        {**OBJECT, "additionalProperties": False},
        [("additionalProperties", "limit"), ("additionalProperties", "limit")],
    ),
    "a dictionary": (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"open": True},
        {"type": "object", "additionalProperties": False},
        [("additionalProperties", "limit"), ("additionalProperties", "meaning")],
    ),
    "an object with optional properties": (
        {**OBJECT, "required": []},
        {"unrequired": True},
        {**OBJECT, "required": ["a"]},
        [("required", "limit"), ("required", "limit")],
    ),
    "a tuple": (
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}, {"type": "string"}]},
        {"loose_lists": True, "untyped": True},
        {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        [("items", "limit")],
    ),
    "a schema of an earlier draft": (
        {
            "items": [{"exclusiveMinimum": True, "minimum": 2, "maximum": 3, "exclusiveMaximum": False}, {"items": []}],
            "additionalItems": {"exclusiveMaximum": True},
        },
        {"outdated": True},
        {"prefixItems": [{"exclusiveMinimum": 2, "maximum": 3}, {"prefixItems": []}], "items": {}},
        [("properties.a", "none"), ("prefixItems[0]", "none"), ("prefixItems[1]", "none"), ("items", "none")],
    ),
    "a tuple of an earlier draft, where anything may be said": (
        {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
        {"loose_lists": True},
        {"type": "array", "prefixItems": [{"type": "string"}], "items": {}},
        [("items", "limit")],
    ),
    "a list of anything": (
        {"type": "array"},
        {"loose_lists": True, "untyped": True},
        {},
        [("items", "meaning")],
    ),
    "a list of anything, where anything may be said": (
        {"type": ["array", "null"], "prefixItems": [{"type": "string"}]},
        {"loose_lists": True},
        {"type": ["array", "null"], "prefixItems": [{"type": "string"}], "items": {}},
        [("items", "none")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_word_has_its_edit(name: str) -> None:
    schema, words, expected, edits = CASES[name]
    changed, made = adapted_field(schema, **words)
    assert changed == (expected or schema)
    # the object around it is open and requires nothing, too
    places = [(path.removeprefix("properties.a"), loss) for path, loss in made]
    assert [(path or "properties.a", loss) for path, loss in places] == edits


def test_a_schema_that_is_accepted_is_the_same_object() -> None:
    schema = {**CLOSED, "minimum": 3}
    adapted, edits = adapt(schema, refusing(keywords=("maximum",)))
    assert adapted is schema and edits.rows == []


def test_a_schema_that_is_adapted_stays_as_it_was() -> None:
    schema = {**OBJECT, "$defs": {"x": {"type": "integer", "minimum": 0}}, "allOf": [{"$ref": "#/$defs/x"}]}
    before = deepcopy(schema)
    adapt(schema, refusing(keywords=True, open=True, unrequired=True))
    assert schema == before


POINT: Json = {"type": "object", "properties": {"x": {"type": "number"}}}
REFERRING: Json = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/p", "description": "here"}},
    "$defs": {"p": POINT},
}


@pytest.mark.parametrize("words", [{"beside_ref": True}, {"refs": True}, {"keywords": ("$ref", "$defs")}])
def test_a_definition_is_written_in_place_of_its_reference(words: Json) -> None:
    changed, edits = adapt(REFERRING, refusing(**words))
    assert changed == {"type": "object", "properties": {"a": {**POINT, "description": "here"}}}
    assert edits.rows and edits.loss == "none"


def test_a_definition_that_is_still_referred_to_stays() -> None:
    more = {**REFERRING, "properties": {**REFERRING["properties"], "b": {"$ref": "#/$defs/p"}}}
    changed, _ = adapt(more, refusing(beside_ref=True))
    assert changed["$defs"] == {"p": POINT}
    assert changed["properties"]["b"] == {"$ref": "#/$defs/p"}


TREE: Json = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "left": {"$ref": "#/$defs/tree", "description": "smaller"},
        "more": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
        "none": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]},
    },
    "required": ["value", "none"],
}
TREES: Json = {"$ref": "#/$defs/tree", "$defs": {"tree": TREE}}


def test_a_schema_that_refers_to_itself_is_cut() -> None:
    changed, edits = adapt(TREES, refusing(recursive=True))
    assert "$defs" not in changed
    assert edits.loss == "depth"
    deepest = changed["properties"]["left"]
    assert set(deepest["properties"]) == {"value", "none"}  # the optional ones are left out
    assert deepest["properties"]["none"]["anyOf"] == [{"type": "null"}]
    assert not facts_of(changed).recursive


def test_words_beside_a_reference_to_the_schema_around_it_stay_beside_it() -> None:
    """Writing the definition there would never end."""
    changed, edits = adapt(
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": TREE}},
        refusing(beside_ref=True),
    )
    left = changed["$defs"]["tree"]["properties"]["left"]
    assert left == {"anyOf": [{"$ref": "#/$defs/tree"}], "description": "smaller"}
    assert edits.loss == "none"


def test_a_reference_that_leads_nowhere_says_so() -> None:
    changed, edits = adapt(
        {"type": "object", "properties": {"a": {"$ref": "#/x", "title": "A"}}}, refusing(beside_ref=True)
    )
    assert changed["properties"]["a"] == {"title": "A"}
    assert [(path, loss) for path, _, loss in edits.rows] == [("properties.a.$ref", "meaning")]


@pytest.mark.parametrize(
    ("schema", "expected", "losses"),
    [
        ({"properties": {}}, {"type": "object", "properties": {}}, ["none"]),
        ({"type": ["object", "null"], "properties": {}}, {"type": "object", "properties": {}}, ["limit"]),
        ({"$ref": "#/$defs/p", "$defs": {"p": POINT}}, POINT, ["none"]),
        ({"type": "array", "items": {}}, {"type": "array", "items": {}}, ["meaning"]),
        (
            {
                "anyOf": [
                    {"type": "object", "properties": {"k": {"const": "a", "type": "string"}, "x": {}}, "required": ["k"]},
                    {"type": "object", "properties": {"k": {"const": "b", "type": "string"}}, "required": ["k"]},
                ]
            },
            {
                "type": "object",
                "properties": {"k": {"type": "string", "enum": ["a", "b"]}, "x": {}},
                "required": ["k"],
            },
            ["limit"],
        ),
        ({"allOf": [POINT, OBJECT]}, {**POINT, "properties": {**OBJECT["properties"], **POINT["properties"]}}, ["none"]),
    ],
)  # fmt: skip
def test_the_root_is_made_an_object(schema: Json, expected: Json, losses: list[str]) -> None:
    changed, edits = adapt(schema, lambda word, value: "no" if word == "root" and value != "object" else "")
    assert changed == expected
    assert [loss for *_, loss in edits.rows] == losses


def test_a_schema_that_contains_itself_comes_to_an_end() -> None:
    schema: Json = {**CLOSED, "properties": {}}
    schema["properties"]["a"] = schema
    adapted, edits = adapt(schema, refusing(keywords=("minimum",)))
    assert adapted is schema and edits.rows == []


ODD: tuple[Json, ...] = (
    {"allOf": [True]}, {"allOf": 3}, {"oneOf": [{"properties": 3}, {"properties": []}]}, {"type": ["object", {}]},
    {"anyOf": [{"type": "object", "properties": 4, "required": 7}]}, {"$ref": 3}, {"$ref": "#"}, {"enum": 3},
    {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, {"enum": [[1], {}]}, {"const": {}}, {"$defs": 3},
    {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": 5}}, {"type": "array", "items": [1, 2]},
    {"required": 5, "properties": {"a": {}}}, {"type": "OBJECT", "properties": 4}, {"type": [[]]}, {"properties": {"a": 3}},
)  # fmt: skip


@pytest.mark.parametrize("schema", ODD, ids=str)
def test_what_is_no_proper_schema_comes_to_an_end(schema: Json) -> None:
    everything = (
        "keywords",
        "open",
        "unrequired",
        "root",
        "beside_ref",
        "untyped",
        "recursive",
        "loose_lists",
    )
    for words in (everything, ("beside_ref", "root", "untyped"), ("recursive", "open")):
        for whole in (schema, {"type": "object", "properties": {"a": schema}}):
            before = deepcopy(whole)
            adapt(whole, refusing(**dict.fromkeys(words, True)))
            assert whole == before


GOOGLES: Json = {
    "type": "object",
    "properties": {"a": {"type": "STRING", "nullable": True}},
    "propertyOrdering": ["a"],
}
PLAIN: Json = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
TAKES_OPENAPI = {"gemini_generate"}


@pytest.mark.parametrize("wire", [wire for wire in TESTED_WIRES if wire not in TAKES_OPENAPI])
def test_schemas_in_the_dialect_of_google_go_nowhere_else(wire: str) -> None:
    format_ = {"responseMimeType": "application/json", "responseSchema": GOOGLES}
    said = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    tool = {"functionDeclarations": [{"name": "f", "description": "F.", "parameters": GOOGLES}]}
    for body in ({**said, "tools": [tool]}, {**said, "generationConfig": format_}):
        read = promptwire.gemini_generate.read(body).request
        try:
            built = promptwire.wire(wire).build(
                read.replace(model="some-model"), policies="portable,answer_formats=off"
            )
        except RequestError:  # formats and tools that the API does not have
            continue
        assert "STRING" not in built.json().decode()
        assert "propertyOrdering" not in built.json().decode()


def test_schemas_of_google_are_translated_without_a_loss_or_named() -> None:
    said = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    tool = {"functionDeclarations": [{"name": "f", "parameters": GOOGLES}]}
    read = promptwire.gemini_generate.read({**said, "tools": [tool]}).request.replace(model="some-model")
    strict = promptwire.mistral_chat.build(read).body
    assert strict["tools"][0]["function"]["parameters"] == PLAIN
    with pytest.raises(
        RequestError, match="it is in the OpenAPI dialect of gemini_generate, not JSON Schema"
    ):
        promptwire.mistral_chat.build(read, policies="schemas=keep")


# a property in Google's dialect that Gemini refuses -> what portable sends in its place, if it knows
REFUSED_IN_THE_DIALECT: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "an array of nothing that is said": ({"type": "ARRAY"}, None),
    "numbers to choose from": (
        {"type": "INTEGER", "enum": [1, 2]},
        {"type": "INTEGER", "description": "{enum: [1, 2]}"},
    ),
    "a property that is required and not there": (
        {"type": "OBJECT", "properties": {"b": {"type": "STRING"}}, "required": ["b", "c"]},
        {"type": "OBJECT", "properties": {"b": {"type": "STRING"}}, "required": ["b"]},
    ),
}


@pytest.mark.parametrize("name", REFUSED_IN_THE_DIALECT)
def test_what_gemini_refuses_in_its_dialect_is_told_and_mended_if_that_is_known(name: str) -> None:
    given, expected = REFUSED_IN_THE_DIALECT[name]

    def body(inside: dict[str, Any]) -> dict[str, Any]:
        function = {
            "name": "f",
            "description": "F.",
            "parameters": {"type": "OBJECT", "properties": {"a": inside}},
        }
        said = {"role": "user", "parts": [{"text": "Hi"}]}
        return {"contents": [said], "tools": [{"functionDeclarations": [function]}]}

    api = promptwire.gemini_generate
    (finding,) = api.check(body(given))
    assert finding.what == "refused"
    assert finding.path.startswith("tools[0].functionDeclarations[0].parameters")
    request = api.read(body(given)).request.replace(model="gemini-3-flash")
    with pytest.raises(RequestError):
        api.build(request)
    if expected is None:
        with pytest.raises(RequestError, match="an array says in items what it holds"):
            api.build(request, policies="portable")
    else:
        assert api.build(request, policies="portable").body == body(expected)
