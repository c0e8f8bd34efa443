"""The command `gen`: arguments, output and exit codes. All other work is done elsewhere.

Exit codes: 0 success; 1 not current, not reproduced, or with findings; 2 problems in the input; 130 interrupted;
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
    """Run the command line. If the extra `gen` is not installed, print how to install it."""
    # every command creates many objects and little garbage: collecting so often costs a fifth of the time
    gc.set_threshold(_OBJECTS)
    # end like after Ctrl-C, so that worker processes and temporary files are cleaned up
    signal.signal(signal.SIGTERM, _terminated)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # escape what a terminal cannot show, such as an unpaired surrogate in a body
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
        # skip the final collection too
        gc.freeze()
