"""The day of a build, for facts that hold from a day or until one."""

from __future__ import annotations

from contextvars import ContextVar
from time import gmtime, strftime, time

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from contextvars import Token

_SECONDS = 86_400
_chosen: ContextVar[str | None] = ContextVar("day", default=None)
# the present day, and when it ends
_present: tuple[str, float] = ("", 0.0)


def today() -> str:
    """Return the day for which rules are decided, as an ISO date: that of `on_day`, or the present one in UTC."""
    global _present  # noqa: PLW0603  # formatting a date takes longer than deciding
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    day, end = _present
    now = time()
    if not end - _SECONDS <= now < end:
        day = strftime("%Y-%m-%d", gmtime(now))
        _present = day, (now // _SECONDS + 1) * _SECONDS
    return day


class on_day:  # noqa: N801  # used like a function
    """Decide rules inside a `with` block as they hold on another day, such as `2026-12-01`; None for today."""

    __slots__ = ("_day", "_token")

    def __init__(self, day: str | None) -> None:
        self._day = day
        self._token: Token[str | None] | None = None

    def __enter__(self) -> None:
        self._token = _chosen.set(self._day)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _chosen.reset(self._token)
