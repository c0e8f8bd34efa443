"""The command `gen new-model`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from promptwire_cli.exits import FINE, fail
from promptwire_gen.cli.compiled import exit_on_problems
from promptwire_gen.cli.program import answered

if TYPE_CHECKING:
    from promptwire_tools.new_model import ModelFact, NewModel

_SHOWN_WIRES = 3


@answered
def new_model(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="Its name: gpt-6.3-sol.")],
    like: Annotated[
        str, typer.Option("--like", metavar="OTHER", show_default=False, help="The model that it resembles.")
    ],
) -> int:
    """Start the facts of a new model, which is taken for another one until its own are measured.

    Writes one line into the page of the family in provider_specs/models: under `profiles`, NAME: {like: OTHER}. From
    then on what OTHER refuses is a doubt for NAME: builds send it with a note, check lists it, nothing is refused on a
    guess. Prints where the line is, which facts NAME states (measured) and which are those of OTHER (inherited), each
    with its place.

    Then, as you measure or read the vendor's page:

    1. State each fact under `values` of the profile, with its source: it is refused from then on. Facts that hold on
       some APIs only stand under `on`.
    2. Run this command again to see what is still inherited, and `gen list WIRE --model NAME` for the whole table.
    3. When somebody says that all else is as with OTHER, cite it as the `source` of the profile: the inherited facts
       are its own then.
    """
    from promptwire_gen.layout import find_layout
    from promptwire_gen.plugins import find_plugins, plugin_calls
    from promptwire_tools.new_model import NewModelError, start_model

    layout = find_layout()
    with exit_on_problems(layout):
        files = layout.read_specs(plugin_calls.list_spec_folders(find_plugins()))
        paths = layout.find_spec_files()
        try:
            model = start_model(files, name, like)
        except NewModelError as error:
            return fail(f"gen: {error}")
    if model.is_new:
        if model.file not in paths:
            return fail(
                f"gen: {model.file} is shipped with the compiler; copy it to provider_specs/models first"
            )
        paths[model.file].write_text(model.text, "utf-8")
    _print(model, name, like)
    return FINE


def _print(model: NewModel, name: str, like: str) -> None:
    typer.echo(f"{model.file}:{model.line}: {'wrote' if model.is_new else 'has'} {name}: {{like: {like}}}")
    typer.echo(f"\nmeasured of {name} ({len(model.measured)}): refused, with their sources")
    _print_facts(model.measured)
    typer.echo(f"\ninherited from {model.known} ({len(model.inherited)}): doubts, never refused")
    _print_facts(model.inherited)
    typer.echo("\nnext: gen build; gen list WIRE --model " + name)


def _print_facts(facts: Sequence[ModelFact]) -> None:
    for fact in facts:
        more = len(fact.wires) - _SHOWN_WIRES
        wires = ", ".join(fact.wires[:_SHOWN_WIRES]) + (f" and {more} more" if more > 0 else "")
        typer.echo(f"  {fact.place.file}:{fact.place.line}: {', '.join(fact.conditions)}")
        typer.echo(f"    {fact.because} ({wires})")
