"""The argument WIRE, and its completion in a shell."""

from __future__ import annotations

from typing import Annotated

import typer


def completed_wire(incomplete: str) -> list[str]:
    """Return the wires whose names begin with a text."""
    from .replay.generated import wire_names

    return [name for name in wire_names() if name.startswith(incomplete)]


def completed_wires(incomplete: str) -> list[str]:
    """Return the same for the last of several names with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in completed_wire(last)]


Wire = Annotated[str, typer.Argument(metavar="WIRE", show_default=False, autocompletion=completed_wire)]
