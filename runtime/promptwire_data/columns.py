"""Functions over columns of a pyarrow Table, a polars DataFrame, or a mapping of columns (numpy arrays, lists)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from typing import Any

from promptwire_batch import Job
from promptwire_batch.conversion import Chunk, convert_chunk
from promptwire_batch.job import wire_module
from promptwire_runtime import PromptwireError
from promptwire_runtime.results import read_batch_result
from promptwire_runtime.wire_json.characters import whole_text
from promptwire_runtime.wire_json.codec import decode
from promptwire_runtime.wire_json.kinds import is_mapping


@dataclass(frozen=True)
class Convert:
    """Convert lines: `dataset.map_batches(Convert(job), batch_format="pyarrow")`.

    A row becomes `name`, `id`, `model`, `line` (of the batch; empty if it cannot be converted), `changes` and `why`.

    Attributes:
        job: What the lines become.
        column: The column with the lines.
    """

    job: Job
    column: str = "line"

    def __call__(self, table: Any) -> Any:
        """Return the converted rows of a table."""
        lines = [_bytes(text) for text in _column(table, self.column)]
        rows = [
            row
            for number, line in enumerate(lines, 1)
            for row in convert_chunk(self.job, _chunk_of_line(line, number))
        ]
        columns: dict[str, list[Any]] = {
            "name": [row.name for row in rows],
            "id": [row.id for row in rows],
            "model": [row.model for row in rows],
            "line": [(row.line or b"").decode() for row in rows],
            "changes": [json.dumps(row.changes) for row in rows],
            "why": [row.why for row in rows],
        }
        return _like(table, columns)


@dataclass(frozen=True)
class Lint:
    """Add a column `problems`: the problems of bodies, as a JSON list of texts.

    Attributes:
        wire: The wire of the bodies.
        column: The column with the bodies.
    """

    wire: str
    column: str = "body"

    def __call__(self, table: Any) -> Any:
        """Return the bodies of a table with their problems."""
        lines = [_bytes(text) for text in _column(table, self.column)]
        problems = [self._problems(line) for line in lines]
        texts = [line.decode("utf-8", "replace") for line in lines]
        return _like(table, {self.column: texts, "problems": [json.dumps(each) for each in problems]})

    def _problems(self, line: bytes) -> list[str]:
        try:
            return [each.reason for each in wire_module(self.wire).check(decode(line))]
        except (PromptwireError, ValueError, RecursionError) as error:
            return [str(error)]


@dataclass(frozen=True)
class ReadResults:
    """Read lines of result files: `id`, `text` of the answer, `answer` as JSON of any API, and `error`.

    Attributes:
        wire: The wire of the batch.
        answers_as: The wire to write the answers for.
        column: The column with the lines.
    """

    wire: str
    answers_as: str | None = None
    column: str = "line"

    def __call__(self, table: Any) -> Any:
        """Return the results of a table."""
        reading, writing = wire_module(self.wire), wire_module(self.answers_as or self.wire)
        columns: dict[str, list[Any]] = {"id": [], "text": [], "answer": [], "error": []}
        for text in _column(table, self.column):
            found = {"id": "", "text": "", "answer": "", "error": ""}
            try:
                result = read_batch_result(reading, _bytes(text))
                found["id"] = result.id or ""
                if result.answer is not None:
                    found["text"] = result.answer.text
                    found["answer"] = json.dumps(writing.write_answer(result.answer, policies="lenient"))
                elif result.error is not None:
                    found["error"] = f"{result.error.kind}: {result.error.message}"
            except (PromptwireError, RecursionError) as error:
                found["error"] = f"unreadable: {error}"
            for name, value in found.items():
                columns[name].append(whole_text(value))
        return _like(table, columns)


def _chunk_of_line(line: bytes, number: int) -> Chunk:
    """Return a row as a chunk. A row without an id is named by its text and number, since each table begins with 1."""
    return Chunk(
        f"row-{blake2b(line, digest_size=6).hexdigest()}", number, (line if line.strip() else b"null",)
    )


def _bytes(text: Any) -> bytes:
    """Return a text as bytes. Those of half a character are not UTF-8, so that its line is refused."""
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")


def _column(table: Any, name: str) -> list[Any]:
    """Return a column as a list of Python values."""
    column = table[name]
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _like(table: Any, columns: dict[str, list[Any]]) -> Any:
    """Return columns as a table of the same kind as another one."""
    if is_mapping(table):
        if all(isinstance(column, (list, tuple)) for column in table.values()):
            return columns
        # arrays come from numpy
        array = import_module("numpy").array
        return {name: array(values, dtype=object) for name, values in columns.items()}
    kind: Any = table.__class__
    return kind.from_pydict(columns) if hasattr(kind, "from_pydict") else kind(columns)
