"""Compiling one spec in a folder of its own and importing its module."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from promptwire_gen.layout import Layout, find_layout
from promptwire_gen.pipeline import compile_project
from promptwire_gen.plugin_api import Plugin
from promptwire_gen.plugins import find_plugins


def load_wire(folder: Path, name: str, spec: str, plugins: Sequence[Plugin] = ()) -> ModuleType:
    """Compile a spec and import the module; it stays in `sys.modules` under its wire's name."""
    specs = folder / "provider_specs"
    specs.mkdir()
    (specs / f"{name}.yaml").write_text(spec, "utf-8")
    layout = Layout(folder, specs, find_layout(Path(__file__)).templates, folder / "generated")
    package = folder / name
    package.mkdir()
    for path, text in compile_project(layout, plugins=[*find_plugins(), *plugins]).files.items():
        if path.startswith(f"promptwire/{name}/"):
            (package / Path(path).name).write_text(text, "utf-8")
    for loaded in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[loaded]
    found = importlib.util.spec_from_file_location(
        name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module
