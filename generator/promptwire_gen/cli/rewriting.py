"""The commands that rewrite files: `gen fmt` formats specs, `gen codemod` renames old public names in a project."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from promptwire_cli.exits import DIFFERENT, FINE, fail
from promptwire_cli.options import Format

from .compiled import explaining
from .program import answered

Paths = Annotated[
    list[Path],
    typer.Argument(metavar="PATH...", show_default=False, help="Python files, or folders of them."),
]
AsDiff = Annotated[bool, typer.Option("--diff", help="Print the changes; write nothing.")]


@answered
def codemod(paths: Paths, as_diff: AsDiff = False) -> int:
    """Rename old names of promptwire in your Python files.

    Rewrites imports, the names that they bind, and attributes of imported modules, such as promptwire.OldName. Names
    from "import *" are not recognised. Policies and their choices get their present names and words. Hidden folders,
    virtual environments and links below a folder are left out.
    """
    from promptwire_text.files import replacing
    from promptwire_tools.codemods import CodemodError, rename, rename_policies
    from promptwire_tools.renamed_names import RENAMED_NAMES

    code, changed = FINE, 0
    files = [file for given in paths for file in _files(given)]
    for path in files:
        try:
            before = path.read_bytes()
            after = rename_policies(rename(before, RENAMED_NAMES))
            if after != before and not as_diff:
                with replacing(path) as stream:
                    stream.write(after)
        except CodemodError as error:
            code = fail(f"{path}:{error}")
            continue
        except OSError as error:
            code = fail(f"gen: {path}: {error.strerror or error}")
            continue
        if after != before:
            changed += 1
            typer.echo(_diff(path, before, after) if as_diff else str(path), nl=not as_diff)
    typer.echo(f"{changed} of {len(files)} files {'would change' if as_diff else 'changed'}")
    return code


def _files(path: Path) -> Iterator[Path]:
    """Yield a file, or the Python files below a folder in order."""
    if not path.is_dir():
        yield path
        return
    for inner in sorted(path.iterdir()):
        if inner.is_symlink():
            continue
        if inner.is_dir():
            if not (inner.name.startswith(".") or (inner / "pyvenv.cfg").exists()):
                yield from _files(inner)
        elif inner.suffix in (".py", ".pyi"):
            yield inner


def _diff(path: Path, before: bytes, after: bytes) -> str:
    old, new = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (before, after))
    return "".join(difflib.unified_diff(old, new, str(path), str(path)))


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
    from ..spec.formatting import format_changed

    layout = find_layout()
    files = layout.spec_files()
    sources = {file: text for file, text in layout.read_specs().items() if file in files}
    with explaining(layout, Format.TEXT, sources):
        changed = format_changed(sources)
    for file, text in changed.items():
        if not check:
            with replacing(files[file]) as stream:
                stream.write(text.encode())
        typer.echo(f"{'unformatted' if check else 'formatted'} {file}")
    advice = ": run gen fmt" if changed else ""
    typer.echo(f"{len(changed)} of {len(files)} files {f'would change{advice}' if check else 'changed'}")
    return DIFFERENT if check and changed else FINE
