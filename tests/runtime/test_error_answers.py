"""Errors where an answer should stand: in a body, in a stream, in a line of a batch result, on every wire."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

import promptwire
from promptwire import BodyError, Event
from promptwire.errors import StreamError
from promptwire.openai_chat.answers import ANSWERS
from promptwire.results import read_batch_result
from tests.internals.runtime import ERROR_KINDS, ApiError, write_error
from tests.searching import TESTED_WIRES

WIRES = [name for name in TESTED_WIRES if hasattr(import_module(f"promptwire.{name}"), "read_answer")]
BODIES: list[tuple[dict[str, Any], str]] = [
    ({"error": {"message": "Bad.", "type": "invalid_request_error", "param": None, "code": None}}, "Bad."),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "Overloaded"),
    ({"object": "error", "message": "The model does not exist.", "type": "NotFoundError", "code": 404}, "The model does not exist."),
    ({"error": "model not found"}, "model not found"),
    ({"errors": [{"code": "token_quota_reached", "message": "No tokens."}], "trace": "t"}, "No tokens."),
    ({"choices": [], "error": {"code": 502, "message": "Provider returned error"}}, "Provider returned error"),
    ({"detail": "Not authenticated"}, "Not authenticated"),
    ({"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "field required"),
    ({"__type": "ThrottlingException", "message": "Too many requests"}, "Too many requests"),
]  # fmt: skip
TOO_LARGE = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "Input is too long for requested model.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    "the request exceeds the available context size. try increasing the context size",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`",
    "Please reduce the length of the messages or completion.",
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs",
    "The number of tokens to keep from the initial prompt is greater than the context length",
    "The prompt is too long: 40000, model maximum context length: 32767",
    "Request body too large for gpt-4o model. Max size: 8000 tokens.",
]


@pytest.mark.parametrize("said", ["", None])
@pytest.mark.parametrize("wire", ["openrouter_chat", "compatible_chat", "openai_chat"])
def test_an_error_of_a_choice_that_says_nothing_is_an_error(wire: str, said: str | None) -> None:
    # genkit-ai/genkit PR 6259, 2026-09; openrouter.ai/docs: errors
    failed = {"code": 429, "message": "Too many requests, try again in 3s"}
    choice = {
        "index": 0,
        "finish_reason": "error",
        "error": failed,
        "message": {"role": "assistant", "content": said},
    }
    module = import_module(f"promptwire.{wire}")
    with pytest.raises(BodyError) as raised:
        module.read_answer({"id": "g", "model": "m", "choices": [choice]})
    error = raised.value.error
    assert isinstance(error, ApiError)
    assert (error.kind, error.status, error.wait, error.raw) == ("rate_limit", 429, 3.0, {"error": failed})
    choice["message"] = {"role": "assistant", "content": "Hi"}
    answer = module.read_answer({"id": "g", "model": "m", "choices": [choice]})
    assert (answer.text, module.write_answer(answer)) == ("Hi", answer.raw)
    assert module.read_error(None, answer.raw).message == failed["message"]


@pytest.mark.parametrize(("body", "message"), BODIES)
def test_an_error_is_never_an_answer(body: dict[str, Any], message: str) -> None:
    for wire in WIRES:
        check_error(import_module(f"promptwire.{wire}"), body, message)


def check_error(module: Any, body: dict[str, Any], message: str) -> None:
    """Check that a body is read as this error, as a whole answer and as a stream."""
    with pytest.raises(BodyError, match="the API answered with an error") as raised:
        module.read_answer(body)
    assert isinstance(raised.value.error, ApiError)
    assert (raised.value.error.message, raised.value.error.raw) == (message, body)
    for raw in (json.dumps(body).encode(), json.dumps(body, indent=2).encode()):
        stream = module.stream()
        events = [event for place in range(0, len(raw), 7) for event in stream.feed(raw[place : place + 7])]
        assert [event.kind for event in (*events, *stream.rest())] == ["error"]
        with pytest.raises(StreamError, match="tells an error") as broken:
            stream.close()
        assert broken.value.error == raised.value.error


@pytest.mark.parametrize("wire", WIRES)
def test_a_page_where_a_stream_should_stand_is_shown(wire: str) -> None:
    stream = import_module(f"promptwire.{wire}").stream()
    chunks = [b"<html>\n<title>502 Bad Gateway</title>"]
    with pytest.raises(StreamError, match=r"checksum|<html>"):  # noqa: PT012  # it is seen at once, or at the end
        [*stream.feed_from(chunks)]
        stream.close()


@pytest.mark.parametrize("message", TOO_LARGE)
def test_a_prompt_that_does_not_fit_is_too_large(message: str) -> None:
    error = promptwire.openai_chat.read_error(400, {"error": {"message": message}})
    assert (error.kind, error.retryable) == ("too_large", False)


@pytest.mark.parametrize(
    ("status", "error", "retryable"),
    [
        (429, {"message": "Rate limit reached.", "code": "rate_limit_exceeded"}, True),
        (429, {"message": "You exceeded your current quota, please check your plan.", "code": "insufficient_quota"}, False),
        (400, {"message": "Your credit balance is too low to access the API."}, False),
        (400, {"message": "Bad."}, False),
        (409, {"message": "Conflict."}, True),
        (401, {"message": "No key."}, False),
        (529, {"message": "Overloaded"}, True),
        (500, {"message": "Oh."}, True),
    ],
)  # fmt: skip
def test_what_may_succeed_later(status: int, error: dict[str, Any], retryable: bool) -> None:
    assert promptwire.openai_chat.read_error(status, {"error": error}).retryable is retryable


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "26.66s"}


@pytest.mark.parametrize(
    ("body", "wait"),
    [
        (
            {
                "error": {
                    "code": 429,
                    "message": "Quota.",
                    "status": "RESOURCE_EXHAUSTED",
                    "details": [RETRY_INFO],
                }
            },
            26.66,
        ),
        ({"error": {"message": "Rate limit reached. Please try again in 20s. Visit us."}}, 20.0),
        ({"error": {"message": "Please try again in 1m2.5s."}}, 62.5),
        ({"error": {"message": "Please try again in 35ms."}}, 0.035),
        ({"error": {"message": "Please try again in 35 ms."}}, 0.035),
        ({"error": {"message": "Please retry after 10 seconds."}}, 10.0),
        (
            {
                "error": {
                    "message": "Rate limit of 50 per 86400s exceeded. Please wait 42563 seconds before retrying."
                }
            },
            42563.0,
        ),
        ({"error": {"message": "Slow down.", "metadata": {"retry_after_seconds": 4}}}, 4.0),
        ({"error": {"message": "Slow down."}}, None),
        ({"error": {"message": "Try again in a moment."}}, None),
    ],
)
def test_the_time_to_wait_stands_in_the_body(body: dict[str, Any], wait: float | None) -> None:
    assert promptwire.gemini_generate.read_error(429, body).wait == wait


PER_MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
NO_QUOTA = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("quotas", "message", "retryable"),
    [
        # vercel/ai: google-429-retry-info.json
        ([PER_MINUTE], NO_QUOTA, True),
        # google-gemini/gemini-cli issue 8437
        ([PER_MINUTE, "GenerateRequestsPerDayPerProjectPerModel-FreeTier"], NO_QUOTA, False),
        # continuedev/continue issue 9570
        ([PER_MINUTE], f"{NO_QUOTA}\n* Quota exceeded for metric: requests, limit: 0, model: gemini-3-pro", False),
        ([], NO_QUOTA, False),
    ],
)  # fmt: skip
def test_a_quota_of_a_minute_is_restored_by_waiting(
    quotas: list[str], message: str, *, retryable: bool
) -> None:
    violations = [{"quotaId": name} for name in quotas]
    failure = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations}
    error = {
        "code": 429,
        "message": message,
        "status": "RESOURCE_EXHAUSTED",
        "details": [failure, RETRY_INFO],
    }
    read = promptwire.gemini_generate.read_error(429, {"error": error})
    assert (read.kind, read.wait, read.retryable) == ("rate_limit", 26.66, retryable)


@pytest.mark.parametrize("choices", [None, []])
def test_minimax_fails_with_the_status_200(choices: Any) -> None:
    """https://github.com/adrianlyjak/obsidian-aloud-tts/pull/114."""
    state = {"status_code": 1008, "status_msg": "insufficient balance"}
    body = {"id": "c1", "choices": choices, "usage": {"total_tokens": 0}, "base_resp": state}
    with pytest.raises(BodyError, match="the API answered with an error") as raised:
        promptwire.compatible_chat.read_answer(body)
    error = raised.value.error
    assert error is not None
    assert (error.code, error.message, error.retryable) == ("1008", "insufficient balance", False)
    good = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]
    }
    answer = promptwire.compatible_chat.read_answer(
        good | {"base_resp": {"status_code": 0, "status_msg": ""}}
    )
    assert answer.text == "Hi"


