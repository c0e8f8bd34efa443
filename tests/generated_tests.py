"""The generated tests of one wire, run in this process on a package of the wire that was changed."""

from __future__ import annotations

import itertools
import runpy
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import promptwire
from tests.checkout import ROOT

PACKAGES = ROOT / "generated" / "promptwire"
TESTS = ROOT / "generated" / "tests" / "test_wires.py"


@cache
def _test_names() -> dict[str, Any]:
    """Return the names of the generated test module."""
    return runpy.run_path(str(TESTS))


def cases_of(wire: str, table: str | None = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield every case of a wire, or those of one table, as a name and a call."""
    for name, test in _test_names().items():
        for arguments in _arguments(test) if name.startswith("test_") else ():
            if arguments["wire"] == wire and table in (None, arguments.get("table")):
                yield f"{name}, {arguments.get('table')}", partial(test, **arguments)


def _arguments(test: Any) -> Iterator[dict[str, Any]]:
    """Yield the arguments of each case of a test, as its marks list them."""
    tables = [_rows(*mark.args[:2]) for mark in test.pytestmark if mark.name == "parametrize"]
    for rows in itertools.product(*tables):
        yield {name: value for row in rows for name, value in row.items()}


def _rows(names: str | tuple[str, ...], values: Any) -> list[dict[str, Any]]:
    keys = (names,) if isinstance(names, str) else names
    rows = [getattr(value, "values", value) for value in values]
    return [dict(zip(keys, row if isinstance(row, tuple) else (row,), strict=True)) for row in rows]


def first_failure(wire: str, table: str | None = None) -> str | None:
    """Run the cases of a wire until one fails; return its test and what it says, or None where all pass."""
    for name, case in cases_of(wire, table):
        try:
            case()
        except pytest.skip.Exception:
            continue
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # broken code fails in any way
            return f"{name}: {type(error).__name__}: {error}"
    return None


@contextmanager
def changed_package(wire: str, sources: Mapping[str, str], folder: Path) -> Iterator[None]:
    """Import a wire with these files changed: name of a file -> text, in place of the generated package."""
    # with the bytecode of all other files
    package = shutil.copytree(PACKAGES / wire, folder / wire)
    for name, text in sources.items():
        (package / name).write_text(text, "utf-8")
    prefix = f"promptwire.{wire}"

    def loaded() -> list[str]:
        return [name for name in sys.modules if name == prefix or name.startswith(f"{prefix}.")]

    before = {name: sys.modules.pop(name) for name in loaded()}
    attribute = vars(promptwire).pop(wire, None)
    promptwire.__path__.insert(0, str(folder))
    sys.path_importer_cache.pop(str(folder), None)
    try:
        yield
    finally:
        promptwire.__path__.remove(str(folder))
        for name in loaded():
            del sys.modules[name]
        sys.modules.update(before)
        vars(promptwire).pop(wire, None)
        if attribute is not None:
            setattr(promptwire, wire, attribute)
