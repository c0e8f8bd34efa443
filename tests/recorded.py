"""Recorded requests and answers, each with the wire that it is of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promptwire
from tests.internals.commands import choose_wires
from tests.internals.compiler import RecordedRow, read_rows

_WIRES = choose_wires(promptwire.WIRES, (), promptwire.ALIASES)


def requests_of(path: Path) -> list[RecordedRow]:
    """Return the recorded requests of wires that exist; a file without one is an error."""
    rows = [row for row in read_rows([str(path)], _WIRES) if row.wire in promptwire.WIRES]
    assert rows, f"{path.name} holds no request of {', '.join(promptwire.WIRES)}"
    return rows


def answers_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the recorded answers and streams of wires that exist: wire and row."""
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        wire = _WIRES.find_wire(row.get("api", ""), row["wire"])
        if wire in promptwire.WIRES:
            yield str(wire), row
