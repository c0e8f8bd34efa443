"""Compiling one spec in a folder of its own and importing its module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from promptwire_gen.layout import Layout, find_layout
from promptwire_gen.pipeline import compile_project


def load_wire(folder: Path, name: str, spec: str) -> ModuleType:
    """Compile a spec and import the module; it stays in `sys.modules` under its wire's name."""
    specs = folder / "provider_specs"
    specs.mkdir()
    (specs / f"{name}.yaml").write_text(spec, "utf-8")
    layout = Layout(folder, specs, find_layout(Path(__file__)).templates, folder / "generated")
    place = folder / f"{name}.py"
    place.write_text(compile_project(layout).files[f"promptwire/{name}.py"], "utf-8")
    found = importlib.util.spec_from_file_location(name, place)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module
