"""The repairs of the runtime, read from its sources: their names, what they do, and the rejected fields that they mend.

The compiler does not import the runtime, whose node classes it writes. Each repair is a function under `@repair(...)`
with literals as arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from promptwire_text.words import matches_any

_RUNTIME, _FOLDER, _REGISTRY = "promptwire_runtime", "repairs", "registry.py"
_DECORATOR, _TABLE = "repair", "NO_REPAIR"


@dataclass(frozen=True, slots=True)
class KnownRepair:
    """A repair of the runtime.

    Attributes:
        name: Its name, as `fix` has it.
        policy: The policy that decides about it; empty if none does.
        does: The first paragraph of its docstring.
        refused: Globs of the rejected fields that it mends, one text for each decorator.
    """

    name: str
    policy: str
    does: str
    refused: tuple[str, ...]

    def mends(self, path: str) -> bool:
        """Return whether it mends a rejected field."""
        return any(matches_any(path, globs) for globs in self.refused)


@cache
def known_repairs() -> Mapping[str, KnownRepair]:
    """Return the repairs of the runtime by name, sorted."""
    found = [each for path in repair_files() for each in _repairs_in(path)]
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


@cache
def fields_without_repair() -> tuple[str, ...]:
    """Return the globs of the fields for which the runtime says why no repair is right."""
    registry = next(path for path in repair_files() if path.name == _REGISTRY)
    for node in _parsed(registry).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == _TABLE:
            return tuple(ast.literal_eval(node.value))
    raise AssertionError(f"{registry} has no {_TABLE}")


@cache
def repair_files() -> tuple[Path, ...]:
    """Return the modules of the runtime that hold repairs."""
    found = find_spec(_RUNTIME)
    folders = (found.submodule_search_locations or ()) if found is not None else ()
    return tuple(sorted(path for folder in folders for path in Path(folder, _FOLDER).glob("*.py")))


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), path.name)


def _repairs_in(path: Path) -> Iterator[KnownRepair]:
    for node in _parsed(path).body:
        if isinstance(node, ast.FunctionDef) and (calls := [*_decorators(node)]):
            # the innermost decorator names the repair
            policy, own = calls[-1]
            does = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
            refused = tuple([words["refused"] for _, words in calls if "refused" in words])
            yield KnownRepair(own.get("name") or node.name, policy, does, refused)


def _decorators(node: ast.FunctionDef) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the policy and the other arguments of each decorator that registers a repair."""
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == _DECORATOR:
            words = {word.arg or "": ast.literal_eval(word.value) for word in each.keywords}
            yield (str(ast.literal_eval(each.args[0])) if each.args else ""), words
