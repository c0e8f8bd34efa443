"""Arguments and options that several commands have, and the completion of names of wires in a shell."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand


class Format(StrEnum):
    """Output format: text goes to stderr, the others to stdout."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def as_annotation(path: str, line: int, title: str, message: str) -> str:
    """Format one finding as a workflow command, which GitHub shows beside the line."""
    text = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::error file={property_text(path)},line={line},title={property_text(title)}::{text}"


def property_text(text: str) -> str:
    """Escape the characters that end a property of a workflow command."""
    for mark in "%:,\r\n":
        text = text.replace(mark, f"%{ord(mark):02X}")
    return text


class Command(TyperCommand):
    """A command that refuses an option which is given twice and takes one value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Raises the usage error of the parser if an option with one value is given twice."""
        _, _, given = self.make_parser(ctx).parse_args(args=[*args])
        single: list[Any] = [option for option in given if _has_one_value(option)]
        for place, option in enumerate(single):
            if option in single[:place]:
                name = max(option.opts, key=len)
                ctx.fail(f"{name} is given {single.count(option)} times and takes one value; give it once.")
        return super().parse_args(ctx, args)


def _has_one_value(option: Any) -> bool:
    """Return whether the last of several values of a parameter would win; a flag without an opposite has one value."""
    if option.param_type_name != "option" or option.multiple or option.count:
        return False
    return not option.is_flag or bool(option.secondary_opts)


class Commands(typer.Typer):
    """The commands of a program, or of a group."""

    def __init__(self, **settings: Any) -> None:
        """Start without commands."""
        # importing rich would take longer than printing the help
        super().__init__(
            no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, **settings
        )

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = Command, **settings: Any
    ) -> Callable[[Any], Any]:
        """Return what registers a function as a command."""
        return super().command(name, cls=cls, **settings)


def completed_wire(incomplete: str) -> list[str]:
    """Return the wires whose names begin with a text."""
    from .views.generated import wire_names

    return [name for name in wire_names() if name.startswith(incomplete)]


def completed_wires(incomplete: str) -> list[str]:
    """Return the same for the last of several names with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in completed_wire(last)]


Wire = Annotated[str, typer.Argument(metavar="WIRE", show_default=False, autocompletion=completed_wire)]
Settings = Annotated[list[str] | None, typer.Option("--setting", metavar="NAME=VALUE", help="Repeatable.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
ModelThere = Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model there.")]
From = Annotated[
    str | None, typer.Option("--from", metavar="WIRE", help="The API of lines that do not name theirs.")
]
Policies = Annotated[
    str, typer.Option("--policies", metavar="NAME", help="A preset, or choices: orphans=keep,blank=error.")
]
PortablePolicies = Annotated[
    str, typer.Option("--policies", metavar="NAME", help="A preset, or choices: portable,thinking=as_text.")
]
