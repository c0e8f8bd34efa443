"""Import compiled modules from their texts, without files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any


class CompiledModules(MetaPathFinder, Loader):
    """Import modules from compiled texts: module name -> text."""

    def __init__(self, modules: Mapping[str, tuple[str, bool]]) -> None:
        self.modules = modules

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of a compiled module, None for all others."""
        del path, target
        if fullname not in self.modules:
            return None
        return spec_from_loader(fullname, self, is_package=self.modules[fullname][1])

    def exec_module(self, module: ModuleType) -> None:
        """Execute the text of a compiled module."""
        code = compile(self.modules[module.__name__][0], f"<{module.__name__}>", "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  # the text was compiled from the user's own specs


def module_name(path: str) -> tuple[str, bool]:
    """Return the dotted name of a module's file, and whether it is a package."""
    parts = path.removesuffix(".py").split("/")
    is_package = parts[-1] == "__init__"
    return ".".join(parts[:-1] if is_package else parts), is_package
