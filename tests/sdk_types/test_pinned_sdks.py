"""Specs know the fields of the SDKs that are pinned here: at least 97 of 100, and a reason stands for each other."""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest

from tests.internals.compiler import Verified, verify
from tests.spec_texts import project

LEAST: Final = 0.97
# servers and runtimes of other people, and APIs whose SDK has no types of their JSON
WITHOUT_TYPES: Final = {
    "aptix_responses", "compatible_chat", "deepseek_chat", "llamacpp_chat", "onnx_genai", "vllm_chat", "xai_chat",
    "bedrock_meta", "bedrock_nova", "bedrock_titan", "dashscope_generation", "perplexity_chat", "watsonx_chat",
    "cloudflare_run", "xai_responses", "yandex_completion",
}  # fmt: skip


@cache
def verified(wire: str, sdk: str) -> Verified:
    (model,) = [model for model in project().wires if model.name == wire]
    return verify(model, project().filters, sdk)


ROWS: Final = [(model.name, sdk) for model in project().wires for sdk in model.sdks]


def test_every_other_wire_names_an_sdk() -> None:
    assert {model.name for model in project().wires} - {wire for wire, _ in ROWS} == WITHOUT_TYPES


@pytest.mark.parametrize(("wire", "sdk"), ROWS)
def test_a_spec_knows_nearly_all_fields_of_its_sdk(wire: str, sdk: str) -> None:
    row = verified(wire, sdk)
    assert row.named > 40
    assert row.coverage >= LEAST
    assert ([field.path for field in row.missing], row.stale) == ([], [])


@pytest.mark.parametrize(("wire", "sdk"), ROWS)
def test_the_version_that_was_read_is_the_installed_one(wire: str, sdk: str) -> None:
    row = verified(wire, sdk)
    assert row.read == row.installed
