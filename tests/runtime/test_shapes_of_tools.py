"""Facts of tools that were read in a shape of their own: Gemini's older schemas know fewer keywords."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import gemini_generate
from promptwire.errors import Refused

OPENAPI: dict[str, Any] = {
    "type": "OBJECT",
    "properties": {"a": {"type": "STRING", "nullable": True, "format": "enum", "enum": ["x"]}},
    "propertyOrdering": ["a"],
    "additionalProperties": False,
}


def body(key: str, schema: dict[str, Any]) -> dict[str, Any]:
    declared = {"name": "find", "description": "Finds", key: schema}
    return {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": [declared]}],
    }


@pytest.mark.parametrize("word", ["oneOf", "$ref", "exclusiveMinimum", "propertyNames"])
def test_keywords_of_json_schema_are_refused_in_the_older_shape_alone(word: str) -> None:
    schema = {**OPENAPI, "properties": {"a": {"type": "STRING", word: "x"}}}
    read = gemini_generate.read(body("parameters", schema)).request
    request = replace(read, model="gemini-3-flash-preview")
    with pytest.raises(Refused, match="parametersJsonSchema takes JSON Schema") as raised:
        gemini_generate.build(request)
    assert (raised.value.path, raised.value.value) == ("tools[0]", word)
    assert f'{word} in the parameters of the tool "find" is refused' in str(raised.value)
    # said again, it goes out as JSON Schema
    (tool,) = request.tools or ()
    anew = gemini_generate.build(replace(request, tools=(replace(tool, kept=None),))).body
    assert anew == body("parametersJsonSchema", schema)


def test_the_keywords_of_the_subset_are_taken() -> None:
    request = gemini_generate.read(body("parameters", OPENAPI)).request
    built = gemini_generate.build(replace(request, model="gemini-3-flash-preview"))
    assert built.body == body("parameters", OPENAPI)


def test_the_linter_shows_where_the_schema_stands() -> None:
    schema = {**OPENAPI, "properties": {"a": {"type": "STRING", "const": "x"}}}
    findings = gemini_generate.check({**body("parameters", schema), "model": "gemini-3-flash-preview"})
    assert [(finding.path, finding.what) for finding in findings] == [
        ("tools[0].functionDeclarations[0].parameters", "refused")
    ]
