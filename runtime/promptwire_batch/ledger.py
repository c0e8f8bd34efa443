"""The ledger of a batch: one row for each request, in an SQLite file, so that memory stays constant.

A commit covers rows, the manifest and the sizes of all files: after a crash the ledger says what is true.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import BatchError
from .manifest import NAME, Manifest, write_atomically

LEDGER = "ledger.sqlite"
STATES = ("pending", "succeeded", "retry", "fix", "give_up")
"""The states of a request: it has no result; it has an answer; it may be sent again as it is; it must be changed
first; it was sent too often."""
_TABLES = """
create table if not exists requests (
    seq integer primary key, id text not null unique, name text not null, digest blob not null, model text not null,
    shard integer, position integer, length integer, same_as integer,
    state text not null default 'pending', attempts integer not null default 1, error text
);
create index if not exists duplicates on requests (same_as) where same_as is not null;
create table if not exists meta (manifest text not null);
"""
_MEMORY_KIB = 64 * 1024


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One request of a batch.

    Attributes:
        id: Its id in the batch.
        name: Its name in the input.
        state: One of `STATES`.
        attempts: How often it was sent.
        error: The error of its last result.
        shard: The number of its file.
        position: Where it begins there.
        length: The length of its line.
        model: Its model.
        seq: Its number in the input.
    """

    id: str
    name: str
    state: str
    attempts: int
    error: str | None
    shard: int | None
    position: int
    length: int
    model: str
    seq: int


_COLUMNS = "id, name, state, attempts, error, shard, position, length, model, seq"


class Ledger:
    """The requests of a batch and its manifest."""

    def __init__(self, folder: Path) -> None:
        """Open the ledger of a folder, and create it if there is none."""
        self.folder = folder
        try:
            self.base = sqlite3.connect(folder / LEDGER, isolation_level=None)
            self.base.execute("pragma journal_mode=wal")
            self.base.execute("pragma synchronous=full")
            self.base.execute(f"pragma cache_size=-{_MEMORY_KIB}")
            self.base.executescript(_TABLES)
            self.base.execute("begin immediate")
        except sqlite3.DatabaseError as error:
            raise BatchError(f"{folder / LEDGER}: {error}") from error

    def manifest(self) -> Manifest | None:
        """Return the manifest of the last commit; None in a new folder."""
        row = self.base.execute("select manifest from meta").fetchone()
        return None if row is None else Manifest.decoded(row[0], str(self.folder))

    def commit(self, manifest: Manifest) -> None:
        """Make everything since the last commit true at once, and write the manifest."""
        text = manifest.encoded()
        self.base.execute("delete from meta")
        self.base.execute("insert into meta values (?)", (text,))
        self.base.execute("commit")
        write_atomically(self.folder / NAME, text)
        self.base.execute("begin immediate")

    def close(self) -> None:
        """Close the file, and forget what was not committed."""
        self.base.execute("rollback")
        self.base.close()

    def with_digests(self, digests: Sequence[bytes]) -> dict[bytes, int]:
        """Return the first request of each digest that is known: digest -> seq."""
        self.base.execute("create index if not exists digests on requests (digest)")
        marks = ",".join("?" * len(digests))
        query = f"select digest, min(seq) from requests where digest in ({marks}) and same_as is null group by digest"  # noqa: S608  # marks only
        return dict(self.base.execute(query, digests))

    def taken(self, ids: Sequence[str]) -> set[str]:
        """Return which ids there are."""
        marks = ",".join("?" * len(ids))
        query = f"select id from requests where id in ({marks})"  # noqa: S608  # marks only
        return {row[0] for row in self.base.execute(query, ids)}

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add requests: seq, id, name, digest, model, shard, position, length, same_as."""
        self.base.executemany(
            "insert into requests (seq, id, name, digest, model, shard, position, length, same_as)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def find(self, identity: str) -> BatchEntry | None:
        """Return the request of an id."""
        row = self.base.execute(f"select {_COLUMNS} from requests where id = ?", (identity,)).fetchone()  # noqa: S608  # constant
        return None if row is None else BatchEntry(*row)

    def settle(self, seq: int, state: str, error: str | None) -> None:
        """Set the state of a request, and of those that are the same."""
        self.base.execute(
            "update requests set state = ?, error = ? where seq = ? or same_as = ?", (state, error, seq, seq)
        )

    def same(self, seq: int) -> list[str]:
        """Return the names of the requests that are the same as another one."""
        return [
            row[0]
            for row in self.base.execute("select name from requests where same_as = ? order by seq", (seq,))
        ]

    def entries(self, states: Sequence[str] = STATES, *, sent: bool = False) -> Iterator[BatchEntry]:
        """Yield the requests in some states, in the order of the input; with `sent` only those with a line."""
        marks = ",".join("?" * len(states))
        only = " and same_as is null" if sent else ""
        query = f"select {_COLUMNS} from requests where state in ({marks}){only} order by seq"  # noqa: S608  # marks only
        with closing(self.base.execute(query, tuple(states))) as rows:
            for row in rows:
                yield BatchEntry(*row)

    def again(self, seq: int, place: tuple[int, int, int]) -> None:
        """Note that a request is sent again, and where its new line is."""
        self.base.execute(
            "update requests set state = 'pending', attempts = attempts + 1, error = null, shard = ?, position = ?,"
            " length = ? where seq = ?",
            (*place, seq),
        )
        self.base.execute(
            "update requests set state = 'pending', attempts = attempts + 1, error = null where same_as = ?",
            (seq,),
        )

    def counts(self) -> dict[str, int]:
        """Return how many requests are in each state."""
        found = dict(self.base.execute("select state, count(*) from requests group by state").fetchall())
        return {state: found.get(state, 0) for state in STATES}


def opened(folder: Path) -> Ledger:
    """Open the ledger of a batch that was written. Raises BatchError for a folder without one."""
    if not (folder / LEDGER).is_file():
        raise BatchError(f"{folder}: no batch was written here")
    return Ledger(folder)
