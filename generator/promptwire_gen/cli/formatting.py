"""The command `gen fmt`."""

from __future__ import annotations

from typing import Annotated

import typer

from promptwire_cli.annotations import Format
from promptwire_cli.exits import DIFFERENT, FINE

from .compiled import explaining
from .program import answered


@answered
def fmt(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")
    ] = False,
) -> int:
    """Format the specs of the project.

    Writes facts and rules in block style, one claim a line, with the claim before its proof. Shapes and examples keep
    their flow style where it fits on the line. Old words are replaced by those that they were renamed to. Values,
    comments and their order stay as they are.
    """
    from promptwire_text.files import replacing

    from ..layout import find_layout
    from ..spec.formatting import unformatted

    layout = find_layout()
    files = layout.spec_files()
    sources = {file: text for file, text in layout.read_specs().items() if file in files}
    with explaining(layout, Format.TEXT, sources):
        changed = unformatted(sources)
    for file, text in changed.items():
        if not check:
            with replacing(files[file]) as stream:
                stream.write(text.encode())
        typer.echo(f"{'unformatted' if check else 'formatted'} {file}")
    advice = ": run gen fmt" if changed else ""
    typer.echo(f"{len(changed)} of {len(files)} files {f'would change{advice}' if check else 'changed'}")
    return DIFFERENT if check and changed else FINE