def test_the_number_of_a_status_is_no_type_and_an_id_no_code() -> None:
    filtered = {
        "message": "Filtered.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
    }
    error = promptwire.azure_openai_chat.read_error(400, {"error": filtered})
    assert (error.type, error.code, error.field) == (None, "content_filter", "prompt")
    error = promptwire.cohere_chat.read_error(400, {"id": "8bd5c2f1", "message": "invalid request"})
    assert (error.code, error.message) == (None, "invalid request")


def test_aws_names_an_unknown_operation_inside_its_output() -> None:
    """https://github.com/vercel/ai: issue-17523-unknown-operation.json."""
    body = {"Output": {"__type": "com.amazon.coral.service#UnknownOperationException"}, "Version": "1.0"}
    error = promptwire.bedrock_converse.read_error(404, body)
    assert (error.kind, error.type) == ("not_found", "UnknownOperationException")


def test_a_filter_of_gemini_interactions_ends_a_stream_with_bare_json() -> None:
    """https://github.com/googleapis/js-genai/issues/1973."""
    stream = promptwire.gemini_interactions.stream()
    begun = {"interaction": {"id": "v1", "status": "in_progress"}, "event_type": "interaction.created"}
    failed = {"error": {"message": "The request was blocked.", "code": "prohibited_content"}}
    stream.feed(f"event: interaction.created\ndata: {json.dumps(begun)}\n\n{json.dumps(failed)}\n\n".encode())
    with pytest.raises(StreamError, match="The request was blocked") as broken:
        stream.close()
    assert broken.value.error is not None
    assert (broken.value.error.kind, broken.value.error.retryable) == ("invalid_request", False)


