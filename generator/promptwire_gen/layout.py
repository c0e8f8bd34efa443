"""Where specs, templates and the output folder are: in the project first, with the compiler second."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from promptwire_text.files import read_file

PACKAGE = Path(__file__).resolve().parent
SPECS, TEMPLATES, OUTPUT = "provider_specs", "templates", "generated"
# the page that makes a folder a spec
FIRST_PAGE = "wire.yaml"
# what specs share: who says so, and a folder of families of models
SOURCES, FAMILIES = "sources.yaml", "models"
RUNTIME = "runtime/promptwire_runtime"
CACHE = ".promptwire_cache"
# folders that tools leave behind: nothing is generated there, and nothing is looked for
CACHES = frozenset({CACHE, "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"})


class LayoutError(Exception):
    """A project whose folders or input files cannot be read; the text names the path."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project, all absolute.

    root is the folder that printed paths are relative to; `output` need not exist yet. `shipped` holds the specs that
    come with the compiler, where they stand beside the project's own; one of its own replaces one of the same name.
    """

    root: Path
    specs: Path
    templates: Path
    output: Path
    shipped: Path | None = None

    @property
    def model(self) -> Path | None:
        """The folder of the runtime's node classes; None in a project that only uses the runtime."""
        runtime = self.root / RUNTIME
        return runtime / "model" if runtime.is_dir() else None

    @property
    def packaged(self) -> bool:
        """Whether there is no project yet: the specs are those of the compiler, which nobody changes."""
        return self.specs != self.root / SPECS

    def read_specs(self, more: Iterable[Path] = ()) -> dict[str, str]:
        """Read every spec of the project and of more folders, sorted: `provider_specs/<file>.yaml` -> text.

        A spec may be a folder of pages: `provider_specs/<wire>/wire.yaml` and others. The names never depend on where
        the project is, so they may enter generated text: a file of another folder is named by its last two folders.
        Raises LayoutError for a file that cannot be read as UTF-8, for a folder that is not there or is no spec, for
        two files of one name, and for a link that leads out of the project.
        """
        sources: dict[str, str] = {}
        for prefix, folder in ((SPECS, self.specs), *((f"{f.parent.name}/{f.name}", f) for f in more)):
            if not folder.is_dir():
                raise LayoutError(f"{folder} is not a folder of specs")
            for path in _pages(folder):
                name = f"{prefix}/{path.relative_to(folder).as_posix()}"
                if name in sources:
                    raise LayoutError(f"two folders of specs hold {name}")
                _check_link(path, (self.root, folder))
                sources[name] = _read(path)
        if self.shipped is not None:
            own = {_spec_name(path, self.specs) for path in _pages(self.specs)}
            for path in _pages(self.shipped):
                if _spec_name(path, self.shipped) not in own:
                    sources[f"{SPECS}/{path.relative_to(self.shipped).as_posix()}"] = _read(path)
                elif path == self.shipped / SOURCES:
                    # shipped specs cite it still
                    sources[f"promptwire/{SOURCES}"] = _read(path)
        return dict(sorted(sources.items()))


def find_layout(start: Path | None = None) -> Layout:
    """Find the project around a folder (by default the current one).

    The nearest folder upward that holds `provider_specs/` is the project. With `templates/` of its own it is whole;
    without, the templates and specs that come with the compiler serve beside its own specs. Where no folder holds any,
    they serve alone, and the output goes to `generated/` below `start`. Raises LayoutError when there are none.
    """
    here = (start or Path.cwd()).resolve()
    shipped = _shipped()
    for root in (here, *here.parents):
        if not (root / SPECS).is_dir():
            continue
        if (root / TEMPLATES).is_dir():
            return Layout(root, root / SPECS, root / TEMPLATES, root / OUTPUT)
        if shipped is not None:
            return Layout(root, root / SPECS, shipped[1], root / OUTPUT, shipped[0])
    if shipped is not None:
        return Layout(here, *shipped, here / OUTPUT)
    raise LayoutError(f"no folder from {here} upward holds {SPECS}/ and {TEMPLATES}/")


def _shipped() -> tuple[Path, Path] | None:
    """The specs and templates that come with the compiler: the copies in the wheel, or those of its checkout."""
    checkout = PACKAGE.parents[1]
    for specs, templates in (
        (PACKAGE / f"_{SPECS}", PACKAGE / f"_{TEMPLATES}"),
        (checkout / SPECS, checkout / TEMPLATES),
    ):
        if specs.is_dir() and templates.is_dir():
            return specs, templates
    return None


def _pages(folder: Path) -> list[Path]:
    """Every file of specs in a folder, and in the folders of it that are specs."""
    for inner in sorted(path.parent for path in folder.glob("*/*.yaml")):
        if inner.name != FAMILIES and not (inner / FIRST_PAGE).is_file():
            raise LayoutError(f"{inner} holds pages of a spec, and {FIRST_PAGE} is not among them")
    return sorted(folder.rglob("*.yaml"))


def _spec_name(path: Path, folder: Path) -> str:
    first, *inner = path.relative_to(folder).parts
    return f"{FAMILIES}/{inner[0]}" if first == FAMILIES else first.removesuffix(".yaml")


def _check_link(path: Path, folders: Iterable[Path]) -> None:
    """Refuse a link out of the folders: its lines would be shown with the problems in them."""
    if path.is_symlink() and not any(path.resolve().is_relative_to(folder.resolve()) for folder in folders):
        raise LayoutError(f"{path} is a link to a file outside of the project: copy the file there")


def _read(path: Path) -> str:
    try:
        text = read_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LayoutError(f"{path} cannot be read: {error}") from error
    # a line ends alike, whoever wrote it
    return text.replace("\r\n", "\n").replace("\r", "\n")
