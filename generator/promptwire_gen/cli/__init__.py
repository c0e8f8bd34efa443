"""The command `gen`: arguments, output and exit codes. All other work is done elsewhere.

Exit codes: 0 success; 1 not current, not reproduced, or with findings; 2 problems in the input; 130 interrupted;
143 terminated.
"""

from __future__ import annotations

from .program import PROGRAM


def main() -> None:
    """Run the command line. If the extra `gen` is not installed, print how to install it."""

    def start() -> None:
        from .app import app

        app(prog_name="gen")

    PROGRAM.run(start)
