"""Support tables of wires: three answers, each from the capabilities of a spec."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import promptwire
from tests.checkout import ROOT
from tests.internals.compiler import NO, OPTIONS, PARTS, UNKNOWN, YES, make_topics, write_support

PAGE = (ROOT / "generated" / "README.md").read_text("utf-8")
CAPABILITIES: dict[str, dict[str, Any]] = {
    name: getattr(promptwire, name).WIRE.capabilities for name in promptwire.WIRES
}
TABLES = {
    topic.title: topic for topic in make_topics([{"wire": name, **row} for name, row in CAPABILITIES.items()])
}
TOKENS = "Token counts of answers"


def column(title: str, name: str) -> dict[str, str]:
    """One column of a table: wire to cell."""
    topic = TABLES[title]
    return {cells[0]: cells[topic.columns.index(name)] for cells in topic.rows}


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (True, YES), ("true", YES), ("native", YES), (False, NO), ("false", NO), ("none", NO), ("unknown", UNKNOWN),
        (None, UNKNOWN), ("", UNKNOWN), ("by_rule", "some models"), ("top_level", "top level"),
    ],
)  # fmt: skip
def test_a_claim_has_three_answers_and_unknown_is_not_no(claim: object, word: str) -> None:
    assert write_support(claim) == word


def test_what_is_unknown_anywhere_is_shown_so() -> None:
    unknown = {
        name for name, row in CAPABILITIES.items() if row["instructions"]["mid_conversation"] == "unknown"
    }
    shown = column("Instructions and continuation", "mid-conversation")
    assert unknown
    assert {name for name, cell in shown.items() if cell == UNKNOWN} == unknown


def test_every_parameter_has_a_column_with_its_support() -> None:
    titles = ("Sampling", "Other parameters")
    assert [name for title in titles for name in TABLES[title].columns[1:]] == list(OPTIONS)
    for title in titles:
        for name in TABLES[title].columns[1:]:
            expected = {wire: YES if name in row["options"] else NO for wire, row in CAPABILITIES.items()}
            assert column(title, name) == expected


def test_every_kind_of_part_is_shown_with_its_sources() -> None:
    title = "Parts and their sources"
    media = TABLES[title].columns[1:-1]
    for wire, row in CAPABILITIES.items():
        found = {kind: column(title, kind)[wire] for kind in media}
        cells = {kind: words.split(", ") for kind, words in found.items() if words != NO}
        others: dict[str, list[str]] = {
            kind: [] for kind in column(title, "other parts")[wire].split(", ") if kind in PARTS
        }
        assert cells | others == row["parts"]


def counts_of(row: Any) -> list[str]:
    counts: list[str] = row.get("answers", {}).get("counts", [])
    return counts


def test_the_page_holds_every_cell_and_stays_readable() -> None:
    lines = PAGE.splitlines()
    for topic in TABLES.values():
        start = lines.index(f"## {topic.title}") + 2
        assert lines[start] == f"| {' | '.join(topic.columns)} |"
        assert len(topic.columns) <= 11
        stop = lines.index("", start) if "" in lines[start:] else len(lines)
        rows = [line.strip("| ").split(" | ") for line in lines[start + 2 : stop]]
        shown = [(name.strip("`"), *cells) for names, *cells in rows for name in names.split(", ")]
        if topic.title == TOKENS:
            # the keys are facts of the specs, and modules do not state them
            found = {
                name: [column for column, cell in zip(topic.columns[1:], cells, strict=True) if cell != NO]
                for name, *cells in shown
            }
            assert found == {
                name: [count.replace("_", " ") for count in counts_of(row)]
                for name, row in CAPABILITIES.items()
            }
        else:
            assert sorted(shown) == sorted(topic.rows)
        # wires that are alike stand in one row, each row where the first of its wires does
        assert len({tuple(cells) for _, *cells in rows}) == len(rows)
        assert [name for name, *_ in rows] == sorted(name for name, *_ in rows)
    assert re.findall("^## (.*)$", PAGE, re.MULTILINE) == list(TABLES)
    assert len(lines) <= 200


def test_the_page_says_what_its_words_mean() -> None:
    head = PAGE.partition("\n## ")[0]
    assert [word for word in (YES, NO, UNKNOWN) if f"`{word}`: " not in head] == []


def test_the_tables_know_no_wire_by_name() -> None:
    source = (ROOT / "generator" / "promptwire_gen" / "emit" / "support_tables.py").read_text("utf-8")
    assert [wire for wire in CAPABILITIES if wire in source] == []
    assert Path(ROOT / "templates" / "provider_table.md.j2").read_text("utf-8").count("_chat") == 0
