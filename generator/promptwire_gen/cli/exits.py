"""Exit codes, and how errors are printed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

# the most problems that are printed
MOST_SHOWN = 1000
FINE, DIFFERENT, WRONG, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143
NEEDS_COMPILER = 'gen needs the compiler: pip install "promptwire[gen]"'
_EXTRA = frozenset({"jinja2", "libcst", "pydantic", "rich", "ruff", "typer", "yaml"})

Arguments = ParamSpec("Arguments")


def is_missing_extra(error: ModuleNotFoundError) -> bool:
    """Return whether a package of the extra `gen` is missing."""
    return (error.name or "").partition(".")[0] in _EXTRA


def answered(command: Callable[Arguments, int]) -> Callable[Arguments, None]:
    """Wrap a command that returns its exit code: known errors are printed and exit 2, Ctrl-C exits 130."""

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
        except KeyboardInterrupt:
            code = INTERRUPTED
        except ModuleNotFoundError as error:
            if not is_missing_extra(error):
                raise
            code = fail(NEEDS_COMPILER)
        except Exception as error:
            if not isinstance(error, _our_errors()):
                raise
            code = fail(f"gen: {error}")
        if code != FINE:
            raise SystemExit(code)

    return run


def fail(text: str) -> int:
    """Print a text on stderr, at most a thousand lines; return the exit code for problems in the input."""
    lines = text.split("\n", MOST_SHOWN)
    if len(lines) > MOST_SHOWN:
        lines[-1] = and_more(lines[-1].count("\n") + 1)
    sys.stderr.write("\n".join(lines) + "\n")
    return WRONG


def and_more(count: int) -> str:
    """Return a line with the number of problems that are not printed."""
    return f"and {count:,} more"


def _our_errors() -> tuple[type[Exception], ...]:
    # imported after a failure only
    from ..layout import LayoutError
    from ..problems import SpecError
    from ..replay.generated import ReplayError
    from ..scaffold import ScaffoldError
    from ..sink import SinkError

    return (LayoutError, SinkError, SpecError, ScaffoldError, ReplayError)
