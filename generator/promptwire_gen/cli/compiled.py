"""Compile the project for a command; print problems, differences and failures as text, JSON or GitHub annotations."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

import typer

from promptwire_cli.exits import MOST_SHOWN, WRONG, and_more, fail
from promptwire_cli.options import Format, property_text
from promptwire_cli.terminal import working

from ..problems import SpecProblem, as_json, as_text, format_github

if TYPE_CHECKING:
    from ..compilation import Compilation
    from ..layout import Layout


def compile_or_exit(
    wires: Sequence[str] | None, form: Format, *, anew: bool = False
) -> tuple[Layout, Compilation]:
    """Compile the project; on problems in the input, print them and exit.

    `anew` skips the cache.
    """
    compile_specs: Callable[..., Compilation]
    if anew:
        from ..pipeline import compile_project

        compile_specs = compile_project
    else:
        from ..build_cache import compile_cached

        compile_specs = compile_cached
    from ..layout import find_layout

    layout = find_layout()
    with exit_on_problems(layout, form), working("compiling") as say:
        compilation = compile_specs(layout, wires=wires, progress=say)
    if compilation.problems and form is not Format.JSON:
        print_problems(compilation.problems, compilation.sources, form)
    return layout, compilation


def judge_wires(layout: Layout, compilation: Compilation, wires: Sequence[str]) -> None:
    """Raise SpecError if one of these wires builds or reads an example differently."""
    from promptwire_tools.replay.judging import judge

    from ..problems import SpecError

    own = layout.find_own_specs()
    # shipped specs were judged before they were shipped
    wires = wires if own is None else [wire for wire in wires if wire in own]
    with working("judging examples"):
        problems = judge(compilation, wires) if wires else []
    if problems:
        raise SpecError(problems)


@contextmanager
def exit_on_problems(
    layout: Layout, form: Format = Format.TEXT, sources: Mapping[str, str] | None = None
) -> Generator[None]:
    """Print problems in the input of a project, and exit; `sources` is what was read of it."""
    from ..problems import SpecError

    try:
        yield
    except SpecError as error:
        print_problems(error.problems, _read_sources(layout) if sources is None else sources, form)
        raise typer.Exit(WRONG) from None
    except Exception as error:
        reason = _describe_error(error, layout)
        if reason is None:
            raise
        raise typer.Exit(fail(f"gen: {reason}")) from None


def _describe_error(error: Exception, layout: Layout) -> str | None:
    """Return the message for an error in a template, a plugin or a wire's name; None for a defect of the compiler."""
    # a module is only looked up if it is loaded: its errors cannot come from elsewhere, and a cached build needs none
    from jinja2 import TemplateError

    from ..compilation import UnknownWire
    from ..emit.format import FormatError
    from ..plugins import PluginError

    if isinstance(error, TemplateError):
        return f"{find_template_line(error, layout.root)}{error}"
    return str(error) if isinstance(error, (FormatError, PluginError, UnknownWire)) else None


def _read_sources(layout: Layout) -> dict[str, str]:
    from ..plugins import find_plugins, plugin_calls

    return layout.read_specs(plugin_calls.list_spec_folders(find_plugins()))


if TYPE_CHECKING:
    from ..sink import Drift


_MOST_LINES = 12


def print_problems(problems: Sequence[SpecProblem], sources: Mapping[str, str], form: Format) -> None:
    """Print problems of the specs, at most a thousand.

    As JSON: an object with the list `problems`, and `left_out` if there are more.
    """
    more = [and_more(len(problems) - MOST_SHOWN)] if len(problems) > MOST_SHOWN else []
    match form:
        case Format.TEXT:
            sys.stderr.write("\n".join([as_text(problems[:MOST_SHOWN], sources), *more]) + "\n")
        case Format.GITHUB:
            lines = [format_github(problems[:MOST_SHOWN]), *(f"::error::{text}" for text in more)]
            sys.stdout.write("\n".join(lines) + "\n")
        case Format.JSON:
            sys.stdout.write(json.dumps(_describe_problems(problems), indent=2) + "\n")


def _describe_problems(problems: Sequence[SpecProblem]) -> dict[str, Any]:
    answer: dict[str, Any] = {"problems": json.loads(as_json(problems[:MOST_SHOWN]))}
    if len(problems) > MOST_SHOWN:
        answer["left_out"] = len(problems) - MOST_SHOWN
    return answer


def print_drift(
    drift: Drift,
    form: Format,
    folder: str,
    *,
    problems: Sequence[SpecProblem] = (),
    diffs: Sequence[str] = (),
    command: str | None = None,
) -> None:
    """Print which files differ, then the command that fixes it.

    As JSON: one object with `problems`, the lists `stale`, `missing`, `orphan`, `foreign`, and `run`.
    """
    kinds = {kind: list(paths) for kind, paths in asdict(drift).items()}
    listed = [(kind, f"{folder}/{path}") for kind, paths in kinds.items() for path in paths]
    if form is Format.JSON:
        answer = {
            **_describe_problems(problems),
            **kinds,
            "run": None if drift.current else command,
        }
        lines = [json.dumps(answer, indent=2)]
    elif form is Format.GITHUB:
        lines = [
            f"::error file={property_text(path)},title={kind}::{kind}: run {command}" for kind, path in listed
        ]
    else:
        listing = [f"{kind:<8} {path}" for kind, path in listed]
        aside = ["move foreign files away first: they carry no generated mark"] if drift.foreign else []
        lines = [*diffs, *listing, *aside, f"run: {command}"]
    sys.stdout.write("\n".join(lines) + "\n")


def shorten_diff(text: str) -> str:
    """Cut a diff after its first lines, and append the number of the others."""
    lines = text.splitlines(keepends=True)
    if len(lines) <= _MOST_LINES:
        return text
    return "".join(
        [*lines[:_MOST_LINES], f"... {len(lines) - _MOST_LINES} more lines: gen diff shows them\n"]
    )


def find_template_line(error: Exception, root: Path) -> str:
    """Return the template line in which an error occurred: `templates/module.py.j2:12: `."""
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
    if not frames:
        return "templates: "
    path = Path(frames[-1].filename)
    place = path.relative_to(root) if path.is_relative_to(root) else path
    return f"{place.as_posix()}:{frames[-1].lineno}: "
