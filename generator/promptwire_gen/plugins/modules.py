"""Generate the package of modules that builds and reads the requests of one wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

from ..emit.answers.answer_module import answer_home
from ..emit.package import Context, package_contexts
from ..emit.read.reading_module import ReadingModules
from ..emit.types.types_module import TypesModules
from ..emit.wire.clients_module import has_own_clients
from ..emit.wire.rules_module import rules_home
from ..emit.write.writing_module import WritingModules
from ..plugin_api import Artifact, Plugin, Project, WireModel

# module -> its template
TEMPLATES = {
    "__init__": "module/builder.py.j2",
    "answers": "module/answers.py.j2",
    "clients": "module/clients.py.j2",
    "reading": "module/reading.py.j2",
    "rules": "module/rules.py.j2",
    "types": "module/types.py.j2",
    "wire": "module/wire.py.j2",
    "writing": "module/writing.py.j2",
}


class Modules(Plugin):
    """`promptwire/<wire>/`."""

    name = "modules"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Return one package for each wire."""
        writing = WritingModules(project.filters)
        reading = ReadingModules(project.filters, lambda wire: writing.of(wire).content.origins)
        typing = TypesModules(project.filters)
        for wire in project.wires:
            contexts = cache(partial(package_contexts, wire, writing, reading, typing))
            for module, template in TEMPLATES.items():
                if _is_spared(wire, module):
                    continue
                yield Artifact(
                    path=f"promptwire/{wire.name}/{module}.py",
                    template=template,
                    context=partial(_context, wire, module, contexts),
                    wire=wire.name,
                )


def _is_spared(wire: WireModel, module: str) -> bool:
    """Return whether a module would be empty, or would only repeat its parent's."""
    if module == "answers":
        return wire.answer is None or answer_home(wire) != wire.name
    if module == "rules":
        return rules_home(wire) != wire.name
    return module == "clients" and not (wire.clients and has_own_clients(wire))


def _context(
    wire: WireModel, module: str, contexts: Callable[[], Mapping[str, Callable[[], Context]]]
) -> Context:
    about: Context = {"sources": (wire.source, f"templates/{TEMPLATES[module]}"), "model": wire}
    return {**about, **contexts()[module]()}
