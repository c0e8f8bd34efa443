"""The command `gen codemod`, which renames old public names in a project."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from promptwire_cli.exits import FINE, fail
from promptwire_gen.cli.program import answered

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

    from ..codemods import CodemodError, rename, rename_policies
    from ..renamed_names import RENAMED_NAMES

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
