"""Tests of `make mutants`: the mistakes that it makes, and that a weak test does not find some of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import ROOT, SOURCE_ROOTS, run_python
from tests.mutants.mutations import mutants_of

CODE = '''\
"""Made for a test: nothing here is mutated but bodies of functions."""
from functools import cache

LIMIT = 3

def small(number: int) -> bool:
    """Return whether a number is small."""
    return number < LIMIT and not number == 0

@cache
def named(number):
    if number in (1, 2):
        return "one" if number == 1 else "two"
    return None

class Box:
    def put(self, things, *, twice=False):
        self.things += things
        return [thing for thing in things if thing], dict(a=1, **{})
'''
MUTANTS = """\
small.py:8 small: return number < LIMIT and (not number == 0) -> return None
small.py:8 small: And -> Or
small.py:8 small: Lt -> LtE
small.py:8 small: not number == 0 -> number == 0
small.py:8 small: Eq -> NotEq
small.py:8 small: 0 -> 1
"""
TESTS = """\
from small import Box, named, small

def test_small():
    assert small(1) and small(2) and not small(5)

def test_named():
    assert (named(1), named(2), named(3)) == ("one", "two", None)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "small.py").write_text(CODE)
    (tmp_path / "test_small.py").write_text(TESTS)
    return tmp_path


def test_the_mistakes_of_a_function(project: Path) -> None:
    mutants = [str(mutant) for mutant in mutants_of(project / "runtime" / "small.py")]
    assert "\n".join(line for line in mutants if " small: " in line) + "\n" == MUTANTS
    others = [line.partition(": ")[2] for line in mutants if " small: " not in line]
    assert others[:3] == [
        "if number in (1, 2): return 'one' if number == 1 else 'two' -> if not number in (1, 2): return 'one' if number == 1 else 'two'",
        "In -> NotIn",
        "1 -> 2",
    ]
    assert {
        "'one' if number == 1 else 'two' -> 'one'",
        "'two' -> 'two~'",
        "self.things += things -> pass",
    } <= {*others}
    assert {"dict(a=1, **{}) -> dict(**{})", "for thing in things if thing -> for thing in things"} <= {
        line.strip() for line in others
    }


def test_what_no_test_sees_is_listed(project: Path) -> None:
    path = [project / "runtime", ROOT, *[ROOT / name for name in SOURCE_ROOTS]]
    arguments = ("-m", "tests.mutants", "runtime/small.py", "--tests", str(project / "test_small.py"))
    done = run_python(*arguments, folder=project, path=path)
    assert done.returncode == 0, done.stderr
    listed, _, table = done.stdout.partition("\nfile ")
    unseen = [line for line in listed.splitlines() if ":" in line and "test_small" not in line]
    # three is not tried
    assert [line for line in unseen if " small: " in line] == ["small.py:8 small: Lt -> LtE"]
    assert [line for line in unseen if " named: " in line] == []
    assert all(line.endswith(" (no test runs it)") for line in unseen if " Box.put: " in line)
    assert table.split()[-1].endswith(f"/{len(list(mutants_of(project / 'runtime' / 'small.py')))}")
