"""Tests against mutants: which tests run which lines, then those tests for every mutant, each in a process of its own."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage, CoverageData

from promptwire.context import PRESETS
from promptwire.plugins import Wire

from .mutations import Mutant

_SEEN, _UNSEEN, _STUCK = 0, 1, 2


@dataclass(slots=True)
class Tally:
    """The outcome of a run: all mutants, those that no test found, and those whose lines no test runs."""

    tried: list[Mutant] = field(default_factory=list)
    survivors: list[Mutant] = field(default_factory=list)
    not_run: set[Mutant] = field(default_factory=set)


class Mutating:
    """A plugin for pytest that runs its tests once, and then for every mutant those that may see it."""

    def __init__(self, mutants: Sequence[Mutant], tally: Tally, seconds: float) -> None:
        """Try these mutants, each with tests that take so many seconds together, and note what became of them."""
        self._seconds = seconds
        self._mutants = mutants
        self._tally = tally
        self._functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        self._caches: list[Any] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run in place of the usual loop."""
        self._prepare()
        with TemporaryDirectory() as folder:
            items = {item.nodeid: item for item in session.items}
            files = sorted({str(mutant.file) for mutant in self._mutants})
            runs = _runs(list(items.values()), files, Path(folder, "coverage"), self._forget)
        began = time.monotonic()
        for number, mutant in enumerate(self._mutants, start=1):
            tests = [items[name] for name in runs.of(mutant, self._seconds)]
            self._tally.tried.append(mutant)
            if not tests:
                self._tally.not_run.add(mutant)
            if not tests or self._sees(mutant, tests) == _UNSEEN:
                self._tally.survivors.append(mutant)
                _say(f"unseen: {mutant}")
            if number % 100 == 0:
                _say(
                    f"{number} of {len(self._mutants)}, {time.monotonic() - began:.0f} s, {len(self._tally.survivors)} unseen"
                )
        return True

    def _prepare(self) -> None:
        """Know every function that may be changed, and the caches, before any process is copied."""
        for name in sorted({mutant.module for mutant in self._mutants}):
            importlib.import_module(name)
        for each in gc.get_objects():
            if isinstance(each, functools._lru_cache_wrapper):
                self._caches.append(each)
            elif isinstance(each, FunctionType):
                code = each.__code__
                place = code.co_filename, code.co_qualname, code.co_firstlineno
                self._functions.setdefault(place, []).append(each)
        gc.freeze()

    def _forget(self) -> None:
        """Empty what functions, wires and presets remember."""
        for each in self._caches:
            each.cache_clear()
        for policies in PRESETS.values():
            policies.rows.clear()
        for module in list(sys.modules.values()):
            wire = vars(module).get("WIRE")
            if isinstance(wire, Wire):
                wire.forms.clear()

    def _sees(self, mutant: Mutant, tests: Sequence[pytest.Item]) -> int:
        def run() -> int:
            # what functions gave before they were changed would be given again
            self._forget()
            for function in self._functions[str(mutant.file), mutant.function, mutant.first_line]:
                function.__code__ = mutant.code
            return _UNSEEN if all(map(_passes, tests)) else _SEEN

        return _in_a_process(run, 30 * self._seconds)


@dataclass(frozen=True, slots=True)
class _Runs:
    """The tests that run each line, and the seconds that each test takes."""

    tests: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant, left: float) -> list[str]:
        """Return the tests that run a mutant's statement, those of our own and the quickest first, as far as `left` seconds go."""
        lines = self.tests.get(str(mutant.file), {})
        names = {name for line in mutant.lines for name in lines.get(line, ()) if name in self.seconds}
        chosen: list[str] = []
        # those that are made of specs are many, and say the same of most lines
        for name in sorted(names, key=lambda name: (name.startswith("generated/"), self.seconds[name], name)):
            left -= self.seconds[name]
            if left < 0:
                break
            chosen.append(name)
        return chosen


def _runs(
    items: Sequence[pytest.Item], files: Sequence[str], path: Path, forget: Callable[[], None]
) -> _Runs:
    """Run all tests once, in another process, so that this one stays as it was after their import."""
    seconds_file = path.with_name("seconds")
    _in_a_process(lambda: _measure(items, files, path, seconds_file, forget), 3600)
    data = CoverageData(str(path))
    data.read()
    rows = [line.rpartition(" ") for line in seconds_file.read_text("utf-8").splitlines()]
    _say(f"{len(rows)} of {len(items)} tests pass, {sum(float(row[2]) for row in rows):.0f} s")
    return _Runs(
        {file: data.contexts_by_lineno(file) for file in files}, {row[0]: float(row[2]) for row in rows}
    )


def _measure(
    items: Sequence[pytest.Item],
    files: Sequence[str],
    path: Path,
    seconds: Path,
    forget: Callable[[], None],
) -> int:
    coverage = Coverage(data_file=str(path), include=files, config_file=False)
    passed: list[str] = []
    coverage.start()
    for item in items:
        # else only the first of several tests runs what they all need
        forget()
        coverage.switch_context(item.nodeid)
        began = time.process_time()
        if _passes(item):
            passed.append(f"{item.nodeid} {time.process_time() - began:.4f}")
    coverage.stop()
    coverage.save()
    seconds.write_text("\n".join(passed), "utf-8")
    return _SEEN


def _passes(item: pytest.Item) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=None)
    return all(report.passed for report in reports)


def _in_a_process(work: Callable[[], int], limit: float) -> int:
    """Do some work in a copy of this process, without a word; give its answer, or that it got stuck."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        answer = _SEEN
        with contextlib.suppress(BaseException):
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            signal.alarm(int(limit))
            answer = work()
        os._exit(answer)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else _STUCK


def _say(text: str) -> None:
    os.write(2, f"{text}\n".encode())
