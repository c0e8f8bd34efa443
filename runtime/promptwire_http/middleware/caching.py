"""Keep answers, and replay them to equal requests: whole ones whole, streams as streams."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Generator, Iterator, MutableMapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model_calls import CallSteps, Middleware, ModelCall

Store = MutableMapping[str, bytes]
_SECONDS = 30.0
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, content BLOB NOT NULL)"


def cache(store: str | os.PathLike[str] | Store) -> Middleware:
    """Return middleware that replays the answer to an equal request.

    Requests are equal if URL, headers and body are, credentials apart. Answers with an error are not kept.

    Args:
        store: The path of an sqlite file, or a mapping of texts to bytes.
    """
    kept = SqliteStore(store) if isinstance(store, (str, os.PathLike)) else store

    def replay(call: ModelCall) -> CallSteps:
        """Replay the answer, or keep it."""
        key = key_of(call)
        found = kept.get(key)
        if found is not None:
            call.replayed = found
            return (yield call)
        call.records = True
        answer = yield call
        # a middleware inside may have asked another API
        if call.source is call and call.received is not None:
            kept[key] = call.received
        return answer

    return replay


def key_of(call: ModelCall) -> str:
    """Return the SHA-256 of the request of a call, without its credentials."""
    built = call.built
    headers = sorted((name.lower(), text) for name, text in built.shown_headers.items())
    text = repr((built.method, built.shown_url, headers, built.digest))
    return hashlib.sha256(text.encode()).hexdigest()


class SqliteStore(Store):
    """A table of answers in a file. Each access has its own connection, so that threads and processes may share it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Create the table if the file has none."""
        self._path = path
        with self._connected() as connection:
            connection.execute(_TABLE)

    @contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=_SECONDS)) as connection, connection:
            yield connection

    def __getitem__(self, key: str) -> bytes:
        """Return the content of a key."""
        with self._connected() as connection:
            row = connection.execute("SELECT content FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return bytes(row[0])

    def __setitem__(self, key: str, content: bytes) -> None:
        """Keep content under a key."""
        with self._connected() as connection:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, content))

    def __delitem__(self, key: str) -> None:
        """Remove a key."""
        with self._connected() as connection:
            if not connection.execute("DELETE FROM answers WHERE key = ?", (key,)).rowcount:
                raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        """Yield all keys."""
        with self._connected() as connection:
            rows = connection.execute("SELECT key FROM answers ORDER BY key").fetchall()
        yield from (row[0] for row in rows)

    def __len__(self) -> int:
        """Return the number of answers."""
        with self._connected() as connection:
            count: int = connection.execute("SELECT count(*) FROM answers").fetchone()[0]
        return count
