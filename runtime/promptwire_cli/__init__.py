"""The command `promptwire`: try requests, bodies and answers on every API, and ask them. The extra `cli`.

Exit codes: 0 success; 1 not reproduced, or with findings; 2 problems in the input; 130 interrupted; 143 terminated.
"""

from __future__ import annotations

from .program import PROGRAM


def main() -> None:
    """Run the command line."""

    def start() -> None:
        from .app import app

        app(prog_name="promptwire")

    PROGRAM.run(start)
