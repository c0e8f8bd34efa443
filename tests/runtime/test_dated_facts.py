"""Facts that are old, and facts that begin or end on a day: when they hold, and where they are listed."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from promptwire import Options, Request, anthropic_messages, anthropic_vertex, cohere_v1, openai_chat, user
from promptwire.errors import Refused
from promptwire.plugins import Rule, on_day
from tests.internals.commands import app as commands
from tests.internals.compiler import app
from tests.internals.runtime import clock, coming_facts, is_stale, newest_date, stale_facts

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


FAST = Request(
    "claude-opus-4-8",
    [user("Hi")],
    options=Options(max_tokens=64),
    vendor={"anthropic_messages": {"speed": "fast"}},
)


def test_a_fact_holds_from_its_day_on_and_until_its_last() -> None:
    rule = Rule(since="2026-12-01", until="2026-12-31")
    days = ["2026-11-30", "2026-12-01", "2026-12-31", "2027-01-01"]
    assert [rule.holds(("m",), {}, day) for day in days] == [False, True, True, False]


def test_a_build_decides_by_its_day_and_remembers_no_other() -> None:
    for _ in range(2):
        with on_day("2026-11-29"):
            assert anthropic_messages.build(FAST).body["speed"] == "fast"
        with on_day("2026-11-30"), pytest.raises(Refused, match="was removed on 2026-11-30"):
            anthropic_messages.build(FAST)


def test_the_day_of_a_build_is_the_present_one_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    midnight = 1_796_083_200.0
    for seconds, day in (
        (-1.0, "2026-11-30"),
        (0.0, "2026-12-01"),
        (-1.0, "2026-11-30"),
        (86_400.0, "2026-12-02"),
    ):
        monkeypatch.setattr(clock, "time", lambda at=midnight + seconds: at)
        assert clock.today() == day
        with on_day("2020-01-01"):
            assert clock.today() == "2020-01-01"
            with on_day(None):
                assert clock.today() == day


def test_support_is_that_of_the_day() -> None:
    for day, answer in (
        ("2026-11-29", ()),
        ("2026-11-30", ("the fast mode of this model was removed on 2026-11-30",)),
    ):
        with on_day(day):
            support = anthropic_messages.supports("claude-opus-4-8", "vendor.speed")
        assert [each for each in support.conditions if "removed" in each] == [*answer]


def test_facts_that_begin_or_end_soon_are_listed_with_the_next_first() -> None:
    day = date(2026, 11, 1)
    coming = coming_facts([anthropic_messages.WIRE, anthropic_vertex.WIRE, openai_chat.WIRE], day, days=30)
    assert ("2026-11-30", ("anthropic_messages",)) in [(each.since, each.wires) for each in coming]
    turns = [min(turn for turn in (each.since, each.until) if turn > day.isoformat()) for each in coming]
    assert turns == sorted(turns)
    assert coming_facts([anthropic_messages.WIRE], day, days=28) == []
    assert coming_facts([anthropic_messages.WIRE], date(2027, 12, 1)) == []


def test_a_fact_is_stale_when_its_day_came_after_its_source_and_when_it_holds_no_more() -> None:
    rules = (
        Rule(
            reject=openai_chat.WIRE.rules[0].reject, since="2026-12-01", because="a", source="a page, 2026-11"
        ),
        Rule(
            reject=openai_chat.WIRE.rules[0].reject, until="2026-12-31", because="b", source="a page, 2026-11"
        ),
        Rule(
            reject=openai_chat.WIRE.rules[0].reject, since="2026-11-30", because="c", source="a page, 2026-11"
        ),
    )
    wire = openai_chat.WIRE.dialect(load_rules=lambda: rules)
    for day, stale in (
        ("2026-11-30", ""),
        ("2026-12-01", "a"),
        ("2026-12-31", "a"),
        ("2027-01-01", "ab"),
        ("2027-12-01", "abc"),
    ):
        assert "".join([fact.because for fact in stale_facts([wire], date.fromisoformat(day))]) == stale


def test_the_command_lists_what_is_coming_and_checks_as_on_a_day(tmp_path: Path) -> None:
    listed = CliRunner().invoke(app, ["list", "--coming", "--days", "0"])
    assert (listed.exit_code, listed.stdout) == (0, "0 facts begin or end within 0 days\n")
    body = {
        "model": "claude-opus-4-8",
        "max_tokens": 9,
        "speed": "fast",
        "messages": [{"role": "user", "content": "x"}],
    }
    (tmp_path / "body.json").write_text(json.dumps(body), "utf-8")
    for day, code in (("2026-11-29", 0), ("2026-12-01", 1), ("soon", 2)):
        arguments = ["check", "anthropic_messages", str(tmp_path / "body.json"), "--day", day]
        assert CliRunner().invoke(commands, arguments).exit_code == code
