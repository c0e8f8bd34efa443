"""The requirements of the five documents: each has a number, and a test that shows it.

S0 are the sources of instructions, S1 the collapsing of toolkits, S2 and S4 the prompts of evaluation cases, S3 the call of
an agent; C are the places where the documents contradict each other or themselves. The words for each number stand in
`requirements.yaml` of a folder here. README.md is the table of all numbers; `UPDATE_GOLDEN=1` writes it anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.cases.test_scenarios import SCENARIOS
from tests.checkout import ROOT

FOLDERS = ("instructions", "toolkits", "prompts", "execution")
CASES = Path(__file__).parent
# how many scenarios a document has, and the last number of its rules in prose, which begin at 20
DOCUMENTS = {"S0": (16, 27), "S1": (14, 26), "S2": (16, 22), "S3": (10, 24), "S4": (9, 26)}
TITLES = {
    "S0": "Sources of instructions",
    "S1": "Collapsing of toolkits",
    "S2": "Prompts of evaluation cases: conversion and delivery",
    "S3": "The call of an agent (AGN-003)",
    "S4": "Prompts of evaluation cases: design",
    "C": "Contradictions between the documents",
}
CONTRADICTIONS = 43
# the transcript of the first scenario of S4 has a number of its own
OTHERS = ("S4-1t",)
PAGE = CASES / "README.md"
ELSEWHERE = re.compile(r"(tests/[a-z_/]+\.py): (.+)")


def required() -> Iterator[tuple[str, str]]:
    """Yield the document and the number of each requirement, in order."""
    for document, (scenarios, last) in DOCUMENTS.items():
        for number in (*range(1, scenarios + 1), *range(20, last + 1)):
            yield document, f"{document}-{number}"
            yield from [(document, other) for other in OTHERS if other[:-1] == f"{document}-{number}"]
    yield from [("C", f"C-{number}") for number in range(1, CONTRADICTIONS + 1)]


def rows(folder: str) -> dict[str, tuple[str, list[str]]]:
    """Return number -> words and tests, from the table of a folder."""
    lines = (CASES / folder / "README.md").read_text("utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and " | " in line]
    return {row[0]: (row[1], row[2].split("<br>")) for row in cells if len(row) == 3}


def scenarios_of(number: str) -> list[str]:
    """Return the ids of the scenarios of a requirement: S0-2a and S0-2b of S0-2."""
    return [
        name
        for name in SCENARIOS
        if name == number or (name not in OTHERS and name[:-1] == number and name[-1].isalpha())
    ]


def shown_by(number: str) -> list[str]:
    """Return what shows a requirement: its scenarios, the cases of each folder, and other tests."""
    shown = [f"scenario {name}" for name in scenarios_of(number)]
    for folder in FOLDERS:
        tests = rows(folder).get(number, ("", []))[1]
        cases = [test for test in tests if not ELSEWHERE.match(test) and not test.startswith("no case")]
        shown += [f"[{folder}]({folder}/README.md): {len(cases)}"] if cases else []
        shown += [test for test in tests if test not in cases]
    return shown


def table() -> str:
    """Return the text of README.md."""
    lines = [
        "# The requirements of the five documents, and what shows each",
        "",
        "Made by `UPDATE_GOLDEN=1 pytest tests/cases/test_requirements.py`. A scenario is run by `test_scenarios.py`. A folder",
        "with a number has that many cases; the table of the folder names them.",
    ]
    words: dict[str, str] = {}
    for folder in FOLDERS:
        words = {number: says for number, (says, _) in rows(folder).items()} | words
    document = ""
    for heading, number in required():
        if heading != document:
            document = heading
            lines += [
                "",
                f"## {heading}: {TITLES[heading]}",
                "",
                "| requirement | says | shown by |",
                "|---|---|---|",
            ]
        lines.append(f"| {number} | {words.get(number, '')} | {'<br>'.join(shown_by(number))} |")
    return "\n".join(lines) + "\n"


def test_the_table_of_all_requirements_is_current() -> None:
    if os.environ.get("UPDATE_GOLDEN") == "1":
        PAGE.write_text(table(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == table()


def test_every_requirement_has_a_test() -> None:
    assert [number for _, number in required() if not shown_by(number)] == []


def test_the_tables_have_the_words_of_every_number() -> None:
    for folder in FOLDERS:
        words = yaml.safe_load((CASES / folder / "requirements.yaml").read_text("utf-8"))
        assert set(words) <= set(rows(folder))


def test_tests_elsewhere_exist() -> None:
    named = [
        ELSEWHERE.match(test) for folder in FOLDERS for _, tests in rows(folder).values() for test in tests
    ]
    found = [match.groups() for match in named if match is not None]
    assert len(found) >= len(FOLDERS)
    for file, words in found:
        assert f"def test_{words.replace(' ', '_')}(" in (ROOT / file).read_text("utf-8")


def test_every_scenario_stands_for_a_requirement() -> None:
    shown = [name for _, number in required() for name in scenarios_of(number)]
    assert sorted(shown) == sorted(SCENARIOS)
