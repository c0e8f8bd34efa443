"""Packages of some wires: `gen build --package`, `gen check --package` and `gen vendor`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from promptwire_cli.exits import DIFFERENT, FINE, fail
from promptwire_cli.options import Format
from promptwire_gen.cli.compiled import compile_or_exit, exit_on_problems, judge_wires, print_drift
from promptwire_gen.cli.program import answered

if TYPE_CHECKING:
    from promptwire_gen.compilation import Compilation
    from promptwire_gen.layout import Layout
    from promptwire_gen.sink import Drift

    from ..private_package import PrivatePackage

Wire = Annotated[str, typer.Argument(metavar="WIRE", show_default=False, help="Its name: openai_chat.")]
Out = Annotated[
    Path, typer.Option("--out", metavar="DIR", show_default=False, help="The folder, a package of its own.")
]


def build_package(name: str, wires: Sequence[str], out: Path | None, form: Format) -> int:
    """Write a package with only these wires into a folder, and a pyproject.toml if the folder has none."""
    from promptwire_gen.sink import write

    folder = Path.cwd() if out is None else out
    layout, compilation, package = _compile_package(name, wires, form)
    with exit_on_problems(layout, form, compilation.sources):
        drift = write(
            package.files, folder / name, approve=partial(_judge_changed, layout, compilation, wires)
        )
    if form is Format.JSON:
        print_drift(drift, form, name, problems=compilation.problems)
        return FINE
    kept = len(package.files) - len(drift.missing) - len(drift.stale)
    written = f"{len(drift.missing)} new, {len(drift.stale)} changed"
    typer.echo(f"{(folder / name).as_posix()}/: {written}, {len(drift.orphan)} removed, {kept} unchanged")
    project = folder / "pyproject.toml"
    # a link that leads nowhere is there too
    if not os.path.lexists(project):
        project.write_text(package.project, "utf-8")
        typer.echo(
            f"{project.as_posix()}: new; pip install -e {folder.as_posix()} announces the wires to promptwire"
        )
    return FINE


def check_package(name: str, wires: Sequence[str], out: Path | None, form: Format) -> int:
    """Check that a package with only these wires is current."""
    from promptwire_gen.sink import compare

    folder = Path.cwd() if out is None else out
    _, compilation, package = _compile_package(name, wires, form, anew=True)
    drift = compare(package.files, folder / name)
    if drift.current and form is not Format.JSON:
        typer.echo(f"{(folder / name).as_posix()}/ is current ({len(package.files)} files)")
        return FINE
    command = f"gen build --package {name} --out {folder.as_posix()} {' '.join(wires)}"
    print_drift(drift, form, name, problems=compilation.problems, command=command)
    return FINE if drift.current else DIFFERENT


@answered
def vendor(wire: Wire, out: Out) -> int:
    """Write one folder that holds a wire and all that it needs of promptwire.

    The folder is a package that imports nothing but the standard library; put it anywhere in your own package. Its
    request classes are in the package promptwire_runtime inside it.
    """
    from promptwire_gen.sink import write

    from ..vendoring import runtime_folder, vendored

    layout, compilation = compile_or_exit([wire], Format.TEXT)
    with exit_on_problems(layout):
        files = vendored(compilation, wire, runtime_folder())
        drift = write(files, out)
    written = f"{len(drift.missing)} new, {len(drift.stale)} changed, {len(drift.orphan)} removed"
    typer.echo(f"{out.as_posix()}/: {written}; import {out.name}.{wire} and {out.name}.promptwire_runtime")
    return FINE


def _judge_changed(layout: Layout, compilation: Compilation, wires: Sequence[str], drift: Drift) -> None:
    """Judge the examples of the wires whose files change."""
    changed = {path.partition("/")[0] for path in drift.changed}
    judge_wires(layout, compilation, [wire for wire in wires if wire in changed])


def _compile_package(
    name: str, wires: Sequence[str], form: Format, *, anew: bool = False
) -> tuple[Layout, Compilation, PrivatePackage]:
    """Compile a package; if it cannot have this name, or has no wires, print that and exit."""
    from ..private_package import PackageError, check_name, private_package

    try:
        check_name(name, wires)
    except PackageError as error:
        raise typer.Exit(fail(f"gen: {error}")) from None
    layout, compilation = compile_or_exit(wires, form, anew=anew)
    return layout, compilation, private_package(compilation, layout, name, wires)
