"""Read what the errors of any host hold: their objects, Google's details, and the kind that their text tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..wire_json.kinds import is_list, is_object
from .answer_shapes import as_word

# keys whose object, or the first of whose objects, says what the error is
_INNER = ("error", "errors", "detail", "message")
_MOST_HOLDERS = 5
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


def with_details(body: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a body that may hold error fields, each before its details."""
    for item in holders(body):
        yield item
        for key in ("details", "metadata"):
            inner = item.get(key)
            rows: Iterable[Any] = inner if is_list(inner) else (inner,)
            yield from [row for row in rows if is_object(row)]
