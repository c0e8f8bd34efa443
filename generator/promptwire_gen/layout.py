"""Locations of specs, templates and output: the project's own folders first, then those shipped with the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from promptwire_text.files import read_file

PACKAGE = Path(__file__).resolve().parent
SPECS, TEMPLATES, OUTPUT = "provider_specs", "templates", "generated"
# a folder with this page is a spec
FIRST_PAGE = "wire.yaml"
# shared by all specs: the sources, and the folders of model families and of hosts
SOURCES, FAMILIES, HOSTS = "sources.yaml", "models", "hosts"
SHARED_FOLDERS = (FAMILIES, HOSTS)
RUNTIME = "runtime/promptwire_runtime"
# path prefix of files that belong to the runtime's model package instead of the output folder
MODEL = f"../{RUNTIME}/model/"
CACHE = ".promptwire_cache"
# caches of tools: nothing is read from or written to them
CACHES = frozenset({CACHE, "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"})


class LayoutError(Exception):
    """Raised if a project's folders or input files cannot be read; the message names the path."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project, all absolute.

    Attributes:
        root: Printed paths are relative to it.
        output: The output folder; it need not exist.
        shipped: The specs that come with the compiler. A spec of the project replaces the one of the same name.
        own_templates: The project's templates, if it has only some: each replaces the shipped one of its name.
    """

    root: Path
    specs: Path
    templates: Path
    output: Path
    shipped: Path | None = None
    own_templates: Path | None = None

    @property
    def model(self) -> Path | None:
        """The folder of the runtime's node classes; None in a project that only uses the runtime."""
        runtime = self.root / RUNTIME
        return runtime / "model" if runtime.is_dir() else None

    def list_template_folders(self, more: Iterable[Path] = ()) -> list[Path]:
        """Return the folders in which a template is looked up: the project's, plugins' (`more`), shipped ones."""
        is_whole = self.shipped is None and not self.packaged
        own = self.templates if is_whole else self.own_templates
        return list(dict.fromkeys([*([own] if own else []), *more, self.templates]))

    @property
    def packaged(self) -> bool:
        """Return whether there is no project yet, so that only the compiler's own specs are used."""
        return self.specs != self.root / SPECS

    def find_built_wires(self) -> frozenset[str]:
        """Return the names of the wires that the output folder holds."""
        return frozenset(path.parent.name for path in self.output.glob("promptwire/[!_]*/__init__.py"))

    def find_own_specs(self) -> frozenset[str] | None:
        """Return the names of the project's own specs beside shipped ones; None if all specs are its own."""
        if self.shipped is None:
            return frozenset() if self.packaged else None
        return frozenset(_name_spec(path, self.specs) for path in _list_pages(self.specs))

    def find_spec_files(self) -> dict[str, Path]:
        """Return the project's own spec files: `provider_specs/<file>.yaml` -> path."""
        if self.packaged:
            return {}
        return {
            f"{SPECS}/{path.relative_to(self.specs).as_posix()}": path for path in _list_pages(self.specs)
        }

    def read_specs(self, more: Iterable[Path] = ()) -> dict[str, str]:
        """Read every spec of the project and of more folders, sorted: `provider_specs/<file>.yaml` -> text.

        A spec may be a folder of pages: `provider_specs/<wire>/wire.yaml` and others. The names do not depend on the
        location of the project, so that they may appear in generated text; a file of another folder is named by its
        last two folders.

        Raises LayoutError for a file that is not UTF-8, a folder that does not exist or is not a spec, two files of
        the same name, and a link that leads out of the project.
        """
        sources: dict[str, str] = {}
        for prefix, folder in ((SPECS, self.specs), *((f"{f.parent.name}/{f.name}", f) for f in more)):
            if not folder.is_dir():
                raise LayoutError(f"{folder} is not a folder of specs")
            for path in _list_pages(folder):
                name = f"{prefix}/{path.relative_to(folder).as_posix()}"
                if name in sources:
                    raise LayoutError(f"two folders of specs hold {name}")
                _check_link(path, (self.root, folder))
                sources[name] = _read(path)
        if self.shipped is not None:
            own = {_name_spec(path, self.specs) for path in _list_pages(self.specs)}
            for path in _list_pages(self.shipped):
                if _name_spec(path, self.shipped) not in own:
                    sources[f"{SPECS}/{path.relative_to(self.shipped).as_posix()}"] = _read(path)
                elif path == self.shipped / SOURCES:
                    # shipped specs still cite it
                    sources[f"promptwire/{SOURCES}"] = _read(path)
        return dict(sorted(sources.items()))


