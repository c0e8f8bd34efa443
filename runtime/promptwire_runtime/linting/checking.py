"""All problems of a request at once, found by a strict build that continues after each error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..build.wire import Wire
from ..errors import Problem
from ..model.request import Request
from ..repairs.engine import errors_left
from ..repairs.outcomes import with_outcomes
from ..reporting.policies import STRICT


def check(
    build: Callable[..., Any], request: Request, wire: Wire, settings: Mapping[str, Any] | None
) -> tuple[Problem, ...]:
    """Return all problems of a request in the order of a strict build; `build` is the one of the wire."""
    return tuple(map(with_outcomes, errors_left(build, request, wire, settings, STRICT)))
