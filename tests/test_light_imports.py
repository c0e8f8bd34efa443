"""Users stay light: what an import of the package, of one wire, or of a room beside the builders loads."""

from __future__ import annotations

import sys

import promptwire
from tests.imports import loaded
from tests.spec_texts import above

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


ROOMS = ("answers", "linting", "context", "execution", "prompts", "loading", "toolkits")


def tops(names: list[str]) -> set[str]:
    """Return the packages of these modules."""
    return {name.partition(".")[0] for name in names}


def below(names: list[str], *packages: str) -> list[str]:
    """Return the modules that are these packages or stand in them."""
    return [name for name in names if f"{name}.".startswith(tuple(f"{each}." for each in packages))]


def test_importing_promptwire_loads_no_wire() -> None:
    (names,) = loaded("")
    assert below(names, "promptwire") == ["promptwire"]
    assert tops(names) & HEAVY == set()
    assert below(names, "promptwire_runtime.loading") == []


def test_a_wire_loads_the_standard_library_only() -> None:
    steps = loaded(*[f"promptwire.{wire}" for wire in promptwire.WIRES])
    for wire, names in zip(promptwire.WIRES, steps, strict=True):
        # a dialect is what differs from the wires that it extends
        parents = [f"promptwire.{name}" for name in (wire, *above(wire))]
        modules = {f"{parent}{module}" for parent in parents for module in ("", ".wire", ".writing")}
        assert set(below(names, "promptwire")) <= {"promptwire", *modules}
        assert below(names, *[f"promptwire_runtime.{room}" for room in ROOMS]) == []
        assert tops(names) - sys.stdlib_module_names <= {
            "promptwire",
            "promptwire_runtime",
            "promptwire_text",
        }
        assert tops(names) & (HEAVY | SLOW) == set()


def test_what_stands_beside_the_builders_loads_the_standard_library_only() -> None:
    rooms = ("context", "toolkits", "execution", "prompts")
    for room, names in zip(
        rooms, loaded(*[f"import promptwire_runtime.{room}" for room in rooms]), strict=True
    ):
        assert below(names, "promptwire") == ["promptwire"]
        assert tops(names) - sys.stdlib_module_names <= {
            "promptwire",
            "promptwire_runtime",
            "promptwire_text",
        }
        # what reads files, or JSON as it reads files, has pathlib, which loads urllib
        assert tops(names) & HEAVY <= ({"urllib"} if room in ("execution", "prompts") else set())
