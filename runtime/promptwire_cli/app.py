"""The commands of `promptwire`, in the order of its help."""

from __future__ import annotations

from typing import Annotated

import typer

from . import asking, batching, checking, converting, listing, policies, previewing, running, serving
from .exits import fail
from .options import Commands

app = Commands(context_settings={"help_option_names": ["-h", "--help"]})


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        typer.echo(f"promptwire {version('promptwire')}")
        raise typer.Exit


@app.callback()
def _whole(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Build, send, read and check requests of every LLM API."""


app.command(epilog='Example: promptwire ask openai_chat -m gpt-4o "How warm is Oslo?"')(asking.ask)
app.command(epilog="Example: promptwire preview openai_chat,anthropic_messages request.yaml")(
    previewing.preview
)
app.command(epilog="Example: promptwire explain gemini_generate request.yaml")(previewing.explain)
app.command(
    epilog="Example: promptwire convert batch.jsonl --to anthropic_messages --model claude-sonnet-4-5"
)(converting.convert)
app.command(
    epilog="Example: promptwire run requests.jsonl --to openai_chat --model gpt-5.2 -o answers.jsonl"
)(running.run)
app.add_typer(batching.app, name="batch")
app.command(epilog="Example: promptwire read openai_chat answer.json --to anthropic_messages")(
    previewing.read
)
app.command(epilog="Example: promptwire check openai_chat body.json")(checking.check)
app.command("lint", hidden=True)(checking.check)
app.command("list", epilog="Example: promptwire list openai_chat --model gpt-4o")(listing.list_wires)
app.command("policies", epilog="Example: promptwire policies repairs")(policies.list_policies)
app.command(epilog="Example: promptwire serve --as anthropic_messages --to llamacpp_chat --model '*=qwen3'")(
    serving.serve
)


@app.command(hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def roundtrip() -> None:
    """Refuse a command that moved, and name its new place."""
    raise SystemExit(
        fail("promptwire: roundtrip is a command of promptwire-gen now; run gen roundtrip FILE.jsonl...")
    )
