"""How long an API says to wait: one table of durations and times, in headers, keys and messages."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import anthropic_messages, gemini_generate, openai_chat
from tests.internals.runtime import LONGEST_WAIT, ApiError

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"
NOW = 1_792_567_680
HOURS = 587 * 3600 + 33 * 60
DURATIONS = {
    "20m": 1200.0,
    "6m0s": 360.0,
    "1h30m": 5400.0,
    "1h2m3.5s": 3723.5,
    "250ms": 0.25,
    "26.66s": 26.66,
    "3 hours": 10_800.0,
    "3 hrs": 10_800.0,
    "1 hour": 3600.0,
    "20 minutes": 1200.0,
    "5 min": 300.0,
    "2 mins": 120.0,
    "1 second": 1.0,
    "35 ms": 0.035,
    "2 days": 172_800.0,
    "2d3h": 183_600.0,
    "587 hours 33 minutes": HOURS,
    "587h33m12s": HOURS + 12.0,
    "1 hour, 5 minutes and 3 seconds": 3903.0,
    "373.801628ms": 0.373801628,
    "0s": 0.0,
    "0": 0.0,
    "20": 20.0,
}
TIMES = {
    "Wed, 21 Oct 2026 07:28:30 GMT": 30.0,
    "Wed Oct 21 07:28:30 2026": 30.0,
    "Wed, 21 Oct 2020 07:28:00 GMT": 0.0,
    "2026-10-21T07:30:00Z": 120.0,
    "2026-10-21T07:30:00": 120.0,
    str(NOW + 90): 90.0,
    str((NOW + 90) * 1000): 90.0,
    str(NOW - 90): 0.0,
}
ABSURD: list[Any] = [
    10**5000,
    1e300,
    "1e9",
    "inf",
    "Infinity",
    "99999999999999999999",
    "9" * 400,
    "100000h",
    "99999 days",
]
NOTHING: list[Any] = [
    "",
    "soon",
    "nan",
    "-3",
    "-5m",
    "3 fortnights",
    "m",
    "1.2.3s",
    "20 requests",
    None,
    True,
    [],
    {},
]


def of_header(value: Any) -> float | None:
    return openai_chat.read_error(
        429, {"error": {"message": "No."}}, {"retry-after": value, "date": DATE}
    ).wait


def of_message(text: str) -> float | None:
    return openai_chat.read_error(429, {"error": {"message": text}}).wait


@pytest.mark.parametrize(("text", "seconds"), [*DURATIONS.items(), *TIMES.items()])
def test_a_header_says_a_duration_or_a_time(text: str, seconds: float) -> None:
    assert of_header(text) == pytest.approx(seconds)
    assert of_header(f" {text} ") == pytest.approx(seconds)


@pytest.mark.parametrize("text", ABSURD, ids=lambda value: type(value).__name__)
def test_a_wait_beyond_all_reason_is_a_long_one(text: str) -> None:
    assert of_header(text) == LONGEST_WAIT
    assert (
        openai_chat.read_error(429, {"error": {"message": "No.", "retry_after": text}}).wait == LONGEST_WAIT
    )


@pytest.mark.parametrize("value", NOTHING)
def test_what_is_no_time_says_nothing(value: Any) -> None:
    assert of_header(value) is None
    assert openai_chat.read_error(429, {"error": {"message": "No.", "retry_after": value}}).wait is None


@pytest.mark.parametrize("text", DURATIONS)
@pytest.mark.parametrize(
    "message",
    [
        "Rate limit reached. Please try again in {}.",
        "Please retry after {}",
        "Please retry your request after {}, or upgrade.",
        "Too many. WAIT {}!",
        "Please wait for about {}",
        "Your quota will reset after {}.",
        "The limit (50 per 86400s) resets in {}",
    ],
)
def test_a_message_says_a_duration(message: str, text: str) -> None:
    assert of_message(message.format(text)) == pytest.approx(DURATIONS[text])


@pytest.mark.parametrize(
    "text", ["Try again in a moment.", "Retry after 3 fortnights.", "Wait 20 requests.", "Wait."]
)
def test_a_message_without_a_duration_says_nothing(text: str) -> None:
    assert of_message(text) is None


@pytest.mark.parametrize(
    ("key", "value", "seconds"),
    [
        ("retry_after", 4, 4.0),
        ("retryAfter", "20m", 1200.0),
        ("retry_after_seconds", 4.5, 4.5),
        ("retry_after_ms", 1500, 1.5),
        ("resets_in_seconds", 7200, 7200.0),
    ],
)
def test_a_key_of_a_body_says_a_duration(key: str, value: Any, seconds: float) -> None:
    assert openai_chat.read_error(429, {"error": {"message": "No.", key: value}}).wait == seconds
    assert (
        openai_chat.read_error(429, {"error": {"message": "No.", "metadata": {key: value}}}).wait == seconds
    )


def google(**info: Any) -> ApiError:
    rows = [
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTA_EXHAUSTED", "metadata": info},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.37s"},
    ]
    body = {"error": {"code": 429, "message": "Exhausted.", "status": "RESOURCE_EXHAUSTED", "details": rows}}
    return gemini_generate.read_error(429, body)


def test_the_longest_of_several_waits_counts() -> None:
    assert google(model="m").wait == 0.37
    assert google(quotaResetDelay="587h33m12s").wait == HOURS + 12


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"anthropic-ratelimit-unified-reset": str(NOW + 90)}, 90.0),
        (
            {
                "anthropic-ratelimit-unified-5h-status": "allowed",
                "anthropic-ratelimit-unified-5h-reset": str(NOW + 900),
                "anthropic-ratelimit-unified-status": "rejected",
                "anthropic-ratelimit-unified-reset": str(NOW + 90),
            },
            90.0,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "9",
                "anthropic-ratelimit-requests-reset": "2026-10-21T07:30:00Z",
            },
            None,
        ),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-session-reset": "90"}, None),
    ],
)
def test_the_reset_of_a_limit_that_was_reached_counts(headers: dict[str, str], seconds: float | None) -> None:
    error = anthropic_messages.read_error(429, {"error": {"message": "No."}}, {"date": DATE, **headers})
    assert error.wait == seconds


@pytest.mark.parametrize(
    ("said", "status", "retryable"),
    [
        ("false", 429, False),
        ("false", 500, False),
        ("true", 400, True),
        ("maybe", 429, True),
        ("maybe", 400, False),
    ],
)
def test_the_api_says_whether_to_retry(said: str, status: int, retryable: bool) -> None:
    error = openai_chat.read_error(status, {"error": {"message": "No."}}, {"X-Should-Retry": said})
    assert error.retryable is retryable
