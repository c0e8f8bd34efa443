"""Error bodies of APIs, read as one kind of error."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from promptwire import Event, Request, tool_result, user
from promptwire.errors import StreamError
from promptwire.results import read_batch_result
from tests.answers import module, stream_bytes
from tests.internals.runtime import ERROR_KINDS, ApiError

CREDIT = {"message": "No credit.", "type": "insufficient_quota", "param": None, "code": "insufficient_quota"}
FIELD = {"message": "Unknown.", "type": "invalid_request_error", "param": "tools[0].name", "code": None}


@pytest.mark.parametrize(
    ("wire", "status", "body", "error"),
    [
        ("openai_chat", 429, {"error": CREDIT}, {"kind": "rate_limit", "message": "No credit.", "code": "insufficient_quota", "type": "insufficient_quota"}),
        ("azure_openai_chat", 400, {"error": FIELD}, {"kind": "invalid_request", "message": "Unknown.", "type": "invalid_request_error", "field": "tools[0].name"}),
        ("openai_responses", 400, {"error": {"message": "Too long.", "code": "context_length_exceeded"}}, {"kind": "too_large", "message": "Too long.", "code": "context_length_exceeded"}),
        ("anthropic_messages", 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, {"kind": "overloaded", "message": "Overloaded", "type": "overloaded_error"}),
        ("anthropic_bedrock", 500, {"type": "error", "error": {"type": "api_error", "message": "Oh."}}, {"kind": "server", "message": "Oh.", "type": "api_error"}),
        ("gemini_generate", 400, {"error": {"code": 400, "message": "Bad.", "status": "FAILED_PRECONDITION"}}, {"kind": "invalid_request", "message": "Bad.", "code": "400", "type": "FAILED_PRECONDITION"}),
        ("bedrock_converse", 403, {"message": "No rights."}, {"kind": "auth", "message": "No rights."}),
        ("cohere_chat", 404, {"id": "e1", "message": "No model."}, {"kind": "not_found", "message": "No model.", "code": None}),
        ("ollama_chat", 404, {"error": "model not found"}, {"kind": "not_found", "message": "model not found"}),
        ("mistral_chat", 422, {"object": "error", "message": "Bad.", "type": "invalid_request_error", "param": None, "code": 3051}, {"kind": "invalid_request", "message": "Bad.", "type": "invalid_request_error", "code": "3051"}),
        ("groq_chat", 502, "<html>bad gateway</html>", {"kind": "server", "message": "<html>bad gateway</html>"}),
        ("openai_chat", 413, None, {"kind": "too_large", "message": "the API answered with status 413"}),
        ("openai_chat", 413, "", {"kind": "too_large", "message": "the API answered with status 413"}),
        ("mistral_chat", 422, {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "tools", 0, "x"], "msg": "Extra inputs are not permitted"}]}, "type": "invalid_request_error", "param": None, "code": None}, {"kind": "invalid_request", "message": "Extra inputs are not permitted", "type": "invalid_request_error", "field": "tools[0].x"}),
        ("vllm_chat", 422, {"detail": [{"loc": ["query", "limit"], "msg": "not a number", "type": "int_parsing"}]}, {"kind": "invalid_request", "message": "not a number", "type": "int_parsing", "field": "query.limit"}),
        ("openai_chat", 429, {"error": {"message": "The token count of this minute exceeds your quota.", "code": None}}, {"kind": "rate_limit", "message": "The token count of this minute exceeds your quota."}),
        ("vllm_chat", 422, {"detail": [{"loc": ["body", "messages"], "msg": "field required", "type": "missing"}]}, {"kind": "invalid_request", "message": "field required", "type": "missing", "field": "messages"}),
        ("bedrock_converse", 400, {"__type": "com.amazon.coral.service#ThrottlingException", "message": "Slow."}, {"kind": "rate_limit", "message": "Slow.", "type": "ThrottlingException"}),
        ("openai_chat", 502, {"error": {"error": {"message": "Deep."}}}, {"kind": "server", "message": "Deep."}),
        ("openai_chat", 429, {"fault": {"faultstring": "Quota violation", "detail": {"errorcode": "QuotaViolation"}}}, {"kind": "rate_limit", "message": "Quota violation", "code": "QuotaViolation"}),
        ("openai_chat", 400, {"error_code": 17, "error_msg": "No more today."}, {"kind": "invalid_request", "message": "No more today.", "code": "17"}),
        ("openai_chat", 400, {"error": {"message": "litellm.ContextWindowExceededError: x", "type": None}}, {"kind": "too_large", "message": "litellm.ContextWindowExceededError: x"}),
        ("compatible_chat", 401, {"detail": {"error": "No key."}}, {"kind": "auth", "message": "No key."}),
        ("compatible_chat", 400, {"errors": ["No model.", "No text."]}, {"kind": "invalid_request", "message": "No model.; No text."}),
        ("compatible_chat", 404, {"error": {"object": "error", "type": "invalid_request_error", "code": "NOT_FOUND", "message": "No model."}}, {"kind": "not_found", "message": "No model.", "type": "invalid_request_error", "code": "NOT_FOUND"}),
        ("compatible_chat", 400, {"statusCode": 400, "message": ["x is not wanted"], "error": "Bad Request"}, {"kind": "invalid_request", "message": "x is not wanted"}),
        ("huggingface_chat", 422, {"error": ["Too many."]}, {"kind": "invalid_request", "message": "Too many."}),
        ("groq_chat", 498, {"error": {"message": "At capacity", "type": "capacity_exceeded", "code": "capacity_exceeded"}}, {"kind": "overloaded", "message": "At capacity", "type": "capacity_exceeded", "code": "capacity_exceeded"}),
        ("openai_chat", 418, {"teapot": True}, {"kind": "invalid_request", "message": "{'teapot': True}"}),
    ],
)  # fmt: skip
def test_an_error_says_what_callers_act_on(wire: str, status: int, body: Any, error: dict[str, Any]) -> None:
    assert import_module(f"promptwire.{wire}").read_error(status, body) == ApiError(
        status=status, raw=body, **error
    )
    assert error["kind"] in ERROR_KINDS
    if isinstance(body, dict):
        # as bytes or text, as clients have it
        written = json.dumps(body)
        for raw in (written, written.encode(), bytearray(written.encode())):
            assert import_module(f"promptwire.{wire}").read_error(status, raw).raw == body
            assert import_module(f"promptwire.{wire}").read_error(status, raw).message == error["message"]


def test_an_error_that_was_read_and_edited_is_written_as_it_says_now() -> None:
    chat = module("openai_chat")
    error = chat.read_error(429, {"error": CREDIT})
    assert chat.write_error(error) == {"error": CREDIT}
    edited = replace(error, message="Wait.", code="slow")
    assert chat.write_error(edited) == {
        "error": {"message": "Wait.", "type": "insufficient_quota", "code": "slow"}
    }


@pytest.mark.parametrize("errors", [[], {}, "no", None])
def test_a_list_of_errors_may_be_none(errors: Any) -> None:
    error = module("watsonx_chat").read_error(400, {"errors": errors, "message": "No."})
    assert (error.kind, error.message) == ("invalid_request", "No.")


def test_an_error_of_several_lines_ends_a_stream_of_events() -> None:
    stream = module("openai_chat").stream()
    stream.feed(stream_bytes("sse", [(None, {"choices": []})]).replace(b"data: [DONE]\n\n", b""))
    stream.feed(json.dumps({"error": {"message": "No."}}, indent=1).encode() + b"\n")
    with pytest.raises(StreamError, match=r"the stream tells an error: server: No\."):
        stream.close()


def test_an_error_of_another_api_is_written_in_the_form_of_this_one() -> None:
    error = module("openai_chat").read_error(403, {"message": "No rights."})
    assert module("openai_chat").write_error(error)["error"]["message"] == "No rights."


def test_a_header_names_the_exception_of_aws() -> None:
    headers = {"X-Amzn-ErrorType": "ModelNotReadyException:http://internal.amazon.com/coral/"}
    error = import_module("promptwire.bedrock_converse").read_error(429, {"message": "Wait."}, headers)
    assert (error.kind, error.type) == ("overloaded", "ModelNotReadyException")


def test_compressed_bytes_are_named() -> None:
    from promptwire import BodyError, openai_chat
    from promptwire.errors import AnswerError

    packed = gzip.compress(b'{"error": {"message": "No."}}')
    assert "compressed with gzip" in openai_chat.read_error(500, packed).message
    with pytest.raises(BodyError, match="compressed with gzip"):
        openai_chat.read_answer(packed)
    stream = openai_chat.stream()
    stream.feed(packed)
    with pytest.raises(AnswerError, match="compressed with gzip"):
        stream.close()


@pytest.mark.parametrize("body", [b"<html>", b"\xff<html>", "[1]", b'"text"', "[" * 90_000])
def test_bytes_and_texts_that_are_no_object_are_the_message(body: bytes | str) -> None:
    text = body if isinstance(body, str) else body.decode("utf-8", "replace")
    error = import_module("promptwire.openai_chat").read_error(502, body)
    assert (error.kind, error.message, error.raw) == ("server", text[:500], text)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "20"}, 20.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2020 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_told_in_seconds(headers: dict[str, str], wait: float | None) -> None:
    from promptwire import openai_chat

    assert openai_chat.read_error(429, {"error": CREDIT}, headers).wait == wait


@pytest.mark.parametrize(
    "kind", ["rate_limit", "overloaded", "invalid_request", "auth", "server", "not_found"]
)
@pytest.mark.parametrize(
    "wire", ["mistral_chat", "mistral_conversations", "gemini_interactions", "openai_chat"]
)
def test_a_written_error_of_a_stream_is_read_as_the_same_kind(wire: str, kind: str) -> None:
    raw = module(wire).write_stream().feed(Event(kind="error", data=ApiError(kind=kind, message="Wait.")))
    stream = module(wire).stream()
    stream.feed(raw)
    with pytest.raises(StreamError, match="Wait") as raised:
        stream.close()
    assert raised.value.error.kind == kind


def test_why_a_stream_of_cohere_failed_is_told() -> None:
    end = {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "The model broke."}}
    stream = module("cohere_chat").stream()
    events = stream.feed(stream_bytes("sse", [(None, end)]))
    assert [event.kind for event in events][-1] == "error"
    with pytest.raises(StreamError, match="The model broke") as failed:
        stream.close()
    assert (failed.value.error.kind, failed.value.error.retryable) == ("server", True)
    answer = failed.value.answer
    assert (answer.finish, answer.vendor) == ("error", {"cohere_chat": {"error": "The model broke."}})


def test_the_usual_end_of_a_stream_of_cohere_is_no_error() -> None:
    stream = module("cohere_chat").stream()
    end = {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": None}}
    events = stream.feed(stream_bytes("sse", [(None, end)]))
    assert [event.name for event in events if event.kind == "finish"] == ["error"]
    assert stream.close().finish == "error"


INFO = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "API_KEY_INVALID",
    "domain": "googleapis.com",
}
VIOLATION = {"field": "generation_config.top_k", "description": "Invalid value."}
REQUEST = {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [VIOLATION]}


def google(message: str, *details: Any) -> dict[str, Any]:
    error = {"code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": [*details]}
    return {"error": error}


# cequence-io/openai-scala-client/issues/109; the details of google.rpc in google/rpc/error_details.proto
def test_details_of_google_say_what_the_status_does_not() -> None:
    gemini = module("gemini_generate")
    body = google("API key not valid. Please pass a valid API key.", INFO)
    error = gemini.read_error(400, body)
    assert (error.kind, error.code, error.type) == ("auth", "API_KEY_INVALID", "INVALID_ARGUMENT")
    assert gemini.write_error(error) == body
    assert (
        gemini.write_error(replace(error, raw=None, code=None, type=None))["error"]["status"]
        == "UNAUTHENTICATED"
    )
    error = gemini.read_error(400, google("Invalid value.", REQUEST))
    assert (error.kind, error.code, error.field) == ("invalid_request", "400", "generation_config.top_k")
    for odd in (1, [1], {"reason": "X"}, INFO | {"reason": None}, REQUEST | {"fieldViolations": [1]}):
        assert gemini.read_error(400, google("Odd.", odd)).code == "400"


def test_what_is_not_implemented_is_not_tried_again() -> None:
    assert not module("openai_chat").read_error(501, {"error": {"message": "Not here."}}).retryable
    assert module("openai_chat").read_error(502, {"error": {"message": "Down."}}).retryable


EXCEPTIONS = [
    ("ThrottlingException", 400, "rate_limit"),
    ("ServiceQuotaExceededException", 400, "rate_limit"),
    ("ModelErrorException", 424, "server"),
    ("ModelStreamErrorException", 424, "server"),
    ("ModelNotReadyException", 429, "overloaded"),
    ("ModelTimeoutException", 408, "overloaded"),
    ("ServiceUnavailableException", 503, "overloaded"),
    ("ValidationException", 400, "invalid_request"),
    ("AccessDeniedException", 403, "auth"),
]
BEDROCK = ("bedrock_converse", "bedrock_nova", "bedrock_titan", "bedrock_meta", "anthropic_bedrock")


# the exceptions of the Bedrock runtime in botocore
@pytest.mark.parametrize("wire", BEDROCK)
@pytest.mark.parametrize(("name", "status", "kind"), EXCEPTIONS)
def test_exceptions_of_bedrock_have_one_kind_on_all_its_apis(
    wire: str, name: str, status: int, kind: str
) -> None:
    headers = {"x-amzn-ErrorType": f"{name}:http://internal.amazon.com/"}
    error = module(wire).read_error(status, {"message": "No."}, headers)
    assert (error.kind, error.type) == (kind, name)


@pytest.mark.parametrize("wire", BEDROCK)
@pytest.mark.parametrize(
    ("name", "kind", "retryable"),
    [
        ("throttlingException", "rate_limit", True),
        ("validationException", "invalid_request", False),
        ("modelStreamErrorException", "server", True),
        ("modelTimeoutException", "overloaded", True),
        ("serviceUnavailableException", "overloaded", True),
        ("internalServerException", "server", True),
    ],
)
def test_an_exception_in_a_stream_of_bedrock_has_its_kind(
    wire: str, name: str, kind: str, *, retryable: bool
) -> None:
    stream = module(wire).stream()
    assert [event.kind for event in stream.feed_from([{name: {"message": "No."}}])] == ["error"]
    with pytest.raises(StreamError, match="No") as failed:
        stream.close()
    assert (failed.value.error.kind, failed.value.error.retryable) == (kind, retryable)


# googleapis/python-genai/issues/1341: code 13; ai.google.dev/gemini-api/docs/batch-api: a google.rpc.Status
@pytest.mark.parametrize(
    ("code", "kind"),
    [(3, "invalid_request"), (8, "rate_limit"), (13, "server"), (14, "overloaded"), (7, "auth")],
)
def test_an_error_in_a_batch_of_gemini_has_the_number_of_its_kind(code: int, kind: str) -> None:
    result: Any = read_batch_result(
        module("gemini_generate"), {"key": "a", "error": {"code": code, "message": "No."}}
    )
    assert (result.id, result.error.kind, result.error.message) == ("a", kind, "No.")


# cloud.google.com/vertex-ai/generative-ai/docs/multimodal/batch-prediction-gemini: `status`
def test_an_error_inside_the_status_of_a_batch_of_vertex_is_read() -> None:
    gemini = module("gemini_generate")
    said = 'Bad Request: {"error": {"code": 400, "message": "No role.", "status": "INVALID_ARGUMENT"}}'
    line: dict[str, Any] = {
        "status": said,
        "processed_time": "2026",
        "request": {"contents": []},
        "response": {},
    }
    error: Any = read_batch_result(gemini, line).error
    assert (error.kind, error.message, error.retryable) == ("invalid_request", "No role.", False)
    bad = "invalid_request"
    for other, kind in (
        ("Bad Request: {oops", bad),
        ('Bad Request: {"a": 1}', bad),
        ("Internal error.", "server"),
    ):
        error = read_batch_result(gemini, {**line, "status": other}).error
        assert (error.kind, error.message) == (kind, other)


# help.aliyun.com/zh/model-studio/error-code
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("Arrearage", "rate_limit"),
        ("DataInspectionFailed", "invalid_request"),
        ("Throttling.BurstRate", "rate_limit"),
    ],
)
def test_an_error_of_dashscope_in_a_stream_has_its_kind(code: str, kind: str) -> None:
    stream = module("dashscope_generation").stream()
    stream.feed(stream_bytes("sse", [("error", {"code": code, "message": "No.", "request_id": "r"})]))
    with pytest.raises(StreamError, match="No") as failed:
        stream.close()
    assert failed.value.error.kind == kind
    assert failed.value.error.retryable is (code == "Throttling.BurstRate")


# developers.cloudflare.com/workers-ai/features/function-calling/traditional
def test_a_call_without_id_of_cloudflare_is_answered() -> None:
    cloudflare = module("cloudflare_run")
    call = {"name": "f", "arguments": {"a": 1}}
    body = {"result": {"response": "", "tool_calls": [call]}, "success": True}
    answer = cloudflare.read_answer(body)
    request = Request("m", [user("Hi")]).after(answer, tool_result(answer.calls[0], "ok"))
    assert cloudflare.build(request).body["messages"][1:] == [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": "f", "content": "ok"},
    ]


def test_a_rate_limit_that_one_request_exceeds_means_that_it_is_too_large() -> None:
    text = "Request too large for gpt-4o: Limit 30000, Requested 31000. The input or output tokens must be reduced in order to run successfully."
    error = module("openai_chat").read_error(
        429, {"error": {"message": text, "type": "tokens", "code": "rate_limit_exceeded"}}
    )
    assert (error.kind, error.retryable) == ("too_large", False)


def test_a_failed_dependency_is_a_failure_of_the_server() -> None:
    """https://github.com/huggingface/text-generation-inference: a generation that failed; so is Bedrock's ModelErrorException."""
    body = {"error": "Request failed during generation: CUDA out of memory", "error_type": "generation"}
    for wire in ("huggingface_chat", "bedrock_converse", "compatible_chat"):
        error = import_module(f"promptwire.{wire}").read_error(424, body)
        assert (error.kind, error.retryable, error.message) == ("server", True, body["error"])


