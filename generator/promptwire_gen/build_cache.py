"""Cache the last compilation of a project on disk, keyed by everything that it depends on.

The key covers the compiler's own code, templates, specs and library versions. If only specs have changed, the files of
wires whose specs are unchanged are taken from the cache. With plugins installed nothing is cached,
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
from typing import Any, NamedTuple

from promptwire_text.files import read_file

from .atomic_files import stale_files, target_name, write_atomically
from .compilation import Compilation, with_imported
from .installed import plugin_points, versions
from .layout import CACHE, PACKAGE, Layout
from .wire_summary import WireSummary

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
    if (
        remembered is not None
        and remembered.fingerprint == before
        and _is_made(remembered.compilation, wires, layout)
    ):
        return remembered.compilation.part(wires)
    from .pipeline import compile_project  # noqa: PLC0415  # loading it takes half a second

    if remembered is None:
        compilation = compile_project(layout, wires=wires, progress=progress)
    else:
        # the files of wires whose specs are unchanged are taken from the last compilation
        compilation = compile_project(layout, wires=wires, progress=progress, previous=remembered.compilation)
    # a file that changed meanwhile may or may not have been compiled
    is_whole = before is not None and wires is None and not compilation.problems
    if before is not None and is_whole and before == fingerprint(layout):
        _store(place, before, compilation)
    return compilation


def _is_made(compilation: Compilation, wires: Sequence[str] | None, layout: Layout) -> bool:
    """Return whether the shared files of a complete compilation are those of a compilation of these wires."""
    return not wires or {wire.name for wire in compilation.summaries} <= {
        *with_imported(wires, compilation.imported),
        *layout.built_wires(),
    }


class Fingerprint(NamedTuple):
    """Digests of everything that the generated files depend on: `base` of the compiler, templates and libraries."""

    base: str
    specs: str


def fingerprint(layout: Layout) -> Fingerprint | None:
    """Return digests of everything that the generated files depend on, or None if that cannot be known."""
    if plugin_points():
        return None
    compiler = [
        ("code", PACKAGE, "*.py"),
        ("neutral model", PACKAGE, "neutral/*.yaml"),
        *[("templates", folder, "*") for folder in layout.template_folders()],
    ]
    specs = [("specs", layout.specs, "*.yaml")]
    if layout.shipped is not None:
        specs.append(("shipped", layout.shipped, "*.yaml"))
    about = json.dumps([versions(), layout.model is not None])
    try:
        return Fingerprint(_digest(about, compiler), _digest(about, specs))
    except OSError:
        return None


def _digest(about: str, folders: Sequence[tuple[str, Path, str]]) -> str:
    """Return a digest of a text and of all files of some folders."""
    digest = hashlib.sha256(about.encode())
    for name, path in _inputs(folders):
        content = read_file(path)
        digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


def _inputs(folders: Sequence[tuple[str, Path, str]]) -> Iterator[tuple[str, Path]]:
    for kind, folder, pattern in folders:
        for path in sorted(folder.rglob(pattern)):
            if path.is_file():
                yield f"{kind}/{path.relative_to(folder).as_posix()}", path


class Remembered(NamedTuple):
    """The last complete compilation, and the digests of its input."""

    fingerprint: Fingerprint
    compilation: Compilation


def _load(place: Path, wanted: Fingerprint) -> Remembered | None:
    """Read the last compilation of this compiler; return None for anything that `_store` did not write."""
    try:
        content = _read(place)
        if hashlib.sha256(content[:-_DIGEST]).hexdigest().encode() != content[-_DIGEST:]:
            return None
        facts, *rows = [json.loads(line) for line in content[:-_DIGEST].splitlines()]
        facts = _table(facts)
        texts: dict[str, dict[str, str]] = {"sources": {}, "files": {}}
        for kind, path, text in (_list(row, str) for row in rows):
            texts[kind][path] = text
        if facts["base"] != wanted.base:
            return None
        compilation = Compilation(
            files=texts["files"],
            sources=texts["sources"],
            summaries=[_summary(_table(row)) for row in _list(facts["summaries"])],
            owners=_table(facts["owners"], str),
            imported={wire: _list(names, str) for wire, names in _table(facts["imported"]).items()},
        )
        return Remembered(Fingerprint(wanted.base, str(facts["fingerprint"])), compilation)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, MemoryError):
        return None


def _summary(row: dict[str, Any]) -> WireSummary:
    return WireSummary(
        row=_table(row["row"]),
        recorded=_list(row["recorded"], str),
        carried={name: _list(fields, str) for name, fields in _table(row["carried"]).items()},
        chain=_list(row["chain"], str),
        placed=[_list(place) for place in _list(row["placed"])],
        alike=None if row["alike"] is None else str(row["alike"]),
    )


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


def _store(place: Path, made_of: Fingerprint, compilation: Compilation) -> None:
    """Write the cache file atomically; if that fails, the next compilation simply takes longer."""
    with suppress(OSError, TypeError):
        place.mkdir(exist_ok=True)
        if not place.is_symlink():
            lines = _sealed(_lines(made_of, compilation))
            write_atomically([(place / _IGNORED, [b"*\n"]), (place / _FILE, lines)])
            for path in stale_files(path for path in place.iterdir() if target_name(path.name) == _FILE):
                path.unlink(missing_ok=True)


def _lines(made_of: Fingerprint, compilation: Compilation) -> Iterator[bytes]:
    """Yield the lines of the cache file: the facts, then one line for each text, to save memory."""
    facts = {
        "base": made_of.base,
        "fingerprint": made_of.specs,
        "summaries": [summary.plain for summary in compilation.summaries],
        "owners": dict(compilation.owners),
        "imported": {wire: list(owners) for wire, owners in compilation.imported.items()},
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
