"""Generate the files shared by all modules: `__init__.py`, `http.py`, `batch.py`, `data.py` and others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache

from ..plugin_api import Artifact, Plugin, Project, commented, header
from ..spec.editor_schema import editor_schema

_PACKAGE = "module/package.py.j2"
_CONFTEST = '''"""Tests look at the package beside them, also where another promptwire is installed."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
'''
# a file of its own, so that importing a builder loads no client
_HTTP = '''"""A client for the requests that this package builds. Needs httpx: the extra `http`."""

from __future__ import annotations

from promptwire_http import *  # noqa: F403
from promptwire_http import __all__ as __all__
'''
_BATCH = '''"""Batches: files of requests within the limits of each service, their results, and further rounds."""

from __future__ import annotations

from promptwire_batch import *  # noqa: F403
from promptwire_batch import __all__ as __all__
'''
_DATA = '''"""Convert, check and read requests in columns: for Ray Data, pyarrow and polars."""

from __future__ import annotations

from promptwire_data import *  # noqa: F403
from promptwire_data import __all__ as __all__
'''


class PackageFiles(Plugin):
    """The files that make the generated modules one typed package."""

    name = "package files"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Return seven files about all wires."""
        yield Artifact(
            path="promptwire/__init__.py",
            template=_PACKAGE,
            context={
                "wires": sorted([*project.kept, *(wire.name for wire in project.summaries)]),
                "aliases": {name: wire.name for wire in project.summaries for name in wire.recorded},
                "sources": ("provider_specs", f"templates/{_PACKAGE}"),
            },
        )
        marker = header(["generator/promptwire_gen/plugins/package_files.py"])
        yield Artifact(path="promptwire/py.typed", text=commented(marker) + "\n")
        yield Artifact(path="promptwire/http.py", text=f"{commented(marker)}\n{_HTTP}")
        yield Artifact(path="promptwire/batch.py", text=f"{commented(marker)}\n{_BATCH}")
        yield Artifact(path="promptwire/data.py", text=f"{commented(marker)}\n{_DATA}")
        yield Artifact(path="tests/conftest.py", text=f"{commented(marker)}\n{_CONFTEST}")
        yield Artifact(path="provider_spec.schema.json", text=_schema)


@cache
def _schema() -> str:
    return json.dumps(editor_schema(), indent=2, ensure_ascii=False) + "\n"
