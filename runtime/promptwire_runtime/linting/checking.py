"""All problems of a request at once, found by a strict build that continues after each error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..build.wire import Wire
from ..errors import Problem
from ..model.request import Request
from ..repairs.engine import errors_left
from ..repairs.registry import with_outcomes
from ..reporting.policies import PRESETS, STRICT
from ..rules.doubts import words_of_doubt


def check(
    build: Callable[..., Any], request: Request, wire: Wire, settings: Mapping[str, Any] | None
) -> tuple[Problem, ...]:
    """Return all problems of a request in the order of a strict build, then doubts; `build` is the one of the wire."""
    problems = map(with_outcomes, errors_left(build, request, wire, settings, STRICT))
    return (*problems, *doubts_about(request, wire, settings))


def doubts_about(request: Request, wire: Wire, settings: Mapping[str, Any] | None) -> list[Problem]:
    """Return what the rules for the nearest known model reject in the request of an unknown one."""
    chosen = wire.take_settings(settings) if settings is not None else None
    profile = wire.profile(request.model, chosen)
    found: list[Problem] = []
    for check in profile.doubts(request) if profile.nearest_model else ():
        reason = words_of_doubt(check, wire.judged(request.model, chosen) or "", profile.nearest_model)
        doubt = Problem(reason, what="doubt", field=check.condition.path.text, source=check.rule.source)
        doubt.outcomes = dict.fromkeys(PRESETS, "sent, with a note") | {"verbatim": "sent"}
        found.append(doubt)
    return found
