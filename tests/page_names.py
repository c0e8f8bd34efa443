"""Which public names the Python of a page uses: what it imports, and the attributes that it asks for, with their owners."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import CodeType, ModuleType
from typing import Any

HOOK = "__attribute__"


@dataclass
class Names:
    """The names that a page used, with the module or class that has them: `promptwire.user`, `...Built.digest`.

    used      all of them
    imported  what its blocks imported: the name in the page -> where it comes from
    loaded    the names that its blocks look up
    """

    used: set[str] = field(default_factory=set)
    imported: dict[str, str] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)

    @property
    def unused(self) -> list[str]:
        """Return the names that are imported and not used."""
        return sorted(self.imported.keys() - self.loaded)

    def attribute(self, owner: Any, name: str) -> Any:
        """Return an attribute as Python does, and note whose it is."""
        owners = [owner] if isinstance(owner, (type, ModuleType)) else type(owner).__mro__
        self.used |= {f"{_full_name(each)}.{name}" for each in owners}
        return getattr(owner, name)

    def note_imports(self, tree: ast.Module) -> None:
        """Note what a text of Python imports, one that is run elsewhere too."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                self.used |= set(_names_of(node).values())

    def watch(self, code: str, page: str) -> CodeType:
        """Compile a block so that it tells here what it uses."""
        tree = ast.parse(code, page)
        self.note_imports(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                self.imported |= _names_of(node)
            elif isinstance(node, ast.Import):
                self.imported |= {
                    alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names
                }
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self.loaded.add(node.id)
        return compile(ast.fix_missing_locations(_Attributes().visit(tree)), page, "exec", dont_inherit=True)


class _Attributes(ast.NodeTransformer):
    """Calls of the hook in place of all attributes that are looked up."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace one."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        arguments = [node.value, ast.Constant(node.attr)]
        return ast.copy_location(ast.Call(ast.Name(HOOK, ast.Load()), arguments, []), node)


def _names_of(node: ast.ImportFrom) -> dict[str, str]:
    return {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}


def _full_name(owner: type | ModuleType) -> str:
    return owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
