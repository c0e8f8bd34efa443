"""Bodies of answers before and after they are read: an error, or no answer at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..build.wire import Wire
from ..errors import BodyError, PromptwireError
from ..reporting.notes import Note
from ..wire_json.copies import beyond_bounds
from ..wire_json.kinds import is_list, is_object, json_kind
from .answer import Answer, Usage
from .api_error import error_in, read_error
from .batch_results import is_batch_line
from .buffers import EACH
from .stream_table import StreamTable
from .table import AnswerTable

_NO_USAGE = Usage()


def body_of_answer(body: Any, wire: Wire, table: AnswerTable) -> dict[str, Any]:
    """Return the object of an answer. Raises BodyError for another body; it holds the API's error if there is one."""
    if table.in_list and is_list(body) and len(body) == 1:
        body = body[0]
    if not is_object(body):
        if error_in(body, table):
            raise no_answer(body, wire, table)
        wanted = "a list of one object" if table.in_list else "an object"
        kind = f"a list of {len(body)} values" if table.in_list and is_list(body) else json_kind(body)
        raise BodyError(f"{wire.name}: the answer is {kind}, not {wanted}")
    trouble = beyond_bounds(body)
    if trouble is not None:
        raise BodyError(f"{wire.name}: the answer cannot be read: {trouble}")
    if table.body.names.isdisjoint(body):
        raise no_answer(body, wire, table)
    return body


def is_streamed(body: Any, table: AnswerTable, stream: Callable[[], Any]) -> bool:
    """Return whether a body is a stream, one of its events, or a list of them; `stream` returns a reader of streams."""
    from .events import OF_PARTS

    if (is_object(body) or is_list(body)) and beyond_bounds(body) is not None:
        return False
    chunk = body.encode(errors="replace") if isinstance(body, str) else body
    # where an answer is a list, several answers are no stream
    several = is_list(chunk) and len(chunk) > 1 and not table.in_list
    try:
        return not is_batch_line(body) and any(
            event.kind in OF_PARTS for event in stream().feed_from(chunk if several else (chunk,))
        )
    except PromptwireError:
        return False


def no_answer(body: Any, wire: Wire, table: AnswerTable) -> BodyError:
    """Return the error for a body that is not an answer of this API."""
    if is_batch_line(body):
        return BodyError(f"{wire.name}: this is a line of a batch result: read_batch_result reads it")
    if error_in(body, table):
        error = read_error(None, body, table, wire=wire.name)
        return BodyError(
            f"{wire.name}: the API answered with an error: {error.kind}: {error.message[:500]}", error
        )
    keys = ", ".join(sorted(table.body.names))
    return BodyError(
        f"{wire.name}: nothing of the body is an answer of {wire.title}: it holds no candidate, no text and no counts;"
        f" an answer has the keys {keys}"
    )


def answer_says_nothing(answer: Answer, table: AnswerTable, body: dict[str, Any]) -> bool:
    """Return whether an answer without content has no message, no finish reason and no token usage."""
    # such a message is read from any body, also from one that has none of its keys
    inlined = table.body.inlined_message
    has_message = not inlined or not inlined.isdisjoint(body)
    return answer.usage in (None, _NO_USAGE) and not any(
        candidate.finish_raw is not None or (has_message and candidate.message is not None)
        for candidate in answer.candidates
    )


def calls_in_pieces(body: dict[str, Any], stream: StreamTable) -> list[Note]:
    """Return a problem for each call whose arguments are pieces, which only a stream joins."""
    calls: list[tuple[str, Any]] = [("", body)]
    words: Mapping[str, Any] = stream.pieces
    for key in stream.call[0] if stream.call else ():
        if key == EACH:
            calls = [
                (f"{path}[{n}]", row) for path, rows in calls if is_list(rows) for n, row in enumerate(rows)
            ]
        else:
            calls = [
                (f"{path}.{key}" if path else key, row.get(key)) for path, row in calls if is_object(row)
            ]
    why = "the arguments of this call come in pieces, which stream() joins"
    return [
        Note("passed through", path, words[word], why)
        for path, call in calls
        for word in ("list", "more")
        if is_object(call) and call.get(words[word])
    ]
