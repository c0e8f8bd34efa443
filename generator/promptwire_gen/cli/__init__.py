"""The command `gen`: arguments, printing and exit codes; every decision is taken elsewhere.

Exit codes: 0 fine, 1 not current, not reproduced or with findings, 2 problems in the input, 130 interrupted,
143 terminated.
"""

from __future__ import annotations

import gc
import io
import signal
import sys

from .exits import INTERRUPTED, NEEDS_COMPILER, TERMINATED, WRONG, is_missing_extra

_OBJECTS = 500_000


def _terminated(*_: object) -> None:
    raise SystemExit(TERMINATED)


def main() -> None:
    """Run the command line; without the extra `gen` installed, say how to install it."""
    # every command makes many objects and hardly any garbage: looking for it so often takes a fifth of the time
    gc.set_threshold(_OBJECTS)
    # what is at work ends its processes and tidies up, as after Ctrl-C
    signal.signal(signal.SIGTERM, _terminated)
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
    finally:
        # nor is there any to look for at the end
        gc.freeze()
