"""The command `gen new`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from promptwire_cli.exits import FINE, WRONG, fail
from promptwire_cli.options import Format
from promptwire_gen.cli.compiled import find_template_line, print_problems
from promptwire_gen.cli.program import answered

if TYPE_CHECKING:
    from promptwire_gen.layout import Layout


@answered
def new(
    wire: Annotated[str, typer.Argument(metavar="WIRE", show_default=False, help="Its name: acme_chat.")],
    like: Annotated[
        str | None, typer.Option("--like", metavar="WIRE", help="The wire that it resembles.")
    ] = None,
    from_sdk: Annotated[
        str | None,
        typer.Option("--from-sdk", metavar="MODULE:TYPE", help="The type of its body in an installed SDK."),
    ] = None,
    from_openapi: Annotated[
        str | None,
        typer.Option(
            "--from-openapi", metavar="FILE", help="Its OpenAPI description; FILE:/PATH names one path."
        ),
    ] = None,
    in_folder: Annotated[
        bool, typer.Option("--folder", help="Write a folder: wire.yaml, rules.yaml, examples/basics.yaml.")
    ] = False,
) -> int:
    """Start a spec: plain, a patch over another, or a draft.

    A draft lists what the types do not say as problems to settle.

    Writes provider_specs/WIRE.yaml, which builds and passes its tests at once. Overwrites nothing.
    """
    if sum(given is not None for given in (like, from_sdk, from_openapi)) > 1:
        return fail("gen: --like, --from-sdk and --from-openapi exclude each other")
    return _write_spec(wire, like, (from_sdk, from_openapi), in_folder=in_folder)


def _write_spec(wire: str, like: str | None, types: tuple[str | None, str | None], *, in_folder: bool) -> int:
    """Write the spec, over another wire or from types of an SDK or a description, and print the next steps."""
    from jinja2 import TemplateError

    from promptwire_gen.layout import find_layout
    from promptwire_gen.plugins import PluginError, find_plugins, plugin_calls
    from promptwire_gen.problems import SpecError

    from ..scaffold import scaffold_spec, to_settle
    from ..sdk_types.draft_sources import drafted_from
    from ..sdk_types.kinds import SdkError

    layout = find_layout()
    folders: list[Path] = []
    try:
        folders = plugin_calls.list_spec_folders(find_plugins())
        drafted = drafted_from(*types)
        path = scaffold_spec(wire, layout, like=like, in_folder=in_folder, drafted=drafted, more=folders)
    except SpecError as error:
        print_problems(error.problems, layout.read_specs(folders), Format.TEXT)
        return WRONG
    except (PluginError, SdkError) as error:
        return fail(f"gen: {error}")
    except TemplateError as error:
        return fail(f"gen: {find_template_line(error, layout.root)}{error}")
    for line in to_settle(path):
        typer.echo(f"{os.path.relpath(path.parent)}/{line}")
    _say_what_is_next(wire, path, layout)
    return FINE


def _say_what_is_next(wire: str, path: Path, layout: Layout) -> None:
    tests = os.path.relpath(layout.output / "tests")
    shown = os.path.relpath(path) + ("/" if path.is_dir() else "")
    typer.echo(f"wrote {shown}: fill it in, then run")
    # without an earlier build, build everything
    command = f"gen build {wire}" if layout.output.is_dir() else "gen build"
    typer.echo(f"  {command}\n  pytest {tests} -k {wire}")
