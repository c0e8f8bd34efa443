"""Send the requests of files to an API, many at once, and write each answer to a file as it comes.

A run that was killed is repeated: what has an answer in the file is not sent again.
"""

from __future__ import annotations

import dataclasses
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import anyio

from promptwire_batch.source_lines import SourceLine
from promptwire_http import ApiStatusError, HttpError
from promptwire_runtime import BodyError, Note, PromptwireError, RequestError
from promptwire_runtime.build.encoding import encoded
from promptwire_runtime.errors import AnswerError, SettingError
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.wire_json.characters import whole_text
from promptwire_runtime.wire_json.kinds import is_object
from promptwire_text.files import open_file, replacing

from .converting import ConvertedLine
from .generated import CommandError, wire_module

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream

    from promptwire_http import AsyncClient
    from promptwire_runtime import Answer, Api, Request

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

Line: TypeAlias = SourceLine | ConvertedLine
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
NOTES: ContextVar[list[Note]] = ContextVar("NOTES")
"""The notes of the request that a task sends, which the hook `on_send` of its client gets."""


@dataclass(slots=True)
class RunReport:
    """The counts of a run."""

    answered: int = 0
    skipped: int = 0
    failed: int = 0
    refused: int = 0
    retries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    changes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    reasons: Counter[str] = field(default_factory=Counter[str])

    def lines(self) -> Iterator[str]:
        """Yield the report as text: totals, tokens, then changes and reasons with the number of requests."""
        skipped = f", {self.skipped} answered before" if self.skipped else ""
        yield f"{self.answered} answered, {self.failed} failed, {self.refused} refused{skipped}"
        yield f"{self.input_tokens:,} tokens in, {self.output_tokens:,} out, {self.retries} sent again"
        yield from (f"{count:>6}  {action} {name}" for (action, name), count in self.changes.most_common())
        yield from (f"{count:>6}  {why}" for why, count in self.reasons.most_common())

    def as_json(self) -> dict[str, Any]:
        """Return the same as JSON."""
        return {
            "answered": self.answered,
            "answered_before": self.skipped,
            "failed": self.failed,
            "refused": self.refused,
            "sent_again": self.retries,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "changes": [
                {"action": action, "field": name, "requests": count}
                for (action, name), count in self.changes.most_common()
            ],
            "reasons": [{"why": why, "requests": count} for why, count in self.reasons.most_common()],
        }


@dataclass(frozen=True, kw_only=True)
class LiveRun:
    """What is sent, and how.

    Attributes:
        client: Sends the requests, each once.
        answers_as: The API for which answers are written; None keeps them as they came.
        model: The model; the own one of each request by default.
        concurrency: How many requests are open at once.
        attempts: How often a request is sent at most.
    """

    client: AsyncClient
    answers_as: Api | None = None
    model: str | None = None
    concurrency: int = 8
    attempts: int = 5


@dataclass(frozen=True)
class _Rows:
    """The open files of a run, and the ids that have an answer."""

    out: Path
    answered: set[str]
    answers: IO[bytes]
    errors: IO[bytes]

    def add(self, row: dict[str, Any]) -> None:
        """Write a row to its file."""
        sink, name = (self.answers, self.out) if "body" in row else (self.errors, errors_file(self.out))
        with _naming(name):
            sink.write(encoded(row) + b"\n")
            sink.flush()


class _Pace:
    """When the next request may start: an error that tells how long to wait holds back all of them."""

    def __init__(self) -> None:
        self._next = 0.0

    async def wait(self) -> None:
        left = self._next - monotonic()
        if left > 0:
            # not all at the same moment
            await anyio.sleep(left + random.random() * min(left, 1.0))  # noqa: S311

    def hold(self, seconds: float) -> None:
        self._next = max(self._next, monotonic() + seconds)


async def send_lines(
    lines: Iterable[Line],
    run: LiveRun,
    out: str | os.PathLike[str],
    progress: Callable[[int], None] | None = None,
) -> RunReport:
    """Send requests, and write a row for each: `{id, body}` to a file, or `{id, error, attempts}` to one beside it.

    Args:
        lines: The requests; lines that are none are written as errors. A name that comes again gets a number.
        run: What is sent, and how.
        out: The file of answers. Requests that have one are not sent again. `errors_file(out)` is that of errors.
        progress: Gets the number of requests that have ended.

    Raises:
        CommandError: a file holds rows that no run has written, or another run writes to it.
        OSError: a file cannot be read or written.
    """
    with _open_rows(Path(out)) as rows:
        sending = _Sending(run, rows, progress or _ignore)
        try:
            await sending.send(lines)
        except BaseExceptionGroup as group:
            # the others were cancelled because of it
            raise group.exceptions[0] from None
    return sending.report


def _ignore(_: int) -> None:
    pass


