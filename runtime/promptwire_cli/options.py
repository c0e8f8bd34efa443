"""Arguments and options that several commands have, and the completion of names of wires in a shell."""

from __future__ import annotations

from typing import Annotated

import typer


def completed_wire(incomplete: str) -> list[str]:
    """Return the wires whose names begin with a text."""
    from .views.generated import wire_names

    return [name for name in wire_names() if name.startswith(incomplete)]


def completed_wires(incomplete: str) -> list[str]:
    """Return the same for the last of several names with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in completed_wire(last)]


Wire = Annotated[str, typer.Argument(metavar="WIRE", show_default=False, autocompletion=completed_wire)]
Settings = Annotated[list[str] | None, typer.Option("--setting", metavar="NAME=VALUE", help="Repeatable.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
ModelThere = Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model there.")]
From = Annotated[
    str | None, typer.Option("--from", metavar="WIRE", help="The API of lines that do not name theirs.")
]
Policies = Annotated[
    str, typer.Option("--policies", metavar="NAME", help="A preset, or choices: orphans=keep,blank=error.")
]
PortablePolicies = Annotated[
    str, typer.Option("--policies", metavar="NAME", help="A preset, or choices: portable,thinking=as_text.")
]
