"""`make fuzz` finds a planted fault, saves it with its input, and finds it again by its turn."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.fuzz import __main__ as fuzz, answers, bodies, commands, files, requests, running, specs
from tests.fuzz.running import Tally, run, shown
from tests.fuzz.target import Target, Turn, WrongOutcome

TARGETS = (
    bodies.target(None), answers.answers_target(None), answers.streams_target(), requests.TARGET, files.REQUEST_FILES, files.CASE_FILES, specs.SPECS, specs.BUILDERS, commands.TARGET,
)  # fmt: skip
# what is broken on purpose, and the kind of fault that it must be
PLANTED = {
    "bodies": (
        "promptwire_runtime.read.form_memory.Comparison._find_repeated",
        "RuntimeError in read/form_memory.py compare",
    ),
    "answers": (
        "promptwire_runtime.answers.answer_reader.read_counts",
        "RuntimeError in answers/answer_reader.py usage",
    ),
    "streams": (
        "promptwire_runtime.answers.accumulator.settled",
        "RuntimeError in answers/",
    ),
    "requests": ("promptwire_runtime.build.result.Built.json", "RuntimeError in nowhere of ours"),
    "files": (
        "promptwire_runtime.loading.source.read_with",
        "RuntimeError in loading/source.py load_request",
    ),
    "cases": (
        "promptwire_runtime.prompts.case_files.read_with",
        "RuntimeError in prompts/case_files.py load_cases",
    ),
    "specs": ("promptwire_gen.lowering.lower", "RuntimeError in promptwire_gen/lowering.py lower_spec"),
    "builders": ("promptwire_gen.lowering.lower", "RuntimeError in promptwire_gen/lowering.py lower_spec"),
    "commands": ("promptwire_cli.views.inputs.parse_json", "RuntimeError in views/inputs.py body_in"),
}


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No input is a fault for the time that it takes, which other processes change."""
    monkeypatch.setattr(running, "SLOW", float("inf"))
    monkeypatch.setattr(running, "_STUCK", 3600.0)


def quiet(tally: Tally) -> None:
    """Print no progress."""


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_an_input_follows_from_its_turn(target: Target) -> None:
    turns = [Turn(target.name, 5, index) for index in (0, 7, 0, 7)]
    first, second, *again = [shown(target.draw(turn, turn.random())) for turn in turns]
    assert [first, second] == again
    assert first != second


# builders take long, and few answers are refused
INPUTS = {"builders": 12, "answers": 200}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_inputs_are_taken_and_refused(target: Target) -> None:
    tally = run(target, 0, 1e9, INPUTS.get(target.name, 60), quiet)
    assert (tally.faults, 0 < tally.accepted < tally.inputs) == ({}, True)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_an_error_that_is_not_ours_is_found(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("planted")

    name, kind = PLANTED[target.name]
    monkeypatch.setattr(name, broken)
    tally = run(target, 0, 1e9, 80, quiet)
    assert any(fault.startswith(kind) for fault in tally.faults)


def test_a_body_that_does_not_come_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptwire_runtime.read.form_memory._pair_renames", lambda gone, new: {})
    monkeypatch.setattr(
        "promptwire_runtime.read.form_memory._match_listed_text", lambda old, value: ({}, "text")
    )
    tally = run(bodies.target(None), 0, 1e9, 400, quiet)
    assert any(kind.endswith("a body does not come back") for kind in tally.faults)


def fail_at_three(number: int) -> bool:
    """Refuse odd numbers, and let a three be a fault."""
    if number == 3:
        raise WrongOutcome("a three", f"is {number}")
    return number % 2 == 0


SMALL = Target("small", lambda turn, random: turn.index % 4, fail_at_three)


def test_a_fault_is_saved_and_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz, "_targets", lambda corpus: {"small": SMALL})
    folder = tmp_path / "faults"
    assert fuzz.main(["--inputs", "8", "--seed", "4", "--save", str(folder)]) == 1
    said = capsys.readouterr().out
    assert "small: a three (2 times)\n  tests.fuzz.target.WrongOutcome: a three: is 3\n" in said
    assert "again: make fuzz AGAIN=small:4:3\n" in said
    assert [
        line.split()[:2] + line.split()[3:4] + line.split()[-1:]
        for line in said.splitlines()
        if line.startswith("small ")
    ] == [["small", "8", "50%", "1"]]
    (saved,) = folder.iterdir()
    assert (saved.name, saved.read_text().splitlines()[0], saved.read_text().splitlines()[-1]) == (
        "small-4-3.txt",
        "make fuzz AGAIN=small:4:3",
        "3",
    )
    assert fuzz.main(["--again", "small:4:3", "--save", str(folder)]) == 1
    assert fuzz.main(["--again", "small:4:2", "--save", str(folder)]) == 0


@pytest.mark.parametrize(
    "arguments", [["--targets", "small other"], ["--again", "small:1"], ["--again", "other:1:1"]]
)
def test_what_cannot_be_tried_is_said(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "_targets", lambda corpus: {"small": SMALL})
    with pytest.raises(SystemExit, match=r"no target other: there are small|is no TARGET:SEED:INDEX"):
        fuzz.main(arguments)


def test_what_takes_too_long_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLOW", 0.01)
    monkeypatch.setattr(running, "_STUCK", 0.5)

    def loop(number: int) -> bool:
        while number == 1:
            pass
        return sum(range(2_000_000 if number == 2 else 0)) > 0

    tally = run(Target("slow", lambda turn, random: turn.index, loop), 0, 1e9, 3, quiet)
    assert sorted(tally.faults) == ["_Stuck in nowhere of ours", "slower than 0 s"]


def test_recorded_bodies_are_damaged_too(tmp_path: Path) -> None:
    corpus = tmp_path / "rows.jsonl"
    corpus.write_text(json.dumps({"wire": "openai_chat", "body": {"messages": [], "mine": "mine"}}) + "\n")
    target, random = bodies.target(corpus), Random(1)  # noqa: S311  # no secret
    drawn = [target.draw(Turn("bodies", 0, index), random) for index in range(5000)]
    assert any("mine" in shown(each) for each in drawn)
