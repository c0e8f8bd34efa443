"""A package of some wires, which uses the installed promptwire."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from promptwire_gen.compilation import Compilation, with_imported
from promptwire_gen.emit.artifact import commented, header
from promptwire_gen.emit.environment import environment
from promptwire_gen.layout import Layout

_PREFIX = "promptwire/"
_PACKAGE, _PROJECT = "module/private_package.py.j2", "module/private_project.toml.j2"


class PackageError(Exception):
    """Raised for a name that cannot be the name of a package, and for a package without wires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivatePackage:
    """The files of a package.

    Attributes:
        files: Path in the package's folder -> text.
        project: The text of a pyproject.toml that announces the wires.
    """

    files: dict[str, str]
    project: str


def check_name(name: str, wires: Sequence[str]) -> None:
    """Raise PackageError if the name is no module name, that of a module which is there, or no wire is named."""
    is_taken = name in sys.stdlib_module_names or name.startswith("promptwire")
    if not name.isidentifier() or keyword.iskeyword(name) or is_taken:
        raise PackageError(f'"{name}" cannot be the name of a package; use one such as acme_llm')
    if not wires:
        raise PackageError("name the wires of the package, such as acme_chat")


def private_package(
    compilation: Compilation, layout: Layout, name: str, wires: Sequence[str]
) -> PrivatePackage:
    """Return a package with these wires and those that they extend, of which only the former are announced."""
    needed = with_imported(wires, compilation.imported)
    files = {
        path.removeprefix(_PREFIX): text
        for path, text in compilation.files.items()
        if path.startswith(_PREFIX) and compilation.owners.get(path) in needed
    }
    templates = environment([layout.templates])
    context = {
        "name": name,
        "wires": sorted(wires),
        "sources": ("provider_specs", f"templates/{_PACKAGE}"),
    }
    files["__init__.py"] = templates.get_template(_PACKAGE).render(context)
    files["py.typed"] = commented(header(context["sources"])) + "\n"
    return PrivatePackage(files=files, project=templates.get_template(_PROJECT).render(context))
