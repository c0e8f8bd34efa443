"""Pages that are run: their Python here, their commands in a folder of its own, and what both print compared."""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from unittest.mock import patch

from tests import stand_in
from tests.checkout import ROOT, SOURCE_ROOTS, keep_compiled
from tests.page_names import HOOK, Names
from tests.pages import Block, Example, as_shown, examples_of, is_same, read_page

_MODULE = "page"
# what needs the project itself, or the network
_NOT_RUN = ("make ", "git ")
# the commands of a page are this Python's; what it begins or installs stays in its folder. Generated tests need no
# plugin of pytest
SHELL = """
export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
gen() { "$PYTHON" -m promptwire_gen "$@"; }
python() { "$PYTHON" "$@"; }
pytest() { "$PYTHON" -m pytest -q -p no:cacheprovider --import-mode=importlib "$@"; }
pip() { "$PYTHON" -m pip "$@" --no-deps --no-build-isolation --no-index --target installed; }
"""
# the same for a user's own environment, which has its own packages; pip says nothing about the machine's indexes
OF_A_USER = 'pip() { "$PYTHON" -m pip -qq "$@"; }'


@dataclass
class Run:
    """The outcome of running a page.

    problems  one text a block that fails, with its place
    differences  one text a block that prints other than the page shows
    printed   the blocks of output, with what was printed
    names     the public names that its Python used
    """

    problems: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    printed: list[tuple[Block, str]] = field(default_factory=list)
    names: Names = field(default_factory=Names)


@cache
def run_page(page: str) -> Run:
    """Run a page of this project once: block after block, in a folder that is empty at first."""
    return run_text(page, read_page(page))


def run_text(page: str, text: str) -> Run:
    """Run the text of a page."""
    run = Run()
    try:
        examples = examples_of(page, text)
    except ValueError as error:
        run.problems.append(str(error))
        return run
    with TemporaryDirectory() as folder, contextlib.chdir(folder), _logging_kept(), _module() as namespace:
        namespace[HOOK] = run.names.attribute
        if "gen build" in text:
            keep_compiled(Path(folder))
        for example in examples:
            run.problems += _run(example, namespace, run)
    return run


@contextlib.contextmanager
def _logging_kept() -> Iterator[None]:
    """Take back what a page changes of logging: handlers of the root, and level and filters of our logger."""
    root, ours = logging.getLogger(), logging.getLogger("promptwire")
    handlers, level, ours_level, filters = [*root.handlers], root.level, ours.level, [*ours.filters]
    try:
        yield
    finally:
        root.handlers[:], ours.filters[:] = handlers, filters
        root.setLevel(level)
        ours.setLevel(ours_level)


@contextlib.contextmanager
def _module() -> Iterator[dict[str, Any]]:
    """Yield the names of a new module, which classes that are made in it find."""
    module = sys.modules[_MODULE] = ModuleType(_MODULE)
    try:
        yield vars(module)
    finally:
        del sys.modules[_MODULE]


def _run(example: Example, namespace: dict[str, Any], run: Run) -> Iterator[str]:
    """Run one block; give what is wrong with it."""
    block = example.block
    if block.file is not None:
        _save(block, block.file)
        if block.language == "python":
            run.names.note_imports(ast.parse(block.code, block.page))
    elif block.language == "python":
        yield from _told(example, *_run_python(block, namespace, run.names), run)
    elif block.language in ("yaml", "toml"):
        yield f"{block.place}: no file: its first line names none"
    elif block.language == "sh" and not block.code.startswith(_NOT_RUN):
        yield from _told(example, *_run_shell(block, shows=example.output is not None), run, elided=True)


def _told(example: Example, printed: str, trouble: str, run: Run, *, elided: bool = False) -> Iterator[str]:
    """Compare what a block printed with what the page shows."""
    if trouble:
        yield f"{example.block.place}: {trouble}\n{printed}"
        return
    if example.output is None:
        if printed and not elided:
            yield f"{example.block.place}: it prints, and the page shows nothing:\n{printed}"
        return
    run.printed.append((example.output, printed))
    if not is_same(example.output, printed, elided=elided):
        shown = f"the page shows\n{example.output.code}and this is printed:\n{printed}"
        run.differences.append(f"{example.output.place}: {shown}")


def _run_python(block: Block, namespace: dict[str, Any], names: Names) -> tuple[str, str]:
    """Run Python in the names of its page; give what it prints, and what went wrong."""
    printed = io.StringIO()
    # so that its lines are those of the page
    code = "\n" * (block.line - 1) + block.code
    try:
        with (
            contextlib.redirect_stdout(printed),
            patch("urllib.request.urlopen", stand_in.urlopen),
            patch("httpx.HTTPTransport.handle_request", stand_in.handle_request),
            patch("httpx.AsyncHTTPTransport.handle_async_request", stand_in.handle_async_request),
            patch.dict(os.environ, stand_in.KEYS),
        ):
            exec(names.watch(code, block.page), namespace)  # noqa: S102  # our own page
    except Exception as error:  # noqa: BLE001  # whatever it is, the page is wrong
        lines = [
            step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == block.page
        ]
        return (
            printed.getvalue(),
            f"line {lines[-1] if lines else block.line}: {type(error).__name__}: {error}",
        )
    return printed.getvalue(), ""


def _run_shell(block: Block, *, shows: bool) -> tuple[str, str]:
    """Run commands in the folder of the page; a block whose output is not shown must succeed."""
    places = [*(ROOT / name for name in SOURCE_ROOTS), Path("installed").absolute()]
    environment = {"PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(map(str, places))}
    shell = SHELL
    if user := os.environ.get("PROMPTWIRE_PYTHON"):
        path = f"{Path(user).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {"PYTHON": user, "PYTHONPATH": "", "PATH": path}
        shell = f"{SHELL}{OF_A_USER}\n"
    done = subprocess.run(
        ["/bin/bash", "-c", shell + block.code],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    return done.stdout, "" if shows or done.returncode == 0 else f"it exits with {done.returncode}"


def _save(block: Block, name: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.code, encoding="utf-8")


def updated(page: str) -> str:
    """Return the text of a page with the outputs that it has now."""
    text = read_page(page)
    for output, printed in reversed(run_page(page).printed):
        if not is_same(output, printed, elided=True):
            text = text[: output.start] + as_shown(output, printed) + text[output.end :]
    return text
