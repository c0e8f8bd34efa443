"""Read and write API error responses as one class, with kind, message, field and retry delay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field as record_field
from json import dumps, loads
from typing import Any

from ..nodes.checks import CheckedRecord
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..wire_json.characters import whole_json
from ..wire_json.codec import COMPRESSED, GZIP
from ..wire_json.kinds import is_list, is_object
from ..wire_json.places import path_text
from .answer_shapes import as_word
from .error_bodies import (
    google_details,
    handed_on,
    holders,
    kind_of_text,
    recovers,
)
from .error_forms import names_of, words_of_error, words_of_form, write_form
from .table import AnswerTable
from .waits import named_headers, should_retry, wait_of_body, wait_of_headers, wait_of_resets

ERROR_KINDS = (
    "invalid_request", "auth", "not_found", "too_large", "rate_limit", "overloaded", "server",
)  # fmt: skip
"""The kinds of errors, in order: the request is invalid; the API key or its permissions; the model or resource does not
exist; the request is too long; too many requests or no credit left; the API is overloaded; the API failed."""

_BY_STATUS = {
    401: "auth", 402: "rate_limit", 403: "auth", 404: "not_found", 408: "overloaded", 413: "too_large",
    424: "server", 429: "rate_limit", 503: "overloaded", 504: "overloaded", 529: "overloaded",
}  # fmt: skip
STATUS_OF_KIND = {
    "invalid_request": 400, "auth": 401, "not_found": 404, "too_large": 413, "rate_limit": 429, "server": 500,
    "overloaded": 503,
}  # fmt: skip
"""The usual HTTP status of an error kind."""
_RETRYABLE = frozenset({"rate_limit", "overloaded", "server"})
# request timeout and conflict, which the vendors' clients retry
_RETRYABLE_STATUS = frozenset({408, 409})
# no credit is left, and not implemented: the same request fails again
_UNPAID_STATUS = 402
_TOO_LARGE_STATUS = 413
_FINAL_STATUS = frozenset({_UNPAID_STATUS, 501})
# exhausted credit is not retryable
_EXHAUSTED = re.compile(
    "insufficient_quota|insufficient_credits|billing|credit balance|requires more credits|insufficient balance"
    "|exceeded your current quota, please check your plan"
    "|used all available credits"  # xAI
    "|used up your daily free allocation"  # Cloudflare
    "|token_quota_reached"  # watsonx
    "|reached your specified api usage limits"  # Anthropic, with the status 400
    "|reaching the monthly spending limit"  # Fireworks, with the status 412
    "|exceeded_current_quota|arrearage|account is in good standing"  # Moonshot, DashScope
)
# a wrong key that the status tells as an invalid request: xAI, Google
_WRONG_KEY = re.compile("incorrect(?: |%20)api(?: |%20)key(?: |%20)provided|api key not valid", re.IGNORECASE)
# a prompt that a filter rejects, told with the status of a key without permission: xAI (theopenco/llmgateway PR 1785,
# 2026-03), OpenRouter (openrouter.ai/docs: errors and moderation)
_FLAGGED = re.compile("violates usage guidelines|(?:input|prompt|content) (?:was|is) flagged", re.IGNORECASE)
# messages for a prompt that exceeds the context window; a retry cannot succeed
_TOO_LARGE = re.compile(
    r"maximum (context|prompt|model|input) length"  # OpenAI, vLLM, OpenRouter, xAI, Mistral, SGLang
    r"|exceed(s|ed)? (the |our |this |your )?(available |model'?s? )?(maximum )?context[ -_]?(window|limit|size|length)"
    r"|exceeds the context"  # OpenAI Responses
    r"|context ?window ?exceeded"  # LiteLLM
    r"|range of input length should be"  # DashScope
    r"|prompt is too long|prompt too long"  # Anthropic, Fireworks, Ollama
    r"|input is too long|input tokens exceed|too many input tokens|expected maxlength: \d"  # Bedrock
    r"|too many total text bytes"  # Bedrock
    r"|prompt tokens \(\d+\) exceed|request exceeds the maximum size"  # Bedrock's OpenAI API, Anthropic
    r"|prompt exceeds max|exceeded model token limit|current length is \d+ while limit is"  # Z.ai, Moonshot, Cerebras
    r"|token count.{0,40} (exceeds|only supports)"  # Gemini
    r"|(exceeds|cannot exceed) the maximum number of tokens"  # Gemini, Cohere
    r"|too large for model|too many tokens: (size limit|total number)"  # Mistral, Groq, Cohere
    r"|reduce the length of (the|your) (messages|input|prompt)"  # Groq, Cerebras, vLLM
    r"|longer than the (maximum model|model'?s context) length|exceeds the max_model_len"  # vLLM, SGLang
    r"|max_new_tokens`? must be <=|`inputs`? must have less than"  # TGI
    r"|tokens to keep from the initial prompt|context the overflows|context overflow"  # LM Studio
    r"|input length exceeds|exceed_context_size|request (body|entity) too large"  # Ollama, llama.cpp, GitHub Models
    r"|must be reduced in order to run successfully",  # OpenAI, if one request exceeds the tokens per minute
    re.IGNORECASE,
)
# the request fields that hold the prompt
_FIELDS_OF_PROMPT = ("messages", "input", "prompt", "instructions", "system", "contents", "max_", "tools")
# field of ApiError -> the keys that different hosts use for it
_NAMES: Mapping[str, tuple[str, ...]] = {
    "message": (
        "message", "msg", "detail", "error_description", "errorMessage", "Message", "reason", "error_msg",
        "status_msg", "faultstring",
    ),
    "type": ("type", "__type", "status"),
    "code": ("code", "errorCode", "status_code", "error_code", "errorcode"),
    "field": ("param", "field"),
}  # fmt: skip
# AWS names the exception in this header, `Name:http://...`, or under `__type`, `namespace#Name`
_TYPE_HEADER = "x-amzn-errortype"
_MOST_WORDS = 500
_EVENT = re.compile(r"\A(?:(?:event|id|retry):.*\r?\n)*data: ?(\{.*)")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ApiError(CheckedRecord):
    """An error response of an API. It is a value, not an exception; `BodyError.error` and `StreamError.error` hold one.

    kind     one of `ERROR_KINDS`
    message  the error message of the API
    status   the HTTP status, or the status that the body states; None if unknown
    type     the API's own error type, if any
    code     the API's error code, if any
    field    the request field that the error refers to, if any
    wait     seconds to wait before a retry, if the API states them; a year at most
    raw      the body; decoded if it is a JSON object
    wire     the name of the wire that read it, if one did
    should_retry  whether the API itself says that a retry may succeed (`x-should-retry`); None if it does not
    retryable  whether a retry may succeed: not if the request is invalid or too large, or no credit is left
    """

    kind: str
    message: str
    status: int | None = None
    type: str | None = None
    code: str | None = None
    field: str | None = None
    wait: float | None = None
    raw: Any = None
    wire: str | None = record_field(default=None, compare=False, repr=False)
    should_retry: bool | None = record_field(default=None, compare=False)

    @property
    def retryable(self) -> bool:
        """Whether a retry of the same request may succeed."""
        if self.should_retry is not None:
            return self.should_retry
        words = " ".join([f"{self.code} {self.type} {self.message}", *handed_on(self.raw)]).lower()
        if self.status in _FINAL_STATUS:
            return False
        if _EXHAUSTED.search(words) is not None and not recovers(self.raw):
            return False
        return self.kind in _RETRYABLE or (
            self.kind == "invalid_request" and self.status in _RETRYABLE_STATUS
        )


def read_error(
    status: int | None,
    body: Any,
    table: AnswerTable,
    headers: Mapping[str, str] | None = None,
    wire: str | None = None,
) -> ApiError:
    """Read an error response. A body of unknown form becomes an error with its text as the message.

    status  the HTTP status; None if the error is part of a stream or batch result
    """
    if status is not None:
        check_class(status, int, "status")
    body, _ = whole_json(_decoded(body))
    words = _words(body, table)
    if headers is not None and (said := named_headers(headers).get(_TYPE_HEADER)):
        words["type"] = said.partition(":")[0]
    if "type" in words:
        words["type"] = words["type"].rpartition("#")[2]
    # a code that repeats the HTTP status
    if stated := words.pop("status", None):
        words.setdefault("code", stated)
    status = _status(words.get("code")) if status is None else status
    message = words.pop("message", None) or _text(body, status)
    found = None if headers is None else wait_of_headers(headers)
    said = " ".join([message, *handed_on(body)])
    found = wait_of_body(body, said) if found is None else found
    kind = _kind(words, said, status, table)
    return ApiError(
        kind=kind,
        message=message,
        status=status,
        wait=wait_of_resets(headers or {}, body) if found is None and kind == "rate_limit" else found,
        raw=body,
        wire=wire,
        should_retry=None if headers is None else should_retry(headers),
        **words,
    )


def write_error(error: ApiError, table: AnswerTable, wire: str | None = None) -> dict[str, Any]:
    """Write an error as the body of one API. An error that was read from this API is reproduced exactly.

    `wire` is the name of this API's wire. The body of an error of another wire is never passed on: this API's tolerant
    reader may understand it, but its clients do not.
    """
    check_class(error, ApiError, "error")
    raw = error.raw
    if (
        is_object(raw)
        and (error.wire is None or error.wire == wire)
        and not raw.keys().isdisjoint(names_of(table.error))
        and read_error(error.status, raw, table, wire=error.wire) == error
    ):
        return dict(raw)
    item: Any = write_form(table.error, in_words_of(table, error))
    return (
        item if is_object(item) else {"error": {"message": error.message, "type": error.type or error.kind}}
    )


def in_words_of(table: AnswerTable, error: ApiError) -> ApiError:
    """Return an error with the type that one API uses for its kind, and with a status.

    Words that this API knows stay, unless they mean another kind. For a kind without a word, the API's word for a
    failure of its own is used, or for an invalid request if the request is too large.
    """
    error = replace(error, status=error.status or STATUS_OF_KIND[error.kind])
    meanings = {
        table.kinds[word] for word in (error.type, error.code) if word is not None and word in table.kinds
    }
    if not table.kinds or error.kind in meanings or (error.kind == "too_large" and meanings):
        return error
    # a word for exhausted credit would tell clients not to retry
    exhausted = _EXHAUSTED.search(f"{error.code} {error.type} {error.message}".lower()) is not None
    word = next(
        (
            word
            for kind in (error.kind, "invalid_request" if error.kind == "too_large" else "server")
            for word, meaning in table.kinds.items()
            if meaning == kind and (exhausted or not _EXHAUSTED.search(word))
        ),
        error.type,
    )
    return replace(error, type=word)


def error_values(data: Any, table: AnswerTable) -> dict[str, Any]:
    """Return the template values of an error event: those of an `ApiError`, or of the JSON of any API.

    `word` is the word of the API that says most: its code, or else its type.
    """
    known = isinstance(data, ApiError)
    error = in_words_of(table, data if known else read_error(None, data, table))
    return {
        "message": error.message if known else error_text(data),
        "type": error.type,
        "code": error.code,
        "field": error.field,
        "status": error.status,
        "word": error.code if error.code in table.kinds else error.type,
    }


def error_text(data: Any) -> str:
    """Return the message of an error of any API; of one without a message, its JSON."""
    error = data.get("error", data) if is_object(data) else data
    message = error.get("message") if is_object(error) else error
    if type(message) is str:
        return message
    try:
        return dumps(data, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return shown(data)


def error_in(body: Any, table: AnswerTable) -> bool:
    """Return whether a body is an error of this API, or of a gateway before it."""
    return words_of_error(body, table.error_forms) is not None


def _words(body: Any, table: AnswerTable) -> dict[str, str]:
    """Return the fields of an error, read by its form, and with the keys that hosts use if it has none."""
    words: dict[str, Any] = words_of_form(body, table.error)
    if "message" not in words:
        words |= words_of_error(body, table.other_errors) or {}
    known = bool(words.get("message"))
    words |= google_details(body)
    for item in holders(body):
        for name, keys in _NAMES.items():
            if known and name not in ("type", "code"):
                continue
            word = next((word for key in keys if (word := _word(item.get(key)))), None)
            # `type: error` marks the object and is not an error type, nor is the number of `status: 400`
            if word is not None and word != "error" and not (name == "type" and word.isdecimal()):
                words.setdefault(name, word)
        if "field" not in words and is_list(item.get("loc")):
            # FastAPI: the path of the key in the request; what is no key and no index says nothing of it
            steps = [step for step in item["loc"] if type(step) in (str, int)]
            steps = steps[1:] if steps[:1] == ["body"] else steps
            words |= {"field": path_text(steps)} if steps else {}
    for item in holders(body):
        # one text, or a list of them (TGI, NestJS)
        for key in ("message", "errors", "error"):
            said = item.get(key)
            texts = [text for text in (said if is_list(said) else [said]) if isinstance(text, str) and text]
            if texts:
                words.setdefault("message", "; ".join(texts))
    return {**(words_of_error(body, table.error_forms) or {}), **words}


def _word(value: Any) -> str | None:
    return as_word(value) or None


def _status(code: str | None) -> int | None:
    """Return the HTTP status that an error code states, or None."""
    return int(code) if code is not None and re.fullmatch("[45][0-9][0-9]", code) else None


def _kind(words: Mapping[str, str], message: str, status: int | None, table: AnswerTable) -> str:
    """Return the kind of an error. `message` is that of the API, and of the API behind it."""
    named = [words[name] for name in ("code", "type") if name in words]
    # DeepSeek's code for no credit is that of an invalid request
    known = () if status == _UNPAID_STATUS else named
    kind = next((table.kinds[word] for word in known if word in table.kinds), None)
    kind = kind or (_BY_STATUS.get(status) if status is not None else None)
    if kind is None and status is None:
        kind = kind_of_text(" ".join([*named, message]))
    if kind is None:
        kind = "server" if status is None or status >= 500 else "invalid_request"
    if kind == "auth" and _FLAGGED.search(message):
        return "invalid_request"
    if kind == "invalid_request" and _EXHAUSTED.search(message.lower()):  # Anthropic, with the status 400
        return "rate_limit"
    if kind == "invalid_request" and _WRONG_KEY.search(message):
        return "auth"
    if kind == "too_large" and status != _TOO_LARGE_STATUS:
        # the text of another field may be too long as well
        kind = kind if words.get("field", "messages").startswith(_FIELDS_OF_PROMPT) else "invalid_request"
    # one request that exceeds the tokens per minute is told as too many requests by OpenAI, and with 413 by Groq
    alone = "must be reduced in order" in message or status == _TOO_LARGE_STATUS
    fits = alone or kind not in ("auth", "not_found", "rate_limit")
    return "too_large" if fits and _TOO_LARGE.search(" ".join([message, *named])) else kind


def _decoded(body: Any) -> Any:
    """Return the JSON object in bytes or text, or the text if there is none."""
    if isinstance(body, (bytes, bytearray)):
        if body.startswith(GZIP):
            return f"the bytes are not an error body: {COMPRESSED}"
        body = body.decode("utf-8", "replace")
    if not isinstance(body, str):
        return body
    # an answer to a stream may come as an event (XiaomiMiMo/MiMo-V2-Flash issue 18, 2026-02)
    event = _EVENT.search(body)
    try:
        value: Any = loads(body if event is None else event[1])
    except (ValueError, RecursionError):
        return body
    return value if is_object(value) or (is_list(value) and value and is_object(value[0])) else body


def _text(body: Any, status: int | None) -> str:
    """Return an error message for a body of unknown form."""
    if isinstance(body, str) and body.strip():
        return body.strip()[:_MOST_WORDS]
    return (
        f"the API answered with status {shown(status)}"
        if body in (None, "", {})
        else shown(body)[:_MOST_WORDS]
    )
