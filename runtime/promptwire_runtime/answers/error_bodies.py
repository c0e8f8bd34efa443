"""Read what the errors of any host hold: their objects, Google's details, and the time to wait before a retry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..nodes.type_errors import check_class
from ..wire_json.kinds import is_list, is_object
from .answer_shapes import as_word

_LONGEST_WAIT = 86_400.0
# keys whose object, or the first of whose objects, says what the error is
_INNER = ("error", "errors", "detail", "message", "fault", "base_resp", "Output", "choices")
_MOST_HOLDERS = 5
_WAITS = (
    "retry_after", "retryAfter", "retry_after_seconds", "retryAfterSeconds", "retryDelay", "resets_in_seconds",
)  # fmt: skip
_DURATION = r"((?:\d+h)?(?:\d+m(?!s))?(?:\d+(?:\.\d+)?(?:ms|s)?)?)"
_AGAIN = re.compile(
    rf"(?:(?:try again|retry|wait)(?: your request)? (?:in|after|for)|wait) {_DURATION}"
    r"(?: ?(seconds?|minutes?|ms|s))?\b",
    re.IGNORECASE,
)
# kinds of errors without a status or a known word, which is how most hosts tell them in streams and with the status 200
_OF_KINDS = {
    "auth": re.compile(
        r"(invalid|incorrect|missing|expired|wrong) (api[ _-]?key|token|credential|authentication)"
        r"|api[ _-]?key (is )?invalid|unauthori[sz]ed|authentication",
        re.IGNORECASE,
    ),
    "rate_limit": re.compile(
        r"rate[ _-]?limit|too many requests|quota|insufficient[ _](balance|credits?|funds)"
        r"|credits? (exhausted|expired)|request limit reached",
        re.IGNORECASE,
    ),
    "overloaded": re.compile(
        r"overloaded|at capacity|over_capacity|unavailable|timed[ -]?out"
        r"|(gateway|request|upstream)[ _]?timeout|server is busy|high demand",
        re.IGNORECASE,
    ),
    "not_found": re.compile(
        r"model.{0,80}(does not exist|not[ _]?found)|no such model|not[ _]?found[ _]?error", re.IGNORECASE
    ),
    "invalid_request": re.compile(r"bad ?request|invalid[ _]?(request|argument|param)", re.IGNORECASE),
}
_NO_QUOTA = re.compile(r"limit: 0\b")
# a duration as Go writes it, or seconds; numbers of ten digits are seconds since 1970, longer ones milliseconds
_OF_TIME = re.compile(_DURATION)
_DIGITS_OF_SECONDS = 10
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def holders(body: Any, most: int = _MOST_HOLDERS) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a body that may hold error fields, innermost first."""
    if is_list(body):
        body = body[0] if body else None
    if not is_object(body) or not most:
        return
    for key in _INNER:
        yield from holders(body.get(key), most - 1)
    yield body


def handed_on(body: Any) -> list[str]:
    """Return what gateways hand on of the errors of the APIs behind them, as OpenRouter does in `metadata.raw`."""
    found = [item.get("metadata") for item in holders(body)]
    raw = [item.get("raw") for item in found if is_object(item)]
    return [text for text in raw if isinstance(text, str)]


def kind_of_text(text: str) -> str | None:
    """Return the kind of an error that its message tells, or the words of a client for its kind (`RateLimitError`)."""
    return next((kind for kind, pattern in _OF_KINDS.items() if pattern.search(text)), None)


def error_of_choice(body: Mapping[str, Any]) -> Any:
    """Return the error that stands in an element of a list of the body, as OpenRouter says why a choice failed."""
    rows = [row for value in body.values() if is_list(value) for row in value]
    return next((row["error"] for row in rows if is_object(row) and row.get("error")), None)


def google_details(body: Any) -> dict[str, str]:
    """Return the code and the field that the details of a Google error say, which are more exact than its status."""
    words: dict[str, str] = {}
    for row in with_details(body):
        kind = row.get("@type")
        said = kind.rpartition(".")[2] if type(kind) is str else ""
        if said == "ErrorInfo" and (reason := as_word(row.get("reason"))):
            words.setdefault("code", reason)
        violations = row.get("fieldViolations") if said == "BadRequest" else None
        for violation in violations if is_list(violations) else ():
            if is_object(violation) and (path := as_word(violation.get("field"))):
                words.setdefault("field", path)
    return words


