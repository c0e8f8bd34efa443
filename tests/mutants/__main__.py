"""`make mutants`: make a mistake in the code, run the tests that run that line, and tell of each that no test sees."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.checkout import ROOT

from .mutations import Mutant, mutants_of
from .running import Mutating, Tally

RUNTIME = ROOT / "runtime" / "promptwire_runtime"
FOLDERS = ("passes", "read", "context", "prompts", "toolkits", "execution")
TESTS = (
    "tests/runtime",
    "tests/cases/test_bodies.py",
    "tests/cases/test_execution.py",
    "tests/cases/test_instructions.py",
    "tests/cases/test_prompts.py",
    "tests/cases/test_scenarios.py",
    "tests/cases/test_toolkits.py",
    "tests/compiler/test_addresses.py",
    "tests/laws/test_history.py",
    "tests/laws/test_instructions.py",
    "tests/laws/test_pairs.py",
    "tests/laws/test_prepared_again.py",
    "tests/laws/test_prompts.py",
    "tests/laws/test_toolkit_sessions.py",
    "generated/tests",
)


def main() -> int:
    """Try the mutants of some files or folders, and print what became of them."""
    parser = argparse.ArgumentParser("python -m tests.mutants", description=__doc__)
    parser.add_argument(
        "paths", nargs="*", type=Path, default=[RUNTIME / name for name in FOLDERS], help="files or folders"
    )
    parser.add_argument("--tests", nargs="+", default=TESTS, help="what pytest collects")
    parser.add_argument(
        "-k", dest="only", default="", metavar="EXPRESSION", help="which of these tests, as pytest has it"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try each N-th mutant only")
    parser.add_argument(
        "--seconds",
        type=float,
        default=4.0,
        help="what the tests of one mutant take together at most (%(default)s)",
    )
    chosen = parser.parse_args()
    files = [
        file for path in chosen.paths for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])
    ]
    mutants = [mutant for file in files for mutant in mutants_of(file.resolve())][:: chosen.every]
    tally = Tally()
    options = [
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
        "-q",
        "--no-header",
        "-k",
        chosen.only,
    ]
    pytest.main(
        [*options, *[str(ROOT / test) for test in chosen.tests]],
        plugins=[Mutating(mutants, tally, chosen.seconds)],
    )
    sys.stdout.write(table(tally))
    return 0


def table(tally: Tally) -> str:
    """Lay out what no test saw, and how many were seen by file and by folder."""
    lines = [
        "",
        *[f"{mutant}{' (no test runs it)' if mutant in tally.not_run else ''}" for mutant in tally.survivors],
        "",
    ]
    for name, of in (("file", _file), ("folder", _folder)):
        tried, unseen = Counter(map(of, tally.tried)), Counter(map(of, tally.survivors))
        lines += [
            f"{name:<32} seen  of all",
            *[
                f"{key:<32} {1 - unseen[key] / all_:>4.0%}  {all_ - unseen[key]}/{all_}"
                for key, all_ in tried.items()
            ],
            "",
        ]
    return "\n".join(lines)


def _file(mutant: Mutant) -> str:
    return f"{mutant.file.parent.name}/{mutant.file.name}"


def _folder(mutant: Mutant) -> str:
    return mutant.file.parent.name


if __name__ == "__main__":
    sys.exit(main())
