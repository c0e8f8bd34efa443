"""Groups of commands, whose options with one value are given once: parsers of command lines keep the last silently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand


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
