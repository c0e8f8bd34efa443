"""Send the files of a batch to its service, and fetch the results. The ledger knows what was sent."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .errors import BatchError
from .ledger import Ledger, SentFile, opened
from .manifest import Manifest
from .results import ResultReport, read
from .shards import Shard, is_whole
from .vendor_clients import BatchClient, BatchState, is_refusal, vendor_client, vendor_errors


def send(
    folder: str | os.PathLike[str],
    *,
    known: Mapping[str, str] | None = None,
    again: Collection[str] = (),
    base_url: str | None = None,
) -> Iterator[SentFile]:
    """Send the files that were not sent, and yield each when its batch is created.

    These are files of the last round, and of an earlier round of which some files were sent and others were not.

    Nothing is sent before the first file is asked for. A call that was killed is repeated: no file is sent twice.
    Where it was killed between the request and the answer of the service, the file is not sent again before `known`
    or `again` says what became of it.

    Args:
        folder: The folder of the batch.
        known: File -> batch, for files that were sent in another way. The service is asked whether it has the batch.
        again: Files of which no batch was created, although a call began to send them.
        base_url: The address for the SDK; by default its own.

    Raises:
        BatchError: the folder has no batch, a file was changed, the SDK is not installed, or the service refused.
    """
    root, known = Path(folder), known or {}
    with opened(root) as ledger:
        manifest = ledger.written()
        _check_named(ledger, manifest, known, again)
        shards = _waiting_shards(ledger, manifest)
        client = None
        if known:
            client = vendor_client(manifest.job, base_url)
            with vendor_errors(manifest.job.facts().name):
                for batch in known.values():
                    client.state(batch)
        for file, batch in known.items():
            yield ledger.note_sent(SentFile(file, batch))
        for file in again:
            ledger.forget_sent(file)
        sent = {row.file: row for row in ledger.sent_files()}
        _check_known(root, manifest, sent)
        for shard in shards:
            if shard.file not in sent:
                client = client or vendor_client(manifest.job, base_url)
                yield _send_file(ledger, manifest, shard, client)


def _waiting_shards(ledger: Ledger, manifest: Manifest) -> list[Shard]:
    """Return the files of the last round, and those of earlier rounds that were begun whose requests still wait."""
    sent = {row.file for row in ledger.sent_files()}
    rows = [(number, manifest.round_of(number), shard) for number, shard in enumerate(manifest.shards)]
    begun = {turn for _, turn, shard in rows if shard.file in sent}
    return [
        shard
        for number, turn, shard in rows
        if turn == manifest.round or (turn in begun and ledger.has_pending(number))
    ]


def _send_file(ledger: Ledger, manifest: Manifest, shard: Shard, client: BatchClient) -> SentFile:
    """Upload a file and create its batch; the ledger knows at each moment what may have been done."""
    path, service = ledger.folder / shard.file, manifest.job.facts().name
    if not is_whole(ledger.folder, shard):
        raise BatchError(f"{path}: the file is not what was written there")
    with vendor_errors(service):
        uploaded = client.upload(path)
    ledger.note_sent(SentFile(shard.file, None))
    try:
        with vendor_errors(service):
            batch = client.create(uploaded, shard.model)
    except BatchError as error:
        if is_refusal(error):
            ledger.forget_sent(shard.file)
        raise
    return ledger.note_sent(SentFile(shard.file, batch))


def _check_named(
    ledger: Ledger, manifest: Manifest, known: Mapping[str, str], again: Collection[str]
) -> None:
    """Raise BatchError for a file of `known` or `again` that is none of this batch, or is sent already."""
    shards = [shard.file for shard in manifest.shards]
    before = {row.file: row.batch for row in ledger.sent_files()}
    for file in (*known, *again):
        if before.get(file) is not None:
            raise BatchError(f"{ledger.folder}: {file} is sent already, as {before[file]}")
        if file not in shards:
            raise BatchError(
                f"{ledger.folder}: {file} is no file of this batch; the files are {', '.join(shards)}"
            )
        if file in known and file in again:
            raise BatchError(
                f"{ledger.folder}: {file} is named as sent, as {known[file]}, and to be sent again"
            )


def _check_known(root: Path, manifest: Manifest, sent: Mapping[str, SentFile]) -> None:
    """Raise BatchError for a file that a call began to send, and of whose batch nothing is known."""
    unknown = [row.file for row in sent.values() if row.batch is None]
    if unknown:
        service = manifest.job.facts().name
        raise BatchError(
            f"{root}: {unknown[0]} may have been sent by a call that was stopped. Look at {service} for its batch: then"
            f" --batch {unknown[0]}=ID, or --again {unknown[0]} if there is none"
        )


@dataclass(slots=True)
class FetchReport:
    """What `fetch` found.

    Attributes:
        states: File -> how far its batch is.
        results: The counts of the results that were read.
    """

    states: dict[str, BatchState] = field(default_factory=dict[str, BatchState])
    results: ResultReport = field(default_factory=ResultReport)

    @property
    def waits(self) -> bool:
        """Whether a batch has not ended yet."""
        return any(not state.ended for state in self.states.values())

    def lines(self) -> Iterator[str]:
        """Yield the report as text."""
        for file, state in self.states.items():
            none = "; it has no results: send its requests again with batch retry --missing"
            yield f"{file}: {state.status}{none if state.ended and not state.results else ''}"
        if not self.states:
            yield "the results of all files that were sent are read"
        elif any(state.ended and state.results for state in self.states.values()):
            yield from self.results.lines()


def fetch(
    folder: str | os.PathLike[str],
    *,
    answers_as: str | None = None,
    most_attempts: int = 3,
    base_url: str | None = None,
) -> FetchReport:
    """Download the results of the batches that have ended, and read them as `read` does.

    A result file is `FOLDER/fetched-ROUND-NUMBER.jsonl`. Results that were read are not downloaded again.

    Args:
        folder: The folder of the batch.
        answers_as: The wire to write the answers for; the wire of the batch by default.
        most_attempts: How often a request is sent before it is given up.
        base_url: The address for the SDK; by default its own.

    Raises:
        BatchError: the folder has no batch, nothing was sent, the SDK is not installed, or the service failed.
    """
    root, report = Path(folder), FetchReport()
    with opened(root) as ledger:
        manifest = ledger.written()
        sent = {row.file: row for row in ledger.sent_files()}
        if not sent:
            raise BatchError(f"{root}: no file of this batch was sent yet; use promptwire batch send")
        _check_known(root, manifest, sent)
        rows = [row for row in sent.values() if not row.was_read]
        if not rows:
            return report
        client, files = vendor_client(manifest.job, base_url), list[Path]()
        for row in rows:
            with vendor_errors(manifest.job.facts().name):
                state = client.state(str(row.batch))
                if state.ended and state.results:
                    files.append(_download(ledger, manifest, row, client, state))
            report.states[row.file] = state
    if files:
        report.results = read(root, files, answers_as=answers_as, most_attempts=most_attempts)
    with opened(root) as ledger:
        for file, state in report.states.items():
            if state.ended:
                ledger.note_sent(SentFile(file, sent[file].batch, was_read=True))
    return report


def _download(
    ledger: Ledger, manifest: Manifest, row: SentFile, client: BatchClient, state: BatchState
) -> Path:
    """Download the results of a batch, and note the round that they are of."""
    name = f"fetched-{row.file.replace('/', '-').partition('.')[0]}.jsonl"
    with ledger.cut_file(name, 0) as out:
        for results in state.results:
            client.download(results, out)
    path = ledger.folder / name
    number = next(number for number, shard in enumerate(manifest.shards) if shard.file == row.file)
    ledger.first_round(os.fspath(path), manifest.round_of(number))
    ledger.commit(manifest)
    return path
