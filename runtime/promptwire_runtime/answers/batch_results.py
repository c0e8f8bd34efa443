"""Read lines of batch result files: the request id, and its answer or the API's error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..build.wire import Wire
from ..errors import BodyError
from ..nodes.checks import CheckedRecord
from ..wire_json.characters import whole_text
from ..wire_json.codec import decode
from ..wire_json.kinds import is_object, json_kind
from .answer import Answer
from .api_error import ApiError, error_in, read_error
from .table import AnswerTable

# keys of the request id: OpenAI and most others, Gemini, Bedrock, xAI
_IDS = ("custom_id", "key", "recordId", "batch_request_id")
_RESULTS = ("response", "result", "modelOutput", "batch_result", "error")
# Anthropic's result types for requests that were never run
_NOT_RUN = frozenset({"canceled", "cancelled", "expired"})
# services lose requests: OpenAI writes the status 0, Gemini `response: null`
_NO_RESPONSE = {"error": {"message": "the service gave no response to this request"}}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BatchResult(CheckedRecord):
    """One line of a batch result file.

    id      the request id that the caller chose; None if the host writes none
    answer  the answer, if the request succeeded
    error   the API's error, if the request failed
    """

    id: str | None = None
    answer: Answer | None = None
    error: ApiError | None = None


def is_batch_line(body: Any) -> bool:
    """Return whether a body is a line of a batch result file."""
    if not is_object(body):
        return False
    named = any(key in body for key in (*_IDS, "processed_time", "modelInput"))
    return named and any(key in body for key in _RESULTS)


def read_batch_result(
    line: Any, table: AnswerTable, wire: Wire, read_answer: Callable[[Any], Answer]
) -> BatchResult:
    """Read a line of a batch result file: bytes, text or decoded JSON.

    Raises BodyError if the line is not a batch result.
    """
    name = wire.name
    row = _decoded(line, name)
    identity = next((row[key] for key in _IDS if type(row.get(key)) is str), None)
    if identity is None:
        identity = next(
            filter(None, (_inside(row, path) for path in ("metadata.key", *_id_paths(wire)))), None
        )
    if identity is not None:
        identity = whole_text(identity)
    status, body = _result(row, table)
    if status is None and is_object(body) and not error_in(body, table):
        return BatchResult(id=identity, answer=read_answer(body))
    if body is None:
        keys = ", ".join(_RESULTS)
        raise BodyError(f"{name}: the line holds no result: it has none of the keys {keys}")
    return BatchResult(id=identity, error=read_error(status, body, table, wire=name))


def _id_paths(wire: Wire) -> Iterator[str]:
    """Yield where the id stands in results that repeat the request, for services without a key for it."""
    for service in wire.batches.values():
        if "id_in" in service:
            body = next(key for key, word in service["line"].items() if word == "body")
            yield f"{body}.{service['id_in']}"


def _inside(row: Any, path: str) -> str | None:
    for key in path.split("."):
        row = row.get(key) if is_object(row) else None
    return row if type(row) is str else None


def _decoded(line: Any, name: str) -> dict[str, Any]:
    if isinstance(line, (bytes, bytearray)):
        line = line.decode("utf-8", "replace")
    if isinstance(line, str):
        try:
            line = decode(line)
        except (ValueError, RecursionError) as error:
            raise BodyError(f"{name}: the line of the batch result is no JSON: {error}") from None
    if not is_object(line):
        raise BodyError(f"{name}: the line of the batch result is {json_kind(line)}, not an object")
    return line


def _result(row: dict[str, Any], table: AnswerTable) -> tuple[int | None, Any]:
    """Return the error status, if the row states one, and the body of the answer or error."""
    if row.get("error"):
        return None, {"error": row["error"]}
    batch_result = row.get("batch_result")
    if is_object(batch_result):
        return _of_batch_result(batch_result)
    result = next((row[key] for key in ("response", "result", "modelOutput") if row.get(key)), None)
    if result is None:
        # Vertex explains in `status` why a request has no response
        status = row.get("status")
        if type(status) is str and status:
            return None, _stated(status, table)
        return None, _NO_RESPONSE if any(key in row for key in _RESULTS) else None
    if not is_object(result):
        return None, {"error": {"message": str(result)}}
    if "body" in result:
        return _of_response(result)
    return None, _body_of_result(result)


def _of_response(response: dict[str, Any]) -> tuple[int | None, Any]:
    """Return the error status, if there is one, and the body of a result that holds both."""
    code, body = response.get("status_code"), response["body"]
    failed = type(code) is int and code >= 400
    return code if failed else None, body or _NO_RESPONSE


def _body_of_result(result: dict[str, Any]) -> Any:
    """Return the answer or the error of a result that states its type, or is the answer itself."""
    kind = result.get("type")
    if kind in _NOT_RUN:
        return {"error": {"type": kind, "message": f"the request of the batch was {kind} before it ran"}}
    if kind == "succeeded" and "message" in result:
        return result["message"] or _NO_RESPONSE
    if kind == "errored":
        return result.get("error") or _NO_RESPONSE
    return result


def _stated(status: str, table: AnswerTable) -> dict[str, Any]:
    """Return the error in a text such as `Bad Request: {"error": {...}}`, or the text as an error."""
    try:
        body = decode(status[status.index("{") :])
    except (ValueError, RecursionError):
        body = None
    return body if is_object(body) and error_in(body, table) else {"error": {"message": status}}


def _of_batch_result(result: dict[str, Any]) -> tuple[int | None, Any]:
    """Return the result of xAI's API: an error, or an answer under the name of the call that it answers."""
    response = result.get("response")
    if is_object(response) and len(response) == 1:
        return None, next(iter(response.values()))
    error = result.get("error") or result.get("error_message")
    return (
        (None, {"error": error if is_object(error) else {"message": str(error)}}) if error else (None, None)
    )
