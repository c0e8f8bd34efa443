"""Exit codes, and how errors are printed."""

from __future__ import annotations

import gc
import io
import signal
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec

# the most problems that are printed
MOST_SHOWN = 1000
FINE, DIFFERENT, WRONG, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143
_OBJECTS = 500_000

Arguments = ParamSpec("Arguments")
Command = Callable[Arguments, int]


class Program:
    """A command line: its name, the packages that it needs with the text that says how to get them, and its errors."""

    def __init__(
        self,
        name: str,
        missing: Mapping[str, str],
        own_errors: Callable[[], tuple[type[Exception], ...]],
    ) -> None:
        """Store the three."""
        self.name = name
        self.missing = missing
        self.own_errors = own_errors

    def run(self, start: Callable[[], None]) -> None:
        """Run the command line that `start` imports and calls. If a package is missing, print how to install it."""
        # every command creates many objects and little garbage: collecting so often costs a fifth of the time
        gc.set_threshold(_OBJECTS)
        # end like after Ctrl-C, so that worker processes and temporary files are cleaned up
        signal.signal(signal.SIGTERM, _terminated)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # escape what a terminal cannot show, such as an unpaired surrogate in a body
                stream.reconfigure(errors="backslashreplace")
        try:
            start()
        except ModuleNotFoundError as error:
            sys.stderr.write(self.advice(error) + "\n")
            raise SystemExit(WRONG) from None
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        finally:
            # skip the final collection too
            gc.freeze()

    def advice(self, error: ModuleNotFoundError) -> str:
        """Return how to install the package that is missing. Raises the error if it is not one of an extra."""
        if error.name == "libyaml":
            return f"{self.name}: {error}"
        advice = self.missing.get((error.name or "").partition(".")[0])
        if advice is None:
            raise error
        return advice

    def answered(self, command: Callable[Arguments, int]) -> Callable[Arguments, None]:
        """Wrap a command that returns its exit code: known errors are printed and exit 2, Ctrl-C exits 130."""

        @wraps(command)
        def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
            try:
                code = command(*args, **kwargs)
            except KeyboardInterrupt:
                code = INTERRUPTED
            except ModuleNotFoundError as error:
                code = fail(self.advice(error))
            except BrokenPipeError:
                # the reader of the output has left
                raise
            except Exception as error:
                if not isinstance(error, self.own_errors()):
                    raise
                code = fail(f"{self.name}: {_text_of(error)}")
            if code != FINE:
                raise SystemExit(code)

        return run


def _text_of(error: Exception) -> str:
    """Return the text of an error; a missing setting is named as the option that gives it."""
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    missing = getattr(error, "missing", None) or getattr(error.__cause__, "missing", None)
    if not missing:
        return str(error)
    return f"{str(error).partition('; pass ')[0]}; pass --setting {missing}=VALUE"


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


def _terminated(*_: object) -> None:
    raise SystemExit(TERMINATED)