def test_a_key_without_credit_is_told_with_400_too() -> None:
    message = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    error = module("anthropic_messages").read_error(400, body)
    assert (error.kind, error.retryable) == ("rate_limit", False)


@pytest.mark.parametrize(
    ("wire", "status", "body", "kind"),
    [
        # alibabacloud.com/help/en/model-studio/error-code
        ("dashscope_generation", 400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]"}, "too_large"),
        # litellm's table of errors
        ("bedrock_converse", 400, {"message": "Too many input tokens. Max input tokens: 8192, request input token count: 9000"}, "too_large"),
        ("bedrock_converse", 400, {"message": "The model returned the following errors: too many total text bytes: 9437184 > 9000000"}, "too_large"),
        ("anthropic_messages", 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "input and output tokens exceed your context limit"}}, "too_large"),
        ("vllm_chat", 400, {"error": {"message": "The engine prompt length 9000 exceeds the max_model_len 8192. Please reduce prompt.", "type": "BadRequestError", "code": 400}}, "too_large"),
        ("bedrock_titan", 400, {"message": "Malformed input request: expected maxLength: 2048, actual: 9000, please reformat your input and try again."}, "too_large"),
        ("openai_chat", 400, {"error": {"message": "prompt tokens (210000) exceed model maximum (200000)", "type": "invalid_request_error"}}, "too_large"),
        ("gemini_generate", 400, {"error": {"code": 400, "message": "Unable to submit request because the input token count is 1500000 but model only supports up to 1048576.", "status": "INVALID_ARGUMENT"}}, "too_large"),
        ("compatible_chat", 400, {"message": "Current length is 9000 while limit is 8192"}, "too_large"),
        ("compatible_chat", 400, {"message": "This model's maximum input length is 4096 tokens"}, "too_large"),
        ("compatible_chat", 400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}, "too_large"),
        ("compatible_chat", 400, {"error": {"message": "Your request exceeded model token limit: 131072", "type": "invalid_request_error"}}, "too_large"),
        ("cohere_chat", 400, {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."}, "too_large"),
        ("cloudflare_run", 400, {"errors": [{"message": "AiError: the tokens (9000) exceeded this model context window limit (8000).", "code": 5021}]}, "too_large"),
        # one request that no minute has the tokens for
        ("groq_chat", 413, {"error": {"message": "Request too large for model `m` on tokens per minute (TPM): Limit 8000, Requested 12680, please reduce your message size and try again.", "type": "tokens", "code": "rate_limit_exceeded"}}, "too_large"),
        # what a gateway hands on (forgecode issue 1146)
        ("openrouter_chat", 400, {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": '{"type": "error", "error": {"message": "Prompt is too long"}}', "provider_name": "Anthropic"}}}, "too_large"),
        ("openrouter_chat", 400, {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "Your credit balance is too low", "provider_name": "Anthropic"}}}, "rate_limit"),
        ("anthropic_messages", 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}, "rate_limit"),
        # a wrong key, with the status of an invalid request (beeai-framework issue 447, continue issue 10778)
        ("xai_chat", 400, {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: sk***YA."}, "auth"),
        ("xai_responses", 400, {"code": "Client specified an invalid argument", "error": "Incorrect%20API%20key%20provided:%20ba***na."}, "auth"),
        # the text of another field
        ("openai_chat", 400, {"error": {"message": "Invalid 'user': string too long.", "type": "invalid_request_error", "code": "string_above_max_length", "param": "user"}}, "invalid_request"),
        ("openai_chat", 400, {"error": {"message": "Invalid 'messages[0].content': string too long.", "type": "invalid_request_error", "code": "string_above_max_length", "param": "messages[0].content"}}, "too_large"),
    ],
)  # fmt: skip
def test_the_kind_of_an_error_is_what_its_words_say(wire: str, status: int, body: Any, kind: str) -> None:
    error = import_module(f"promptwire.{wire}").read_error(status, body)
    assert (error.kind, error.retryable) == (kind, False)


def test_a_type_that_means_another_kind_does_not_go_to_another_api() -> None:
    missing = {"message": "No model.", "type": "invalid_request_error", "code": "model_not_found"}
    error = module("openai_chat").read_error(404, {"error": missing})
    anthropic = module("anthropic_messages")
    written = anthropic.write_error(error)
    assert written == {"type": "error", "error": {"type": "not_found_error", "message": "No model."}}
    assert anthropic.read_error(404, written).kind == "not_found"
    # how Anthropic itself tells that a prompt is too long
    long = module("openai_chat").read_error(400, {"error": {"message": "maximum context length", "type": "invalid_request_error"}})  # fmt: skip
    assert (long.kind, anthropic.write_error(long)["error"]["type"]) == ("too_large", "invalid_request_error")


@pytest.mark.parametrize(
    ("code", "kind", "retryable"),
    [
        ("server_is_overloaded", "overloaded", True),
        ("slow_down", "overloaded", True),
        ("rate_limit_exceeded", "rate_limit", True),
        ("vector_store_timeout", "server", True),
        ("invalid_image_url", "invalid_request", False),
        ("image_content_policy_violation", "invalid_request", False),
        ("bio_policy", "invalid_request", False),
    ],
)
def test_the_code_of_an_answer_that_failed_says_whether_a_retry_helps(
    code: str, kind: str, retryable: bool
) -> None:
    responses = module("openai_responses")
    failed = {
        "id": "resp_1",
        "object": "response",
        "status": "failed",
        "output": [],
        "error": {"code": code, "message": "No."},
    }
    error = responses.read_error(None, failed)
    assert (error.kind, error.retryable, error.code) == (kind, retryable, code)
    told = {
        "type": "error",
        "sequence_number": 2,
        "error": {"type": "service_unavailable_error", "code": code, "message": "No."},
    }
    assert responses.read_error(None, told).kind == ("overloaded" if kind == "server" else kind)