def recovers(body: Any) -> bool:
    """Return whether an exceeded quota of Google is one of a minute, which a wait restores.

    Its message is the one of an account without credit, and a quota of a day or of 0 names a time to wait as well.
    """
    rows = [*with_details(body)]
    waits = any(str(row.get("@type")).endswith("google.rpc.RetryInfo") for row in rows)
    quotas = [violation for row in rows if is_list(row.get("violations")) for violation in row["violations"]]
    names = [str(quota.get("quotaId")) for quota in quotas if is_object(quota)]
    lasting = any("PerDay" in name for name in names) or any(
        _NO_QUOTA.search(str(row.get("message"))) for row in rows
    )
    return waits and bool(names) and not lasting


def wait_of_headers(headers: Mapping[Any, Any]) -> float | None:
    """Return the retry delay in seconds from response headers, or None."""
    named = named_headers(headers)
    for name, share in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _seconds(named.get(name), share)
        if seconds is not None:
            return seconds
    return _seconds_until(named.get("retry-after"), named.get("date"))


def named_headers(headers: Mapping[Any, Any]) -> dict[str, Any]:
    """Return response headers by their names in lower case."""
    check_class(headers, Mapping, "headers")
    return {name.lower(): value for name, value in headers.items() if isinstance(name, str)}


def _seconds(value: Any, share: float = 1.0) -> float | None:
    try:
        seconds = float(value) / share
    except (ValueError, TypeError, OverflowError):
        return None
    return seconds if 0 <= seconds <= _LONGEST_WAIT else None


def wait_of_resets(headers: Mapping[Any, Any], body: Any) -> float | None:
    """Return the seconds until the last limit is restored of which nothing remains, from the headers or the body.

    OpenRouter repeats the headers in the body (dirge-code/dirge issue 718, 2026-07); OpenAI counts requests and tokens
    (vectorize-io/hindsight PR 3508, 2026-08), as Anthropic does (anthropics/anthropic-sdk-typescript issue 357).
    """
    named = named_headers(headers)
    inner = [item.get("headers") for item in with_details(body)]
    sources = [named, *[named_headers(item) for item in inner if is_object(item)]]
    waits = [
        _seconds_until(str(value), named.get("date"))
        for source in sources
        for name, value in source.items()
        if "ratelimit" in name
        and "reset" in name
        and str(source.get(name.replace("reset", "remaining"))) == "0"
    ]
    return max([wait for wait in waits if wait], default=None)


def _seconds_until(value: Any, now: Any) -> float | None:
    """Return the seconds from the response's date, or else from now, until a time; those of a duration as they are."""
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    if not isinstance(value, str):
        return None
    since_1970 = len(value) >= _DIGITS_OF_SECONDS and value.isdecimal()
    if not since_1970 and _OF_TIME.fullmatch(value):
        return _duration(value)
    try:
        since = parsedate_to_datetime(now) if isinstance(now, str) else datetime.now(UTC)
        if since_1970:
            until = datetime.fromtimestamp(int(value) / (1000 if len(value) > _DIGITS_OF_SECONDS else 1), UTC)
        else:
            until = datetime.fromisoformat(value) if value[:4].isdecimal() else parsedate_to_datetime(value)
        return _seconds(max((until - since).total_seconds(), 0.0))
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def wait_of_body(body: Any, message: str) -> float | None:
    """Return the retry delay in seconds from a key, from Google's error details or from the message text."""
    for item in with_details(body):
        for key in _WAITS:
            value = item.get(key)
            seconds = _duration(value) if type(value) is str else _seconds(value)
            if seconds is not None and type(value) is not bool:
                return seconds
    again = _AGAIN.search(message)
    if again is None or not again[1]:
        return None
    unit = (again[2] or "s").lower()
    return _duration(again[1] + ("m" if unit.startswith("min") else unit if unit == "ms" else "s"))


def with_details(body: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a body that may hold error fields, each before its details."""
    for item in holders(body):
        yield item
        for key in ("details", "metadata"):
            inner = item.get(key)
            rows: Iterable[Any] = inner if is_list(inner) else (inner,)
            yield from [row for row in rows if is_object(row)]


def _duration(text: str) -> float | None:
    """Parse a duration such as `26.66s`, `1m20s`, `250ms` or `20`, and return its seconds."""
    pieces = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)?", text)
    return _seconds(sum([float(number) * _UNITS[unit or "s"] for number, unit in pieces])) if pieces else None
