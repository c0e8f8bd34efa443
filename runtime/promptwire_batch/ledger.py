"""The ledger of a batch: one row for each request, in an SQLite file, so that memory stays constant.

A commit covers the manifest with the sizes of all files: after a crash the ledger says what is true. Requests behind
the position of the manifest are of a call that did not end, and are left out. The ledger also lists the files and
folders that the batch made, so that no others are written or removed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from promptwire_text.files import check_apart, replacing

from .errors import BatchError
from .manifest import NAME, Manifest

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
create table if not exists result_files (
    path blob, time integer, size integer, round integer not null, primary key (path, time, size)
) without rowid;
create table if not exists sent (file text primary key, batch text, was_read integer not null) without rowid;
create table if not exists made (name text primary key, inode integer not null) without rowid;
create view if not exists written as
    select * from requests where seq < (select json_extract(manifest, '$.position[2]') from meta);
"""
_LOCK = f"{LEDGER}-lock"
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


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that was sent to its service.

    Attributes:
        file: Its name in the folder of the batch.
        batch: The id of its batch; None where a call began to send it and did not end.
        was_read: Whether the results were read.
    """

    file: str
    batch: str | None
    was_read: bool = False


_COLUMNS = "id, name, state, attempts, error, shard, position, length, model, seq"


class Ledger:
    """The requests of a batch and its manifest. Use it in a `with` block, which closes it.

    Errors of SQLite become BatchErrors there: a damaged file, or no space.
    """

    def __init__(self, folder: Path, *, writing: bool = True) -> None:
        """Open the ledger of a folder, and create it if there is none.

        Args:
            folder: The folder of the batch.
            writing: Whether the batch may change: no other call may change it then until the ledger is closed.

        Raises:
            BatchError: another call changes the batch, or the file is no ledger.
        """
        self.folder = folder
        self.writing = writing
        self._opened: list[sqlite3.Connection] = []
        try:
            self._connect()
        except BaseException as error:
            self.__exit__(None, error, None)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._close()
        if isinstance(error, sqlite3.Error):
            raise self._as_told(error) from error

    def manifest(self) -> Manifest | None:
        """Return the manifest of the last commit; None in a new folder."""
        row = self.base.execute("select manifest from meta").fetchone()
        return None if row is None else Manifest.decoded(row[0], str(self.folder))

    def written(self) -> Manifest:
        """Return the manifest of a batch that is written to its end. Raises BatchError for any other."""
        manifest = self.manifest()
        if manifest is None or not manifest.written:
            raise BatchError(f"{self.folder}: the batch is not written yet; write it to its end first")
        return manifest

    def commit(self, manifest: Manifest) -> None:
        """Make everything since the last commit true at once, and write the manifest."""
        text = manifest.encoded()
        self.base.execute("delete from meta")
        self.base.execute("insert into meta values (?)", (text,))
        self.base.execute("commit")
        with replacing(self.folder / NAME) as stream:
            stream.write(text.encode())
        self._begin()

    def make_file(self, name: str) -> Path:
        """Make a file of the batch, unless it was made before.

        Raises:
            BatchError: it is there and the batch did not make it, or is a link.
        """
        path = self.folder / name
        is_empty = path.is_file() and not path.is_symlink() and path.stat().st_size == 0
        self._make(name, partial(path.touch, exist_ok=False), is_empty=is_empty)
        return path

    def cut_file(self, name: str, size: int) -> IO[bytes]:
        """Open a file of the batch for writing behind its first bytes; the others are from a call that did not end.

        Raises:
            BatchError: the batch did not make it, or another file is in its place.
        """
        path = self.make_file(name)
        stream = path.open("r+b")
        found = os.fstat(stream.fileno())
        # a copy of the folder has other inodes, and nothing is cut from it
        is_own = found.st_size >= size and found.st_ino == self._inode(name)
        if found.st_size != size and not is_own:
            stream.close()
            raise BatchError(f"{path}: it is not the file that was written there; bring that back")
        stream.truncate(size)
        stream.seek(size)
        return stream

    def make_round(self, manifest: Manifest) -> None:
        """Make the folder of a round, and remove the files that a call which did not end began there.

        Raises:
            BatchError: the folder is there and the batch did not make it, or is a link.
        """
        folder = f"round-{manifest.round}"
        path = self.folder / folder
        is_empty = path.is_dir() and not path.is_symlink() and not any(path.iterdir())
        self._make(folder, path.mkdir, is_empty=is_empty)
        known = {shard.file for shard in manifest.shards}
        made = self.base.execute("select name, inode from made where name glob ?", (f"{folder}/*",))
        for name, inode in [row for row in made if row[0] not in known]:
            begun = self.folder / name
            with suppress(FileNotFoundError):
                if begun.lstat().st_ino == inode:
                    begun.unlink()
            self.base.execute("delete from made where name = ?", (name,))

    def check_inputs(self, inputs: Iterable[str | os.PathLike[str]], *names: str) -> None:
        """Check that no input is a file that the batch will write.

        Args:
            inputs: The files to be read.
            names: The files and folders of the batch that will be written, besides the ledger and the manifest.

        Raises:
            BatchError: an input is one of them.
        """
        outputs = [self.folder / name for name in (*names, NAME, LEDGER, f"{LEDGER}-wal", _LOCK)]
        inside = [path for folder in outputs if folder.is_dir() for path in folder.iterdir()]
        try:
            check_apart([*outputs, *inside], inputs)
        except OSError as error:
            raise BatchError(f"{error.filename}: {error.strerror}") from error

    def _make(self, name: str, make: Callable[[], None], *, is_empty: bool) -> None:
        """Make a file or folder and note it, unless that was done. One that is empty has nothing to lose."""
        path = self.folder / name
        if self._inode(name) is None or not os.path.lexists(path):
            try:
                if not is_empty:
                    make()
            except FileExistsError:
                raise BatchError(
                    f"{path}: it is not of this batch; move it away, then repeat the call"
                ) from None
            self.base.execute("insert or replace into made values (?, ?)", (name, path.stat().st_ino))
            self.base.execute("commit")
            self._begin()
        if path.is_symlink():
            raise BatchError(f"{path}: it is a link; put the file or folder itself in its place")

    def _inode(self, name: str) -> int | None:
        row = self.base.execute("select inode from made where name = ?", (name,)).fetchone()
        return None if row is None else int(row[0])

    def _connect(self) -> None:
        if self.writing:
            self._open(_LOCK).execute("begin exclusive")
            _check_manifest(self.folder / NAME)
        self.base = self._open(LEDGER)
        _check_tables(self.base, self.folder)
        self.base.execute("pragma journal_mode=wal")
        self.base.execute("pragma synchronous=full")
        self.base.execute(f"pragma cache_size=-{_MEMORY_KIB}")
        self.base.executescript(_TABLES)
        self._begin()

    def _open(self, name: str) -> sqlite3.Connection:
        base = sqlite3.connect(self.folder / name, isolation_level=None)
        self._opened.append(base)
        return base

    def _begin(self) -> None:
        self.base.execute("begin immediate" if self.writing else "begin")

    def _close(self) -> None:
        """Close the file, and forget what was not committed."""
        for base in reversed(self._opened):
            with suppress(sqlite3.Error):
                base.execute("rollback")
            base.close()

    def _as_told(self, error: sqlite3.Error) -> BatchError:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            return BatchError(f"{self.folder}: another call works on this batch; wait for its end")
        damaged = name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))
        advice = "; the ledger is damaged: write the batch to another folder" if damaged else ""
        return BatchError(f"{self.folder / LEDGER}: {error}{advice}")

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

    def forget_from(self, seq: int) -> None:
        """Forget the requests from one on: a call that did not end added them."""
        self.base.execute("delete from requests where seq >= ?", (seq,))

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

    def first_round(self, file: str, number: int) -> int:
        """Return in which round a result file was read first: this one, unless the same file was read before."""
        status = Path(file).stat()
        key = (os.fsencode(Path(file).absolute()), status.st_mtime_ns, status.st_size)
        self.base.execute("insert or ignore into result_files values (?, ?, ?, ?)", (*key, number))
        query = "select round from result_files where path = ? and time = ? and size = ?"
        return int(self.base.execute(query, key).fetchone()[0])

    def sent_files(self) -> list[SentFile]:
        """Return the files that were sent, in the order of their names."""
        rows = self.base.execute("select file, batch, was_read from sent order by file")
        return [SentFile(file, batch, bool(was_read)) for file, batch, was_read in rows]

    def has_pending(self, shard: int) -> bool:
        """Return whether a request waits for its result in the file of this number."""
        query = "select 1 from requests where shard = ? and state = 'pending' limit 1"
        return self.base.execute(query, (shard,)).fetchone() is not None

    def note_sent(self, sent: SentFile) -> SentFile:
        """Note that a file was sent, or that it is about to be, and return the note. It is on the disk afterwards."""
        row = (sent.file, sent.batch, sent.was_read)
        self.base.execute("insert or replace into sent values (?, ?, ?)", row)
        self.base.execute("commit")
        self._begin()
        return sent

    def forget_sent(self, file: str) -> None:
        """Note that a file was not sent."""
        self.base.execute("delete from sent where file = ?", (file,))
        self.base.execute("commit")
        self._begin()

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
        query = f"select {_COLUMNS} from written where state in ({marks}){only} order by seq"  # noqa: S608  # marks only
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
        found = dict(self.base.execute("select state, count(*) from written group by state").fetchall())
        return {state: found.get(state, 0) for state in STATES}


def opened(folder: Path, *, writing: bool = True) -> Ledger:
    """Open the ledger of a batch that was written. Raises BatchError for a folder without one."""
    if not (folder / LEDGER).is_file():
        raise BatchError(f"{folder}: no batch was written here")
    return Ledger(folder, writing=writing)


def created(folder: Path) -> Ledger:
    """Open the ledger of a folder, or begin one in a new or empty folder.

    Raises:
        BatchError: the folder holds other files and no batch, or cannot be made.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise BatchError(f"{folder}: it is a file; a batch is written to a folder")
        folder.mkdir(parents=True, exist_ok=True)
        others = [] if (folder / LEDGER).is_file() else [path.name for path in folder.iterdir()]
    except OSError as error:
        raise BatchError(f"{folder}: {error.strerror}") from error
    if any(not name.startswith(LEDGER) for name in others):
        raise BatchError(
            f"{folder}: the folder is not empty and holds no batch; choose a new or an empty folder"
        )
    return Ledger(folder)


def _check_tables(base: sqlite3.Connection, folder: Path) -> None:
    """Raise BatchError for a database of something else."""
    tables = {row[0] for row in base.execute("select name from sqlite_master where type = 'table'")}
    if tables and not {"requests", "meta"} <= tables:
        raise BatchError(f"{folder / LEDGER}: it is not the ledger of a batch; choose another folder")


def _check_manifest(path: Path) -> None:
    """Raise BatchError for a file in the place of the manifest that is none."""
    try:
        if not path.is_symlink():
            Manifest.decoded(path.read_text("utf-8"), str(path))
            return
    except FileNotFoundError:
        return
    except (BatchError, ValueError):
        pass
    raise BatchError(f"{path}: it is not of this batch; move it away, then repeat the call")
