"""The commands of `gen`, in the order of its help."""

from __future__ import annotations

from typing import Annotated

import typer

from promptwire_cli import checking, previewing
from promptwire_cli.options import Commands
from promptwire_tools.commands import (
    new_models,
    packaging,
    recordings,
    renaming,
    scaffolding,
    showing,
    verifying,
)

from ..installed import read_own_version
from . import compiling, listing

app = Commands(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})


def _say_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"promptwire {read_own_version()}")
        raise typer.Exit


@app.callback()
def _root_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Compile provider specs into typed request builders. `promptwire` tries them."""


app.command(epilog="Example: gen new acme_chat --like openai_like")(scaffolding.new)
app.command("new-model", epilog="Example: gen new-model gpt-6.3-sol --like gpt-6.2-sol")(new_models.new_model)
app.command(epilog="Example: gen build anthropic_messages")(compiling.build)
app.command(epilog="Example: gen check")(compiling.check)
app.command(epilog="Example: gen fmt --check")(showing.fmt)
app.command(epilog="Example: gen vendor openai_chat --out src/acme/llm")(packaging.vendor)
app.command(epilog="Example: gen diff openai_chat")(compiling.diff)
app.command(epilog="Example: gen codemod src")(renaming.codemod)
app.command("list", epilog="Example: gen list openai_chat")(listing.list_wires)
app.command(epilog="Example: gen show deepseek_chat body")(showing.show)
app.command(epilog="Example: gen schema > provider_spec.schema.json")(compiling.schema)
app.command(epilog="Example: gen verify openai_chat")(verifying.verify)
app.command(epilog="Example: gen roundtrip recorded.jsonl --worst 3")(recordings.roundtrip)
# the old names of commands of `promptwire`
for _name, _command in (("preview", previewing.preview), ("read", previewing.read), ("lint", checking.check)):
    app.command(_name, hidden=True)(_command)
