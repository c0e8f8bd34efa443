"""Facts whose newest source is older than a year are named, so that somebody looks them up again."""

from __future__ import annotations

from datetime import date

import pytest
from typer.testing import CliRunner

from promptwire import cohere_v1, openai_chat
from tests.internals.compiler import app
from tests.internals.runtime import is_stale, newest_date, stale_facts

TODAY = date(2026, 11, 26)


@pytest.mark.parametrize(
    ("source", "newest", "stale"),
    [
        ("the vendor's page, 2026-11", "2026-11", False),
        ("seen 2025-11; reported 2024-02", "2025-11", False),
        ("seen 2025-10", "2025-10", True),
        ("reported on 2025-10-31", "2025-10-31", True),
        ("reported 2025", "2025", False),
        ("reported 2024", "2024", True),
        ("somebody said so", "", True),
    ],
)
def test_a_source_is_stale_a_year_after_its_month(source: str, newest: str, stale: bool) -> None:
    assert newest_date(source) == newest
    assert is_stale(newest, TODAY) is stale


def test_facts_of_several_wires_are_listed_once_with_the_oldest_first() -> None:
    facts = stale_facts([openai_chat.WIRE, cohere_v1.WIRE, openai_chat.WIRE], TODAY)
    assert [fact.date for fact in facts] == sorted(fact.date for fact in facts)
    seeds = [fact for fact in facts if fact.fields == ("seed<0",)]
    assert [(fact.date, fact.wires) for fact in seeds] == [("2024-07", ("cohere_v1",))]
    assert all(is_stale(newest_date(fact.source), TODAY) for fact in facts)
    assert stale_facts([openai_chat.WIRE], date(2020, 1, 1)) == [fact for fact in facts if not fact.date]


def test_the_command_lists_them() -> None:
    result = CliRunner().invoke(app, ["list", "cohere_v1", "--stale"])
    assert result.exit_code == 0
    assert "2024-07: seed<0: a seed is not negative" in result.stdout


def test_a_stale_source_is_marked_where_a_model_is_shown() -> None:
    text = CliRunner().invoke(app, ["list", "cohere_v1", "--model", "command-r", "--json"]).stdout
    assert '"date": "2024-07"' in text
    shown = CliRunner().invoke(app, ["list", "cohere_v1", "--model", "command-r"]).stdout
    assert "older than a year" in " ".join(shown.split())
