"""Keep the generated files of each spec on disk for the next compilation of the project.

With plugins installed nothing is kept, because their inputs are unknown. The cache folder can be deleted at any time.
Cached data is not trusted: a file that is not exactly as it was written counts as absent, and `gen check` never reads
the cache.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter

from promptwire_text.files import read_file

from .atomic_files import find_stale_files, find_target_name, write_atomically
from .compilation import Compilation
from .installed import list_plugin_points, read_versions
from .known import Known, OwnerFiles
from .layout import CACHE, PACKAGE, Layout
from .spec.fixes import find_repair_files

_FILE = "compilation"
_IGNORED = ".gitignore"
# the hexadecimal digits of a SHA-256
_DIGEST = 64
_ENTRIES = TypeAdapter(dict[str, OwnerFiles])


def compile_cached(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Compilation:
    """Compile a project; the files of unchanged specs are those that the same compiler made before.

    Only complete compilations are kept. Raises what `compile_project` raises.
    """
    compiler = None if layout.packaged else compute_fingerprint(layout)
    if compiler is None:
        from .pipeline import compile_project  # noqa: PLC0415  # loading it takes half a second

        return compile_project(layout, wires=wires, progress=progress)
    place = layout.root / CACHE
    known = Known(layout.read_specs(), compiler, _load(place))
    compilation = known.find_compilation(wires, layout.find_built_wires())
    if compilation is not None:
        return compilation
    from .pipeline import compile_project  # noqa: PLC0415

    compilation = compile_project(layout, wires=wires, progress=progress, known=known)
    # code that changed meanwhile may or may not have been used
    if wires is None and not compilation.problems and compiler == compute_fingerprint(layout):
        _store(place, known.make_entries(compilation))
    return compilation


def compute_fingerprint(layout: Layout) -> str | None:
    """Return a digest of the compiler's code, templates and libraries, or None if that cannot be known."""
    if list_plugin_points():
        return None
    folders = [
        (PACKAGE, "*.py"),
        (PACKAGE, "*.yaml"),
        *((folder, "*") for folder in layout.list_template_folders()),
        *{(path.parent, "*.py") for path in find_repair_files()},
    ]
    digest = hashlib.sha256(json.dumps([read_versions(), layout.model is not None]).encode())
    try:
        for folder, pattern in folders:
            for path in sorted(folder.rglob(pattern)):
                if path.is_file():
                    content, name = read_file(path), path.relative_to(folder).as_posix()
                    digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape"))
                    digest.update(content)
    except OSError:
        return None
    return digest.hexdigest()


def _load(place: Path) -> Mapping[str, OwnerFiles]:
    """Return the kept entries by owner; none if the file is not exactly as it was written."""
    file = place / _FILE
    if place.is_symlink() or file.is_symlink():
        return {}
    try:
        content = read_file(file)
        if hashlib.sha256(content[:-_DIGEST]).hexdigest().encode() == content[-_DIGEST:]:
            return _ENTRIES.validate_json(content[:-_DIGEST])
    except (OSError, ValueError):
        pass
    return {}


def _store(place: Path, entries: Mapping[str, OwnerFiles]) -> None:
    """Write the cache file atomically; if that fails, the next compilation simply takes longer."""
    content = _ENTRIES.dump_json(dict(entries))
    with suppress(OSError):
        place.mkdir(exist_ok=True)
        if not place.is_symlink():
            sealed = [content, hashlib.sha256(content).hexdigest().encode()]
            write_atomically([(place / _IGNORED, [b"*\n"]), (place / _FILE, sealed)])
            for path in find_stale_files(
                path for path in place.iterdir() if find_target_name(path.name) == _FILE
            ):
                path.unlink(missing_ok=True)
