"""Generate the files about all wires: the package, its modules, moved names, the table of capabilities and others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

from ..emit.neutral.reference import make_reference
from ..emit.support_tables import LEGEND, make_topics
from ..neutral.source import read_neutral_model
from ..plugin_api import Artifact, Plugin, Project, commented, header
from ..spec.editor_schema import make_editor_schema
from .public_names import LATE, MODULES, MOVED_NAMES, REPLACED_NAMES

_PACKAGE = "module/package.py.j2"
_MOVED = "module/moved.py.j2"
_MOVED_PAGE = "module/moved.md.j2"
_TABLE = "generator/promptwire_gen/plugins/public_names.py"
_CONFTEST = '''"""Tests look at the package beside them, also where another promptwire is installed."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
'''
# files of their own, so that importing a builder loads none of them
_MODULE = '''"""{docstring}"""

from __future__ import annotations

from {module} import *  # noqa: F403
from {module} import __all__ as __all__
'''


class PackageFiles(Plugin):
    """The files that make the generated modules one typed package."""

    name = "package files"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield the files about all wires."""
        yield Artifact(
            path="promptwire/__init__.py",
            template=_PACKAGE,
            context={
                "wires": sorted([*project.kept, *(wire.name for wire in project.summaries)]),
                "aliases": {name: wire.name for wire in project.summaries for name in wire.recorded},
                "late": LATE,
                "modules": sorted(MODULES),
                "moved": MOVED_NAMES,
                "sources": ("provider_specs", f"templates/{_PACKAGE}"),
            },
        )
        names = {"moved": MOVED_NAMES, "replaced": REPLACED_NAMES, "sources": (_TABLE,)}
        yield Artifact(path="promptwire/_moved.py", template=_MOVED, context=names)
        yield Artifact(path="MOVED.md", template=_MOVED_PAGE, context=names)
        marker = header(["generator/promptwire_gen/plugins/package_files.py", _TABLE])
        yield Artifact(path="promptwire/py.typed", text=commented(marker) + "\n")
        for name, (module, docstring) in MODULES.items():
            text = _MODULE.format(module=module, docstring=docstring)
            yield Artifact(path=f"promptwire/{name}.py", text=f"{commented(marker)}\n{text}")
        yield Artifact(path="tests/conftest.py", text=f"{commented(marker)}\n{_CONFTEST}")
        yield Artifact(path="provider_spec.schema.json", text=_write_schema)


@cache
def _write_schema() -> str:
    return json.dumps(make_editor_schema(), indent=2, ensure_ascii=False) + "\n"


_WIRES = "provider_table.md.j2"


class ProviderTable(Plugin):
    """`generated/README.md`."""

    name = "provider table"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield one page about all wires."""
        context = {
            "topics": make_topics([wire.row for wire in project.summaries]),
            "legend": LEGEND,
            "sources": ("provider_specs", f"templates/{_WIRES}"),
        }
        yield Artifact(path="README.md", template=_WIRES, context=context)


_REFERENCE = "neutral/reference.md.j2"


class NeutralReference(Plugin):
    """`generated/REFERENCE.md`."""

    name = "neutral reference"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield one page about all nodes."""
        yield Artifact(
            path="REFERENCE.md", template=_REFERENCE, context=partial(_make_reference_context, project)
        )


def _make_reference_context(project: Project) -> dict[str, Any]:
    return {
        "modules": make_reference(
            read_neutral_model(), {wire.name: wire.carried for wire in project.summaries}
        ),
        "count": len(project.summaries),
        "sources": ("generator/promptwire_gen/neutral", f"templates/{_REFERENCE}"),
    }
