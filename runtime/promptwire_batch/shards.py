"""Write the files of a batch within the limits of its service, so that a killed writer can go on where it was."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from promptwire_runtime.build.batch_services import BatchService

from .errors import BatchError

_READ = 1 << 20


class LineTooLarge(BatchError):
    """Raised for a line that no file of the service can hold."""


@dataclass(slots=True)
class Shard:
    """One file of a batch, as the manifest knows it.

    Attributes:
        file: Its path inside the folder.
        model: The model of all its lines; empty if each line has its own.
        requests: How many lines it has.
        bytes: Its size; of an open file, without its end.
        sha256: The digest of these bytes.
        closed: Whether it is complete.
    """

    file: str
    model: str = ""
    requests: int = 0
    bytes: int = 0
    sha256: str = ""
    closed: bool = False


@dataclass(slots=True)
class _Open:
    """A file that is being written, and the digest of its contents."""

    shard: Shard
    stream: IO[bytes]
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, data: bytes) -> None:
        self.stream.write(data)
        self.digest.update(data)
        self.shard.bytes += len(data)


class ShardWriter:
    """The files of one round: lines go to the open file of their model, which is closed when it is full."""

    def __init__(
        self,
        folder: Path,
        service: BatchService,
        shards: list[Shard],
        number: int,
        make_file: Callable[[str], Path],
    ) -> None:
        """Open the files again that were open.

        Args:
            folder: The folder of the batch, which has the folder of the round.
            service: What the service takes.
            shards: The files of the manifest, to which new ones are added.
            number: The number of the round.
            make_file: Makes a new file of the batch.
        """
        self.folder = folder
        self.service = service
        self.shards = shards
        self.round = f"round-{number}"
        self._suffix = "jsonl" if service.wraps is None else "json"
        self._head = b"" if service.wraps is None else b'{"%s":[\n' % service.wraps.encode()
        self._between = b"" if service.wraps is None else b",\n"
        self._after = b"\n" if service.wraps is None else b""
        self._tail = b"" if service.wraps is None else b"\n]}\n"
        self._make_file = make_file
        self._open = {shard.model: self._again(shard) for shard in shards if not shard.closed}

    def add(self, model: str, line: bytes) -> tuple[int, int, int]:
        """Write a line; return the number of its file, its position there and its length.

        Raises:
            LineTooLarge: the line alone is larger than a file may be.
            BatchError: another file is in the place of a new one.
        """
        model = model if self.service.model == "file" else ""
        size = len(self._between) + len(line) + len(self._after)
        most = self.service.max_bytes
        if most is not None and len(self._head) + size + len(self._tail) > most:
            raise LineTooLarge(
                f"the line has {len(line):,} bytes; {self.service.name} takes files of {most:,}"
            )
        opened = self._open.get(model)
        if opened is not None and self._is_full(opened.shard, size):
            self._close(model)
            opened = None
        if opened is None:
            opened = self._open[model] = self._new(model)
        if opened.shard.requests:
            opened.write(self._between)
        position = opened.shard.bytes
        opened.write(line + self._after)
        opened.shard.requests += 1
        return (
            self.shards.index(opened.shard) if len(self._open) > 1 else self._last(opened),
            position,
            len(line),
        )

    def flush(self) -> None:
        """Write everything to the disk, and note the digests of the open files."""
        for opened in self._open.values():
            opened.stream.flush()
            os.fsync(opened.stream.fileno())
            opened.shard.sha256 = opened.digest.copy().hexdigest()

    def close(self) -> None:
        """Complete all files."""
        for model in list(self._open):
            self._close(model)

    def abandon(self) -> None:
        """Close the files as they are, without completing them."""
        for opened in self._open.values():
            opened.stream.close()

    def _last(self, opened: _Open) -> int:
        last = len(self.shards) - 1
        return last if self.shards[last] is opened.shard else self.shards.index(opened.shard)

    def _is_full(self, shard: Shard, size: int) -> bool:
        requests, most = self.service.max_requests, self.service.max_bytes
        return (requests is not None and shard.requests >= requests) or (
            most is not None and shard.bytes + size + len(self._tail) > most
        )

    def _new(self, model: str) -> _Open:
        number = sum(shard.file.startswith(f"{self.round}/") for shard in self.shards) + 1
        shard = Shard(f"{self.round}/{number:05d}.{self._suffix}", model)
        opened = _Open(shard, self._make_file(shard.file).open("wb"))
        self.shards.append(shard)
        opened.write(self._head)
        return opened

    def _again(self, shard: Shard) -> _Open:
        path = self.folder / shard.file
        digest = hashlib.sha256()
        for piece in pieces_of(path, shard.bytes):
            digest.update(piece)
        if digest.hexdigest() != shard.sha256 or path.is_symlink():
            raise BatchError(
                f"{path}: the file is not what was written there; remove the folder and begin again"
            )
        stream = path.open("r+b")
        stream.truncate(shard.bytes)
        stream.seek(shard.bytes)
        return _Open(shard, stream, digest)

    def _close(self, model: str) -> None:
        opened = self._open.pop(model)
        opened.write(self._tail)
        opened.stream.flush()
        os.fsync(opened.stream.fileno())
        opened.stream.close()
        opened.shard.sha256 = opened.digest.hexdigest()
        opened.shard.closed = True


def pieces_of(path: Path, size: int) -> Iterable[bytes]:
    """Yield the first bytes of a file in pieces; fewer if the file is shorter."""
    try:
        with path.open("rb") as stream:
            while size > 0 and (piece := stream.read(min(_READ, size))):
                size -= len(piece)
                yield piece
    except FileNotFoundError:
        return


def is_whole(folder: Path, shard: Shard) -> bool:
    """Return whether the file of a shard has the size and the digest of the manifest."""
    path = folder / shard.file
    if not path.is_file() or (shard.closed and path.stat().st_size != shard.bytes):
        return False
    digest = hashlib.sha256()
    for piece in pieces_of(path, shard.bytes):
        digest.update(piece)
    return digest.hexdigest() == shard.sha256
