"""A setting that the chosen URL leaves out is an error, because the request would go elsewhere without a word."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Options, Request, user
from promptwire.errors import SettingError

REQUEST = Request("m", [user("hi")], options=Options(max_tokens=5))
OWN = "https://gate.example"
REGION = "us-east1"

UNUSED: list[tuple[str, dict[str, str], str]] = [
    ("bedrock_converse", {"base_url": OWN}, "base_url has no effect with endpoint aws; set endpoint to own as well, or omit base_url"),
    ("anthropic_bedrock", {"base_url": OWN}, "base_url has no effect with endpoint aws; set endpoint to own as well, or omit base_url"),
    ("anthropic_vertex", {"base_url": OWN, "project": "p"}, "base_url has no effect with endpoint google; set endpoint to own as well, or omit base_url"),
    ("anthropic_foundry", {"base_url": OWN, "resource": "r"}, "base_url has no effect with endpoint azure; set endpoint to own as well, or omit base_url"),
    ("gemini_generate", {"project": "p", "location": REGION}, "location has no effect with platform ai_studio; set platform to vertex as well, or omit location"),
    ("gemini_generate", {"project": "p"}, "project has no effect with platform ai_studio; set platform to vertex as well, or omit project"),
    ("gemini_generate", {"platform": "vertex", "project": "p", "location": REGION, "base_url": OWN}, "base_url has no effect with platform vertex; omit base_url"),
]  # fmt: skip

USED: list[tuple[str, dict[str, str], str]] = [
    ("bedrock_converse", {"endpoint": "own", "base_url": OWN}, f"{OWN}/model/m/converse"),
    ("bedrock_converse", {"endpoint": "aws"}, "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"),
    ("gemini_generate", {"platform": "ai_studio", "base_url": OWN}, f"{OWN}/v1beta/models/m:generateContent"),
    ("gemini_generate", {"platform": "vertex", "project": "p", "location": REGION}, "https://us-east1-aiplatform.googleapis.com/v1beta1/projects/p/locations/us-east1/publishers/google/models/m:generateContent"),
]  # fmt: skip


def url(wire: str, settings: dict[str, Any]) -> str:
    return str(promptwire.wire(wire).build(REQUEST, settings=settings).url)


@pytest.mark.parametrize(
    ("wire", "settings", "says"), UNUSED, ids=[f"{row[0]}-{[*row[1]][-1]}" for row in UNUSED]
)
def test_a_setting_that_the_url_leaves_out_is_an_error(
    wire: str, settings: dict[str, str], says: str
) -> None:
    with pytest.raises(SettingError) as raised:
        url(wire, settings)
    assert str(raised.value) == f"{wire}: the setting {says}"


@pytest.mark.parametrize(("wire", "settings", "expected"), USED)
def test_a_setting_that_the_url_has_is_used(wire: str, settings: dict[str, str], expected: str) -> None:
    assert url(wire, settings) == expected


def test_a_default_that_is_given_is_no_error() -> None:
    settings = {"endpoint": "own", "base_url": OWN, "region": "us-east-1"}
    assert url("bedrock_converse", settings) == f"{OWN}/model/m/converse"
