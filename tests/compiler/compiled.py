"""Compiling specs in a folder of their own and importing their modules."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from promptwire_gen.plugin_api import Plugin
from tests.internals.compiler import FAMILY_MODULES, Layout, compile_project, find_layout, find_plugins
from tests.spec_texts import shared_texts


def load_wire(folder: Path, name: str, spec: str, plugins: Sequence[Plugin] = ()) -> ModuleType:
    """Compile a spec and import the module; it stays in `sys.modules` under its wire's name."""
    _compile(folder, folder, {name: spec}, plugins)
    return _import(folder / name, name)


def load_dialects(folder: Path, package: str, specs: Mapping[str, str]) -> dict[str, ModuleType]:
    """Compile specs that extend each other; the modules of all stay in `sys.modules` below the name of a package."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").touch()
    _compile(folder, folder / package, specs, ())
    _import(folder / package, package)
    return {name: importlib.import_module(f"{package}.{name}") for name in specs}


def _compile(folder: Path, package: Path, specs: Mapping[str, str], plugins: Sequence[Plugin]) -> None:
    for name, text in shared_texts().items():
        (folder / "provider_specs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "provider_specs" / name).write_text(text, "utf-8")
    for name, spec in specs.items():
        (folder / "provider_specs" / f"{name}.yaml").write_text(spec, "utf-8")
        (package / name).mkdir()
    (package / FAMILY_MODULES).mkdir()
    templates = find_layout(Path(__file__)).templates
    layout = Layout(folder, folder / "provider_specs", templates, folder / "generated")
    for path, text in compile_project(layout, plugins=[*find_plugins(), *plugins]).files.items():
        wire = Path(path).parent.name
        if path == f"promptwire/{wire}/{Path(path).name}" and wire in (*specs, FAMILY_MODULES):
            (package / wire / Path(path).name).write_text(text, "utf-8")


def _import(package: Path, name: str) -> ModuleType:
    forget(name)
    module_spec = importlib.util.spec_from_file_location(
        name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert module_spec is not None and module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name] = module
    module_spec.loader.exec_module(module)
    if (package / "rules.py").exists():
        # the folder may be gone when they are asked first
        importlib.import_module(f"{name}.rules")
    return module


def forget(name: str) -> None:
    """Take a wire's modules out of `sys.modules`."""
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def wire_of(name: str, spec: str) -> Any:
    """A fixture for the tests of one file: the module of a spec, compiled when the first of them asks for it."""

    @pytest.fixture(scope="module")
    def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
        yield load_wire(tmp_path_factory.mktemp(name), name, spec)
        forget(name)

    return wire
