"""The package of modules that builds and reads the requests of one wire."""

from __future__ import annotations

from collections.abc import Iterable

from ..emit.package import package_contexts
from ..plugin_api import Artifact, Plugin, Project

# module -> the template that lays it out
TEMPLATES = {
    "__init__": "builder.py.j2",
    "reading": "reading.py.j2",
    "types": "types.py.j2",
    "wire": "wire.py.j2",
    "writing": "writing.py.j2",
}


class Modules(Plugin):
    """`promptwire/<wire>/`."""

    name = "modules"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """One package a wire."""
        for wire in project.wires:
            for module, context in package_contexts(wire, project.filters).items():
                template = TEMPLATES[module]
                yield Artifact(
                    path=f"promptwire/{wire.name}/{module}.py",
                    template=template,
                    context={"sources": (wire.file, f"templates/{template}"), "model": wire} | context,
                    wire=wire.name,
                )