def find_layout(start: Path | None = None) -> Layout:
    """Find the project around a folder (by default the current one).

    The nearest folder upward with a `provider_specs/` folder is the project. Specs and templates that it lacks come
    from the compiler, file by file, unless the project has a template for each kind of module. If there is no such
    folder, the compiler's specs are used alone, and the output folder is `generated/` below `start`.

    Raises LayoutError if there are no specs at all.
    """
    here = (start or Path.cwd()).resolve()
    shipped = _find_shipped()
    for root in (here, *here.parents):
        if not (root / SPECS).is_dir():
            continue
        own = root / TEMPLATES if (root / TEMPLATES).is_dir() else None
        if own is not None and (shipped is None or not _is_partial(own, shipped[1])):
            return Layout(root, root / SPECS, own, root / OUTPUT)
        if shipped is not None:
            return Layout(root, root / SPECS, shipped[1], root / OUTPUT, shipped[0], own)
    if shipped is not None:
        return Layout(here, *shipped, here / OUTPUT)
    raise LayoutError(f"no folder from {here} upward holds {SPECS}/ and {TEMPLATES}/")


def is_plain(path: str) -> bool:
    """Return whether a path stays below the folder it is relative to and means the same on every system."""
    if not path.isprintable() or {"\\", ":"}.intersection(path):
        return False
    return CACHES.union(["", ".", ".."]).isdisjoint(path.split("/"))


def _find_shipped() -> tuple[Path, Path] | None:
    """Return the specs and templates shipped with the compiler: from the wheel, or from its checkout."""
    checkout = PACKAGE.parents[1]
    for specs, templates in (
        (PACKAGE / f"_{SPECS}", PACKAGE / f"_{TEMPLATES}"),
        (checkout / SPECS, checkout / TEMPLATES),
    ):
        if specs.is_dir() and templates.is_dir():
            return specs, templates
    return None


def list_shipped_wires() -> frozenset[str]:
    """Return the names of the specs shipped with the compiler, which shared pages may name in any project."""
    shipped = _find_shipped()
    return frozenset(path.stem for path in shipped[0].iterdir()) if shipped is not None else frozenset()


def _is_partial(templates: Path, shipped: Path) -> bool:
    """Return whether a project lacks a template for some kind of module, so that it needs shipped ones."""
    modules = [path.relative_to(shipped) for path in shipped.glob("module/*.j2")]
    return not all((templates / path).is_file() for path in modules)


def _list_pages(folder: Path) -> list[Path]:
    """Return every spec file in a folder and in the spec folders inside it."""
    for inner in sorted(path.parent for path in folder.glob("*/*.yaml")):
        if inner.name not in SHARED_FOLDERS and not (inner / FIRST_PAGE).is_file():
            raise LayoutError(f"{inner} holds pages of a spec, and {FIRST_PAGE} is not among them")
    return sorted(folder.rglob("*.yaml"))


def _name_spec(path: Path, folder: Path) -> str:
    first, *inner = path.relative_to(folder).parts
    return f"{first}/{inner[0]}" if first in SHARED_FOLDERS else first.removesuffix(".yaml")


def _check_link(path: Path, folders: Iterable[Path]) -> None:
    """Refuse a link out of the folders: its content would be printed with its problems."""
    if path.is_symlink() and not any(path.resolve().is_relative_to(folder.resolve()) for folder in folders):
        raise LayoutError(f"{path} is a link to a file outside of the project: copy the file there")


def _read(path: Path) -> str:
    try:
        text = read_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LayoutError(f"{path} cannot be read: {error}") from error
    # normalise line endings
    return text.replace("\r\n", "\n").replace("\r", "\n")
