"""Read how long an API says to wait before a retry: durations, dates and times, in headers, bodies and messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..nodes.type_errors import check_class
from ..wire_json.kinds import is_object
from .error_bodies import with_details

LONGEST_WAIT = 366 * 86_400.0
"""A year, in seconds. A longer time to wait, such as `inf`, is told as this one."""

# unit -> its seconds; a plural may follow
_UNITS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3,
    "s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0,
    "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "d": 86_400.0, "day": 86_400.0,
}  # fmt: skip
_NUMBER = r"\d+(?:\.\d+)?"
_PIECE = rf"{_NUMBER}\s?(?:{'|'.join(sorted(_UNITS, key=len, reverse=True))})s?(?![a-zµμ])"
# `1h2m3.5s` as Go writes it, `587 hours 33 minutes`, `1 hour, 5 minutes and 3 seconds`
_DURATION = rf"{_PIECE}(?:,?\s?(?:and\s)?{_PIECE})*"
_OF_DURATION = re.compile(_DURATION, re.IGNORECASE)
_PIECES = re.compile(rf"({_NUMBER})\s?([a-zµμ]+)", re.IGNORECASE)
# a number without a unit is one of seconds, unless another word follows
_AGAIN = re.compile(
    r"(?:(?:try again|retry|wait|resets?)(?: (?:your|the) request)? (?:in|after|for)|wait)"
    rf" (?:about |approximately |another )?({_DURATION}|{_NUMBER}(?=\s*(?:[.,;:!)]|$)))",
    re.IGNORECASE,
)
# keys of a body -> how many of their unit are a second
_KEYS = {
    **dict.fromkeys(("retry_after", "retryAfter", "retry_after_seconds", "retryAfterSeconds"), 1.0),
    **dict.fromkeys(("retry_after_ms", "retryAfterMs"), 1000.0),
    **dict.fromkeys(("retryDelay", "resets_in_seconds", "quotaResetDelay"), 1.0),
}
# numbers of so many digits are seconds since 1970, longer ones milliseconds
_DIGITS_OF_SECONDS = 10


def seconds_of(value: Any, share: float = 1.0, now: Any = None) -> float | None:
    """Return the seconds to wait that a value says, between 0 and `LONGEST_WAIT`; None if it says none.

    Args:
        value: A number or a duration (`20m`, `6m0s`, `250ms`, `3 hours`); or a time: an HTTP date, an ISO 8601 time, or
            a number since 1970. A time that has passed is 0.
        share: How many of the unit of a number are a second.
        now: The `date` of the response, which is compared with times; without it, the clock is.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        text = str(value).strip()
    except ValueError:
        # an integer of thousands of digits
        return LONGEST_WAIT
    if text.isdecimal() and len(text) >= _DIGITS_OF_SECONDS and share == 1:
        return _until(text, now)
    try:
        return _bounded(float(text) / share)
    except ValueError:
        pass
    if _OF_DURATION.fullmatch(text):
        return _bounded(_duration(text))
    return _until(text, now)


def _bounded(seconds: float) -> float | None:
    """Return seconds up to the longest wait; None for negative ones, and for what is no number."""
    return min(seconds, LONGEST_WAIT) if seconds >= 0 else None


def _duration(text: str) -> float:
    pieces = [(number, unit.lower()) for number, unit in _PIECES.findall(text)]
    # a plural is no unit of its own
    return sum([float(number) * (_UNITS.get(unit) or _UNITS[unit[:-1]]) for number, unit in pieces])


def _until(text: str, now: Any) -> float | None:
    """Return the seconds from the response's date, or else from now, until a time."""
    from datetime import UTC, datetime

    try:
        since = _time(now) if isinstance(now, str) else datetime.now(UTC)
        until = _time(text)
    except OverflowError:
        # a number that is no time any more
        return LONGEST_WAIT
    except (ValueError, TypeError, OSError):
        return None
    return _bounded(max((until - since).total_seconds(), 0.0))


def _time(text: str) -> Any:
    """Return a time as a `datetime`.

    Raises:
        OverflowError: a number is beyond all years.
        ValueError, TypeError, OSError: the text is no time.
    """
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    if text.isdecimal():
        number = int(text) / (1000 if len(text) > _DIGITS_OF_SECONDS else 1)
        if number > datetime.max.replace(tzinfo=UTC).timestamp() - 1:
            raise OverflowError
        return datetime.fromtimestamp(number, UTC)
    time = datetime.fromisoformat(text) if text[:4].isdecimal() else parsedate_to_datetime(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


# ---- where they stand


def named_headers(headers: Mapping[Any, Any]) -> dict[str, Any]:
    """Return response headers by their names in lower case."""
    check_class(headers, Mapping, "headers")
    return {name.lower(): value for name, value in headers.items() if isinstance(name, str)}


def wait_of_headers(headers: Mapping[Any, Any]) -> float | None:
    """Return the retry delay in seconds from response headers, or None."""
    named = named_headers(headers)
    for name, share in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = seconds_of(named.get(name), share, named.get("date"))
        if seconds is not None:
            return seconds
    return None


def should_retry(headers: Mapping[Any, Any]) -> bool | None:
    """Return whether the API says in a header that a retry may succeed; None if it does not say so."""
    return {"true": True, "false": False}.get(str(named_headers(headers).get("x-should-retry")).lower())


def wait_of_resets(headers: Mapping[Any, Any], body: Any) -> float | None:
    """Return the seconds until the last limit is restored that was reached, from the headers or the body.

    OpenRouter repeats the headers in the body (dirge-code/dirge issue 718, 2026-07); OpenAI counts requests and tokens
    (vectorize-io/hindsight PR 3508, 2026-08), as Anthropic does (anthropics/anthropic-sdk-typescript issue 357), which
    has limits of hours and weeks as well, with a status each (`anthropic-ratelimit-unified-5h-reset`).
    """
    named = named_headers(headers)
    inner = [item.get("headers") for item in with_details(body)]
    sources = [named, *[named_headers(item) for item in inner if is_object(item)]]
    waits = [
        seconds_of(value, now=named.get("date"))
        for source in sources
        for name, value in source.items()
        if "ratelimit" in name and "reset" in name and _is_reached(source, name)
    ]
    return max([wait for wait in waits if wait], default=None)


def _is_reached(headers: Mapping[str, Any], reset: str) -> bool:
    """Return whether nothing remains of a limit, or the headers say neither what remains of it nor its status."""
    remaining = headers.get(reset.replace("reset", "remaining"))
    status = headers.get(reset.replace("reset", "status"))
    return str(remaining) == "0" or status == "rejected" or (remaining is None and status is None)


def wait_of_body(body: Any, message: str) -> float | None:
    """Return the retry delay in seconds from keys, those of Google's details among them, or from the message text."""
    told = [
        seconds
        for item in _objects(body)
        for key, share in _KEYS.items()
        if (seconds := seconds_of(item.get(key), share)) is not None
    ]
    if told:
        return max(told)
    again = _AGAIN.search(message)
    return None if again is None else seconds_of(again[1])


def _objects(body: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a body that may hold error fields, and what the details of Google's errors hold."""
    for item in with_details(body):
        yield item
        if is_object(inner := item.get("metadata")):
            yield inner
