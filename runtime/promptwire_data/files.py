"""Write the batches of many files: each in a folder of its own, so that workers share nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from promptwire_batch import BatchError, Job, write


@dataclass(frozen=True)
class FileBatch:
    """The batch of one input file.

    Attributes:
        source: The input file.
        folder: The folder of its batch, for `batch.read`, `batch.status` and `batch.retry`.
        requests: How many requests it has.
        refused: How many lines could not be converted.
        files: How many files were written.
    """

    source: str
    folder: str
    requests: int
    refused: int
    files: int


def write_files(
    sources: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    job: Job,
    *,
    workers: int = 1,
) -> list[FileBatch]:
    """Write the batch of each file, or go on where an interrupted call stopped.

    A folder commits what it has written, so that a worker or a whole call that is killed and repeated writes nothing
    twice. The ledger lets one worker at a time write a batch.

    Args:
        sources: The input files. Names must differ.
        folder: The folder of the folders, on a disk that all processes share.
        job: What the lines become.
        workers: How many processes write.

    Raises:
        BatchError: a file cannot be read, or two of them have the same name.
    """
    pieces = list(_pieces(sources, Path(folder)))
    if workers <= 1:
        return [_write(source, out, job) for source, out in pieces]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        futures = [pool.submit(_write, source, out, job) for source, out in pieces]
        return [future.result() for future in futures]


def _pieces(sources: Sequence[str | os.PathLike[str]], folder: Path) -> Iterator[tuple[str, str]]:
    names: dict[str, str] = {}
    for source in [os.fspath(source) for source in sources]:
        name = Path(source).name
        if name in names:
            raise BatchError(f"{source}: another input has the same name: {names[name]}")
        names[name] = source
        yield source, str(folder / name)


def _write(source: str, folder: str, job: Job) -> FileBatch:
    manifest = write([source], folder, job)
    return FileBatch(source, folder, manifest.requests, manifest.refused, len(manifest.shards))
