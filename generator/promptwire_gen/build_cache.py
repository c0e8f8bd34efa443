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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from promptwire_text.files import read_file

from .atomic_files import stale_files, target_name, write_atomically
from .compilation import Compilation, with_imported
from .installed import plugin_points, versions
from .layout import CACHE, PACKAGE, Layout
from .wire_summary import WireSummary

_FILE = "compilation"
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
        ("tables", PACKAGE, "*.yaml"),
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
        end = content.index(b"\n")
        facts = _table(json.loads(content[:end]))
        if facts["base"] != wanted.base:
            return None
        texts = memoryview(content)[end + 1 : -_DIGEST]
        sources, files = (_table(facts[name], int) for name in ("sources", "files"))
        compilation = Compilation(
            sources=_cut(texts, sources),
            files=_cut(texts[sum(sources.values()) :], files),
            summaries=[_summary(_table(row)) for row in _list(facts["summaries"])],
            owners=_table(facts["owners"], str),
            imported={wire: _list(names, str) for wire, names in _table(facts["imported"]).items()},
        )
        return Remembered(Fingerprint(wanted.base, str(facts["fingerprint"])), compilation)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, MemoryError):
        return None


def _cut(texts: memoryview, lengths: Mapping[str, int]) -> dict[str, str]:
    """Return the texts that stand one after the other, each of so many bytes, by path."""
    ends = accumulate(lengths.values())
    return {
        path: str(texts[end - length : end], "utf-8")
        for (path, length), end in zip(lengths.items(), ends, strict=True)
    }


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
            content = _sealed(_content(made_of, compilation))
            write_atomically([(place / _IGNORED, [b"*\n"]), (place / _FILE, content)])
            for path in stale_files(path for path in place.iterdir() if target_name(path.name) == _FILE):
                path.unlink(missing_ok=True)


def _content(made_of: Fingerprint, compilation: Compilation) -> Iterator[bytes]:
    """Yield the content of the cache file: one line of facts with the length of each text, then the texts."""
    sources = {path: text.encode() for path, text in compilation.sources.items()}
    files = {path: text.encode() for path, text in compilation.files.items()}
    facts = {
        "base": made_of.base,
        "fingerprint": made_of.specs,
        "summaries": [summary.plain for summary in compilation.summaries],
        "owners": dict(compilation.owners),
        "imported": {wire: list(owners) for wire, owners in compilation.imported.items()},
        "sources": {path: len(text) for path, text in sources.items()},
        "files": {path: len(text) for path, text in files.items()},
    }
    yield json.dumps(facts).encode() + b"\n"
    yield from sources.values()
    yield from files.values()


def _sealed(content: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content, followed by its digest."""
    digest = hashlib.sha256()
    for piece in content:
        digest.update(piece)
        yield piece
    yield digest.hexdigest().encode()
