"""Read the result files of batch services: a result a line, a page of results, or the description of a batch."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from typing import IO, Any

from promptwire_runtime.wire_json.codec import decode
from promptwire_runtime.wire_json.kinds import is_list, is_object
from promptwire_text.files import MOST_BYTES, open_file, read_lines

from .errors import BatchError

# where the description of a batch, as its service gives it, holds the results themselves
_INLINE = (
    "results",
    "inlinedResponses",
    "inlinedResponses.inlinedResponses",
    "dest.inlinedResponses",
    "dest.inlined_responses",
    "response.inlinedResponses",
    "response.inlinedResponses.inlinedResponses",
    "metadata.output.inlinedResponses.inlinedResponses",
)
# where it names the files that hold them
_FILES = (
    "response.responsesFile",
    "metadata.output.responsesFile",
    "dest.fileName",
    "dest.file_name",
    "outputInfo.gcsOutputDirectory",
    "outputDataConfig.s3OutputDataConfig.s3Uri",
    "results_url",
    "output_file_id",
    "error_file_id",
    "output_file",
    "error_file",
)
_STATES = ("state", "metadata.state", "status", "processing_status")
# a batch has an id or a name of its own, a result the id of its request
_OF_BATCH = ("object", "name", "id", "type", "jobArn")


def result_rows(file: str) -> Iterator[tuple[Any, int]]:
    """Yield the results in a file, as bytes or decoded, each with the number of bytes that were read for it.

    None stands for a line that is too large.

    Raises:
        BatchError: the file cannot be read, or describes a batch without holding its results.
    """
    try:
        with open_file(file) as stream:
            for number, (line, size) in enumerate(read_lines(stream)):
                # programs of Windows begin files with this mark
                text = line.removeprefix(BOM_UTF8) if number == 0 and line is not None else line
                described = _description(text, stream) if number == 0 else None
                rows = _page(text) if described is None else _rows_of_batch(described, file)
                if rows is None:
                    yield text, size
                else:
                    yield from ((row, 0) for row in rows)
    except OSError as error:
        raise BatchError(f"{file}: {error.strerror}") from error


def _description(line: bytes | None, stream: IO[bytes]) -> Mapping[str, Any] | None:
    """Return the description of a batch, or the page of results, in the first line of a file or over several lines."""
    if line is None or not line.startswith(b"{"):
        return None
    start = stream.tell()
    text = line + stream.read(MOST_BYTES) if line.strip() == b"{" else line
    try:
        value = decode(text)
    except (ValueError, RecursionError):
        value = None
    if is_object(value) and _is_batch(value):
        return value
    stream.seek(start)
    return None


def _is_batch(value: Mapping[str, Any]) -> bool:
    """Return whether an object describes a batch, or is a page of results, and is no result itself."""
    named = any(isinstance(value.get(key), str) for key in _OF_BATCH)
    state = any(_at(value, path) is not None for path in _STATES) or value.get("done") is True
    holds = is_list(value.get("results")) or any(
        _at(value, path) is not None for path in (*_INLINE[1:], *_FILES)
    )
    is_result = "custom_id" in value or "key" in value or "recordId" in value
    return not is_result and (holds or (named and state and "response" not in value))


def _rows_of_batch(value: Mapping[str, Any], file: str) -> list[Any]:
    """Return the results that the description of a batch holds.

    Raises:
        BatchError: it holds none.
    """
    for path in _INLINE:
        if is_list(rows := _at(value, path)):
            return rows
    named = [f"{path} {found}" for path in _FILES if isinstance(found := _at(value, path), str)]
    if named:
        where = " and ".join(named)
        raise BatchError(
            f"{file}: it describes a batch and holds no results; download {where}, and read that"
        )
    state = next((str(found) for path in _STATES if (found := _at(value, path)) is not None), "unknown")
    raise BatchError(f"{file}: it describes a batch and holds no results; the state of the batch is {state}")


def _page(line: bytes | None) -> list[Any] | None:
    """Return the results of a page that lists several, as xAI's API answers."""
    if line is None or not line.startswith(b'{"results"'):
        return None
    try:
        rows = decode(line).get("results")
    except (ValueError, RecursionError):
        return None
    return rows if is_list(rows) else None


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if is_object(value) else None
    return value
