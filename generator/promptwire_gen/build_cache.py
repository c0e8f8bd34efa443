"""Cache the last compilation of a project on disk, keyed by everything that it depends on.

The key covers the compiler's own code, templates, specs and library versions. With plugins installed nothing is cached,
because their inputs are unknown. The cache folder can be deleted at any time. Cached data is not trusted: a file that
is not exactly as it was written counts as absent, and `gen check` never reads the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from promptwire_text.files import read_file

from .atomic_files import stale_files, target_name, write_atomically
from .compilation import Compilation
from .installed import plugin_points, versions
from .layout import CACHE, PACKAGE, Layout

_FILE = "compilation.jsonl"
_IGNORED = ".gitignore"
# a thousand wires need a quarter of this
_MOST_BYTES = 1 << 28
# the hexadecimal digits of a SHA-256
_DIGEST = 64


def compile_cached(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Compilation:
    """Compile a project, or return the cached result of the same compiler for the same input.

    Only complete compilations are cached; a request for some wires returns a part of one. Raises what
    `compile_project` raises.
    """
    place = layout.root / CACHE
    before = None if layout.packaged else fingerprint(layout)
    remembered = _load(place, before) if before is not None else None
    if remembered is not None:
        return remembered.part(wires)
    from .pipeline import compile_project  # noqa: PLC0415  # loading it takes half a second

    compilation = compile_project(layout, wires=wires, progress=progress)
    # a file that changed meanwhile may or may not have been compiled
    is_whole = before is not None and wires is None and not compilation.problems
    if before is not None and is_whole and before == fingerprint(layout):
        _store(place, before, compilation)
    return compilation


def fingerprint(layout: Layout) -> str | None:
    """Return a digest of everything that the generated files depend on, or None if that cannot be known."""
    if plugin_points():
        return None
    digest = hashlib.sha256(json.dumps([versions(), layout.model is not None]).encode())
    try:
        for name, path in _inputs(layout):
            content = read_file(path)
            digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape"))
            digest.update(content)
    except OSError:
        return None
    return digest.hexdigest()


def _inputs(layout: Layout) -> Iterator[tuple[str, Path]]:
    folders = [
        ("code", PACKAGE, "*.py"),
        ("neutral model", PACKAGE, "neutral/*.yaml"),
        ("templates", layout.templates, "*"),
        ("specs", layout.specs, "*.yaml"),
    ]
    if layout.shipped is not None:
        folders.append(("shipped", layout.shipped, "*.yaml"))
    for kind, folder, pattern in folders:
        for path in sorted(folder.rglob(pattern)):
            if path.is_file():
                yield f"{kind}/{path.relative_to(folder).as_posix()}", path


def _load(place: Path, wanted_fingerprint: str) -> Compilation | None:
    """Read the cache entry for this input; return None for anything that `_store` did not write."""
    try:
        content = _read(place)
        if hashlib.sha256(content[:-_DIGEST]).hexdigest().encode() != content[-_DIGEST:]:
            return None
        facts, *rows = [json.loads(line) for line in content[:-_DIGEST].splitlines()]
        facts = _table(facts)
        texts: dict[str, dict[str, str]] = {"sources": {}, "files": {}}
        for kind, path, text in (_list(row, str) for row in rows):
            texts[kind][path] = text
        if facts["fingerprint"] != wanted_fingerprint:
            return None
        return Compilation(
            files=texts["files"],
            sources=texts["sources"],
            table=[_table(row) for row in _list(facts["table"])],
            owners=_table(facts["owners"], str),
            extended={wire: _list(names, str) for wire, names in _table(facts["extended"]).items()},
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError, MemoryError):
        return None


def _read(place: Path) -> bytes:
    """Read the cache file; reject links, pipes and files that are too large."""
    if place.is_symlink():
        raise ValueError("a link")
    # not every system has both flags
    opened = os.open(place / _FILE, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(opened, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            raise ValueError("no file that was written here")
        return stream.read(_MOST_BYTES)


def _table(value: Any, kind: type | None = None) -> dict[str, Any]:
    """Return a mapping whose values have this type. Raises TypeError for anything else."""
    given: object = value
    if not isinstance(given, dict):
        raise TypeError
    table: dict[str, Any] = value
    _list([*table.values()], kind)
    return table


def _list(value: Any, kind: type | None = None) -> list[Any]:
    """Return a list whose members have this type. Raises TypeError for anything else."""
    given: object = value
    if not isinstance(given, list):
        raise TypeError
    members: list[Any] = value
    if kind is not None and not all(isinstance(member, kind) for member in members):
        raise TypeError
    return members


def _store(place: Path, made_of: str, compilation: Compilation) -> None:
    """Write the cache file atomically; if that fails, the next compilation simply takes longer."""
    with suppress(OSError, TypeError):
        place.mkdir(exist_ok=True)
        if not place.is_symlink():
            lines = _sealed(_lines(made_of, compilation))
            write_atomically([(place / _IGNORED, [b"*\n"]), (place / _FILE, lines)])
            for path in stale_files(path for path in place.iterdir() if target_name(path.name) == _FILE):
                path.unlink(missing_ok=True)


def _lines(made_of: str, compilation: Compilation) -> Iterator[bytes]:
    """Yield the lines of the cache file: the facts, then one line for each text, to save memory."""
    facts = {
        "fingerprint": made_of,
        "table": list(compilation.table),
        "owners": dict(compilation.owners),
        "extended": {wire: list(parents) for wire, parents in compilation.extended.items()},
    }
    sources = [["sources", path, text] for path, text in compilation.sources.items()]
    files = [["files", path, text] for path, text in compilation.files.items()]
    for row in (facts, *sources, *files):
        yield json.dumps(row).encode() + b"\n"


def _sealed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines, followed by a digest of all of them."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
        yield line
    yield digest.hexdigest().encode()
