"""The command `promptwire policies`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from .exits import FINE
from .options import AsJson
from .program import answered
from .terminal import show_json

OneGroup = Annotated[
    str,
    typer.Argument(
        metavar="[GROUP]", help="build, repairs, context, prompts or execution.", show_default=False
    ),
]


@answered
def list_policies(group: OneGroup = "", as_json: AsJson = False) -> int:
    """Print all policies: the cases in which each decides, its choices, and what the presets choose.

    The first choice is the default. `--policies portable,thinking=as_text` chooses a preset and single choices.
    """
    from promptwire_runtime.errors import PolicyError
    from promptwire_runtime.reporting.policy_table import policies

    try:
        rows = policies(group)
    except PolicyError as error:
        raise typer.BadParameter(str(error)) from None
    if as_json:
        show_json([asdict(row) for row in rows], default=dict)
        return FINE
    for each in dict.fromkeys([row.group for row in rows]):
        typer.echo(f"{each}:")
        for row in [row for row in rows if row.group == each]:
            default = next(iter(row.choices))
            chosen = [f"{preset} {word}" for preset, word in row.presets.items() if word != default]
            typer.echo(f"  {row.name}: {row.about}" + (f" ({', '.join(chosen)})" if chosen else ""))
            for word, does in row.choices.items():
                typer.echo(f"    {word}  {does}")
    return FINE
