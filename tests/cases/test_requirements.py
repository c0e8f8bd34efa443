"""The requirements of the five documents: each has a number, and a test that shows it.

S0 are the sources of instructions, S1 the collapsing of toolkits, S2 and S4 the prompts of evaluation cases, S3 the call of
an agent; C are the places where the documents contradict each other or themselves. The words for each number stand in
`requirements.yaml` of a folder here, its tests in README.md beside it, which the tests of that folder keep.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.cases.test_scenarios import SCENARIOS

FOLDERS = ("instructions", "toolkits", "prompts", "execution")
CASES = Path(__file__).parent
# how many scenarios a document has, and the last number of its rules in prose, which begin at 20
DOCUMENTS = {"S0": (16, 27), "S1": (14, 26), "S2": (16, 22), "S3": (10, 24), "S4": (9, 26)}
CONTRADICTIONS = 43
# prose that no test can show: "must not contradict safety", "intelligent merging"
NOT_TESTABLE = {"C-43"}
# the later scenario of a transcript has the number of the first, and scenarios that a rule in prose stands for
OTHERS = {"S4-1t"}


def required() -> set[str]:
    numbers = {
        f"{document}-{number}"
        for document, (scenarios, last) in DOCUMENTS.items()
        for number in (*range(1, scenarios + 1), *range(20, last + 1))
    }
    contradictions = {f"C-{number}" for number in range(1, CONTRADICTIONS + 1)}
    return (numbers | contradictions | OTHERS) - NOT_TESTABLE


def rows(folder: str) -> dict[str, str]:
    """The numbers that the table of a folder has, and the tests that show each."""
    lines = (CASES / folder / "README.md").read_text("utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and " | " in line]
    return {row[0]: row[2] for row in cells if len(row) == 3}


def test_every_requirement_has_a_test() -> None:
    tables = [rows(folder) for folder in FOLDERS]
    shown = {number for table in tables for number, tests in table.items() if tests.strip()}
    assert sorted(required() - shown) == []


def test_the_tables_have_the_words_of_every_number() -> None:
    for folder in FOLDERS:
        words = yaml.safe_load((CASES / folder / "requirements.yaml").read_text("utf-8"))
        assert set(words) <= set(rows(folder))


def test_every_scenario_stands_for_a_requirement() -> None:
    numbers = {name.rstrip("abcdefghijklmnopqrsuvwxyz") if name != "S4-1t" else name for name in SCENARIOS}
    assert sorted(numbers - required()) == []
