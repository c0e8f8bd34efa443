"""The command line `promptwire`: its errors, and the packages that it needs."""

from __future__ import annotations

from importlib import import_module

from .exits import Program

NEEDS_EXTRA = 'promptwire needs the packages of its command line: pip install "promptwire[cli]"'
_NEEDS_SERVE = 'promptwire serve needs a server: pip install "promptwire[cli,serve]"'
_MISSING = {
    **dict.fromkeys(("anyio", "httpx", "rich", "typer", "yaml"), NEEDS_EXTRA),
    **dict.fromkeys(("prometheus_client", "starlette", "uvicorn"), _NEEDS_SERVE),
}


def _own_errors() -> tuple[type[Exception], ...]:
    # imported after a failure only
    from .views.generated import CommandError

    errors = import_module("promptwire_runtime.errors")
    return (CommandError, errors.PromptwireError, OSError)


PROGRAM = Program("promptwire", _MISSING, _own_errors)
answered = PROGRAM.answered
