"""Users stay light: what an import of the package, of one wire, or of a room beside the builders loads."""

from __future__ import annotations

import sys

import pytest

import promptwire
from tests.imports import loaded
from tests.spec_texts import above

pytestmark = pytest.mark.slow

HEAVY = {
    "asyncio",
    "email",
    "http",
    "pydantic",
    "socket",
    "sqlite3",
    "ssl",
    "unittest",
    "urllib",
    "xml",
    "yaml",
}
# what costs more to import than a whole wire
SLOW = {"collections", "dataclasses", "enum", "functools", "inspect", "json", "re", "typing"}


def test_importing_promptwire_loads_no_wire() -> None:
    names = loaded()
    assert [name for name in names if name.startswith("promptwire.")] == []
    assert {name.partition(".")[0] for name in names} & HEAVY == set()
    assert [
        name for name in names if name in ("promptwire_runtime.loading", "promptwire_runtime.loading.dumping")
    ] == []


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_a_wire_loads_the_standard_library_only(wire: str) -> None:
    names = loaded(f"promptwire.{wire}")
    # a dialect is what differs from the wires that it extends
    modules = {
        f"promptwire.{parent}{module}"
        for parent in (wire, *above(wire))
        for module in ("", ".wire", ".writing")
    }
    assert {name for name in names if name.startswith("promptwire.")} <= modules
    rooms = ("answers", "linting", "context", "execution", "prompts", "loading", "toolkits")
    beside = tuple(f"promptwire_runtime.{room}" for room in rooms)
    assert [name for name in names if name.startswith(beside)] == []
    tops = {name.partition(".")[0] for name in names}
    assert tops - sys.stdlib_module_names == {"promptwire", "promptwire_runtime"}
    assert tops & (HEAVY | SLOW) == set()


@pytest.mark.parametrize(
    ("package", "heavy"),
    # what reads files, or JSON as it reads files, has pathlib, which loads urllib
    [
        ("context", HEAVY),
        ("toolkits", HEAVY),
        ("execution", HEAVY - {"urllib"}),
        ("prompts", HEAVY - {"urllib"}),
    ],
)
def test_what_stands_beside_the_builders_loads_the_standard_library_only(
    package: str, heavy: set[str]
) -> None:
    names = loaded(f"import promptwire_runtime.{package}")
    assert [name for name in names if name.startswith("promptwire.")] == []
    tops = {name.partition(".")[0] for name in names}
    assert tops - sys.stdlib_module_names <= {"promptwire", "promptwire_runtime", "promptwire_text"}
    assert tops & heavy == set()
