"""Generate the package of modules that builds and reads the requests of one wire, and the rules of model families."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial

from ..emit.artifact import FAMILY_MODULES, name_family_owner
from ..emit.package import Context, WireModules
from ..emit.wire.rules_module import RuleModules
from ..plugin_api import Artifact, Plugin, Project, WireModel, commented, header
from ..spec.wire_rules import FamilyRules

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
_FAMILY = "module/family.py.j2"
_FAMILIES = '''
"""The rules of families of models, each for all APIs that serve them."""
'''


class Modules(Plugin):
    """`promptwire/<wire>/` and `promptwire/_families/`."""

    name = "modules"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield one package for each wire, and one module for each family of models."""
        modules = WireModules(project.filters, project.templates)
        for wire in project.wires:
            contexts = cache(partial(modules.make_contexts, wire))
            for module, template in TEMPLATES.items():
                if modules.is_spared(wire, module):
                    continue
                yield Artifact(
                    path=f"promptwire/{wire.name}/{module}.py",
                    template=template,
                    context=partial(_make_context, wire, module, contexts),
                    wire=wire.name,
                )
        yield from _list_families(project.wires, modules.rules)


def _list_families(wires: Iterable[WireModel], rules: RuleModules) -> Iterator[Artifact]:
    """Yield the modules of the families that some wires serve."""
    served = {family.name: (family, wire) for wire in wires for family in wire.families}
    if served:
        yield Artifact(
            path=f"promptwire/{FAMILY_MODULES}/__init__.py",
            text=commented(header(["generator/promptwire_gen/plugins/modules.py"])) + _FAMILIES,
            wire=FAMILY_MODULES,
        )
    for name, (family, wire) in sorted(served.items()):
        yield Artifact(
            path=f"promptwire/{FAMILY_MODULES}/{name}.py",
            template=_FAMILY,
            context=partial(_make_family_context, family, wire, rules),
            wire=name_family_owner(name),
        )


def _make_context(
    wire: WireModel, module: str, contexts: Callable[[], Mapping[str, Callable[[], Context]]]
) -> Context:
    about: Context = {"sources": (wire.source, f"templates/{TEMPLATES[module]}"), "model": wire}
    return {**about, **contexts()[module]()}


def _make_family_context(family: FamilyRules, wire: WireModel, rules: RuleModules) -> Context:
    return {"sources": (family.file, f"templates/{_FAMILY}"), **rules.make_family_context(family, wire)}
