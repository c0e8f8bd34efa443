"""The files of this project: what they import, and what an import loads."""

from __future__ import annotations

import ast
import json
from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.checkout import ROOT, run_python

COMPILER, RUNTIME, GENERATED = ROOT / "generator", ROOT / "runtime", ROOT / "generated" / "promptwire"
# what earlier steps loaded counts for later ones, too; only wires are forgotten
_LOADED = """
import json, sys
before = set(sys.modules)
for step in json.loads(sys.argv[1]):
    for name in [name for name in sys.modules if name.partition(".")[0] == "promptwire"]:
        del sys.modules[name]
    exec("import promptwire\\n" + step)
    print(*sorted(set(sys.modules) - before))
"""


def modules(folder: Path) -> list[Path]:
    """Every Python file below a folder."""
    return sorted(folder.rglob("*.py"))


def shown(path: Path) -> str:
    """Name a file as the project does."""
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> set[str]:
    """Every package that a file imports from outside its own, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names.add(node.module.partition(".")[0])
    return names


def strays(folder: Path, allowed: AbstractSet[str]) -> dict[str, set[str]]:
    """The files below a folder that import anything but these packages, each with what it imports."""
    others = {shown(path): imported(path) - allowed for path in modules(folder)}
    return {path: names for path, names in others.items() if names}


def loaded(*steps: str) -> list[list[str]]:
    """Return the modules that one fresh interpreter has loaded after `import promptwire` and each statement."""
    done = run_python("-c", _LOADED, json.dumps(steps), folder=ROOT)
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]