# kinds that the words of an API do not tell apart
UNSAID = {
    "openai_chat": {},
    "anthropic_messages": {},
    "openai_responses": {},
    "gemini_generate": {"too_large": "invalid_request"},
    "bedrock_converse": {"too_large": "invalid_request"},
}


@pytest.mark.parametrize("kind", ERROR_KINDS)
@pytest.mark.parametrize("wire", UNSAID)
def test_an_event_tells_the_kind_of_an_error(wire: str, kind: str) -> None:
    module = import_module(f"promptwire.{wire}")
    error = ApiError(kind=kind, message="no", type="E_OF_ANOTHER_API")
    stream = module.stream()
    stream.feed(module.write_stream().feed(Event(kind="error", data=error)))
    with pytest.raises(StreamError, match="no") as failed:
        stream.close()
    assert failed.value.error.kind == UNSAID[wire].get(kind, kind)


def test_an_event_keeps_the_words_that_an_api_knows() -> None:
    told = {"message": "Slow.", "type": "tokens", "code": "rate_limit_exceeded", "param": "n"}
    error = promptwire.openai_chat.read_error(429, {"error": told})

    def written(data: Any, wire: str) -> Any:
        module = import_module(f"promptwire.{wire}")
        return json.loads(module.write_stream().feed(Event(kind="error", data=data)).partition(b"data: ")[2])

    responses = {"type": "error", "sequence_number": 0, "message": "Slow.", "param": "n"}
    for data in (error, error.raw):
        assert written(data, "openai_chat") == {"error": told}
        assert written(data, "openai_responses") == responses | {"code": "rate_limit_exceeded"}
    assert written(error, "gemini_generate") == {
        "error": {"code": 429, "message": "Slow.", "status": "RESOURCE_EXHAUSTED"}
    }
    # without a status or a known word, its text tells the kind
    assert written(error.raw, "gemini_generate")["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert written({"error": {"message": "Oh."}}, "gemini_generate")["error"]["status"] == "INTERNAL"


@pytest.mark.parametrize("wire", WIRES)
def test_an_error_written_is_read_again(wire: str) -> None:
    module = import_module(f"promptwire.{wire}")
    error = promptwire.anthropic_messages.read_error(
        529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    )
    body = module.write_error(error)
    again = module.read_error(529, body)
    assert (again.kind, again.message) == ("overloaded", "Overloaded")
    assert module.write_error(again) == body


CHAT = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
}
CLAUDE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "c",
    "content": [{"type": "text", "text": "Hi"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
CONVERSE = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
}
LINES: list[tuple[str, dict[str, Any]]] = [
    ("openai_chat", {"id": "b1", "custom_id": "r1", "response": {"status_code": 200, "request_id": "q", "body": CHAT}, "error": None}),
    ("azure_openai_chat", {"custom_id": "r1", "response": {"status_code": 200, "body": CHAT}, "error": None}),
    ("groq_chat", {"id": "b1", "custom_id": "r1", "response": {"status_code": 200, "body": CHAT}, "error": None}),
    ("mistral_chat", {"id": "b1", "custom_id": "r1", "response": {"status_code": 200, "body": CHAT}, "error": None}),
    ("compatible_chat", {"custom_id": "r1", "response": {"body": CHAT}}),
    ("anthropic_messages", {"custom_id": "r1", "result": {"type": "succeeded", "message": CLAUDE}}),
    ("gemini_generate", {"key": "r1", "response": GEMINI}),
    ("gemini_generate", {"metadata": {"key": "r1"}, "response": GEMINI, "processed_time": "t"}),
    ("bedrock_converse", {"recordId": "r1", "modelInput": {}, "modelOutput": CONVERSE}),
    ("anthropic_bedrock", {"recordId": "r1", "modelInput": {}, "modelOutput": CLAUDE}),
]  # fmt: skip
FAILED_LINES: list[tuple[str, dict[str, Any], str, str]] = [
    ("openai_chat", {"custom_id": "r1", "response": {"status_code": 400, "body": {"error": {"message": "Bad."}}}, "error": None}, "invalid_request", "Bad."),
    ("openai_chat", {"custom_id": "r1", "response": None, "error": {"code": "batch_expired", "message": "Expired."}}, "server", "Expired."),
    ("anthropic_messages", {"custom_id": "r1", "result": {"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "Bad."}}}}, "invalid_request", "Bad."),
    ("anthropic_messages", {"custom_id": "r1", "result": {"type": "expired"}}, "server", "the request of the batch was expired before it ran"),
    ("gemini_generate", {"key": "r1", "error": {"code": 400, "message": "Bad.", "status": "INVALID_ARGUMENT"}}, "invalid_request", "Bad."),
    ("gemini_generate", {"key": "r1", "status": "Bad Request", "response": {}}, "invalid_request", "Bad Request"),
    ("bedrock_converse", {"recordId": "r1", "modelInput": {}, "error": {"errorCode": 400, "errorMessage": "Bad."}}, "invalid_request", "Bad."),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "line"), LINES)
def test_a_line_of_a_batch_result_holds_an_answer(wire: str, line: dict[str, Any]) -> None:
    module = import_module(f"promptwire.{wire}")
    for form in (line, json.dumps(line), json.dumps(line).encode()):
        result: Any = read_batch_result(module, form)
        assert (result.id, result.answer.text, result.error) == ("r1", "Hi", None)
    with pytest.raises(BodyError, match=r"read_batch_result reads it|nothing of the body is an answer"):
        module.read_answer(line)


@pytest.mark.parametrize(("wire", "line", "kind", "message"), FAILED_LINES)
def test_a_line_of_a_batch_result_holds_an_error(
    wire: str, line: dict[str, Any], kind: str, message: str
) -> None:
    result: Any = read_batch_result(import_module(f"promptwire.{wire}"), line)
    assert (result.id, result.answer) == ("r1", None)
    assert (result.error.kind, result.error.message) == (kind, message)


@pytest.mark.parametrize("line", ["no JSON", "[1]", {"custom_id": "r1"}])
def test_a_line_that_is_no_result_is_refused(line: Any) -> None:
    with pytest.raises(BodyError):
        read_batch_result(promptwire.openai_chat, line)


FAILED: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "status": "failed",
    "error": {"code": "rate_limit_exceeded", "message": "Please try again in 3.5s."},
    "model": "gpt-5",
    "output": [],
    "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
}


# developers.openai.com/api/reference/resources/responses/streaming-events#response.failed
@pytest.mark.parametrize("wire", ["openai_responses", "azure_openai_responses", "xai_responses"])
def test_a_response_that_failed_is_an_error(wire: str) -> None:
    module = import_module(f"promptwire.{wire}")
    with pytest.raises(BodyError, match=r"rate_limit: Please try again in 3\.5s") as whole:
        module.read_answer(FAILED)
    stream = module.stream()
    events = [
        event
        for data in (
            {"type": "response.created", "response": FAILED | {"status": "in_progress", "error": None}},
            {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"},
            {"type": "response.failed", "response": FAILED},
        )
        for event in stream.feed(f"data: {json.dumps(data)}\n\n".encode())
    ]
    assert [event.kind for event in events if event.kind not in ("usage", "vendor")] == [
        "start",
        "text",
        "error",
    ]
    with pytest.raises(StreamError, match=r"3\.5s") as streamed:
        stream.close()
    for error in (whole.value.error, streamed.value.error):
        assert (error.kind, error.code, error.type, error.wait) == (
            "rate_limit",
            "rate_limit_exceeded",
            None,
            3.5,
        )
        assert error.retryable
    assert streamed.value.answer.text == "Hi"
    assert streamed.value.answer.usage.total == 15


def test_what_a_response_that_failed_had_written_is_an_answer() -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
    answer = promptwire.openai_responses.read_answer(FAILED | {"output": [said]})
    assert (answer.text, answer.finish) == ("Hi", "error")
    error = promptwire.openai_responses.read_error(None, answer.raw)
    assert (error.kind, error.wait) == ("rate_limit", 3.5)


def test_a_failed_response_is_an_error_in_the_stream_of_another_api() -> None:
    stream = promptwire.openai_responses.stream()
    events = stream.feed(f"data: {json.dumps({'type': 'response.failed', 'response': FAILED})}\n\n".encode())
    writer = promptwire.anthropic_messages.write_stream(id="a", model="m", policies="lenient")
    written = b"".join(map(writer.feed, events)) + writer.close()
    assert b"event: error" in written
    assert b"end_turn" not in written


def test_a_response_that_failed_without_an_error_is_an_answer() -> None:
    answer = promptwire.gemini_generate.read_answer({"candidates": [{"finishReason": "MALFORMED_RESPONSE"}]})
    writer = promptwire.openai_responses.write_stream(id="a", model="m", policies="lenient")
    stream = promptwire.openai_responses.stream()
    events = stream.feed(writer.answer(answer))
    assert [event.name for event in events if event.kind == "finish"] == ["error"]
    assert stream.close().finish == "error"


@pytest.mark.parametrize(
    ("wire", "body", "message", "code", "field"),
    [
        ("openai_chat", {"error": {"message": "Bad.", "code": "c", "param": "n"}, "param": "m"}, "Bad.", "c", "n"),
        ("anthropic_messages", {"type": "error", "error": {"type": "t", "message": "Bad.", "param": "n"}}, "Bad.", None, None),
        ("ollama_chat", {"error": "Bad.", "param": "n", "code": 5}, "Bad.", "5", None),
        ("gemini_generate", {"error": {"code": 400, "message": "Bad.", "field": "n", "errorCode": "c"}}, "Bad.", "400", None),
        # an error that is not this API's: all of its words are looked for
        ("gemini_generate", {"detail": {"msg": "Bad.", "param": "n", "error_code": 7}}, "Bad.", "7", "n"),
        ("openai_chat", {"msg": "Bad.", "field": "n"}, "Bad.", None, "n"),
        ("anthropic_messages", {"error": {"message": "Bad."}, "detail": [{"loc": ["body", "a", 0], "msg": "x"}]}, "Bad.", None, "a[0]"),
    ],
)  # fmt: skip
def test_the_field_of_an_error_is_one_that_its_api_names(
    wire: str, body: Any, message: str, code: str | None, field: str | None
) -> None:
    error = import_module(f"promptwire.{wire}").read_error(400, body)
    assert (error.message, error.code, error.field, error.raw) == (message, code, field, body)


def test_an_api_without_errors_of_its_own_writes_those_of_most() -> None:
    table = replace(ANSWERS, error={}, kinds={})
    for word, written in (("odd", "odd"), (None, "rate_limit"), ("", "rate_limit")):
        error = ApiError(kind="rate_limit", message="Slow.", type=word, raw={"error": {"message": "Slow."}})
        assert write_error(error, table) == {"error": {"message": "Slow.", "type": written}}


@pytest.mark.parametrize(
    ("wire", "status", "body"),
    [
        ("vllm_chat", 400, {"object": "error", "message": "no", "type": "BadRequestError", "param": None, "code": 400}),
        ("vllm_chat", 404, {"error": {"message": "no", "type": "NotFoundError", "param": None, "code": 404}}),
        ("openai_chat", 429, {"error": {"message": "no", "type": "requests"}}),
    ],
)  # fmt: skip
def test_an_error_that_another_api_would_understand_is_written_in_its_form(
    wire: str, status: int, body: Any
) -> None:
    anthropic = import_module("promptwire.anthropic_messages")
    written = anthropic.write_error(import_module(f"promptwire.{wire}").read_error(status, body))
    assert set(written) == {"type", "error"} and written["type"] == "error"
    assert set(written["error"]) == {"type", "message"} and written["error"]["message"] == "no"
    # what a host of this API says comes out as it came
    assert anthropic.write_error(anthropic.read_error(status, body)) == body