class _Sending:
    """The requests under way, and the files that get their rows."""

    def __init__(self, run: LiveRun, rows: _Rows, progress: Callable[[int], None]) -> None:
        self.run = run
        self.report = RunReport()
        self._rows = rows
        self._progress = progress
        self._pace = _Pace()

    async def send(self, lines: Iterable[Line]) -> None:
        """Send all lines but those with an answer."""
        supply, waiting = anyio.create_memory_object_stream[Line](0)
        async with anyio.create_task_group() as group:
            for _ in range(self.run.concurrency):
                group.start_soon(self._work, waiting.clone())
            waiting.close()
            async with supply:
                for line in _distinct(lines):
                    if line.name in self._rows.answered:
                        self.report.skipped += 1
                        self._progress(1)
                    else:
                        await supply.send(line)

    async def _work(self, waiting: MemoryObjectReceiveStream[Line]) -> None:
        async with waiting:
            async for line in waiting:
                self._rows.add({"id": line.name, **await self._row_of(line)})
                self._progress(1)

    async def _row_of(self, line: Line) -> dict[str, Any]:
        """Return the row of a request without its id."""
        if isinstance(line, ConvertedLine):
            return self._refused(f"no request: {line.why}")
        notes: list[Note] = []
        NOTES.set(notes)
        try:
            request = wire_module(line.wire).read(line.body, line.url).request
            # the answer is wanted whole
            row = await self._ask(replace(request, stream=None, model=self.run.model or request.model))
        except SettingError:
            raise
        except (BodyError, RequestError) as error:
            return self._refused(str(getattr(error, "reason", None) or error))
        except RecursionError:
            return self._refused("the line is nested too deep")
        self.report.changes.update({(note.action, whole_text(note.field)) for note in notes})
        return row

    def _refused(self, why: str) -> dict[str, Any]:
        why = whole_text(" ".join(why.split()))
        self.report.refused += 1
        self.report.reasons[f"refused: {why}"] += 1
        return {"error": {"kind": "invalid_request", "message": why}}

    async def _ask(self, request: Request) -> dict[str, Any]:
        """Return the row of a request, which is sent again while its error may pass."""
        attempt = 0
        while True:
            attempt += 1
            await self._pace.wait()
            try:
                return self._answered(await self.run.client.ask(request))
            except (HttpError, AnswerError, BodyError) as error:
                wait = _wait_after(error, attempt) if attempt < self.run.attempts else None
                if wait is None:
                    return self._write_failure(error, attempt)
            self.report.retries += 1
            self._pace.hold(wait)

    def _answered(self, answer: Answer) -> dict[str, Any]:
        form, usage = self.run.answers_as, answer.usage
        try:
            body = answer.raw if form is None else form.write_answer(answer, policies="lenient")
        except RequestError as error:
            raise AnswerError(f"the answer cannot be written: {error}") from None
        self.report.answered += 1
        if usage is not None:
            self.report.input_tokens += usage.input or 0
            self.report.output_tokens += usage.output or 0
        return {"body": body}

    def _write_failure(self, error: PromptwireError, attempts: int) -> dict[str, Any]:
        told = error.error if isinstance(error, ApiStatusError) else None
        kind = told.kind if told else "connection" if isinstance(error, HttpError) else "server"
        message = whole_text(told.message if told else str(getattr(error, "reason", None) or error))
        status = {} if told is None or told.status is None else {"status": told.status}
        self.report.failed += 1
        self.report.reasons[f"failed: {kind}: {message}"] += 1
        return {"error": {"kind": kind, **status, "message": message}, "attempts": attempts}


def _wait_after(error: PromptwireError, attempt: int) -> float | None:
    """Return the seconds until the next attempt; None for an error that does not pass, as an answer nobody can read."""
    if not isinstance(error, HttpError):
        return None
    told = error.error if isinstance(error, ApiStatusError) else None
    if told is not None and not told.retryable:
        return None
    wait = told.wait if told is not None and told.wait is not None else _FIRST_WAIT * 2 ** (attempt - 1)
    return min(wait, _LONGEST_WAIT)


def _distinct(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines, each with a name of its own, which is the same in every run of the same files."""
    given = Counter[str]()
    for line in lines:
        name = line.name
        while name in given:
            given[line.name] += 1
            name = f"{line.name}#{given[line.name]}"
        given[name] = 1
        yield dataclasses.replace(line, name=name)


# ---- the file of answers


def errors_file(out: Path) -> Path:
    """Return the file of the requests without an answer: `answers.errors.jsonl` beside `answers.jsonl`."""
    return out.with_name(f"{out.stem}.errors{out.suffix}")


@contextmanager
def _naming(file: Path) -> Generator[None]:
    """Name a file in an OSError that names none: of a full disk, the system does not say where it was met."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(file)
        raise


@contextmanager
def _open_rows(out: Path) -> Generator[_Rows]:
    """Open the two files of a run. That of answers only grows, and that of errors is replaced at the end.

    Raises:
        CommandError: another run writes to them, or a row is none of a run.
    """
    errors = errors_file(out)
    if errors.exists():
        _ids_in(errors, "error")
    with _naming(out), out.open("ab") as answers:
        if fcntl is not None:
            try:
                fcntl.flock(answers, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CommandError(f"{out}: another run writes to this file") from None
        names, size = _ids_in(out, "body")
        # a killed run leaves a torn row at the end
        answers.truncate(size)
        with _naming(errors), replacing(errors) as failures:
            yield _Rows(out, names, answers, failures)
    if not errors.stat().st_size:
        errors.unlink()


def _ids_in(file: Path, key: str) -> tuple[set[str], int]:
    """Return the ids of the rows in a file of a run, and how many bytes they have without a torn one at the end."""
    ids, size = set[str](), 0
    with open_file(file) as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                break
            row = _row_in(line)
            if row is None or key not in row:
                raise CommandError(f"{file}:{number}: no row of a run; write to another file")
            ids.add(row["id"])
            size += len(line)
    return ids, size


def _row_in(line: bytes) -> dict[str, Any] | None:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if is_object(row) and isinstance(row.get("id"), str) else None
