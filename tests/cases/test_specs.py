"""Errors of broken specs: the exact text for each case folder, through the real pipeline.

`UPDATE_GOLDEN=1` writes the `problems.txt` of every case anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from promptwire.errors import PolicyError
from promptwire_gen.plugin_api import Plugin, ShapeFilter
from tests.internals.compiler import (
    POLICIES,
    Compilation,
    Layout,
    SpecError,
    as_text,
    compile_project,
    find_layout,
    find_plugins,
)
from tests.internals.runtime import policies_of

CASES = Path(__file__).parent / "specs"
PROJECT = find_layout(Path(__file__))
VALID = "valid-minimal"
BROKEN = sorted(each.name for each in CASES.iterdir() if each.name != VALID)
PLACE = re.compile(r"provider_specs/[^:]+\.yaml:\d+:\d+: [a-z-]+: .+")


class Shouting(Plugin):
    """Adds a filter that only writes."""

    name = "shouting"

    def filters(self) -> Iterable[ShapeFilter]:
        """One filter without an inverse."""
        return (ShapeFilter("shout", "shouting:shout", None),)


def layout_of(specs: Path) -> Layout:
    """The project with another folder of specs."""
    return Layout(specs, specs, PROJECT.templates, specs / "generated")


def compiled(specs: Path, plugins: Sequence[Plugin] | None = None) -> Compilation | str:
    """Compile a folder of specs; give its problems as they are printed, where it has any."""
    layout = layout_of(specs)
    try:
        return compile_project(layout, plugins=plugins)
    except SpecError as error:
        return as_text(error.problems, layout.read_specs()) + "\n"


@pytest.mark.parametrize("case", BROKEN)
def test_broken_specs(case: str) -> None:
    plugins = [*find_plugins(), Shouting()] if case == "one-way-filter" else None
    try:
        found = compiled(CASES / case, plugins)
    except Exception as error:
        raise AssertionError(f"{case}: {type(error).__name__} instead of problems: {error}") from error
    assert isinstance(found, str), f"{case} compiles"
    golden = CASES / case / "problems.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", BROKEN)
def test_every_problem_has_its_place_and_marks_text(case: str) -> None:
    sources = layout_of(CASES / case).read_specs()
    rows = (CASES / case / "problems.txt").read_text(encoding="utf-8").splitlines()
    heads = [row for row in rows if not row.startswith(" ")]
    assert heads
    for head in heads:
        assert PLACE.fullmatch(head), head
        file, line, column, *_ = head.split(":")
        text = re.split("\r\n|\r|\n", sources[file])[int(line) - 1]
        assert text == "" or not text[int(column) - 1].isspace() or "\t" in text, head


def test_the_starting_point_of_all_cases_compiles() -> None:
    found = compiled(CASES / VALID)
    assert isinstance(found, Compilation)
    assert sorted(found.files) == [
        "MOVED.md",
        "README.md",
        "REFERENCE.md",
        "promptwire/__init__.py",
        "promptwire/_moved.py",
        "promptwire/batch.py",
        "promptwire/chat/__init__.py",
        "promptwire/chat/reading.py",
        "promptwire/chat/types.py",
        "promptwire/chat/wire.py",
        "promptwire/chat/writing.py",
        "promptwire/context.py",
        "promptwire/data.py",
        "promptwire/errors.py",
        "promptwire/execution.py",
        "promptwire/http.py",
        "promptwire/parts.py",
        "promptwire/plugins.py",
        "promptwire/prompts.py",
        "promptwire/py.typed",
        "promptwire/results.py",
        "promptwire/toolkits.py",
        "provider_spec.schema.json",
        "tests/cases/chat.json",
        "tests/conftest.py",
        "tests/test_wires.py",
    ]
    assert not (CASES / VALID / "problems.txt").exists()


HUGE = {
    "too many bytes": ("# " + "x" * (1 << 20), "1:1: too-large: the file is larger than 1 MiB"),
    "too many values": (
        "a: [" + "1, " * 100_001 + "1]",
        "1:4: too-large: more than 100,000 values, aliases expanded",
    ),
    "too many levels": ("a: " + "[" * 900, "1:67: too-deep: more than 64 levels"),
    "one long line": (
        'a: "' + "y" * 500_000,
        "1:4: syntax: the file ends inside a quoted text: a closing quote is missing",
    ),
}


@pytest.mark.parametrize("case", HUGE)
def test_huge_files(case: str, tmp_path: Path) -> None:
    text, head = HUGE[case]
    (tmp_path / "chat.yaml").write_text(text, encoding="utf-8")
    found = compiled(tmp_path)
    assert isinstance(found, str)
    assert found.splitlines()[0] == f"provider_specs/chat.yaml:{head}"
    assert max(map(len, found.splitlines())) < 200


def test_policies_of_examples_are_those_of_the_runtime() -> None:
    for name, values in POLICIES.items():
        for value in values:
            chosen = policies_of(f"{name}={value}")
            assert (chosen.repairs if name == "repairs" else chosen.choice(name)) == value
        with pytest.raises(PolicyError):
            policies_of(f"{name}=another")
