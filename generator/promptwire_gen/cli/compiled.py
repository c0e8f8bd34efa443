"""Compile the project for a command; print problems in its input, and exit."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from promptwire_cli.annotations import Format
from promptwire_cli.exits import WRONG, fail
from promptwire_cli.terminal import working

from .answers import print_problems, template_line

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
    with explaining(layout, form), working("compiling") as say:
        compilation = compile_specs(layout, wires=wires, progress=say)
    if compilation.problems and form is not Format.JSON:
        print_problems(compilation.problems, compilation.sources, form)
    return layout, compilation


def judge_wires(layout: Layout, compilation: Compilation, wires: Sequence[str]) -> None:
    """Raise SpecError if an example of one of these wires is not what the wire builds and reads."""
    from promptwire_tools.replay.judging import judge

    from ..problems import SpecError

    own = layout.own_specs()
    # shipped specs were judged before they were shipped
    wires = wires if own is None else [wire for wire in wires if wire in own]
    with working("judging examples"):
        problems = judge(compilation, wires) if wires else []
    if problems:
        raise SpecError(problems)


@contextmanager
def explaining(
    layout: Layout, form: Format = Format.TEXT, sources: Mapping[str, str] | None = None
) -> Generator[None]:
    """Print problems in the input of a project, and exit; `sources` is what was read of it."""
    from ..problems import SpecError

    try:
        yield
    except SpecError as error:
        print_problems(error.problems, _sources(layout) if sources is None else sources, form)
        raise typer.Exit(WRONG) from None
    except Exception as error:
        reason = _reason(error, layout)
        if reason is None:
            raise
        raise typer.Exit(fail(f"gen: {reason}")) from None


def _reason(error: Exception, layout: Layout) -> str | None:
    """Return what is wrong with a template, a plugin or a wire's name; None for a defect of the compiler."""
    # a module is only looked up if it is loaded: its errors cannot come from elsewhere, and a cached build needs none
    from jinja2 import TemplateError

    from ..compilation import UnknownWire
    from ..emit.format import FormatError
    from ..plugins import PluginError

    if isinstance(error, TemplateError):
        return f"{template_line(error, layout.root)}{error}"
    return str(error) if isinstance(error, (FormatError, PluginError, UnknownWire)) else None


def _sources(layout: Layout) -> dict[str, str]:
    from ..plugins import find_plugins, plugin_calls

    return layout.read_specs(plugin_calls.spec_folders(find_plugins()))
