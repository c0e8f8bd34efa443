"""Write the batches of many files: each in a folder of its own, so that workers share nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from promptwire_batch import BatchError, Job, Manifest, write

from .stores import is_uri, local_lines, store_batch, stored_batch

ENGINES = ("processes", "ray")


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


@dataclass(frozen=True)
class _Piece:
    """One input file, where its batch belongs, and the local folder where it is written."""

    source: str
    folder: str
    scratch: Path
    job: Job
    column: str


def write_files(
    sources: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    job: Job,
    *,
    workers: int = 1,
    engine: str = "processes",
    column: str = "line",
) -> list[FileBatch]:
    """Write the batch of each file, or go on where an interrupted call stopped.

    A folder commits what it has written, so that a worker or a whole call that is killed and repeated writes nothing
    twice. The ledger lets one worker at a time write a batch.

    Args:
        sources: The input files: JSON lines or Parquet, as paths or as URIs of an object store (`s3://`, `gs://`, ...).
            Their names must differ.
        folder: The folder of the folders: on a disk that all workers share, or the URI of an object store. The batch of
            a store is written in the folder for temporary files (`TMPDIR`) before it is copied there.
        job: What the lines become.
        workers: How many files are written at a time.
        engine: `processes` of this machine, or `ray`: tasks of a Ray cluster, which repeats those whose worker dies.
        column: The column of Parquet files that has the lines.

    Raises:
        BatchError: a file cannot be read, two of them have the same name, or the engine is unknown.
    """
    if engine not in ENGINES:
        raise BatchError(f"engine: {engine!r} is unknown; choose one of {', '.join(ENGINES)}")
    pieces = list(_pieces(sources, os.fspath(folder), job, column))
    if engine == "ray":
        return _on_ray(pieces, workers)
    if workers <= 1:
        return [_write(piece) for piece in pieces]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return [future.result() for future in [pool.submit(_write, piece) for piece in pieces]]


def _on_ray(pieces: Sequence[_Piece], workers: int) -> list[FileBatch]:
    """Write each file in a task; Ray runs the task of a dead worker again, and it goes on from the ledger."""
    ray: Any = import_module("ray")
    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False)
    task = ray.remote(max_retries=-1)(_write)
    waiting = list(reversed(pieces))
    running: dict[Any, str] = {}
    done: dict[str, FileBatch] = {}
    while waiting or running:
        while waiting and len(running) < workers:
            piece = waiting.pop()
            running[task.remote(piece)] = piece.source
        ready, _ = ray.wait(list(running))
        for reference in ready:
            done[running.pop(reference)] = ray.get(reference)
    return [done[piece.source] for piece in pieces]


def _pieces(
    sources: Sequence[str | os.PathLike[str]],
    folder: str,
    job: Job,
    column: str,
) -> Iterator[_Piece]:
    names: dict[str, str] = {}
    local = Path(folder)
    if is_uri(folder):
        # the same place in a repeated call, which then goes on from the ledger
        key = hashlib.sha256(folder.encode()).hexdigest()[:16]
        local = Path(tempfile.gettempdir()) / f"promptwire-{key}"
    for source in [os.fspath(source) for source in sources]:
        name = source.rstrip("/").rpartition("/")[2] if is_uri(source) else Path(source).name
        if name in ("", ".", ".."):
            raise BatchError(f"{source}: it is not the name of a file")
        if name in names:
            raise BatchError(f"{source}: another input has the same name: {names[name]}")
        names[name] = source
        yield _Piece(source, f"{folder.rstrip('/')}/{name}", local / name, job, column)


def _write(piece: _Piece) -> FileBatch:
    lines = local_lines(piece.source, piece.scratch, piece.column)
    if is_uri(piece.folder):
        manifest = stored_batch(piece.folder, lines, piece.job) or _write_and_store(piece, lines)
        shutil.rmtree(piece.scratch, ignore_errors=True)
    else:
        manifest = write([lines], piece.scratch, piece.job)
    return FileBatch(piece.source, piece.folder, manifest.requests, manifest.refused, len(manifest.shards))


def _write_and_store(piece: _Piece, lines: Path) -> Manifest:
    manifest = write([lines], piece.scratch, piece.job)
    store_batch(piece.scratch, piece.folder)
    return manifest
