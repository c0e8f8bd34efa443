"""Write the files of a batch: convert lines, give each an id, and fill files; resume after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import IO, Any

from promptwire_text.files import open_file, read_lines

from .conversion import Chunk, ConvertedRow, renamed
from .errors import BatchError
from .job import Job, digest_id
from .ledger import Ledger, created
from .manifest import Manifest, differences
from .shards import LineTooLarge, ShardWriter
from .workers import converted

REFUSED = "refused.jsonl"
_CHUNK_LINES, _CHUNK_BYTES = 256, 4_000_000
_SECONDS = 2.0
Progress = Callable[[int], None]


def write(
    inputs: Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    job: Job,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Manifest:
    """Write the files of a batch, or go on where an interrupted call stopped.

    Args:
        inputs: JSON lines: recorded requests, batch lines or fine-tuning lines.
        folder: Where the files, the manifest and the ledger are written; a new folder, or one that the same job began.
        job: What the lines become.
        workers: How many processes convert them; 1 converts in this process.
        progress: Called with the number of bytes that were read.

    Returns:
        The manifest of the batch.

    Raises:
        BatchError: an input cannot be read, or the folder holds another job.
        InvalidRequest: the API has no batches.
    """
    service = job.facts()
    root = Path(folder)
    sizes = [(os.fspath(path), _size(path)) for path in inputs]
    with created(root) as ledger:
        manifest = ledger.manifest()
        if manifest is None:
            manifest = Manifest(job, sizes)
        else:
            _check_same(manifest, job, sizes, root)
        if not manifest.written:
            # a retry begins further rounds, so that this is the first
            ledger.check_inputs(inputs, REFUSED, "round-1")
            ledger.make_round(manifest)
            ledger.forget_from(manifest.position[2])
            ledger.commit(manifest)
            writer = ShardWriter(root, service, manifest.shards, manifest.round, ledger.make_file)
            try:
                _Writing(ledger, manifest, writer).run(workers, progress)
            finally:
                writer.abandon()
    return manifest


class _Writing:
    """One call of `write`: the ledger, the manifest and the open files."""

    def __init__(self, ledger: Ledger, manifest: Manifest, writer: ShardWriter) -> None:
        self.ledger = ledger
        self.manifest = manifest
        self.writer = writer
        self.service = writer.service

    def run(self, workers: int, progress: Progress | None) -> None:
        manifest = self.manifest
        with self.ledger.cut_file(REFUSED, manifest.refused_bytes) as refused:
            last = monotonic()
            for chunk, rows in converted(manifest.job, _chunks(manifest), workers):
                before = manifest.position
                self._add(rows, refused)
                lines = manifest.position[2] + len(rows)
                manifest.position = (chunk.index, chunk.end, lines)
                if progress is not None:
                    progress(chunk.end - (before[1] if before[0] == chunk.index else 0))
                if monotonic() - last >= _SECONDS:
                    self._checkpoint(refused)
                    last = monotonic()
            self.writer.close()
            manifest.written = True
            self._checkpoint(refused)

    def _checkpoint(self, refused: IO[bytes]) -> None:
        self.writer.flush()
        refused.flush()
        os.fsync(refused.fileno())
        self.manifest.refused_bytes = refused.tell()
        self.ledger.commit(self.manifest)

    def _add(self, rows: list[ConvertedRow], refused: IO[bytes]) -> None:
        """Write the rows of one chunk."""
        manifest = self.manifest
        first = self._first_of_each(rows)
        taken = self.ledger.taken([row.id for row in rows if row.line is not None])
        entries: list[tuple[Any, ...]] = []
        for number, row in enumerate(rows):
            seq = manifest.position[2] + number
            if row.line is None:
                self._refuse(row, row.why, refused)
                continue
            identity, line = row.id, row.line
            if identity in taken:
                identity = digest_id(f"{row.name}\0{seq}")
                line = renamed(row, identity, self.service)
            same = first.get(row.digest, seq)
            place: tuple[int | None, int, int] = (None, 0, 0)
            if same == seq:
                try:
                    place = self.writer.add(row.model, line)
                except LineTooLarge as error:
                    self._refuse(row, str(error), refused)
                    continue
            else:
                manifest.duplicates += 1
            taken.add(identity)
            manifest.requests += 1
            manifest.changed += bool(row.changes)
            manifest.changes.update(set(row.changes))
            entries.append(
                (seq, identity, row.name, row.digest, row.model, *place, None if same == seq else same)
            )
        self.ledger.add(entries)

    def _first_of_each(self, rows: list[ConvertedRow]) -> dict[bytes, int]:
        """Return the first request with each digest, if the job asks for it: digest -> seq."""
        if not self.manifest.job.deduplicate:
            return {}
        first = self.ledger.with_digests([row.digest for row in rows if row.line is not None])
        for number, row in enumerate(rows):
            if row.line is not None:
                first.setdefault(row.digest, self.manifest.position[2] + number)
        return first

    def _refuse(self, row: ConvertedRow, why: str, refused: IO[bytes]) -> None:
        self.manifest.refused += 1
        self.manifest.reasons[why] += 1
        refused.write(json.dumps({"name": row.name, "why": why}, ensure_ascii=False).encode() + b"\n")


def _size(path: str | os.PathLike[str]) -> int:
    try:
        with open_file(path) as stream:
            return os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise BatchError(f"{os.fspath(path)}: {error.strerror}") from error


def _check_same(manifest: Manifest, job: Job, sizes: list[tuple[str, int]], folder: Path) -> None:
    """Raise BatchError if a folder holds another job, or if its inputs have changed."""
    other = differences(job, manifest.job.as_json())
    if manifest.inputs != sizes:
        other.append("the inputs, or their sizes, differ")
    if other:
        raise BatchError(f"{folder}: it holds another job ({'; '.join(other)}); use another folder")


def _chunks(manifest: Manifest) -> Iterator[Chunk]:
    """Yield the lines of the inputs behind the position of the manifest."""
    index, offset, _ = manifest.position
    for number in range(index, len(manifest.inputs)):
        name, size = manifest.inputs[number]
        start = offset if number == index else 0
        if start >= size:
            continue
        try:
            with open_file(name) as stream:
                yield from _chunks_of(stream, name, number, start)
        except OSError as error:
            raise BatchError(f"{name}: {error.strerror}") from error


def _chunks_of(stream: IO[bytes], name: str, index: int, start: int) -> Iterator[Chunk]:
    line_number = _lines_before(stream, start) + 1
    lines: list[bytes | None] = []
    size, end = 0, start
    for line, length in read_lines(stream):
        lines.append(line)
        size += length
        if len(lines) >= _CHUNK_LINES or size >= _CHUNK_BYTES:
            end += size
            yield Chunk(name, line_number, tuple(lines), index, end)
            line_number += len(lines)
            lines, size = [], 0
    if lines:
        yield Chunk(name, line_number, tuple(lines), index, end + size)


def _lines_before(stream: IO[bytes], offset: int) -> int:
    """Return how many lines end before an offset, and go there."""
    count = 0
    for piece in _pieces(stream, offset):
        count += piece.count(b"\n")
    stream.seek(offset)
    return count


def _pieces(stream: IO[bytes], size: int) -> Iterable[bytes]:
    while size > 0 and (piece := stream.read(min(1 << 20, size))):
        size -= len(piece)
        yield piece
