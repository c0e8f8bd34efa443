"""The last compilation of a project, remembered on disk: while nothing that goes in changes, it is read back.

What goes in is all of the compiler's own code, templates, specs, and the versions of the libraries; where plugins are
installed nothing is remembered, since nobody knows what goes into them. The folder may be removed at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .compilation import Compilation
from .installed import plugin_points, versions
from .layout import CACHE, PACKAGE, Layout

_FILE = "compilation.json"


def compile_cached(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Compilation:
    """Compile a project, or read back what the same compiler made of the same input.

    Only whole compilations of a project are remembered; some wires' files are a part of one. Raises what
    `compile_project` raises.
    """
    place = layout.root / CACHE
    before = None if layout.packaged else fingerprint(layout)
    remembered = _load(place, before) if before is not None else None
    if remembered is not None:
        return remembered.part(wires)
    from .pipeline import compile_project  # noqa: PLC0415  # loading it takes half a second

    compilation = compile_project(layout, wires=wires, progress=progress)
    # a file that was changed meanwhile may have gone in, or not
    is_whole = before is not None and wires is None and not compilation.problems
    if before is not None and is_whole and before == fingerprint(layout):
        _store(place, before, compilation)
    return compilation


def fingerprint(layout: Layout) -> str | None:
    """Digest everything that a project's generated files depend on; None where that cannot be known."""
    if plugin_points():
        return None
    digest = hashlib.sha256(json.dumps([versions(), layout.model is not None]).encode())
    try:
        for name, path in _inputs(layout):
            content = path.read_bytes()
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
    try:
        stored: Any = json.loads((place / _FILE).read_bytes())
        if stored["fingerprint"] == wanted_fingerprint:
            parts = ("files", "sources", "table", "owners", "extended")
            return Compilation(*[stored[part] for part in parts])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None


def _store(place: Path, made_of: str, compilation: Compilation) -> None:
    """Write the memory, at once or not at all; where that is not possible, the next compilation takes its time."""
    stored = {
        "fingerprint": made_of,
        "files": dict(compilation.files),
        "sources": dict(compilation.sources),
        "table": list(compilation.table),
        "owners": dict(compilation.owners),
        "extended": {wire: list(parents) for wire, parents in compilation.extended.items()},
    }
    temporary = place / f".{os.getpid()}"
    try:
        place.mkdir(exist_ok=True)
        (place / ".gitignore").write_text("*\n", "utf-8")
        temporary.write_text(json.dumps(stored), "utf-8")
        temporary.replace(place / _FILE)
    except (OSError, TypeError):
        with suppress(OSError):
            temporary.unlink()
