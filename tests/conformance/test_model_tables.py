"""Facts of models in the specs, compared with tables of litellm, pydantic-ai and models.dev."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.internals.compiler import (
    TableError,
    TablePage,
    app,
    compare_model_table as compare,
    read_page,
    read_table,
)

FOLDER = Path(__file__).with_name("model_tables")
GPT_4O = {"litellm_provider": "openai", "mode": "chat", "max_output_tokens": 16384}


@pytest.mark.parametrize(
    ("page", "table", "cells", "share"),
    [
        ("litellm", "litellm-1.110", 1000, 0.96),
        ("pydantic-ai", "pydantic-ai-2.68", 120, 0.97),
        # of September 2025
        ("models-dev", "models-dev-2025-09", 300, 0.85),
    ],
)
def test_every_difference_is_settled(page: str, table: str, cells: int, share: float) -> None:
    compared = compare(read_table(FOLDER / f"{table}.json"), read_page(FOLDER / f"{page}.yaml"))
    assert [row for row in compared.rows if row.outcome == "differs"] == []
    assert compared.stale == ()
    known = [row for row in compared.rows if row.outcome != "unknown"]
    agreeing = [row for row in known if row.outcome == "agrees"]
    assert len(known) >= cells
    assert len(agreeing) / len(known) > share


def test_a_catalog_of_models_dev_is_read_in_the_words_of_the_price_file(tmp_path: Path) -> None:
    model = {
        "modalities": {"input": ["text", "image"], "output": ["text"]},
        "tool_call": True,
        "temperature": False,
        "limit": {"context": 400000, "output": 128000},
    }
    table = tmp_path / "api.json"
    table.write_text(json.dumps({"openai": {"models": {"gpt-5": model, "sora": {"modalities": {}}}}}))
    rows = read_table(table)
    assert rows["openai/gpt-5"] == {
        "litellm_provider": "openai",
        "mode": "chat",
        "max_output_tokens": 128000,
        "supports_vision": True,
        "supports_function_calling": True,
        "supports_sampling_params": False,
    }
    assert rows["openai/sora"]["mode"] == "other"


def outcomes(facts: dict[str, Any], **page: Any) -> list[tuple[str, str, str | None, str]]:
    stated = TablePage.model_validate({"vendors": {"openai": {"wire": "openai_responses"}}, **page})
    rows = compare({"gpt-4o": GPT_4O | facts}, stated).rows
    return [(row.field, row.theirs, row.ours, row.outcome) for row in rows]


def test_a_statement_agrees_or_differs() -> None:
    assert outcomes({}) == [("max_tokens", "16384", "16384", "agrees")]
    assert outcomes({"max_output_tokens": 5, "supports_vision": False}) == [
        ("max_tokens", "5", "16384", "differs"),
        ("image", "no", "yes", "differs"),
    ]
    assert outcomes({"supports_sampling_params": True, "supports_forced_tool_use": False})[1:] == [
        ("temperature", "yes", "yes", "agrees"),
        ("tool_choice", "no", "yes", "differs"),
    ]
    settled = {"vendor": "openai", "models": ["gpt-4*"], "field": "max_tokens", "why": "tried"}
    assert outcomes({"max_output_tokens": 5}, settled=[settled]) == [("max_tokens", "5", "16384", "settled")]
    assert outcomes({}, excluded={"gpt-4*": "old"}) == []


def test_a_settled_difference_that_is_gone_is_stale() -> None:
    settled = {"vendor": "openai", "models": ["gpt-4*"], "field": "max_tokens", "why": "tried"}
    page = TablePage.model_validate(
        {"vendors": {"openai": {"wire": "openai_responses"}}, "settled": [settled]}
    )
    assert compare({"gpt-4o": GPT_4O}, page).stale == tuple(page.settled)


def test_the_command_shows_what_is_new(tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"gpt-4o": GPT_4O | {"max_output_tokens": 5}}))
    page = tmp_path / "page.yaml"
    page.write_text("vendors: {openai: {wire: openai_responses}}\n")
    result = CliRunner().invoke(app, ["verify", "--models", str(page), "--table", str(table)])
    assert result.exit_code == 1
    assert "differs  openai gpt-4o max_tokens: the table says 5, promptwire 16384" in result.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [("vendors: [", "page.yaml: "), ("vendors: {}\nmore: 1\n", "more: Extra inputs are not permitted")],
)
def test_a_page_that_cannot_be_read_is_an_error_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    page = tmp_path / "page.yaml"
    page.write_text(text)
    with pytest.raises(TableError, match=says):
        read_page(page)
