"""Where specs, templates and the output folder are: a checkout first, the copies in the wheel second."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
SPECS, TEMPLATES, OUTPUT = "provider_specs", "templates", "generated"
CACHE = ".promptwire_cache"
# folders that tools leave behind: nothing is generated there, and nothing is looked for
CACHES = frozenset({CACHE, "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"})


class LayoutError(Exception):
    """A project whose folders or input files cannot be read; the text names the path."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project, all absolute.

    root is the folder that printed paths are relative to; `output` need not exist yet.
    """

    root: Path
    specs: Path
    templates: Path
    output: Path

    @property
    def packaged(self) -> bool:
        """Whether the specs are the copies in the wheel, which nobody changes."""
        return self.specs.parent == PACKAGE

    def read_specs(self, more: Iterable[Path] = ()) -> dict[str, str]:
        """Read every spec of the project and of more folders, sorted: `provider_specs/<file>.yaml` -> text.

        The names never depend on where the project is, so they may enter generated text: a file of another
        folder is named by its last two folders. Raises LayoutError for a file that cannot be read as UTF-8,
        for a folder that is not there, and for two files of one name.
        """
        found: dict[str, str] = {}
        for prefix, folder in ((SPECS, self.specs), *((f"{f.parent.name}/{f.name}", f) for f in more)):
            if not folder.is_dir():
                raise LayoutError(f"{folder} is not a folder of specs")
            for path in folder.glob("*.yaml"):
                name = f"{prefix}/{path.name}"
                if name in found:
                    raise LayoutError(f"two folders of specs hold {name}")
                found[name] = _read(path)
        return dict(sorted(found.items()))


def find_layout(start: Path | None = None) -> Layout:
    """Find the project around a folder (by default the current one).

    The nearest folder upward that holds both `provider_specs/` and `templates/` is the project.
    Without one, the copies packaged in the wheel serve, and the output goes to `generated/` below `start`.
    Raises LayoutError when there is neither.
    """
    here = (start or Path.cwd()).resolve()
    for root in (here, *here.parents):
        if (root / SPECS).is_dir() and (root / TEMPLATES).is_dir():
            return Layout(root, root / SPECS, root / TEMPLATES, root / OUTPUT)
    packaged = Layout(here, PACKAGE / f"_{SPECS}", PACKAGE / f"_{TEMPLATES}", here / OUTPUT)
    if packaged.specs.is_dir() and packaged.templates.is_dir():
        return packaged
    raise LayoutError(f"no folder from {here} upward holds {SPECS}/ and {TEMPLATES}/")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LayoutError(f"{path} cannot be read: {error}") from error
