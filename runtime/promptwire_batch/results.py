"""Read the result files of a batch: join each result with its request, and sort the errors."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from promptwire_runtime import PromptwireError
from promptwire_runtime.answers.api_error import ApiError
from promptwire_runtime.results import read_batch_result
from promptwire_runtime.wire_json.characters import whole_json, whole_text
from promptwire_text.files import MOST_BYTES

from .conversion import json_line
from .errors import BatchError
from .job import wire_module
from .ledger import BatchEntry, Ledger, opened
from .manifest import Manifest
from .result_files import result_rows
from .writing import Progress

RESULTS = "results.jsonl"
_LINES = 5000
# what services call a request that was not run before the batch ended
_NOT_RUN = frozenset(
    {
        "expired",
        "canceled",
        "cancelled",
        "batch_expired",
        "batch_cancelled",
        "request_expired",
        "request_cancelled",
    }
)


@dataclass(slots=True)
class ResultReport:
    """Counts of the results that were read.

    Attributes:
        succeeded: Requests that have an answer now.
        failed: Errors by state: `retry`, `fix` and `give_up`.
        again: Results of requests that had an answer already, and errors of an earlier round; they are left out.
        unknown: Results whose id is not of this batch.
        unreadable: Lines that are no results, each with its place.
    """

    succeeded: int = 0
    failed: Counter[str] = field(default_factory=Counter[str])
    again: int = 0
    unknown: int = 0
    unreadable: list[str] = field(default_factory=list[str])

    def lines(self) -> Iterator[str]:
        """Yield the report as text."""
        failed = ", ".join(f"{self.failed[state]} {state}" for state in ("retry", "fix", "give_up"))
        yield f"{self.succeeded} succeeded, {failed}"
        if self.again:
            yield f"{self.again} results of requests that had an answer already, or were sent again since"
        if self.unknown:
            yield f"{self.unknown} results with an id that is not of this batch"
        yield from (f"unreadable: {place}" for place in self.unreadable)


def read(
    folder: str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]],
    *,
    answers_as: str | None = None,
    most_attempts: int = 3,
    progress: Progress | None = None,
) -> ResultReport:
    """Read the result files of a batch into its ledger, and write the answers to `results.jsonl`.

    A row has the `name` of the request, its `id`, and the `body` of the answer. A file that is read twice, or a call
    that was killed and repeated, adds nothing twice.

    Args:
        folder: The folder of the batch.
        files: The files that the service gave.
        answers_as: The wire to write the answers for; the wire of the batch by default.
        most_attempts: How often a request is sent before it is given up.
        progress: Called with the number of bytes that were read.

    Raises:
        BatchError: the folder has no batch, or a file cannot be read.
    """
    report = ResultReport()
    with opened(Path(folder)) as ledger:
        manifest = ledger.written()
        ledger.check_inputs(files, RESULTS)
        with ledger.cut_file(RESULTS, manifest.results_bytes) as out:
            reading = _Reading(ledger, manifest, report, out, (answers_as, most_attempts))
            for file in files:
                reading.read(os.fspath(file), progress)
    return report


class _Reading:
    """One call of `read`."""

    def __init__(
        self,
        ledger: Ledger,
        manifest: Manifest,
        report: ResultReport,
        out: IO[bytes],
        choices: tuple[str | None, int],
    ) -> None:
        self.ledger = ledger
        self.manifest = manifest
        self.report = report
        self.out = out
        answers_as, self.most_attempts = choices
        self.round = manifest.round
        self.module = wire_module(manifest.job.to)
        self.writer = wire_module(answers_as or manifest.job.to)

    def read(self, file: str, progress: Progress | None) -> None:
        try:
            self.round = self.ledger.first_round(file, self.manifest.round)
        except OSError as error:
            raise BatchError(f"{file}: {error.strerror}") from error
        for number, (line, size) in enumerate(result_rows(file), start=1):
            if line is None:
                self.report.unreadable.append(
                    f"{file}:{number}: the line is larger than {MOST_BYTES:,} bytes"
                )
            elif not (isinstance(line, bytes) and line.isspace()):
                self._take(line, f"{file}:{number}")
            if progress is not None:
                progress(size)
            if number % _LINES == 0:
                self._commit()
        self._commit()

    def _commit(self) -> None:
        self.out.flush()
        os.fsync(self.out.fileno())
        self.manifest.results_bytes = self.out.tell()
        self.ledger.commit(self.manifest)

    def _take(self, line: Any, where: str) -> None:
        try:
            result = read_batch_result(self.module, line)
            entry = None if result.id is None else self.ledger.find(whole_text(result.id))
            if entry is None:
                self.report.unknown += 1
            elif entry.state == "succeeded":
                self.report.again += 1
            elif result.error is None:
                self._succeed(entry, self.writer.write_answer(result.answer, policies="lenient"))
            elif entry.shard is not None and self.manifest.round_of(entry.shard) > self.round:
                # the request was sent again after this file was read: its error is not of that round
                self.report.again += 1
            else:
                self._fail(entry, result.error)
        except PromptwireError as error:
            self.report.unreadable.append(f"{where}: {' '.join(str(error).split())}")
        except RecursionError:
            self.report.unreadable.append(f"{where}: the line is nested too deep")

    def _succeed(self, entry: BatchEntry, body: Any) -> None:
        # what an answer keeps unread may hold half characters
        body, _ = whole_json(body)
        for name in (entry.name, *self.ledger.same(entry.seq)):
            row = {"name": name, "id": entry.id, "body": body}
            self.out.write(json_line(row) + b"\n")
            self.report.succeeded += 1
        self.ledger.settle(entry.seq, "succeeded", None)

    def _fail(self, entry: BatchEntry, error: Any) -> None:
        state = state_of(error, entry.attempts, self.most_attempts)
        self.ledger.settle(entry.seq, state, whole_text(f"{error.kind}: {error.message}"))
        self.report.failed[state] += 1


def state_of(error: ApiError, attempts: int, most_attempts: int) -> str:
    """Return the state of a request whose result is an error.

    `retry` if the same request may succeed, `give_up` if that was tried often enough, and `fix` if the request, the
    key or the account must be changed first.
    """
    words = {str(word).lower() for word in (error.type, error.code) if word}
    if not (error.retryable or words & _NOT_RUN):
        return "fix"
    return "retry" if attempts < most_attempts else "give_up"
