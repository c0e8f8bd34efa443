"""Convert chunks in several processes, in order, with few of them in memory; a killed process loses nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Self

from .conversion import Chunk, ConvertedRow, convert_chunk
from .errors import BatchError
from .job import Job

_AHEAD = 3
_MOST_DEATHS = 3
Conversion = Callable[[Job, Chunk], list[ConvertedRow]]


def converted(
    job: Job, chunks: Iterable[Chunk], workers: int, convert: Conversion = convert_chunk
) -> Iterator[tuple[Chunk, list[ConvertedRow]]]:
    """Yield each chunk with its rows, in order.

    Raises:
        BatchError: a process ended three times over the same lines.
    """
    if workers <= 1:
        for chunk in chunks:
            yield chunk, convert(job, chunk)
        return
    with _Pool(job, workers, convert) as pool:
        for chunk in chunks:
            pool.put(chunk)
            if pool.is_full:
                yield pool.take()
        while pool.waiting:
            yield pool.take()


class _Pool:
    """Processes, and the chunks that they work on, first in first out."""

    def __init__(self, job: Job, workers: int, convert: Conversion) -> None:
        self.job = job
        self.workers = workers
        self.convert = convert
        self.waiting: deque[tuple[Chunk, Future[list[ConvertedRow]]]] = deque()
        self.deaths = 0

    def __enter__(self) -> Self:
        self.processes = self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.processes.shutdown(wait=True, cancel_futures=True)

    @property
    def is_full(self) -> bool:
        """Whether enough chunks wait to keep all processes busy; more would only use memory."""
        return len(self.waiting) >= self.workers * _AHEAD

    def put(self, chunk: Chunk) -> None:
        """Submit a chunk to the processes."""
        try:
            future = self.processes.submit(self.convert, self.job, chunk)
        except BrokenProcessPool:
            self._restart()
            future = self.processes.submit(self.convert, self.job, chunk)
        self.waiting.append((chunk, future))

    def take(self) -> tuple[Chunk, list[ConvertedRow]]:
        """Return the first chunk with its rows."""
        while True:
            chunk, future = self.waiting[0]
            try:
                rows = future.result()
            except BrokenProcessPool:
                self.deaths += 1
                if self.deaths >= _MOST_DEATHS:
                    last = chunk.number + len(chunk.lines) - 1
                    where = f"{chunk.file}:{chunk.number} to {last}"
                    raise BatchError(f"{where}: the process that converts these lines was killed") from None
                self._restart()
                continue
            self.waiting.popleft()
            self.deaths = 0
            return chunk, rows

    def _start(self) -> ProcessPoolExecutor:
        # a forked process would copy the open ledger
        return ProcessPoolExecutor(self.workers, get_context("spawn"))

    def _restart(self) -> None:
        self.processes.shutdown(wait=False, cancel_futures=True)
        self.processes = self._start()
        again = [chunk for chunk, _ in self.waiting]
        self.waiting = deque((chunk, self.processes.submit(self.convert, self.job, chunk)) for chunk in again)
