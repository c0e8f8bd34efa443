"""The command line `gen`: its errors, and the packages that it needs."""

from __future__ import annotations

from promptwire_cli.exits import Program

NEEDS_COMPILER = "gen needs the compiler: pip install promptwire-gen"
_MISSING: dict[str, str] = dict.fromkeys(
    ("jinja2", "libcst", "pydantic", "rich", "ruff", "typer", "yaml"), NEEDS_COMPILER
)


def _list_own_errors() -> tuple[type[Exception], ...]:
    # imported after a failure only
    from promptwire_cli.views.generated import CommandError
    from promptwire_tools.scaffold import ScaffoldError

    from ..layout import LayoutError
    from ..problems import SpecError
    from ..sink import SinkError

    return (LayoutError, SinkError, SpecError, ScaffoldError, CommandError, OSError)


PROGRAM = Program("gen", _MISSING, _list_own_errors)
answered = PROGRAM.answered
