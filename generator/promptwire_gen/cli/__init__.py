"""The command `gen`: arguments, printing and exit codes; every decision is taken elsewhere.

Exit codes: 0 fine, 1 not current or not reproduced, 2 problems in the input, 130 interrupted.
"""

from __future__ import annotations

import io
import sys

from .exits import INTERRUPTED, NEEDS_COMPILER, WRONG, is_missing_extra


def main() -> None:
    """Run the command line; without the extra `gen` installed, say how to install it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # what a terminal cannot show (half a surrogate pair in a body) is printed escaped
            stream.reconfigure(errors="backslashreplace")
    try:
        from .app import app

        app(prog_name="gen")
    except ModuleNotFoundError as error:
        if not is_missing_extra(error):
            raise
        sys.stderr.write(NEEDS_COMPILER + "\n")
        raise SystemExit(WRONG) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
