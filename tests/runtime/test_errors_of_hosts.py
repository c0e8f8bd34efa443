"""Errors of compatible hosts and gateways as public threads report them: their kind, and when to try again."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import BodyError
from promptwire.errors import StreamError
from tests.answers import module
from tests.internals.runtime import LONGEST_WAIT


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        # apache/rocketmq-dashboard issue 2178: an error within the status 200
        ({"message": "quota exceeded"}, "rate_limit"),
        ({"message": "litellm.RateLimitError: AnthropicException"}, "rate_limit"),
        ({"message": "No.", "type": "AuthenticationError"}, "auth"),
        ({"message": "Invalid API key"}, "auth"),
        ({"message": "Upstream request timed out"}, "overloaded"),
        ({"message": "No.", "code": "provider_unavailable"}, "overloaded"),
        ({"message": "Model does not exist. Please check it carefully."}, "not_found"),
        ({"message": "No.", "type": "BadRequestError"}, "invalid_request"),
        ({"message": "Request failed during generation"}, "server"),
    ],
)
def test_an_error_without_a_status_has_the_kind_that_its_text_tells(said: dict[str, Any], kind: str) -> None:
    error = module("compatible_chat").read_error(None, {"error": said})
    assert (error.kind, error.retryable) == (kind, kind in ("rate_limit", "overloaded", "server"))
    assert module("compatible_chat").read_error(500, {"error": said}).kind == "server"


@pytest.mark.parametrize(
    ("code", "text", "kind", "retryable"),
    [
        (1002, "rate limit", "rate_limit", True),
        (1008, "insufficient balance", "rate_limit", False),
        (1000, "unknown error", "server", True),
    ],
)
def test_minimax_tells_an_error_with_the_status_200(code: int, text: str, kind: str, retryable: bool) -> None:
    body = {"id": "m", "choices": None, "base_resp": {"status_code": code, "status_msg": text}}
    with pytest.raises(BodyError) as raised:
        module("compatible_chat").read_answer(body)
    error: Any = raised.value.error
    assert (error.kind, error.retryable, error.code, error.message) == (kind, retryable, str(code), text)


@pytest.mark.parametrize(
    ("status", "body", "kind", "retryable"),
    [
        # theopenco/llmgateway PR 1785; openrouter.ai/docs: moderation
        (
            403,
            {
                "code": "The caller does not have permission",
                "error": "Content violates usage guidelines. Failed check: X",
            },
            "invalid_request",
            False,
        ),
        (
            403,
            {"error": {"code": 403, "message": "Input was flagged", "metadata": {"reasons": ["violence"]}}},
            "invalid_request",
            False,
        ),
        (403, {"error": {"message": "Forbidden"}}, "auth", False),
        # Fireworks, Moonshot, DashScope
        (
            412,
            {
                "error": {
                    "message": "Account a is suspended, possibly due to reaching the monthly spending limit"
                }
            },
            "rate_limit",
            False,
        ),
        (
            429,
            {"error": {"message": "Check your balance", "type": "exceeded_current_quota_error"}},
            "rate_limit",
            False,
        ),
        (
            400,
            {"error": {"message": "Please make sure your account is in good standing.", "code": "Arrearage"}},
            "rate_limit",
            False,
        ),
        (
            429,
            {"error": {"message": "Try again later", "type": "engine_overloaded_error"}},
            "overloaded",
            True,
        ),
        # XiaomiMiMo/MiMo-V2-Flash issue 18: the answer to a stream is an event
        (
            400,
            'data:{"error":{"code":"421","message":"Moderation Block","type":"content_filter"}}',
            "invalid_request",
            False,
        ),
        (429, b'event: error\ndata: {"error": {"message": "Too many requests"}}\n\n', "rate_limit", True),
    ],
)
def test_what_hosts_say_of_a_refusal_is_understood(
    status: int, body: Any, kind: str, retryable: bool
) -> None:
    error = module("compatible_chat").read_error(status, body)
    assert (error.kind, error.retryable, isinstance(error.raw, dict)) == (kind, retryable, True)


NOW = {"Date": "Sun, 26 Jul 2026 09:00:00 GMT"}


@pytest.mark.parametrize(
    ("headers", "inner", "wait"),
    [
        # dirge-code/dirge issue 718, everruns/everruns PR 2280: OpenRouter, in the body
        (NOW, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1785056442000"}, 42.0),
        (NOW, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": 1785056442}, 42.0),
        (NOW, {"X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "1785056442000"}, None),
        # vectorize-io/hindsight PR 3508: OpenAI, of requests and tokens
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "6m0s",
                "x-ratelimit-remaining-tokens": "9",
                "x-ratelimit-reset-tokens": "9m0s",
            },
            {},
            360.0,
        ),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "7.5s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "1m3s",
            },
            {},
            63.0,
        ),
        # anthropics/anthropic-sdk-typescript issue 357
        (
            {
                **NOW,
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2026-07-26T09:00:20Z",
            },
            {},
            20.0,
        ),
        (
            {
                **NOW,
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2026-07-26T08:59:20Z",
            },
            {},
            None,
        ),
        # what the API says of the wait counts for more
        ({"retry-after": "3", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "60"}, {}, 3.0),
        ({"retry-after": "30s"}, {}, 30.0),
        ({"retry-after": "soon", "x-ratelimit-remaining": 0, "x-ratelimit-reset": 17}, {}, 17.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "never"}, {}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 30}, {}, LONGEST_WAIT),
    ],
)
def test_the_time_until_a_limit_is_restored(
    headers: dict[str, Any], inner: dict[str, Any], wait: Any
) -> None:
    body = {"error": {"message": "No.", "code": 429, "metadata": {"headers": inner}}}
    assert module("openrouter_chat").read_error(429, body, headers).wait == wait
    assert (
        module("openrouter_chat")
        .read_error(
            500,
            {"error": {"message": "No."}},
            NOW | {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "60"},
        )
        .wait
        is None
    )


def test_an_error_in_a_line_of_its_own_is_told() -> None:
    # coddy-project/coddy-agent PR 106: llama.cpp until late 2025
    stream = module("llamacpp_chat").stream()
    raw = b'error: {"code": 400, "message": "the request exceeds the available context size", "type": "invalid_request_error"}'
    assert [event.kind for event in stream.feed(raw + b"\n\ndata: [DONE]\n\n")] == ["error"]
    with pytest.raises(StreamError, match="context size") as failed:
        stream.close()
    assert failed.value.error.kind == "too_large"


@pytest.mark.parametrize(
    ("quota", "waits", "retryable"),
    [
        ("GenerateRequestsPerMinute", True, True),
        # Google says when only of limits that come back
        ("GenerateRequestsPerMinute", False, False),
        ("GenerateRequestsPerDay", True, False),
        ("GenerateRequestsPerDay", False, False),
        (None, True, False),
    ],
)
def test_an_exhausted_quota_of_google_comes_back_if_it_says_when(
    quota: str | None, waits: bool, retryable: bool
) -> None:
    details: list[dict[str, Any]] = [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": quota}] if quota else [],
        }
    ]
    if waits:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"})
    message = "You exceeded your current quota, please check your plan and billing details."
    said = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": message, "details": details}
    error = module("gemini_generate").read_error(429, {"error": said})
    assert (error.kind, error.retryable) == ("rate_limit", retryable)


@pytest.mark.parametrize("output", [5, None, "Hi", []], ids=str)
def test_an_answer_without_the_object_around_its_message_says_so(output: Any) -> None:
    answer = module("bedrock_converse").read_answer({"output": output, "stopReason": "end_turn"})
    (note,) = answer.unread
    assert (note.path, note.field, note.action) == ("", "output.message", "passed through")
    assert answer.message is None
