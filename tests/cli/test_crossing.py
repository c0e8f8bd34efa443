"""roundtrip --to: what other wires make of recorded bodies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .conftest import Gen, write_rows


def row(name: str, api: str = "south", wire: str = "south_chat", **body: Any) -> dict[str, Any]:
    return {"id": name, "api": api, "wire": wire, "body": {"messages": "a", **body}}


ROWS = [
    row("whole"),
    row("lossy", top_k=1),
    row("invalid", bad="value"),
    row("broken", bad="cause"),
    row("elsewhere", "faulty", "faulty_chat", fault="none"),
    row("odd", "faulty", "faulty_chat", fault="read"),
    row("unknown", "some", "unknown_wire"),
    {"api": "south", "body": {}},
]


def pair(wire: str, to: str, *numbers: int) -> dict[str, Any]:
    names = ("rows", "built", "noted", "refused", "crashed")
    return {"wire": wire, "to": to, **dict(zip(names, numbers, strict=True))}


def test_every_row_has_one_outcome_a_wire(generated: Path, gen: Gen) -> None:
    file = write_rows(generated / "rows.jsonl", *ROWS)
    result = gen("roundtrip", file, "--to", "south_chat", "--to", "faulty_chat", "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["pairs"] == [
        pair("faulty_chat", "faulty_chat", 2, 1, 0, 0, 1),
        pair("faulty_chat", "south_chat", 2, 1, 0, 0, 1),
        pair("south_chat", "faulty_chat", 5, 0, 0, 1, 4),
        pair("south_chat", "south_chat", 5, 1, 1, 2, 1),
    ]
    assert answer["skipped"] == {"unknown_wire": 1}
    assert {"to": "south_chat", "outcome": "noted", "why": "NoPlace top_k", "rows": 1} in answer["reasons"]


def test_the_text_form_shows_pairs_then_crashes_and_reasons(generated: Path, gen: Gen) -> None:
    file = write_rows(generated / "rows.jsonl", *ROWS[:4], ROWS[6], *ROWS[1:2])
    result = gen("roundtrip", file, "--to", "south_chat")
    assert result.exit_code == 1
    assert [line.rstrip() for line in result.stdout.splitlines()] == [
        "wire        to          rows  built  noted  refused  crashed",
        "south_chat  south_chat     5      1      2        1        1",
        "",
        "skipped, no such wire: unknown_wire (1)",
        "",
        "crashed:",
        "  south_chat broken -> south_chat: InvalidRequest: south_chat: bad is bad",
        "",
        "reasons:",
        "       2  south_chat noted: NoPlace top_k",
        "       1  south_chat refused: InvalidRequest: south_chat: bad is bad",
        "       1  south_chat crashed: InvalidRequest: south_chat: bad is bad",
    ]
    shorter = gen("roundtrip", file, "--to", "south_chat", "--worst", "0")
    assert shorter.stdout.endswith("skipped, no such wire: unknown_wire (1)\n")


def test_losses_and_refusals_are_no_failure(generated: Path, gen: Gen) -> None:
    file = write_rows(generated / "rows.jsonl", *ROWS[:3])
    assert gen("roundtrip", file, "--to", "south_chat", "--json").exit_code == 0
    result = gen("roundtrip", file, "--to", "suth_chat")
    assert (result.exit_code, result.stderr) == (
        2,
        'gen: "suth_chat" is not a wire: did you mean "south_chat"?\n',
    )
    file = write_rows(generated / "rows.jsonl", ROWS[6])
    result = gen("roundtrip", file, "--to", "south_chat")
    assert (result.exit_code, result.stderr) == (
        2,
        "gen: no row is for a wire that there is; --as WIRE says which to try\n",
    )
