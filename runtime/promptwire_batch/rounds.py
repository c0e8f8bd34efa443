"""The state of a batch, and further rounds for the requests that failed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from promptwire_runtime.nodes.records import replace

from .errors import BatchError
from .job import wire_module
from .ledger import BatchEntry, Ledger, opened
from .manifest import Manifest
from .shards import Shard, ShardWriter, is_whole
from .source_lines import source_line


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a batch.

    Attributes:
        manifest: Its manifest.
        counts: How many requests are in each state.
        broken: The files that are missing or differ from the manifest; only known with `verify`.
    """

    manifest: Manifest
    counts: dict[str, int]
    broken: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the state as text."""
        manifest = self.manifest
        service = manifest.job.facts()
        state = "written" if manifest.written else "interrupted; write it again to go on"
        yield f"{manifest.job.to} for {service.name}, round {manifest.round}: {state}"
        yield f"{manifest.requests} requests, {manifest.duplicates} duplicates, {manifest.refused} refused"
        yield ", ".join(f"{count} {name}" for name, count in self.counts.items())
        for shard in manifest.current():
            model = f", {shard.model}" if shard.model else ""
            few = service.min_requests is not None and shard.requests < service.min_requests
            hint = f"; {service.name} takes no less than {service.min_requests}" if few else ""
            yield f"  {shard.file}: {shard.requests} requests, {shard.bytes} bytes{model}{hint}"
        yield from (f"  {file} is missing or was changed" for file in self.broken)


def status(folder: str | os.PathLike[str], *, verify: bool = False) -> Status:
    """Return the state of a batch; with `verify`, the digests of all files are compared.

    Raises:
        BatchError: the folder has no batch.
    """
    root = Path(folder)
    with opened(root, writing=False) as ledger:
        manifest = ledger.manifest()
        counts = ledger.counts()
    if manifest is None:
        raise BatchError(f"{root}: no batch was written here")
    shards = manifest.shards if verify else []
    return Status(manifest, counts, tuple([shard.file for shard in shards if not is_whole(root, shard)]))


def entries(folder: str | os.PathLike[str], *states: str) -> Iterator[BatchEntry]:
    """Yield the requests of a batch in some states, or all, in the order of the input.

    Raises:
        BatchError: the folder has no batch.
    """
    with opened(Path(folder), writing=False) as ledger:
        yield from ledger.entries(states) if states else ledger.entries()


def retry(folder: str | os.PathLike[str], *, missing: bool = False) -> Manifest:
    """Write the files of another round: the requests in the state `retry`.

    Args:
        folder: The folder of the batch.
        missing: Whether requests without a result are sent again too: their result is not expected any more.

    Returns:
        The manifest; `current()` are the files of the new round. Without such requests there is no new round.

    Raises:
        BatchError: the folder has no batch, or its files were changed.
    """
    root = Path(folder)
    with opened(root) as ledger:
        manifest = ledger.written()
        states = ("retry", "pending") if missing else ("retry",)
        if next(ledger.entries(states, sent=True), None) is not None:
            _write_round(root, ledger, manifest, states)
    return manifest


def failed_requests(folder: str | os.PathLike[str], *states: str) -> Iterator[dict[str, Any]]:
    """Yield the requests whose error asks for a change, as recorded requests that can be changed and written again.

    Args:
        folder: The folder of the batch.
        states: The states of the requests; `fix` by default.

    Yields:
        `id`, `wire`, `body` and `error`; `url` where the API names the model there. Requests that were sent once for
        several names stand once for each name.

    Raises:
        BatchError: the folder has no batch, or its files were changed.
    """
    root = Path(folder)
    streams: dict[int, IO[bytes]] = {}
    with opened(root, writing=False) as ledger:
        manifest = ledger.written()
        try:
            for entry in ledger.entries(states or ("fix",), sent=True):
                line = _line_of(root, manifest.shards, entry, streams)
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    raise _make_change_error(root, manifest.shards, entry) from None
                source = source_line(value, entry.name, manifest.job.to, {})
                row = {
                    "wire": source.wire,
                    **_url(source.wire, source.body, entry.model),
                    "body": source.body,
                }
                for name in (entry.name, *ledger.same(entry.seq)):
                    yield {"id": name, **row, "error": entry.error}
        finally:
            for stream in streams.values():
                stream.close()


def _url(wire: str, body: Mapping[str, Any], model: str) -> dict[str, str]:
    """Return the URL of a request whose body does not name its model."""
    if not model or "model" in body:
        return {}
    module = wire_module(wire)
    request = module.read(body).request
    return {"url": module.build(replace(request, model=model), policies="verbatim").shown_url}


def _write_round(root: Path, ledger: Ledger, manifest: Manifest, states: tuple[str, ...]) -> None:
    """Write the lines of a round. All of it is committed at once, so that a killed call leaves the round before."""
    manifest.round += 1
    before = list(manifest.shards)
    ledger.make_round(manifest)
    writer = ShardWriter(root, manifest.job.facts(), manifest.shards, manifest.round, ledger.make_file)
    places: list[tuple[int, tuple[int, int, int]]] = []
    streams: dict[int, IO[bytes]] = {}
    try:
        for entry in ledger.entries(states, sent=True):
            line = _line_of(root, before, entry, streams)
            places.append((entry.seq, writer.add(entry.model, line)))
        writer.close()
    finally:
        writer.abandon()
        for stream in streams.values():
            stream.close()
    for seq, place in places:
        ledger.again(seq, place)
    ledger.commit(manifest)


def _make_change_error(root: Path, shards: list[Shard], entry: BatchEntry) -> BatchError:
    return BatchError(f"{root / shards[entry.shard or 0].file}: the file is not what was written there")


def _line_of(root: Path, shards: list[Shard], entry: BatchEntry, streams: dict[int, Any]) -> bytes:
    number = entry.shard or 0
    shard = shards[number]
    if number not in streams:
        try:
            streams[number] = (root / shard.file).open("rb")
        except OSError as error:
            raise BatchError(f"{root / shard.file}: {error.strerror}") from error
    streams[number].seek(entry.position)
    line: bytes = streams[number].read(entry.length)
    if len(line) != entry.length or not (line.startswith(b"{") and line.endswith(b"}")):
        raise _make_change_error(root, shards, entry)
    return line
